"""Cells of a column (its values by the results of all tests), and rules on some settled columns."""

# A truth is True, False, or None while columns that are not settled decide.

import math
from collections.abc import Callable, Sequence
from itertools import chain, combinations
from typing import Any

import numpy as np

from rulekit.rules.condition import WORDS, Condition, list_numbers, number_text, unseen_text
from rulekit.rules.literal import Literal, holds
from rulekit.rules.points_split import PointsSplit
from rulekit.rules.rule_set import Clause, Label, RuleSet
from rulekit.rules.schema import TEXTUAL, ColumnSchema

MOST_STEPS = 100_000
MOST_WORDS = 8  # of one column: each combination of them is a text
Row = dict[str, Any]
Truth = bool | None
#: The truth of a condition, and what to settle next if there is none.
Held = Callable[[Condition], tuple[Truth, Any]]


class TooLongError(Exception):
    """The search took too many steps."""


def possible_answers(rule: RuleSet, held: Held) -> tuple[set[Label], Any]:
    """List the predictions that are still possible, and what to settle next, if anything."""
    answers: set[Label] = set()
    undecided = None
    for clause, label in zip(rule.clauses, rule.labels, strict=False):
        truth, name = evaluate_clause(clause, held)
        undecided = undecided if undecided is not None else name
        if rule.form == "cnf":
            if truth is False:
                return {rule.default}, None
            if truth is None:
                answers.add(rule.default)
            continue
        if truth is not False:
            answers.add(label)
        if truth:
            return answers, undecided
    answers.add(rule.default if rule.form == "dnf" else rule.labels[0])
    return answers, undecided


def evaluate_clause(clause: Clause, held: Held) -> tuple[Truth, Any]:
    """Evaluate a clause on some settled columns, or return what to settle next."""
    undecided, settles = None, clause.op == "or"
    for condition in clause.conditions:
        truth, name = held(condition)
        if truth is settles:
            return settles, None
        if truth is None and undecided is None:
            undecided = name
    return (None, undecided) if undecided is not None else (not settles, None)


def evaluate_points(split: PointsSplit, test: Callable[[Literal], Truth]) -> tuple[Truth, Any]:
    """Evaluate a points condition on some settled columns, or return what to settle next."""
    low = high = 0
    undecided = None
    for literal, points in split.given:
        truth = test(literal)
        if truth is None:
            undecided = undecided or literal.feature
            low, high = low + min(points, 0), high + max(points, 0)
        elif truth:
            low, high = low + points, high + points
    if low >= split.total:
        return split.reached, None
    if high < split.total:
        return not split.reached, None
    return None, undecided


def evaluate_with(test: Callable[[Literal], Truth], sums: Callable[[Condition], Truth]) -> Held:
    """Return the truth of conditions by that of tests of one column, and of sums of columns."""
    # Sums are looked up in their positive form, which names them if they are not settled.

    def evaluate(condition: Condition) -> tuple[Truth, Any]:
        if isinstance(condition, Literal):
            truth = test(condition)
            return truth, condition.feature if truth is None else None
        if isinstance(condition, PointsSplit):
            return evaluate_points(condition, test)
        key = min(condition, condition.negate(), key=repr)
        truth = sums(key)
        return (None, key) if truth is None else (truth == (key == condition), None)

    return evaluate


def meets(literal: Literal, cell: Any) -> bool:
    """Return whether a cell (None for missing) meets a literal."""
    if cell is None:
        return literal.missing
    if literal.is_plain and literal.op not in WORDS:
        return holds(literal, cell)
    column = {literal.feature: np.array([cell], dtype=object)}
    return bool(literal.mask(column)[0])


def _list_read(tests: Sequence[Literal]) -> list[Any] | None:
    """List cells of a column of dates, ordered levels or words; None for other columns."""
    words = sorted({str(t.value) for t in tests if t.op in WORDS})
    if len(words) > MOST_WORDS:
        raise TooLongError
    if words:
        groups = chain.from_iterable(combinations(words, n) for n in range(len(words) + 1))
        texts = [" ".join(group) for group in groups]
        return ["?", *texts, *(f"({text})" for text in texts)]  # a text may have a word, or be it
    read = [t for t in tests if not t.is_plain]
    if len({t.part for t in read if t.part}) > 1:
        raise TooLongError
    cells: list[Any] = [v for t in read for v in t.turning]
    unknown = ["?" * (1 + max(map(len, cells)))] if read and read[0].order is not None else []
    return [*cells, *unknown] or None


def list_cells(tests: Sequence[Literal], column: ColumnSchema | None = None) -> list[Any]:
    """List values of a column, None included, one for each combination of test results."""
    # With the column of a schema they are values that it can have: whole numbers, its levels.
    return _keep_distinct(_list_candidates(tests, column or ColumnSchema("")), tests)


def _list_candidates(tests: Sequence[Literal], column: ColumnSchema) -> Sequence[Any]:
    """List values that have every combination of test results that a column can have."""
    named = [v for t in tests for v in t.values]
    read = _list_read(tests)
    if read is not None:
        return [*read, *(v for t in tests if t.is_plain and t.op not in WORDS for v in t.values)]
    if not named and column.kind == "date":
        return [column.low or "2024-01-01"]
    if column.kind == "truth value" or any(isinstance(v, bool) for v in named):
        return [False, True]
    texts = sorted({v for v in named if isinstance(v, str)})
    if texts or column.kind in TEXTUAL:
        return [*(column.levels or ()), *texts, unseen_text([*(column.levels or ()), *texts])]
    if column.kind == "whole number":
        numbers = [float(v) for v in named]
        finite = [math.floor(v) for v in numbers if math.isfinite(v)]
        beside = {v + k for v in finite for k in (-1, 0, 1, 2)}
        return [float(v) for v in sorted(beside)] or [0.0]
    return sorted(list_numbers(named), key=lambda v: len(number_text(v)))


def _keep_distinct(pool: Sequence[Any], tests: Sequence[Literal]) -> list[Any]:
    distinct: dict[tuple[bool, ...], Any] = {}
    for value in [*pool, None]:
        distinct.setdefault(tuple(meets(t, value) for t in tests), value)
    return list(distinct.values())
