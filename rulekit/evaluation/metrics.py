"""Metrics of one fitted model."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rulekit.data import Costs


def error_rate(y: ArrayLike, predicted: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Compute the share of rows, by weight, whose prediction is wrong.

    Shapes: y, predicted (n,), weight (n,).

    >>> error_rate(["a", "b", "b", "b"], ["a", "a", "b", "b"])
    0.25
    """
    wrong = _array(predicted) != _array(y)
    return _share(np.asarray(wrong, dtype=float), _weights(weight, len(wrong)))


def balanced_error_rate(
    y: ArrayLike, predicted: ArrayLike, weight: ArrayLike | None = None
) -> float:
    """Compute the mean over the classes in `y` of the share of their rows that are wrong.

    Parameters and the returned value are as for `error_rate`.

    >>> balanced_error_rate(["a", "b", "b", "b", "b"], ["b", "b", "b", "b", "b"])
    0.5
    """
    true, weights = _array(y), _weights(weight, len(_array(y)))
    wrong = np.asarray(_array(predicted) != true, dtype=float)
    masks = [np.asarray(true == label, dtype=bool) for label in pd.unique(true)]
    shares = [_share(wrong[m], weights[m]) for m in masks]
    defined = [s for s in shares if not math.isnan(s)]
    return float(np.mean(defined)) if defined else math.nan


def confusion_counts(
    y: ArrayLike, predicted: ArrayLike, positive: Any, weight: ArrayLike | None = None
) -> dict[str, float]:
    """Count true and false positives and negatives of one class.

    Shapes: y, predicted (n,), weight (n,).

    >>> confusion_counts([1, 1, 0], [1, 0, 0], positive=1)
    {'tp': 1.0, 'fp': 0.0, 'fn': 1.0, 'tn': 1.0}
    """
    true = np.asarray(_array(y) == positive, dtype=bool)
    is_predicted = np.asarray(_array(predicted) == positive, dtype=bool)
    weights = _weights(weight, len(true))
    cells = {
        "tp": true & is_predicted,
        "fp": ~true & is_predicted,
        "fn": true & ~is_predicted,
        "tn": ~true & ~is_predicted,
    }
    return {name: float(weights[mask].sum()) for name, mask in cells.items()}


def f1_score(counts: Mapping[str, float]) -> float:
    """Compute the harmonic mean of precision and recall; NaN where neither is defined.

    >>> f1_score({"tp": 2.0, "fp": 1.0, "fn": 1.0, "tn": 0.0})
    0.6666666666666666
    """
    whole = 2 * counts["tp"] + counts["fp"] + counts["fn"]
    return 2 * counts["tp"] / whole if whole else math.nan


def cost_per_100(
    y: ArrayLike,
    predicted: ArrayLike,
    costs: Costs,
    weight: ArrayLike | None = None,
    positive: Any = None,
) -> float:
    """Compute the mean cost of wrong predictions per hundred rows.

    Shapes: y, predicted (n,), weight (n,).

    >>> cost_per_100(["ill", "ill", "well", "well"], ["ill", "well", "well", "ill"], Costs(5, 1))
    150.0
    """
    each = costs.of_rows(y, predicted, positive)
    return 100.0 * _share(each, _weights(weight, len(each)))


def area_under_roc(
    y: ArrayLike, scores: ArrayLike, positive: Any, weight: ArrayLike | None = None
) -> float:
    """Compute the area under the ROC curve; NaN if there is only one class.

    Shapes: y (n,), scores (n,), weight (n,).

    >>> area_under_roc(["no", "yes", "yes"], [0.1, 0.9, 0.1], "yes")
    0.75
    """
    true = np.asarray(_array(y) == positive, dtype=bool)
    weights = _weights(weight, len(true))
    if not weights[true].sum() or not weights[~true].sum():
        return math.nan
    _, rank = np.unique(np.asarray(scores, dtype=float), return_inverse=True)
    hits = np.bincount(rank, weights * true)
    misses = np.bincount(rank, weights * ~true)
    below = np.cumsum(misses) - misses / 2  # an equal score counts half
    return float((hits * below).sum() / (hits.sum() * misses.sum()))


def _array(values: ArrayLike) -> NDArray[Any]:
    """Return labels as an array that compares element by element."""
    array = np.asarray(values)
    return array.astype(object) if array.dtype.kind in "US" else array


def _weights(weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    return np.ones(n) if weight is None else np.asarray(weight, dtype=float)


def _share(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    whole = weights.sum()
    return float((values * weights).sum() / whole) if whole else math.nan
