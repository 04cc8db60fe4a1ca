"""The box search as a method of the two-level learner: prices, path, one archive for all."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.estimators._binary_problem import BinaryProblem
from rulekit.estimators._boxes import BoxTable, box_table
from rulekit.estimators._clock import Clock
from rulekit.solvers.box_archive import Archive, ArchiveEntry
from rulekit.solvers.box_problem import BoxPrices
from rulekit.solvers.box_search import SearchPlan, search
from rulekit.solvers.clause_selection import ClauseSelection

PATH_ROWS = 500.0
# Prices of a literal that a search visits, in wrong rows of a table of 500 rows. The archive
# answers every other price from these.
PATH = (0.02, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
PATH_CLAUSES = 5  # clauses searched whatever is asked for, so that one archive serves all askers


def prices_of(robustness: float) -> BoxPrices:
    """Turn the robustness of a learner into prices of wrong and nearly wrong rows."""
    if robustness == 0:
        return BoxPrices()
    return BoxPrices(miss=0.3, overlap=0.3, near=robustness)


@dataclass(frozen=True)
class Searched:
    """What a search found, for every price and every number of clauses.

    Attributes
    ----------
    table : BoxTable
        What the boxes mean.
    archive : Archive
        The best boxes of each size.
    finished : bool
        Whether the search came to its end.
    seconds : float
        The time limit it had.
    """

    table: BoxTable
    archive: Archive
    finished: bool
    seconds: float = math.inf

    def serves(self, seconds: float) -> bool:
        """Whether an asker with this time limit need not search again."""
        return self.finished or seconds <= self.seconds

    def entry(self, theta: float, n_clauses: int, max_literals: int | None = None) -> ArchiveEntry:
        """Find the best rule for one price and limits of clauses and literals.

        Ties go to fewer literals, then to fewer clauses.
        """
        most = math.inf if max_literals is None else max_literals
        allowed = [e for e in self._sorted if e.n_clauses <= n_clauses and e.n_literals <= most]
        return min(allowed, key=lambda e: (round(e.objective(theta), 9), e.n_literals))

    @cached_property
    def _sorted(self) -> tuple[ArchiveEntry, ...]:
        return self.archive.entries

    def selection(self, entry: ArchiveEntry, theta: float) -> ClauseSelection:
        """Tell an entry as methods tell what they found."""
        value = entry.objective(theta)
        history: list[dict[str, Any]] = [{"step": 0, "objective": value}]
        if not self.finished:
            history.append({"step": 1, "objective": value, "stopped": "time limit"})
        chosen = self.chosen(entry)
        return ClauseSelection(chosen, np.zeros(len(chosen), bool), value, tuple(history))

    def chosen(self, entry: ArchiveEntry) -> NDArray[np.bool_]:
        """Say which columns of the learner's table an entry is made of: shape (k, d)."""
        return self.table.chosen(entry.boxes)


def searched(
    problem: BinaryProblem,
    rng: np.random.Generator,
    *,
    robustness: float,
    kicks: int,
    n_clauses: int,
    time_limit: float | None,
) -> Searched:
    """Search, or find what the same search found.

    Parameters
    ----------
    problem : BinaryProblem
        The learner's table; its memory keeps the search.
    rng : numpy.random.Generator
        For the kicks. Generators in the same state share one search.
    robustness : float
        See `prices_of`.
    kicks : int
        Rounds of disturbance.
    n_clauses : int
        Clauses at most; never fewer than `PATH_CLAUSES` are searched, so that the answer for a
        smaller limit does not depend on which one was asked for first.
    time_limit : float or None
        Seconds that ended in the problem's deadline. A search that the deadline cut off serves all
        who have no more of them, so that the settings of one table wait for it once.

    Returns
    -------
    Searched
    """
    most = max(PATH_CLAUSES, n_clauses)
    key = repr(("search", robustness, kicks, most, rng.bit_generator.state)).encode()
    kept: Searched | None = problem.memory.get(key)
    seconds = math.inf if time_limit is None else time_limit
    if kept is None or not kept.serves(seconds):
        found = _search(problem, rng, prices_of(robustness), kicks, most)
        kept = problem.memory[key] = replace(found, seconds=seconds)
    return kept


def _search(
    problem: BinaryProblem,
    rng: np.random.Generator,
    prices: BoxPrices,
    kicks: int,
    most: int,
) -> Searched:
    table = box_table(problem, prices)
    scale = float(problem.weight.sum()) / PATH_ROWS
    plan = SearchPlan([scale * theta for theta in PATH], most, kicks)
    clock = Clock(problem.cover.deadline)
    archive = search(table.problem, plan, rng, clock)
    return Searched(table, archive, not clock.ran_out)
