"""The loss that settings are compared by."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.data import Costs

COST = "test_cost_per_100"  # the measure of what wrong answers cost

#: Price of one condition when settings are compared, as a share of rows: two tenths of a point.
CONDITION_PRICE = 0.002


@dataclass(frozen=True, eq=False)
class Loss:
    """Loss of wrong predictions for training rows.

    Shapes: y (n,), weight (n,).
    """

    y: NDArray[Any]
    weight: NDArray[np.float64]
    costs: Costs | None = None

    @property
    def measure(self) -> str:
        """The column of the measure in a summary."""
        return "test_error" if self.costs is None else COST

    @property
    def price(self) -> float:
        """Penalty of one condition: 0.2 points of the mean weight of a wrong row."""
        if self.costs is None:
            return CONDITION_PRICE
        by_class = self.costs.class_weight(np.unique(self.y))
        heavy = np.array([by_class[label] for label in self.y.tolist()])
        return 100.0 * CONDITION_PRICE * float(self.weight @ heavy / self.weight.sum())

    def of(self, rows: NDArray[np.intp], answers: NDArray[Any]) -> float:
        """Compute the loss of predictions for some rows: error share, or cost per 100 cases."""
        weight, y = self.weight[rows], self.y[rows]
        if self.costs is None:
            return float((weight * (answers != y)).sum() / weight.sum())
        return float(100.0 * (weight * self.costs.of_rows(y, answers)).sum() / weight.sum())

    def text(self, value: float) -> str:
        """Format a value of the measure."""
        if self.costs is None:
            return f"{100 * value:.1f} %"
        return f"{self.costs.amount(round(value, 1))} a 100 cases"
