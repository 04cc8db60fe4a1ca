"""Rounding: from the fractional weights of a relaxed clause to columns that are not redundant."""

# Throughout the module:
#   P       (n, d)         the rows to be covered, as `BinnedTable`
#   m       (n,)   float   what it costs to leave a row uncovered
#   price   (d,)   float   what it costs to choose a column: theta, and the wrong rows it covers
#   w       (d,)   float   the relaxed clause, in [0, 1]
#
# The cost of a clause is ``price @ w + m @ max(0, 1 - P @ w)``, also while `w` is fractional. A
# fixed perturbation of the prices, and weights written as the small fractions they are, make the
# vertex of a linear program a function of the problem alone.

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import solve_systems
from rulekit.binning import BinnedTable
from rulekit.search.columns.priced_columns import PricedColumns

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class RedundancyGroup:
    """Columns of which an optimal clause holds few: thresholds of one number, or one level."""

    low: NDArray[np.intp]
    high: NDArray[np.intp]
    single: NDArray[np.intp]
    pairs: Bools  # (len(low), len(high))
    overlap: bool

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """All columns of the group, in order."""
        return np.sort(np.concatenate([self.low, self.high, self.single]))


def redundancy_groups(columns: BinnedTable, y: Bools) -> tuple[RedundancyGroup, ...]:
    """Partition the columns into groups of which an optimal clause holds few."""
    seen, covered = columns.drop_empty_bins(), columns[y].drop_empty_bins()
    members: dict[tuple[object, ...], list[int]] = {}
    for j, feature in enumerate(columns.feature.tolist()):
        cells = seen.values_of([j])  # a column and its complement share a key
        pattern = () if columns.side[j] else (np.packbits(cells ^ cells[:1]).tobytes(),)
        key = (feature, *pattern)
        members.setdefault(key, []).append(j)
    return tuple(
        _threshold_group(covered, np.array(members_of_key))
        if len(key) == 1
        else single_group(members_of_key)
        for key, members_of_key in sorted(members.items(), key=lambda item: item[1][0])
    )


def single_group(columns: list[int]) -> RedundancyGroup:
    """Make a group of columns of which none or one is chosen."""
    none = np.zeros(0, dtype=np.intp)
    return RedundancyGroup(
        none, none, np.array(columns, dtype=np.intp), np.zeros((0, 0), dtype=bool), False
    )


def _threshold_group(covered: BinnedTable, columns: NDArray[np.intp]) -> RedundancyGroup:
    """Sort the thresholds of one number into its two nested sides."""
    low = columns[covered.side[columns] < 0]
    high = columns[covered.side[columns] > 0]
    # ``x <= a or x > b`` with a >= b is true wherever there is a value
    pairs = covered.rank[low][:, None] < covered.rank[high]
    # Both sides are true at once only where a missing value counts for both; such rows must not be
    # weighed twice when a pair is rounded.
    one, other = (covered.values_of(side).astype(np.float32) for side in (low, high))
    overlap = bool(((one.T @ other)[pairs] > 0).any())
    return RedundancyGroup(low, high, np.zeros(0, dtype=np.intp), pairs, overlap)


PERTURBATION = 1e-6
ALWAYS_PERTURBATION = 0.75e-6  # of the column that is always true
SNAP = 1e-8  # what is nearer to a whole number than this is one
NOISE = 1e-10  # of a weight, as solvers return it
DENOMINATORS = np.arange(2.0, 241.0)
Floats = NDArray[np.float64]
TIE = 1e-9
DRAWS = 10  # of `round_at_random`
THRESHOLD = 0.2  # least weight of a column that is chosen, as in the paper


def default_perturbation(d: int) -> Floats:
    """Spread d values over [0.5e-6, 1e-6), all different, the same for every call."""
    # multiples of the golden ratio fall into the largest gap left: any d of them stay well apart
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    return PERTURBATION * (0.5 + 0.5 * np.mod(golden * np.arange(1, d + 1), 1.0))


def snap_weights(w: Floats, P: Floats | None = None) -> Floats:
    """Write weights so that two solves that end in the same vertex give the same bits."""
    w = np.clip(w, 0.0, 1.0)
    whole = np.round(w)
    w = np.where(np.abs(w - whole) < SNAP, whole, w)
    fractional = np.flatnonzero(w != whole)
    if len(fractional) == 0:
        return w
    parts = w[fractional][:, None] * DENOMINATORS
    exact = np.abs(parts - np.round(parts)) < DENOMINATORS * NOISE
    if exact.any(axis=1).all():
        which = exact.argmax(axis=1)
        rows = np.arange(len(fractional))
        w[fractional] = np.round(parts[rows, which]) / DENOMINATORS[which]
    elif P is not None:
        _recompute(w, P)
    return w


def _recompute(w: Floats, P: Floats) -> None:
    """Solve for the weights of the support from the rows that are covered exactly once."""
    support = np.flatnonzero(w)
    cover = P[:, support] @ w[support]
    tight = np.flatnonzero(np.abs(cover - 1.0) < SNAP)
    if len(tight) < len(support):
        return
    again = solve_systems(P[None, tight][:, :, support], np.ones((1, len(tight), 1)))[0, :, 0]
    # Taken only where these rows fix every weight, and fix it to the answer but for noise.
    if np.abs(again - w[support]).max() < SNAP:
        w[support] = again


def rounding_layout(P: BinnedTable, groups: Sequence[RedundancyGroup]) -> Any:
    """Write columns and their groups as arrays for the compiled sweep (a `Layout`)."""
    from rulekit.search.columns.rounding_kernels import Layout

    none = np.zeros(0, dtype=np.int64)
    sizes = np.array([(len(g.columns), len(g.low), len(g.high)) for g in groups], np.int64)
    n, n_low, n_high = sizes.reshape(-1, 3).T
    columns = np.concatenate([none, *(g.columns for g in groups)])
    owner = np.zeros(len(P.feature), dtype=np.int64)
    owner[columns] = np.repeat(np.arange(len(groups)), n)
    end, pair_end = np.cumsum(n_low + n_high), np.cumsum(n_low * n_high)
    return Layout(
        np.ascontiguousarray(P.codes.T, np.uint32),
        np.ascontiguousarray(P.n_codes, np.int64),
        np.ascontiguousarray(P.feature, np.int64),
        np.ascontiguousarray(P.conditions.runs, np.int64),
        owner,
        columns,
        np.append(0, np.cumsum(n)),
        np.concatenate([none, *(side for g in groups for side in (g.low, g.high))]),
        end - n_low - n_high,
        end - n_high,
        end,
        np.concatenate([none.astype(bool), *(g.pairs.ravel() for g in groups)]),
        pair_end - n_low * n_high,
        np.array([g.overlap for g in groups], dtype=bool),
    )


def round_clause(
    task: PricedColumns,
    w: Floats,
    rounding: str = "redundancy",
    rng: np.random.Generator | None = None,
) -> Bools:
    """Turn a relaxed clause into whole columns; a binary one is left as it is."""
    if ((w == 0.0) | (w == 1.0)).all():
        return w > 0.5
    if rounding == "threshold":
        return w >= THRESHOLD
    if rounding == "random":
        return round_at_random(task, w, np.random.default_rng(0) if rng is None else rng)
    return round_without_redundancy(task, w)


def round_at_random(task: PricedColumns, w: Floats, rng: np.random.Generator) -> Bools:
    """Choose each column with its weight as the probability; keep the cheapest of some draws."""
    draws = rng.random((DRAWS, len(w))) < w
    costs = np.array([task.cost(np.flatnonzero(draw)) for draw in draws])
    near = np.flatnonzero(costs <= costs.min() + TIE)
    shortest: Bools = draws[near[np.argmin(draws[near].sum(axis=1))]]
    return shortest


def round_without_redundancy(task: PricedColumns, w: Floats) -> Bools:
    """Round group after group, heaviest first, to the cheapest combination without redundancy."""
    # Su, Wei, Varshney, Malioutov (2015), section 4.4, leave open which value the groups not yet
    # rounded have: the relaxed weights and 0 are both swept until nothing improves (1.09 times the
    # optimum on pima and sonar; 1.20 and 1.11 after one sweep). Costs within 1e-9 are ties: fewer
    # columns win, then the lowest, then the first reading. O(n p) a sweep.
    from rulekit.search.columns import rounding_kernels as kernel

    layout = task.layout
    n_groups = len(layout.start) - 1
    mass = np.bincount(layout.group_of, w, n_groups)
    order = np.argsort(-np.round(mass / TIE), kind="stable")
    n_heavy = np.count_nonzero(mass > TIE)
    clause = kernel.RoundedClause(task.m, task.price)
    most = layout.n_cells.max(initial=0) + 1
    d, n = len(w), len(task.m)
    room = kernel.WorkArrays(
        np.zeros(d), np.zeros(n), np.zeros(n), np.zeros(most), np.zeros(d), np.zeros_like(order)
    )
    best = np.zeros(d, dtype=bool)
    best_cost = task.cost(np.flatnonzero(best))
    for start in (w.copy(), np.zeros_like(w)):  # the two readings of what the paper leaves open
        cost = kernel.round_clause(layout, clause, room, order, n_heavy, start)
        chosen = start > 0.5
        shorter = cost <= best_cost + TIE and chosen.sum() < best.sum()
        if cost < best_cost - TIE or shorter:
            best, best_cost = chosen, cost
    return best
