"""The settings of a run, as widgets: in goes the analysis, out comes a `RunSpec`."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rulekit.evaluation import search_grid
from ui.escape import md
from ui.learners.offered import LEARNERS
from ui.learners.prices import as_asked, asked_prices
from ui.learners.spec import RunSpec
from ui.state import KEEP, AppState

ASKED = (
    "form",
    "thetas",
    "clauses",
    "rounding",
    "refine",
    "allow_disabled",
    "against",
    "robust",
    "doubting",
)
READERS = {
    setting: tuple(name for name, learner in LEARNERS.items() if setting in learner.reads)
    for setting in ASKED
}
GREY = "What is greyed out, the chosen learners do not read."
IN_FOLD_OUT = ("thetas", "rounding", "refine", "allow_disabled", "against", "robust", "doubting")
LATER_SECONDS = 0.05  # the browser draws together what arrives within some ten milliseconds
SMALL = 100  # training rows below which each row can be left out in turn
FORMS = {
    "dnf": "any AND (DNF)",
    "cnf": "every OR (CNF)",
}
ROUNDINGS = {
    "redundancy": "redundancy-aware (best on most tables)",
    "threshold": "threshold",
    "random": "randomised",
}
WEIGHTS = {"none": "count every row alike", "balanced": "give both classes the same weight"}
DIRECTIONS = {">": "only “more than”", "<": "only “at most”"}


def run_form(state: AppState) -> tuple[RunSpec | None, Callable[[], object]]:
    """Show the settings of a run.

    It begins as the analysis' last run was set, also after a reload of the page.

    Parameters
    ----------
    state : AppState
        Names the columns that constraints can be about.

    Returns
    -------
    spec : RunSpec or None
        None, after a sentence, when a setting cannot be read.
    rest : callable
        To be called at the end of the page. On a first visit, when nothing can have been set in
        the closed fold-outs, it fills them: they take the browser as long as the curve does, so
        the curve comes first.
    """
    usual = _begins_with(state)
    learners = _learners(usual, state)
    own: dict[str, Any] = {}
    for name in learners:
        own |= LEARNERS[name].form(usual)
    for words in own_ways(learners):
        st.caption(words)
    left, middle, right = st.columns(3, gap="medium")
    form = left.segmented_control(
        "Shape of the rule" + ("" if state.several else f" for {md(state.positive)}"),
        list(FORMS),
        format_func=FORMS.get,
        default=usual.form,
        wrap=True,
        required=True,
        key="run_form_shape",
        disabled=unread("form", learners),
        help="A clause is a few conditions. A DNF (disjunctive normal form) says yes if any of its "
        "clauses holds, and a clause holds if all its conditions do: (a AND b) OR (c AND d). A CNF "
        "(conjunctive normal form) says yes if every clause holds, and one condition is enough for "
        "a clause: (a OR b) AND (c OR d).",
        **KEEP,
    )
    clauses = middle.slider(
        "Number of clauses, from and to",
        1,
        5,
        usual.clauses,
        key="run_clauses",
        disabled=unread("clauses", learners),
        **KEEP,
    )
    y = state.training[1]
    choices = fold_choices(len(y), int(y.value_counts().min()))
    folds = right.segmented_control(
        "Cross-validation",
        list(choices),
        format_func=lambda n: choices.get(n, str(n)),
        default=usual.folds if usual.folds in choices else next(iter(choices)),
        wrap=True,
        required=True,
        key="run_folds",
        **KEEP,
    )
    if unread("form", learners) or unread("clauses", learners):
        st.caption(GREY)
    fold_outs = (
        st.expander("Price grid, rounding, refinement, class weights"),
        st.expander("Constraints: columns that must not, or must, appear"),
    )
    seen = {"learners": tuple(learners), "clauses": clauses, "folds": folds, "form": form, **own}
    if learners and not state.run_settings and "run_thetas" not in st.session_state:
        return replace(usual, **seen), lambda: _later(state, usual, seen, fold_outs)
    return _whole(state, usual, seen, fold_outs), lambda: None


def _later(*asked: Any) -> None:
    """Fill the fold-outs a moment after the curve; what arrives together is drawn together."""
    time.sleep(LATER_SECONDS)
    _whole(*asked)


def _whole(
    state: AppState,
    usual: RunSpec,
    seen: dict[str, Any],
    fold_outs: tuple[DeltaGenerator, DeltaGenerator],
) -> RunSpec | None:
    """Fill the fold-outs, and put what they ask for beside the settings that are always seen."""
    learners = list(seen["learners"])
    with fold_outs[0]:
        thetas = _thetas(usual, learners)
        more = _refinements(usual, learners)
        finer = [one.finer_form(state, usual, learners) for one in LEARNERS.values()]
        told = unread("form", learners) or unread("clauses", learners)
        if not told and any(unread(setting, learners) for setting in IN_FOLD_OUT):
            st.caption(GREY)
    with fold_outs[1]:
        constraints = _constraints(state, usual)
    if not learners:
        st.error("Choose at least one learner to run.")
        return None
    if thetas is None or None in finer:
        return None
    for fields in finer:
        more |= fields
    spec = replace(usual, **seen, thetas=thetas, **more, **constraints)
    strict = [LEARNERS[name] for name in learners if not LEARNERS[name].keeps_constraints]
    if strict and spec.constraints(state.features) is not None:
        st.error(
            f"{strict[0].name} cannot keep to constraints: take the constraints away, or leave "
            "that learner out."
        )
        return None
    return spec


def unread(setting: str, learners: Sequence[str]) -> bool:
    """Whether none of some learners reads a setting; False of settings that all read.

    Parameters
    ----------
    setting : str
        A field of `ui.learners.spec.RunSpec`.
    learners : sequence of str
        Keys of `ui.learners.offered.LEARNERS`; of no learner at all everything may still be asked.

    Returns
    -------
    bool
    """
    readers = READERS.get(setting, tuple(LEARNERS))
    return bool(learners) and not set(readers) & set(learners)


def own_ways(learners: Sequence[str]) -> list[str]:
    """Say of learners with ways of their own what they try, and what is not asked of them."""
    return [LEARNERS[name].ways for name in learners if LEARNERS[name].ways]


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

    A first run has prices in proportion to the rows; of a large table nothing but the plain search
    is run unless more is asked for.
    """
    if "_form_begins" not in st.session_state:
        usual = RunSpec.from_dict(state.run_settings)
        if not state.run_settings and state.ready:
            X, y = state.training
            thetas = as_asked(search_grid(y)["theta"])
            own = {k: v for one in LEARNERS.values() for k, v in one.usual(X, y).items()}
            usual = replace(usual, thetas=thetas, **own)
        st.session_state["_form_begins"] = usual
    return st.session_state["_form_begins"]


def _learners(usual: RunSpec, state: AppState) -> list[str]:
    """Ask for the learners; where several classes are told apart, take those that can."""
    if state.several:
        chosen = [name for name, learner in LEARNERS.items() if learner.many_classes]
        able = " and ".join(f"“{LEARNERS[name].name}”" for name in chosen)
        st.caption(
            f"All {len(state.classes)} classes are told apart, as asked for on Data. Only {able} "
            "can; the other learners describe one class against the rest."
        )
    else:
        chosen = st.multiselect(
            "Learner (several are drawn on one front)",
            list(LEARNERS),
            default=[name for name in usual.learners if name in LEARNERS],
            format_func=lambda name: LEARNERS[name].name,
            key="run_learners",
            **KEEP,
        )
    for name in chosen:
        learner = LEARNERS[name]
        st.caption(f"**{learner.name}.** {learner.sentence} Good for: {learner.good_for}")
    return chosen


def _thetas(usual: RunSpec, learners: list[str]) -> tuple[float, ...] | None:
    return asked_prices(
        "Prices θ: how many misclassified training rows one condition must save at least",
        usual.thetas,
        "θ",
        key="run_thetas",
        disabled=unread("thetas", learners),
        help="Small prices give long rules, large prices short ones: at θ = 2 a condition stays in "
        "the rule only if it saves at least two misclassified training rows. A first run has nine "
        "prices in proportion to the rows; the papers' methods were measured with 18 from 0.0001 "
        "to 50.",
    )


def _refinements(usual: RunSpec, learners: list[str]) -> dict[str, object]:
    left, right = st.columns(2)
    rounding = left.selectbox(
        "Rounding of fractional answers",
        list(ROUNDINGS),
        list(ROUNDINGS).index(usual.rounding),
        format_func=ROUNDINGS.get,
        key="run_rounding",
        disabled=unread("rounding", learners),
        **KEEP,
    )
    weight = right.selectbox(
        "Class weights",
        list(WEIGHTS),
        list(WEIGHTS).index(usual.class_weight or "none"),
        format_func=WEIGHTS.get,
        key="run_weight",
        **KEEP,
    )
    refine = left.toggle(
        "Refine each rule",
        value=usual.refine,
        key="run_refine",
        disabled=unread("refine", learners),
        help="Prunes, adds, swaps conditions and moves thresholds while training errors plus "
        "the price of the conditions fall. Slower, often shorter. Not for rules of one clause.",
        **KEEP,
    )
    disable = right.toggle(
        "A clause may be switched off",
        value=usual.allow_disabled,
        key="run_disable",
        disabled=unread("allow_disabled", learners),
        help="Lets the learner leave a clause out when it does not pay for itself.",
        **KEEP,
    )
    baselines = st.toggle(
        "Draw reference models (majority, logistic regression, trees, forests)",
        value=usual.baselines,
        key="run_baselines",
        **KEEP,
    )
    return {
        "rounding": rounding,
        "class_weight": None if weight == "none" else weight,
        "refine": refine,
        "allow_disabled": disable,
        "baselines": baselines,
    }


def _constraints(state: AppState, usual: RunSpec) -> dict[str, object]:
    def name(column: str) -> str:
        return md(state.label(column), 60)

    numeric = [c.name for c in state.table.columns if c.kind == "numeric"]
    usable = state.features
    forbidden = st.multiselect(
        "Must not appear",
        usable,
        default=[c for c in usual.forbidden if c in usable],
        format_func=name,
        key="run_forbidden",
        **KEEP,
    )
    open_to_ask = [c for c in usable if c not in forbidden]
    required = st.multiselect(
        "Must appear",
        open_to_ask,
        default=[c for c in usual.required if c in open_to_ask],
        format_func=name,
        key="run_required",
        **KEEP,
    )
    equal = st.toggle(
        "Allow “is not” conditions",
        value=usual.allow_not_equal,
        key="run_not_equal",
        help="“Colour is not red” is often not something one can act on.",
        **KEEP,
    )
    directions: list[tuple[str, str]] = []
    for sign, words in DIRECTIONS.items():
        free = [c for c in usable if c in numeric and c not in dict(directions)]
        chosen = st.multiselect(
            f"One direction: {words}",
            free,
            default=[c for c, asked in usual.directions if asked == sign and c in free],
            format_func=name,
            key=f"run_direction_{'up' if sign == '>' else 'down'}",
            **KEEP,
        )
        directions += [(column, sign) for column in chosen]
    return {
        "forbidden": tuple(forbidden),
        "required": tuple(required),
        "allow_not_equal": equal,
        "directions": tuple(directions),
    }
