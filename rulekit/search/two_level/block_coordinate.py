"""Block coordinate descent and alternating minimisation of the Hamming objective.

Letters are those of `task`; ``owner`` (n,) is the clause that is to reject a row without y (v = 0
in (3.12)), for all other clauses the row is "don't care"; -1 for rows with y.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import addable
from rulekit.binning import BinnedTable
from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.two_level.task import (
    IMPROVEMENT,
    Bools,
    Counts,
    Floats,
    Iterate,
    TwoLevelTask,
    initial_clauses,
)

UPDATES = ("greedy", "cyclic", "random")
History = list[dict[str, object]]


def block_coordinate(
    task: TwoLevelTask,
    n_clauses: int,
    *,
    init: str = "set_cover",
    update: str = "greedy",
    max_iter: int = 100,
) -> ClauseSelection:
    """Improve a CNF by learning one clause anew while the others stand.

    A clause is learned from all rows with `y` and from those rows without that every other clause
    accepts; the rest are rejected already. The new clause is taken only if the objective falls.

    One update solves one, for "greedy" R, one-level problems.

    Source: Su, Wei, Varshney, Malioutov (2015), section 4.2.
    """
    if update not in UPDATES:
        raise ValueError(f"`update` must be one of {UPDATES}, got {update!r}.")
    if update == "random" and task.rng is None:
        raise ValueError("`update='random'` needs a random generator; give the task one.")
    current, history = initial_clauses(task, n_clauses, init)
    if "stopped" in history[-1]:
        return current.selection(history)
    if update == "greedy":
        return _greedy_descent(task, current, history, max_iter).selection(history)
    return _descent_in_turn(task, current, history, update, max_iter).selection(history)


def _relearned(task: TwoLevelTask, current: Iterate, r: int) -> Iterate:
    """Learn clause r anew from the rows that the other clauses leave to it."""
    # A row that another clause rejects already may be anything to this one.
    others = np.delete(current.counts, r, axis=1)
    return current.replaced(task, r, task.learn(task.y | (others > 0).all(axis=1)))


def _greedy_descent(
    task: TwoLevelTask, current: Iterate, history: History, max_iter: int
) -> Iterate:
    for _ in range(max_iter):
        try:
            candidates = [_relearned(task, current, r) for r in range(len(current.clauses))]
        except TimeLimitError:
            history.append(_stopped(current, history))
            break
        lowest = min(c.value for c in candidates)
        if lowest >= current.value - IMPROVEMENT:
            break
        best = next(r for r, c in enumerate(candidates) if c.value <= lowest + IMPROVEMENT)
        current = candidates[best]
        history.append({"step": len(history), "clause": best, "objective": current.value})
    return current


def _descent_in_turn(
    task: TwoLevelTask, current: Iterate, history: History, update: str, max_iter: int
) -> Iterate:
    idle = 0  # updates in a row that brought nothing
    for r in islice(_update_order(task, len(current.clauses), update), max_iter):
        try:
            candidate = _relearned(task, current, r)
        except TimeLimitError:
            history.append(_stopped(current, history))
            break
        idle += 1
        if candidate.value < current.value - IMPROVEMENT:
            current, idle = candidate, 0
            history.append({"step": len(history), "clause": r, "objective": current.value})
        if idle >= len(current.clauses):
            break
    return current


def _update_order(task: TwoLevelTask, n_clauses: int, update: str) -> Iterator[int]:
    """Yield clause numbers: in order, or in a new random order each round."""
    while True:
        order = np.arange(n_clauses)
        if update == "random" and task.rng is not None:
            order = task.rng.permutation(n_clauses)
        yield from (int(r) for r in order)


def _stopped(current: Iterate, history: History) -> dict[str, object]:
    return {"step": len(history), "objective": current.value, "stopped": "time limit"}


Owners = NDArray[np.int64]
DISTANCE_DIGITS = 9  # distances that agree to here are equal, whatever the order of the columns


def alternating(
    task: TwoLevelTask, n_clauses: int, *, init: str = "set_cover", max_iter: int = 100
) -> ClauseSelection:
    """Improve a CNF by assigning rows to clauses and learning the clauses, in turn.

    A row without `y` goes to the clause with the fewest true columns in it (3.9); ties go to the
    clause whose rows are nearest on average. Each clause is then learned from all rows with `y`
    and its own rows.

    One round solves R one-level problems. The objective may rise from one round to the next,
    because clauses are rounded.

    Source: Su, Wei, Varshney, Malioutov (2015), section 4.3.
    """
    current, history = initial_clauses(task, n_clauses, init)
    if "stopped" in history[-1]:
        return current.selection(history)
    best = current
    seen: set[bytes] = set()
    for _ in range(max_iter):
        owner = row_owners(task.problem.table, task.y, task.weight, current.counts)
        if owner.tobytes() in seen:  # clauses are a function of the owners: from here it circles
            break
        seen.add(owner.tobytes())
        try:
            clauses = [task.learn(task.y | (owner == r)) for r in range(n_clauses)]
        except TimeLimitError:
            entry = {"step": len(history), "objective": best.value, "stopped": "time limit"}
            history.append(entry)
            break
        current = task.iterate(clauses)
        history.append({"step": len(history), "clause": None, "objective": current.value})
        if current.value < best.value - IMPROVEMENT:
            best = current
    return best.selection(history)


def row_owners(table: BinnedTable, y: Bools, weight: Floats, counts: Counts) -> Owners:
    """Choose for each row without `y` the clause that is to reject it (3.9)."""
    smallest = (counts == counts.min(axis=1, keepdims=True)) & ~y[:, None]
    owner = np.where(y, -1, smallest.argmax(axis=1))
    tied = np.flatnonzero(smallest.sum(axis=1) > 1)
    if len(tied) == 0:
        return owner
    mass = smallest * addable(weight)[:, None]
    total = mass.sum(axis=0)
    centre = table.sums(mass) / np.where(total > 0, total, 1.0)  # [j, r]
    # |a - c| for a in {0, 1} and c in [0, 1] is c + a (1 - 2 c)
    turn = addable(1.0 - 2.0 * centre)
    distance = centre.sum(axis=0) + table.row_sums(turn)[tied]
    distance = np.where(smallest[tied], np.round(distance, DISTANCE_DIGITS), np.inf)
    owner[tied] = distance.argmin(axis=1)
    return owner
