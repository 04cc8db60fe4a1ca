"""The ideal DNF as a learner of Models: asked for a number of conditions, not for prices."""

from dataclasses import dataclass
from typing import Any, ClassVar

import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.estimators import IdealDNFClassifier
from rulekit.plots.wording import plural
from ui.ideal_cards import curve_card, ideal_card, past_case
from ui.learner import Cards, Dial, Learner, Setting
from ui.run_spec import RunSettings
from ui.state import KEEP, AppState

FEATURES = tuple(range(1, 11))
CUTS = {"median": "cut at its median (the paper's way)", "binning": "cut as on Binning"}
MODES = {
    "compact": "whatever makes the formula shortest",
    "paper": "the other class (the paper's way)",
}


@dataclass(frozen=True)
class IdealLearner(Learner):
    """The best formula over a few conditions, by counting."""

    at_once: ClassVar[bool] = True
    ways: ClassVar[str] = (
        "The ideal DNF is asked for 1 to 10 conditions; shape, clauses, prices and rounding are "
        "not asked of it, and of the constraints it keeps “must not appear” alone."
    )
    cards: ClassVar[Cards | None] = Cards(
        models=lambda model, state: curve_card(model), rules=ideal_card, explain=past_case
    )

    def estimator(self, spec: RunSettings, state: AppState, variant: Setting) -> ClassifierMixin:
        """Return the unfitted estimator; it refuses constraints that counting cannot keep."""
        return IdealDNFClassifier(
            mode=spec.ideal_mode,
            positive_label=state.positive,
            class_weight=spec.class_weight,
            binarizer=state.binning.binarizer() if spec.ideal_cuts == "binning" else None,
            constraints=spec.constraints(state.features),
            random_state=0,
        )

    def grid(self, spec: RunSettings) -> dict[str, list[Any]]:
        """Return the grid: numbers of conditions."""
        return {"max_features": list(FEATURES)}

    def words(self, setting: Setting) -> str:
        """Say a setting in words: it has no price."""
        limit = plural(setting["max_features"], "chosen condition")
        return f"{self.name}, at most {limit}"

    def dials(self, setting: Setting, n_rows: int) -> list[Dial]:
        """Move along the number of conditions."""
        return [Dial("max_features", "Conditions allowed")]

    def form(self, usual: RunSettings) -> dict[str, Any]:
        """Ask how numbers are cut, and what cases get that the table tells nothing about."""
        left, right = st.columns(2)
        cuts = left.selectbox(
            "Ideal DNF: a number becomes a condition",
            list(CUTS),
            list(CUTS).index(usual.ideal_cuts),
            format_func=CUTS.get,
            key="run_ideal_cuts",
            **KEEP,
        )
        mode = right.selectbox(
            "Ideal DNF: cases the table tells nothing about get",
            list(MODES),
            list(MODES).index(usual.ideal_mode),
            format_func=MODES.get,
            key="run_ideal_mode",
            help="Types of cases that do not occur, or occur with both classes equally often.",
            **KEEP,
        )
        return {"ideal_cuts": cuts, "ideal_mode": mode}


IDEAL_DNF = IdealLearner(
    "ideal",
    "Ideal DNF",
    "Chooses a few conditions, one for each number, and counts the best formula over them.",
    "a first answer at once, on tables of any size: the most a few conditions can do.",
)
