"""The settings of a run, as widgets: in goes the analysis, out comes a `RunSpec`."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rulekit.evaluation import search_grid
from ui.escape import md
from ui.hyperplane_learner import HYPERPLANE, PRICE_HELP, usual_nus
from ui.ideal_form import fold_choices, ideal_options
from ui.learners import FORMS, LEARNERS, ROUNDINGS, RunSpec
from ui.models_asked import GREY, own_ways, unread
from ui.state import AppState
from ui.tree_learner import TREE

IN_FOLD_OUT = ("thetas", "rounding", "refine", "allow_disabled", "against", "robust")
LARGE = 200_000  # cells of the training rows from which on variants are run only when asked for
LATER_SECONDS = 0.05  # the browser draws together what arrives within some ten milliseconds
KEEP = {"persist_state": "session"}
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
    ideal = ideal_options(learners, usual)
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
    seen = {"learners": tuple(learners), "clauses": clauses, "folds": folds, "form": form, **ideal}
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
        nus, plane_answers = usual.nus, usual.plane_answers
        if HYPERPLANE in learners:
            nus, plane_answers = _nus(usual), _plane_answers(usual)
        more = _refinements(usual, learners) | _variants(state, usual, learners)
        told = unread("form", learners) or unread("clauses", learners)
        if not told and any(unread(setting, learners) for setting in IN_FOLD_OUT):
            st.caption(GREY)
    with fold_outs[1]:
        constraints = _constraints(state, usual)
    if not learners:
        st.error("Choose at least one learner to run.")
        return None
    if thetas is None or nus is None:
        return None
    more |= {"thetas": thetas, "nus": nus, "plane_answers": plane_answers}
    spec = RunSpec(**seen, **more, **constraints)
    strict = [name for name in (HYPERPLANE, TREE) if name in learners]
    if strict and spec.constraints(state.features) is not None:
        st.error(
            f"{LEARNERS[strict[0]].name} cannot keep to constraints: take the constraints away, "
            "or leave that learner out."
        )
        return None
    return spec


def parsed_thetas(text: str, symbol: str = "θ") -> tuple[float, ...]:
    """Read prices separated by spaces or commas, sorted and without repeats.

    Raises
    ------
    ValueError
        If there is none, or one is not a positive finite number.
    """
    words = text.replace(",", " ").replace(";", " ").split()
    numbers = set()
    for word in words:
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number > 0):
            raise ValueError(
                f"Each price {symbol} must be a positive number, found {word!r}; write them as in "
                "'0.1, 0.5, 2', with a point as the decimal sign."
            )
        numbers.add(number)
    if not numbers:
        raise ValueError(
            f"A run needs at least one price {symbol}; write for example '0.1, 0.5, 2'."
        )
    return tuple(sorted(numbers))


def _text(prices: Iterable[float]) -> str:
    """Write prices as `parsed_thetas` reads them."""
    return ", ".join(f"{price:.15g}" for price in sorted(prices))


def _begins_with(state: AppState) -> RunSpec:
    """Return what the widgets begin with: the same throughout a session, whatever is run in it.

    A first run has prices in proportion to the rows; of a large table nothing but the plain search
    is run unless more is asked for.
    """
    if "_form_begins" not in st.session_state:
        usual = RunSpec.from_dict(state.run_settings)
        if not state.run_settings and state.ready:
            X, y = state.training
            thetas, nus = (parsed_thetas(_text(p)) for p in (search_grid(y)["theta"], usual_nus(y)))
            usual = replace(usual, thetas=thetas, nus=nus)
            if X.size > LARGE:
                usual = replace(usual, against=False, robust=False)
        st.session_state["_form_begins"] = usual
    return st.session_state["_form_begins"]


def _learners(usual: RunSpec, state: AppState) -> list[str]:
    """Ask for the learners; where several classes are told apart, only one of them can."""
    if state.several:
        st.caption(
            f"All {len(state.classes)} classes are told apart, as asked for on Data. Only the "
            "power-law tree can; the other learners describe one class against the rest."
        )
        chosen = [TREE]
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
        st.caption(f"**{learner.name}.** {learner.sentence} Good when: {learner.good_when}")
    return chosen


def _thetas(usual: RunSpec, learners: list[str]) -> tuple[float, ...] | None:
    text = st.text_input(
        "Prices θ: how many misclassified training rows one condition must save at least",
        value=_text(usual.thetas),
        key="run_thetas",
        disabled=unread("thetas", learners),
        help="Small prices give long rules, large prices short ones: at θ = 2 a condition stays in "
        "the rule only if it saves at least two misclassified training rows. A first run has nine "
        "prices in proportion to the rows; the papers' methods were measured with 18 from 0.0001 "
        "to 50.",
        **KEEP,
    )
    try:
        return parsed_thetas(text)
    except ValueError as error:
        st.error(md(error, 300))
        return None


def _nus(usual: RunSpec) -> tuple[float, ...] | None:
    text = st.text_input(
        "Prices ν of the plane's errors (Boxes from a plane)",
        value=_text(usual.nus),
        key="run_nus",
        help=PRICE_HELP,
        **KEEP,
    )
    try:
        return parsed_thetas(text, "ν")
    except ValueError as error:
        st.error(md(error, 300))
        return None


def _plane_answers(usual: RunSpec) -> bool:
    return st.toggle(
        "Boxes from a plane: the plane answers rows in no box",
        value=usual.plane_answers,
        key="run_plane_answers",
        help="The weighted sum stands in the rule as one last condition and counts a condition a "
        "column. Off, rows in no box get the other class, and the rule stands on its boxes alone. "
        "Only for planes over columns of numbers.",
        **KEEP,
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


def _variants(state: AppState, usual: RunSpec, learners: list[str]) -> dict[str, object]:
    left, right = st.columns(2)
    against = left.toggle(
        f"Box search: also rules against {md(state.positive, 60)}",
        value=usual.against,
        key="run_against",
        disabled=unread("against", learners),
        help="Rules that say when a row is of the other class; all others are "
        f"{md(state.positive, 60)}. One of the two is often much shorter. Directions asked for "
        "below are turned for them. Twice the searches.",
        **KEEP,
    )
    robust = right.toggle(
        "Box search: also more robust rules",
        value=usual.robust,
        key="run_robust",
        disabled=unread("robust", learners),
        help="Rules that keep rows of the other class out by more than one condition where that "
        "is cheap, so that small errors of measurement upset them less. Three times the searches.",
        **KEEP,
    )
    return {"against": against, "robust": robust}


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
