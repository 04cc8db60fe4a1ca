"""The box search on a learner's table: label noise, a shared archive, lists, near-best rules."""

# The out-of-bag votes of a random forest discount rows that lie among rows of the other class. In a
# `RuleSpace` a rule is the columns that its clauses use; branch and bound lists all near-best ones.

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rulekit.binning.binned_table import Bools, Floats, Ints
from rulekit.learners.literal.base import LiteralRuleClassifier
from rulekit.learners.literal.several import SeveralClasses
from rulekit.learners.training import Clock, LearningProblem
from rulekit.rules import Clause, RuleSet, simplify
from rulekit.search.box_search.problem import BoxPrices, BoxRows, join_ends, whole_box
from rulekit.search.box_search.search import (
    Archive,
    ArchiveEntry,
    SearchPlan,
    cheapest_entry,
    refine_cuts,
    search,
)
from rulekit.search.clause_generation.exact_clause import (
    ALL_TESTS,
    ClauseLimits,
    ClauseSearch,
    NearBest,
)
from rulekit.search.rule_lists.search import ListArchive, ListSearch, RuleList

N_TREES = 100


def discount_rows(
    problem: LearningProblem, label_noise: float, seed: int, classes: Ints | None = None
) -> LearningProblem:
    """Weight rows by the forest's agreement with their class; shapes: classes (n,)."""

    def discount() -> LearningProblem:
        agreed = agreement(problem, seed, classes)
        weight = problem.table.weight * (1.0 - label_noise * (1.0 - agreed))
        table = problem.table.with_labels(problem.table.y, weight)
        return replace(problem, table=table)

    return problem.once(("label_noise", label_noise, seed, classes is None), discount)


def agreement(problem: LearningProblem, seed: int, classes: Ints | None = None) -> Floats:
    """Return the forest's out-of-bag vote share for each row's own class."""
    table = problem.table
    y = table.y.astype(int) if classes is None else classes
    if not len(table.feature) or (y == y[0]).all():
        return np.ones(len(y))

    def grow() -> Floats:
        from rulekit.learners.forest_kernels import MOST_ROWS, forest_columns, votes

        used = np.unique(table.feature).tolist()
        columns, ordered = forest_columns(table.codes, table.encodings, used)
        shares = votes(columns, ordered, y, table.weight, N_TREES, seed, MOST_ROWS)
        agreed: Floats = np.nan_to_num(shares[np.arange(len(y)), y], nan=1.0)
        return agreed

    return problem.once(("agreement", seed, classes is None), grow)


PATH_ROWS = 500.0
# Prices of a literal that a search visits, in wrong rows of a table of 500 rows. The archive
# answers every other price from these.
PATH = (0.02, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
PATH_CLAUSES = 5  # clauses searched whatever the limit, so that one archive serves all settings


@dataclass(frozen=True)
class Searched:
    """Result of a search, for every penalty and every number of clauses."""

    problem: LearningProblem
    archive: Archive
    finished: bool

    def select_columns(self, entries: Sequence[ArchiveEntry]) -> list[Bools]:
        """Return the columns of the learner's table in each entry, shape (k, d)."""
        chosen = self.archive.problem.find_conditions(np.concatenate([e.boxes for e in entries]))
        return np.split(chosen, np.cumsum([e.n_clauses for e in entries])[:-1])


def scale_plan(problem: LearningProblem, n_clauses: int, n_perturbations: int) -> SearchPlan:
    """Return the plan of a search, with prices in proportion to the rows."""
    scale = float(problem.table.weight.sum()) / PATH_ROWS
    return SearchPlan([scale * theta for theta in PATH], n_clauses, n_perturbations)


def search_boxes(
    problem: LearningProblem,
    rng: np.random.Generator,
    n_clauses: int,
    n_perturbations: int,
    robustness: float = 0.0,
    label_noise: float = 0.0,
) -> Searched:
    """Search, or reuse the same search from the problem's memory."""
    if label_noise:
        problem = discount_rows(problem, label_noise, int(rng.integers(2**31)))
    most = max(PATH_CLAUSES, n_clauses)
    costs = robustness, label_noise, n_perturbations
    key = repr(("search", *costs, most, rng.bit_generator.state))
    stored: Searched | None = problem.memory.get(key)
    if stored is None or not stored.finished:
        clock, plan = Clock(problem.deadline), scale_plan(problem, most, n_perturbations)
        how: Any = {} if clock.end is None else {"should_stop": clock}
        how |= {"prices": BoxPrices.from_robustness(robustness), "axes": problem.axes}
        archive = search(problem.table, plan, rng, **how)
        stored = problem.memory[key] = Searched(problem, archive, not clock.ran_out)
    return stored


#: Clauses searched for each class but one, whatever the limit: one archive serves all settings.
PATH_CLAUSES_A_CLASS = 3


@dataclass(frozen=True)
class SearchedLists:
    """Result of a search, for every penalty and every limit."""

    problem: LearningProblem
    codes: Ints  # (n,)
    names: list[Any]
    search: ListSearch
    archive: ListArchive
    finished: bool
    seconds: float

    def rule_of(self, clauses: Iterable[Clause], rules: RuleList) -> RuleSet:
        """Convert clauses to a list with the classes of another."""
        labels = tuple(self.names[c] for c in rules.labels)
        return RuleSet(tuple(clauses), labels, "dnf", self.names[rules.default])

    def rule(self, rules: RuleList) -> RuleSet:
        """Convert the boxes of an entry to a list of clauses of literals."""
        clauses = self.problem.clauses(self.search.problem.find_conditions(rules.boxes))
        return self.rule_of(map(Clause, clauses), rules)

    def boxes_of(self, rule: RuleSet) -> RuleList | None:
        """Convert a rule to boxes; None if it contains a condition that is no box."""
        column = {literal: j for j, literal in enumerate(self.problem.literals)}
        clauses = [[column.get(literal, -1) for literal in c.literals] for c in rule.clauses]
        problem = self.search.problem
        end_of = {j: end for end, j in problem.condition_of.items()}
        if not {j for clause in clauses for j in clause} <= end_of.keys():
            return None
        joined = [join_ends(problem.n_bins, [end_of[j] for j in clause]) for clause in clauses]
        boxes = np.concatenate([whole_box(problem.n_bins)[:0], *joined])
        low, high, absent = boxes.transpose(2, 0, 1)
        if ((low > high) & (absent == 0)).any():
            return None
        labels = tuple(self.names.index(label) for label in rule.labels)
        return RuleList(boxes, labels, self.names.index(rule.default))

    def find_entry(
        self, start: RuleSet, theta: float, n_clauses: int, max_conditions: int | None
    ) -> ArchiveEntry:
        """Find the best list for one penalty and limits, also by a search from a list."""
        entries, boxes = [*self.archive.entries], self.boxes_of(start)
        if boxes is not None:
            archive, state = ListArchive(self.search.problem), self.search.make_state(boxes)
            # a clause has a condition
            longest = n_clauses if max_conditions is None else min(n_clauses, max_conditions)
            self.search.visit(archive, state, theta, longest)
            entries += archive.entries
        return cheapest_entry(entries, theta, n_clauses, max_conditions)

    def move_cuts(self, rule: RuleSet) -> RuleSet:
        """Move the thresholds of each clause in turn, with the others fixed."""
        problem, rules = self.problem, self.boxes_of(rule)
        if rules is None:
            return rule
        chosen = self.search.problem.find_conditions(rules.boxes)
        clauses = [Clause(literals) for literals in problem.clauses(chosen)]
        holds = [clause.mask(problem.columns) for clause in clauses]
        _ = problem.table.opposite.values  # formed once for all clauses
        for r in range(len(clauses)):
            # what each row saves when clause `r` covers it, see `rule_lists.search`
            above, below = np.any(holds[:r], axis=0), np.full(len(self.codes), rules.default)
            for held, label in reversed(list(zip(holds, rules.labels, strict=True))[r + 1 :]):
                below[held] = label
            gain = (below != self.codes).astype(float) - (self.codes != rules.labels[r])
            g = np.where(above, 0.0, gain * problem.table.weight)
            table = problem.table.with_labels(g >= 0, np.abs(g))
            cuts, _ = refine_cuts(table, problem.cuts, chosen[r : r + 1])
            moved = [(j, k) for (_, j), k in cuts.items()]
            refined = np.hstack([chosen[r], np.ones(len(moved), bool)])
            refined[[j for j, _ in moved]] = False
            clauses[r] = Clause(problem.clauses(refined[None], moved)[0])
            holds[r] = clauses[r].mask(problem.columns)
        return self.rule_of(clauses, rules)


def search_lists(
    learner: Any, several: SeveralClasses, rng: np.random.Generator, n_clauses: int
) -> SearchedLists:
    """Search lists, or reuse the same search."""
    problem = whole = several.everything()
    codes = several.table.codes[whole.rows]
    if learner.label_noise:
        problem = discount_rows(whole, float(learner.label_noise), int(rng.integers(2**31)), codes)
    several.counted = np.empty(len(codes))
    several.counted[whole.rows] = problem.table.weight
    most = max(PATH_CLAUSES_A_CLASS, n_clauses) * (len(several.table.classes) - 1)
    costs = float(learner.label_noise), learner.n_perturbations
    key = repr(("lists", *costs, most, rng.bit_generator.state))
    stored: SearchedLists | None = problem.memory.get(key)
    seconds = math.inf if learner.time_limit is None else float(learner.time_limit)
    if stored is None or not (stored.finished or seconds <= stored.seconds):
        names = [*several.table.labels]
        plan = scale_plan(problem, most, learner.n_perturbations)
        search = ListSearch(BoxRows.from_table(problem.table, classes=codes, axes=problem.axes))
        clock = Clock.from_seconds(learner.time_limit)
        archive = search.run(plan, rng, clock)
        search.offer_conditions(archive)
        finished = not clock.ran_out
        stored = SearchedLists(problem, codes, names, search, archive, finished, seconds)
        problem.memory[key] = stored
    return stored


Columns = tuple[tuple[int, ...], ...]  # of each clause, rising; clauses in rising order

TIE = 1e-9
EXCHANGE_TESTS = 300_000  # literals tried for one clause of a rule of several, about 0.1 s
EXCHANGE_MOST = 400  # and clauses taken from there
SEARCH_PERTURBATIONS = 1


@dataclass(frozen=True)
class PricedRule:
    """A rule, the weight of its wrong rows, and its cost."""

    columns: Columns
    wrong: float
    cost: float

    @property
    def n_conditions(self) -> int:
        """Number of columns over all clauses."""
        return sum(map(len, self.columns))


@dataclass
class RuleSpace:
    """All rules with limited numbers of clauses and conditions."""

    learner: LiteralRuleClassifier
    problem: LearningProblem
    theta: float
    max_clauses: int
    max_conditions: int
    stop: Callable[[], bool]
    _priced: dict[Columns, PricedRule] = field(default_factory=dict, repr=False)

    @cached_property
    def holds(self) -> Bools:
        """Where each condition of the DNF holds, shape (n, d)."""
        return self.problem.table.values

    @cached_property
    def slots(self) -> list[int]:
        """Number conditions so that two thresholds on one side share a number."""
        feature, side = self.problem.table.feature.astype(int), self.problem.table.side
        after = 2 * int(feature.max(initial=-1)) + 2 + np.arange(len(feature))
        slots: list[int] = np.where(side != 0, 2 * feature + (side < 0), after).tolist()
        return slots

    def constants(self) -> tuple[PricedRule, PricedRule]:
        """Return the rules without conditions with their costs."""
        return self.price_rule(()), self.price_rule(((),))

    def price_rule(self, columns: Iterable[Iterable[int]]) -> PricedRule:
        """Compute the cost of a rule on the training rows."""
        key = tuple(sorted(tuple(sorted(clause)) for clause in columns))
        if key not in self._priced:
            table = self.problem.table
            held = np.zeros(len(table.y), dtype=bool)
            for clause in key:
                held |= self._mask(clause)
            wrong = float(table.weight[held != table.y].sum())
            cost = wrong + self.theta * sum(map(len, key))
            self._priced[key] = PricedRule(key, wrong, cost)
        return self._priced[key]

    def reduce_rule(self, rule: PricedRule) -> PricedRule:
        """Remove clauses and conditions that do not pay, the most expensive first."""
        while True:
            parts = rule.columns
            shorter = [self.price_rule(parts[:r] + parts[r + 1 :]) for r in range(len(parts))]
            for r, clause in enumerate(parts):
                rest = parts[:r] + parts[r + 1 :]
                shorter += [self.price_rule((*rest, tuple(set(clause) - {j}))) for j in clause]
            best = min(shorter, key=lambda s: (round(s.cost, 9), s.columns), default=rule)
            if best is rule or best.cost > rule.cost + TIE:
                return rule
            rule = best

    def rule(self, priced: PricedRule) -> RuleSet:
        """Return the rule of a selection."""
        chosen = np.zeros((len(priced.columns), self.holds.shape[1]), dtype=bool)
        for row, clause in zip(chosen, priced.columns, strict=True):
            row[list(clause)] = True
        return simplify(self.learner.rule_of(self.problem.clauses(chosen)))

    def features(self, priced: PricedRule) -> frozenset[str]:
        """Return the columns of the table that a rule reads."""
        return frozenset(self.problem.literals[j].feature for c in priced.columns for j in c)

    def search(self, problem: LearningProblem, rng: np.random.Generator) -> list[PricedRule]:
        """Search rules over some or all conditions of this table."""
        number = {literal: j for j, literal in enumerate(self.problem.literals)}
        numbers = [number[literal] for literal in problem.literals]
        searched = search_boxes(problem, rng, self.max_clauses, SEARCH_PERTURBATIONS)
        rules = {}
        entries = searched.archive.entries
        for entry, chosen in zip(entries, searched.select_columns(entries), strict=True):
            if entry.n_clauses <= self.max_clauses and entry.n_conditions <= self.max_conditions:
                columns = [[numbers[j] for j in np.flatnonzero(row)] for row in chosen]
                rule = self.reduce_rule(self.price_rule(columns))
                rules[rule.columns] = rule
        return list(rules.values())

    def clauses(self, margin: float, best: float, most: int) -> Iterator[tuple[int, NearBest]]:
        """List the clauses near the best one, by number of conditions."""
        limits = ClauseLimits(max_tests=ALL_TESTS, should_stop=self.stop)
        incumbent = max(0.0, self.constants()[0].cost - best)
        y, weight = self.problem.table.y, self.problem.table.weight
        how = self.theta, self.slots, weight, incumbent, limits
        search = ClauseSearch(self.holds, y, *how)
        for size in range(1, self.max_conditions + 1):
            near = search.list_near_best(margin, size, most)
            yield size, near
            if not near.complete:
                return

    def grow_rules(self, rules: Iterable[PricedRule], limit: float, most: int) -> list[PricedRule]:
        """Exchange one clause after the other in all known rules."""
        met = {rule.columns: rule for rule in rules}
        queue = [(rule.cost, columns) for columns, rule in met.items()]
        heapq.heapify(queue)
        for _ in range(most):
            if not queue or self.stop():
                break
            _, columns = heapq.heappop(queue)
            lacking = [columns] if len(columns) < self.max_clauses else []
            for rest in [*(columns[:r] + columns[r + 1 :] for r in range(len(columns))), *lacking]:
                held = np.any([self._mask(c) for c in rest], axis=0) if rest else None
                base = self.price_rule(rest)
                remaining = self.max_conditions - base.n_conditions
                weight, described = self.problem.table.weight, self.problem.table.y
                weight = weight if held is None else np.where(held, 0, weight)
                worth = float(weight[described].sum())  # of a clause beside these, at most
                floor = max(0.0, base.cost - limit)
                if remaining < 1 or floor > worth or self.stop():
                    continue
                limits = ClauseLimits(max_tests=EXCHANGE_TESTS, should_stop=self.stop)
                how = self.theta, self.slots, weight, worth, limits
                search = ClauseSearch(self.holds, described, *how)
                near = search.list_near_best(worth - floor, remaining, EXCHANGE_MOST)
                for clause in near.clauses:
                    rule = self.reduce_rule(self.price_rule((*rest, clause)))
                    if rule.columns not in met:
                        met[rule.columns] = rule
                        heapq.heappush(queue, (rule.cost, rule.columns))
        return [rule for rule in met.values() if rule.cost <= limit + TIE]

    def _mask(self, clause: Iterable[int]) -> Bools:
        held: Bools = np.logical_and.reduce(self.holds[:, list(clause)], axis=1)
        return held
