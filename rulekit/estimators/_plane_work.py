"""From a checked table to a plane and the boxes on its sides: work that settings share."""

from dataclasses import dataclass, field
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from rulekit.estimators._confidence import Confidence, calibrated, out_of_fold
from rulekit.estimators._numeric_design import NumericDesign, as_numbers, complete, short_faces
from rulekit.estimators._plane import fit_linear, plane_of
from rulekit.estimators._training import TrainingTable
from rulekit.estimators.lp_svm import LPSVM
from rulekit.exceptions import DataError
from rulekit.solvers.half_space import HalfSpace
from rulekit.solvers.hypercubes import Boxes, extract_boxes

Floats = NDArray[np.float64]
SEED = 0  # of the folds that the confidence is calibrated on


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane over the numbers of a table, with the training rows it is explained by.

    Attributes
    ----------
    design : NumericDesign
        The numbers, in the order of `w`.
    w, gamma : ndarray of shape (p,), float
        A row is of ``classes[1]`` where ``w'x > gamma``.
    low, high : ndarray of shape (p,)
        Range of each number in training.
    rows : ndarray of shape (n, p)
        The complete training rows.
    codes : ndarray of int, shape (n,)
        Their classes.
    linear : estimator
        The fitted classifier.
    confidence : Confidence or None
        None where it was not asked for, or a class has one row.
    """

    design: NumericDesign
    w: Floats
    gamma: float
    low: Floats
    high: Floats
    rows: Floats
    codes: NDArray[np.intp]
    linear: Any
    confidence: Confidence | None

    def half(self, code: int) -> HalfSpace:
        """Take the side of a class."""
        return HalfSpace.of_plane(self.w, self.gamma, self.low, self.high, above=code == 1)

    def boxes(self, code: int, criterion: str, max_depth: int) -> Boxes:
        """Cover the rows of a class that are on its side; faces are written short."""
        half = self.half(code)
        V = half.oriented(self.rows[self.codes == code])
        return self._short(extract_boxes(half, V, criterion=criterion, max_depth=max_depth))

    def _short(self, found: Boxes) -> Boxes:
        """Write the faces of boxes with few digits; the same rows stay in each box."""
        half = found.half
        lower, upper = found.lower.copy(), found.upper.copy()
        everywhere = half.oriented(self.rows)
        for i, column in enumerate(half.columns.tolist()):
            whole = self.design.numbers[column].whole
            both = short_faces(np.concatenate([lower[:, i], upper[:, i]]), everywhere[:, i], whole)
            lower[:, i], upper[:, i] = both[: len(found)], both[len(found) :]
        return found.with_faces(lower, upper)


@dataclass
class PlaneWork:
    """Planes and boxes of one training table, made once for many settings."""

    planes: dict[Any, Plane] = field(default_factory=dict)
    boxes: dict[Any, Boxes] = field(default_factory=dict)

    def plane(
        self, table: TrainingTable, linear: BaseEstimator, weight: Floats | None, folds: int
    ) -> Plane:
        """Learn a plane, or find it learned."""
        settings = (type(linear).__name__, linear.get_params())
        key = joblib.hash((settings, weight, folds))
        if key not in self.planes:
            self.planes[key] = learned_plane(table, linear, weight, folds)
        return self.planes[key]

    def boxes_of(self, plane: Plane, code: int, criterion: str, max_depth: int) -> Boxes:
        """Extract boxes, or find them extracted."""
        key = (id(plane), code, criterion, max_depth)
        if key not in self.boxes:
            self.boxes[key] = plane.boxes(code, criterion, max_depth)
        return self.boxes[key]


def learned_plane(
    table: TrainingTable, linear: BaseEstimator, weight: Floats | None, folds: int
) -> Plane:
    """Fit the linear classifier on the complete rows, read off its plane, calibrate its distance.

    Raises
    ------
    DataError
        If there are not two classes among the complete rows.
    ValueError
        If the classifier has no plane.
    """
    design = NumericDesign.of(table.columns, table.kinds)
    frame = design.frame(table.columns)
    kept = complete(as_numbers(frame))
    codes = table.codes[kept]
    if len(np.unique(codes)) < 2:
        raise DataError(
            "A linear model needs rows of two classes without gaps; of "
            f"{len(kept)} rows {int(kept.sum())} have no gap, and they hold "
            f"{'one class' if kept.any() else 'no class'}. Fill the gaps, or leave out the columns "
            "that have most."
        )
    frame, y = frame[kept], table.y[kept]
    counted = None if weight is None else weight[kept]
    fitted = fit_linear(linear, frame, y, counted)
    w, gamma = plane_of(fitted, frame)
    rows = as_numbers(frame)
    settled = _settled(linear, fitted)

    def learn(inside: NDArray[np.intp]) -> tuple[Floats, float, Floats]:
        part = frame.iloc[inside]
        some = None if counted is None else counted[inside]
        found = plane_of(fit_linear(settled, part, y[inside], some), part)
        return (*found, rows[inside].max(axis=0) - rows[inside].min(axis=0))

    confidence = None
    if folds >= 2 and w.any():
        measured = out_of_fold(rows, codes, learn, folds, SEED)
        if measured is not None:
            confidence = calibrated(*measured, measured[1] == codes, folds)
    return Plane(
        design, w, gamma, rows.min(axis=0), rows.max(axis=0), rows, codes, fitted, confidence
    )


def _settled(linear: BaseEstimator, fitted: Any) -> BaseEstimator:
    """Keep the price that cross-validation chose, so that it is not chosen again in every fold."""
    template = clone(linear)
    last = template.steps[-1][1] if isinstance(template, Pipeline) else template
    found = fitted.steps[-1][1] if isinstance(fitted, Pipeline) else fitted
    if isinstance(last, LPSVM):
        last.set_params(nu=found.nu_)
    return template
