"""The best single clause, with a proof, and all near it: branch and bound on rows kept as bits."""

# The value of a clause, an AND of literals, is the weight of the described rows it holds for, minus
# the weight of the other rows it holds for, minus θ a literal; the rule without clauses is worth
# nothing. Maximising it is minimising training errors plus θ times literals over rules of one
# clause.
#
# Legend:
#   P, N   rows of the described and of the other class that the clause holds for
#   loss   weight that a literal takes from P
#   gain   weight that it takes from N
#   slot   literals of one slot exclude each other: of nested half-lines one is enough
#   own    what a literal alone takes from N: rows that no other literal of the clause takes
#   step   rows of N between a literal and the next looser one of its slot
#
# Every subset of literals has a literal of largest loss. A node branches over which one that is,
# and leaves to the branch only literals of smaller loss: each subset is met once, and ``P - loss``
# bounds what is left of P at once. Rows are packed into 64-bit words, sorted by weight where there
# are few distinct weights; else each byte of a word is looked up in a table.
#
# Near the best one a clause is listed if leaving out any of its literals would cost more than its
# price saves. Every other clause within the margin loses its idle literals without being worth
# less.

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning.binned_table import Bools, Floats
from rulekit.search.box_search.problem import Boxes, BoxRows, End, Ints, join_ends
from rulekit.search.machine_code import allocate

BETTER = 1e-9
Words = NDArray[np.uint64]
CLASSES = 8  # largest number of distinct weights for which rows are counted by weight
ALL_TESTS = 10**12  # only time ends a search
CHUNK = 100_000  # tests between two looks at the clock


@dataclass(frozen=True, slots=True)
class ClauseLimits:
    """When to give up on a proof."""

    max_tests: int = 20_000_000
    should_stop: Callable[[], bool] = field(default=lambda: False)


@dataclass(frozen=True, slots=True)
class ExactClause:
    """The best clause found, and whether it is proved to be the best."""

    chosen: tuple[int, ...] | None
    value: float
    proved: bool
    n_tests: int
    upper: float


@dataclass(frozen=True, slots=True)
class NearBest:
    """The clauses near the best one, the best first."""

    clauses: tuple[tuple[int, ...], ...]
    values: tuple[float, ...]
    margin: float
    complete: bool
    n_tests: int


def half_lines(problem: BoxRows) -> tuple[list[End], list[int]]:
    """List every literal that a box may use, and the slot of each, shape (d,)."""
    limits: list[End] = []
    slots: list[int] = []
    for f in range(problem.n_features):
        last, lacks = int(problem.n_bins[f]) - 1, bool(problem.has_missing[f])
        starts = [c for c in range(1, last + 1) if np.asarray(problem.may_start)[f, c]]
        ends = [c for c in range(last) if np.asarray(problem.may_end)[f, c]]
        for variant, a in enumerate((True, False) if lacks else (True,)):
            limits += [(f, c, last, a) for c in starts] + [(f, 0, c, a) for c in ends]
            slots += [4 * f + variant] * len(starts) + [4 * f + 2 + variant] * len(ends)
        if lacks and np.asarray(problem.may_test_missing)[f]:
            limits += [(f, 0, last, False), (f, 1, 0, True)]
            slots += [4 * problem.n_features + 2 * f, 4 * problem.n_features + 2 * f + 1]
    return limits, slots


class BoxClauses:
    """Finds the best clause among the boxes of a problem."""

    def __init__(self, problem: BoxRows) -> None:
        self.problem = problem
        self._limits, self._slots = half_lines(problem)
        self._holds = np.zeros((problem.n_rows, len(self._limits)), bool)
        feature, low, high, absent = np.array(self._limits, np.int64).reshape(-1, 4).T
        for f in range(problem.n_features):
            some, code = np.flatnonzero(feature == f), problem.codes[:, [f]]
            inside = (code >= low[some]) & (code <= high[some])
            self._holds[:, some] = np.where(code == problem.n_bins[f], absent[some] > 0, inside)

    def find_best(
        self, theta: float, weight: Floats, incumbent: float, limits: ClauseLimits
    ) -> tuple[ExactClause, Boxes | None]:
        """Search as `ClauseSearch.find_best` does."""
        y, slots = self.problem.y, self._slots
        best = ClauseSearch(self._holds, y, theta, slots, weight, incumbent, limits).find_best()
        if best.chosen is None:
            return best, None
        return best, join_ends(self.problem.n_bins, [self._limits[j] for j in best.chosen])


class ClauseSearch:
    """Branch and bound over literals, with the rows that weigh anything packed into words."""

    def __init__(
        self,
        holds: Bools,
        y: Bools,
        theta: float,
        slots: Sequence[int] | None = None,
        weight: Floats | None = None,
        incumbent: float = 0.0,
        limits: ClauseLimits | None = None,
    ) -> None:
        # Shapes: holds (n, d), y (n,), slots d, weight (n,).
        weight = np.ones(len(y)) if weight is None else weight
        slots = range(holds.shape[1]) if slots is None else slots
        _, exponent = math.frexp(float(weight.sum()))
        unit = math.ldexp(1.0, max(exponent - 52, -1000))
        weight = np.rint(weight / unit) * unit
        P, N = y & (weight > 0), ~y & (weight > 0)
        self.P, self.N, self.weight_p, self.weight_n = holds[P], holds[N], weight[P], weight[N]
        self.theta, self.limits = float(theta), limits or ClauseLimits()
        self.incumbent = max(float(incumbent), 0.0)
        self.slot = np.unique(np.asarray(slots, dtype=np.int64), return_inverse=True)[1].reshape(-1)
        self.step = ~self.N  # (rows of the other class, d)
        # nested literals, from the loosest on
        order = np.lexsort((np.arange(len(self.slot)), -holds.sum(axis=0), self.slot))
        nested = self.slot[order[1:]] == self.slot[order[:-1]]
        self.step[:, order[1:][nested]] &= self.N[:, order[:-1][nested]]

    def find_best(self) -> ExactClause:
        """Find the clause of the highest value among all subsets of literals; exponential."""
        # Safe prunes: a literal must take at least θ from N that no other one takes, a share that
        # only shrinks, and some of it in its step; the best gain of each slot bounds what all
        # literals of smaller loss can take together.
        if self.theta <= 0:
            raise ValueError(f"`theta` must be positive for an exact search, got {self.theta!r}.")
        # no longer clause has a positive value
        paid = min(float(self.weight_p.sum()), float(self.weight_n.sum())) / self.theta
        depth = int(min(int(self.slot.max(initial=-1)) + 1, paid)) + 1
        self._start(self.step, depth, 0, len(self.slot), self.incumbent)
        proved = self._go_on(0.0)
        record, counts, bound = self.record, self.record.counts, self._levels.bound
        value, size = float(record.value[0]), int(counts[self._kernel.LENGTH])
        upper, level = value, counts[self._kernel.LEVEL]
        if not proved:  # bounds of all open nodes
            upper = max(value, -np.inf if level else float(self.weight_p.sum()))
            for t in range(level):
                upper = max(upper, float(bound[t, : self._levels.next[t] + 2].max(initial=-np.inf)))
        chosen = None if size < 0 else tuple(int(j) for j in record.best[:size])
        return ExactClause(chosen, value, proved, self.n_tests, upper)

    def list_near_best(self, margin: float, max_conditions: int, most: int = 10_000) -> NearBest:
        """List all clauses that are worth at most `margin` less than the best."""
        depth = min(max_conditions, int(self.slot.max(initial=-1)) + 1)
        floor = self.incumbent - margin - 2 * BETTER
        self._start(np.ones_like(self.step), depth + 1, most, depth, floor)  # steps are ignored
        record, shrunk = self.record, False
        while not (done := self._go_on(margin)) and record.n_near[0] == most:
            shrunk |= not _prune(record)
            if record.n_near[0] == most:  # as many as there is room for, all worth the same
                break
        sizes = zip(record.near[: record.n_near[0]], record.size, record.column, strict=False)
        floor = float(record.value[0]) + BETTER
        listed = sorted((-v, s, tuple(sorted(c[:s].tolist()))) for v, s, c in sizes if v > floor)
        clauses, values = tuple(c for _, _, c in listed), tuple(-float(v) for v, _, _ in listed)
        best = max([self.incumbent, *values[:1]])
        reach = best - float(record.value[0]) - 2 * BETTER if shrunk else margin
        return NearBest(clauses, values, reach, done, self.n_tests)

    @property
    def n_tests(self) -> int:
        """Number of literals tried."""
        return int(self.record.counts[self._kernel.TESTS])

    def _start(self, step: Bools, depth: int, room: int, size: int, floor: float) -> None:
        """Pack the rows into words, and allocate the levels of the tree and what is recorded."""
        from rulekit.search.clause_generation import exact_kernels as kernel

        self._kernel, d = kernel, len(self.slot)
        (p_order, wp), (n_order, wn) = _weights(self.weight_p), _weights(self.weight_n)
        P, N, steps = _words(self.P, p_order), _words(self.N, n_order), _words(step, n_order)
        weights = kernel.RowWeights(*wp), kernel.RowWeights(*wn)
        self._task = kernel.Task(self.theta, P, N, steps, self.slot, *weights)
        p, n, many = len(p_order) // 64, len(n_order) // 64, depth + 1
        rows, columns = ((many, p), (many, n), (many, many, n)), ((many, d), (many, d), (many, d))
        parts = *rows, many, *columns, many, many, d + 1, d + 1, 1, n, n, d
        self._levels = levels = allocate(kernel.LEVELS, *parts)
        levels.P[0] = _words((p_order >= 0)[:, None], np.arange(len(p_order)))[0]
        levels.N[0] = _words((n_order >= 0)[:, None], np.arange(len(n_order)))[0]
        levels.live[0], levels.n_live[0] = np.arange(d), d
        self.record = allocate(kernel.RECORD, 1, 4, many, room, room, (room, size), 1, p)
        self.record.value[0], self.record.counts[:] = floor, (0, 0, -1, 1)

    def _go_on(self, margin: float) -> bool:
        """Search until the tree is done (True), or until room, tests or time run out (False)."""
        record, search = self.record, self._kernel.search
        step = max(CHUNK, len(self.slot))  # a level has at most d tests: each chunk gets on
        while True:
            if (left := self.limits.max_tests - self.n_tests) <= 0 or self.limits.should_stop():
                return False
            budget = min(step, left)
            if search(self._levels, self._task, record, margin, budget):
                return True
            if budget == left or 0 < len(record.near) == record.n_near[0]:
                return False


def _weights(weight: Floats) -> tuple[Ints, tuple[Floats, Floats]]:
    """Return the row of each bit (-1: none), and `unit` and `table` of `RowWeights`."""
    values = np.unique(weight)
    if len(values) > CLASSES:
        order = _pad_words(np.arange(len(weight)))
        padded = np.where(order >= 0, weight[order], 0.0).reshape(-1, 8)
        patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
        return order, (np.zeros(0), (padded @ patterns.T.astype(float)).ravel())
    parts = [_pad_words(np.flatnonzero(weight == v)) for v in values]
    order = np.concatenate([*parts, np.zeros(0, np.int64)])
    return order, (np.repeat(values, [len(part) // 64 for part in parts]), np.zeros(0))


def _pad_words(rows: NDArray[np.intp]) -> Ints:
    """Fill up to whole words."""
    return np.concatenate([rows, np.full(-len(rows) % 64, -1)]).astype(np.int64)


def _words(masks: Bools, order: Ints) -> Words:
    """Pack the columns of a mask, shape (rows, d), into words: shape (d, words)."""
    bits = np.zeros((masks.shape[1], len(order)), bool)
    bits[:, order >= 0] = masks[order[order >= 0]].T
    packed = np.packbits(bits, axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u8").astype(np.uint64)


def _prune(record: Any) -> bool:
    """Drop what fell out of the margin; return whether that was enough, else halve the rest."""
    value = record.near[: record.n_near[0]]
    kept = np.flatnonzero(value > record.value[0] + BETTER)
    enough = len(kept) <= len(value) // 2
    if not enough:
        edge = np.sort(value)[len(value) // 2]
        if edge >= value.max() - BETTER:
            return False
        record.value[0] = edge
        kept = np.flatnonzero(value > edge + BETTER)
    for part in (record.near, record.size, record.column):
        part[: len(kept)] = part[kept]
    record.n_near[0] = len(kept)
    return enough
