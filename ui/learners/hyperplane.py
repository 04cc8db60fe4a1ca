"""Boxes from a plane as a learner of Models.

The price ``theta`` of a setting is here ν, of a unit of margin missed by the plane, and
``n_clauses`` the most boxes the rule may have.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.evaluation import plane_prices
from rulekit.families import LPSVM, HyperplaneRuleClassifier
from ui.learners.hyperplane_cards import hypercubes
from ui.learners.hyperplane_case import box_of_case
from ui.learners.learner import CLAUSES_DIAL, Cards, Dial, Learner, Setting
from ui.learners.prices import as_asked, asked_prices
from ui.learners.spec import RunSpec
from ui.state import KEEP, AppState

HYPERPLANE = "hyperplane"
CONFIDENCE_FOLDS = 5  # of the picked model; a sweep has no use for confidences
PRICE_HELP = (
    "What a unit of margin missed by a row costs, against the plane's weights. The smaller ν is, "
    "the fewer columns the plane reads, and the shorter its boxes are."
)


def estimator(spec: RunSpec, state: AppState, variant: Setting) -> HyperplaneRuleClassifier:
    """Return the unfitted estimator; see `Learner`."""
    return HyperplaneRuleClassifier(
        LPSVM(),
        uncovered="hyperplane" if spec.plane_answers else "other",
        confidence_folds=0,
        positive_label=None if state.several else state.positive,
        class_weight=spec.class_weight,
        constraints=spec.constraints(state.features, state.positive),
        costs=spec.error_costs(state.labels),
    )


def grid(spec: RunSpec) -> dict[str, list[Any]]:
    """Return the grid: most boxes, and prices of the plane."""
    low, high = spec.clauses
    return {"max_rules": list(range(low, high + 1)), "linear__nu": list(spec.nus)}


def usual(X: pd.DataFrame, y: pd.Series) -> dict[str, Any]:
    """Begin with prices in proportion to the rows."""
    return {"nus": as_asked(plane_prices(int(y.value_counts().min())))}


def finer_form(state: AppState, usual: RunSpec, learners: Sequence[str]) -> dict[str, Any] | None:
    """Ask for prices, and whether the plane answers what no box holds."""
    if HYPERPLANE not in learners:
        return {}
    nus = asked_prices(
        "Prices ν of the plane's errors (from a linear model)",
        usual.nus,
        "ν",
        key="run_nus",
        help=PRICE_HELP,
    )
    answers = st.toggle(
        "From a linear model: the plane answers rows in no box",
        value=usual.plane_answers,
        key="run_plane_answers",
        help="The weighted sum stands in the rule as one last condition and counts a "
        "condition a column. Off, rows in no box get the other class, and the rule stands on "
        "its boxes alone. Only for planes over columns of numbers.",
        **KEEP,
    )
    return None if nus is None else {"nus": nus, "plane_answers": answers}


BOXES_FROM_A_PLANE = Learner(
    HYPERPLANE,
    "From a linear model",
    "Learns a weighted sum of few columns (a 1-norm support vector machine, ν its price of "
    "errors) and cuts one side of it into boxes that do not overlap; always a DNF. Rows with a "
    "gap teach it nothing.",
    "a score that is trusted already: every case gets a box around it and a confidence.",
    estimator,
    grid,
    parameter_names={"theta": "linear__nu", "n_clauses": "max_rules"},
    picked={"confidence_folds": CONFIDENCE_FOLDS},
    many_classes=True,
    keeps_constraints=False,
    reads=("clauses",),
    usual=usual,
    finer_form=finer_form,
    ways=(
        "Boxes from a linear model are asked for prices ν and a number of clauses, which are its "
        "boxes. Shape, prices θ and the cut points of Binning are "
        "not asked of it, and of the constraints it keeps promises alone."
    ),
    symbol="ν",
    dials=lambda setting, n_rows: [
        Dial("theta", "Price ν of the plane's errors", PRICE_HELP),
        CLAUSES_DIAL,
    ],
    cards=Cards(pictures=hypercubes, explain=box_of_case),
)
