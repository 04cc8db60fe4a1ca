"""How often rows like a row had each class in training.

Rows are alike at three levels, each finer than the one before: the clause that decides them (or
none); how many conditions each clause is short of deciding them; which conditions those are. A
share is drawn towards that of the coarser level, so that few rows move it little.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.rules import Columns, Condition, RuleSet

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Levels = tuple[NDArray[np.int64], ...]

#: Rows that the share of a coarser level counts for in a finer one; that of all rows is drawn
#: towards even by one row a class. 5 to 20 rank nearly as well, see ``docs/decisions/0022``.
SHRINK = 10.0
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

    def kinds(self, columns: Columns) -> tuple[Levels, NDArray[np.intp]]:
        """Sort rows into kinds by the conditions they meet.

        Shapes: columns (n,); result (n,).
        """
        kind = np.zeros(len(next(iter(columns.values()))), dtype=np.int64)
        first = np.zeros(1, dtype=np.intp)
        masks = [c.mask(columns) ^ (self.rule.form == "cnf") for c in self.conditions]
        for start in range(0, len(masks), CHUNK):
            for mask in masks[start : start + CHUNK]:
                kind = 2 * kind + mask
            _, first, kind = np.unique(kind, return_index=True, return_inverse=True)
        met = np.array([mask[first] for mask in masks], dtype=bool)
        return self.levels(met.reshape(len(masks), len(first)).T), kind.reshape(-1)

    def levels(self, met: Bools) -> Levels:
        """Return what is equal at each level, for kinds by conditions met: (kinds, conditions).

        Of a CNF a condition is met where it fails.
        """
        place = {condition: k for k, condition in enumerate(self.conditions)}
        clauses = self.rule.clauses
        short = np.zeros((len(met), len(clauses)), dtype=np.int64)
        for r, clause in enumerate(clauses):
            own = sorted({place[c] for c in clause.conditions})
            short[:, r] = (~met[:, own]).sum(axis=1)
        return first_clause(short == 0), short, met.astype(np.int64)


def first_clause(decides: Bools) -> NDArray[np.int64]:
    """Return the first clause that decides, or the number of clauses for none, shape (n, 1)."""
    padded = np.column_stack([decides, np.ones(len(decides), dtype=bool)])
    return np.asarray(padded.argmax(axis=1)[:, None], dtype=np.int64)


def answers_of_clauses(rule: RuleSet) -> tuple[Any, ...]:
    """Return the label where each clause decides, and last where none does."""
    if rule.form == "cnf":
        return (*(rule.default,) * rule.n_clauses, rule.labels[0])
    return (*rule.labels, rule.default)


@dataclass(frozen=True)
class Shares:
    """Shares of the classes among training rows, by kind.

    Shapes: levels (2, K), clauses (n_clauses, K), factors (K,). `answers`, where given, is the code
    of the class that each clause, or none, answers, shape (n_clauses + 1,): its share is then the
    greatest.
    """

    likeness: Any
    levels: tuple[dict[bytes, Floats], ...]
    clauses: Floats
    factors: Floats
    answers: NDArray[np.intp] | None = None

    @classmethod
    def measured(
        cls,
        rule: RuleSet,
        columns: Columns,
        codes: NDArray[np.intp],
        weights: tuple[Floats, Floats],
        n_classes: int,
    ) -> "Shares":
        """Count training rows.

        Shapes: columns (n,), codes (n,), weights (n,).
        """
        likeness, given = Likeness(rule), weights[0]
        levels, kind = likeness.kinds(columns)
        n_kinds = len(levels[0])
        found = np.bincount(kind * n_classes + codes, given, minlength=n_kinds * n_classes)
        own, weighed = (np.bincount(codes, w, minlength=n_classes) for w in (given, weights[1]))
        factors = np.divide(weighed, own, out=np.ones(n_classes), where=own > 0)
        counts: Floats = found.astype(float).reshape(n_kinds, n_classes)
        return cls.counted(likeness, levels, counts, levels[1] == 0, factors)

    @classmethod
    def counted(
        cls, likeness: Any, levels: Levels, counts: Floats, decides: Bools, factors: Floats
    ) -> "Shares":
        """Compute the shares from the counts of kinds.

        Shapes: levels (kinds, any), counts (kinds, K), decides (kinds, n_clauses).
        """
        n_kinds, n_classes = counts.shape
        found: list[dict[bytes, Floats]] = []
        drawn, whole = np.full(counts.shape, 1.0 / n_classes), np.zeros(n_kinds, dtype=np.intp)
        for level in (None, *levels):
            shrink = n_classes if level is None else SHRINK
            group, first = _groups(level, n_kinds)
            rows, size = np.zeros((len(first), n_classes)), np.bincount(group)[group]
            np.add.at(rows, group, counts)
            share = (rows[group] + shrink * drawn) / (rows.sum(axis=1)[group, None] + shrink)
            drawn = np.where((size == whole)[:, None], drawn, share)
            values = np.stack([rows, drawn[first]], axis=1)
            found.append(dict(zip(_keys(level, n_kinds, first), values, strict=True)))
            whole = size
        return cls(likeness, tuple(found), decides.T.astype(float) @ counts, factors)

    def of(self, columns: Columns) -> Floats:
        """Return the shares of rows, shape (n, K); kinds not seen use a coarser level."""
        levels, kind = self.likeness.kinds(columns)
        return np.asarray(self.of_levels(levels)[kind])

    def of_levels(self, levels: Levels) -> Floats:
        """Return the shares of kinds, shape (kinds, K)."""
        drawn = np.zeros((len(levels[0]), len(self.factors)))
        for level, known in zip((None, *levels), self.levels, strict=True):
            for k, key in enumerate(_keys(level, len(drawn))):
                if key in known:
                    drawn[k] = known[key][1]
        if self.answers is not None:
            answer = self.answers[levels[0][:, 0]]
            against = np.flatnonzero(drawn.argmax(axis=1) != answer)
            drawn[against, answer[against]] = drawn[against].max(axis=1) * (1 + AHEAD)
            drawn[against] /= drawn[against].sum(axis=1, keepdims=True)
        return drawn

    def following(self, rule: RuleSet, classes: list[Any]) -> "Shares":
        """Return shares of which the greatest is that of the rule's answer.

        Where rows speak against the answer, its share is raised to that of the most frequent class,
        and all are divided by their sum: of two classes both are one half.
        """
        answers = [classes.index(label) for label in answers_of_clauses(rule)]
        return replace(self, answers=np.array(answers))

    def of_answers(self, rule: RuleSet, classes: list[Any]) -> tuple[Floats, Floats]:
        """Compute each clause's share of right rows among those it decides, plain and weighted.

        Smoothed as if one more row had each class; two arrays of shape (n_clauses,).
        """
        labels = rule.labels if rule.form == "dnf" else (rule.default,) * rule.n_clauses
        right = (np.arange(rule.n_clauses), [classes.index(v) for v in labels])
        both = (self.clauses, self.clauses * self.factors)
        first, second = ((n[right] + 1.0) / (n.sum(axis=1) + len(classes)) for n in both)
        return first, second


def _groups(level: NDArray[np.int64] | None, n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return a number for what is equal at a level, and the first of each."""
    if level is None:
        return np.zeros(n, dtype=np.intp), np.zeros(min(n, 1), dtype=np.intp)
    _, first, group = np.unique(level, axis=0, return_index=True, return_inverse=True)
    return group.reshape(-1), first


def _keys(
    level: NDArray[np.int64] | None, n: int, some: NDArray[np.intp] | slice = slice(None)
) -> list[bytes]:
    """Return keys of some of n kinds at a level; without a level all are equal."""
    if level is None:
        return [b""] * len(np.arange(n)[some])
    return [row.tobytes() for row in np.ascontiguousarray(level[some])]
