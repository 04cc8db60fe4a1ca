"""The ideal DNF as a learner of Models: asked for a number of conditions, not for prices."""

from typing import Any

import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.families import IdealDNFClassifier
from rulekit.style.wording import plural
from ui.learners.ideal_cards import curve_card, ideal_card, past_case
from ui.learners.learner import Cards, Dial, Learner, Setting
from ui.learners.spec import RunSpec
from ui.state import KEEP, AppState

FEATURES = tuple(range(1, 11))
CUTS = {"median": "cut at its median (the paper's way)", "binning": "cut as on Binning"}
MODES = {
    "compact": "whatever makes the formula shortest",
    "paper": "the other class (the paper's way)",
}


def estimator(spec: RunSpec, state: AppState, variant: Setting) -> ClassifierMixin:
    """Return the unfitted estimator; it refuses constraints that counting cannot keep."""
    return IdealDNFClassifier(
        mode=spec.ideal_mode,
        positive_label=state.positive,
        class_weight=spec.class_weight,
        costs=spec.error_costs(state.labels),
        binarizer=state.binning.binarizer() if spec.ideal_cuts == "binning" else None,
        constraints=spec.constraints(state.features, state.positive),
        random_state=0,
    )


def form(usual: RunSpec) -> dict[str, Any]:
    """Ask how numbers are cut, and what cases get that the table tells nothing about."""
    left, right = st.columns(2)
    cuts = left.selectbox(
        "Every combination: a number becomes a condition",
        list(CUTS),
        list(CUTS).index(usual.ideal_cuts),
        format_func=CUTS.get,
        key="run_ideal_cuts",
        **KEEP,
    )
    mode = right.selectbox(
        "Every combination: cases the table tells nothing about get",
        list(MODES),
        list(MODES).index(usual.ideal_mode),
        format_func=MODES.get,
        key="run_ideal_mode",
        help="Types of cases that do not occur, or occur with both classes equally often.",
        **KEEP,
    )
    return {"ideal_cuts": cuts, "ideal_mode": mode}


IDEAL_DNF = Learner(
    "ideal",
    "Every combination of a few conditions",
    "Chooses a few conditions, one for each number, and counts the best formula over them: the "
    "ideal DNF.",
    "a first answer at once, on tables of any size: the most a few conditions can do.",
    estimator,
    lambda spec: {"max_features": list(FEATURES)},
    at_once=True,
    keeps_promises=False,
    form=form,
    ways=(
        "The combination of conditions is asked for 1 to 10 of them; shape, clauses, prices and "
        "rounding are not asked of it, and of the constraints it keeps “must not appear” alone."
    ),
    shape_words=lambda s: [f"at most {plural(s['max_features'], 'chosen condition')}"],
    dials=lambda setting, n_rows: [Dial("max_features", "Conditions allowed")],
    cards=Cards(models=lambda model, state: curve_card(model), rules=ideal_card, explain=past_case),
)
