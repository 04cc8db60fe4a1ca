"""The compact one-level problem, its dual program, and the rounding of relaxed clauses."""

# Throughout the module:
#   P       (n, d)         the rows to be covered, as `BinnedTable`
#   m       (n,)   float   what it costs to leave a row uncovered
#   price   (d,)   float   what it costs to choose a column: theta, and the wrong rows it covers
#   w       (d,)   float   the relaxed clause, in [0, 1]
#
# The cost of a clause is ``price @ w + m @ max(0, 1 - P @ w)``, also while `w` is fractional. A
# fixed perturbation of the prices, and weights written as the small fractions they are, make the
# vertex of a linear program a function of the problem alone.

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from rulekit._sums import grid_unit, round_to_grid, solve_systems
from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import Bools, Floats, Ints
from rulekit.search.lp import Basis, LinearProgram, LPSolution, solve_lp
from rulekit.search.machine_code import allocate


@dataclass(frozen=True)
class PricedColumns:
    """The program: minimise ``price @ w + m @ xi`` subject to ``P @ w + xi >= 1``."""

    P: BinnedTable  # (g, d)
    m: Floats  # (g,)
    wrong: Floats  # (d,)
    theta: float
    always: float = np.inf  # price of the clause that is always true
    layout: Any = field(default=None, repr=False)  # of P for rounding, see `rounding_layout`

    @cached_property
    def price(self) -> Floats:
        """What a column costs in all: shape (d,)."""
        return self.theta + self.wrong

    @cached_property
    def worth(self) -> Floats:
        """Weight of the rows that a column covers, which is the most it can save: shape (d,)."""
        return self.P.sums(self.m)

    def cost(self, columns: Ints) -> float:
        """Cost of the clause of these columns."""
        covered = self.P.values_of(columns).any(axis=1)
        return float(self.price[columns].sum() + self.m[~covered].sum())

    def take_columns(self, columns: Ints) -> "PricedColumns":
        """Keep some columns."""
        return replace(self, P=self.P.take_columns(columns), wrong=self.wrong[columns])


def price_table(table: BinnedTable, theta: float) -> PricedColumns:
    """Price the conditions of a labelled table for the one clause of a DNF."""
    return price_columns(table.opposite, ~table.y, theta, table.weight)


def price_columns(
    columns: BinnedTable, y: Bools, theta: float, weight: Floats | None = None
) -> PricedColumns:
    """Fold the rows that are not to be covered into prices."""
    rows = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    # On the grid equal columns get equal prices in whatever order their rows are added: ties are
    # ties, and no column beats its equal by a rounding error.
    rows = round_to_grid(rows, grid_unit(rows.sum(), columns.copies))
    kept = y & (rows > 0)
    return PricedColumns(columns[kept], rows[kept], columns[~y].sums(rows[~y]), float(theta))


def find_beaten(gain: Floats, order: Ints, chain: Ints) -> tuple[Ints, Ints]:
    """Return the columns that are no better than a narrower one of their chain, and that one."""
    # `order` has the columns chain by chain, the narrowest first, and `chain` their ascending chain
    # numbers. A column that sets a record takes the place of all after it until the next record.
    if not len(order):
        return order, order
    gain = gain[order]
    rank = np.empty(len(order), dtype=np.int64)
    by_gain = np.argsort(gain, kind="stable")
    rank[by_gain] = np.cumsum(np.diff(gain[by_gain], prepend=gain[by_gain[0]]) > 0)
    rank += chain * (len(order) + 1)  # a later chain is above all before it: one maximum serves all
    record = np.diff(np.maximum.accumulate(rank), prepend=-1) > 0
    last = np.maximum.accumulate(np.where(record, np.arange(len(order)), 0))
    return order[~record], order[last[~record]]


@dataclass(frozen=True)
class RedundancyGroup:
    """Columns of which an optimal clause holds few: thresholds of one number, or one level."""

    low: Ints
    high: Ints
    single: Ints
    pairs: Bools  # (len(low), len(high))
    overlap: bool

    @cached_property
    def columns(self) -> Ints:
        """All columns of the group, in order."""
        return np.sort(np.concatenate([self.low, self.high, self.single]))


def redundancy_groups(columns: BinnedTable, y: Bools) -> tuple[RedundancyGroup, ...]:
    """Partition the columns into groups of which an optimal clause holds few."""
    seen, covered = columns.drop_empty_bins(), columns[y].drop_empty_bins()
    members: dict[tuple[object, ...], list[int]] = {}
    for j, feature in enumerate(columns.feature.tolist()):
        cells = seen.values_of([j])  # a column and its complement share a key
        pattern = () if columns.side[j] else (np.packbits(cells ^ cells[:1]).tobytes(),)
        members.setdefault((feature, *pattern), []).append(j)
    return tuple(
        _threshold_group(covered, np.array(group)) if len(key) == 1 else single_group(group)
        for key, group in members.items()
    )


def single_group(columns: list[int]) -> RedundancyGroup:
    """Make a group of columns of which none or one is chosen."""
    none, pairs = np.zeros(0, np.intp), np.zeros((0, 0), bool)
    return RedundancyGroup(none, none, np.array(columns, np.intp), pairs, overlap=False)


def _threshold_group(covered: BinnedTable, columns: Ints) -> RedundancyGroup:
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
TIE = 1e-9
DRAWS = 10  # of random rounding
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
        w[fractional] = np.round(parts[np.arange(len(fractional)), which]) / DENOMINATORS[which]
    elif P is not None:
        # solve for the weights of the support from the rows that are covered exactly once
        support = np.flatnonzero(w)
        tight = np.flatnonzero(np.abs(P[:, support] @ w[support] - 1.0) < SNAP)
        if len(tight) >= len(support):
            A = P[None, tight][:, :, support]
            again = solve_systems(A, np.ones((1, len(tight), 1)))[0, :, 0]
            # Taken only where these rows fix every weight, and fix it to the answer but for noise.
            if np.abs(again - w[support]).max() < SNAP:
                w[support] = again
    return w


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
    codes = np.ascontiguousarray(P.codes.T, np.uint32)
    cells = [np.ascontiguousarray(c, np.int64) for c in (P.n_codes, P.feature, P.conditions.runs)]
    members = owner, columns, np.append(0, np.cumsum(n))
    sides = np.concatenate([none, *(side for g in groups for side in (g.low, g.high))])
    starts = end - n_low - n_high, end - n_high, end
    pairs = np.concatenate([none.astype(bool), *(g.pairs.ravel() for g in groups)])
    overlap = np.array([g.overlap for g in groups], dtype=bool)
    parts: Any = codes, *cells, *members, sides, *starts, pairs, pair_end - n_low * n_high, overlap
    return Layout(*parts)


def round_clause(
    task: PricedColumns, w: Floats, rounding: str = "redundancy", rng: Generator | None = None
) -> Bools:
    """Turn a relaxed clause into whole columns; a binary one is left as it is."""
    if ((w == 0.0) | (w == 1.0)).all():
        return w > 0.5
    if rounding == "threshold":
        return w >= THRESHOLD
    if rounding == "random":
        # each column is drawn with its weight as the probability; the cheapest draw is kept
        rng = np.random.default_rng(0) if rng is None else rng
        draws = rng.random((DRAWS, len(w))) < w
        costs = np.array([task.cost(np.flatnonzero(draw)) for draw in draws])
        near = np.flatnonzero(costs <= costs.min() + TIE)
        return np.asarray(draws[near[np.argmin(draws[near].sum(axis=1))]])
    return round_without_redundancy(task, w)


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
    d, n, most = len(w), len(task.m), layout.n_cells.max(initial=0) + 1
    room = allocate(kernel.ROOM, 0, 0, d, n, n, most, d, n_groups)
    room = room._replace(m=task.m, price=task.price)
    best, best_cost = np.zeros(d, dtype=bool), task.cost(np.zeros(0, np.intp))
    for start in (w.copy(), np.zeros_like(w)):  # the two readings of what the paper leaves open
        cost = kernel.round_clause(layout, room, order, n_heavy, start)
        chosen = start > 0.5
        if cost < best_cost - TIE or (cost <= best_cost + TIE and chosen.sum() < best.sum()):
            best, best_cost = chosen, cost
    return best


# The dual program, over generated columns or over all of few columns:
#   maximise  sum(mu)    subject to  P.T @ mu <= c,  0 <= mu <= m
#
# Rows that these columns treat alike are one variable. For few entries the compiled simplex method
# (`rounding_kernels`) over all columns and rows at once is faster than a call of HiGHS.

CHUNK = 32  # columns separated at a time


@dataclass(frozen=True)
class MergedRows:
    """Rows that are one variable."""

    of: Ints  # (g,)
    first: Ints  # (number of groups,)
    weight: Floats  # (number of groups,)
    m: Floats  # (g,)

    def share_weights(self, mu: Floats) -> Floats:
        """Share out what groups have by weight: shape (g,). No row gets more than its bound."""
        return np.asarray((mu / np.where(self.weight > 0, self.weight, 1.0))[self.of] * self.m)


class GeneratedDual:
    """The dual program; each solution begins at the vertex of the last one."""

    def __init__(self, m: Floats) -> None:
        some, none = min(len(m), 1), np.zeros(len(m), np.intp)
        self.groups = MergedRows(none, none[:some], np.full(some, m.sum()), m)
        self._solved: tuple[MergedRows, LPSolution] | None = None
        self._columns: Bools = np.zeros((some, 0), dtype=bool)
        self._ceiling = np.zeros(0)

    def add(self, columns: Bools, ceiling: Floats) -> None:
        """Add columns of P, shape (g, k), with their prices, shape (k,)."""
        self._ceiling = np.concatenate([self._ceiling, ceiling])
        group, first, m = self.groups.of, self.groups.first, self.groups.m
        for start in range(0, columns.shape[1], CHUNK):
            part = columns[:, start : start + CHUNK]
            key = (group << CHUNK) + part @ (1 << np.arange(part.shape[1]))
            _, first, group = np.unique(key, return_index=True, return_inverse=True)
        self._columns = np.hstack([self._columns[self.groups.of[first]], columns[first]])
        self.groups = MergedRows(group, first, np.bincount(group, m, len(first)).astype(float), m)

    def solve(self, time_limit: float | None = None) -> LPSolution:
        """Solve for a value of each group; minus the duals of the rows are the relaxed clause."""
        n, k = self._columns.shape
        rows = self._columns.T, np.full(k, -np.inf), self._ceiling
        program = LinearProgram(-np.ones(n), *rows, np.zeros(n), self.groups.weight)
        answer = solve_lp(program, time_limit=time_limit, start=self._start())
        self._solved = self.groups, answer
        return answer

    def _start(self) -> Basis | None:
        """Return the basis of the last solution for the current groups and columns, or None."""
        if self._solved is None:
            return None
        solved_groups, answer = self._solved
        if answer.x is None or answer.basic_x is None or answer.basic_rows is None:
            return None
        groups = self.groups
        whole = solved_groups.of[groups.first]
        at_upper, basic = (2 * answer.x > solved_groups.weight)[whole], np.zeros(len(whole), bool)
        # a group's value is assigned to its parts in turn, so at most one is between its bounds
        for group in np.flatnonzero(answer.basic_x):
            parts = np.flatnonzero(whole == group)
            full = int(np.searchsorted(np.cumsum(groups.weight[parts])[:-1], answer.x[group]))
            at_upper[parts], basic[parts[full]] = np.arange(len(parts)) < full, True
        n_new = len(self._ceiling) - len(answer.basic_rows)
        return Basis(at_upper, basic, np.append(answer.basic_rows, np.ones(n_new, bool)))


SMALL = 200_000  # entries: rows times columns
STEPS = 100  # between two looks at the clock
MOST = 4  # steps, for each row and column
EXACT = 1e-9


def solve_small_dual(
    P: Bools, c: Floats, m: Floats, time_limit: float | None = None
) -> LPSolution | None:
    """Solve for mu; return None unless a check shows that the solution is optimal to 1e-9."""
    from rulekit.search.columns.rounding_kernels import OPTIMAL, UNFINISHED, Tableau, optimise

    end = np.inf if time_limit is None else time.monotonic() + time_limit
    g, d = P.shape
    matrix = np.ascontiguousarray(P.T, dtype=float)
    numbers = c - matrix @ m, np.ones(g), 1.0 + default_perturbation(g)
    others, basics = np.split(np.arange(g + d, dtype=np.int64), [g])
    basis: Any = (np.ones(d), basics, others, np.ones(g, bool))
    t = Tableau(matrix.copy(), *numbers, np.append(m, np.full(d, np.inf)), *basis)
    ended, left = UNFINISHED, MOST * (g + d)
    while ended == UNFINISHED and left > 0:
        if time.monotonic() > end:
            return LPSolution(status="time limit")
        ended, left = optimise(t, STEPS), left - STEPS
    if ended != OPTIMAL:
        return None
    x, slope, basic = np.zeros(g + d), np.zeros(g + d), np.zeros(g + d, dtype=bool)
    x[t.other] = np.where(t.at_upper, t.cap[t.other], 0.0)
    x[t.basic], slope[t.other], basic[t.basic] = t.value, t.slope, True
    mu, duals = np.clip(x[:g], 0.0, m), np.minimum(slope[g:], 0.0)
    value = float(mu.sum())
    primal = -float(c @ duals) + float(m @ np.maximum(0.0, 1.0 + duals @ matrix))
    overdrawn = (matrix @ mu - c).max(initial=0.0)
    # written so that NaN fails the check
    if not (overdrawn <= EXACT and abs(primal - value) <= EXACT * max(1.0, value)):
        return None
    return LPSolution(mu, value, duals, "optimal", value, "", basic[:g], basic[g:])
