"""Any fitted linear classifier as one plane over the columns it was given."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from rulekit.families.hyperplane.solver import plane_values

Floats = NDArray[np.float64]

AFFINE = 1e-7  # how far a pipeline may be from the plane read off it, of the largest value


def fit_linear(
    linear: BaseEstimator, frame: pd.DataFrame, y: NDArray[Any], weight: Floats | None
) -> Any:
    """Fit a copy of a linear classifier, or of a pipeline that ends in one.

    Raises
    ------
    ValueError
        If weights are given and the classifier takes none.
    """
    fitted = clone(linear)
    if weight is None:
        return fitted.fit(frame, y)
    last = fitted.steps[-1] if isinstance(fitted, Pipeline) else None
    takes = last[1] if last is not None else fitted
    if not has_fit_parameter(takes, "sample_weight"):
        raise ValueError(
            f"`linear` must take `sample_weight` where rows or classes have weights; "
            f"{type(takes).__name__} does not. Leave the weights out, or take another classifier."
        )
    name = "sample_weight" if last is None else f"{last[0]}__sample_weight"
    return fitted.fit(frame, y, **{name: weight})


def plane_of(fitted: Any, frame: pd.DataFrame) -> tuple[Floats, float]:
    """Read the plane of a fitted classifier: class 1 is where ``w'x > gamma``.

    Parameters
    ----------
    fitted : classifier with `coef_` and `intercept_`, or a pipeline or search that ends in one
        What stands before it must be affine: scalers, selectors, projections.
    frame : DataFrame of shape (n, p)
        Complete rows; they show where numbers lie, and the plane is checked on them.

    Returns
    -------
    w : ndarray of shape (p,)
    gamma : float

    Raises
    ------
    ValueError
        If the classifier has no plane, or what stands before it is not affine.
    """
    model = getattr(fitted, "best_estimator_", fitted)
    before = model[:-1] if isinstance(model, Pipeline) else None
    last = model[-1] if isinstance(model, Pipeline) else model
    coef, intercept = _plane_parameters(last)
    rows = frame.to_numpy(dtype=float)
    if before is None or not len(before.steps):
        return coef, -intercept
    centre, step = rows.mean(axis=0), rows.std(axis=0)
    step[~(step > 0)] = 1.0
    probes = np.vstack([centre, centre + np.diag(step)])
    values = plane_values(_before(before, probes, frame), coef) + intercept
    w = (values[1:] - values[0]) / step
    w[~_reaches(before, probes, frame, coef)] = 0.0
    gamma = float((w * centre).sum() - values[0])
    found, wanted = (
        plane_values(rows, w) - gamma,
        (plane_values(_before(before, rows, frame), coef) + intercept),
    )
    if not np.allclose(found, wanted, rtol=0.0, atol=AFFINE * max(1.0, np.abs(wanted).max())):
        raise ValueError(
            "What stands before the linear classifier must be affine, as scalers and selectors "
            "are; the pipeline given is not. Leave out the step that bends."
        )
    return w, gamma


def _before(steps: Pipeline, rows: Floats, frame: pd.DataFrame) -> Floats:
    """Bring rows to what the classifier sees: shape (m, q)."""
    seen = steps.transform(pd.DataFrame(rows, columns=frame.columns))
    dense = seen.toarray() if hasattr(seen, "toarray") else np.asarray(seen)
    return np.asarray(dense, dtype=float)


def _reaches(
    steps: Pipeline, probes: Floats, frame: pd.DataFrame, coef: Floats
) -> NDArray[np.bool_]:
    """Say which columns move something that has a weight; the rest have the weight 0 exactly."""
    seen = _before(steps, probes, frame)[:, coef != 0]
    return np.asarray((seen[1:] != seen[0]).any(axis=1))


def _plane_parameters(last: Any) -> tuple[Floats, float]:
    coef, intercept = getattr(last, "coef_", None), getattr(last, "intercept_", None)
    if coef is None or intercept is None:
        raise ValueError(
            "`linear` must be a linear classifier: after `fit` it needs `coef_` and `intercept_`; "
            f"{type(last).__name__} has none. Take LogisticRegression, LinearSVC or LPSVM."
        )
    weights = np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef, dtype=float)
    if weights.ndim == 2 and weights.shape[0] != 1:
        raise ValueError(
            f"`linear` must have one plane, for two classes; its `coef_` has {weights.shape[0]}."
        )
    return weights.reshape(-1), float(np.asarray(intercept, dtype=float).reshape(-1)[0])
