"""Cuts of a finished rule, moved to any value of the training table.

Every interval of every clause is optimised anew, exactly, with all else fixed, by one histogram of
what each row saves and one pass over prefix sums. A "greater than" stays one, an "at most" too, so
that the number of literals stays. Legend, beside that of `problem`::

    A, y          the table as a CNF: a DNF clause requires column j to be False
    (a, b]        ranks that an interval takes; a = -1 and b = D - 1 where it has no such end
    g             what a row saves, by weight, when the interval takes it instead of refusing it
"""

from dataclasses import dataclass

import numpy as np

from rulekit.binning import BinnedTable
from rulekit.search.box_search.problem import ERRORS, Bools, BoxPrices, Floats, Ints
from rulekit.search.columns.clause_selection import MovableCuts

GAIN = 1e-9  # a cut is moved only for more than rounding
FAR = 1 << 30  # violations of a clause that is not there


@dataclass
class _Interval:
    """One interval of one clause: its columns, its ends and the rows it refuses."""

    ranks: Ints
    n_values: int
    low: int | None = None  # column of the "greater than"
    high: int | None = None  # column of the "at most"
    a: int = -1
    b: int = 0
    takes_missing: bool = False

    @property
    def refused(self) -> Bools:
        inside = (self.ranks > self.a) & (self.ranks <= self.b)
        return ~np.where(self.ranks < 0, self.takes_missing, inside)


def refined_cuts(
    table: BinnedTable,
    form: str,
    movable: MovableCuts,
    chosen: Bools,
    prices: BoxPrices = ERRORS,
) -> tuple[dict[tuple[int, int], int], float]:
    """Optimise the intervals of a rule in turn, until none can be improved.

    Shapes: chosen (R, d).

    Notes
    -----
    O(n + D) for an interval of D distinct values. Among equal cuts, an interval with one end keeps
    the one next to the old cut; with two ends, the first.
    """
    work = _Refinement(table.as_cnf(form), movable, chosen, prices)
    places = [(r, s) for r, intervals in enumerate(work.intervals) for s in range(len(intervals))]
    while any(work.improve(r, s) for r, s in places):
        pass
    return work.moved(), work.loss()


class _Refinement:
    """The clauses under change."""

    def __init__(
        self,
        table: BinnedTable,
        movable: MovableCuts,
        chosen: Bools,
        prices: BoxPrices,
    ) -> None:
        self.table, self.movable, self.prices = table, movable, prices
        self.y, self.weight = table.y, table.weight
        self.intervals: list[list[_Interval]] = []
        self.refusals: list[list[Bools]] = []
        rest = []
        for row in chosen:
            columns = np.flatnonzero(row)
            cuts = [int(j) for j in columns if table.side[j]]
            intervals = self._intervals(cuts)
            self.intervals.append(intervals)
            self.refusals.append([i.refused for i in intervals])
            fixed = [j for j in columns if not table.side[j]]
            rest.append(table.values[:, fixed].sum(axis=1))
        self.start = [[(i.a, i.b) for i in intervals] for intervals in self.intervals]
        n = len(self.y)
        counts = [
            r + np.sum(refused, axis=0, dtype=np.int64, initial=0) if refused else r
            for r, refused in zip(rest, self.refusals, strict=True)
        ]
        self.v: Ints = np.array(counts, dtype=np.int64).reshape(len(counts), n)

    def _intervals(self, cuts: list[int]) -> list[_Interval]:
        """Gather the cuts of one clause by source column."""
        A, side = self.table.values, self.table.side
        intervals: dict[int, _Interval] = {}
        for j in cuts:
            source = int(self.table.feature[j])
            ranks = self.movable.ranks[source]
            n_values = int(ranks.max(initial=-1)) + 1
            interval = intervals.setdefault(source, _Interval(ranks, n_values, b=n_values - 1))
            present = ranks >= 0
            below = ranks[present & (A[:, j] == (side[j] < 0))]
            after = int(below.max(initial=-1))  # rank of the last value at most the cut
            if side[j] < 0:
                interval.low, interval.a = j, after
            else:
                interval.high, interval.b = j, after
            interval.takes_missing = bool(not A[~present, j].any() and (~present).any())
        return list(intervals.values())

    def improve(self, r: int, s: int) -> bool:
        """Move one interval to its best place, if that lowers the loss."""
        interval, refused = self.intervals[r][s], self.refusals[r][s]
        g = self._savings(r, self.v[r] - refused)
        present = interval.ranks >= 0
        H = np.bincount(interval.ranks[present], g[present], minlength=interval.n_values)
        upto = np.r_[0.0, np.cumsum(H)]  # upto[k + 1]: the first k + 1 values
        now = upto[interval.b + 1] - upto[interval.a + 1]
        a, b = self._best(interval, upto)
        if upto[b + 1] - upto[a + 1] <= now + GAIN:
            return False
        interval.a, interval.b = a, b
        self.refusals[r][s] = interval.refused
        self.v[r] += self.refusals[r][s].astype(np.int64) - refused
        return True

    def _best(self, interval: _Interval, upto: Floats) -> tuple[int, int]:
        """Best ends (a, b] of the same kind."""
        last = interval.n_values - 1
        cuts = np.arange(last)  # after which value
        lows = self._allowed(interval.low, cuts, interval.a)
        highs = self._allowed(interval.high, cuts, interval.b)
        if interval.high is None:
            return _nearest(-upto[lows + 1], lows, interval.a), interval.b
        if interval.low is None:
            return interval.a, _nearest(upto[highs + 1], highs, interval.b)
        lows, highs = lows[lows >= 0], highs[highs >= 0]
        cost = np.full(last + 1, np.inf)
        cost[lows] = upto[lows + 1]
        before = np.minimum.accumulate(np.r_[np.inf, cost[:-1]])  # the best start below each end
        worth = upto[highs + 1] - before[highs]
        if not np.isfinite(worth.max(initial=-np.inf)):
            return interval.a, interval.b
        b = int(highs[int(worth.argmax())])
        return int(cost[:b].argmin()), b

    def _allowed(self, column: int | None, cuts: Ints, now: int) -> Ints:
        """Cuts that may be made, and the one there is."""
        if column is None:
            return cuts
        barred = [k for j, k in self.movable.barred if j == column]
        return np.union1d(np.setdiff1d(cuts, barred), [now])

    def _savings(self, r: int, u: Ints) -> Floats:
        """Weigh what each row saves when taken, at `u` other violations of clause `r`."""
        others = np.delete(self.v, r, 0)
        nearest = others.min(axis=0, initial=FAR)
        holding = (others == 0).sum(axis=0)
        return self._costs(u + 1, nearest, holding) - self._costs(u, nearest, holding)

    def _costs(self, v: Ints, nearest: Ints, holding: Ints) -> Floats:
        """Price of each row at `v` violations of one clause; see `descent_kernels`."""
        prices = self.prices
        m = np.minimum(v, nearest)
        c = holding + (v == 0)
        described = np.where(m > 0, 1.0 + prices.miss * (m - 1), 0.0)
        other = np.where(c > 0, 1.0 + prices.overlap * (c - 1), 0.0) + prices.near * (v == 1)
        return np.asarray(np.where(self.y, other, described) * self.weight, dtype=float)

    def loss(self) -> float:
        """Price of all wrong rows."""
        prices = self.prices
        if not len(self.v):
            return float(self.weight[~self.y].sum())
        nearest, holding = self.v.min(axis=0), (self.v == 0).sum(axis=0)
        near = prices.near * (self.v == 1).sum(axis=0)
        described = np.where(nearest > 0, 1.0 + prices.miss * (nearest - 1), 0.0)
        other = np.where(holding > 0, 1.0 + prices.overlap * (holding - 1), 0.0) + near
        return float((self.weight * np.where(self.y, other, described)).sum())

    def moved(self) -> dict[tuple[int, int], int]:
        """List the cuts that are no longer where they were."""
        moved_cuts = {}
        for r, (intervals, starts) in enumerate(zip(self.intervals, self.start, strict=True)):
            for interval, (a, b) in zip(intervals, starts, strict=True):
                if interval.low is not None and interval.a != a:
                    moved_cuts[r, interval.low] = interval.a
                if interval.high is not None and interval.b != b:
                    moved_cuts[r, interval.high] = interval.b
        return moved_cuts


def _nearest(worth: Floats, cuts: Ints, now: int) -> int:
    """Of the best cuts the one next to the old."""
    best = np.flatnonzero(worth >= worth.max() - GAIN)
    return int(cuts[best[np.abs(cuts[best] - now).argmin()]])
