"""The settings of a run, as widgets: in goes the analysis, out comes a `RunSpec`."""

import math

import streamlit as st

from ui.escape import md
from ui.learners import FORMS, LEARNERS, ROUNDINGS, RunSpec
from ui.state import AppState

KEEP = {"persist_state": "session"}
WEIGHTS = {"none": "count every row alike", "balanced": "give both classes the same weight"}
DIRECTIONS = {">": "only “more than”", "<": "only “at most”"}


def run_form(state: AppState) -> RunSpec | None:
    """Show the settings of a run.

    It begins as the analysis' last run was set, also after a reload of the page.

    Parameters
    ----------
    state : AppState
        Names the columns that constraints can be about.

    Returns
    -------
    RunSpec or None
        None, after a sentence, when a setting cannot be read.
    """
    usual = _begins_with(state)
    learners = _learners(usual)
    left, middle, right = st.columns(3, gap="medium")
    form = left.segmented_control(
        f"Shape of the rule for {md(state.positive)}",
        list(FORMS),
        format_func=FORMS.get,
        default=usual.form,
        required=True,
        key="run_form_shape",
        help="A DNF says yes if any of its ANDs holds; a CNF if all of its ORs hold.",
        **KEEP,
    )
    clauses = middle.slider(
        "Number of clauses, from and to", 1, 5, usual.clauses, key="run_clauses", **KEEP
    )
    folds = right.segmented_control(
        "Cross-validation",
        [10, 5],
        format_func={10: "10 folds", 5: "5 folds (quick)"}.get,
        default=usual.folds,
        required=True,
        key="run_folds",
        **KEEP,
    )
    with st.expander("Price grid, rounding, refinement, class weights"):
        thetas = _thetas(usual)
        more = _refinements(usual)
    with st.expander("Constraints: columns that must not, or must, appear"):
        constraints = _constraints(state, usual)
    if not learners:
        st.error("Choose at least one learner to run.")
        return None
    if thetas is None:
        return None
    return RunSpec(
        learners=tuple(learners),
        thetas=thetas,
        clauses=clauses,
        folds=folds,
        form=form,
        **more,
        **constraints,
    )


def parsed_thetas(text: str) -> tuple[float, ...]:
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
                f"Each price θ must be a positive number, found {word!r}; write them as in "
                "'0.1, 0.5, 2', with a point as the decimal sign."
            )
        numbers.add(number)
    if not numbers:
        raise ValueError("A run needs at least one price θ; write for example '0.1, 0.5, 2'.")
    return tuple(sorted(numbers))


def _begins_with(state: AppState) -> RunSpec:
    """Return what the widgets begin with: the same throughout a session, whatever is run in it."""
    if "_form_begins" not in st.session_state:
        st.session_state["_form_begins"] = RunSpec.from_dict(state.run_settings)
    return st.session_state["_form_begins"]


def _learners(usual: RunSpec) -> list[str]:
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


def _thetas(usual: RunSpec) -> tuple[float, ...] | None:
    text = st.text_input(
        "Prices θ: how many misclassified training rows one condition must save",
        value=", ".join(f"{theta:.15g}" for theta in sorted(usual.thetas)),
        key="run_thetas",
        help="Small prices give long rules, large prices short ones. These are the paper's 18.",
        **KEEP,
    )
    try:
        return parsed_thetas(text)
    except ValueError as error:
        st.error(md(error, 300))
        return None


def _refinements(usual: RunSpec) -> dict[str, object]:
    left, right = st.columns(2)
    rounding = left.selectbox(
        "Rounding of fractional answers",
        list(ROUNDINGS),
        list(ROUNDINGS).index(usual.rounding),
        format_func=ROUNDINGS.get,
        key="run_rounding",
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
        help="Prunes, adds, swaps conditions and moves thresholds while training errors plus "
        "the price of the conditions fall. Slower, often shorter. Not for rules of one clause.",
        **KEEP,
    )
    disable = right.toggle(
        "A clause may be switched off",
        value=usual.allow_disabled,
        key="run_disable",
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
