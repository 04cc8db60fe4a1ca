"""Checks of parameters and input; the only module that uses scikit-learn's private checks."""

from collections.abc import Iterable
from inspect import signature
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length, column_or_1d, compute_sample_weight
from sklearn.utils._param_validation import HasMethods, StrOptions, validate_parameter_constraints
from sklearn.utils._param_validation import Interval as _Interval
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, validate_data

from rulekit.data.headers import few
from rulekit.data.typed import as_pandas, read_labels
from rulekit.exceptions import DataError

NUMERIC = ("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty", "complex")
LARGE = 1e300  # sums of weights between it and its inverse can be rescaled

Floats = NDArray[np.float64]
__all__ = [
    "JOBS",
    "SECONDS",
    "HasMethods",
    "Interval",
    "Needs",
    "StrOptions",
    "check_arguments",
    "check_frame",
    "check_needs",
    "check_parameters",
    "check_target",
    "class_factors",
    "row_weights",
]


class Interval(_Interval):  # type: ignore[misc]
    """An interval of numbers, to which True and False do not belong."""

    def is_satisfied_by(self, val: Any) -> bool:
        """Return whether a value is a number in the interval."""
        return not isinstance(val, bool) and super().is_satisfied_by(val)


#: Allowed numbers of workers, as joblib counts them, and of seconds.
JOBS = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Integral, None, -1, closed="right"),
    None,
]
SECONDS = [Interval(Real, 0, None, closed="neither"), None]


def check_arguments(function: str, **checked: tuple[Any, list[Any]]) -> None:
    """Check arguments of a function, each with its allowed values, as estimators check theirs."""
    values, allowed = ({k: pair[i] for k, pair in checked.items()} for i in (0, 1))
    validate_parameter_constraints(allowed, values, caller_name=function)


def check_parameters(estimator: BaseEstimator) -> None:
    """Validate an estimator's parameters against its `_parameter_constraints`."""
    estimator._validate_params()


class Needs(NamedTuple):
    """A parameter is read only where another one has one of these values."""

    parameter: str
    other: str
    values: tuple[Any, ...]


def check_needs(estimator: BaseEstimator, needs: Iterable[Needs]) -> None:
    """Reject parameters that were set but would not be read beside the others."""
    defaults = signature(type(estimator)).parameters
    for name, other, values in needs:
        given, default = getattr(estimator, name), defaults[name].default
        value = getattr(estimator, other)
        if not np.array_equal(given, default) and value not in values:
            wanted = " or ".join(map(repr, values))
            raise ValueError(
                f"`{name}` is read only where `{other}` is {wanted}; got {name}={given!r} with "
                f"{other}={value!r}. Change `{other}`, or leave `{name}={default!r}`."
            )


def check_frame(estimator: BaseEstimator, X: Any, *, reset: bool) -> pd.DataFrame:
    """Convert rows to a data frame (n, p) with the columns of the estimator."""
    X = as_pandas(X)
    if not isinstance(X, pd.DataFrame):
        if isinstance(X, (list, tuple)) and np.asarray(X).dtype.kind in "US":
            # NumPy would turn the numbers of a mixed list into text
            X = np.asarray(X, dtype=object)
        rows = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
        names = getattr(estimator, "feature_names_in_", None)
        if names is None:
            names = [f"x{j}" for j in range(rows.shape[1])]
        return pd.DataFrame(rows, columns=list(names))
    if X.columns.has_duplicates:
        twice = X.columns[X.columns.duplicated()][0]
        raise DataError(f"Column names must differ; {str(twice)[:60]!r} occurs twice. Rename one.")
    names = getattr(estimator, "feature_names_in_", None)
    if X.shape[1] == 0:
        raise DataError(
            f"The table has no column; found 0 feature(s) (shape={X.shape}) while a minimum of 1 "
            "is required. Pass the columns to learn from."
        )
    if not reset and names is not None:
        if missing := [repr(name[:60]) for name in names if name not in X.columns]:
            are, column = ("is", "column") if len(missing) == 1 else ("are", "columns")
            raise DataError(
                f"The table must have the columns of the table the rule was learned from; "
                f"{few(missing)} {are} missing. Add the {column}, or rename what holds the same."
            )
        X = X[list(names)]
    validate_data(estimator, X, skip_check_array=True, reset=reset)
    if len(X) == 0:
        raise DataError(
            f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required."
        )
    if hasattr(estimator, "feature_names_in_"):
        return X.set_axis(list(estimator.feature_names_in_), axis=1)
    return X.set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)


def check_target(target: Any, n_rows: int, name: str) -> NDArray[Any]:
    """Check that y (n,) has one class per row and no missing values."""
    if target is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    labels = read_labels(target)
    if (absent := pd.isna(labels).ravel()).any():
        raise DataError(
            f"`y` must hold a class in every row; Input y contains NaN or None in {absent.sum()} "
            f"of {len(absent)} rows (first: row {int(absent.argmax()) + 1}). Drop these rows."
        )
    y: NDArray[Any] = column_or_1d(labels, warn=True)
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise DataError("`y` must hold a class in every row; Input y contains infinity.")
    check_consistent_length(y, np.empty(n_rows))
    types = {type(v).__name__ for v in y.tolist()} if y.dtype == object else set()
    if len(types) > 1:
        raise DataError(
            f"The classes in `y` must be of one type; found {', '.join(sorted(types))}. Convert "
            "them to text."
        )
    if type_of_target(y) == "continuous":
        raise DataError(
            "Unknown label type: continuous. A rule predicts classes; make two of the numbers in "
            f"`y`, for instance y > {np.median(y):.6g}, the median."
        )
    check_classification_targets(y)
    return y


def row_weights(sample_weight: Any, class_weight: Any, X: pd.DataFrame, y: NDArray[Any]) -> Floats:
    """Combine weights of rows and of classes, shape (n,), not rescaled, some positive."""
    weight = np.ones(len(y))
    if sample_weight is not None:
        kind = pd.api.types.infer_dtype(np.asarray(sample_weight).ravel(), skipna=True)
        if kind not in NUMERIC:
            raise DataError(f"`sample_weight` must hold a number for each row; found {kind}.")
        weight = _check_sample_weight(
            sample_weight, X, dtype=np.float64, copy=True, ensure_non_negative=True
        )
    if class_weight is not None:
        weight = weight * weights_of_classes(class_weight, y)
    if not weight.any():
        raise DataError("`sample_weight` must give some row a positive weight; all are 0.")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not 1 / LARGE < total < LARGE:
        raise DataError(
            f"`sample_weight` must have a sum from {1 / LARGE:g} to {LARGE:g}; it is {total:g}. "
            "Multiply all weights by one number."
        )
    return weight


def weights_of_classes(class_weight: Any, y: NDArray[Any]) -> Floats:
    """Return the class weight of each row, shape (n,)."""
    if not isinstance(class_weight, dict):
        return np.asarray(compute_sample_weight(class_weight, y), dtype=np.float64)
    # `compute_sample_weight` would take the text "1" for the number 1
    classes, codes = np.unique(y, return_inverse=True)
    missing = [label for label in classes.tolist() if label not in class_weight]
    if missing and len(classes) - len(missing) != len(class_weight):
        raise ValueError(
            f"The classes, {missing}, are not in class_weight, which has {list(class_weight)}. "
            "Name the classes as they are in y."
        )
    weights = [class_weight.get(label, 1.0) for label in classes.tolist()]
    for label, weight in zip(classes.tolist(), weights, strict=True):
        if not (isinstance(weight, Real) and 0 <= float(weight) < np.inf):
            raise ValueError(
                f"`class_weight` must hold finite numbers, 0 or more; class {label!r} has "
                f"{weight!r}. Correct it."
            )
    return np.array(weights, dtype=np.float64)[codes]


def class_factors(
    class_weight: Any, classes: NDArray[Any], counts: tuple[int, int]
) -> tuple[float, float] | None:
    """Return the weight of a row of each of two classes, normalised to n in total."""
    if class_weight is None:
        return None
    n = sum(counts)
    if class_weight == "balanced":
        return n / (2 * counts[0]), n / (2 * counts[1])
    first, second = weights_of_classes(class_weight, classes).tolist()
    total = first * counts[0] + second * counts[1]
    if not total > 0:
        raise DataError("`class_weight` must give some class a positive weight; all are 0.")
    return first * n / total, second * n / total
