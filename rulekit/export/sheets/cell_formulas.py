"""Conditions as spreadsheet formulas that predict exactly as `predict` does."""

# GESTEP(a, b) and STANDARDIZE(a, b, 1) have no tolerance, unlike ">=" and "-"; EXACT does not
# ignore case, unlike "=". Compared values are in cells: a formula keeps 15 digits and 255
# characters.

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.export.code.formulas import law_text
from rulekit.rules import Condition, Literal, PointsSplit
from rulekit.rules.condition import DAY, GAPS, ORDERED, SEPARATORS, WORDS, moment, since_of
from rulekit.rules.sums import Factor, LinearSplit, PowerLawSplit
from rulekit.rules.writer import ConditionWriter

LONGEST_FORMULA, LONGEST_TEXT = 8_192, 32_767  # characters, by the file format
MOST_ARGUMENTS = 250
SMALLEST = 2.2250738585072014e-308  # spreadsheets take smaller numbers for 0
APART = ("!=", "not-in", "not-contains")
SERIAL_0 = datetime(1899, 12, 30)  # day 0 in spreadsheets
DAY_OF_1970 = 25_569  # in the spreadsheets' count
FIRST_DAY = datetime(1900, 3, 1)  # earlier days are counted differently in spreadsheets
SECONDS = "ROUND({}*86400,0)"  # of a date; cells hold days since the end of 1899
PARTS = {"date": SECONDS, "hour": f"INT(MOD({SECONDS},86400)/3600)", "weekday": "WEEKDAY({},2)"}
PARTS |= {"year": "YEAR({})", "month": "MONTH({})"}
Given = tuple[tuple[Literal, int], ...]


@dataclass
class Values:
    """The cells of the values that the rule compares with, in one column; each list once."""

    listed: list[Any] = field(default_factory=list)
    ranges: dict[str, str] = field(default_factory=dict)

    def one(self, value: Any) -> str:
        """Return the cell of a value."""
        return self.several((value,)).partition(":")[0]

    def several(self, values: Sequence[Any]) -> str:
        """Return the range of some values, at least one."""
        key = repr([(type(v), v) for v in values])
        if key not in self.ranges:
            first = len(self.listed) + 2  # below the heading
            self.listed += map(check_cell, values)
            self.ranges[key] = f"Values!$A${first}:$A${len(self.listed) + 1}"
        return self.ranges[key]


def cell_of(value: Any, kind: str) -> Any:
    """Return the cell content for a value of a table."""
    if kind == "date":
        date = moment(value)
        if date is None or date < FIRST_DAY:
            raise ExportError(
                f"A date in a spreadsheet must be 1900-03-01 or later, got {value!r}. Correct it, "
                "or leave the cell empty."
            )
        return (date - SERIAL_0).total_seconds() / DAY
    return check_cell(float(value) if kind == "number" and not isinstance(value, str) else value)


def check_cell(value: Any) -> Any:
    """Return a value if a cell can hold it."""
    if not isinstance(value, str):
        if math.isfinite(value) and not 0 < abs(value) < SMALLEST:
            return value
        raise ExportError(
            f"A cell of a spreadsheet cannot hold the number {value!r}. Use a finite one of at "
            "least 2.3e-308, or take another format."
        )
    if not value:
        raise ExportError(
            "In a spreadsheet an empty text is a missing value, so a rule that names one cannot be "
            "written. Rename that level or class."
        )
    if len(value) > LONGEST_TEXT:
        raise ExportError(
            f"A cell of a spreadsheet holds at most {LONGEST_TEXT} characters, but "
            f"{value[:30]!r}... has {len(value)}; shorten it."
        )
    if re.search("[\0\ud800-\udfff\ufffe\uffff]", value):
        raise ExportError(
            f"A spreadsheet cannot hold the name or value {value[:60]!r}: it contains a NUL "
            "character or a lone surrogate. Rename it."
        )
    return value


@dataclass(frozen=True)
class CellWriter(ConditionWriter[str]):
    """Writes conditions about one case as formulas, without the equals sign."""

    cells: Mapping[str, str]
    kinds: Mapping[str, str]
    values: Values
    totals: Mapping[Given, str] = field(default_factory=dict)

    def literal(self, literal: Literal) -> str:
        """Write a test: `IF(LEN(B4)=0,FALSE,GESTEP(Values!$A$2,B4)=0)`."""
        literal, cell = literal.as_set(), self.cells[literal.feature]
        if literal.op in GAPS:
            return f"LEN({cell}){'=' if literal.op == 'missing' else '>'}0"
        if literal.part in PARTS:
            cell = PARTS[literal.part].format(cell)
        elif literal.part is not None:
            since = (since_of(literal.part) - SERIAL_0).total_seconds()
            cell = f"(({SECONDS.format(cell)}-{since:.0f})/86400)"
        if literal.op in ORDERED:
            limit = list_cell_numbers(literal)[0]
            return self._with_gap(literal, self._write_order(cell, literal.op, limit))
        kind, values = self.kinds[literal.feature], literal.values
        if literal.op in WORDS:
            text = cell
            for mark in SEPARATORS.replace(" ", ""):
                text = f'SUBSTITUTE({text},{self.values.one(mark)}," ")'
            word = self.values.one(str(literal.value))
            formula = f'ISNUMBER(FIND(" "&{word}&" "," "&LOWER({text})&" "))'
        elif kind == "flag":
            formula = _any([f"{cell}={'TRUE' if v else 'FALSE'}" for v in values])
        elif kind == "text":
            listed = self.values.several(values)
            formula = f"SUMPRODUCT(--EXACT({cell},{listed}))>0"
            if len(values) == 1:
                formula = f"EXACT({cell},{listed.partition(':')[0]})"
        else:
            refs = [self.values.one(v) for v in list_cell_numbers(literal)]
            formula = _any([f"AND(GESTEP({cell},{r})=1,GESTEP({r},{cell})=1)" for r in refs])
        return self._with_gap(literal, f"NOT({formula})" if literal.op in APART else formula)

    def linear(self, split: LinearSplit) -> str:
        """Return the weighted sum, added in the order of `total`."""
        total = ""
        for name, weight in split.terms:
            total = _add_signed(total, f"{self.cells[name]}*{self.values.one(abs(weight))}", weight)
        return self._with_gap(split, self._write_order(total, split.op, split.value))

    def power_law(self, split: PowerLawSplit) -> str:
        """Return the sum of power laws, multiplied in the order of `PowerLaw.value`."""
        total = ""
        for law in split.terms:
            size = f"{self.values.one(abs(law.weight))}*{law_text(law, self._base, '*', '/', '1')}"
            total = _add_signed(total, size, law.weight)
        test = self._write_order(total, "<=", split.high)
        if split.low is not None:
            test = f"AND({test},{self._write_order(total, '>=', split.low)})"
        return self._with_gap(split, test if split.inside else f"NOT({test})")

    def points(self, split: PointsSplit) -> str:
        """Write points; whole numbers, which spreadsheets compare exactly."""
        sign, total = split.comparison
        sum_of_all = "+".join(self.write_points(c, p) for c, p in split.given)
        return f"{self.totals.get(split.given, sum_of_all)}{sign}{total}"

    def write_points(self, literal: Literal, points: int) -> str:
        """Write the points of a condition: `IF(LEN(B4)=0,3,0)`."""
        return f"IF({self.literal(literal)},{points},0)"

    def _write_order(self, text: str, op: str, value: float) -> str:
        limit = self.values.one(value)
        first, second = (limit, text) if op in ("<=", ">") else (text, limit)
        return f"GESTEP({first},{second})={1 if op in ('<=', '>=') else 0}"

    def _base(self, factor: Factor) -> str:
        text = self.cells[factor.feature]
        if factor.floor is not None:
            text = f"MAX({text},{self.values.one(factor.floor)})"
        return f"STANDARDIZE({text},{self.values.one(factor.shift)},1)" if factor.shift else text

    def _with_gap(self, condition: Condition, test: str) -> str:
        absent = _any([f"LEN({self.cells[f]})=0" for f in condition.features])
        return f"IF({absent},{'TRUE' if condition.missing else 'FALSE'},{test})"


def list_cell_numbers(literal: Literal) -> list[float]:
    """Return the numbers that a test of a number, or of a date part, compares with."""
    if literal.part == "date":
        return [float(round(float(v) * DAY)) + DAY * DAY_OF_1970 for v in literal.positions]
    return [float(v) for v in literal.positions]


def _add_signed(total: str, size: str, weight: float) -> str:
    """Add a size with its weight's sign; changing the sign of the product `size` is exact."""
    if not total:
        return f"-({size})" if weight < 0 else size
    return f"STANDARDIZE({total},{size},1)" if weight < 0 else f"STANDARDIZE({total},-({size}),1)"


def _any(parts: Sequence[str]) -> str:
    """Join conditions by OR, in groups if there are more than a function takes."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) > MOST_ARGUMENTS:
        parts = [_any(parts[k : k + MOST_ARGUMENTS]) for k in range(0, len(parts), MOST_ARGUMENTS)]
    return f"OR({','.join(parts)})"
