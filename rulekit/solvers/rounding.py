"""Rounding: from the fractional weights of a relaxed clause to columns.

Throughout the module::

    P       (n, d) float   the rows to be covered; 1 where a column is true in a row
    m       (n,)   float   what it costs to leave a row uncovered
    price   (d,)   float   what it costs to choose a column: theta, and the wrong rows it covers
    w       (d,)   float   the relaxed clause, in [0, 1]

A clause is an OR of columns. Its cost is the price of its columns and the weight of the rows it
leaves uncovered, ``price @ w + m @ max(0, 1 - P @ w)``, which is also what is minimised while
some of `w` is still fractional.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

TIE = 1e-9


@dataclass(frozen=True)
class RedundancyGroup:
    """Columns of which an optimal clause holds few: thresholds of one number, or one level.

    Attributes
    ----------
    low, high : ndarray of int
        Columns that grow with the threshold (``x <= t``) and that shrink with it (``x > t``).
        Each side is nested, so that one of each is enough.
    single : ndarray of int
        Columns that equal or complement one another: one is enough, two are always true.
    pairs : ndarray of bool, shape (len(low), len(high))
        The pairs that are not always true: ``x <= a or x > b`` with a < b.
    overlap : bool
        True when some pair is true together in a row to be covered (missing values).
    """

    low: NDArray[np.intp]
    high: NDArray[np.intp]
    single: NDArray[np.intp]
    pairs: Bools
    overlap: bool

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """All columns of the group, in order."""
        return np.sort(np.concatenate([self.low, self.high, self.single]))


@dataclass(frozen=True)
class RoundingTask:
    """One relaxed clause to be rounded; the arrays are told at the head of the module.

    Attributes
    ----------
    P, m, price : ndarray
        The rows to be covered, their weights, the columns' prices (infinite: not to be chosen).
    groups : tuple of RedundancyGroup
        A partition of the columns, ordered by lowest column.
    required : ndarray of bool, shape (d,)
        Columns that every clause holds.
    """

    P: Floats
    m: Floats
    price: Floats
    groups: tuple[RedundancyGroup, ...]
    required: Bools

    def cost(self, chosen: Bools) -> float:
        """Cost of a clause, all its columns chosen."""
        chosen = np.asarray(chosen, dtype=bool)
        covered = self.P[:, chosen].any(axis=1)
        return float(self.price[chosen].sum() + self.m[~covered].sum())


def round_by_threshold(w: Floats, threshold: float = 0.2) -> Bools:
    """Choose the columns with at least this weight.

    Parameters
    ----------
    w : ndarray of shape (d,)
        The relaxed clause.
    threshold : float, default=0.2
        The paper's value.

    Returns
    -------
    ndarray of bool, shape (d,)
    """
    return w >= threshold


def round_at_random(
    task: RoundingTask, w: Floats, rng: np.random.Generator, n_draws: int = 10
) -> Bools:
    """Choose each column with its weight as the probability; keep the cheapest of some draws.

    Parameters
    ----------
    task : RoundingTask
        Used to tell which draw is the cheapest.
    w : ndarray of shape (d,)
        The relaxed clause.
    rng : numpy.random.Generator
        Source of the draws.
    n_draws : int, default=10
        How many clauses are drawn. Of equally cheap ones the shortest, then the first, is kept.

    Returns
    -------
    ndarray of bool, shape (d,)
    """
    draws = (rng.random((n_draws, len(w))) < w) | task.required
    costs = np.array([task.cost(draw) for draw in draws])
    near = np.flatnonzero(costs <= costs.min() + TIE)
    shortest: Bools = draws[near[np.argmin(draws[near].sum(axis=1))]]
    return shortest


def round_without_redundancy(task: RoundingTask, w: Floats) -> Bools:
    """Round group after group, heaviest first, to the cheapest combination without redundancy.

    In each group all combinations an optimal clause may hold are tried: none, one ``<=``, one
    ``>``, or one of each that are not always true together; of columns that equal or complement
    one another none or one. Groups not yet rounded keep their relaxed weights meanwhile.

    Parameters
    ----------
    task : RoundingTask
        Rows, prices and groups.
    w : ndarray of shape (d,)
        The relaxed clause; columns with a price of infinity must have weight 0.

    Returns
    -------
    ndarray of bool, shape (d,)
        The clause, or the one of the required columns only where that costs no more.

    Notes
    -----
    Costs that differ by less than 1e-9 are ties: fewer columns win, then the lowest columns;
    groups of equal weight are taken by lowest column. Takes O(n d) time: the rows still open
    are weighed once for all columns of a group, because the two nested sides of a number do not
    cover the same row.

    References
    ----------
    .. [1] G. Su, D. Wei, K. R. Varshney, D. M. Malioutov, "Interpretable two-level Boolean rule
       learning for classification" (2015), section 4.4.
    """
    state = _Sweep(task, w)
    mass = np.array([w[g.columns].sum() for g in task.groups])
    order = np.argsort(-np.round(mass / TIE) * TIE, kind="stable")
    n_heavy = int(np.count_nonzero(mass > TIE))
    for g in order[:n_heavy]:
        state.settle(task.groups[g])
    state.settle_weightless([task.groups[g] for g in order[n_heavy:]])
    chosen: Bools = state.w > 0.5
    if task.cost(task.required) <= task.cost(chosen) + TIE:
        return task.required.copy()
    return chosen


class _Sweep:
    """The clause being rounded: weights, and how far each row is covered by them."""

    def __init__(self, task: RoundingTask, w: Floats) -> None:
        self.task = task
        self.w = np.where(task.required, 1.0, w)
        self.cover = task.P @ self.w

    def settle(self, group: RedundancyGroup) -> None:
        """Replace a group's weights by its cheapest combination."""
        columns = group.columns[~self.task.required[group.columns]]
        used = columns[self.w[columns] != 0]
        if len(used):
            self.cover -= self.task.P[:, used] @ self.w[used]
            self.w[used] = 0.0
        open_weight, task = self._open_weight(), self.task
        for j in cheapest_combination(group, task.P, open_weight, task.price, task.required):
            self.w[j] = 1.0
            self.cover += self.task.P[:, j]

    def settle_weightless(self, groups: list[RedundancyGroup]) -> None:
        """Settle groups without weight; those that have nothing to gain are passed over."""
        while groups:
            gain = self._open_weight() @ self.task.P
            useful = (self.task.price < gain - TIE) & ~self.task.required
            where = next((k for k, g in enumerate(groups) if useful[g.columns].any()), None)
            if where is None:
                return
            self.settle(groups[where])
            groups = groups[where + 1 :]

    def _open_weight(self) -> Floats:
        """Weigh how far each row is from being covered."""
        return self.task.m * np.maximum(0.0, 1.0 - self.cover)


def cheapest_combination(
    group: RedundancyGroup, A: Floats, gain: Floats, price: Floats, barred: Bools
) -> list[int]:
    """Find the columns of one group that lower the cost most.

    Parameters
    ----------
    group : RedundancyGroup
        What may be combined.
    A : ndarray of shape (n, d)
        The rows.
    gain : ndarray of shape (n,)
        What covering a row saves; negative where it costs.
    price : ndarray of shape (d,)
        What a column costs beside that.
    barred : ndarray of bool, shape (d,)
        Columns that are not on offer.

    Returns
    -------
    list of int
        No, one or two columns. Of combinations within 1e-9 of the lowest cost the one with fewer
        columns, then with the lowest columns.
    """
    delta = _delta(group.columns, A, gain, price, barred)
    best_one = float(delta.min(initial=np.inf))
    best_two = np.inf
    if group.pairs.any():
        both = _pair_deltas(group, A, gain, price, barred)
        best_two = float(both.min())
    best = min(0.0, best_one, best_two) + TIE
    if best >= 0.0:
        return []
    if best_one <= best:
        return [int(group.columns[np.argmax(delta <= best_one + TIE)])]
    low, high = divmod(int(np.argmax(both <= best_two + TIE)), both.shape[1])
    return [int(group.low[low]), int(group.high[high])]


def _delta(
    columns: NDArray[np.intp], A: Floats, gain: Floats, price: Floats, barred: Bools
) -> Floats:
    """Change of the cost when one column is chosen."""
    return np.where(barred[columns], np.inf, price[columns] - gain @ A[:, columns])


def _pair_deltas(
    group: RedundancyGroup, A: Floats, gain: Floats, price: Floats, barred: Bools
) -> Floats:
    """Change of the cost when one column of each side is chosen: shape of `group.pairs`."""
    low = _delta(group.low, A, gain, price, barred)
    both = low[:, None] + _delta(group.high, A, gain, price, barred)
    if group.overlap:  # rows of both sides were counted twice
        both = both + (A[:, group.low] * gain[:, None]).T @ A[:, group.high]
    return np.where(group.pairs, both, np.inf)
