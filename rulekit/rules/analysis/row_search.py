"""Search for a row, among all rows that are possible, for which something is true of a rule."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rulekit.rules.analysis.cells import (
    Held,
    Row,
    TooLongError,
    Truth,
    evaluate_clause,
    evaluate_with,
    list_cells,
    possible_answers,
)
from rulekit.rules.condition import Columns, as_column
from rulekit.rules.literal import Literal
from rulekit.rules.rule_set import Label, RuleSet
from rulekit.rules.schema import NUMERIC, Schema

MOST_STEPS = 20_000  # of one search
MOST_STEPS_OF_ALL = 200_000
MOST_CONDITIONS = 300  # of a rule that is searched
DRAWN_ROWS = 500  # for sums of columns, whose values are drawn
#: Whether something is true of the rows that agree with the settled columns, and what to settle.
Wanted = Callable[[Held], tuple[Truth, Any]]
#: Settled columns, as numbers of their cells, and settled sums.
State = Mapping[Any, Any]
Decide = Callable[[State], tuple[Truth, Any]]


class RowSearch:
    """Search for rows among the cells of the columns that a rule reads."""

    # Sums of columns are settled as true or false by themselves; a row that is found so is drawn
    # until it has these sums.

    def __init__(self, rule: RuleSet, schema: Schema, left: int = MOST_STEPS_OF_ALL) -> None:
        self.schema = schema
        self.left = left  # steps of all searches together
        self._tests: dict[str, list[Literal]] = {f: [] for f in rule.features}
        for test in rule.tests:
            self._tests[test.feature].append(test)
        self.cells: dict[str, list[Any]] = {}
        self.undivided: set[str] = set()  # columns with too many cells
        self._meets: dict[Literal, list[bool]] = {}
        self._most = 0
        for name in self._tests:
            self._divide(name, [])

    def _divide(self, name: str, more: Sequence[Literal]) -> None:
        """Divide a column into cells by its tests, and by more tests."""
        tests = list(dict.fromkeys([*self._tests[name], *more]))
        try:
            self.cells[name] = list_cells(tests, self.schema.column(name))
        except TooLongError:
            self.cells[name] = [None]
            self.undivided.add(name)
        column = {name: as_column(self.cells[name])}
        self._meets.update((test, test.mask(column).tolist()) for test in tests)

    def first_difference(self, rule: RuleSet, other: RuleSet, k: int | None) -> Row | None:
        """Return a row that a changed rule answers otherwise; see `differs` and `first`."""
        added: dict[str, list[Literal]] = {}
        clauses = other.clauses if k is None else other.clauses[k : k + 1]
        for test in dict.fromkeys(t for c in clauses for x in c.conditions for t in x.tests):
            if test not in self._meets:
                added.setdefault(test.feature, []).append(test)
        for name, tests in added.items():
            self._divide(name, tests)
        try:
            return self.first(differs(rule, other, k))
        finally:
            for name, tests in added.items():
                for test in tests:
                    del self._meets[test]
                self._divide(name, [])

    def first(self, wanted: Wanted) -> Row | None:
        """Return a row for which something is true, None if there is none."""
        # TooLongError if the search takes too many steps, or sums decide and no drawn row has them.
        self._most, self._undrawn = self.left - MOST_STEPS, False

        def decide(state: State) -> tuple[Truth, Any]:
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
            result = self.search({**state, name: option}, decide, finish)
            if result is not None:
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
        drawn = {f: self._draw(f, rng) if f in summed else [row[f]] * DRAWN_ROWS for f in row}
        columns = {f: as_column(values) for f, values in drawn.items()}
        fits = np.all([key.mask(columns) == value for key, value in sums.items()], axis=0)
        if not fits.any():
            self._undrawn = True
            return None
        return {f: values[int(fits.argmax())] for f, values in drawn.items()}

    def _draw(self, name: str, rng: np.random.Generator) -> list[Any]:
        """Draw values of a column, numbers mostly from the range of its training rows."""
        column = self.schema.column(name)
        if column is not None and column.kind == "truth value":
            return (rng.random(DRAWN_ROWS) < 0.5).tolist()
        low, high = (0.0, 1.0)
        if column and column.kind in NUMERIC and column.low is not None and column.high is not None:
            low, high = float(column.low), float(column.high)
        wide = np.where(rng.random(DRAWN_ROWS) < 0.8, 1.0, 10.0) * (high - low or 1.0)
        drawn = (low + high) / 2 + wide * (rng.random(DRAWN_ROWS) - 0.5)
        whole = column is not None and column.kind == "whole number"
        return [float(f"{v:.6g}") for v in (drawn.round() if whole else drawn)]


def decides(rule: RuleSet, k: int) -> Wanted:
    """Want a row that clause k of a DNF decides."""
    earlier = [(clause, False) for clause in rule.clauses[:k]]
    return partial(_all_of, [*earlier, (rule.clauses[k], True)])


def decides_before(rule: RuleSet, k: int, j: int) -> Wanted:
    """Want a row that clause k of a DNF decides, and for which a later clause holds."""
    earlier = [(clause, False) for clause in rule.clauses[:k]]
    return partial(_all_of, [(rule.clauses[j], True), (rule.clauses[k], True), *earlier])


def holds_without(rule: RuleSet, k: int, j: int) -> Wanted:
    """Want a row for which clause k holds and clause j does not."""
    return partial(_all_of, [(rule.clauses[k], True), (rule.clauses[j], False)])


def answers(rule: RuleSet, label: Label) -> Wanted:
    """Want a row with an answer."""

    def is_wanted(held: Held) -> tuple[Truth, Any]:
        possible, name = possible_answers(rule, held)
        if label not in possible:
            return False, None
        return (True, None) if possible == {label} else (None, name)

    return is_wanted


def differs(rule: RuleSet, other: RuleSet, k: int | None = None) -> Wanted:
    """Want a row with another answer; with k the rules differ first in clause k."""
    # The other rule may lack the clause.

    def is_wanted(held: Held) -> tuple[Truth, Any]:
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
    return {name: as_column([row[name] for row in rows]) for name in names}


def _all_of(clauses: Sequence[tuple[Any, bool]], held: Held) -> tuple[Truth, Any]:
    """Return whether some clauses all have the truth that is wanted of them."""
    undecided = None
    for clause, expected in clauses:
        truth, name = evaluate_clause(clause, held)
        if truth is not None and truth != expected:
            return False, None
        if truth is None and undecided is None:
            undecided = name
    return (True, None) if undecided is None else (None, undecided)
