"""The search for rule lists on a learner's table, with one shared archive.

The table is that of `binary_problem` in the form "dnf": a clause holds where all of its columns of
``A`` are False.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.learners.literal.boxes.label_noise import discounted
from rulekit.learners.literal.boxes.search import PATH, PATH_ROWS
from rulekit.learners.literal.problems.binary_problem import BinaryProblem, box_table
from rulekit.learners.literal.several import SeveralClasses
from rulekit.learners.training import Clock, plain_label
from rulekit.rules import Clause, Literal, RuleSet
from rulekit.search.box_search import ERRORS, ArchiveEntry, Boxes, refined_cuts
from rulekit.search.rule_lists import ListArchive, ListPlan, ListSearch, RuleList

#: Clauses searched for each class but one, whatever the limit: one archive serves all settings.
PATH_CLAUSES_A_CLASS = 3
Clauses = list[tuple[Literal, ...]]


@dataclass(frozen=True)
class SearchedLists:
    """Result of a search, for every penalty and every limit.

    Shapes: codes (n,).
    """

    problem: BinaryProblem
    codes: NDArray[np.intp]
    names: list[Any]
    search: ListSearch
    archive: ListArchive
    finished: bool
    seconds: float
    visited: dict[tuple[RuleSet, float, int], list[ListArchive]] = field(default_factory=dict)

    def entry(
        self, theta: float, n_clauses: int, max_conditions: int | None, *more: ListArchive
    ) -> ArchiveEntry:
        """Find the best list for one penalty and limits, also in further archives.

        Ties go to fewer conditions, then to fewer clauses.
        """
        most = math.inf if max_conditions is None else max_conditions
        entries = [e for archive in (self.archive, *more) for e in archive.entries]
        allowed = [e for e in entries if e.n_clauses <= n_clauses and e.n_conditions <= most]
        return min(
            allowed, key=lambda e: (round(e.objective(theta), 9), e.n_conditions, e.n_clauses)
        )

    def rule_of(self, clauses: Clauses, rules: RuleList) -> RuleSet:
        """Convert clauses to a list with the classes of another."""
        labels = tuple(self.names[c] for c in rules.labels)
        return RuleSet(tuple(map(Clause, clauses)), labels, "dnf", self.names[rules.default])

    def rule(self, boxes: Boxes) -> RuleSet:
        """Convert the boxes of an entry to a list of clauses of literals."""
        assert isinstance(boxes, RuleList)
        return self.rule_of(self._clauses(self.search.problem.chosen(boxes)), boxes)

    def _clauses(self, chosen: NDArray[np.bool_], moved: Any = ()) -> Clauses:
        return list(self.problem.clauses(chosen, np.zeros(len(chosen), bool), moved))

    def boxes_of(self, rule: RuleSet) -> RuleList | None:
        """Convert a rule to boxes; None if it contains a condition that is no box."""
        column = {literal: j for j, literal in enumerate(self.problem.literals)}
        end_of = {j: end for end, j in self.search.problem.column_of.items()}
        n_bins, k = self.search.problem.n_bins, rule.n_clauses
        low, high = np.zeros((k, len(n_bins)), np.int64), np.tile(n_bins - 1, (k, 1))
        absent = np.ones(low.shape, dtype=bool)
        for r, clause in enumerate(rule.clauses):
            for literal in clause.literals:
                end = end_of.get(column.get(literal, -1))
                if end is None:
                    return None
                f, kind, place, accepts = end
                absent[r, f] &= accepts
                if kind == "low":
                    low[r, f] = max(low[r, f], place)
                elif kind == "high":
                    high[r, f] = min(high[r, f], place)
                elif place:
                    low[r, f], high[r, f] = 1, 0
        if ((low > high) & ~absent).any():
            return None
        labels = tuple(self.names.index(label) for label in rule.labels)
        return RuleList(low, high, absent, labels, self.names.index(rule.default))

    def searched_from(self, rule: RuleSet, theta: float, n_clauses: int) -> list[ListArchive]:
        """Search from a list, at one penalty, once; empty if it cannot be written as boxes."""
        key = rule, theta, n_clauses
        if key not in self.visited:
            self.visited[key], start = [], self.boxes_of(rule)
            if start is not None:
                archive = ListArchive(self.search.problem)
                self.search.visit(archive, start, theta, n_clauses)
                self.visited[key] = [archive]
        return self.visited[key]

    def with_cuts_refined(self, rule: RuleSet) -> RuleSet:
        """Move the thresholds of each clause in turn, with the others fixed."""
        problem, rules = self.problem, self.boxes_of(rule)
        if rules is None:
            return rule
        chosen = self.search.problem.chosen(rules)
        clauses = self._clauses(chosen)
        holds = [Clause(c).mask(problem.columns) for c in clauses]
        for r in range(len(clauses)):
            g = self._savings(holds, rules, r)
            cuts, _ = refined_cuts(problem.A, g < 0, np.abs(g), problem.cuts, chosen[r : r + 1])
            moved = [(j, k) for (_, j), k in cuts.items()]
            kept = chosen[r : r + 1].copy()
            kept[0, [j for j, _ in moved]] = False
            clauses[r] = self._clauses(np.hstack([kept, np.ones((1, len(moved)), bool)]), moved)[0]
            holds[r] = Clause(clauses[r]).mask(problem.columns)
        return self.rule_of(clauses, rules)

    def _savings(
        self, holds: list[NDArray[np.bool_]], rules: RuleList, r: int
    ) -> NDArray[np.float64]:
        """Compute what each row saves when clause `r` covers it, see `rule_lists.search`."""
        above, below = np.zeros(len(self.codes), bool), np.full(len(self.codes), rules.default)
        for held in holds[:r]:
            above |= held
        for held, label in reversed(list(zip(holds, rules.labels, strict=True))[r + 1 :]):
            below[held] = label
        gain = (below != self.codes).astype(float) - (self.codes != rules.labels[r])
        return np.where(above, 0.0, gain * self.problem.weight)


def searched_lists(
    learner: Any, several: SeveralClasses, rng: np.random.Generator
) -> SearchedLists:
    """Search lists, or reuse the same search."""
    whole = several.everything()
    assert isinstance(whole, BinaryProblem)
    codes = several.table.codes[whole.rows]
    problem = whole
    if learner.label_noise:
        problem = discounted(whole, float(learner.label_noise), int(rng.integers(2**31)), codes)
    several.counted = np.empty(len(codes))
    several.counted[whole.rows] = problem.weight
    most = max(PATH_CLAUSES_A_CLASS, learner.n_clauses) * (len(several.table.classes) - 1)
    key = repr(("lists", learner.n_perturbations, most, rng.bit_generator.state)).encode()
    kept: SearchedLists | None = problem.memory.get(key)
    seconds = math.inf if learner.time_limit is None else float(learner.time_limit)
    if kept is None or not (kept.finished or seconds <= kept.seconds):
        names = [plain_label(c) for c in several.table.classes]
        found = _searched(
            problem, codes, names, ListPlan(PATH, most, learner.n_perturbations), rng, seconds
        )
        kept = problem.memory[key] = found
    return kept


def _searched(
    problem: BinaryProblem,
    codes: NDArray[np.intp],
    names: list[Any],
    plan: ListPlan,
    rng: np.random.Generator,
    seconds: float,
) -> SearchedLists:
    scale = float(problem.weight.sum()) / PATH_ROWS
    search = ListSearch(box_table(problem, ERRORS, codes))
    clock = Clock.of_seconds(None if math.isinf(seconds) else seconds)
    archive = search.run(replace(plan, thetas=[scale * t for t in plan.thetas]), rng, clock)
    return SearchedLists(problem, codes, names, search, archive, not clock.ran_out, seconds)
