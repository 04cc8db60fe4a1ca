"""The entry of boxes from a plane in `FAMILIES`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rulekit.families.family import Family
from rulekit.families.hyperplane.hyperplane import HyperplaneRuleClassifier
from rulekit.families.hyperplane.lp_svm import LPSVM

PLANE_PRICES = (1, 1.5, 2, 3, 5, 8, 15, 30)  # times 1 / rows of the smaller class: 0 to 10 columns
CLAUSES = (1, 2, 3, 4, 5)
CONFIDENCE_FOLDS = 5  # of the picked model; a sweep has no use for confidences


def plane_prices(n_least: float) -> list[float]:
    """List prices of a plane's errors, by the rows of the smaller class, with two digits.

    With standardised columns the plane reads none up to about one, divided by these rows.
    """
    return sorted({float(f"{multiple / max(1, n_least):.2g}") for multiple in PLANE_PRICES})


def default_grid(y: ArrayLike) -> dict[str, Sequence[Any]]:
    """Return numbers of boxes and prices that suit a table's classes."""
    counts = np.unique(np.asarray(y), return_counts=True)[1]
    return {"max_rules": list(CLAUSES), "linear__nu": plane_prices(counts.min())}


FAMILY = Family(
    key="hyperplane",
    model=HyperplaneRuleClassifier(LPSVM(), confidence_folds=0),
    alone=HyperplaneRuleClassifier(),
    title="boxes from a plane",
    default_grid=default_grid,
    question="From a linear model (boxes from an SVM)",
    name="From a linear model",
    sentence=(
        "Learns a weighted sum of few columns (a 1-norm support vector machine, ν its price of "
        "errors) and cuts one side of it into boxes that do not overlap; always a DNF. Rows with a "
        "gap teach it nothing."
    ),
    good_for="a score that is trusted already: every case gets a box around it and a confidence.",
    ways=(
        "Boxes from a linear model are asked for prices ν and a number of clauses, which are its "
        "boxes. Shape, prices θ and the cut points of Binning are "
        "not asked of it, and of the constraints it keeps promises alone."
    ),
    symbol="ν",
    parameter_names={"theta": "linear__nu", "n_clauses": "max_rules"},
    picked={"confidence_folds": CONFIDENCE_FOLDS},
    many_classes=True,
    keeps_constraints=False,
)
