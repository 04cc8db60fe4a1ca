"""Conditions as Boolean ibis expressions, never NULL, so each may be negated."""

# What `Condition.mask` refuses because of the cells it meets is noted as a `problem` instead.

from collections.abc import Iterable
from functools import reduce
from operator import add, and_, mul, or_
from typing import Any

from rulekit._engine import kind_of, number, read
from rulekit.exceptions import RuleError
from rulekit.rules.condition import DAY, EPOCH, GAPS, ORDERED, WORDS, foldings, since_of
from rulekit.rules.literal import COMPARED, Literal
from rulekit.rules.points_split import PointsSplit
from rulekit.rules.rule_set import Clause
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit
from rulekit.rules.writer import ConditionWriter

ISO = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?$"


class ExpressionWriter(ConditionWriter[Any]):
    """Writes conditions over the columns of one table."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self._read: dict[str, Any] = {}
        self.problems: dict[str, Any] = {}

    def clause(self, clause: Clause) -> Any:
        """Return the expression of a clause."""
        return join_expressions(list(map(self.write, clause.conditions)), clause.op)

    def column(self, name: str) -> Any:
        """Return a column as rules read it; see `rulekit._engine.read`."""
        if name not in self._table.columns:
            raise RuleError(f"The rule reads column {name!r}, which the table does not have.")
        return self._read.setdefault(name, read(self._table[name]))

    def literal(self, literal: Literal) -> Any:
        """Return the expression of a test of one column."""
        literal = literal.as_set()
        column = self.column(literal.feature)
        if literal.op in GAPS:
            return column.isnull() if literal.op == "missing" else column.notnull()
        if literal.op in WORDS:
            test = self._has_word(column, str(literal.value))
            test = test if literal.op == "contains" else ~test
        elif literal.op in ORDERED:
            limit = number(float(literal.positions[0]))
            test = COMPARED[literal.op](self._write_value(literal), limit)
        else:
            compared = column if literal.is_plain else self._write_value(literal)
            test = _one_of(compared, literal.positions)
            test = test if literal.op in ("==", "in") else ~test
        return test.fill_null(literal.missing)

    def linear(self, split: LinearSplit) -> Any:
        """Return the weighted sum, added in the order of `total`."""
        terms = [self._number(name) * number(weight) for name, weight in split.terms]
        below = reduce(add, terms) <= number(split.value)
        return (below if split.op == "<=" else ~below).fill_null(split.missing)

    def power_law(self, split: PowerLawSplit) -> Any:
        """Return the sum of power laws, multiplied in the order of `PowerLaw.value`."""
        total = reduce(add, (number(term.weight) * self._law(term) for term in split.terms))
        within = total <= number(split.high)
        if split.low is not None:
            within &= total >= number(split.low)
        return (within if split.inside else ~within).fill_null(split.missing)

    def points(self, split: PointsSplit) -> Any:
        """Return the sum of points."""
        score = reduce(add, (self.literal(c).ifelse(p, 0) for c, p in split.given))
        return score >= split.total if split.reached else score < split.total

    def _number(self, name: str) -> Any:
        """Return a column as numbers, truth values as 1 and 0."""
        column = self.column(name)
        if column.type().is_string():
            raise RuleError(
                f"The rule computes with column {name!r}, or compares it with a number, but the "
                "column holds text. Give numbers, as in the table the rule was learned from."
            )
        return column.cast("int32").cast("float64") if column.type().is_boolean() else column

    def _write_value(self, literal: Literal) -> Any:
        """Return the compared value as a number: a column, or a part of its dates."""
        part = literal.part
        if part is None:
            return self._number(literal.feature)
        moment = self._moment(literal.feature)
        if part == "weekday":
            return moment.day_of_week.index().cast("float64") + 1.0
        if part in ("year", "month", "hour"):
            return getattr(moment, part)().cast("float64")
        seconds = moment.epoch_seconds().cast("float64")
        return (seconds - (since_of(part) - EPOCH).total_seconds()) / DAY

    def _moment(self, name: str) -> Any:
        """Return a column of dates or of ISO text as moments in whole seconds."""
        import ibis

        column = self._table[name]
        kind = kind_of(column)
        if kind == "date":
            return column.cast("timestamp").truncate("s")
        refusal = (
            f"The rule reads column {name!r} as dates, but a row holds something else. Write "
            "dates as 2024-03-01 or 2024-03-01 12:30:00, or leave the cell empty."
        )
        if kind != "text":
            raise RuleError(refusal)
        is_date = column.re_search(ISO)
        self.problems[refusal] = ~is_date
        return is_date.ifelse(column.substr(0, 19), ibis.null("string")).cast("timestamp")

    def _has_word(self, column: Any, word: str) -> Any:
        """Return whether a text contains a word, independent of the engine's locale."""
        if not column.type().is_string():
            if column.type().is_boolean():
                return _never(column)
            raise RuleError(
                f"The rule looks for the word {word!r} in a column that holds numbers. Give text, "
                "as in the table the rule was learned from."
            )
        letters, texts = foldings(word)
        text = (" " + column + " ").translate("".join(letters), "".join(letters.values()))
        for old, new in texts:
            text = text.replace(old, new)
        return text.contains(f" {word} ")

    def _law(self, law: PowerLaw) -> Any:
        up, down = (self._product(f) for f in (law.numerators, law.denominators))
        if down is None:
            return up
        self.problems["A power law of the rule divides by zero. Correct the rule."] = down == 0
        return (number(1.0) if up is None else up) / down

    def _product(self, factors: Iterable[Factor]) -> Any:
        bases = [base for f in factors for base in [self._base(f)] * abs(f.exponent)]
        return reduce(mul, bases) if bases else None

    def _base(self, factor: Factor) -> Any:
        base = self._number(factor.feature)
        if factor.floor is not None:
            floor = number(factor.floor)
            base = (base < floor).ifelse(floor, base)
        return base - number(factor.shift) if factor.shift else base


def join_expressions(expressions: list[Any], op: str) -> Any:
    """Join Boolean expressions by "and" or "or"; an empty "and" is true, an empty "or" false."""
    if not expressions:
        import ibis

        return ibis.literal(op == "and")
    return reduce(and_ if op == "and" else or_, expressions)


def _never(column: Any) -> Any:
    """Return an expression that no value meets, NULL for a missing value."""
    return column.isnull().ifelse(None, False)


def _one_of(column: Any, values: Iterable[Any]) -> Any:
    """Return whether a column is one of some values; values of another type match nothing."""
    if (kind := column.type()).is_string():
        listed: list[Any] = [v for v in values if isinstance(v, str)]
    elif kind.is_boolean():
        listed = [bool(v) for v in values if not isinstance(v, str) and v in (0, 1)]
    else:
        listed = [number(float(v)) for v in values if not isinstance(v, str)]
    return column.isin(listed) if listed else _never(column)
