"""How sure a plane is of a case, from its distance: calibrated on cases the plane did not see."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Learn = Callable[[NDArray[np.intp]], tuple[Floats, float, Floats]]


@dataclass(frozen=True)
class Confidence:
    """The chance that a prediction is right, as a logistic function of the distance.

    Attributes
    ----------
    slope, level : float
        Log odds of "right" are ``slope * distance + level``; the slope is not negative.
    n_folds : int
        Folds of the cross-validation that the distances come from.
    """

    slope: float
    level: float
    n_folds: int

    def of(self, distance: Floats) -> Floats:
        """Give the confidence for each distance: shape (n,)."""
        odds = self.slope * distance + self.level
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(odds, -700, 700))))


def unit_distances(values: Floats, w: Floats, widths: Floats) -> Floats:
    """Turn ``w'x - gamma`` into the distance from the plane in the unit box: shape (n,).

    A plane without weights is at distance 0 of everything.
    """
    norm = float(np.linalg.norm(w * widths))
    return np.abs(values) / norm if norm > 0 else np.zeros_like(values)


def out_of_fold(
    rows: Floats, codes: NDArray[np.intp], learn: Learn, folds: int, seed: int
) -> tuple[Floats, Bools] | None:
    """Measure each row's distance to a plane that was learned without it.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
    codes : ndarray of int, shape (n,)
        0 or 1.
    learn : callable
        From the indices of rows to the plane's w and gamma and the columns' ranges.
    folds : int
        Fewer where a class has fewer rows.
    seed : int

    Returns
    -------
    distances : ndarray of shape (n,)
    right : ndarray of bool, shape (n,)
        Whether the plane's answer is right. None in place of both if a class has one row.
    """
    folds = min(folds, int(np.bincount(codes, minlength=2).min()))
    if folds < 2:
        return None
    distance, right = np.zeros(len(rows)), np.zeros(len(rows), dtype=bool)
    for inside, outside in StratifiedKFold(folds, shuffle=True, random_state=seed).split(
        rows, codes
    ):
        w, gamma, widths = learn(inside)
        values = rows[outside] @ w - gamma
        distance[outside] = unit_distances(values, w, widths)
        right[outside] = (values > 0) == (codes[outside] == 1)
    return distance, right


def calibrated(distance: Floats, right: Bools, folds: int) -> Confidence:
    """Fit Platt's logistic function to distances and to whether predictions were right.

    A slope below 0 (the farther, the worse) is set to 0: then, and where all were right or all
    wrong, the confidence is the share of right predictions, smoothed by one case of either kind.
    """
    share = (right.sum() + 1.0) / (len(right) + 2.0)
    constant = Confidence(0.0, float(np.log(share / (1.0 - share))), folds)
    if right.all() or not right.any():
        return constant
    scale = float(distance.std()) or 1.0
    platt = LogisticRegression(C=1e6).fit((distance / scale)[:, None], right)
    slope = float(platt.coef_[0, 0]) / scale
    return Confidence(slope, float(platt.intercept_[0]), folds) if slope > 0 else constant
