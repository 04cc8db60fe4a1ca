"""The settings of runs, as widgets: what all points share at the side, the rest in tabs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from rulekit.learners import search_grid
from rulekit.learners.loss import COST
from rulekit.style.wording import capital
from ui.escape import md
from ui.learners.literal import finer_form as kinds_form
from ui.learners.offered import LEARNERS, QUESTIONS
from ui.learners.prices import as_asked, asked_prices
from ui.learners.spec import RunSpec
from ui.models.costs import asked_weights
from ui.models.points import ERRORS, RunResult
from ui.state import KEEP, AppState

SMALL = 100  # training rows below which each row can be left out in turn
FORMS = {"dnf": "OR of ANDs", "cnf": "AND of ORs"}
ROUNDINGS = {
    "redundancy": "redundancy-aware (best on most tables)",
    "threshold": "threshold",
    "random": "randomised",
}
DIRECTIONS = {">": "As it rises", "<": "As it falls"}
BUDGETS = {10.0: "10 s", 60.0: "1 min", 300.0: "5 min"}


def settings(state: AppState) -> RunSpec:
    """Ask at the side for what all points of a curve share, and which kinds of rule to look for.

    It begins as the analysis' rule was found, also after a reload of the page.
    """
    usual = _begins_with(state)
    form = "dnf" if state.several else _shape(state, usual)
    y = state.training[1]
    choices = fold_choices(len(y), int(y.value_counts().min()))
    folds = st.segmented_control(
        "Cross-validation",
        list(choices),
        format_func=lambda n: choices.get(n, str(n)),
        default=usual.folds if usual.folds in choices else next(iter(choices)),
        wrap=True,
        required=True,
        key="run_folds",
        **KEEP,
    )
    weights = asked_weights(state, usual)
    with st.expander("Constraints and promises about columns"):
        constraints = _constraints(state, usual)
    with st.expander("What a longer search looks for"):
        kinds = kinds_form(state, usual, [])
    return replace(usual, form=form, folds=folds, **weights, **constraints, **kinds)


def _shape(state: AppState, usual: RunSpec) -> str:
    """Ask for the shape of a rule of two classes; of more it is an ordered list."""
    return st.segmented_control(
        f"Shape of the rule for {md(state.positive)}",
        list(FORMS),
        format_func=FORMS.get,
        default=usual.form,
        wrap=True,
        required=True,
        key="run_form_shape",
        help="A clause is a few conditions. A DNF (disjunctive normal form) says yes if any of its "
        "clauses holds, and a clause holds if all its conditions do: (a AND b) OR (c AND d). A CNF "
        "(conjunctive normal form) says yes if every clause holds, and one condition is enough for "
        "a clause: (a OR b) AND (c OR d).",
        **KEEP,
    )


def judged_by(found: RunResult | None) -> str:
    """Ask for the measure on the vertical axis; several classes have no F1."""
    plain = [name for name in ERRORS if name != COST]
    known = plain if found is None else [name for name in ERRORS if found.measures(name)]
    priced = COST in known
    return st.selectbox(
        "Judge by",
        known,
        known.index(COST) if priced else 0,
        format_func=lambda k: capital(ERRORS[k]),
        key="front_cost" if priced else "front_y",
        **KEEP,
    )


def comparison(state: AppState, spec: RunSpec) -> RunSpec | None:
    """Ask which learners to compare, and for how long; None, after a sentence, if none can be."""
    each = [q for q, names in QUESTIONS.items() if len(names) == 1]
    learners = asked_learners(state, spec, "compared", each)
    left, right = st.columns(2, vertical_alignment="bottom")
    budget = left.segmented_control(
        "Time for all of them together",
        list(BUDGETS),
        format_func=BUDGETS.get,
        default=10.0,
        required=True,
        key="run_budget",
        **KEEP,
    )
    lines = right.toggle(
        "Reference models (majority, logistic regression, trees, forests)",
        value=True,
        key="run_baselines",
        **KEEP,
    )
    own = _own_settings(state, spec, learners)
    plain = {"against": False, "robust": False, "doubting": False}  # a kind is no learner
    how = {"view": "conditions", "budget": budget, "baselines": lines}
    return _fitting(state, replace(spec, **how, **plain), own)


def price_sweep(state: AppState, spec: RunSpec) -> RunSpec | None:
    """Ask for prices and numbers of clauses; None, after a sentence, if one cannot be read."""
    learners = asked_learners(state, spec, "priced", list(QUESTIONS)[:1])
    left, right = st.columns(2)
    with left:
        thetas = asked_prices(
            "Prices θ: how many misclassified training rows one condition must save at least",
            spec.thetas,
            "θ",
            key="run_thetas",
            disabled=unread("thetas", learners),
            help="Small prices give long rules, large prices short ones: at θ = 2 a condition "
            "stays in the rule only if it saves at least two misclassified training rows. A first "
            "sweep has nine prices in proportion to the rows; the papers' methods were measured "
            "with 18 from 0.0001 to 50.",
        )
        rounding = st.selectbox(
            "Rounding of fractional answers",
            list(ROUNDINGS),
            list(ROUNDINGS).index(spec.rounding),
            format_func=ROUNDINGS.get,
            key="run_rounding",
            disabled=unread("rounding", learners),
            **KEEP,
        )
    with right:
        clauses = st.slider(
            "Number of clauses, from and to",
            1,
            5,
            spec.clauses,
            key="run_clauses",
            disabled=unread("clauses", learners),
            **KEEP,
        )
        refine = st.toggle(
            "Refine each rule",
            value=spec.refine,
            key="run_refine",
            disabled=unread("refine", learners),
            help="Prunes, adds, swaps conditions and moves thresholds while training errors plus "
            "the price of the conditions fall. Slower, often shorter. Not for rules of one clause.",
            **KEEP,
        )
        disable = st.toggle(
            "A clause may be switched off",
            value=spec.allow_disabled,
            key="run_disable",
            disabled=unread("allow_disabled", learners),
            help="Lets the learner leave a clause out when it does not pay for itself.",
            **KEEP,
        )
    own = _own_settings(state, spec, learners)
    if thetas is None:
        return None
    how = {"thetas": thetas, "clauses": clauses, "rounding": rounding, "refine": refine}
    swept = replace(spec, view="prices", allow_disabled=disable, budget=None, **how)
    swept = replace(swept, baselines=False)
    return _fitting(state, swept, own)


def asked_learners(state: AppState, spec: RunSpec, key: str, usual: Sequence[str]) -> list[str]:
    """Ask for learners by what they give; where several classes are told apart, by who can.

    Parameters
    ----------
    state : AppState
    spec : RunSpec
        Names what it begins with, after a run of other learners than the box search.
    key : str
        Of the widget, and of the one that opens the papers' methods.
    usual : sequence of str
        Questions that it begins with before.
    """
    able = [name for name, one in LEARNERS.items() if one.many_classes or not state.several]
    offers = {q: [n for n in names if n in able] for q, names in QUESTIONS.items()}
    offers = {question: names for question, names in offers.items() if names}
    if state.several:
        st.caption(
            f"All {len(state.classes)} classes are described. "
            f"{_listed([f'“{one.name}”' for one in LEARNERS.values() if not one.many_classes])} "
            "describe one class against the rest: switch that on at Data."
        )
    if spec.learners != RunSpec().learners:
        usual = [q for q, names in offers.items() if set(names) & set(spec.learners)]
    asked = st.multiselect(
        "Learners",
        list(offers),
        default=[question for question in usual if question in offers] or list(offers),
        key=f"run_{key}",
        **KEEP,
    )
    chosen: list[str] = []
    for question in asked:
        names = offers[question]
        if len(names) > 1:
            names = st.multiselect(
                question,
                names,
                default=[n for n in names if n in spec.learners] or names,
                format_func=lambda name: LEARNERS[name].name,
                key=f"run_{key}_several",
                **KEEP,
            )
        chosen += names
    return chosen


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)


def _own_settings(state: AppState, spec: RunSpec, learners: Sequence[str]) -> dict[str, Any] | None:
    """Ask for what the chosen learners alone read; None, after a sentence, if it cannot be read."""
    own: dict[str, Any] = {"learners": tuple(learners)}
    readable = True
    with st.expander("What they do, and settings of their own"):
        for name in learners:
            learner = LEARNERS[name]
            st.caption(f"**{learner.name}.** {learner.sentence} Good for: {learner.good_for}")
            if learner.ways:
                st.caption(learner.ways)
            own |= learner.form(spec)
            if learner.finer_form is not kinds_form:
                finer = learner.finer_form(state, spec, learners)
                readable, own = readable and finer is not None, own | (finer or {})
    return own if readable else None


def _fitting(state: AppState, spec: RunSpec, own: dict[str, Any] | None) -> RunSpec | None:
    """Put a run together; None, after a sentence, if its learners cannot do what is asked."""
    if own is None:
        return None
    if not own["learners"]:
        st.error("Choose at least one learner.")
        return None
    asked = [LEARNERS[name] for name in own["learners"]]
    bare = replace(spec, directions=()).constraints(state.features, state.positive) is None
    refusals = {
        "keep to constraints: take the constraints": [
            one for one in asked if not (bare or one.keeps_constraints)
        ],
        "keep promises: take the promises": [
            one for one in asked if spec.directions and not one.keeps_promises
        ],
    }
    for cannot, strict in refusals.items():
        if strict:
            st.error(
                f"{strict[0].name} cannot {cannot} away, at the side, or leave that learner out."
            )
            return None
    return replace(spec, **own, thorough=True)


def unread(setting: str, learners: Sequence[str]) -> bool:
    """Whether none of some learners reads a setting; of no learner at all all may be asked."""
    return bool(learners) and not any(setting in LEARNERS[name].reads for name in learners)


def fold_choices(n_rows: int, n_least: int) -> dict[int, str]:
    """Name the numbers of folds to choose from.

    Of a small table also one for each row; no more than the rarest class has rows, as each fold
    needs a row of it (two, where a class has but one: the run then says what is wrong).
    """
    choices = {10: "10 folds", 5: "5 folds (quick)"}
    fewest = max(2, n_least)
    fitting = {k: words for k, words in choices.items() if k <= n_least}
    choices = fitting or {fewest: f"{fewest} folds, as the rarest class has few rows"}
    return choices | ({n_rows: "leave one out"} if 10 < n_rows < SMALL else {})


def _begins_with(state: AppState) -> RunSpec:
    """Return what the widgets begin with: the same throughout a session, whatever is run in it.

    Before any run prices are in proportion to the rows; of a large table nothing but the plain
    search is run unless more is asked for.
    """
    if "_form_begins" not in st.session_state:
        X, y = state.training
        usual = RunSpec.from_dict(state.run_settings)
        thetas = as_asked(search_grid(y)["theta"])
        own = {k: v for one in LEARNERS.values() for k, v in one.usual(X, y).items()}
        begun = [RunSpec.from_dict(r) for r in state.runs]
        usual = begun[-1] if begun else replace(usual, thetas=thetas, **own)
        st.session_state["_form_begins"] = replace(usual, thorough=True)
    return st.session_state["_form_begins"]


def _constraints(state: AppState, usual: RunSpec) -> dict[str, object]:
    def name(column: str) -> str:
        return md(state.label(column), 60)

    usable = state.features
    forbidden = st.multiselect(
        "Must not appear",
        usable,
        default=[c for c in usual.forbidden if c in usable],
        format_func=name,
        key="run_forbidden",
        **KEEP,
    )
    equal = st.toggle(
        "Allow “is not” conditions",
        value=usual.allow_not_equal,
        key="run_not_equal",
        help="“Colour is not red” is often not something one can act on.",
        **KEEP,
    )
    wishes: dict[str, object] = {"required": (), "directions": ()}
    if state.several:
        st.caption(
            "That a column must appear, or leads one way, can be asked of one class against the "
            "rest only."
        )
    else:
        wishes = _of_one_class(state, usual, [c for c in usable if c not in forbidden])
    return {
        "forbidden": tuple(forbidden),
        "allow_not_equal": equal,
        **wishes,
    }


def _of_one_class(state: AppState, usual: RunSpec, usable: Sequence[str]) -> dict[str, object]:
    """Ask for what can be wished of rules for one class only."""

    def name(column: str) -> str:
        return md(state.label(column), 60)

    rising = [c.name for c in state.table.columns if c.kind in ("numeric", "boolean")]
    required = st.multiselect(
        "Must appear",
        usable,
        default=[c for c in usual.required if c in usable],
        format_func=name,
        key="run_required",
        **KEEP,
    )
    directions: list[tuple[str, str]] = []
    for sign, words in DIRECTIONS.items():
        free = [c for c in usable if c in rising and c not in dict(directions)]
        chosen = st.multiselect(
            f"{words}, the answer never turns away from {md(state.positive, 60)}",
            free,
            default=[c for c, asked in usual.directions if asked == sign and c in free],
            format_func=name,
            key=f"run_direction_{'up' if sign == '>' else 'down'}",
            help="A promise: whatever else a row holds, the answer may turn to "
            f"{md(state.positive, 60)}, never back. It costs accuracy where the table says "
            "otherwise. A missing value does not rise or fall.",
            **KEEP,
        )
        directions += [(column, sign) for column in chosen]
    return {"required": tuple(required), "directions": tuple(directions)}
