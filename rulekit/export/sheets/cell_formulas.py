"""Conditions as formulas of a spreadsheet that answer as `predict` does, to the last digit.

Spreadsheets compare, add and subtract with a tolerance: two numbers that agree in about fifteen
digits are equal to them. GESTEP(a, b), "a is at least b", and STANDARDIZE(a, b, 1), "a less b",
have none; with them a value one step of a double beside a cut falls on its own side. Text is
compared by EXACT, since "=" does not see capitals. What a rule compares with stands in cells of its
own: a formula keeps fifteen digits of a number, and 255 characters of a text.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.rules import (
    ORDERED,
    SEPARATORS,
    WORDS,
    Condition,
    ConditionWriter,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLaw,
    PowerLawSplit,
    moment,
    since_of,
)

SHEET = "Values"
LONGEST_FORMULA, LONGEST_TEXT = 8_192, 32_767  # characters, by the file format
MOST_ARGUMENTS = 250
SMALLEST = 2.2250738585072014e-308  # spreadsheets take smaller numbers for 0
APART = ("!=", "not-in")
Given = tuple[tuple[Literal, int], ...]


@dataclass
class Values:
    """The cells that hold what the rule compares with, one below the other; each list once."""

    listed: list[Any] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)

    def one(self, value: Any) -> str:
        """Give the cell of a value."""
        return self.several((value,)).partition(":")[0]

    def several(self, values: Sequence[Any]) -> str:
        """Give the range of some values, at least one."""
        key = repr([(type(v), v) for v in values])
        if key not in self.known:
            first = len(self.listed) + 2  # below the heading
            self.listed += map(checked_cell, values)
            self.known[key] = f"{SHEET}!$A${first}:$A${len(self.listed) + 1}"
        return self.known[key]


def checked_cell(value: Any) -> Any:
    """Return a value if a cell can hold it.

    Raises
    ------
    ExportError
        If it is an infinity, a number that would turn into 0, or text that is empty, too long, or
        has half a character or a NUL.
    """
    if isinstance(value, str):
        _check_text(value)
    elif not math.isfinite(value) or 0 < abs(value) < SMALLEST:
        raise ExportError(
            f"A cell of a spreadsheet cannot hold the number {value!r}; use a finite one of at "
            "least 2.3e-308, or take another format."
        )
    return value


def _check_text(text: str) -> None:
    if not text:
        raise ExportError(
            "In a spreadsheet an empty text is a missing value, so a rule that names one cannot be "
            "written; rename that level or class."
        )
    if len(text) > LONGEST_TEXT:
        raise ExportError(
            f"A cell of a spreadsheet holds at most {LONGEST_TEXT} characters, but "
            f"{text[:30]!r}... has {len(text)}; shorten it."
        )
    if any(c == "\0" or "\ud800" <= c <= "\udfff" or c in "\ufffe\uffff" for c in text):
        raise ExportError(
            f"A spreadsheet cannot hold the name or value {text[:60]!r}: it has a NUL or half a "
            "character; rename it."
        )


@dataclass(frozen=True)
class CellWriter(ConditionWriter[str]):
    """Writes conditions about one case as formulas, without the equals sign.

    Attributes
    ----------
    cells : mapping of str to str
        The cell of each column's value; an empty one is a missing value.
    kinds : mapping of str to str
        What each column is compared with, see `column_kinds`.
    values : Values
        Where the rule's numbers and levels stand; the writer adds to it.
    totals : mapping
        Cells where the sum of some points stands already.
    """

    cells: Mapping[str, str]
    kinds: Mapping[str, str]
    values: Values
    totals: Mapping[Given, str] = field(default_factory=dict)

    def literal(self, literal: Literal) -> str:
        """Write a test: `IF(LEN(B4)=0,FALSE,GESTEP(Values!$A$2,B4)=0)`."""
        literal = literal.as_set()
        cell = self.cells[literal.feature]
        if literal.op in ("missing", "not-missing"):
            return f"LEN({cell}){'=' if literal.op == 'missing' else '>'}0"
        if literal.op in WORDS:
            has = f'ISNUMBER(FIND(" "&{self.values.one(literal.value)}&" ",{_words(cell)}))'
            return self._with_gap(literal, has if literal.op == "contains" else f"NOT({has})")
        if literal.part is not None:
            return self._with_gap(literal, self._of_date(literal, cell))
        if literal.op in ORDERED:
            limit = float(literal.values[0])
            return self._with_gap(literal, self._ordered(cell, literal.op, limit))
        found = self._among(literal, cell)
        return self._with_gap(literal, f"NOT({found})" if literal.op in APART else found)

    def _among(self, literal: Literal, cell: str) -> str:
        """Write that a cell holds one of the values."""
        kind, values = self.kinds[literal.feature], literal.values
        if kind == "flag":
            return _any([f"{cell}={'TRUE' if v else 'FALSE'}" for v in values])
        if kind == "text":
            listed = self.values.several(values)
            one = f"EXACT({cell},{listed.partition(':')[0]})"
            return one if len(values) == 1 else f"SUMPRODUCT(--EXACT({cell},{listed}))>0"
        refs = [self.values.one(float(v)) for v in values]
        return _any([f"AND(GESTEP({cell},{r})=1,GESTEP({r},{cell})=1)" for r in refs])

    def _of_date(self, literal: Literal, cell: str) -> str:
        """Write a test of what is read of a date, which stands in its cell as ISO text."""
        assert literal.part is not None
        read = _read_date(cell, literal.part)
        dated = literal.part == "date"
        limits = [_digits(str(v)) if dated else float(v) for v in literal.values]
        if literal.op in ORDERED:
            return self._ordered(read, literal.op, limits[0])
        refs = [self.values.one(v) for v in limits]
        found = _any([f"AND(GESTEP({read},{r})=1,GESTEP({r},{read})=1)" for r in refs])
        return f"NOT({found})" if literal.op in APART else found

    def linear(self, split: LinearSplit) -> str:
        """Write a weighted sum, in the order in which its `total` takes it."""
        total = ""
        for name, weight in split.terms:
            size = f"{self.cells[name]}*{self.values.one(abs(weight))}"
            total = _added(total, size, weight)
        return self._with_gap(split, self._ordered(total, split.op, split.value))

    def power_law(self, split: PowerLawSplit) -> str:
        """Write a sum of power laws, in the order of `PowerLaw.value`."""
        total = ""
        for law in split.terms:
            size = f"{self.values.one(abs(law.weight))}*{self._law(law)}"
            total = _added(total, size, law.weight)
        test = self._ordered(total, "<=", split.high)
        if split.low is not None:
            test = f"AND({test},{self._ordered(total, '>=', split.low)})"
        return self._with_gap(split, test if split.inside else f"NOT({test})")

    def points(self, split: PointsSplit) -> str:
        """Write points that add up; whole numbers, which spreadsheets compare as they are."""
        sign, total = split.comparison
        sum_of_all = "+".join(self.given(c, p) for c, p in split.given)
        return f"{self.totals.get(split.given, sum_of_all)}{sign}{total}"

    def given(self, literal: Literal, points: int) -> str:
        """Write what a condition gives: `IF(LEN(B4)=0,3,0)`."""
        return f"IF({self.literal(literal)},{points},0)"

    def _ordered(self, text: str, op: str, value: float) -> str:
        limit = self.values.one(value)
        first, second = (limit, text) if op in ("<=", ">") else (text, limit)
        return f"GESTEP({first},{second})={1 if op in ('<=', '>=') else 0}"

    def _law(self, law: PowerLaw) -> str:
        up, down = (
            "*".join(self._base(f) for f in factors for _ in range(abs(f.exponent)))
            for factors in (law.numerators, law.denominators)
        )
        return f"(({up or '1'})/({down}))" if down else f"({up})"

    def _base(self, factor: Factor) -> str:
        text = self.cells[factor.feature]
        if factor.floor is not None:
            text = f"MAX({text},{self.values.one(factor.floor)})"
        return f"STANDARDIZE({text},{self.values.one(factor.shift)},1)" if factor.shift else text

    def _with_gap(self, condition: Condition, test: str) -> str:
        absent = _any([f"LEN({self.cells[f]})=0" for f in condition.features])
        return f"IF({absent},{'TRUE' if condition.missing else 'FALSE'},{test})"


def _read_date(cell: str, part: str) -> str:
    """Write what is read of a date in ISO text, as a number.

    A date is its digits, 20240301123000; weekdays and days are counted in a cycle of 400 years
    that every spreadsheet knows.
    """
    if part in ("year", "month"):
        return f"VALUE(LEFT({cell},4))" if part == "year" else f"VALUE(MID({cell},6,2))"
    if part == "hour":
        return f"IF(LEN({cell})>10,VALUE(MID({cell},12,2)),0)"
    clock = [f"IF(LEN({cell})>{k},VALUE(MID({cell},{k + 2},2)),0)" for k in (10, 13, 16)]
    year = f"VALUE(LEFT({cell},4))"
    if part == "date":
        day = f'VALUE(SUBSTITUTE(LEFT({cell},10),"-",""))'
        return f"({day}*1000000+{clock[0]}*10000+{clock[1]}*100+{clock[2]})"
    day = f"DATE(2000+MOD({year},400),VALUE(MID({cell},6,2)),VALUE(MID({cell},9,2)))"
    if part == "weekday":
        return f"WEEKDAY({day},2)"
    since = since_of(part)
    known = since.replace(year=2000 + since.year % 400)
    first = (known - datetime(1899, 12, 30)).days + since.year // 400 * 146_097
    seconds = since.hour * 3600 + since.minute * 60 + since.second
    days = f"({day}+INT({year}/400)*146097-{first})"
    return f"(({days}*86400+{clock[0]}*3600+{clock[1]}*60+{clock[2]}-{seconds})/86400)"


def _digits(text: str) -> float:
    """Write a date as the number of its digits: 20240301000000."""
    found = moment(text)
    assert found is not None
    return float(found.strftime("%Y%m%d%H%M%S"))


def _words(cell: str) -> str:
    """Write a text as its words in lower case, a blank before, between and after them."""
    for mark in SEPARATORS[1:]:
        said = f'"{mark}"' if mark.isprintable() else f"UNICHAR({ord(mark)})"
        cell = f'SUBSTITUTE({cell},{chr(34) * 4 if mark == chr(34) else said}," ")'
    return f'" "&LOWER({cell})&" "'


def _added(total: str, size: str, weight: float) -> str:
    """Add a size with its weight's sign; `size` is a product, its sign changed without rounding."""
    if not total:
        return f"-({size})" if weight < 0 else size
    return f"STANDARDIZE({total},{size},1)" if weight < 0 else f"STANDARDIZE({total},-({size}),1)"


def _any(parts: Sequence[str]) -> str:
    """Join conditions by OR, in groups where there are more than a function takes."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) > MOST_ARGUMENTS:
        groups = range(0, len(parts), MOST_ARGUMENTS)
        parts = [_any(parts[k : k + MOST_ARGUMENTS]) for k in groups]
    return f"OR({','.join(parts)})"
