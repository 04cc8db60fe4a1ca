"""Set covering, block coordinate descent and alternating minimisation of the Hamming objective."""

# With the equation numbers of Su, Wei, Varshney, Malioutov (2015), sections 2.2, 4.2 and 4.3:
#   table    (n, d)         the conditions of a DNF; one clause is to hold for a row with y, and
#                           none for the others. The paper writes the same as a CNF of the other
#                           class: its columns are the negated conditions
#   kept     (n,)   bool    whether a row counts while one clause is learned, or is "don't care"
#   counts   (n, R) int     counts[i, r]: conditions of clause r that fail in row i; 1 if disabled
#   owner    (n,)   int     the clause that is to hold for a row with y (v = 0 in (3.12)); for all
#                           other clauses the row is "don't care"; -1 for rows without y
#   value    float          Hamming objective (3.12): distance of every row to a correct rule,
#                           and theta a column

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import addable
from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import Bools
from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.one_level.problem import LearnedClause
from rulekit.search.two_level.local_search import IMPROVEMENT

Counts = NDArray[np.int64]
History = list[dict[str, Any]]
MAX_STEPS = 100  # of block coordinate descent and of alternating minimisation
DISTANCE_DIGITS = 9  # distances that agree to here are equal, whatever the order of the columns
#: Learns one clause from the rows kept, one flag a row.
Learn = Callable[[Bools], LearnedClause]


@dataclass(frozen=True)
class Iterate:
    """A rule on the way: its clauses, their counts of shape (n, R), and its value."""

    clauses: tuple[LearnedClause, ...]
    counts: Counts = field(repr=False)
    value: float

    def selection(self, history: History) -> ClauseSelection:
        """Return the clauses that are not disabled."""
        enabled = [not clause.disabled for clause in self.clauses]
        chosen = np.stack([clause.selected for clause in self.clauses])[enabled]
        return ClauseSelection(chosen, self.value, tuple(history))


def count_failed(table: BinnedTable, clause: LearnedClause) -> Counts:
    """Count the conditions of a clause that fail in each row, 1 if it is disabled: shape (n,)."""
    if clause.disabled:
        return np.ones(len(table), dtype=np.int64)
    holds = table.values_of(np.flatnonzero(clause.selected))
    return np.asarray((~holds).sum(axis=1, dtype=np.int64))


def weigh_clauses(
    table: BinnedTable, theta: float, clauses: Sequence[LearnedClause], counts: Counts | None = None
) -> Iterate:
    """Weigh a rule by the Hamming objective (3.12); its counts may be known."""
    if counts is None:
        counts = np.stack([count_failed(table, clause) for clause in clauses], axis=1)
    distance = np.where(table.y, counts.min(axis=1), (counts == 0).sum(axis=1))
    n_columns = sum(int(clause.selected.sum()) for clause in clauses)
    value = float((table.weight * distance).sum()) + theta * n_columns
    return Iterate(tuple(clauses), counts, value)


def set_cover(table: BinnedTable, learn: Learn, theta: float, n_clauses: int) -> ClauseSelection:
    """Learn a DNF clause by clause; rows that an earlier clause holds for are left to it."""
    clauses, history = _cover(table, learn, theta, n_clauses)
    return clauses.selection(history)


def _cover(
    table: BinnedTable, learn: Learn, theta: float, n_clauses: int
) -> tuple[Iterate, History]:
    """Do the work of `set_cover`; the other methods start from here."""
    undecided, d = table.weight > 0, table.shape[1]
    clauses: list[LearnedClause] = []
    history: History = []
    for r in range(n_clauses):
        step: dict[str, Any] = {"step": r, "clause": r}
        history.append(step)
        try:
            clause = learn(undecided) if undecided.any() else LearnedClause.empty(d)
        except TimeLimitError:
            clauses += [LearnedClause.empty(d, disabled=True)] * (n_clauses - r)
            step["stopped"] = "time limit"
            break
        clauses.append(clause)
        step |= {"n_rows": int(undecided.sum()), "n_columns": int(clause.selected.sum())}
        step |= {"disabled": clause.disabled, "clause_cost": clause.cost}
        undecided = undecided & (count_failed(table, clause) > 0)
    rule = weigh_clauses(table, theta, clauses)
    history[-1]["objective"] = rule.value
    return rule, history


#: A step from one rule to the next: which clause was learned anew, None for all; None at the end.
Step = Callable[[Iterate], tuple[int | None, Iterate] | None]


def _improve(start: tuple[Iterate, History], take_step: Step) -> ClauseSelection:
    """Take steps from the rule of set covering; return the best rule met."""
    best, covering = start
    history: History = [{"step": 0, "clause": None, "start": "set_cover", "objective": best.value}]
    if "stopped" in covering[-1]:
        history[0]["stopped"] = covering[-1]["stopped"]
        return best.selection(history)
    current = best
    for step in range(1, MAX_STEPS + 1):
        try:
            taken = take_step(current)
        except TimeLimitError:
            history.append({"step": step, "objective": best.value, "stopped": "time limit"})
            break
        if taken is None:
            break
        clause, current = taken
        history.append({"step": step, "clause": clause, "objective": current.value})
        if clause is not None or current.value < best.value - IMPROVEMENT:
            best = current
    return best.selection(history)


def block_coordinate(
    table: BinnedTable, learn: Learn, theta: float, n_clauses: int
) -> ClauseSelection:
    """Improve a DNF by learning one clause anew while the others stay fixed (section 4.2)."""
    # It learns from the rows without `y` and those with it that no other clause holds for (a row
    # that one holds for may be anything to this one); each step takes the clause that lowers the
    # objective most.

    def take_step(current: Iterate) -> tuple[int, Iterate] | None:
        candidates: list[Iterate] = []
        for r in range(n_clauses):
            others = np.delete(current.counts, r, axis=1)
            clause, counts = learn(~table.y | (others > 0).all(axis=1)), current.counts.copy()
            counts[:, r] = count_failed(table, clause)
            clauses = (*current.clauses[:r], clause, *current.clauses[r + 1 :])
            candidates.append(weigh_clauses(table, theta, clauses, counts))
        if (lowest := min(c.value for c in candidates)) >= current.value - IMPROVEMENT:
            return None
        best = next(r for r, c in enumerate(candidates) if c.value <= lowest + IMPROVEMENT)
        return best, candidates[best]

    return _improve(_cover(table, learn, theta, n_clauses), take_step)


def alternating(table: BinnedTable, learn: Learn, theta: float, n_clauses: int) -> ClauseSelection:
    """Improve a DNF by assigning rows to clauses and learning clauses in turn (section 4.3)."""
    # A row with `y` goes to the clause with the fewest conditions that fail in it (3.9), at a tie
    # to the one whose rows are nearest on average. The objective may rise: clauses are rounded.
    seen: set[bytes] = set()

    def take_step(current: Iterate) -> tuple[None, Iterate] | None:
        owner = row_owners(table, current.counts)
        if owner.tobytes() in seen:  # clauses are a function of the owners: from here it circles
            return None
        seen.add(owner.tobytes())
        clauses = [learn(~table.y | (owner == r)) for r in range(n_clauses)]
        return None, weigh_clauses(table, theta, clauses)

    return _improve(_cover(table, learn, theta, n_clauses), take_step)


def row_owners(table: BinnedTable, counts: Counts) -> Counts:
    """Choose for each row with `y` the clause that is to hold for it (3.9)."""
    smallest = (counts == counts.min(axis=1, keepdims=True)) & table.y[:, None]
    owner = np.where(table.y, smallest.argmax(axis=1), -1)
    tied = np.flatnonzero(smallest.sum(axis=1) > 1)
    if len(tied) == 0:
        return owner
    mass = smallest * addable(table.weight)[:, None]
    total = mass.sum(axis=0)
    centre = table.sums(mass) / np.where(total > 0, total, 1.0)  # [j, r]
    # |a - c| for a in {0, 1} and c in [0, 1] is c + a (1 - 2 c)
    distance = centre.sum(axis=0) + table.row_sums(addable(1.0 - 2.0 * centre))[tied]
    distance = np.where(smallest[tied], np.round(distance, DISTANCE_DIGITS), np.inf)
    owner[tied] = distance.argmin(axis=1)
    return owner
