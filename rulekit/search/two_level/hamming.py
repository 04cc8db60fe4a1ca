"""Set covering, block coordinate descent and alternating minimisation of the Hamming objective."""

# With the equation numbers of Su, Wei, Varshney, Malioutov (2015), sections 2.2, 4.2 and 4.3:
#   A        (n, d) bool    A[i, j]: column j is true in row i
#   y        (n,)   bool    rows that every clause has to cover; the others are to fail one clause
#   rows     (n,)   float   what a row counts while one clause is learned; 0 is "don't care"
#   counts   (n, R) int     counts[i, r]: true columns of clause r in row i; 1 if r is disabled
#   owner    (n,)   int     the clause that is to reject a row without y (v = 0 in (3.12)); for all
#                           other clauses the row is "don't care"; -1 for rows with y
#   value    float          Hamming objective (3.12): distance of every row to a correct rule,
#                           and theta a column

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import addable
from rulekit.binning import BinnedTable
from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.one_level.problem import CoverProblem, LearnedClause
from rulekit.search.two_level.local_search import IMPROVEMENT

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

Memory = dict[bytes, LearnedClause]
MAX_STEPS = 100  # of block coordinate descent and of alternating minimisation


@dataclass(frozen=True)
class TwoLevelTask:
    """One table, one price of a column, and how clauses are learned from it."""

    problem: CoverProblem
    theta: float
    rounding: str = "redundancy"
    may_disable: bool = False
    rng: np.random.Generator | None = None
    memory: Memory = field(default_factory=dict, repr=False)

    @property
    def y(self) -> Bools:
        """The rows to be covered: shape (n,)."""
        return self.problem.y

    @property
    def weight(self) -> Floats:
        """What each row counts: shape (n,)."""
        return self.problem.weight

    def learn(self, kept: Bools) -> LearnedClause:
        """Learn one clause from the rows kept: shape (n,). Equal questions are answered once."""
        deadline = self.problem.deadline
        if deadline is not None and time.monotonic() > deadline:
            raise TimeLimitError("The time limit has passed; raise `time_limit`.")
        rows = np.where(kept, self.weight, 0.0)
        if self.rounding == "random":
            return self._learn(rows)
        settings = (self.theta, self.rounding, self.may_disable)
        digest = hashlib.blake2b(repr(settings).encode(), digest_size=20)
        digest.update(np.packbits(kept).tobytes())
        key = digest.digest()
        if key not in self.memory:
            self.memory[key] = self._learn(rows)
        return self.memory[key]

    def _learn(self, rows: Floats) -> LearnedClause:
        return self.problem.learn(
            rows, self.theta, self.rounding, self.rng, may_disable=self.may_disable
        )

    def make_empty_clause(self, *, disabled: bool = False) -> LearnedClause:
        """Make a clause without columns: never true, or switched off and always true."""
        none = np.zeros(self.problem.n_columns, dtype=bool)
        return LearnedClause(none, disabled, 0.0, 0.0, True)

    def count(self, clause: LearnedClause) -> Counts:
        """Count the true columns of a clause in each row: shape (n,)."""
        if clause.disabled:
            return np.ones(len(self.y), dtype=np.int64)
        held = self.problem.table.values_of(np.flatnonzero(clause.selected))
        counts: Counts = held.sum(axis=1, dtype=np.int64)
        return counts

    def iterate(self, clauses: Sequence[LearnedClause]) -> "Iterate":
        """Weigh a rule."""
        counts = np.stack([self.count(clause) for clause in clauses], axis=1)
        return Iterate(tuple(clauses), counts, self.value(clauses, counts))

    def value(self, clauses: Sequence[LearnedClause], counts: Counts) -> float:
        """Weigh a rule whose counts are known: the Hamming objective (3.12)."""
        distance = np.where(self.y, (counts == 0).sum(axis=1), counts.min(axis=1))
        n_columns = sum(int(clause.selected.sum()) for clause in clauses)
        return float((self.weight * distance).sum()) + self.theta * n_columns


@dataclass(frozen=True)
class Iterate:
    """A rule on the way: its clauses, their counts of shape (n, R), and its value."""

    clauses: tuple[LearnedClause, ...]
    counts: Counts = field(repr=False)
    value: float

    def replace_clause(self, task: TwoLevelTask, r: int, clause: LearnedClause) -> "Iterate":
        """Return the iterate with another clause in place of clause r."""
        clauses = (*self.clauses[:r], clause, *self.clauses[r + 1 :])
        counts = self.counts.copy()
        counts[:, r] = task.count(clause)
        return Iterate(clauses, counts, task.value(clauses, counts))

    def selection(self, history: Sequence[dict[str, object]]) -> ClauseSelection:
        """Return the clauses that are not disabled."""
        enabled = [not clause.disabled for clause in self.clauses]
        chosen = np.stack([clause.selected for clause in self.clauses])[enabled]
        return ClauseSelection(chosen, self.value, tuple(history))


def set_cover(task: TwoLevelTask, n_clauses: int) -> ClauseSelection:
    """Learn a CNF clause by clause; what an earlier clause rejects is left to it."""
    clauses, history = cover_clauses(task, n_clauses)
    return clauses.selection(history)


def cover_clauses(task: TwoLevelTask, n_clauses: int) -> tuple[Iterate, list[dict[str, object]]]:
    """Do the work of `set_cover`; the other methods start from here."""
    undecided = task.weight > 0
    clauses: list[LearnedClause] = []
    history: list[dict[str, object]] = []
    for r in range(n_clauses):
        try:
            clause = task.learn(undecided) if undecided.any() else task.make_empty_clause()
        except TimeLimitError:
            clauses += [task.make_empty_clause(disabled=True)] * (n_clauses - r)
            history.append({"step": r, "clause": r, "stopped": "time limit"})
            break
        clauses.append(clause)
        history.append(_entry(r, clause, undecided))
        undecided = undecided & (task.count(clause) > 0)
    selection = task.iterate(clauses)
    history[-1]["objective"] = selection.value
    return selection, history


def initial_clauses(task: TwoLevelTask, n_clauses: int) -> tuple[Iterate, list[dict[str, object]]]:
    """Start block coordinate descent or alternating minimisation by set covering."""
    entry: dict[str, object] = {"step": 0, "clause": None, "start": "set_cover"}
    clauses, covering = cover_clauses(task, n_clauses)
    if "stopped" in covering[-1]:
        entry["stopped"] = covering[-1]["stopped"]
    return clauses, [entry | {"objective": clauses.value}]


def _entry(r: int, clause: LearnedClause, undecided: np.ndarray) -> dict[str, object]:
    return {
        "step": r,
        "clause": r,
        "n_rows": int(undecided.sum()),
        "n_columns": int(clause.selected.sum()),
        "disabled": clause.disabled,
        "clause_cost": clause.cost,
    }


History = list[dict[str, object]]


def block_coordinate(task: TwoLevelTask, n_clauses: int) -> ClauseSelection:
    """Improve a CNF by learning one clause anew while the others stay fixed (section 4.2)."""
    # It learns from the rows with `y` and the other rows that no other clause rejects; each step
    # takes the clause that lowers the objective most.
    current, history = initial_clauses(task, n_clauses)
    if "stopped" in history[-1]:
        return current.selection(history)
    return _descend(task, current, history).selection(history)


def _relearn(task: TwoLevelTask, current: Iterate, r: int) -> Iterate:
    """Learn clause r anew from the rows that the other clauses leave to it."""
    # A row that another clause rejects already may be anything to this one.
    others = np.delete(current.counts, r, axis=1)
    return current.replace_clause(task, r, task.learn(task.y | (others > 0).all(axis=1)))


def _descend(task: TwoLevelTask, current: Iterate, history: History) -> Iterate:
    for _ in range(MAX_STEPS):
        try:
            candidates = [_relearn(task, current, r) for r in range(len(current.clauses))]
        except TimeLimitError:
            history.append(_note_stop(current, history))
            break
        lowest = min(c.value for c in candidates)
        if lowest >= current.value - IMPROVEMENT:
            break
        best = next(r for r, c in enumerate(candidates) if c.value <= lowest + IMPROVEMENT)
        current = candidates[best]
        history.append({"step": len(history), "clause": best, "objective": current.value})
    return current


def _note_stop(current: Iterate, history: History) -> dict[str, object]:
    return {"step": len(history), "objective": current.value, "stopped": "time limit"}


Owners = NDArray[np.int64]
DISTANCE_DIGITS = 9  # distances that agree to here are equal, whatever the order of the columns


def alternating(task: TwoLevelTask, n_clauses: int) -> ClauseSelection:
    """Improve a CNF by assigning rows to clauses and learning clauses in turn (section 4.3)."""
    # A row without `y` goes to the clause with the fewest true columns in it (3.9), at a tie to the
    # one whose rows are nearest on average. The objective may rise, because clauses are rounded.
    current, history = initial_clauses(task, n_clauses)
    if "stopped" in history[-1]:
        return current.selection(history)
    best = current
    seen: set[bytes] = set()
    for _ in range(MAX_STEPS):
        owner = row_owners(task.problem.table, task.y, task.weight, current.counts)
        if owner.tobytes() in seen:  # clauses are a function of the owners: from here it circles
            break
        seen.add(owner.tobytes())
        try:
            clauses = [task.learn(task.y | (owner == r)) for r in range(n_clauses)]
        except TimeLimitError:
            history.append(_note_stop(best, history))
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
