"""All rules of a table within limits: those near the best one, by box search and exchange."""

# A rule is the columns that its clauses use; branch and bound lists all near-best clauses.

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rulekit.binning.binned_table import Bools
from rulekit.learners.literal.base import LiteralRuleClassifier
from rulekit.learners.literal.box_search import search_boxes
from rulekit.learners.training import LearningProblem
from rulekit.rules import RuleSet, simplify
from rulekit.search.clause_generation.exact_clause import (
    ALL_TESTS,
    ClauseLimits,
    ClauseSearch,
    NearBest,
)

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
        return list(np.where(side != 0, 2 * feature + (side < 0), after).tolist())

    def constants(self) -> tuple[PricedRule, PricedRule]:
        """Return the rules without conditions with their costs."""
        return self.price_rule(()), self.price_rule(((),))

    def price_rule(self, columns: Iterable[Iterable[int]]) -> PricedRule:
        """Compute the cost of a rule on the training rows."""
        if (key := tuple(sorted(tuple(sorted(clause)) for clause in columns))) not in self._priced:
            table = self.problem.table
            held = np.zeros(len(table.y), dtype=bool)
            for clause in key:
                held |= self._mask(clause)
            wrong = float(table.weight[held != table.y].sum())
            self._priced[key] = PricedRule(key, wrong, wrong + self.theta * sum(map(len, key)))
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
        return self.learner.in_form(simplify(self.learner.dnf_of(self.problem.clauses(chosen))))

    def features(self, priced: PricedRule) -> frozenset[str]:
        """Return the columns of the table that a rule reads."""
        return frozenset(self.problem.table.literals[j].feature for c in priced.columns for j in c)

    def search(self, problem: LearningProblem, rng: np.random.Generator) -> list[PricedRule]:
        """Search rules over some or all conditions of this table."""
        number = {literal: j for j, literal in enumerate(self.problem.table.literals)}
        numbers = [number[literal] for literal in problem.table.literals]
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
        search = ClauseSearch(self.holds, y, self.theta, self.slots, weight, incumbent, limits)
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
        return np.asarray(np.logical_and.reduce(self.holds[:, list(clause)], axis=1))
