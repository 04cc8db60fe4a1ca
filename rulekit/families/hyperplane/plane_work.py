"""From a checked table to a plane and the boxes on its sides."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from rulekit.exceptions import DataError
from rulekit.families.hyperplane.confidence import Confidence, calibrated, out_of_fold
from rulekit.families.hyperplane.lp_svm import LPSVM, ON_PLANE
from rulekit.families.hyperplane.numeric_design import (
    NumericDesign,
    as_numbers,
    complete,
    short_faces,
)
from rulekit.families.hyperplane.plane import fit_linear, plane_of
from rulekit.families.hyperplane.solver import Boxes, HalfSpace, extract_boxes, plane_values
from rulekit.learners.training import TrainingTable

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
    gamma = off_the_rows(plane_values(rows, w), gamma)
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
            confidence = calibrated(*measured, measured[1] == codes)
    return Plane(
        design, w, gamma, rows.min(axis=0), rows.max(axis=0), rows, codes, fitted, confidence
    )


def off_the_rows(values: Floats, gamma: float) -> float:
    """Move a plane that training rows lie on half-way to the next row above it.

    On the plane itself the class is ``classes_[0]``, as in scikit-learn, yet boxes are closed on
    either side, and whole numbers often lie on a plane but for rounding: moved, the plane leaves
    those rows where they belong, whatever the last bits say.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
        ``w @ x`` of the training rows.
    gamma : float
        The plane is ``w @ x = gamma``.

    Returns
    -------
    float
        `gamma` itself where no row is within `ON_PLANE` of the plane, relative to the values.
    """
    above = values - gamma
    size = float(np.abs(values).max(initial=0.0))
    if not size or not (np.abs(above) <= ON_PLANE * size).any():
        return gamma
    return gamma + 0.5 * float(above[above > ON_PLANE * size].min(initial=size))


def _settled(linear: BaseEstimator, fitted: Any) -> BaseEstimator:
    """Keep the price that cross-validation chose, so that it is not chosen again in every fold."""
    template = clone(linear)
    last = template.steps[-1][1] if isinstance(template, Pipeline) else template
    found = fitted.steps[-1][1] if isinstance(fitted, Pipeline) else fitted
    if isinstance(last, LPSVM):
        last.set_params(nu=found.nu_, cv=LPSVM().cv)  # folds are read only to choose a price
    return template
