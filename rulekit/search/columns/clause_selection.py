"""Chosen columns of the clauses of a rule, what they cost, and where their cuts may be moved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning.binned_table import Bools, Floats


@dataclass(frozen=True)
class MovableCuts:
    """Where cuts may move."""

    # each row's rank in each feature with cuts, -1 if missing
    ranks: Mapping[int, NDArray[np.int64]] = field(default_factory=dict, repr=False)
    barred: frozenset[tuple[int, int]] = frozenset()  # (condition, rank it may not cut after)


@dataclass(frozen=True)
class ClauseSelection:
    """Conditions chosen for the clauses of a rule."""

    chosen: Bools  # (R, d)
    value: float
    history: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    lower_bound: float | None = None
    proved: bool = False


def clause_counts(A: NDArray[Any], chosen: Bools) -> Floats:
    """Count for each row and clause how many of the clause's columns are true: shape (n, R)."""
    counts = np.zeros((A.shape[0], chosen.shape[0]))
    for r, columns in enumerate(chosen):
        counts[:, r] = A[:, np.flatnonzero(columns)].sum(axis=1, dtype=np.float64)
    return counts


def hamming_cost(A: NDArray[Any], y: Bools, weight: Floats, chosen: Bools, theta: float) -> float:
    """Weigh the literals that would have to change for every row to be right, objective (3.10)."""
    counts = clause_counts(A, chosen)
    distance = np.where(y, (counts == 0).sum(axis=1), counts.min(axis=1, initial=np.inf))
    if counts.shape[1] == 0:
        distance = np.where(y, 0.0, 1.0)
    return float((weight * distance).sum()) + theta * int(chosen.sum())


def error_cost(A: NDArray[Any], y: Bools, weight: Floats, chosen: Bools, theta: float) -> float:
    """Weigh the rows that the CNF gets wrong, plus `theta` a column: objective (3.7)."""
    answer = (clause_counts(A, chosen) > 0).all(axis=1)
    return float(weight[answer != y].sum()) + float(theta) * int(chosen.sum())
