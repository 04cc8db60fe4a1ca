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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import addable
from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import Bools, Floats
from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.columns.priced_columns import ALWAYS_PERTURBATION, RedundancyGroup, single_group
from rulekit.search.one_level.problem import CoverProblem, LearnedClause
from rulekit.search.two_level.local_search import IMPROVEMENT

Counts = NDArray[np.int64]
History = list[dict[str, Any]]
MAX_STEPS = 100  # of block coordinate descent and of alternating minimisation
DISTANCE_DIGITS = 9  # distances that agree to here are equal, whatever the order of the columns


@dataclass(frozen=True)
class TwoLevelTask:
    """One table, one price of a column, and how clauses are learned from it."""

    problem: CoverProblem
    theta: float
    rounding: str = "redundancy"
    may_disable: bool = False
    rng: np.random.Generator | None = None
    memory: dict[bytes, LearnedClause] = field(default_factory=dict, repr=False)

    @cached_property
    def distinct_rows(self) -> tuple[Floats, Bools, Floats]:
        """Return the table with equal rows merged (0 and 1), labels and weights."""
        A, y, weight = self.problem.distinct_rows()
        if self.may_disable:  # a last column of ones disables a clause
            A = np.pad(A, ((0, 0), (0, 1)), constant_values=1)
        return A, y, weight

    @cached_property
    def price(self) -> Floats:
        """Perturbed price of each column of `distinct_rows`."""
        price = self.theta + self.problem.perturbation
        return np.append(price, ALWAYS_PERTURBATION) if self.may_disable else price

    @cached_property
    def groups(self) -> tuple[RedundancyGroup, ...]:
        """Groups of the columns of `distinct_rows`."""
        groups = self.problem.groups
        return (*groups, single_group([self.problem.n_columns])) if self.may_disable else groups

    def learn(self, kept: Bools) -> LearnedClause:
        """Learn one clause from the rows kept: shape (n,). Equal questions are answered once."""
        deadline = self.problem.deadline
        if deadline is not None and time.monotonic() > deadline:
            raise TimeLimitError("The time limit has passed; raise `time_limit`.")
        settings = (self.theta, self.rounding, self.may_disable)
        question = repr(settings).encode() + np.packbits(kept).tobytes()
        key = hashlib.blake2b(question, digest_size=20).digest()
        if self.rounding == "random" or key not in self.memory:
            rows = np.where(kept, self.problem.weight, 0.0)
            clause = self.problem.learn(
                rows, self.theta, self.rounding, self.rng, may_disable=self.may_disable
            )
            if self.rounding == "random":
                return clause
            self.memory[key] = clause
        return self.memory[key]

    def make_empty_clause(self, *, disabled: bool = False) -> LearnedClause:
        """Make a clause without columns: never true, or switched off and always true."""
        none = np.zeros(self.problem.n_columns, dtype=bool)
        return LearnedClause(none, disabled, 0.0, 0.0, True)

    def count(self, clause: LearnedClause) -> Counts:
        """Count the true columns of a clause in each row: shape (n,)."""
        if clause.disabled:
            return np.ones(len(self.problem.y), dtype=np.int64)
        held = self.problem.table.values_of(np.flatnonzero(clause.selected))
        counts: Counts = held.sum(axis=1, dtype=np.int64)
        return counts

    def iterate(self, clauses: Sequence[LearnedClause], counts: Counts | None = None) -> "Iterate":
        """Weigh a rule by the Hamming objective (3.12); its counts may be known."""
        if counts is None:
            counts = np.stack([self.count(clause) for clause in clauses], axis=1)
        distance = np.where(self.problem.y, (counts == 0).sum(axis=1), counts.min(axis=1))
        n_columns = sum(int(clause.selected.sum()) for clause in clauses)
        value = float((self.problem.weight * distance).sum()) + self.theta * n_columns
        return Iterate(tuple(clauses), counts, value)


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


def set_cover(task: TwoLevelTask, n_clauses: int) -> ClauseSelection:
    """Learn a CNF clause by clause; what an earlier clause rejects is left to it."""
    clauses, history = _cover(task, n_clauses)
    return clauses.selection(history)


def _cover(task: TwoLevelTask, n_clauses: int) -> tuple[Iterate, History]:
    """Do the work of `set_cover`; the other methods start from here."""
    undecided = task.problem.weight > 0
    clauses: list[LearnedClause] = []
    history: History = []
    for r in range(n_clauses):
        step: dict[str, Any] = {"step": r, "clause": r}
        history.append(step)
        try:
            clause = task.learn(undecided) if undecided.any() else task.make_empty_clause()
        except TimeLimitError:
            clauses += [task.make_empty_clause(disabled=True)] * (n_clauses - r)
            step["stopped"] = "time limit"
            break
        clauses.append(clause)
        step |= {"n_rows": int(undecided.sum()), "n_columns": int(clause.selected.sum())}
        step |= {"disabled": clause.disabled, "clause_cost": clause.cost}
        undecided = undecided & (task.count(clause) > 0)
    rule = task.iterate(clauses)
    history[-1]["objective"] = rule.value
    return rule, history


#: A step from one rule to the next: which clause was learned anew, None for all; None at the end.
Step = Callable[[Iterate], tuple[int | None, Iterate] | None]


def _improve(task: TwoLevelTask, n_clauses: int, take_step: Step) -> ClauseSelection:
    """Start by set covering and take steps; return the best rule met."""
    best, covering = _cover(task, n_clauses)
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


def block_coordinate(task: TwoLevelTask, n_clauses: int) -> ClauseSelection:
    """Improve a CNF by learning one clause anew while the others stay fixed (section 4.2)."""
    # It learns from the rows with `y` and the other rows that no other clause rejects (a row that
    # one rejects may be anything to this one); each step takes the clause that lowers the
    # objective most.
    y = task.problem.y

    def take_step(current: Iterate) -> tuple[int, Iterate] | None:
        candidates: list[Iterate] = []
        for r in range(n_clauses):
            others = np.delete(current.counts, r, axis=1)
            clause, counts = task.learn(y | (others > 0).all(axis=1)), current.counts.copy()
            counts[:, r] = task.count(clause)
            clauses = (*current.clauses[:r], clause, *current.clauses[r + 1 :])
            candidates.append(task.iterate(clauses, counts))
        lowest = min(c.value for c in candidates)
        if lowest >= current.value - IMPROVEMENT:
            return None
        best = next(r for r, c in enumerate(candidates) if c.value <= lowest + IMPROVEMENT)
        return best, candidates[best]

    return _improve(task, n_clauses, take_step)


def alternating(task: TwoLevelTask, n_clauses: int) -> ClauseSelection:
    """Improve a CNF by assigning rows to clauses and learning clauses in turn (section 4.3)."""
    # A row without `y` goes to the clause with the fewest true columns in it (3.9), at a tie to the
    # one whose rows are nearest on average. The objective may rise, because clauses are rounded.
    seen: set[bytes] = set()
    problem, y = task.problem, task.problem.y

    def take_step(current: Iterate) -> tuple[None, Iterate] | None:
        owner = row_owners(problem.table, y, problem.weight, current.counts)
        if owner.tobytes() in seen:  # clauses are a function of the owners: from here it circles
            return None
        seen.add(owner.tobytes())
        return None, task.iterate([task.learn(y | (owner == r)) for r in range(n_clauses)])

    return _improve(task, n_clauses, take_step)


def row_owners(table: BinnedTable, y: Bools, weight: Floats, counts: Counts) -> Counts:
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
