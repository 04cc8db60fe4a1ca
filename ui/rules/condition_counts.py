"""Errors of a rule on some rows as one of its conditions changes; all others are fixed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.rules import Literal, RuleSet
from ui.rule_numbers import Rows


@dataclass(frozen=True)
class ConditionCounts:
    """Counts of rows by the distinct values of a condition's column.

    With m distinct values (the last one is "missing"): the condition has one result for all rows
    with a value, so any other cut point or set of levels is counted in O(m).

    Attributes
    ----------
    name : str
        "training" or "test".
    n : int
        Number of rows.
    before : int
        Rows that the unchanged rule predicts wrongly.
    values : ndarray of shape (m,)
        The column as compared (`rulekit.rules.Literal.compared`).
    outcomes : ndarray of shape (n_outcomes, m)
        Rows of each outcome.
    wrong, moved : ndarray of shape (2, m)
        Rows predicted wrongly, and rows with a changed prediction, if the condition fails (0) and
        if it holds (1).
    """

    name: str
    n: int
    before: int
    values: NDArray[Any]
    outcomes: NDArray[np.intp]
    wrong: NDArray[np.float64]
    moved: NDArray[np.float64]

    def errors(self, literal: Literal) -> tuple[int, int]:
        """Return how many rows are wrong, and how many change, with another condition."""
        holds = literal.mask_of(self.values).astype(int)
        at = np.arange(len(holds))
        return int(self.wrong[holds, at].sum()), int(self.moved[holds, at].sum())

    def sides(self, literal: Literal) -> NDArray[np.intp]:
        """Return the rows of each outcome where a condition holds and fails, shape (2, n)."""
        holds = literal.mask_of(self.values)
        return np.array([self.outcomes[:, side].sum(axis=1) for side in (holds, ~holds)])

    @property
    def n_missing(self) -> int:
        """Number of rows without a value."""
        return int(self.outcomes[:, -1].sum())


def condition_counts(
    rule: RuleSet, k: int, i: int, rows: Rows, labels: Sequence[Any]
) -> ConditionCounts:
    """Count rows by the values of condition i of clause k, a `Literal`, and by outcome."""
    clause = rule.clauses[k]
    literal = cast("Literal", clause.conditions[i])
    compared = literal.compared(rows.columns)
    codes, values = pd.factorize(compared)  # -1 where missing
    missing = np.array([None if compared.dtype == object else np.nan], dtype=compared.dtype)
    m = len(values) + 1
    codes = codes % m
    others = [c.mask(rows.columns) for j, c in enumerate(clause.conditions) if j != i]
    join = np.logical_and if clause.op == "and" else np.logical_or
    fired = rule.clauses_fired(rows.columns)
    now = rule.answers(fired)
    wrong, moved = [], []
    for holds in (False, True):
        fired[:, k] = join.reduce([np.full(len(codes), holds), *others])
        answer = rule.answers(fired)
        wrong.append(np.bincount(codes, answer != rows.y, m))
        moved.append(np.bincount(codes, answer != now, m))
    return ConditionCounts(
        rows.name,
        len(codes),
        int((now != rows.y).sum()),
        np.concatenate([values, missing]),
        np.array([np.bincount(codes[rows.y == label], minlength=m) for label in labels]),
        np.array(wrong),
        np.array(moved),
    )


def with_condition(rule: RuleSet, k: int, i: int, literal: Literal) -> RuleSet:
    """Return the rule with another condition i in clause k."""
    clause = rule.clauses[k]
    conditions = (*clause.conditions[:i], literal, *clause.conditions[i + 1 :])
    changed = replace(clause, conditions=conditions)
    return replace(rule, clauses=(*rule.clauses[:k], changed, *rule.clauses[k + 1 :]))


def with_levels(literal: Literal, levels: tuple[Any, ...]) -> Literal:
    """Return a test of equality with other levels; a single level uses equality.

    Levels are values of the literal: text, numbers, or truth values.
    """
    positive = literal.op in ("==", "in")
    if len(levels) == 1 and literal.op in ("==", "!="):
        return replace(literal, value=levels[0])
    return replace(literal, op="in" if positive else "not-in", value=tuple(levels))
