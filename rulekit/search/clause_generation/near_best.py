"""All clauses near the best one: the branch and bound of `exact_clause` that keeps what it meets.

A clause is listed if it is worth at most a margin less than the best one and each of its literals
pays: leaving out any one would cost more than its price saves. Every other clause within the margin
loses its idle literals one by one without being worth less, so it is a listed one, with literals
that do nothing for it. What all listed clauses have in common, all clauses of the margin have.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rulekit.search.clause_generation.exact_clause import (
    CHUNK,
    Bools,
    ClauseLimits,
    ClauseTask,
    Floats,
    clause_task,
    laid_out,
)

BETTER = 1e-9


@dataclass(frozen=True, slots=True)
class NearBest:
    """The clauses near the best one, the best first."""

    clauses: tuple[tuple[int, ...], ...]
    values: tuple[float, ...]
    margin: float
    complete: bool
    n_tests: int


def near_best_clauses(  # noqa: PLR0913  all but four by keyword
    holds: Bools,
    y: Bools,
    theta: float,
    margin: float,
    *,
    max_conditions: int,
    slots: Sequence[int] | None = None,
    weight: Floats | None = None,
    incumbent: float = 0.0,
    most: int = 10_000,
    limits: ClauseLimits | None = None,
) -> NearBest:
    """List all clauses that are worth at most `margin` less than the best.

    Shapes: holds (n, d), y (n,), slots d, weight (n,).

    Notes
    -----
    Exponential in the worst case. It does not depend on the order of rows; ties at the edge of a
    margin that had to shrink are left out together.
    """
    y = np.asarray(y, dtype=bool)
    weights = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    slot_of = range(holds.shape[1]) if slots is None else slots
    task = clause_task(holds, y, weights, theta, slot_of, incumbent, limits or ClauseLimits())
    return list_near(task, margin, max_conditions, most)


def list_near(task: ClauseTask, margin: float, max_conditions: int, most: int) -> NearBest:
    """List the clauses near the best of a task; its steps are ignored."""
    from rulekit.search.clause_generation import exact_kernels as kernel

    depth = min(max_conditions, int(task.slot.max(initial=-1)) + 1)
    packed, levels, tops = laid_out(replace(task, step=np.ones_like(task.step)), depth + 1)
    room = np.zeros(most), np.zeros(most, np.int64), np.zeros((most, depth), np.int64)
    near = kernel.Near(*room, np.zeros(1, np.int64), np.zeros(packed.P.shape[1], np.uint64))
    counts = np.array([0, 0, -1, 1], np.int64)
    floor = np.array([task.incumbent - margin - 2 * BETTER])
    record = kernel.Record(floor, counts, np.zeros(depth + 1, np.int64))
    limits, start = task.limits, time.monotonic()
    done, shrunk = False, False
    while not done:
        if near.n[0] == most:
            shrunk |= not _made_room(near, record)
            if near.n[0] == most:  # as many as there is room for, all worth the same
                break
        left = limits.max_tests - int(counts[kernel.TESTS])
        late = limits.seconds is not None and time.monotonic() - start > limits.seconds
        if left <= 0 or late or limits.should_stop():
            break
        budget = min(max(CHUNK, len(task.slot)), left)
        done = bool(kernel.search_near(levels, packed, record, tops, near, margin, budget))
        if not done and budget == left and near.n[0] < most:
            break
    clauses, values = _sorted(near, record)
    best = max([task.incumbent, *values[:1]])
    reach = best - float(record.value[0]) - 2 * BETTER if shrunk else margin
    return NearBest(clauses, values, reach, done, int(counts[kernel.TESTS]))


def _made_room(near: Any, record: Any) -> bool:
    """Drop what has fallen out of the margin; say whether that was enough, else halve the rest."""
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


def _sorted(near: Any, record: Any) -> tuple[tuple[tuple[int, ...], ...], tuple[float, ...]]:
    """Read the clauses of the margin, the best first."""
    found = [
        (
            -float(near.value[i]),
            int(near.size[i]),
            tuple(sorted(near.column[i, : near.size[i]].tolist())),
        )
        for i in range(int(near.n[0]))
        if near.value[i] > record.value[0] + BETTER
    ]
    found.sort()
    return tuple(columns for _, _, columns in found), tuple(-value for value, _, _ in found)
