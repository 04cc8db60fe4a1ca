"""Calibration of predicted probabilities."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rulekit.rules import wilson_interval

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
