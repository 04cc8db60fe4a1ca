"""Metrics of one fitted model, and the calibration of its probabilities."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rulekit.data import Costs
from rulekit.rules import wilson_interval


def error_rate(y: ArrayLike, predicted: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Compute the share of rows, by weight, whose prediction is wrong; all arrays (n,).

    >>> error_rate(["a", "b", "b", "b"], ["a", "a", "b", "b"])
    0.25
    """
    wrong = _array(predicted) != _array(y)
    return _share(np.asarray(wrong, dtype=float), _weights(weight, len(wrong)))


def balanced_error_rate(
    y: ArrayLike, predicted: ArrayLike, weight: ArrayLike | None = None
) -> float:
    """Compute the mean over the classes in `y` of the share of their rows that are wrong.

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
    """Count true and false positives and negatives of one class; all arrays (n,).

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
    """Compute the mean cost of wrong predictions per hundred rows; all arrays (n,).

    >>> cost_per_100(["ill", "ill", "well", "well"], ["ill", "well", "well", "ill"], Costs(5, 1))
    150.0
    """
    each = costs.of_rows(y, predicted, positive)
    return 100.0 * _share(each, _weights(weight, len(each)))


def area_under_roc(
    y: ArrayLike, scores: ArrayLike, positive: Any, weight: ArrayLike | None = None
) -> float:
    """Compute the area under the ROC curve, NaN if there is only one class; all arrays (n,).

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


BANDS = 10


def brier_score(true: ArrayLike, chance: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Compute the mean squared difference of probability and outcome.

    Parameters
    ----------
    true : array-like of bool, shape (n,)
        Whether the outcome is true.
    chance : array-like of float, shape (n,)
        The predicted probability.
    weight : array-like of float, shape (n,), default=None
        Non-negative weight of each row.

    Returns
    -------
    float
        Between 0 and 1, smaller is better; predicting the frequency f for every row gives f (1 -
        f). NaN if the rows have no weight.

    References
    ----------
    .. [1] G. W. Brier, "Verification of forecasts expressed in terms of probability", 1950.

    Examples
    --------
    >>> round(brier_score([True, False], [0.8, 0.4]), 3)
    0.1
    """
    happened, stated, weights = _checked(true, chance, weight)
    whole = float(weights.sum())
    return float((weights * (stated - happened) ** 2).sum()) / whole if whole else np.nan


def reliability(
    true: ArrayLike, chance: ArrayLike, weight: ArrayLike | None = None
) -> pd.DataFrame:
    """Compare predicted probabilities with observed frequencies by tenths.

    Parameters
    ----------
    true, chance, weight
        As for `brier_score`.

    Returns
    -------
    DataFrame
        A row for each tenth of probability that has rows: `low` and `high` (it holds ``low``, and
        ``high`` only in the last), `rows`, `weight`, `stated` (the mean probability), `share` (of
        the weight where it came true), and `low95`, `high95` (Wilson's 95 % interval of that
        share, from the number of rows).

    Examples
    --------
    >>> found = reliability([True, False, True, True], [0.3, 0.35, 0.9, 0.95])
    >>> found[["low", "rows", "stated", "share"]].round(3).values.tolist()
    [[0.3, 2.0, 0.325, 0.5], [0.9, 2.0, 0.925, 1.0]]
    """
    happened, stated, weights = _checked(true, chance, weight)
    band = np.minimum((stated * BANDS + 1e-9).astype(int), BANDS - 1)
    bands = []
    for k in np.unique(band[weights > 0]).tolist():
        in_band = (band == k) & (weights > 0)
        share = float((weights[in_band] * happened[in_band]).sum() / weights[in_band].sum())
        low, high = wilson_interval(share * in_band.sum(), int(in_band.sum()))
        row = {"low": k / BANDS, "high": (k + 1) / BANDS, "rows": int(in_band.sum())}
        row |= {"weight": float(weights[in_band].sum())}
        row |= {
            "stated": float((weights[in_band] * stated[in_band]).sum() / weights[in_band].sum())
        }
        bands.append(row | {"share": share, "low95": low, "high95": high})
    names = ["low", "high", "rows", "weight", "stated", "share", "low95", "high95"]
    return pd.DataFrame(bands, columns=names)


def _checked(
    true: ArrayLike, chance: ArrayLike, weight: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    happened, stated = np.asarray(true, dtype=float), np.asarray(chance, dtype=float)
    if stated.shape != happened.shape or not ((stated >= 0) & (stated <= 1)).all():
        raise ValueError(
            "`chance` must hold a probability, from 0 to 1, for each row of `true`; got shape "
            f"{stated.shape} for {happened.shape}, values like {stated.ravel()[:3].tolist()}."
        )
    weights = np.ones(len(happened)) if weight is None else np.asarray(weight, dtype=float)
    return happened, stated, weights
