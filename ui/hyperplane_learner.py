"""Boxes from a plane as a learner of Models.

The price ``theta`` of a setting is here ν, of a unit of margin missed by the plane, and
``n_clauses`` the most boxes the rule may have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
import streamlit as st

from rulekit.estimators import LPSVM, HyperplaneRuleClassifier
from ui.hyperplane_cards import box_of_case, hypercubes
from ui.learner import CLAUSES_DIAL, Cards, Dial, Learner, Setting
from ui.prices import as_asked, asked_prices
from ui.run_spec import RunSettings
from ui.state import KEEP, AppState

HYPERPLANE = "hyperplane"
MULTIPLES = (1, 1.5, 2, 3, 5, 8, 15, 30)  # from no column to about ten, on most tables
CONFIDENCE_FOLDS = 5  # of the picked model; a sweep has no use for confidences
PRICE_HELP = (
    "What a unit of margin missed by a row costs, against the plane's weights. The smaller ν is, "
    "the fewer columns the plane reads, and the shorter its boxes are."
)


def usual_nus(y: pd.Series) -> tuple[float, ...]:
    """Return prices in proportion to the rows of the smaller class, with two digits.

    With standardised columns the plane reads none up to about one, divided by these rows.
    """
    rows = max(1, int(min(y.value_counts())))
    return tuple(sorted({float(f"{multiple / rows:.2g}") for multiple in MULTIPLES}))


@dataclass(frozen=True)
class HyperplaneLearner(Learner):
    """A plane over few columns, and boxes on one side of it."""

    reads: tuple[str, ...] = ("clauses",)
    keeps_constraints: ClassVar[bool] = False
    symbol: ClassVar[str] = "ν"
    parameter_names: ClassVar[Mapping[str, str]] = {
        "theta": "linear__nu",
        "n_clauses": "max_rules",
    }
    picked: ClassVar[Mapping[str, Any]] = {"confidence_folds": CONFIDENCE_FOLDS}
    ways: ClassVar[str] = (
        "Boxes from a plane are asked for prices ν (in the first fold-out below) and a number "
        "of clauses, which are its boxes. Shape, prices θ and the cut points of Binning are "
        "not asked of it, and it keeps no constraints."
    )
    cards: ClassVar[Cards | None] = Cards(pictures=hypercubes, explain=box_of_case)

    def estimator(
        self, spec: RunSettings, state: AppState, variant: Setting
    ) -> HyperplaneRuleClassifier:
        """Return the unfitted estimator; see `Learner.estimator`."""
        return HyperplaneRuleClassifier(
            LPSVM(),
            uncovered="hyperplane" if spec.plane_answers else "other",
            confidence_folds=0,
            positive_label=state.positive,
            class_weight=spec.class_weight,
        )

    def grid(self, spec: RunSettings) -> dict[str, list[Any]]:
        """Return the grid: most boxes, and prices of the plane."""
        low, high = spec.clauses
        return {"max_rules": list(range(low, high + 1)), "linear__nu": list(spec.nus)}

    def dials(self, setting: Setting, n_rows: int) -> list[Dial]:
        """Move along the plane's prices, and the boxes."""
        return [Dial("theta", "Price ν of the plane's errors", PRICE_HELP), CLAUSES_DIAL]

    def usual(self, X: pd.DataFrame, y: pd.Series) -> dict[str, Any]:
        """Begin with prices in proportion to the rows."""
        return {"nus": as_asked(usual_nus(y))}

    def finer_form(
        self, state: AppState, usual: RunSettings, learners: Sequence[str]
    ) -> dict[str, Any] | None:
        """Ask for prices, and whether the plane answers what no box holds."""
        if self.key not in learners:
            return {}
        nus = asked_prices(
            "Prices ν of the plane's errors (Boxes from a plane)",
            usual.nus,
            self.symbol,
            key="run_nus",
            help=PRICE_HELP,
        )
        answers = st.toggle(
            "Boxes from a plane: the plane answers rows in no box",
            value=usual.plane_answers,
            key="run_plane_answers",
            help="The weighted sum stands in the rule as one last condition and counts a "
            "condition a column. Off, rows in no box get the other class, and the rule stands on "
            "its boxes alone. Only for planes over columns of numbers.",
            **KEEP,
        )
        return None if nus is None else {"nus": nus, "plane_answers": answers}


BOXES_FROM_A_PLANE = HyperplaneLearner(
    HYPERPLANE,
    "Boxes from a plane",
    "Learns a weighted sum of few columns (a 1-norm support vector machine, ν its price of "
    "errors) and cuts one side of it into boxes that do not overlap; always a DNF. Rows with a "
    "gap teach it nothing.",
    "a score that is trusted already: every case gets a box around it and a confidence.",
)
