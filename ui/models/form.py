"""The settings of runs as widgets: shared ones at the side, the rest in tabs."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rulekit.data.costs import COST
from rulekit.learners import search_grid
from rulekit.style.wording import capital
from ui.escape import md
from ui.learners.learner import as_entered, price_input
from ui.learners.literal import kinds_form
from ui.learners.offered import LEARNERS, QUESTIONS, look_of
from ui.learners.spec import LEARNER_KEY, RunSpec
from ui.models.points import ERRORS, RunResult, gap_fields
from ui.state import KEEP, AppState
from ui.widgets import choice, menu

SMALL = 100  # training rows below which each row can be left out in turn
FORMS = {"dnf": "OR of ANDs", "cnf": "AND of ORs"}
ROUNDINGS = {
    "redundancy": "redundancy-aware (best on most tables)",
    "threshold": "threshold",
    "random": "randomised",
}
DIRECTIONS = {">": "As it rises", "<": "As it falls"}
BUDGETS = {10.0: "10 s", 60.0: "1 min", 300.0: "5 min"}
COSTED = "costs"
WEIGHTS = {
    "none": "count every row alike",
    "balanced": "give all outcomes the same weight",
    COSTED: "by what they cost",
}
USUAL = 1.0  # default cost of an error
SWEPT = ("thetas", "rounding", "clauses", "refine", "allow_disabled")  # settings of a price sweep


def weight_fields(state: AppState, usual: RunSpec) -> dict[str, Any]:
    """Show the form for error weights; an invalid cost shows a message, and errors are counted."""
    pairs = list(permutations(state.labels, 2))
    usual_costs = usual.costs if len(usual.costs) == len(pairs) else ()
    words = (
        "In learning, in the choice among rules and in the curve. By what they cost: the curve "
        "and the figures then have a cost a 100 cases, too."
    )
    before = COSTED if usual_costs else usual.class_weight or "none"
    selected = menu("What errors weigh", WEIGHTS, before, "run_weight", help=words)
    plain: dict[str, Any] = {"class_weight": None, "costs": (), "cost_unit": ""}
    if selected != COSTED:
        return plain | {"class_weight": None if selected == "none" else selected}
    unit = st.text_input(
        "Counted in", usual.cost_unit, key="run_cost_unit", placeholder="EUR, points, ...", **KEEP
    ).strip()
    start = usual_costs or (USUAL,) * len(pairs)
    if state.several:
        costs, names = dict(zip(pairs, start, strict=True)), [str(label) for label in state.labels]
        cells = [[costs.get((t, a), math.nan) for a in state.labels] for t in state.labels]
        given = st.data_editor(
            pd.DataFrame(cells, index=pd.Index(names, name="true"), columns=names),
            key=f"run_cost_table_{hash(tuple(names))}",
            alt="Cost of predicting the outcome of the column for a row of the outcome on the left",
        )
        weights = tuple(float(given.iloc[t, a]) for t, a in permutations(range(len(names)), 2))
    else:
        labels = [f"Cost of predicting {md(p, 40)} for {md(true, 40)}" for true, p in pairs]
        weights = tuple(
            st.number_input(label, 0.0, None, start[k], key=f"run_cost_{k}", format="%g", **KEEP)
            for k, label in enumerate(labels)
        )
    wrong = [pair for pair, cost in zip(pairs, weights, strict=True) if not 0 < cost < math.inf]
    if wrong:
        true, predicted = wrong[0]
        st.error(
            f"Every cost must be a positive number; predicting {md(predicted, 60)} for "
            f"{md(true, 60)} has none. Errors are counted until it has one; use a very small cost "
            "for an error that hardly matters."
        )
        return plain
    if set(weights) == {USUAL}:
        st.caption("All errors cost the same, so errors are counted. Enter what each one costs.")
        return plain
    return plain | {"costs": weights, "cost_unit": unit}


def settings(state: AppState) -> tuple[RunSpec, DeltaGenerator]:
    """Show the settings that points of a curve share; also return the place for its measure."""
    if "_form_begins" not in st.session_state:  # the defaults stay the same throughout a session
        X, y = state.training
        thetas = as_entered(search_grid(y)["theta"])
        suggested = {k: v for one in LEARNERS.values() for k, v in one.usual(X, y).items()}
        begun = [RunSpec.from_dict(r) for r in state.runs]
        # a comparison searches no variants: those of the last search count
        searches = (run for run in (*reversed(begun), state.spec) if run.budget is None)
        kinds = next(searches, RunSpec())
        variants = {name: getattr(kinds, name) for name in ("against", "robust", "noisy")}
        last = begun[-1] if begun else replace(state.spec, thetas=thetas, **suggested)
        st.session_state["_form_begins"] = replace(last, **variants, thorough=True)
    usual = st.session_state["_form_begins"]
    form = "dnf"
    if not state.several:
        form = choice(
            f"Shape of the rule for {md(state.positive)}",
            FORMS,
            usual.form,
            "run_form_shape",
            wrap=True,
            help="A clause is a few conditions. A DNF (disjunctive normal form) says yes if any of "
            "its clauses holds, and a clause holds if all its conditions do: (a AND b) OR (c AND "
            "d). A CNF (conjunctive normal form) says yes if every clause holds, and one condition "
            "is enough for a clause: (a OR b) AND (c OR d).",
        )
    errors = st.expander("What counts as an error?", key="run_gap", on_change="rerun")
    with errors:
        measure = st.container()
        fields = weight_fields(state, usual)
        if not state.several:
            fields |= gap_fields(state, usual, listed=bool(errors.open))
    columns = st.expander("Which columns?", key="run_constraints", on_change="rerun")
    with columns:
        fields |= _constraints(state, usual, listed=bool(columns.open))
    with st.expander("How thorough?"):
        y, column = state.training[1], state.split.folds
        choices = fold_choices(len(y), int(y.value_counts().min()))
        if (part := state.fold_numbers) is not None:
            folds = int(part.max()) + 1
            st.caption(f"Cross-validation: the {folds} folds of {md(state.label(column), 60)}.")
        else:
            folds = choice("Cross-validation", choices, usual.folds, "run_folds", wrap=True)
        kinds = kinds_form(state, usual)
    return replace(usual, form=form, folds=folds, **fields, **kinds), measure


def measure_choice(result: RunResult) -> str:
    """Return the selected measure of the vertical axis (no F1 for several classes)."""
    words = {
        name: capital(text)
        for name, text in ERRORS.items()
        if (result.measures(name) if result.key else name != COST)
    }
    return menu("Measure", words, COST, "front_cost" if COST in words else "front_y")


def comparison(state: AppState, spec: RunSpec) -> RunSpec | None:
    """Return a run that compares the selected learners; None (and a message) if there are none."""
    each = [q for q, names in QUESTIONS.items() if len(names) == 1]
    learners = learner_choice(state, spec, "compared", each)
    left, right = st.columns(2, vertical_alignment="bottom")
    budget = choice("Time for all of them together", BUDGETS, 60.0, "run_budget", place=left)
    label = "Reference models (majority, logistic regression, trees, forests)"
    lines = right.toggle(label, True, "run_baselines", **KEEP)
    fields = _learner_settings(spec, learners)
    plain = {"against": False, "robust": False, "noisy": False}  # a kind of rule is not a learner
    options = {"view": "conditions", "budget": budget, "baselines": lines}
    return _fitting(state, replace(spec, **options, **plain), fields)


def price_sweep(state: AppState, spec: RunSpec) -> RunSpec | None:
    """Return a run over prices and numbers of clauses; None (and a message) if one is invalid."""
    learners = learner_choice(state, spec, "priced", list(QUESTIONS)[:1])
    off = {name: unread(name, learners) for name in SWEPT}
    left, right = st.columns(2)
    with left:
        thetas = price_input(
            "Prices θ: how many misclassified training rows one condition must save at least",
            spec.thetas,
            "θ",
            key="run_thetas",
            disabled=off["thetas"],
            help="Small prices give long rules, large prices short ones: at θ = 2 a condition "
            "stays in the rule only if it saves at least two misclassified training rows. A first "
            "sweep has nine prices in proportion to the rows; the papers' methods were measured "
            "with 18 from 0.0001 to 50.",
        )
        label, options = "Rounding of fractional answers", {"disabled": off["rounding"]}
        rounding = menu(label, ROUNDINGS, spec.rounding, "run_rounding", **options)
    with right:
        label, options = "Number of clauses, from and to", {"disabled": off["clauses"], **KEEP}
        clauses = st.slider(label, 1, 5, spec.clauses, key="run_clauses", **options)
        words = (
            "Prunes, adds, swaps conditions and moves thresholds while training errors plus the "
            "price of the conditions fall. Slower, often shorter. Not for rules of one clause."
        )
        options = {"help": words, "disabled": off["refine"], **KEEP}
        refine = st.toggle("Refine each rule", spec.refine, "run_refine", **options)
        words = "Lets the learner leave a clause out when it does not pay for itself."
        label, options = "A clause may be switched off", {"disabled": off["allow_disabled"], **KEEP}
        disable = st.toggle(label, spec.allow_disabled, "run_disable", words, **options)
    fields = _learner_settings(spec, learners)
    if thetas is None:
        return None
    swept = {"thetas": thetas, "clauses": clauses, "rounding": rounding, "refine": refine}
    options = {"view": "prices", "allow_disabled": disable, "budget": None, "baselines": False}
    return _fitting(state, replace(spec, **swept, **options), fields)


def learner_choice(state: AppState, spec: RunSpec, key: str, usual: Sequence[str]) -> list[str]:
    """Return the selected learners; only those for several classes if there are several."""
    able = [name for name, one in LEARNERS.items() if one.many_classes or not state.several]
    offers = {q: [n for n in names if n in able] for q, names in QUESTIONS.items()}
    offers = {question: names for question, names in offers.items() if names}
    if state.several:
        others = [f"“{one.name}”" for one in LEARNERS.values() if not one.many_classes]
        st.caption(
            f"All {len(state.classes)} classes are described. {' and '.join(others)} describe one "
            "class against the rest: switch that on at Data."
        )
    if spec.learners != RunSpec().learners:
        usual = [q for q, names in offers.items() if set(names) & set(spec.learners)]
    usual = [question for question in usual if question in offers] or list(offers)
    chosen: list[str] = []
    with st.container(horizontal=True):
        for question, names in offers.items():
            with st.container(border=True, width=260):
                marks = [look_of({LEARNER_KEY: name}).image for name in names]
                st.html(" ".join(f'<img src="{mark}" alt="" width="16">' for mark in marks))
                if st.checkbox(question, question in usual, f"run_{key}_{names[0]}", **KEEP):
                    chosen += names
                purpose = LEARNERS[names[0]].good_for.partition(". ")[0].rstrip(".")
                purpose = "comparison with the papers" if len(names) > 1 else purpose
                st.caption(f"For {purpose}.")
    if len(names) > 1 and names[0] in chosen:  # the last card has several learners
        default = [name for name in names if name in spec.learners] or names
        words, key = {name: LEARNERS[name].name for name in names}, f"run_{key}_several"
        several = st.multiselect(question, names, default, words.get, key, **KEEP)
        chosen = [name for name in chosen if name not in names or name in several]
    return chosen


def _learner_settings(spec: RunSpec, learners: Sequence[str]) -> dict[str, Any] | None:
    """Return the learners' own settings; None (and a message) if one is invalid."""
    settings: dict[str, Any] = {"learners": tuple(learners)}
    readable = True
    with st.expander("What they do, and settings of their own"):
        for name in learners:
            learner = LEARNERS[name]
            st.caption(f"**{learner.name}.** {learner.sentence} Good for: {learner.good_for}")
            if learner.ways:
                st.caption(learner.ways)
            own = learner.form(spec)
            readable, settings = readable and own is not None, settings | (own or {})
    return settings if readable else None


def _fitting(state: AppState, spec: RunSpec, fields: dict[str, Any] | None) -> RunSpec | None:
    """Build the run; None (and a message) if its learners do not support the settings."""
    if fields is None:
        return None
    if not fields["learners"]:
        st.error("Choose at least one learner.")
        return None
    bare = replace(spec, directions=()).constraints(state.features, state.positive) is None
    for one in [LEARNERS[name] for name in fields["learners"]]:
        cannot = "" if bare or one.keeps_constraints else "constraints"
        if not cannot and spec.directions and not one.keeps_monotonic_constraints:
            cannot = "monotonic constraints"
        if cannot:
            st.error(
                f"{one.name} does not support {cannot}. Remove them at the side, or remove this "
                "learner."
            )
            return None
    return replace(spec, **fields, thorough=True)


def unread(setting: str, learners: Sequence[str]) -> bool:
    """Whether no selected learner reads a setting (False without selected learners)."""
    return bool(learners) and not any(setting in LEARNERS[name].reads for name in learners)


def fold_choices(n_rows: int, n_least: int) -> dict[int, str]:
    """Return the numbers of folds (at most the rows of the rarest class) with their labels."""
    choices = {10: "10 folds", 5: "5 folds (quick)"}
    fewest = max(2, n_least)
    fitting = {k: words for k, words in choices.items() if k <= n_least}
    choices = fitting or {fewest: f"{fewest} folds, as the rarest class has few rows"}
    return choices | ({n_rows: "leave one out"} if 10 < n_rows < SMALL else {})


def _columns(
    label: str,
    usable: Sequence[str],
    listed: bool,
    usual: Sequence[str],
    key: str,
    state: AppState,
    **more: Any,
) -> list[str]:
    """Return the selected columns; only these are sent to the browser unless all are `listed`."""
    aside = f"_aside_{key}"  # columns that are no features at present
    before = [*st.session_state.get(key, usual), *st.session_state.get(aside, ())]
    st.session_state[aside] = [name for name in before if name not in state.features]
    st.session_state[key] = chosen = [name for name in before if name in usable]
    options = usable if listed else chosen
    return st.multiselect(label, options, format_func=state.label, key=key, **KEEP, **more)


def _constraints(state: AppState, usual: RunSpec, listed: bool) -> dict[str, object]:
    """Show the constraints on columns; required columns and directions only for one class."""
    key, usable = "run_forbidden", state.features
    forbidden = _columns("Must not appear", usable, listed, usual.forbidden, key, state)
    forbidden += st.session_state[f"_aside_{key}"]
    words = "“Colour is not red” is often not something one can act on."
    label = "Allow “is not” conditions"
    equal = st.toggle(label, usual.allow_not_equal, "run_not_equal", words, **KEEP)
    every = {"forbidden": tuple(forbidden), "allow_not_equal": equal}
    if state.several:
        st.caption(
            "Required columns and directions need one class against the rest. Select one on Data."
        )
        return every | {"required": (), "directions": ()}
    without = set(forbidden)
    usable = [c for c in state.features if c not in without]
    rising = {c.name for c in state.table.columns if c.kind in ("numeric", "boolean")}
    required = _columns("Must appear", usable, listed, usual.required, "run_required", state)
    directions: list[tuple[str, str]] = []
    for sign, words in DIRECTIONS.items():
        chosen = _columns(
            f"{words}, the prediction never changes away from {md(state.positive, 60)}",
            [c for c in usable if c in rising],
            listed,
            [c for c, one in usual.directions if one == sign],
            f"run_direction_{'up' if sign == '>' else 'down'}",
            state,
            help="A monotonic constraint: if only this column changes, the prediction may change "
            f"to {md(state.positive, 60)}, never back. It costs accuracy where the data contradict "
            "it. A missing value does not rise or fall.",
        )
        directions += [(column, sign) for column in chosen]
        rising.difference_update(chosen)
    return every | {"required": tuple(required), "directions": tuple(directions)}
