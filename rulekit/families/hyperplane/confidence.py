"""Confidence of a prediction from the distance to the hyperplane, calibrated on folds."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from rulekit.families.hyperplane.solver.half_space import plane_values

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
PRIOR = 1.0  # scikit-learn's own C: so an answer without a single error is not called sure
Learn = Callable[[NDArray[np.intp]], tuple[Floats, float, Floats]]


@dataclass(frozen=True)
class Confidence:
    """Probability of a correct prediction as a logistic function of the distance."""

    slope: float
    levels: tuple[float, float]

    def of(self, distance: Floats, code: int) -> Floats:
        """Return the confidence of prediction `code` at each distance, shape (n,)."""
        odds = self.slope * distance + self.levels[code]
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(odds, -700, 700))))


def unit_distances(values: Floats, w: Floats, widths: Floats) -> Floats:
    """Convert ``w'x - gamma`` to the distance in the unit box, shape (n,).

    A plane without weights is at distance 0 of everything.
    """
    norm = math.sqrt(((w * widths) ** 2).sum())
    return np.abs(values) / norm if norm > 0 else np.zeros_like(values)


def out_of_fold(
    rows: Floats, codes: NDArray[np.intp], learn: Learn, folds: int, seed: int
) -> tuple[Floats, NDArray[np.intp]] | None:
    """Compute each row's distance to a hyperplane fitted without it.

    Shapes: rows (n, p), codes (n,); result (n,), (n,).
    """
    folds = min(folds, int(np.bincount(codes, minlength=2).min()))
    if folds < 2:
        return None
    distance, answers = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.intp)
    for inside, outside in StratifiedKFold(folds, shuffle=True, random_state=seed).split(
        rows, codes
    ):
        w, gamma, widths = learn(inside)
        values = plane_values(rows[outside], w) - gamma
        distance[outside] = unit_distances(values, w, widths)
        answers[outside] = values > 0
    return distance, answers


def calibrated(distance: Floats, answers: NDArray[np.intp], right: Bools) -> Confidence:
    """Fit Platt's logistic function to distances, predictions and their correctness.

    One slope for both answers, a level for each. A slope below 0 (the farther, the worse) is set
    to 0: then, and where all were right or all wrong, the confidence of an answer is the share of
    right ones among its kind, smoothed by one case of either outcome.
    """
    n = np.array([(answers == code).sum() for code in (0, 1)])
    n_right = np.array([right[answers == code].sum() for code in (0, 1)])
    odds = np.log((n_right + 1.0) / (n - n_right + 1.0))
    constant = Confidence(0.0, (float(odds[0]), float(odds[1])))
    if right.all() or not right.any():
        return constant
    scale = float(distance.std()) or 1.0
    features = np.column_stack([distance / scale, answers])
    platt = LogisticRegression(C=PRIOR).fit(features, right)
    slope, more = platt.coef_[0]
    level = float(platt.intercept_[0])
    if slope <= 0:
        return constant
    return Confidence(float(slope) / scale, (level, level + float(more)))
