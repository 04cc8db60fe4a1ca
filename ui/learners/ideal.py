"""The ideal DNF as a learner of Models: set by a number of conditions, not by prices."""

from typing import Any

import streamlit as st

from rulekit.families.ideal_dnf.ideal_dnf import CONDITIONS
from ui.learners.ideal_cards import curve_card, ideal_card, past_case
from ui.learners.learner import Cards, Dial, Learner, Setting
from ui.learners.spec import RunSpec
from ui.state import KEEP, AppState

CUTS = {"median": "cut at its median (the paper's way)", "binning": "cut as on Binning"}
MODES = {
    "compact": "whatever makes the formula shortest",
    "paper": "the other class (the paper's way)",
}


def own(spec: RunSpec, state: AppState, variant: Setting) -> dict[str, Any]:
    """Return the mode, the cut points, and no time limit: counting takes no time."""
    cuts = state.binning.binarizer() if spec.ideal_cuts == "binning" else None
    return {"mode": spec.ideal_mode, "binarizer": cuts, "time_limit": None}


def form(usual: RunSpec) -> dict[str, Any]:
    """Show the form for cutting numbers and for cases without training rows."""
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


IDEAL_DNF = Learner.of(
    "ideal",
    grid=lambda spec: {"max_variables": list(CONDITIONS)},
    own=own,
    form=form,
    dials=lambda setting, n_rows: [Dial("max_variables", "Conditions allowed")],
    cards=Cards(models=lambda model, state: curve_card(model), rules=ideal_card, explain=past_case),
)
