"""The box search on a learner's table: penalties, path, and one shared archive."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.learners.literal.boxes.label_noise import discounted
from rulekit.learners.literal.problems.binary_problem import BinaryProblem, box_table
from rulekit.learners.training import Clock
from rulekit.search.box_search import (
    Archive,
    ArchiveEntry,
    Boxes,
    BoxPrices,
    SearchPlan,
    refined_cuts,
    search,
)
from rulekit.search.clause_selection import ClauseSelection

Bools = NDArray[np.bool_]

PATH_ROWS = 500.0
# Prices of a literal that a search visits, in wrong rows of a table of 500 rows. The archive
# answers every other price from these.
PATH = (0.02, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
PATH_CLAUSES = 5  # clauses searched whatever the limit, so that one archive serves all settings


@dataclass(frozen=True)
class Searched:
    """Result of a search, for every penalty and every number of clauses."""

    problem: BinaryProblem
    archive: Archive
    finished: bool
    seconds: float = math.inf

    def serves(self, seconds: float) -> bool:
        """Whether the result is valid for a caller with this time limit."""
        return self.finished or seconds <= self.seconds

    def entry(
        self, theta: float, n_clauses: int, max_conditions: int | None = None
    ) -> ArchiveEntry:
        """Find the best rule for one penalty and limits of clauses and literals.

        Ties go to fewer literals, then to fewer clauses.
        """
        most = math.inf if max_conditions is None else max_conditions
        allowed = [e for e in self.entries if e.n_clauses <= n_clauses and e.n_conditions <= most]
        return min(allowed, key=lambda e: (round(e.objective(theta), 9), e.n_conditions))

    @cached_property
    def entries(self) -> tuple[ArchiveEntry, ...]:
        """The archive's entries, by clauses and then literals."""
        return self.archive.entries

    def selection(self, entry: ArchiveEntry, theta: float) -> ClauseSelection:
        """Convert an entry to a clause selection."""
        value = entry.objective(theta)
        history: list[dict[str, Any]] = [{"step": 0, "objective": value}]
        if not self.finished:
            history.append({"step": 1, "objective": value, "stopped": "time limit"})
        chosen = self.chosen(entry)
        return ClauseSelection(chosen, np.zeros(len(chosen), bool), value, tuple(history))

    def chosen(self, entry: ArchiveEntry) -> NDArray[np.bool_]:
        """Return the columns of the learner's table in an entry, shape (k, d)."""
        return self.archive.problem.chosen(entry.boxes)


@dataclass(frozen=True)
class BoxSearch:
    """A search with its settings."""

    robustness: float
    label_noise: float
    n_perturbations: int
    n_clauses: int
    time_limit: float | None

    def run(self, problem: BinaryProblem, rng: np.random.Generator) -> Searched:
        """Search, or reuse the same search from the problem's cache."""
        if self.label_noise:
            problem = discounted(problem, self.label_noise, int(rng.integers(2**31)))
        most = max(PATH_CLAUSES, self.n_clauses)
        state = rng.bit_generator.state
        key = repr(("search", self.robustness, self.n_perturbations, most, state)).encode()
        kept: Searched | None = problem.memory.get(key)
        seconds = math.inf if self.time_limit is None else self.time_limit
        if kept is None or not kept.serves(seconds):
            found = self._searched(problem, most, rng)
            kept = problem.memory[key] = replace(found, seconds=seconds)
        return kept

    def _searched(self, problem: BinaryProblem, most: int, rng: np.random.Generator) -> Searched:
        boxes = box_table(problem, BoxPrices.of_robustness(self.robustness))
        scale = float(problem.weight.sum()) / PATH_ROWS
        plan = SearchPlan([scale * theta for theta in PATH], most, self.n_perturbations)
        clock = Clock(problem.deadline)
        archive = search(boxes, plan, rng, clock)
        _offer_everything(archive)
        return Searched(problem, archive, not clock.ran_out)

    def with_cuts_refined(
        self, problem: BinaryProblem, selection: ClauseSelection, theta: float
    ) -> tuple[ClauseSelection, tuple[tuple[int, int], ...], float]:
        """Move the thresholds of a selection; return it over all columns, and its loss."""
        prices = BoxPrices.of_robustness(self.robustness)
        cuts, loss = refined_cuts(
            problem.A, problem.y, problem.weight, problem.cuts, selection.chosen, prices
        )
        moved = tuple(dict.fromkeys((j, k) for (_, j), k in cuts.items()))
        R, d = selection.chosen.shape
        chosen = np.hstack([selection.chosen, np.zeros((R, len(moved)), bool)])
        for (r, j), k in cuts.items():
            chosen[r, j], chosen[r, d + moved.index((j, k))] = False, True
        value = loss + theta * selection.n_conditions
        step = {"step": 1, "objective": value, "move": "cuts"}
        history = (selection.history[0], step, *selection.history[1:])
        return ClauseSelection(chosen, selection.disabled, value, history), moved, loss


def _offer_everything(archive: Archive) -> None:
    """Offer the box of all rows where it costs less than the rule without boxes.

    The search meets it only on its way to other rules.
    """
    problem = archive.problem
    loss = float(problem.charges.base[~problem.y].sum())
    if loss < archive.entries[0].loss:
        p = problem.n_features
        whole = Boxes(np.zeros((1, p), np.int64), problem.n_bins[None] - 1, np.ones((1, p), bool))
        archive.offer(loss, 0, whole)
