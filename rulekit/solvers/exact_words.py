"""The exact single clause by the compiled search: sets of rows as 64-bit words.

Rows are sorted by weight where there are few distinct weights, so that all rows of a word weigh
the same and counting bits weighs them; else each byte of a word is looked up in a table.
"""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.solvers.compiled import compiled_module
from rulekit.solvers.exact_task import Bools, ClauseTask, ExactClause, Floats

Words = NDArray[np.uint64]

CLASSES = 8  # up to so many distinct weights, rows are counted weight by weight
CHUNK = 100_000  # tests between two looks at the clock
KERNEL = compiled_module("rulekit.solvers.exact_kernel")


def search_words(task: ClauseTask) -> ExactClause | None:
    """Find the best clause; None where the compiled search is not there (yet).

    Parameters
    ----------
    task : ClauseTask
        See `rulekit.solvers.exact_clause.best_clause`.

    Returns
    -------
    ExactClause or None
    """
    kernel = KERNEL.ready()
    if kernel is None:
        return None
    p_order, wp = _weights(task.weight_p, kernel)
    n_order, wn = _weights(task.weight_n, kernel)
    P, N, step = _words(task.P, p_order), _words(task.N, n_order), _words(task.step, n_order)
    asked = kernel.Task(task.theta, P, N, step, task.slot, wp, wn)
    depth = _most_literals(task)
    levels = _levels(kernel, len(task.slot), p_order, n_order, depth)
    best = np.zeros(depth + 1, np.int64)
    counts = np.array([0, 0, -1, 1], np.int64)
    record = kernel.Record(np.array([task.incumbent]), counts, best)
    limits, start = task.limits, time.monotonic()
    proved = False
    while not proved:
        left = limits.max_tests - int(counts[1])
        late = limits.seconds is not None and time.monotonic() - start > limits.seconds
        if left <= 0 or late or limits.should_stop():
            break
        # a level never has more than all literals: each chunk gets on by a node at least
        budget = min(max(CHUNK, len(task.slot)), left)
        proved = bool(kernel.search(levels, asked, record, budget))
        if not proved and budget == left:
            break
    value, size = float(record.value[0]), int(counts[2])
    chosen = None if size < 0 else tuple(int(j) for j in best[:size])
    upper = value if proved else max(value, _open_bound(task, levels, int(counts[0])))
    return ExactClause(chosen, value, proved, int(counts[1]), upper)


def _open_bound(task: ClauseTask, levels: Any, level: int) -> float:
    """Bound what the nodes that are still open can reach: those begun and those to come."""
    upper = -np.inf if level else float(task.weight_p.sum())
    for t in range(level):
        upper = max(upper, levels.bound[t, : levels.next[t] + 2].max(initial=-np.inf))
    return upper


def _most_literals(task: ClauseTask) -> int:
    """Bound the length of a clause that is worth anything."""
    paid = min(float(task.weight_p.sum()), float(task.weight_n.sum())) / task.theta
    n_slots = int(task.slot.max(initial=-1)) + 1
    return int(min(n_slots, paid)) + 1


def _levels(kernel: Any, d: int, p_order: Any, n_order: Any, depth: int) -> Any:
    """Make room for the nodes on a way down, and put the root on it."""
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


def _weights(weight: Floats, kernel: Any) -> tuple[NDArray[np.int64], Any]:
    """Say which row stands at which bit (-1: none), and what the words weigh."""
    values = np.unique(weight)
    if len(values) > CLASSES:
        order = _padded(np.arange(len(weight)))
        padded = np.where(order >= 0, weight[order], 0.0).reshape(-1, 8)
        patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
        return order, kernel.RowWeights(np.zeros(0), (padded @ patterns.T.astype(float)).ravel())
    parts = [_padded(np.flatnonzero(weight == v)) for v in values]
    unit = np.repeat(values, [len(part) // 64 for part in parts])
    order = np.concatenate([*parts, np.zeros(0, np.int64)])
    return order, kernel.RowWeights(unit, np.zeros(0))


def _padded(rows: NDArray[np.intp]) -> NDArray[np.int64]:
    """Fill up to whole words."""
    return np.concatenate([rows, np.full(-len(rows) % 64, -1)]).astype(np.int64)


def _words(masks: Bools, order: NDArray[np.int64]) -> Words:
    """Pack the columns of a mask, shape (rows, d), into words: shape (d, words)."""
    bits = np.zeros((masks.shape[1], len(order)), bool)
    bits[:, order >= 0] = masks[order[order >= 0]].T
    packed = np.packbits(bits, axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u8").astype(np.uint64)
