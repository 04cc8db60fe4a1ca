"""Parser of the text form of a rule; the grammar is at the head of `documents/text.py`."""

# Grammar of a sum of power laws, between square brackets:
#   split   = sum ("<=" | ">") number | number "<=" sum "<=" number
#   sum     = ["-"] term {("+" | "-") term}
#   term    = number " * " product | number quotient | product
#   product = factor {" * " factor} quotient          quotient = {" / " factor}
#   factor  = base ["^" digit]
#   base    = value | "(" value ("+" | "-") number ")"
#   value   = name | "max(" name ", " number ")"
#
# Grammar of a test of dates, their parts, an order of levels, or a word:
#   test    = [value ("<=" | "<") ] [part " OF "] name operator value [" OF (" levels ")"]
#   part    = "YEAR" | "MONTH" | "WEEKDAY" | "HOUR" | "DAYS SINCE " date
#
# Grammar of points that add up; each test reads one column, without an interval:
#   points  = "POINTS [" given {", " given} "] " (">=" | "<") whole    given = whole " if " test

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rulekit.exceptions import ExportError, RuleError
from rulekit.rules import (
    Clause,
    Condition,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLaw,
    PowerLawSplit,
    RuleSet,
)
from rulekit.rules.condition import NAMES
from rulekit.rules.points_split import GAPS_GIVE_ZERO

SIZE = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
FINITE = rf"-?{SIZE}"
NUMBER = rf"-?(?:{SIZE}|inf)"
WHOLE = r"-?\d+(?![\d.])"
QUOTED = r'"(?:[^"\\]|\\.)*"'
DATE = r"\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?"
PART = rf"(YEAR|MONTH|WEEKDAY|HOUR|DAYS SINCE {DATE}) OF "
NAME_END = r"(?= (?:[<>=!]|(?:(?:NOT )?(?:IN|CONTAINS)|IS(?: NOT)? MISSING)(?: |$|,|\])))"
NAME = rf"[^\"<>=!]+?{NAME_END}"
# of an interval, after its lower end
COLUMN = rf"(?:{QUOTED}(?= [<>=!])|(?:(?! AND | OR | THEN )[^\"<>=!,\[\]])+ [<>=!])"
TERM_END = r"(?= (?:\+|-|<=|>) )"
TERM_NAME = rf"[^\W\d][\w ]*?{TERM_END}"
FORMULA_NAME = r"[^\W\d]\w*(?: \w+)*"
OPERATORS = {
    "=": "==",
    "IN": "in",
    "NOT IN": "not-in",
    "CONTAINS": "contains",
    "NOT CONTAINS": "not-contains",
}
MIRRORED = {"<": ">", "<=": ">="}


def from_text(text: str, *, default: Any = None) -> RuleSet:
    r"""Read a rule from text in the form that `to_text` writes.

    Parameters
    ----------
    text : str
        Comment lines and empty lines are skipped, and lines need no numbers.
    default : label, default=None
        The prediction of rows that no line decides, if the text does not end with OTHERWISE.

    Returns
    -------
    RuleSet
        With the same prediction for every row as the rule that was written.

    Raises
    ------
    ExportError
        If a line does not follow the grammar; line and position are named.

    Examples
    --------
    >>> from_text("1. IF age > 50 THEN ill\nOTHERWISE well").default
    'well'
    """
    lines = [
        _Line(line.strip(), i)
        for i, line in enumerate(text.split("\n"), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise ExportError("The text holds no rule; its last line must be 'OTHERWISE <label>'.")
    if default is None or lines[-1].text.startswith("OTHERWISE "):
        default = lines.pop().label_after("OTHERWISE ")
    if lines and lines[0].text == "ALL OF":
        if len(lines) < 2:
            raise ExportError("A rule that begins with 'ALL OF' needs a line 'THEN <label>'.")
        label = lines.pop().label_after("THEN ")
        clauses = [line.strip_number().clause("or") for line in lines[1:]]
        return RuleSet(tuple(clauses), (label,) * max(len(clauses), 1), "cnf", default)
    pairs = [line.implication() for line in lines]
    return RuleSet(tuple(c for c, _ in pairs), tuple(v for _, v in pairs), "dnf", default)


@dataclass
class _Line:
    """One line, read from left to right."""

    text: str
    number: int
    at: int = 0

    def label_after(self, keyword: str) -> Any:
        self.expect(re.escape(keyword), repr(keyword.strip()))
        return self.label()

    def strip_number(self) -> "_Line":
        self.take(r"\d+\. ")
        return self

    def implication(self) -> tuple[Clause, Any]:
        self.strip_number().expect("IF ", "'IF'")
        return self.clause("and"), self.label_after(" THEN ")

    def clause(self, op: str) -> Clause:
        if self.take("ALWAYS(?= THEN )" if op == "and" else "NEVER$"):
            return Clause((), op)
        conditions = self.condition()
        while self.take(f" {op.upper()} "):
            conditions += self.condition()
        if op == "or":
            self.end()
        return Clause(tuple(conditions), op)

    def condition(self) -> list[Condition]:
        """Read one condition: one literal, the two of an interval, or a weighted sum."""
        if self.take(r"POINTS \["):
            return [self.points()]
        if formula := self.take(r"(NOT )?\["):
            with self.name_errors():
                return [self.formula(formula[1] is not None)]
        if weight := self.take(rf"({NUMBER}) \* "):
            return [self.linear(float(weight[1]))]
        return list(self.tests())

    def tests(self) -> tuple[Literal, ...]:
        """Read a test of one column, or the two of an interval."""
        low, part, name = self.low_end(), self.take(PART), self.name()
        if gap := self.take(" IS (NOT )?MISSING"):
            return (Literal(name, "not-missing" if gap[1] else "missing"),)
        operator = self.expect(r" (<=|>=|<|>|=|!=|IN|NOT IN|CONTAINS|NOT CONTAINS) ", "an operator")
        op = OPERATORS.get(operator[1], operator[1])
        dated = "date" if re.compile(rf"\(?{DATE}").match(self.text, self.at) else None
        reads = part[1].lower() if part else dated
        value = self.several(reads) if op in ("in", "not-in") else self.value(reads)
        order = self.several() if self.take(" OF ") else None
        missing = self.gap()
        ends = [] if low is None else [low]
        with self.name_errors():
            return tuple(
                Literal(name, o, v, missing, reads, order) for o, v in (*ends, (op, value))
            )

    def low_end(self) -> tuple[str, Any] | None:
        """Read the lower end of an interval: a number, a date, a level, or a weekday or month."""
        names = "|".join(n for several in NAMES.values() for n in several)
        match = self.take(rf"({DATE}|{NUMBER}|{QUOTED}|{names}) (<=|<) (?=(?:{PART})?{COLUMN})")
        if not match:  # the text is a column's name
            return None
        text = match[1]
        if text.startswith('"'):
            value: Any = self.unquote(text)
        elif re.fullmatch(DATE, text):
            value = text
        else:
            value = _number_of_name(text) if text[0].isalpha() and text != "inf" else float(text)
        return MIRRORED[match[2]], value

    def linear(self, weight: float) -> LinearSplit:
        """Read a weighted sum and its bound, after the first weight."""
        terms = [(self.name(TERM_NAME), weight)]
        while more := self.take(rf" ([+-]) ({NUMBER}) \* "):
            size = float(more[2])
            terms.append((self.name(TERM_NAME), -size if more[1] == "-" else size))
        op = self.expect(r" (<=|>) ", "'<=' or '>'")[1]
        value = float(self.expect(NUMBER, "a number")[0])
        return LinearSplit(tuple(terms), op, value, self.gap())

    def formula(self, negated: bool) -> PowerLawSplit:
        """Read a sum of power laws after its opening bracket."""
        low = self.take(rf"({FINITE}) <= ")
        terms = [self.term(-1.0 if self.take("-") else 1.0)]
        while sign := self.take(r" ([+-]) "):
            terms.append(self.term(-1.0 if sign[1] == "-" else 1.0))
        op = self.expect(r" (<=|>) ", "'<=' or '>'")[1]
        high = float(self.expect(FINITE, "a number")[0])
        self.expect(r"\]", "']'")
        inside, lowest = (op == "<=") != negated, float(low[1]) if low else None
        return PowerLawSplit(tuple(terms), high, lowest, inside, self.gap())

    def term(self, sign: float) -> PowerLaw:
        size = self.take(rf"({SIZE})(?= [*/] )")
        factors = []
        if not size or self.take(r" \* "):
            factors.append(self.factor(1))
            while self.take(r" \* "):
                factors.append(self.factor(1))
        while self.take(" / "):
            factors.append(self.factor(-1))
        return PowerLaw(sign * float(size[1]) if size else sign, tuple(factors))

    def factor(self, sign: int) -> Factor:
        """Read a column with an optional floor, shift and power."""
        shifted, has_floor, shift = self.take(r"\("), self.take(r"max\("), 0.0
        name = self.name(FORMULA_NAME)
        floor = float(self.expect(rf", ({FINITE})\)", "a floor")[1]) if has_floor else None
        if shifted:
            more = self.expect(rf" ([+-]) ({SIZE})\)", "what is subtracted or added")
            shift = float(more[2]) * (1 if more[1] == "-" else -1)
        power = self.take(r"\^(\d)")
        return Factor(name, sign * (int(power[1]) if power else 1), shift, floor)

    @contextmanager
    def name_errors(self) -> Iterator[None]:
        """Add the line to errors of the rule's parts."""
        try:
            yield
        except RuleError as error:
            raise ExportError(f"Line {self.number} of the rule: {error}") from error

    def gap(self) -> bool:
        """Read whether a missing value meets the condition."""
        return self.take(r" \(or missing\)") is not None

    def points(self) -> PointsSplit:
        """Read points that add up after their opening bracket."""
        tests: list[Any] = []
        points: list[int] = []
        while not tests or self.take(", "):
            points.append(int(self.expect(rf"({WHOLE}) if ", "whole points and 'if'")[1]))
            test = self.condition()
            if len(test) > 1:
                raise self.problem("points for each end of an interval")
            tests += test
        op = self.expect(r"\] (>=|<) ", "']' and '>=' or '<'")[1]
        total = int(self.expect(WHOLE, "a whole number")[0])
        self.take(re.escape(f" {GAPS_GIVE_ZERO}"))
        with self.name_errors():
            return PointsSplit(tuple(tests), tuple(points), total, op == ">=")

    def name(self, plain: str = NAME) -> str:
        """Read a column's name, quoted or plain."""
        if quoted := self.take(QUOTED):
            return self.unquote(quoted[0])
        return self.expect(plain, "a column's name")[0]

    def several(self, reads: str | None = None) -> tuple[Any, ...]:
        self.expect(r"\(", "'('")
        values = [self.value(reads)]
        while self.take(", "):
            values.append(self.value(reads))
        self.expect(r"\)", "')'")
        return tuple(values)

    def value(self, reads: str | None = None) -> Any:
        """Read the values that a column, or a part of its dates, is compared with."""
        if reads == "date":
            return self.expect(DATE, "a date such as 2024-03-01")[0]
        if reads in NAMES and (name := self.take("|".join(NAMES[reads]))):
            return _number_of_name(name[0])
        token = self.expect(rf"{QUOTED}|true\b|false\b|{NUMBER}", "a value")[0]
        if token.startswith('"'):
            return self.unquote(token)
        return token == "true" if token in ("true", "false") else float(token)

    def label(self) -> Any:
        """Read a label up to the end of the line: quoted text, true, a number, or plain words."""
        token = self.expect(rf"{QUOTED}|[^\"]+", "a label")[0]
        self.end()
        if token.startswith('"'):
            return self.unquote(token)
        if token in ("true", "false"):
            return token == "true"
        if re.fullmatch(r"-?\d+", token):
            return int(token)
        return float(token) if re.fullmatch(NUMBER, token) else token

    def unquote(self, text: str) -> str:
        try:
            return str(json.loads(text))
        except json.JSONDecodeError as error:
            raise self.problem("a quoted text with JSON's escapes") from error

    def end(self) -> None:
        if self.at < len(self.text):
            raise self.problem("the end of the line")

    def take(self, pattern: str) -> re.Match[str] | None:
        if match := re.compile(pattern).match(self.text, self.at):
            self.at = match.end()
        return match

    def expect(self, pattern: str, expected: str) -> re.Match[str]:
        if match := self.take(pattern):
            return match
        raise self.problem(expected)

    def problem(self, expected: str) -> ExportError:
        rest = self.text[self.at : self.at + 30]
        return ExportError(
            f"Line {self.number} of the rule needs {expected} at character {self.at + 1}, "
            f"found {rest!r}."
        )


def _number_of_name(name: str) -> float:
    """Return the number of a weekday or month."""
    return float(next(n.index(name) for n in NAMES.values() if name in n) + 1)
