"""The rules over the conditions of one table, and those with nearly the lowest cost.

A rule is given as the columns of the table that its clauses use. It costs the weight of its
wrong rows plus a price a condition; a box search finds good ones, the branch and bound lists all
clauses that are near the best one, alone or beside the other clauses of a rule.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulekit.binning import BinnedTable
from rulekit.learners.literal.base import LiteralRuleClassifier
from rulekit.learners.literal.boxes import BoxSearch
from rulekit.learners.training import LearningProblem
from rulekit.rules import RuleSet, simplify
from rulekit.search.clause_generation.exact_clause import ClauseLimits, NearBest, near_best_clauses

Bools = NDArray[np.bool_]
Columns = tuple[tuple[int, ...], ...]  # of each clause, rising; clauses in rising order

TIE = 1e-9
ALL_TESTS = 10**12  # only time ends a list of all clauses
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
        return self._table.values

    @property
    def _table(self) -> BinnedTable:
        """The table over which the rule is a DNF."""
        return self.problem.table.as_dnf(self.learner.form)

    @cached_property
    def slots(self) -> list[int]:
        """Number conditions so that two thresholds on one side share a number."""
        table = self._table
        after = 2 * int(table.feature.max(initial=-1)) + 2
        return [
            2 * int(f) + (s < 0) if s else after + j
            for j, (f, s) in enumerate(zip(table.feature, table.side, strict=True))
        ]

    def constants(self) -> tuple[PricedRule, PricedRule]:
        """Return the rules without conditions with their costs."""
        return self.priced(()), self.priced(((),))

    def priced(self, columns: Iterable[Iterable[int]]) -> PricedRule:
        """Compute the cost of a rule on the training rows."""
        key = tuple(sorted(tuple(sorted(clause)) for clause in columns))
        if key not in self._priced:
            wrong = self._wrong([self._mask(clause) for clause in key])
            cost = wrong + self.theta * sum(map(len, key))
            self._priced[key] = PricedRule(key, wrong, cost)
        return self._priced[key]

    def reduced(self, rule: PricedRule) -> PricedRule:
        """Remove clauses and conditions that do not pay, the most expensive first."""
        while True:
            parts = rule.columns
            shorter = [self.priced(parts[:r] + parts[r + 1 :]) for r in range(len(parts))]
            for r, clause in enumerate(parts):
                rest = parts[:r] + parts[r + 1 :]
                shorter += [self.priced((*rest, tuple(set(clause) - {j}))) for j in clause]
            best = min(shorter, key=lambda s: (round(s.cost, 9), s.columns), default=rule)
            if best is rule or best.cost > rule.cost + TIE:
                return rule
            rule = best

    def rule(self, priced: PricedRule) -> RuleSet:
        """Return the rule of a selection."""
        chosen = np.zeros((len(priced.columns), self.holds.shape[1]), dtype=bool)
        for row, clause in zip(chosen, priced.columns, strict=True):
            row[list(clause)] = True
        written = self.problem.clauses(chosen, np.zeros(len(chosen), dtype=bool))
        return simplify(self.learner.rule_of(written))

    def features(self, priced: PricedRule) -> frozenset[str]:
        """Return the columns of the table that a rule reads."""
        return frozenset(self.problem.table.literals[j].feature for c in priced.columns for j in c)

    def searched(self, problem: LearningProblem, rng: np.random.Generator) -> list[PricedRule]:
        """Search rules over some or all conditions of this table."""
        number = {literal: j for j, literal in enumerate(self.problem.table.literals)}
        numbers = [number[literal] for literal in problem.table.literals]
        searched = BoxSearch(0.0, 0.0, SEARCH_PERTURBATIONS, self.max_clauses, None).run(
            problem, rng
        )
        rules = {}
        for entry in searched.entries:
            if entry.n_clauses <= self.max_clauses and entry.n_conditions <= self.max_conditions:
                chosen = searched.chosen(entry)
                columns = [[numbers[j] for j in np.flatnonzero(row)] for row in chosen]
                rule = self.reduced(self.priced(columns))
                rules[rule.columns] = rule
        return list(rules.values())

    def clauses(self, margin: float, best: float, most: int) -> Iterator[tuple[int, NearBest]]:
        """List the clauses near the best one, by number of conditions."""
        nothing = self.constants()[0].cost
        for size in range(1, self.max_conditions + 1):
            near = near_best_clauses(
                self.holds,
                self._table.y,
                self.theta,
                margin,
                max_conditions=size,
                slots=self.slots,
                weight=self._table.weight,
                incumbent=max(0.0, nothing - best),
                most=most,
                limits=ClauseLimits(max_tests=ALL_TESTS, should_stop=self.stop),
            )
            yield size, near
            if not near.complete:
                return

    def grown(self, rules: Iterable[PricedRule], limit: float, most: int) -> "Grown":
        """Exchange one clause after the other in all known rules."""
        met = {rule.columns: rule for rule in rules}
        queue = [(rule.cost, columns) for columns, rule in met.items()]
        heapq.heapify(queue)
        n_done = 0
        while queue and n_done < most and not self.stop():
            _, columns = heapq.heappop(queue)
            n_done += 1
            for rule in self._exchanged(columns, limit):
                if rule.columns not in met:
                    met[rule.columns] = rule
                    heapq.heappush(queue, (rule.cost, rule.columns))
        return Grown([r for r in met.values() if r.cost <= limit + TIE], not queue)

    def _exchanged(self, columns: Columns, limit: float) -> Iterator[PricedRule]:
        """Return the rules that differ from one in a single clause, or have one more."""
        lacking = [columns] if len(columns) < self.max_clauses else []
        for rest in [*(columns[:r] + columns[r + 1 :] for r in range(len(columns))), *lacking]:
            held = np.any([self._mask(c) for c in rest], axis=0) if rest else None
            base = self.priced(rest)
            remaining = self.max_conditions - base.n_conditions
            weight, described = self._table.weight, self._table.y
            weight = weight if held is None else np.where(held, 0, weight)
            most = float(weight[described].sum())  # what a clause beside these is worth at most
            floor = max(0.0, base.cost - limit)
            if remaining < 1 or floor > most or self.stop():
                continue
            near = near_best_clauses(
                self.holds,
                described,
                self.theta,
                most - floor,
                max_conditions=remaining,
                slots=self.slots,
                weight=weight,
                incumbent=most,
                most=EXCHANGE_MOST,
                limits=ClauseLimits(max_tests=EXCHANGE_TESTS, should_stop=self.stop),
            )
            for clause in near.clauses:
                yield self.reduced(self.priced((*rest, clause)))

    def _mask(self, clause: Iterable[int]) -> Bools:
        held: Bools = np.logical_and.reduce(self.holds[:, list(clause)], axis=1)
        return held

    def _wrong(self, masks: list[Bools]) -> float:
        held: Bools = np.zeros(len(self._table.y), dtype=bool)
        for mask in masks:
            held |= mask
        return float(self._table.weight[held != self._table.y].sum())


@dataclass(frozen=True)
class Grown:
    """Rules found by exchanging clauses, and whether the search was exhaustive."""

    rules: list[PricedRule]
    finished: bool
