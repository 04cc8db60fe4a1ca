"""Alternating minimisation: give each row to reject to one clause, learn all clauses, repeat.

Letters are defined in `task`. Also::

    owner   (n,) int   the clause that is to reject a row without y (v = 0 in (3.12)); for all
                       other clauses the row is "don't care"; -1 for rows with y
"""

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import addable
from rulekit.binning import BinnedTable
from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.two_level.set_cover import initial_clauses
from rulekit.search.two_level.task import IMPROVEMENT, Bools, Counts, Floats, TwoLevelTask

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
    """Choose for each row without `y` the clause that is to reject it (3.9).

    Shapes: table (n, d), y (n,), weight (n,), counts (n, R); result (n,).

    Takes O((n p + d) R) time, p being the number of sources.
    """
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
