"""Search for a step of one column that turns the prediction away from a class.

The column's steps, from one cell between its cuts to the next, are looked at one by one, and a
search goes through what the other columns can hold.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, islice, pairwise
from typing import Any

import numpy as np

from rulekit.exceptions import RuleError
from rulekit.rules.clause import Clause
from rulekit.rules.column_test import holds
from rulekit.rules.condition import Condition
from rulekit.rules.literal import Literal
from rulekit.rules.points_split import PointsSplit
from rulekit.rules.rule_set import Label, RuleSet
from rulekit.rules.scales import WORDS

MOST_STEPS = 100_000
Row = dict[str, Any]
Pair = tuple[bool, bool]  # an answer before the step, and after it
Truth = bool | None  # None: not settled yet


class TooLongError(Exception):
    """The search took too many steps."""


class ViolationSearch:
    """Search for a row and a step of one column that turn the prediction away from a class.

    A state maps each column that is settled to a value, and each sum of columns to its answers
    before and after the step.
    """

    def __init__(self, rule: RuleSet, feature: str, towards: Label, direction: str) -> None:
        self.rule, self.feature, self.towards = rule, feature, towards
        conditions = [c for clause in rule.clauses for c in clause.conditions]
        tests = [t for c in conditions for t in c.tests]
        self.sums = tuple(dict.fromkeys(_positive(c) for c in conditions if not c.tests))
        self.values = {
            f: _cells([t for t in tests if t.feature == f])
            for f in dict.fromkeys(t.feature for t in tests)
            if f != feature
        }
        own = [t for t in tests if t.feature == feature]
        self.steps = list(_steps(own, feature, bool(self.sums)))
        self.falls = direction == "<"
        self.left = MOST_STEPS

    def first_violation(self) -> tuple[Row, Row] | None:
        """Return two rows that differ in the column alone and violate the constraint, or None."""
        for low, high in self.steps:
            ends = (high, low) if self.falls else (low, high)
            state = self._search({}, ends)
            if state is not None:
                row = {name: state.get(name, values[0]) for name, values in self.values.items()}
                return ({self.feature: ends[0], **row}, {self.feature: ends[1], **row})
        return None

    def _search(self, state: dict[Any, Any], ends: tuple[Any, Any]) -> dict[Any, Any] | None:
        self.left -= 1
        if self.left < 0:
            raise TooLongError
        before, name_before = self._answers(state, ends, 0)
        if self.towards not in before:
            return None
        after, name_after = self._answers(state, ends, 1)
        if after == {self.towards}:
            return None
        name = name_before if name_before is not None else name_after
        if name is None:
            return state
        for value in self._options(name):
            found = self._search({**state, name: value}, ends)
            if found is not None:
                return found
        return None

    def _options(self, name: Any) -> Sequence[Any]:
        if isinstance(name, str):
            return self.values[name]
        pairs: dict[int | None, list[Pair]] = {
            0: [(False, False), (True, True)],
            1: [(False, False), (True, True), (False, True)],
            -1: [(False, False), (True, True), (True, False)],
        }
        every = [(False, False), (True, True), (True, False), (False, True)]
        trend = name.trend(self.feature)
        return pairs.get(-trend if self.falls and trend is not None else trend, every)

    def _answers(
        self, state: dict[Any, Any], ends: tuple[Any, Any], side: int
    ) -> tuple[set[Label], Any]:
        """List the predictions that are still possible, and what to assign next, if anything."""
        held = self._held(state, ends[side], side)
        rule, found, undecided = self.rule, set(), None
        for clause, label in zip(rule.clauses, rule.labels, strict=False):
            truth, name = _clause(clause, held)
            undecided = undecided if undecided is not None else name
            if rule.form == "cnf":
                if truth is False:
                    return {rule.default}, None
                if truth is None:
                    found.add(rule.default)
                continue
            if truth is not False:
                found.add(label)
            if truth:
                return found, undecided
        found.add(rule.default if rule.form == "dnf" else rule.labels[0])
        return found, undecided

    def _held(
        self, state: dict[Any, Any], own: Any, side: int
    ) -> Callable[[Condition], tuple[Truth, Any]]:
        def test(literal: Literal) -> Truth:
            if literal.feature == self.feature:
                return holds(literal, own)
            if literal.feature not in state:
                return None
            return _meets(literal, state[literal.feature])

        def held(condition: Condition) -> tuple[Truth, Any]:
            if isinstance(condition, Literal):
                truth = test(condition)
                return truth, condition.feature if truth is None else None
            if isinstance(condition, PointsSplit):
                return _points(condition, test)
            key = _positive(condition)
            if key not in state:
                return None, key
            return state[key][side] == (key == condition), None

        return held


def _clause(clause: Clause, held: Callable[[Condition], tuple[Truth, Any]]) -> tuple[Truth, Any]:
    """Evaluate a clause on a partial assignment, or return what to assign next."""
    undecided, settles = None, clause.op == "or"
    for condition in clause.conditions:
        truth, name = held(condition)
        if truth is settles:
            return settles, None
        if truth is None and undecided is None:
            undecided = name
    return (None, undecided) if undecided is not None else (not settles, None)


def _points(split: PointsSplit, test: Callable[[Literal], Truth]) -> tuple[Truth, Any]:
    """Evaluate a points condition on a partial assignment, or return what to assign next."""
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


def _positive(condition: Condition) -> Condition:
    """Return a condition and its negation in the same, positive form."""
    return min(condition, condition.negated(), key=repr)


def _meets(literal: Literal, cell: Any) -> bool:
    """Return whether a cell (None for missing) meets a literal."""
    if cell is None:
        return literal.missing
    if literal.is_plain and literal.op not in WORDS:
        return holds(literal, cell)
    column = {literal.feature: np.array([cell], dtype=object)}
    return bool(literal.mask(column)[0])


def _read(tests: Sequence[Literal]) -> list[Any] | None:
    """List cells of a column of dates, ordered levels or words; None for other columns."""
    words = sorted({str(t.value) for t in tests if t.op in WORDS})
    if words:
        groups = chain.from_iterable(combinations(words, n) for n in range(len(words) + 1))
        texts = [" ".join(group) for group in islice(groups, MOST_STEPS)]
        return ["?", *texts, *(f"({text})" for text in texts)]  # a text may have a word, or be it
    read = [t for t in tests if not t.is_plain]
    if len({t.part for t in read if t.part}) > 1:
        raise TooLongError
    cells: list[Any] = [v for t in read for v in t.turning]
    unknown = ["?" * (1 + max(map(len, cells)))] if read and read[0].order is not None else []
    return [*cells, *unknown] or None


def _cells(tests: Sequence[Literal]) -> list[Any]:
    """List values of a column, None included, one for each combination of test results."""
    named = [v for t in tests for v in t.values]
    read = _read(tests)
    if read is not None:
        pool = [*read, *(v for t in tests if t.is_plain and t.op not in WORDS for v in t.values)]
        return _distinct(pool, tests)
    if not named or any(isinstance(v, float) for v in named):
        pool = _numbers(named)
    elif any(isinstance(v, bool) for v in named):
        pool = [False, True]
    else:
        texts = sorted({v for v in named if isinstance(v, str)})
        pool = [*texts, "".join(texts) + "?"]
    return _distinct(pool, tests)


def _distinct(pool: Sequence[Any], tests: Sequence[Literal]) -> list[Any]:
    found: dict[tuple[bool, ...], Any] = {}
    for value in [*pool, None]:
        found.setdefault(tuple(_meets(t, value) for t in tests), value)
    return list(found.values())


def _numbers(named: Sequence[Any]) -> list[float]:
    """List each number in the tests, and one below, between and above them."""
    cuts = sorted({float(v) for v in named if not isinstance(v, str)})
    if not cuts:
        return [0.0]
    between = [v for a, b in pairwise(cuts) if a < (v := a / 2 + b / 2) < b]
    ends = [_beyond(cuts[0], -1.0), _beyond(cuts[-1], 1.0)]
    return sorted({*cuts, *between, *(v for v in ends if np.isfinite(v))})


def _beyond(cut: float, step: float) -> float:
    return cut + step if cut + step != cut else float(np.nextafter(cut, step * np.inf))


def _steps(own: Sequence[Literal], feature: str, sums: bool) -> Iterator[tuple[Any, Any]]:
    """List the upward steps of a column between cells, and within a cell where sums may change."""
    named = [v for t in own for v in t.values]
    if any(isinstance(v, str) for v in named) or not all(t.is_plain for t in own):
        raise RuleError(
            f"Monotonicity needs a column of numbers or truth values, but the rule compares "
            f"{feature!r} with text, which does not rise or fall."
        )
    truth = bool(named) and all(isinstance(v, bool) for v in named)
    cells: list[Any] = [False, True] if truth else _numbers(named)
    if sums:
        yield from ((v, v) for v in cells)
    yield from pairwise(cells)
