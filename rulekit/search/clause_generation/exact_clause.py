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
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning import BinnedTable
from rulekit.search.box_search.problem import Boxes, BoxRows, whole_box

BETTER = 1e-9
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
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


# feature, first and last bin, whether missing values are accepted
HalfLine = tuple[int, int, int, bool]

BestBox = Callable[[float, Floats, float, ClauseLimits], tuple[ExactClause, Boxes | None]]


@dataclass(frozen=True, eq=False)
class ClauseTask:
    """The literals over the rows that weigh anything."""

    P: Bools
    N: Bools
    weight_p: Floats
    weight_n: Floats
    theta: float
    slot: Ints  # (d,)
    step: Bools  # (rows of the other class, d)
    incumbent: float
    limits: ClauseLimits


def clause_task(
    holds: Bools,
    y: Bools,
    theta: float,
    slots: Sequence[int] | None = None,
    weight: Floats | None = None,
    incumbent: float = 0.0,
    limits: ClauseLimits | None = None,
) -> ClauseTask:
    """Sort the rows by class, leave out those of weight zero, and find the steps."""
    # Shapes: holds (n, d), y (n,), slots d, weight (n,).
    weight = np.ones(len(y)) if weight is None else weight
    slots = range(holds.shape[1]) if slots is None else slots
    _, exponent = math.frexp(float(weight.sum()))
    unit = math.ldexp(1.0, max(exponent - 52, -1000))
    weight = np.rint(weight / unit) * unit
    P, N = holds[y & (weight > 0)], holds[~y & (weight > 0)]
    slot = np.unique(np.asarray(slots, dtype=np.int64), return_inverse=True)[1].reshape(-1)
    step = ~N
    # nested literals, from the loosest on
    order = np.lexsort((np.arange(len(slot)), -holds.sum(axis=0), slot))
    for looser, tighter in pairwise(order):
        if slot[looser] == slot[tighter]:
            step[:, tighter] &= N[:, looser]
    return ClauseTask(
        P,
        N,
        weight[y & (weight > 0)],
        weight[~y & (weight > 0)],
        float(theta),
        slot,
        step,
        max(float(incumbent), 0.0),
        limits or ClauseLimits(),
    )


def half_lines(problem: BoxRows) -> tuple[list[HalfLine], list[int]]:
    """List every literal that a box may use, and the slot of each, shape (d,)."""
    limits: list[HalfLine] = []
    slots: list[int] = []
    for f in range(problem.n_features):
        last, lacks = int(problem.n_bins[f]) - 1, bool(problem.has_missing[f])
        accepts = (True, False) if lacks else (True,)
        starts = [c for c in range(1, last + 1) if np.asarray(problem.may_start)[f, c]]
        ends = [c for c in range(last) if np.asarray(problem.may_end)[f, c]]
        for variant, a in enumerate(accepts):
            limits += [(f, c, last, a) for c in starts] + [(f, 0, c, a) for c in ends]
            slots += [4 * f + variant] * len(starts) + [4 * f + 2 + variant] * len(ends)
        if lacks and np.asarray(problem.may_test_missing)[f]:
            limits += [(f, 0, last, False), (f, 1, 0, True)]
            slots += [4 * problem.n_features + 2 * f, 4 * problem.n_features + 2 * f + 1]
    return limits, slots


def best_box_search(problem: BoxRows) -> BestBox:
    """Return a function of theta, weight, incumbent and limits: `best_clause` over boxes."""
    limits, slots = half_lines(problem)
    holds = np.zeros((problem.n_rows, len(limits)), bool)
    for j, (f, low, high, absent) in enumerate(limits):
        code = problem.codes[:, f]
        inside = (code >= low) & (code <= high)
        holds[:, j] = np.where(code == problem.n_bins[f], absent, inside)

    def best_box(
        theta: float, weight: Floats, incumbent: float, allowed: ClauseLimits
    ) -> tuple[ExactClause, Boxes | None]:
        best = best_clause(clause_task(holds, problem.y, theta, slots, weight, incumbent, allowed))
        chosen = None if best.chosen is None else [limits[j] for j in best.chosen]
        return best, None if chosen is None else box_of_literals(problem, chosen)

    return best_box


def best_clause_of_table(
    table: BinnedTable, theta: float, incumbent: float, limits: ClauseLimits
) -> tuple[ExactClause, Bools | None]:
    """Find the best clause over the conditions of a table, see `best_clause`; return it chosen."""
    rows = BoxRows.from_table(table)
    search_boxes = best_box_search(rows)
    best, box = search_boxes(theta, np.asarray(rows.weight), incumbent, limits)
    return best, None if box is None else rows.find_conditions(box)


def box_of_literals(problem: BoxRows, literals: Sequence[HalfLine]) -> Boxes:
    """Return the clause that joins literals by AND."""
    box = whole_box(problem.n_bins)
    low, high, absent = box.low, box.high, box.absent
    for f, first, last, accepts in literals:
        low[0, f], high[0, f] = max(low[0, f], first), min(high[0, f], last)
        absent[0, f] &= accepts
    return box


def best_clause(task: ClauseTask) -> ExactClause:
    """Find the clause of the highest value among all subsets of literals; exponential at worst."""
    # Safe prunes: a literal must take at least θ from N that no other one takes, a share that only
    # shrinks, and some of it in its step; the best gain of each slot bounds what all literals of
    # smaller loss can take together.
    if task.theta <= 0:
        raise ValueError(f"`theta` must be positive for an exact search, got {task.theta!r}.")
    from rulekit.search.clause_generation import exact_kernels as kernel

    depth = _most_conditions(task)
    packed, levels, tops = pack_task(task, depth)
    best = np.zeros(depth + 1, np.int64)
    counts = np.array([0, 0, -1, 1], np.int64)
    record = kernel.NearRecord(np.array([task.incumbent]), counts, best)
    proved = False
    while not proved:
        left = task.limits.max_tests - int(counts[kernel.TESTS])
        if left <= 0 or task.limits.should_stop():
            break
        # a level never has more than all literals: each chunk gets on by a node at least
        budget = min(max(CHUNK, len(task.slot)), left)
        proved = bool(kernel.search(levels, packed, record, tops, budget))
        if not proved and budget == left:
            break
    value, size = float(record.value[0]), int(counts[kernel.LENGTH])
    chosen = None if size < 0 else tuple(int(j) for j in best[:size])
    upper = value if proved else max(value, _open_bound(task, levels, int(counts[kernel.LEVEL])))
    return ExactClause(chosen, value, proved, int(counts[kernel.TESTS]), upper)


def pack_task(task: ClauseTask, depth: int) -> tuple[Any, Any, Any]:
    """Pack a task into words, and allocate `depth` levels and one node."""
    from rulekit.search.clause_generation import exact_kernels as kernel

    p_order, wp = _weights(task.weight_p, kernel)
    n_order, wn = _weights(task.weight_n, kernel)
    P, N, step = _words(task.P, p_order), _words(task.N, n_order), _words(task.step, n_order)
    d = len(task.slot)
    packed = kernel.Task(task.theta, P, N, step, task.slot, wp, wn)
    levels = _levels(kernel, d, p_order, n_order, depth)
    return packed, levels, _tops(kernel, d, len(n_order) // 64)


def _open_bound(task: ClauseTask, levels: Any, level: int) -> float:
    """Return an upper bound of all open nodes."""
    upper = -np.inf if level else float(task.weight_p.sum())
    for t in range(level):
        upper = max(upper, levels.bound[t, : levels.next[t] + 2].max(initial=-np.inf))
    return upper


def _most_conditions(task: ClauseTask) -> int:
    """Return the largest length of a clause with a positive value."""
    paid = min(float(task.weight_p.sum()), float(task.weight_n.sum())) / task.theta
    n_slots = int(task.slot.max(initial=-1)) + 1
    return int(min(n_slots, paid)) + 1


def _levels(kernel: Any, d: int, p_order: Any, n_order: Any, depth: int) -> Any:
    """Allocate the levels, with the root as the first."""
    levels = kernel.Levels(
        np.zeros((depth + 1, len(p_order) // 64), np.uint64),
        np.zeros((depth + 1, len(n_order) // 64), np.uint64),
        np.zeros((depth + 1, depth + 1, len(n_order) // 64), np.uint64),
        np.zeros(depth + 1, np.int64),
        np.zeros((depth + 1, d), np.int64),
        np.zeros((depth + 1, d)),
        np.zeros((depth + 1, d)),
        np.zeros(depth + 1, np.int64),
        np.zeros(depth + 1, np.int64),
    )
    levels.P[0] = _words((p_order >= 0)[:, None], np.arange(len(p_order)))[0]
    levels.N[0] = _words((n_order >= 0)[:, None], np.arange(len(n_order)))[0]
    levels.live[0], levels.n_live[0] = np.arange(d), d
    return levels


def _tops(kernel: Any, d: int, n_words: int) -> Any:
    """Allocate the work arrays of a node."""
    return kernel.Tops(
        np.zeros(d + 1),
        np.zeros(d + 1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(n_words, np.uint64),
        np.zeros(n_words, np.uint64),
        np.zeros(d),
    )


def _weights(weight: Floats, kernel: Any) -> tuple[NDArray[np.int64], Any]:
    """Return the row of each bit (-1: none) and the weights of the words."""
    values = np.unique(weight)
    if len(values) > CLASSES:
        order = _pad_words(np.arange(len(weight)))
        padded = np.where(order >= 0, weight[order], 0.0).reshape(-1, 8)
        patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
        return order, kernel.RowWeights(np.zeros(0), (padded @ patterns.T.astype(float)).ravel())
    parts = [_pad_words(np.flatnonzero(weight == v)) for v in values]
    unit = np.repeat(values, [len(part) // 64 for part in parts])
    order = np.concatenate([*parts, np.zeros(0, np.int64)])
    return order, kernel.RowWeights(unit, np.zeros(0))


def _pad_words(rows: NDArray[np.intp]) -> NDArray[np.int64]:
    """Fill up to whole words."""
    return np.concatenate([rows, np.full(-len(rows) % 64, -1)]).astype(np.int64)


def _words(masks: Bools, order: NDArray[np.int64]) -> Words:
    """Pack the columns of a mask, shape (rows, d), into words: shape (d, words)."""
    bits = np.zeros((masks.shape[1], len(order)), bool)
    bits[:, order >= 0] = masks[order[order >= 0]].T
    packed = np.packbits(bits, axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u8").astype(np.uint64)


@dataclass(frozen=True, slots=True)
class NearBest:
    """The clauses near the best one, the best first."""

    clauses: tuple[tuple[int, ...], ...]
    values: tuple[float, ...]
    margin: float
    complete: bool
    n_tests: int


def list_near_best(
    task: ClauseTask, margin: float, max_conditions: int, most: int = 10_000
) -> NearBest:
    """List all clauses that are worth at most `margin` less than the best; steps are ignored."""
    from rulekit.search.clause_generation import exact_kernels as kernel

    depth = min(max_conditions, int(task.slot.max(initial=-1)) + 1)
    packed, levels, tops = pack_task(replace(task, step=np.ones_like(task.step)), depth + 1)
    room = np.zeros(most), np.zeros(most, np.int64), np.zeros((most, depth), np.int64)
    near = kernel.Near(*room, np.zeros(1, np.int64), np.zeros(packed.P.shape[1], np.uint64))
    counts = np.array([0, 0, -1, 1], np.int64)
    floor = np.array([task.incumbent - margin - 2 * BETTER])
    record = kernel.NearRecord(floor, counts, np.zeros(depth + 1, np.int64))
    done, shrunk = False, False
    while not done:
        if near.n[0] == most:
            shrunk |= not _prune(near, record)
            if near.n[0] == most:  # as many as there is room for, all worth the same
                break
        left = task.limits.max_tests - int(counts[kernel.TESTS])
        if left <= 0 or task.limits.should_stop():
            break
        budget = min(max(CHUNK, len(task.slot)), left)
        done = bool(kernel.search_near(levels, packed, record, tops, near, margin, budget))
        if not done and budget == left and near.n[0] < most:
            break
    clauses, values = _sort_clauses(near, record)
    best = max([task.incumbent, *values[:1]])
    reach = best - float(record.value[0]) - 2 * BETTER if shrunk else margin
    return NearBest(clauses, values, reach, done, int(counts[kernel.TESTS]))


def _prune(near: Any, record: Any) -> bool:
    """Drop what fell out of the margin; return whether that was enough, else halve the rest."""
    value = near.value[: near.n[0]]
    kept = np.flatnonzero(value > record.value[0] + BETTER)
    enough = len(kept) <= len(value) // 2
    if not enough:
        edge = np.sort(value)[len(value) // 2]
        if edge >= value.max() - BETTER:
            return False
        record.value[0] = edge
        kept = np.flatnonzero(value > edge + BETTER)
    for part in (near.value, near.size, near.column):
        part[: len(kept)] = part[kept]
    near.n[0] = len(kept)
    return enough


def _sort_clauses(near: Any, record: Any) -> tuple[tuple[tuple[int, ...], ...], tuple[float, ...]]:
    """Read the clauses of the margin, the best first."""
    clauses = [
        (
            -float(near.value[i]),
            int(near.size[i]),
            tuple(sorted(near.column[i, : near.size[i]].tolist())),
        )
        for i in range(int(near.n[0]))
        if near.value[i] > record.value[0] + BETTER
    ]
    clauses.sort()
    return tuple(columns for _, _, columns in clauses), tuple(-value for value, _, _ in clauses)
