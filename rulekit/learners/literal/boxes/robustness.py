"""Selection of robustness and described class by cross-validation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from rulekit.data import make_folds
from rulekit.exceptions import DataError
from rulekit.learners.choice import cheapest, fold_scores, smoothed
from rulekit.learners.loss import CONDITION_PRICE, Loss
from rulekit.learners.training import TrainingTable

LEVELS = (0.0, 0.1, 0.3)
FOLDS = 5


@dataclass(frozen=True)
class Candidate:
    """One setting and its score."""

    robustness: float
    label: Any
    error: float
    n_conditions: float


def candidates(learner: Any, table: TrainingTable, labels: Sequence[Any]) -> list[Candidate]:
    """Cross-validate the levels of robustness for each class, the best first."""
    centre, theta = learner.n_clauses, float(learner.theta)
    clauses = sorted({max(1, centre - 1), centre, centre + 1})
    grid = list(product(clauses, sorted({theta / 2, theta, 2 * theta})))
    pairs = list(product(LEVELS, labels))
    settings = [
        {"robustness": level, "positive_label": label, "n_clauses": r, "theta": t}
        for level, label in pairs
        for r, t in grid
    ]
    errors, sizes = cross_validated(learner, table, settings)
    pair_of = [k for k in range(len(pairs)) for _ in grid]
    axes = [
        ([(k, r) for k, (r, _) in zip(pair_of, grid * len(pairs), strict=True)],
         [t for _, t in grid * len(pairs)]),
        ([(k, t) for k, (_, t) in zip(pair_of, grid * len(pairs), strict=True)],
         [r for r, _ in grid * len(pairs)]),
    ]  # fmt: skip
    even = smoothed(errors, axes)
    own = [k * len(grid) + grid.index((centre, theta)) for k in range(len(pairs))]
    found = [
        Candidate(level, label, float(even[i]), float(sizes[i]))
        for (level, label), i in zip(pairs, own, strict=True)
    ]
    order = cheapest([c.error for c in found], [c.n_conditions for c in found], CONDITION_PRICE)
    return [found[i] for i in order]


def cross_validated(
    learner: Any, table: TrainingTable, settings: Sequence[Mapping[str, Any]]
) -> tuple[Any, Any]:
    """Cross-validate settings on the training rows; see `candidates` for folds and errors.

    Shape of the result: (number of settings,).
    """
    rare = int(np.bincount(table.codes, minlength=2).min())
    if rare < 2:
        raise DataError(
            "Choosing by cross-validation (`robustness` or `refine_thresholds` 'cv') needs two "
            "rows of each class or more; one class has a single row. Give a value instead."
        )
    folds = make_folds(table.codes, min(FOLDS, rare), random_state=0)
    scores = fold_scores(learner, table, settings, folds, Loss(table.y, learner._weights(table)))
    errors, sizes, _ = scores.mean(axis=0).T
    return errors, sizes
