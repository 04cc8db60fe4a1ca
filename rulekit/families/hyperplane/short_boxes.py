"""Few boxes of a plane of few columns: which columns, where the plane lies, and which side."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from rulekit.data.folds import draw_rows
from rulekit.families.hyperplane.plane_work import CompleteRows, Plane
from rulekit.families.hyperplane.solver.few_columns import column_sets, places, standardise
from rulekit.families.hyperplane.solver.half_space import HalfSpace, plane_values
from rulekit.families.hyperplane.solver.hypercubes import PlaneBoxes, extract_boxes, few_boxes

Floats = NDArray[np.float64]
ROWS = 2000  # on which columns, places and sides are compared; planes are learned from all
SAME = 9  # decimals of a weight of rows: weights that differ less are equal


@dataclass(frozen=True)
class BoxLimits:
    """How boxes are cut from a plane, for which classes, and what decides outside of them."""

    criterion: str
    max_depth: int
    min_coverage: int
    sides: tuple[int, ...]  # codes of the classes that may be described
    by_plane: bool  # whether the plane decides outside the boxes


@dataclass(frozen=True, eq=False)
class Placed:
    """A plane in one place, one of its sides, and the boxes that cover it."""

    columns: tuple[int, ...]
    learned: tuple[Any, Floats, float]
    bound: float
    code: int
    V: Floats  # (m, n)
    worth: Floats  # (m,)
    all_boxes: PlaneBoxes
    boxes: PlaneBoxes

    def compute_missed(self, by_plane: bool) -> float:
        """Compute the weight of wrong rows."""
        inside = self.all_boxes.half.contains(self.V)
        if not by_plane:
            inside = np.asarray(self.boxes.members(self.V).any(axis=1))
        return float(self.worth[self.worth > 0].sum() - self.worth[inside].sum())

    @property
    def n_faces(self) -> int:
        """Count the faces within the table's range, which become conditions."""
        half = self.boxes.half
        return int((self.boxes.lower >= half.low).sum() + (self.boxes.upper < half.high).sum())


class ShortBoxes:
    """Planes of `size` columns in several places, compared by the rule of their boxes."""

    def __init__(
        self, rows: CompleteRows, linear: BaseEstimator, size: int, limits: BoxLimits
    ) -> None:
        self.rows, self.linear, self.limits = rows, linear, limits
        weight = np.ones(len(rows.codes)) if rows.weight is None else rows.weight
        self.signed = np.where(rows.codes == 1, weight, -weight)
        some = draw_rows(np.arange(len(weight)), rows.codes, ROWS)
        sets = column_sets(standardise(rows.rows[some]), self.signed[some], size)
        self.learned = {columns: rows.plane(linear, columns) for columns in sets}
        self.candidates = [self._cut(*place, some) for place in self._places()]

    def _places(self) -> Iterator[tuple[tuple[int, ...], float, int]]:
        """List planes, places and sides."""
        for columns, (_, w, _) in self.learned.items():
            if w.any():
                for bound in places(plane_values(self.rows.rows, w), self.signed):
                    for code in self.limits.sides:
                        yield columns, bound, code

    def _cut(
        self, columns: tuple[int, ...], bound: float, code: int, some: NDArray[np.intp]
    ) -> Placed:
        """Cover one side of a plane by boxes, on some of the rows."""
        learned, rows, limits = self.learned[columns], self.rows.rows, self.limits
        ends = rows.min(axis=0), rows.max(axis=0)
        half = HalfSpace.from_plane(learned[1], bound, *ends, above=code == 1)
        V, right = half.orient(rows[some]), self.rows.codes[some] == code
        boxes = extract_boxes(
            half, V[right], criterion=limits.criterion, max_depth=limits.max_depth
        )
        worth = self.signed[some] if code == 1 else -self.signed[some]
        return Placed(columns, learned, bound, code, V, worth, boxes, boxes)

    def _limit_boxes(self, placed: Placed, most: int | None) -> Placed:
        """Keep at most `most` boxes, with few faces."""
        kept = placed.all_boxes.drop_small(self.limits.min_coverage)
        return replace(placed, boxes=few_boxes(kept, placed.V, placed.worth, most))

    def best(self, most: int | None) -> Placed | None:
        """Select the rule of at most `most` boxes with fewest wrong rows, then fewest faces."""
        limited = [self._limit_boxes(placed, most) for placed in self.candidates]
        limited = [placed for placed in limited if len(placed.boxes)]
        by_plane = self.limits.by_plane
        ranks = [(round(p.compute_missed(by_plane), SAME), p.n_faces) for p in limited]
        if not ranks:
            return None
        best = limited[min(range(len(ranks)), key=lambda k: (*ranks[k], k))]
        if len(best.V) == len(self.rows.codes):
            return best
        every = np.arange(len(self.rows.codes))
        return self._limit_boxes(self._cut(best.columns, best.bound, best.code, every), most)

    def plane(self, placed: Placed | None, folds: int) -> Plane:
        """Make the plane of a selection; without one, a plane that no box was cut from."""
        if placed is not None:
            columns, bound = placed.columns, placed.bound
            return self.rows.calibrate(self.linear, placed.learned, folds, columns, bound)
        columns, learned = next(iter(self.learned.items()))
        return self.rows.calibrate(self.linear, learned, folds, columns)
