"""Rules without linear programs: coordinate descent on boxes, an archive of the best per size."""

# Re-optimising the whole interval of one feature of one clause is exact and costs one histogram
# (`move_kernels`); such steps, swaps, dropped and added clauses and perturbations, along a path of
# falling prices, fill an archive that answers every price θ and every limit on the clauses.
#
# `refine_cuts` moves the cuts of a finished rule to any value of the training table: every interval
# of every clause is optimised anew, exactly, in O(n + D). Legend, beside that of `problem`:
#   A, y          the table as a CNF: a DNF clause requires column j to be False
#   (a, b]        ranks that an interval takes; a = -1 and b = D - 1 where it has no such end
#   g             what a row saves, by weight, when the interval takes it instead of refusing it

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import Bools, Floats
from rulekit.exceptions import RuleError
from rulekit.search.box_search.problem import (
    BASE,
    ERRORS,
    Axes,
    Boxes,
    BoxPrices,
    BoxRows,
    Ints,
    spread_boxes,
    whole_box,
)
from rulekit.search.columns.clause_selection import MovableCuts

GAIN = 1e-9  # an entry is replaced only for more than rounding
MANY_ROWS, PART_ROWS = 80_000, 20_000
MANY_COLUMNS, PART_COLUMNS = 512, 256
MOST_GIB = 8  # of what one descent logs


class BoxMoves:
    """Work arrays of a problem and moves of single clauses; the first object loads the kernels."""

    def __init__(
        self, problem: Any, y: Bools, charges: Floats, rows: Any = slice(None), max_clauses: int = 1
    ) -> None:
        from rulekit.search.box_search import descent_kernels

        self._kernels = descent_kernels
        arrays = descent_kernels.new_arrays(problem, y, charges, rows, max_clauses)
        self._table, self._work, self._pair_buffers = arrays

    def start_clause(self, k: int, theta: float) -> None:
        """Choose the best box on at most two features for place k, see `descent_kernels`."""
        self._kernels.start_clause(self._table, self._work, self._pair_buffers, k, theta)

    def improve_each(self, starts: Boxes, theta: float) -> tuple[Boxes, Floats]:
        """Improve each clause by itself, for prices of training errors; result (k, 1 + p)."""
        boxes, slots = starts.copy(), len(self._work.settled)
        saved = np.zeros((len(boxes), 1 + boxes.shape[1]))
        names, owners = np.zeros(slots, np.uint64), np.zeros(slots, np.int64)
        self._kernels.improve_each(self._table, self._work, boxes, saved, names, owners, theta)
        return boxes, saved


class SingleBox(BoxMoves):
    """Finds boxes that save much; savings must be multiples of one number, for exact sums."""

    def __init__(self, problem: Any) -> None:
        n = len(problem.cells)
        super().__init__(problem, np.zeros(n, np.bool_), np.zeros((n, 3)))

    def start_box(self, savings: Floats, theta: float) -> Ints:
        """Find the best box on at most two features, see `descent_kernels`."""
        self._price(savings)
        if self._work.box.shape[1]:
            self.start_clause(0, theta)
        return np.asarray(self._work.box[0, :, :3].copy())

    def improve(self, savings: Floats, box: Ints, theta: float) -> Ints:
        """Change one feature of a box, or two at once, until nothing saves more."""
        self._price(savings)
        return np.asarray(self.improve_each(box[None], theta)[0][0])

    def _price(self, savings: Floats) -> None:
        """Charge the rows: one that saves is described, one that costs is of the other class."""
        np.greater(savings, 0.0, out=self._table.y)
        self._table.charges[:, 0] = savings


@dataclass(frozen=True)
class Entry:
    """Size and loss of a rule."""

    n_clauses: int
    n_conditions: int
    loss: float

    def objective(self, theta: float) -> float:
        """Loss plus the price of the literals."""
        return self.loss + theta * self.n_conditions


@dataclass(frozen=True, slots=True)
class ArchiveEntry(Entry):
    """One rule of the archive."""

    boxes: Any  # `Boxes`, or a `RuleList`


AnyEntry = TypeVar("AnyEntry", bound=Entry)


def cheapest_entry(
    entries: Iterable[AnyEntry],
    theta: float,
    n_clauses: int | None = None,
    max_conditions: int | None = None,
) -> AnyEntry:
    """Return the entry of the least objective; ties by conditions, then clauses."""
    return cheapest_entries(entries, [(theta, n_clauses, max_conditions)])[0]


def cheapest_entries(
    entries: Iterable[AnyEntry], limits: Iterable[tuple[float, int | None, int | None]]
) -> list[AnyEntry]:
    """Return the cheapest entry for each price, largest number of clauses and of conditions."""
    entries, cheapest = tuple(entries), []
    for theta, n_clauses, max_conditions in limits:
        allowed = [
            (round(e.loss + theta * e.n_conditions, 9), e.n_conditions, e.n_clauses, k)
            for k, e in enumerate(entries)
            if (n_clauses is None or e.n_clauses <= n_clauses)
            and (max_conditions is None or e.n_conditions <= max_conditions)
        ]
        if not allowed:
            fewest = min(e.n_clauses for e in entries), min(e.n_conditions for e in entries)
            raise RuleError(
                f"No rule found has at most {n_clauses} clauses and {max_conditions} conditions "
                f"(None: any number); the fewest are {fewest[0]} clauses and {fewest[1]} "
                "conditions. Raise `n_clauses` or `max_conditions`."
            )
        cheapest.append(entries[min(allowed)[-1]])
    return cheapest


class Archive:
    """The best rule for each (clauses, literals), from which any θ and clause limit is answered."""

    # Entries are only replaced by better ones: answers never get worse during a search.

    def __init__(self, problem: BoxRows) -> None:
        self.problem = problem
        self._entries: dict[tuple[int, int], ArchiveEntry] = {}
        missed = float(problem.charges[problem.y, BASE].sum())
        self.offer(missed, 0, np.zeros((0, len(problem.n_bins), 3), np.int64))

    @property
    def entries(self) -> tuple[ArchiveEntry, ...]:
        """All entries, by clauses and then literals."""
        return tuple(self._entries[key] for key in sorted(self._entries))

    def offer(self, loss: float, n_conditions: int, boxes: Any) -> bool:
        """Keep a rule if it is the best of its size; return whether it was."""
        if not self.improves(len(boxes), n_conditions, loss):
            return False
        entry = ArchiveEntry(len(boxes), n_conditions, loss, boxes)
        self._entries[entry.n_clauses, n_conditions] = entry
        return True

    def improves(self, n_clauses: int, n_conditions: int, loss: float) -> bool:
        """Return whether a rule of this size and loss would be kept."""
        entry = self._entries.get((n_clauses, n_conditions))
        return entry is None or loss < entry.loss - GAIN

    def answer(self, n_clauses: int, theta: float) -> ArchiveEntry:
        """Return the best entry of at most `n_clauses` clauses at price `theta`."""
        allowed = [e for e in self._entries.values() if e.n_clauses <= n_clauses]
        values = [e.loss + theta * e.n_conditions for e in allowed]
        least = min(values) + 2 * GAIN  # all that rounding may make equal to the least
        near = (e for e, value in zip(allowed, values, strict=True) if value <= least)
        return cheapest_entry(near, theta)


class Descent(BoxMoves):
    """Improves rules of one problem."""

    def __init__(self, problem: BoxRows, max_clauses: int = 1) -> None:
        self.problem = problem
        charges, y = problem.charges.copy(), problem.y
        charges[~y, BASE] *= -1.0
        rows = np.flatnonzero(charges.any(axis=1))  # rows without any charge change nothing
        p, k = len(problem.n_bins), max_clauses
        self._full_grown: set[tuple[float, bytes]] = set()  # where no clause can be added
        # by start: the fewest clauses with which a visit ends before it has added all
        self._ended: dict[tuple[float, bytes, bool], int] = {}
        self._grown: dict[tuple[float, bytes], Ints] = {}  # and the clause that was added elsewhere
        super().__init__(problem, y, charges, rows, k)
        # a visit descends twice; a descent records each clause left out for every clause dropped
        # and for every time that none is, and the rule itself; growth records before and after
        entries = 2 * ((2 * k + 1) * k + k + 1) + 2 * k + 1
        if (gib := entries * k * p * 24 / 2**30) > MOST_GIB:
            most = int((MOST_GIB * 2**30 / (96 * p)) ** (1 / 3)) - 1  # entries < 4 (k + 1)^2
            raise ValueError(
                f"A search for {k} clauses on {p} columns needs {gib:,.0f} GiB. "
                f"Set `n_clauses` to {most} or less."
            )
        log = np.empty((entries, k, p, 3), np.int64), np.empty((entries, 2), np.int64)
        self._log = self._kernels.moves.Log(*log, np.empty(entries), np.zeros(1, np.int64))

    def price(self, archive: Archive, boxes: Boxes) -> None:
        """Offer a rule to the archive as it is."""
        self._enter(boxes, self._kernels.RECORD, 0.0)
        self._offer(archive)

    def features_of(self, worth: Floats, most: int) -> Ints:
        """List the features of the `most` columns that have the feature worth most."""
        column, best = self._table.features[:, 1], np.full(len(self._table.cells), -np.inf)
        np.maximum.at(best, column, worth)
        return np.flatnonzero(np.isin(column, np.argsort(-best, kind="stable")[:most]))

    def visit(
        self, archive: Archive, boxes: Boxes, n_clauses: int, theta: float, *, undisturbed: bool
    ) -> None:
        """Descend from a rule at one price, fill it up, descend again; archive what is found."""
        kernels, grew, start = self._kernels, False, (theta, boxes.tobytes(), undisturbed)
        if self._ended.get(start, np.inf) <= n_clauses:
            return
        k = self._enter(boxes, kernels.IMPROVE if undisturbed else kernels.RECORD, theta)
        while k < n_clauses:
            key = theta, self._work.box[:k].tobytes()
            if key in self._full_grown:  # a search comes back to most of its rules
                self._ended[start] = n_clauses
                break
            if is_known := key in self._grown:
                self._work.box[k] = self._grown[key]
            data = self._table, self._work, self._log, self._pair_buffers
            if not kernels.grow(*data, k, theta, is_known):
                self._full_grown.add(key)
                self._ended[start] = n_clauses
                break
            self._grown[key] = self._work.box[k].copy()
            k, grew = k + 1, True
        if grew or not undisturbed:
            self._visit(kernels.DESCEND, k, theta)
        self._offer(archive)

    def _visit(self, task: int, k: int, theta: float) -> int:
        """Run a part of a visit on the first k clauses; return their number then."""
        name = np.float64(theta).view(np.uint64)
        return int(self._kernels.visit(self._table, self._work, self._log, task, k, theta, name))

    def _enter(self, boxes: Boxes, task: int, theta: float) -> int:
        """Start with the clauses of a rule and an empty log, by the first part of a visit."""
        self._work.box[: len(boxes), :, :3] = boxes
        return self._visit(task, len(boxes), theta)

    def _offer(self, archive: Archive) -> None:
        """Offer what was logged."""
        log, n = self._log, int(self._log.count[0])
        entries = zip(log.size[:n].tolist(), log.loss[:n].tolist(), strict=True)
        for j, ((size, n_conditions), loss) in enumerate(entries):
            if archive.improves(size, n_conditions, loss):
                archive.offer(loss, n_conditions, log.box[j, :size].copy())

    def choose_alone(self, theta: float) -> tuple[Floats, Boxes]:
        """Choose an interval of each feature, for a rule of one feature; result (p,)."""
        self._kernels.choose_alone(self._table, self._work, theta)
        return self._work.gain[:, 0].copy(), self._work.choice[None].copy()

    def offer_conditions(self, archive: Archive) -> None:
        """Offer the best single condition: a new clause starts from two, which may both pay."""
        problem, may = self.problem, self._table.may
        for end in range(2):
            allowed = may[:, :, end].copy()
            may[:, :, end] = False  # so that an interval has one end
            saved, alone = self.choose_alone(0.0)
            may[:, :, end] = allowed
            single = problem.count_literals(alone)[0] == 1
            if single.any():
                best = np.array([np.where(single, saved, -np.inf).argmax()])
                self.price(archive, spread_boxes(alone[:, best], best, problem.n_bins))


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What a search visits."""

    thetas: Sequence[float]
    max_clauses: int = 5
    n_perturbations: int = 3


def search(
    table: BinnedTable,
    plan: SearchPlan,
    rng: np.random.Generator,
    should_stop: Callable[[], bool] = lambda: False,
    prices: BoxPrices = ERRORS,
    axes: Axes | None = None,
) -> Archive:
    """Search the best rule of each size over the conditions of a table; see `search_rows`."""
    rows = BoxRows.from_table(table, prices, axes=axes)
    descent = Descent(rows, plan.max_clauses)
    archive = search_rows(rows, plan, rng, should_stop, descent)
    loss = float(rows.charges[~rows.y, BASE].sum())
    if loss < archive.entries[0].loss:  # the search meets this box on its way to other rules only
        archive.offer(loss, 0, whole_box(rows.n_bins))
    descent.offer_conditions(archive)
    return archive


def search_rows(
    problem: BoxRows,
    plan: SearchPlan,
    rng: np.random.Generator,
    should_stop: Callable[[], bool] = lambda: False,
    descent: Descent | None = None,
) -> Archive:
    """Search the best rule of each size."""
    # With many rows, a part is searched and one last round uses all rows. With many columns,
    # perturbations only use the most promising ones and those of rules found.
    archive, descent = Archive(problem), descent or Descent(problem, plan.max_clauses)
    if problem.n_rows > MANY_ROWS:
        for entry in search_rows(problem.part(PART_ROWS), plan, rng, should_stop).entries:
            descent.price(archive, entry.boxes)
        plan = replace(plan, n_perturbations=0)
    _make_round(archive, descent, plan, None, should_stop)
    kept = np.arange(len(problem.n_bins))
    if plan.n_perturbations and problem.cells.shape[1] > MANY_COLUMNS:
        used = [problem.count_literals(e.boxes) for e in archive.entries]
        # of the columns whose changes came nearest to the best change
        promising = descent.features_of(descent._work.reach, PART_COLUMNS)
        kept = np.union1d(promising, np.flatnonzero(np.vstack(used).any(0)))
        descent = Descent(problem.take_features(kept), plan.max_clauses)
    inner = Archive(descent.problem)
    for entry in archive.entries:
        inner.offer(entry.loss, entry.n_conditions, entry.boxes[:, kept])
    for _ in range(plan.n_perturbations):
        if should_stop():
            break
        _make_round(inner, descent, plan, rng, should_stop)
        for entry in inner.entries:
            if archive.improves(entry.n_clauses, entry.n_conditions, entry.loss):
                boxes = spread_boxes(entry.boxes, kept, problem.n_bins)
                archive.offer(entry.loss, entry.n_conditions, boxes)
    return archive


def _make_round(
    archive: Archive,
    descent: Descent,
    plan: SearchPlan,
    rng: np.random.Generator | None,
    should_stop: Callable[[], bool],
) -> None:
    """Visit every number of clauses and every price, perturbed where there is a generator."""
    thetas = sorted(set(map(float, plan.thetas)), reverse=True)
    for n_clauses, theta in product(range(1, plan.max_clauses + 1), thetas):
        if should_stop():
            return
        start = archive.answer(n_clauses, theta).boxes
        if rng is not None:
            start = perturb(descent.problem, start, rng)
        descent.visit(archive, start, n_clauses, theta, undisturbed=rng is None)


def perturb(problem: BoxRows, boxes: Boxes, rng: np.random.Generator) -> Boxes:
    """Disturb a rule: drop a random clause, or force a random half-line on one, or both."""
    drops, forces = rng.random(2) < 0.7
    if drops and len(boxes):
        boxes = np.delete(boxes, int(rng.integers(len(boxes))), axis=0)
    if not (forces and len(boxes) and len(problem.n_bins)):
        return boxes
    r, f = int(rng.integers(len(boxes))), int(rng.integers(len(problem.n_bins)))
    last = int(problem.n_bins[f]) - 1
    starts = 1 + np.flatnonzero(np.asarray(problem.may_start)[f, 1 : last + 1])
    ends = np.flatnonzero(np.asarray(problem.may_end)[f, :last])
    if not (n_half_lines := len(starts) + len(ends)):
        return boxes
    pick = int(rng.integers(n_half_lines))
    boxes, above = boxes.copy(), pick < len(starts)
    boxes[r, f] = (starts[pick], last, 0) if above else (0, ends[pick - len(starts)], 0)
    return boxes


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


def refine_cuts(
    table: BinnedTable, movable: MovableCuts, chosen: Bools, prices: BoxPrices = ERRORS
) -> tuple[dict[tuple[int, int], int], float]:
    """Optimise the intervals of a rule in turn, until none can be improved; chosen (R, d)."""
    work = _Refinement(table.opposite, movable, chosen, prices)
    places = [(r, s) for r, intervals in enumerate(work.intervals) for s in range(len(intervals))]
    while any(work.improve(r, s) for r, s in places):
        pass
    moved: dict[tuple[int, int], int] = {}
    for r, (intervals, starts) in enumerate(zip(work.intervals, work.start, strict=True)):
        for interval, (a, b) in zip(intervals, starts, strict=True):
            ends = (interval.low, interval.a, a), (interval.high, interval.b, b)
            moved |= {(r, j): now for j, now, then in ends if j is not None and now != then}
    return moved, work.loss()


class _Refinement:
    """The clauses under change."""

    def __init__(
        self, table: BinnedTable, movable: MovableCuts, chosen: Bools, prices: BoxPrices
    ) -> None:
        self.table, self.movable, self.prices = table, movable, prices
        self.y, self.weight = table.y, table.weight
        cuts = chosen & (table.side != 0)
        self.intervals = [self._intervals(np.flatnonzero(row).tolist()) for row in cuts]
        self.refusals = [[i.refused for i in intervals] for intervals in self.intervals]
        self.start = [[(i.a, i.b) for i in intervals] for intervals in self.intervals]
        fixed = (table.values[:, row].sum(axis=1) for row in chosen & ~cuts)
        counts = [rest + sum(r) for rest, r in zip(fixed, self.refusals, strict=True)]
        self.v: Ints = np.array(counts, dtype=np.int64).reshape(len(counts), len(self.y))

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
        u, others = self.v[r] - refused, np.delete(self.v, r, 0)  # violations without it
        beside = others.min(axis=0, initial=FAR), (others == 0).sum(axis=0)
        g = self._costs(u + 1, *beside) - self._costs(u, *beside)
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
        lows = self._list_allowed_cuts(interval.low, cuts, interval.a)
        highs = self._list_allowed_cuts(interval.high, cuts, interval.b)
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

    def _list_allowed_cuts(self, column: int | None, cuts: Ints, now: int) -> Ints:
        """Cuts that may be made, and the one there is."""
        if column is None:
            return cuts
        barred = [k for j, k in self.movable.barred if j == column]
        return np.union1d(np.setdiff1d(cuts, barred), [now])

    def _costs(self, v: Ints, nearest: Ints, holding: Ints) -> Floats:
        """Price of each row at `v` violations of one clause; see `descent_kernels`."""
        return self._price_rows(np.minimum(v, nearest), holding + (v == 0), v == 1)

    def _price_rows(self, nearest: Ints, holding: Ints, n_near: NDArray[Any]) -> Floats:
        """Price each row by its violations, the clauses that hold, and those one off."""
        prices = self.prices
        described = np.where(nearest > 0, 1.0 + prices.miss * (nearest - 1), 0.0)
        other = np.where(holding > 0, 1.0 + prices.overlap * (holding - 1), 0.0)
        other = other + prices.near * n_near
        return np.asarray(np.where(self.y, other, described) * self.weight, dtype=float)

    def loss(self) -> float:
        """Price of all wrong rows."""
        if not len(self.v):
            return float(self.weight[~self.y].sum())
        counts = self.v.min(axis=0), (self.v == 0).sum(axis=0), (self.v == 1).sum(axis=0)
        return float(self._price_rows(*counts).sum())


def _nearest(worth: Floats, cuts: Ints, now: int) -> int:
    """Of the best cuts the one next to the old."""
    best = np.flatnonzero(worth >= worth.max() - GAIN)
    return int(cuts[best[np.abs(cuts[best] - now).argmin()]])
