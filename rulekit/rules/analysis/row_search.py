"""Search for a row, among all rows that are possible, for which something is true of a rule."""

# The tests of a column divide its values into cells, by their results; sums of columns are settled
# as true or false by themselves, and a row found so is drawn until it has these sums. A truth is
# True, False, or None while something that is not settled decides.

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from rulekit.exceptions import RuleError
from rulekit.rules.condition import (
    WORDS,
    Columns,
    Condition,
    ReadColumns,
    as_column,
    list_numbers,
    number_text,
    unseen_text,
)
from rulekit.rules.literal import Literal, holds
from rulekit.rules.points_split import PointsSplit
from rulekit.rules.rule_set import Clause, Label, RuleSet
from rulekit.rules.schema import NUMERIC, TEXTUAL, ColumnSchema, Schema

MOST_STEPS = 20_000  # of one search
MOST_STEPS_OF_ALL = 200_000
MOST_WORDS = 8  # of one column: each combination of them is a text
DRAWN_ROWS = 500  # for sums of columns, whose values are drawn
Row = dict[str, Any]
Truth = bool | None
Found = tuple[Truth, Any]  # a truth, and what to settle next if there is none
Held = Callable[[Condition], Found]
#: Whether something is true of the rows that agree with the settled columns, and what to settle.
Wanted = Callable[[Held], Found]
#: Settled columns, as numbers of their cells, and settled sums.
State = Mapping[Any, Any]
Decide = Callable[[State], Found]


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


def evaluate_clause(clause: Clause, held: Held) -> Found:
    """Evaluate a clause on some settled columns, or return what to settle next."""
    return join_truths(map(held, clause.conditions), clause.op == "or")


def join_truths(truths: Iterable[Found], settles: bool) -> Found:
    """Return the truth of an AND, settled by False, or of an OR, settled by True."""
    undecided = None
    for truth, name in truths:
        if truth is settles:
            return settles, None
        if truth is None and undecided is None:
            undecided = name
    return (None, undecided) if undecided is not None else (not settles, None)


def evaluate_with(test: Callable[[Literal], Truth], sums: Callable[[Condition], Truth]) -> Held:
    """Return the truth of conditions by that of tests of one column, and of sums of columns."""
    # Sums are looked up in their positive form, which names them if they are not settled.

    def evaluate(condition: Condition) -> Found:
        if isinstance(condition, Literal):
            truth = test(condition)
            return truth, condition.feature if truth is None else None
        if isinstance(condition, PointsSplit):
            low = high = 0
            undecided = None
            for literal, points in condition.given:
                truth = test(literal)
                if truth is None:
                    undecided = undecided or literal.feature
                    low, high = low + min(points, 0), high + max(points, 0)
                elif truth:
                    low, high = low + points, high + points
            if low >= condition.total:
                return condition.reached, None
            return (not condition.reached, None) if high < condition.total else (None, undecided)
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
    return bool(literal.mask({literal.feature: np.array([cell], dtype=object)})[0])


def list_cells(tests: Sequence[Literal], column: ColumnSchema | None = None) -> list[Any]:
    """List values of a column, None included, one for each combination of test results."""
    # With the column of a schema they are values that it can have: whole numbers, its levels.
    distinct: dict[tuple[bool, ...], Any] = {}
    for value in [*_list_candidates(tests, column or ColumnSchema("")), None]:
        distinct.setdefault(tuple(meets(t, value) for t in tests), value)
    return list(distinct.values())


def _list_candidates(tests: Sequence[Literal], column: ColumnSchema) -> Sequence[Any]:
    """List values that have every combination of test results that a column can have."""
    named = [v for t in tests for v in t.values]
    plain = [v for t in tests if t.is_plain and t.op not in WORDS for v in t.values]
    words = sorted({str(t.value) for t in tests if t.op in WORDS})
    read = [t for t in tests if not t.is_plain]
    if len(words) > MOST_WORDS or (not words and len({t.part for t in read if t.part}) > 1):
        raise TooLongError
    if words:  # a text may have a word, or be it
        texts = [" ".join(group) for n in range(len(words) + 1) for group in combinations(words, n)]
        return ["?", *texts, *(f"({text})" for text in texts), *plain]
    cells: list[Any] = [v for t in read for v in t.turning]
    if cells:  # of dates, or of an order of levels
        unknown = "?" * (1 + max(map(len, cells)))  # no level
        return [*cells, *([unknown] if read[0].order is not None else ()), *plain]
    if not named and column.kind == "date":
        return [column.low or "2024-01-01"]
    if column.kind == "truth value" or any(isinstance(v, bool) for v in named):
        return [False, True]
    texts = sorted({v for v in named if isinstance(v, str)})
    if texts or column.kind in TEXTUAL:
        return [*(column.levels or ()), *texts, unseen_text([*(column.levels or ()), *texts])]
    if column.kind == "whole number":
        finite = [math.floor(v) for v in map(float, named) if math.isfinite(v)]
        return [float(v) for v in sorted({v + k for v in finite for k in (-1, 0, 1, 2)})] or [0.0]
    return sorted(list_numbers(named), key=lambda v: len(number_text(v)))


class RowSearch:
    """Search for rows among the cells of the columns that a rule reads."""

    MOST_CONDITIONS = 300  # of a rule that is searched

    def __init__(self, rule: RuleSet, schema: Schema, left: int = MOST_STEPS_OF_ALL) -> None:
        self.schema = schema
        self.left = left  # steps of all searches together
        self.tests = {f: [t for t in rule.tests if t.feature == f] for f in rule.features}
        self.cells: dict[str, list[Any]] = {}
        self.undivided: set[str] = set()  # columns with too many cells
        self._meets: dict[Literal, list[bool]] = {}
        self._most = 0
        for name in self.tests:
            self._divide(name, [])

    def _divide(self, name: str, more: Sequence[Literal]) -> None:
        """Divide a column into cells by its tests, and by more tests."""
        tests = list(dict.fromkeys([*self.tests[name], *more]))
        try:
            self.cells[name] = list_cells(tests, self.schema.column(name))
        except TooLongError:
            self.cells[name] = [None]
            self.undivided.add(name)
        column = {name: as_column(self.cells[name])}
        self._meets.update((test, test.mask(column).tolist()) for test in tests)

    def first_difference(self, rule: RuleSet, other: RuleSet, k: int | None) -> Row | None:
        """Return a row that a changed rule answers otherwise; see `differs` and `first`."""
        clauses = other.clauses if k is None else other.clauses[k : k + 1]
        tests = dict.fromkeys(t for c in clauses for x in c.conditions for t in x.tests)
        added = [test for test in tests if test not in self._meets]
        names = dict.fromkeys(test.feature for test in added)
        for name in names:
            self._divide(name, [test for test in added if test.feature == name])
        try:
            return self.first(differs(rule, other, k))
        finally:
            for test in added:
                del self._meets[test]
            for name in names:
                self._divide(name, [])

    def first(self, wanted: Wanted) -> Row | None:
        """Return a row for which something is true, None if there is none."""
        # TooLongError if the search takes too many steps, or sums decide and no drawn row has them.
        self._most, self._undrawn = self.left - MOST_STEPS, False

        def decide(state: State) -> Found:
            return wanted(evaluate_with(partial(self.result, state), state.get))

        row: Row | None = self.search({}, decide, self._draw_row)
        if row is None and self._undrawn:
            raise TooLongError
        return row

    def search(self, state: State, decide: Decide, finish: Callable[[State], Any]) -> Any:
        """Settle columns and sums until something is decided; return the first result but None."""
        self.left -= 1
        if self.left < max(self._most, 0):
            raise TooLongError
        truth, name = decide(state)
        if truth is not None:
            return finish(state) if truth else None
        if name in self.undivided:
            raise TooLongError
        for option in self.options(name):
            if (result := self.search({**state, name: option}, decide, finish)) is not None:
                return result
        return None

    def options(self, name: Any) -> Sequence[Any]:
        """List what a column or a sum can be settled as."""
        return range(len(self.cells[name])) if isinstance(name, str) else (True, False)

    def result(self, state: State, literal: Literal) -> Truth:
        """Return the result of a test, None if its column is not settled."""
        cell = state.get(literal.feature)
        return None if cell is None else self._meets[literal][cell]

    def row(self, state: State) -> Row:
        """Return a row with the settled cells."""
        return {name: cells[state.get(name, 0)] for name, cells in self.cells.items()}

    def _draw_row(self, state: State) -> Row | None:
        """Return a row with the settled cells and sums; None if none is drawn."""
        row = self.row(state)
        sums = {key: value for key, value in state.items() if not isinstance(key, str)}
        if not sums:
            return row
        summed = dict.fromkeys(f for key in sums for f in key.features if f not in state)
        rng = np.random.default_rng(0)
        drawn = {f: [row[f]] * DRAWN_ROWS for f in row}
        for name in (f for f in row if f in summed):
            column = self.schema.column(name) or ColumnSchema(name)
            if column.kind == "truth value":
                drawn[name] = (rng.random(DRAWN_ROWS) < 0.5).tolist()
                continue
            low, high = (0.0, 1.0)  # numbers mostly from the range of the training rows
            if column.kind in NUMERIC and column.low is not None and column.high is not None:
                low, high = float(column.low), float(column.high)
            wide = np.where(rng.random(DRAWN_ROWS) < 0.8, 1.0, 10.0) * (high - low or 1.0)
            values = (low + high) / 2 + wide * (rng.random(DRAWN_ROWS) - 0.5)
            values = values.round() if column.kind == "whole number" else values
            drawn[name] = [float(f"{v:.6g}") for v in values]
        columns = {f: as_column(values) for f, values in drawn.items()}
        fits = np.all([key.mask(columns) == value for key, value in sums.items()], axis=0)
        if not fits.any():
            self._undrawn = True
            return None
        return {f: values[int(fits.argmax())] for f, values in drawn.items()}


class ViolationSearch(RowSearch):
    """Search for a row and a step of one column that turn the prediction away from a class."""

    # Sums are settled as their answers before and after the step.

    def __init__(self, rule: RuleSet, feature: str, towards: Label, sign: str, left: int) -> None:
        super().__init__(rule, Schema(), left)
        self.rule, self.feature, self.towards = rule, feature, towards
        self.sums = any(not c.tests for c in rule.conditions)
        tests = self.tests.get(feature, [])
        named = [v for t in tests for v in t.values]
        if any(isinstance(v, str) for v in named) or not all(t.is_plain for t in tests):
            raise RuleError(
                f"Monotonicity needs a column of numbers or truth values, but the rule compares "
                f"{feature!r} with text, which does not rise or fall."
            )
        truth = bool(named) and all(isinstance(v, bool) for v in named)
        cells: list[Any] = [False, True] if truth else list_numbers(named)
        # upward steps between cells, and within a cell where sums may change
        self.steps = [*((v, v) for v in cells if self.sums), *pairwise(cells)]
        self.falls = sign == "<"

    def first_violation(self) -> tuple[Row, Row] | None:
        """Return two rows that differ in the column alone and violate the constraint, or None."""
        for low, high in self.steps:
            ends = (high, low) if self.falls else (low, high)
            if (row := self.search({}, partial(self._decide, ends), self.row)) is not None:
                return {**row, self.feature: ends[0]}, {**row, self.feature: ends[1]}
        return None

    def _decide(self, ends: tuple[Any, Any], state: State) -> Found:
        """Return whether a step violates the constraint, and what to settle next."""
        before, name = self._answers(state, ends, 0)
        if self.towards not in before:
            return False, None
        after, later = self._answers(state, ends, 1)
        name = later if name is None else name
        if name is None or after == {self.towards}:
            return after != {self.towards}, None
        return None, name

    def options(self, name: Any) -> Sequence[Any]:
        """List the cells of a column, or the pairs of answers that a sum can have."""
        if isinstance(name, str):
            return super().options(name)
        trend, turns = name.trend(self.feature), {-1: (True, False), 1: (False, True)}
        signs = turns if trend is None else {-trend if self.falls else trend} - {0}
        return [(False, False), (True, True), *(turns[sign] for sign in signs)]

    def _answers(self, state: State, ends: tuple[Any, Any], side: int) -> tuple[set[Label], Any]:
        def test(literal: Literal) -> Truth:
            if literal.feature == self.feature:
                return holds(literal, ends[side])
            return self.result(state, literal)

        def sums(condition: Condition) -> Truth:
            return state[condition][side] if condition in state else None

        return possible_answers(self.rule, evaluate_with(test, sums))


def decides(rule: RuleSet, k: int, later: int | None = None) -> Wanted:
    """Want a row that clause k of a DNF decides, and for which a later clause holds as well."""
    earlier = [(clause, False) for clause in rule.clauses[:k]]
    if later is None:
        return all_of(*earlier, (rule.clauses[k], True))
    return all_of((rule.clauses[later], True), (rule.clauses[k], True), *earlier)


def answers(rule: RuleSet, label: Label) -> Wanted:
    """Want a row with an answer."""

    def is_wanted(held: Held) -> Found:
        possible, name = possible_answers(rule, held)
        if label not in possible:
            return False, None
        return (True, None) if possible == {label} else (None, name)

    return is_wanted


def differs(rule: RuleSet, other: RuleSet, k: int | None = None) -> Wanted:
    """Want a row with another answer; with k the rules differ first in clause k."""
    # The other rule may lack the clause.

    def is_wanted(held: Held) -> Found:
        first = None
        if k is not None:
            truth, first = evaluate_clause(rule.clauses[k], held)
            changed: Truth = False
            if other.n_clauses == rule.n_clauses:
                changed, name = evaluate_clause(other.clauses[k], held)
                first = name if first is None else first
            alike = truth is not None and truth == changed
            if alike and not (truth and rule.labels != other.labels):
                return False, None
            for clause in rule.clauses[:k]:
                truth, name = evaluate_clause(clause, held)
                if truth:
                    return False, None
                first = name if first is None else first
        a, name = possible_answers(rule, held)
        b, other_name = possible_answers(other, held)
        if not a & b:
            return True, None
        if len(a) == len(b) == 1:
            return False, None
        return None, next(n for n in (first, name, other_name) if n is not None)

    return is_wanted


def columns_of_rows(rows: Sequence[Row], names: Sequence[str]) -> Columns:
    """Return rows as columns."""
    return ReadColumns((name, as_column([row[name] for row in rows])) for name in names)


def all_of(*clauses: tuple[Clause, bool]) -> Wanted:
    """Want a row for which some clauses all have the truth that is given with them."""

    def is_wanted(held: Held) -> Found:
        found = ((evaluate_clause(clause, held), expected) for clause, expected in clauses)
        return join_truths(((t if t is None else t == e, name) for (t, name), e in found), False)

    return is_wanted
