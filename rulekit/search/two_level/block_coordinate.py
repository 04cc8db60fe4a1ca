"""Block coordinate descent on the Hamming objective: one clause at a time.

Letters are defined in `task`.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.two_level.set_cover import initial_clauses
from rulekit.search.two_level.task import IMPROVEMENT, Iterate, TwoLevelTask

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
