"""What the search for integer points works on: cells, conditions, limits of points, and weights."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import grid_unit, on_grid

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SMOOTHED = 0.1  # rows of each class that count for the other one
LARGEST = 256.0  # a logit's square is below it, or rounds more coarsely: only gains hang on it


@dataclass(frozen=True, eq=False)
class PointsProblem:
    """A table of cells, and the conditions that may be given points.

    Shapes: codes (p, n), n_codes (p,), source (d,), spans (d, 4), limits (d, 2), weights
    (n, 2).
    """

    codes: NDArray[np.int32]
    n_codes: Ints
    source: Ints
    spans: Ints
    limits: Ints
    weights: Floats
    required: tuple[frozenset[int], ...] = ()

    @property
    def n_candidates(self) -> int:
        """Number of conditions to choose from."""
        return len(self.source)

    @cached_property
    def _cells(self) -> Any:
        from rulekit.families.scorecard.solver.card_kernels import Cells

        return Cells(self.codes, self.n_codes, self.source, self.spans, self.limits, self.weights)

    def settled(
        self, chosen: tuple[int, ...], enough: float, polish: bool
    ) -> tuple[tuple[int, ...], float, float, float]:
        """Compute the points of conditions: points, slope, intercept and loss, see `settle`."""
        from rulekit.families.scorecard.solver.card_kernels import settle

        points, line = np.zeros(len(chosen), dtype=np.int64), np.zeros(2)
        at = np.array(chosen, dtype=np.int64)
        loss = settle(self._cells, at, enough, polish, points, line)
        return tuple(points.tolist()), float(line[0]), float(line[1]), float(loss)

    def of_rows(self, rows: NDArray[np.intp]) -> "PointsProblem":
        """Return the problem of some rows, with their weights."""
        codes = np.ascontiguousarray(self.codes[:, rows])
        return replace(self, codes=codes, weights=np.ascontiguousarray(self.weights[rows]))

    def odds(self, slope: float, intercept: float, points: dict[int, int]) -> Floats:
        """Return each row's logit by a card, from candidates to points, shape (n,)."""
        odds = np.full(self.codes.shape[1], intercept)
        for j, given in points.items():
            cells, (a, b, c, d) = self.codes[self.source[j]], self.spans[j]
            odds += slope * given * (((a <= cells) & (cells < b)) | ((c <= cells) & (cells < d)))
        return odds

    def line(self, logits: Floats) -> tuple[float, float]:
        """Fit slope and intercept of a logit over logits that were given: shape (n,)."""
        from rulekit.families.scorecard.solver.fit_kernels import line_through

        line = np.zeros(2)
        line_through(np.ascontiguousarray(logits[:, None]), self.weights, line)
        return float(line[0]), float(line[1])

    def gains(self, chosen: tuple[int, ...]) -> Floats:
        """Estimate how much the loss falls with each further condition, shape (d,)."""
        from rulekit.families.scorecard.solver.card_kernels import gains

        unit = grid_unit(float(self.weights.sum()) * LARGEST)
        gained: Floats = gains(self._cells, np.array(chosen, dtype=np.int64), unit)
        return gained


def class_masses(y: NDArray[np.bool_], weight: Floats) -> Floats:
    """Split the weight of each row between the classes: shape (n, 2).

    All goes to its own class but for a tenth of one row, shared out over the rows of a class: so
    no fit is certain of anything, and none runs off to infinity where conditions tell the classes
    apart.

    Shapes: y (n,), weight (n,); result (n, 2).
    """
    given = np.where(y, weight[y].sum(), weight[~y].sum())
    unit = grid_unit(float(weight.sum()))
    other = on_grid(SMOOTHED * weight / (given + 1.0), unit)
    mass = on_grid(weight - other, unit)
    return np.ascontiguousarray(np.where(y[:, None], np.c_[mass, other], np.c_[other, mass]))
