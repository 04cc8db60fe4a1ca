"""Counts of all rows by the answers to a rule's conditions, and what follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.learners.shares import Likeness, Shares, answers_of_clauses
from rulekit.rules import Condition, RuleSet
from rulekit.rules.constraints import Constraints

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
UNCONSTRAINED = Constraints()


@dataclass(frozen=True)
class Kinds:
    """Rows counted by the answers to a rule's conditions.

    Shapes: met (kinds, conditions), counts (2, kinds, K).
    """

    met: NDArray[np.bool_]
    counts: NDArray[np.int64]


def answers_of(rule: RuleSet, met: Bools) -> list[Any]:
    """Return the label of each kind of rows, see `Kinds`."""
    return _answers(rule, Likeness(rule).patterns(met)[0][:, 0])


def _answers(rule: RuleSet, decides: Counts) -> list[Any]:
    """Return the label where each clause decides, or none."""
    labels = answers_of_clauses(rule)
    return [labels[k] for k in decides]


def confusion_of(rule: RuleSet, kinds: Kinds, classes: Sequence[Any]) -> Counts:
    """Count rows by part, true class and prediction, shape (2, K, K)."""
    code_of = {label: k for k, label in enumerate(classes)}
    confusion = np.zeros((2, len(code_of), len(code_of)), dtype=np.int64)
    for kind, label in enumerate(answers_of(rule, kinds.met)):
        confusion[:, :, code_of[label]] += kinds.counts[:, kind]
    return confusion


def wrong_of(rule: RuleSet, kinds: Kinds, classes: Sequence[Any]) -> Floats:
    """Count the wrong training rows of each class, shape (K,)."""
    (learned, _) = confusion_of(rule, kinds, classes)
    return np.asarray(learned.sum(axis=1) - np.diagonal(learned), dtype=float)


def shares_of(rule: RuleSet, kinds: Kinds, factors: Floats) -> Shares:
    """Return the shares of the classes among all training rows."""
    here = kinds.counts[0].sum(axis=1) > 0
    likeness, counts = Likeness(rule), kinds.counts[0][here].astype(float)
    features = likeness.patterns(kinds.met[here])[1]
    return Shares(likeness, features, counts, factors)


@dataclass(frozen=True)
class Pruning:
    """Removes what does not pay on all rows, without further queries; shapes: factors (K,)."""

    classes: Sequence[Any]
    factors: Floats
    price: float
    constraints: Constraints = UNCONSTRAINED

    def pruned(self, rule: RuleSet, kinds: Kinds) -> RuleSet:
        """Drop clauses and conditions, the least useful first, while that pays."""
        column = {c: kinds.met[:, j] for j, c in enumerate(Likeness(rule).conditions)}
        now = self._value(rule, column, kinds)
        while True:
            tries = [(self._value(r, column, kinds), k, r) for k, r in enumerate(self._less(rule))]
            value, _, shorter = min(tries, default=(now, 0, rule), key=lambda t: t[:2])
            if value > now or shorter == rule:
                return rule
            rule, now = shorter, value

    def _less(self, rule: RuleSet) -> list[RuleSet]:
        """List the rules with one clause or one condition less."""
        shorter = []
        for k, clause in enumerate(rule.clauses):
            if not any(is_required(c, self.constraints) for c in clause.conditions):
                shorter.append(without_clause(rule, k))
            if len(clause.conditions) > 1:
                remaining = [
                    tuple(c for c in clause.conditions if c is not left)
                    for left in clause.conditions
                    if not is_required(left, self.constraints)
                ]
                shorter += [with_conditions(rule, k, conditions) for conditions in remaining]
        return shorter

    def _value(self, rule: RuleSet, column: dict[Condition, Bools], kinds: Kinds) -> float:
        """Compute the weighted wrong rows plus penalties."""
        decides = np.full(len(kinds.met), rule.n_clauses, dtype=np.int64)
        for k in reversed(range(rule.n_clauses)):
            held = np.ones(len(decides), dtype=bool)
            for condition in rule.clauses[k].conditions:
                held &= column[condition]
            decides[held] = k
        code_of = {label: k for k, label in enumerate(self.classes)}
        answers = np.array([code_of[label] for label in _answers(rule, decides)], dtype=np.intp)
        counts = kinds.counts[0] * self.factors
        right = counts[np.arange(len(answers)), answers].sum()
        return round(float(counts.sum() - right + self.price * rule.n_conditions), 6)


def is_required(condition: Condition, constraints: Constraints) -> bool:
    """Return whether a constraint requires a condition or its column."""
    return any(item in (condition, *condition.features) for item in constraints.required)


def without_clause(rule: RuleSet, k: int) -> RuleSet:
    """Remove a clause; a CNF without clauses keeps its label."""
    clauses = rule.clauses[:k] + rule.clauses[k + 1 :]
    labels = rule.labels[:k] + rule.labels[k + 1 :]
    if rule.form == "cnf" and not labels:
        labels = rule.labels[:1]
    return replace(rule, clauses=clauses, labels=labels)


def with_conditions(rule: RuleSet, k: int, conditions: tuple[Condition, ...]) -> RuleSet:
    """Replace the conditions of a clause."""
    clauses = list(rule.clauses)
    clauses[k] = replace(clauses[k], conditions=conditions)
    return replace(rule, clauses=tuple(clauses))
