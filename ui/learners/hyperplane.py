"""Boxes from a plane as a learner of Models.

The price ``theta`` of a setting is here ν, of a unit of margin missed by the plane, and
``n_clauses`` the most boxes the rule may have.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.families.hyperplane.hyperplane import plane_prices
from ui.learners.hyperplane_cards import hypercubes
from ui.learners.hyperplane_case import box_of_case
from ui.learners.learner import CLAUSES_DIAL, Cards, Dial, Learner
from ui.learners.prices import as_entered, price_input
from ui.learners.spec import RunSpec
from ui.state import KEEP, AppState

HYPERPLANE = "hyperplane"
PRICE_HELP = (
    "What a unit of margin missed by a row costs, against the plane's weights. The smaller ν is, "
    "the fewer columns the plane reads, and the shorter its boxes are."
)


def grid(spec: RunSpec) -> dict[str, list[Any]]:
    """Return the grid: most boxes, and prices of the plane."""
    low, high = spec.clauses
    return {"max_rules": list(range(low, high + 1)), "linear__nu": list(spec.nus)}


def usual(X: pd.DataFrame, y: pd.Series) -> dict[str, Any]:
    """Return default prices, in proportion to the rows."""
    return {"nus": as_entered(plane_prices(int(y.value_counts().min())))}


def finer_form(state: AppState, usual: RunSpec, learners: Sequence[str]) -> dict[str, Any] | None:
    """Show the form for prices and for rows outside all boxes."""
    if HYPERPLANE not in learners:
        return {}
    nus = price_input(
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
        help="The weighted sum is the last condition of the rule and counts one "
        "condition per column. If off, rows in no box get the other class, and the rule only "
        "has its boxes. Only for planes over columns of numbers.",
        **KEEP,
    )
    return None if nus is None else {"nus": nus, "plane_answers": answers}


BOXES_FROM_A_PLANE = Learner.of(
    HYPERPLANE,
    grid=grid,
    own=lambda spec, state, variant: {
        "uncovered": "hyperplane" if spec.plane_answers else "other",
    },
    reads=("clauses",),
    usual=usual,
    finer_form=finer_form,
    dials=lambda setting, n_rows: [
        Dial("theta", "Price ν of the plane's errors", PRICE_HELP),
        CLAUSES_DIAL,
    ],
    cards=Cards(pictures=hypercubes, explain=box_of_case),
)
