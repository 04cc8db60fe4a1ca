"""The 1-norm support vector machine: a hyperplane that reads few columns."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from rulekit._validation import (
    Interval,
    Needs,
    StrOptions,
    check_frame,
    check_needs,
    check_parameters,
    check_target,
    row_weights,
)
from rulekit.data import columns_of
from rulekit.data.columns.conform import refuse_infinities
from rulekit.data.folds import restrict_folds
from rulekit.exceptions import DataError
from rulekit.families.hyperplane.solver.half_space import LPSVMPlane, LPSVMProgram, plane_values
from rulekit.learners.training import computable, restore_on_failure, two_classes

Floats = NDArray[np.float64]
Splits = list[tuple[NDArray[np.intp], NDArray[np.intp]]]

STEPS = 2.0 ** np.arange(10)  # prices tried, as multiples of the least that can matter
ON_PLANE = 1e-9  # margins are 1; what is nearer than this is on the plane but for rounding
SHRINK = 0.9  # what a price is multiplied by until a plane reads few enough columns
HALVINGS = 10  # steps by which the last such factor is then made finer


@dataclass(eq=False, repr=False)
class LPSVM(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a hyperplane by linear programming, with a penalty on the 1-norm of its weights.

    Parameters
    ----------
    nu : float or "cv", default="cv"
        Price of a unit of margin missed by a row; the smaller, the fewer columns are read. "cv"
        compares ten prices, each twice the one before, and uses the smallest whose cross-validated
        error is within one standard error of the best. Prices at which the plane reads no column
        are not used if another reads some.
    max_features : int, optional
        Largest number of columns that the plane reads; `nu` is lowered accordingly.
    cv : int, splitter, iterable or None, default=5
        Folds for ``nu="cv"``. A number (None is 5) means stratified shuffled folds, fewer if a
        class has fewer rows; otherwise a splitter or pairs of row indices, as in scikit-learn.
    standardize : bool, default=True
        Whether columns are scaled to mean 0 and standard deviation 1 (weighted by `sample_weight`)
        before the fit. `coef_` is in the table's own units in both cases.
    class_weight : dict, "balanced" or None
        As in scikit-learn.
    directions : mapping of str to {">", "<"}, optional
        Columns, by name (x0, x1, ... of an array), whose weights must not be negative (">") or not
        be positive ("<").
    random_state : int, RandomState or None, default=0
        For the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, p)
        All zero if `nu` is too small for any column.
    intercept_ : ndarray of shape (1,)
        A row is of ``classes_[1]`` where ``coef_ @ x + intercept_ > 0``.
    nu_ : float
    nus_, cv_errors_ : ndarray of shape (10,), or None
        Prices compared and their mean errors, with ``nu="cv"`` and two rows of each class.
    objective_ : float
        ``nu`` times the margins missed, plus the 1-norm, in the scaled units.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The dual program is solved, which has one row for each column and one more. If several planes
    are optimal, the result depends on the solver.

    References
    ----------
    .. [1] Fung, Sandilya, Rao, "Rule Extraction from Linear Support Vector Machines", section 3.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [1.0, 3.0], [3.0, 5.0], [4.0, 3.0]])
    >>> model = LPSVM(nu=10, standardize=False).fit(X, ["no", "no", "yes", "yes"])
    >>> print(model.coef_, model.predict([[2.5, 0.0]]))
    [[1. 0.]] ['yes']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "nu": [Interval(Real, 0, None, closed="neither"), StrOptions({"cv"})],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "cv": ["cv_object"],
        "standardize": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "directions": [Mapping, None],
        "random_state": ["random_state"],
    }
    _needs = (Needs("cv", "nu", ("cv",)),)

    nu: float | str = "cv"
    max_features: int | None = None
    cv: Any = 5
    standardize: bool = True
    class_weight: Any = None
    directions: Mapping[str, str] | None = None
    random_state: Any = 0

    @restore_on_failure
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a plane from numbers or truth values without gaps (n, p) and two classes (n,).

        `sample_weight` (n,), times `class_weight`, is what a row's margin counts: a row of weight 2
        is two rows, but where folds are drawn, which have rows and not weights. DataError or
        ValueError if the table, the classes or a parameter cannot be used, SolverError if the
        program is not solved.
        """
        check_parameters(self)
        check_needs(self, self._needs)
        name = type(self).__name__
        if y is None:
            check_target(y, 0, name)
        rows = self._rows(X, reset=True)
        y = check_target(y, len(rows), name)
        counts = row_weights(sample_weight, None, rows, y)
        weight, given = np.zeros(len(rows)), counts > 0
        weight[given] = row_weights(counts[given], self.class_weight, rows[given], y[given])
        used = weight > 0
        splits = None
        if not (self.cv is None or isinstance(self.cv, Integral)):  # of the rows that are kept
            pairs = check_cv(self.cv, y, classifier=True).split(rows, y)
            splits = restrict_folds(pairs, y[used], used)
        rows, y, counts, weight = rows[used], y[used], counts[used], weight[used]
        self.classes_, codes = two_classes(y, name)
        signs = np.where(codes == 1, 1.0, -1.0)
        order = np.argsort(self._names(), kind="stable")  # the solver breaks ties by position
        rows = rows[:, order]
        centre, scale = np.zeros(rows.shape[1]), np.ones(rows.shape[1])
        if self.standardize:  # weighted mean 0 and deviation 1; a constant column stays as it is
            centre = np.average(rows, axis=0, weights=counts)
            spread = np.sqrt(np.average((rows - centre) ** 2, axis=0, weights=counts))
            scale = np.where(spread > 1e-12 * np.abs(centre), spread, 1.0)
        problem = (rows - centre) / scale, signs, weight, self._ways()[order]
        program = LPSVMProgram(*problem)
        plane = self._limit_columns(program, self._price(problem, program, splits))
        weights = plane.w / scale
        self.coef_ = weights[np.argsort(order)][None, :]
        self.intercept_ = np.array([-plane.gamma - math.fsum(weights * centre)])
        self.objective_ = plane.objective
        return self

    def _names(self) -> list[str]:
        """Return the columns' names; x0, x1, ... of an array."""
        names = [f"x{j}" for j in range(self.n_features_in_)]
        return [str(name) for name in getattr(self, "feature_names_in_", names)]

    def _ways(self) -> Floats:
        """Read the directions: one sign per column, 0 without a direction."""
        names = self._names()
        ways = np.zeros(len(names))
        for name, sign in (self.directions or {}).items():
            if name not in names or sign not in ("<", ">"):
                raise ValueError(
                    "`directions` must map columns of the table to '<' or '>'; got "
                    f"{name!r}: {sign!r}."
                )
            ways[names.index(name)] = 1.0 if sign == ">" else -1.0
        return ways

    def _rows(self, X: Any, *, reset: bool) -> Floats:
        """Read a table as numbers, shape (n, p); reject other values, by column."""
        frame = check_frame(self, X, reset=reset)
        columns = columns_of(frame, exact=reset)
        refuse_infinities(columns)
        rows = {n: _plain_numbers(n, values, frame) for n, values in columns.items()}
        if reset:
            for name, numbers in rows.items():
                computable(name, numbers)
        return np.column_stack(list(rows.values()))

    def _price(
        self,
        problem: tuple[Floats, Floats, Floats, Floats],
        program: LPSVMProgram,
        splits: Splits | None,
    ) -> float:
        """Return `nu`, selected by cross-validation if it is "cv"."""
        self.nus_, self.cv_errors_ = None, None
        if not isinstance(self.nu, str):
            return float(self.nu)
        rows, signs, weight, ways = problem
        means, totals = [], []
        for side in (signs > 0, signs < 0):
            means.append(np.einsum("n,nj->j", weight[side] / weight[side].sum(), rows[side]))
            totals.append(weight[side].sum())
        # up to the least price the plane reads no column, by a bound on the dual
        least = 1.0 / (min(totals) * max(np.abs(means[0] - means[1]).max(), 1e-6))
        nus = np.asarray(float(least) * STEPS)
        if splits is None:
            folds = min(self.cv or 5, *(int((signs == s).sum()) for s in (1.0, -1.0)))
            if folds < 2:
                return float(nus[len(nus) // 2])
            drawn = StratifiedKFold(folds, shuffle=True, random_state=self.random_state)
            splits = list(drawn.split(rows, signs))
        errors = np.zeros((len(splits), len(nus)))
        for errors_of_fold, (learn, test) in zip(errors, splits, strict=True):
            of_fold = LPSVMProgram(rows[learn], signs[learn], weight[learn], ways)
            for k, nu in enumerate(nus.tolist()):
                plane = of_fold.solve(nu)
                above = plane_values(rows[test], plane.w) - plane.gamma > ON_PLANE
                wrong = weight[test][np.where(above, 1.0, -1.0) != signs[test]].sum()
                errors_of_fold[k] = wrong / weight[test].sum()
        mean: Floats = errors.mean(axis=0)
        self.nus_, self.cv_errors_ = nus, mean
        reads = np.array([bool(program.solve(nu).w.any()) for nu in nus])
        usable = np.flatnonzero(reads) if reads.any() else np.arange(len(nus))
        best = usable[mean[usable].argmin()]
        spread = errors[:, best].std(ddof=1) / np.sqrt(len(splits))
        return float(nus[usable[mean[usable] <= mean[best] + spread][0]])

    def _limit_columns(self, program: LPSVMProgram, nu: float) -> LPSVMPlane:
        """Lower the price until the plane reads few enough columns, and no further than needed."""
        plane, above = program.solve(nu), nu
        most = math.inf if self.max_features is None else self.max_features
        while np.count_nonzero(plane.w) > most:
            above, nu = nu, nu * SHRINK
            plane = program.solve(nu)
        for _ in range(HALVINGS if above > nu else 0):
            middle = (nu + above) / 2
            tried = program.solve(middle)
            if np.count_nonzero(tried.w) > most:
                above = middle
            else:
                nu, plane = middle, tried
        self.nu_ = nu
        return plane

    def decision_function(self, X: Any) -> Floats:
        """Return ``coef_ @ x + intercept_`` of each row, shape (n,)."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        return np.asarray(plane_values(rows, self.coef_[0]) + self.intercept_[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row's side; rows on the plane get ``classes_[0]``."""
        sides = (self.decision_function(X) > 0).astype(int)  # checks that the model is fitted
        return np.asarray(self.classes_[sides])

    def __sklearn_tags__(self) -> Tags:
        """Declare two classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _plain_numbers(name: str, values: NDArray[Any], frame: pd.DataFrame) -> Floats:
    """Read a column as numbers, truth values as 0 and 1: shape (n,)."""
    absent = pd.isna(values)
    if values.dtype != object and not absent.any():
        return values.astype(np.float64)
    cells = frame[name]
    misread = cells[absent & cells.notna().to_numpy()]
    if absent.any() and misread.empty:
        raise DataError(
            f"Column {name[:60]!r} must hold a number in every row; it has a gap (NaN) in "
            f"{int(absent.sum())} of {len(values)} rows (first: row {int(absent.argmax()) + 1}). "
            "Fill the gaps, or leave these rows out."
        )
    if not misread.empty or (values.dtype == object and isinstance(values[0], str)):
        cell = next(v for v in (cells if misread.empty else misread) if not isinstance(v, Real))
        dates = hasattr(cell, "isoformat")
        if not dates and not isinstance(cell, str):
            float(cell)  # says what it is
        raise DataError(
            f"Column {name[:60]!r} must hold numbers; it holds {'dates' if dates else 'text'} "
            f"(first: {str(cell)[:60]!r}). "
            + (
                "Give the days since a day in its place."
                if dates
                else "Write a column of 0 and 1 for each text, as HyperplaneRuleClassifier does."
            )
        )
    return values.astype(np.float64)
