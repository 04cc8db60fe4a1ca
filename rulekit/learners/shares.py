"""How often training rows that meet the same conditions had each class."""

# Shares are drawn towards a logistic regression on conditions and clauses. Where the rule's error
# on other rows is known, one temperature fits them to it (C. Guo et al., "On Calibration of Modern
# Neural Networks", 2017).

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from rulekit.binning.binned_table import Bools, Floats
from rulekit.rules import Columns, Condition, RuleSet

Patterns = tuple[NDArray[np.int64], NDArray[np.int64]]

#: Rows that the share of the logistic regression counts for; see ``docs/decisions/0022``.
SHRINK = 30.0
MOST_STEPS, CLOSE = 100, 1e-7  # of the regression: steps, and log odds left to change at its end
LEAST_SLOPE = 0.1  # of log odds: rows keep their order
AHEAD = 1e-9  # by which the answer's share is ahead of an equal one
CHUNK = 30  # conditions whose answers are joined in one number


@dataclass(frozen=True)
class Likeness:
    """The conditions by which a rule groups rows."""

    rule: RuleSet

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the rule, each once."""
        return tuple(dict.fromkeys(c for clause in self.rule.clauses for c in clause.conditions))

    def kinds(self, columns: Columns) -> tuple[Patterns, NDArray[np.intp]]:
        """Sort rows into kinds by the conditions they meet; shapes: columns (n,); result (n,)."""
        kind = np.zeros(len(next(iter(columns.values()))), dtype=np.int64)
        first = np.zeros(1, dtype=np.intp)
        masks = [c.mask(columns) ^ (self.rule.form == "cnf") for c in self.conditions]
        for start in range(0, len(masks), CHUNK):
            for mask in masks[start : start + CHUNK]:
                kind = 2 * kind + mask
            _, first, kind = np.unique(kind, return_index=True, return_inverse=True)
        met = np.array([mask[first] for mask in masks], dtype=bool)
        return self.patterns(met.reshape(len(masks), len(first)).T), kind.reshape(-1)

    def patterns(self, met: Bools) -> Patterns:
        """Return the deciding clause and the features of kinds, given by conditions met."""
        index_of = {condition: k for k, condition in enumerate(self.conditions)}
        indices = [[index_of[c] for c in clause.conditions] for clause in self.rule.clauses]
        held = [met[:, columns].all(axis=1) for columns in indices]
        decides = np.array(held, dtype=bool).reshape(len(held), len(met)).T.copy()
        return first_clause(decides), np.column_stack([decides, met]).astype(np.int64)


def first_clause(decides: Bools) -> NDArray[np.int64]:
    """Return the first clause that decides, or the number of clauses for none, shape (n, 1)."""
    padded = np.column_stack([decides, np.ones(len(decides), dtype=bool)])
    return np.asarray(padded.argmax(axis=1)[:, None], dtype=np.int64)


def code_answers(rule: RuleSet, classes: Sequence[Any]) -> NDArray[np.intp]:
    """Return the number of the class where each clause decides, and last where none does."""
    labels = (*rule.labels, rule.default)
    if rule.form == "cnf":
        labels = (*(rule.default,) * rule.n_clauses, rule.labels[0])
    return np.array([classes.index(label) for label in labels])


@dataclass(frozen=True)
class Shares:
    """Shares of the classes among training rows, by kind."""

    likeness: Any
    features: NDArray[np.int64]  # (kinds, F)
    counts: Floats  # (kinds, K)
    factors: Floats  # (K,)
    # (n_clauses + 1,): class that each clause, or none, predicts; its share is then the greatest
    answers: NDArray[np.intp] | None = None
    slope: float = 1.0  # an inverse temperature: multiplies log shares

    @classmethod
    def from_rows(
        cls,
        rule: RuleSet,
        columns: Columns,
        codes: NDArray[np.intp],
        weights: tuple[Floats, Floats],
        n_classes: int,
    ) -> "Shares":
        """Count training rows; shapes: columns (n,), codes (n,), weights (n,)."""
        likeness, given = Likeness(rule), weights[0]
        patterns, kind = likeness.kinds(columns)
        n_kinds = len(patterns[0])
        weight_of = np.bincount(kind * n_classes + codes, given, minlength=n_kinds * n_classes)
        unweighted, weighed = (np.bincount(codes, w, minlength=n_classes) for w in weights)
        factors = np.divide(weighed, unweighted, out=np.ones(n_classes), where=unweighted > 0)
        counts: Floats = weight_of.astype(float).reshape(n_kinds, n_classes)
        return cls(likeness, patterns[1], counts, factors)

    @property
    def deciding(self) -> NDArray[np.int64]:
        """The first clause that decides each kind, or the number of clauses, shape (kinds,)."""
        return first_clause(self.features[:, : self.likeness.rule.n_clauses].astype(bool))[:, 0]

    @cached_property
    def clauses(self) -> Floats:
        """The rows that each clause decides, alone or not, by class, shape (n_clauses, K)."""
        return np.asarray(self.features[:, : self.likeness.rule.n_clauses].T @ self.counts)

    @cached_property
    def regression(self) -> Floats:
        """Coefficients of a logistic regression of each class, intercepts last, (F + 1, K)."""
        rows = self.counts.sum(axis=1)
        features = np.vstack([self.features, rows @ self.features / rows.sum()])
        of_class = np.vstack([self.counts, np.ones_like(self.factors)])
        rows = np.append(rows, max(2, len(self.factors)))  # a single class leaves odds finite
        return np.column_stack([logistic(features, is_class, rows) for is_class in of_class.T])

    @cached_property
    def training_shares(self) -> dict[bytes, Floats]:
        """The shares of the kinds that occur in training, by their features."""
        drawn = self.predict_shares(self.features)
        shares = (self.counts + SHRINK * drawn) / (self.counts.sum(axis=1, keepdims=True) + SHRINK)
        return {key.tobytes(): share for key, share in zip(self.features, shares, strict=True)}

    def predict_shares(self, features: NDArray[np.int64]) -> Floats:
        """Return the shares of the regression, shape (kinds, K)."""
        shares: Floats = expit(features @ self.regression[:-1] + self.regression[-1])
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def compute(self, columns: Columns) -> Floats:
        """Return the shares of rows, shape (n, K); kinds not seen have that of the regression."""
        patterns, kind = self.likeness.kinds(columns)
        return np.asarray(self.compute_by_pattern(patterns)[kind])

    def compute_by_pattern(self, patterns: Patterns) -> Floats:
        """Return the shares of kinds, shape (kinds, K)."""
        drawn = self.predict_shares(patterns[1])
        for k, key in enumerate(patterns[1]):
            drawn[k] = self.training_shares.get(key.tobytes(), drawn[k])
        drawn = temper(drawn, self.slope)
        if self.answers is not None:
            answer = self.answers[patterns[0][:, 0]]
            against = np.flatnonzero(drawn.argmax(axis=1) != answer)
            drawn[against, answer[against]] = drawn[against].max(axis=1) * (1 + AHEAD)
            drawn[against] /= drawn[against].sum(axis=1, keepdims=True)
        return drawn

    def following(self, rule: RuleSet, classes: list[Any]) -> "Shares":
        """Return shares of which the greatest is that of the rule's answer."""
        return replace(self, answers=code_answers(rule, classes))

    def calibrate(self, rule: RuleSet, classes: list[Any], error: float) -> "Shares":
        """Return shares by which the rule is expected to err as often as on other rows."""
        answer = code_answers(rule, classes)[self.deciding]
        rows = self.counts.sum(axis=1, keepdims=True)
        shares = np.array([self.training_shares[key.tobytes()] for key in self.features])

        def excess(slope: float) -> float:
            weight = rows * temper(shares, slope) * self.factors
            right = weight[np.arange(len(weight)), answer].sum() / weight.sum()
            return float(1.0 - right - error)

        if excess(1.0) >= 0:
            return self
        least = excess(LEAST_SLOPE) <= 0
        return replace(self, slope=LEAST_SLOPE if least else brentq(excess, LEAST_SLOPE, 1.0))

    def compute_by_clause(self, rule: RuleSet, classes: list[Any]) -> tuple[Floats, Floats]:
        """Compute each clause's share of right rows among those it decides, plain and weighted."""
        right = np.arange(rule.n_clauses), code_answers(rule, classes)[:-1]
        both = (self.clauses, self.clauses * self.factors)
        first, second = ((n[right] + 1.0) / (n.sum(axis=1) + len(classes)) for n in both)
        return first, second

    def count_parts(self, rule: RuleSet, classes: list[Any]) -> list[tuple[float, float]]:
        """Count the rows that each clause, or none, decides: correct ones and all."""
        codes, deciding = code_answers(rule, classes), self.deciding
        rows = [self.counts[deciding == k].sum(axis=0) for k in range(len(codes))]
        return [(float(n[code]), float(n.sum())) for n, code in zip(rows, codes, strict=True)]


def temper(shares: Floats, slope: float) -> Floats:
    """Multiply the log odds of shares by a factor: shape (kinds, K)."""
    if slope == 1.0:
        return shares
    powers = shares**slope
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def logistic(features: Floats, of_class: Floats, rows: Floats) -> Floats:
    """Fit a logistic regression with a ridge penalty; the intercept, last, is free."""
    design = np.column_stack([features, np.ones(len(features))])
    penalty = np.append(np.ones(features.shape[1]), 0.0)
    coefficients = np.zeros(len(penalty))
    for _ in range(MOST_STEPS):
        share = expit(design @ coefficients)
        slope = design.T @ (rows * share - of_class) + penalty * coefficients
        curvature = (design.T * (rows * share * (1 - share))) @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, slope)
        size = np.abs(design @ step).max()
        coefficients -= step / max(1.0, size)
        if size < CLOSE:
            break
    return coefficients
