"""Rules as plain text that a person reads and `from_text` reads back."""

# The grammar, line by line; `#` starts a comment line:
#   1. IF glucose > 126 AND 20 < age <= 50 THEN ill        a DNF: the first line that holds decides
#   2. IF colour = "red" (or missing) THEN ill
#   OTHERWISE well
#
#   ALL OF                                                 a CNF: every line has to hold
#   1. glucose <= 126 OR age IS MISSING
#   2. town NOT IN ("Bonn", "Ulm")
#   THEN well
#   OTHERWISE ill
#
# A weighted sum of columns is one condition: `0.5 * glucose - 1.2 * age <= 40 (or missing)`. So is
# a sum of power laws, in square brackets: `[mass / max(height, 0.1)^2 > 27]`. Points that add up to
# at least a total, or (`< 4`) to less: `POINTS [3 if age > 60, 2 if town IN ("Bonn", "Ulm")] >= 4`;
# a following remark in round brackets only explains missing values.
#
# Dates have no quotes, and a part of a date precedes the column: `opened >= 2024-03-01`,
# `2024-03-01 <= opened < 2024-06-01 12:30:00`, `YEAR OF opened >= 2021`, `MONTH OF opened < March`,
# `WEEKDAY OF opened IN (Saturday, Sunday)`, `HOUR OF opened >= 18`, `DAYS SINCE 2024-01-01 OF
# opened > 30`. An order of levels follows its test: `grade >= "good" OF ("bad", "fair", "good")`.
# Words of a text: `note CONTAINS "late"`, `note NOT CONTAINS "late" (or missing)`.
#
# Column names and labels that could be misread are in double quotes with JSON's escapes; compared
# texts always are. Numbers are the shortest decimals of the same ``float``, so the text states the
# rule exactly.
#
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rulekit.exceptions import ExportError, RuleError
from rulekit.export.subject import ClauseNumbers, check_label, describe_names, rule_to_export
from rulekit.rules import Clause, Condition, Literal, PointsSplit, RuleSet, scorecard_of
from rulekit.rules.condition import GAPS, NAMES, number_text, spell_part
from rulekit.rules.points_split import GAPS_GIVE_ZERO
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit
from rulekit.rules.writer import ReadingWriter, ValueInterval
from rulekit.style.phrases import count_noun

KEYWORDS = (
    "IF", "THEN", "OTHERWISE", "AND", "OR", "ALL", "OF", "IN", "NOT", "IS", "MISSING", "ALWAYS",
    "NEVER", "CONTAINS", "YEAR", "MONTH", "WEEKDAY", "HOUR", "DAYS",
)  # fmt: skip
PLAIN_NAME = re.compile(r"[^\W\d][\w.%/()-]*(?: [\w.%/()-]+)*")
PLAIN_TERM = re.compile(r"[^\W\d]\w*(?: \w+)*")  # in a sum, where a minus sign would be misread
PLAIN_FACTOR = re.compile(rf"(?!max$){PLAIN_TERM.pattern}")
HAS_KEYWORD = re.compile(rf"\b(?:{'|'.join(KEYWORDS)})\b")
PLAIN_LABEL = re.compile(r"(?!(?:true|false|inf|nan)$)[^\W\d]\w*(?:[ -]\w+)*")
SPOKEN = {"==": "=", "in": "IN", "not-in": "NOT IN"}
SPOKEN |= {"contains": "CONTAINS", "not-contains": "NOT CONTAINS"}
READING = {"dnf": "the first line that holds decides", "cnf": "every line has to hold"}
EMPTY = {"and": "ALWAYS", "or": "NEVER"}
# patterns of the parser
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
TERM_NAME = r"[^\W\d][\w ]*?(?= (?:\+|-|<=|>) )"
OPERATORS = {sign: op for op, sign in SPOKEN.items()}
MIRRORED = {"<": ">", "<=": ">="}


def to_text(model: Any, *, numbers: Sequence[ClauseNumbers] | None = None) -> str:
    """Write a rule as numbered lines.

    Parameters
    ----------
    model : RuleSet or fitted model
    numbers : sequence of ClauseNumbers, optional
        Counts that are shown below each clause as a comment, see `clause_numbers`.

    Returns
    -------
    str
        Ends with a line break. The grammar is at the head of this module.

    Examples
    --------
    >>> from rulekit.rules import Clause, Literal, RuleSet
    >>> clause = Clause((Literal("age", ">", 20), Literal("age", "<=", 50)))
    >>> to_text(RuleSet((clause,), ("ill",), "dnf", "well")).splitlines()[1:]
    ['1. IF 20 < age <= 50 THEN ill', 'OTHERWISE well']
    """
    rule = rule_to_export(model)
    lines = [f"# {text}" for text in (size_text(rule), *describe_names(rule))]
    for index, line in write_lines(rule):
        lines.append(line)
        if numbers is not None and index is not None:
            lines.append(f"#    {numbers[index].sentence}")
    return "\n".join(lines) + "\n"


def write_lines(
    rule: RuleSet, keyword: Callable[[str], str] = str, code: Callable[[str], str] = str
) -> Iterator[tuple[int | None, str]]:
    """Write the lines of a rule, each with its clause's position; None for the other lines."""
    is_cnf = rule.form == "cnf"
    if is_cnf:
        yield None, keyword("ALL OF")
    for index, clause in enumerate(rule.clauses):
        body = clause_text(clause, keyword(clause.op.upper()), code)
        if not is_cnf:
            label = code(label_text(rule.labels[index]))
            body = f"{keyword('IF')} {body} {keyword('THEN')} {label}"
        yield index, f"{index + 1}. {body}"
    if is_cnf:
        yield None, f"{keyword('THEN')} {code(label_text(rule.labels[0]))}"
    yield None, f"{keyword('OTHERWISE')} {code(label_text(rule.default))}"


def size_text(rule: RuleSet) -> str:
    """Return the size of a rule and how it is read; a scorecard has no clauses."""
    conditions = count_noun(rule.n_conditions, "condition")
    if scorecard_of(rule):
        return f"{conditions}: add up the points; the total decides."
    return f"{conditions} in {count_noun(rule.n_clauses, 'line')}: {READING[rule.form]}."


def clause_text(clause: Clause, op: str = "", code: Callable[[str], str] = str) -> str:
    """Write a clause in one line; a keyword for a clause without conditions."""
    parts = TextWriter().clause(clause) or [EMPTY[clause.op]]
    return f" {op or clause.op.upper()} ".join(map(code, parts))


class TextWriter(ReadingWriter[str]):
    """Writes conditions exactly: text that `from_text` reads back."""

    def subject(self, literal: Literal) -> str:
        """Write the compared value: a column's name, or `WEEKDAY OF opened`."""
        name = name_text(literal.feature)
        return name if literal.part in (None, "date") else f"{literal.part.upper()} OF {name}"

    def value(self, literal: Literal, value: Any) -> str:
        """Write a value of a test: dates, weekdays and months without quotes."""
        text = spell_part(value, literal.part)
        return text if literal.part and isinstance(text, str) else value_text(text)

    def literal(self, literal: Literal) -> str:
        """Write a test: `town NOT IN ("Bonn", "Ulm")`, `age <= 50 (or missing)`."""
        name = self.subject(literal)
        if literal.op in GAPS:
            return f"{name} IS {'MISSING' if literal.op == 'missing' else 'NOT MISSING'}"
        texts = [self.value(literal, v) for v in literal.values]
        value = f"({', '.join(texts)})" if isinstance(literal.value, tuple) else texts[0]
        text = f"{name} {SPOKEN.get(literal.op, literal.op)} {value}"
        return with_gap(text + _write_order(literal), literal.missing)

    def interval(self, interval: ValueInterval) -> str:
        """Write two bounds: `20 < age <= 50`."""
        _, left, right, _ = interval.ends
        low, high = (self.value(x, x.value) for x in (interval.low, interval.high))
        name = self.subject(interval.low)
        text = f"{low} {left} {name} {right} {high}{_write_order(interval.low)}"
        return with_gap(text, interval.missing)

    def linear(self, split: LinearSplit) -> str:
        """Write a weighted sum: `0.5 * glucose - 1.2 * age <= 40`."""
        return split.text(partial(name_text, plain=PLAIN_TERM), number_text)

    def power_law(self, split: PowerLawSplit) -> str:
        """Write a sum of power laws in square brackets, so that nothing is misread."""
        outside = split.is_band and not split.inside
        plain = replace(split, missing=False, inside=split.inside or outside)
        body = f"[{plain.text(partial(name_text, plain=PLAIN_FACTOR), number_text)}]"
        return with_gap(f"NOT {body}" if outside else body, split.missing)

    def points(self, split: PointsSplit) -> str:
        """Write points in square brackets after a keyword."""
        return split.text(self.literal)


def with_gap(text: str, missing: bool) -> str:
    """Append that a missing value meets a condition, if it does."""
    return f"{text} (or missing)" if missing else text


def label_text(label: Any) -> str:
    """Write a label: plain words without quotes; numbers and truth values unchanged."""
    label = check_label(label, "Text")
    if not isinstance(label, str):
        return value_text(label) if isinstance(label, bool) else repr(label)
    return name_text(label, PLAIN_LABEL)


def _write_order(literal: Literal) -> str:
    return "" if literal.order is None else f" OF {value_text(literal.order)}"


def value_text(value: Any) -> str:
    """Write a test value: text in quotes, whole numbers without a point."""
    if isinstance(value, tuple):
        return f"({', '.join(value_text(v) for v in value)})"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote_text(value)
    return number_text(value)


def name_text(name: str, plain: re.Pattern[str] = PLAIN_NAME) -> str:
    """Write a column's name, in quotes if it could be misread."""
    is_plain = plain.fullmatch(name) and name.isprintable() and not HAS_KEYWORD.search(name)
    return name if is_plain else quote_text(name)


def quote_text(text: str) -> str:
    """Return text in double quotes, all on one line, with JSON's escapes."""
    escaped = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in escaped)


def from_text(text: str, *, default: Any = None) -> RuleSet:
    r"""Read a rule from text in the form that `to_text` writes.

    Parameters
    ----------
    text : str
        Comment lines and empty lines are skipped, and lines need no numbers. ``OR IF`` and
        ``ELSE IF`` are read as ``IF``; ``THEN`` may begin a line of its own.
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
    if not isinstance(text, str):
        raise ExportError(f"A written rule must be text, got {type(text).__name__}.")
    lines = [
        _Line(line.strip(), i)
        for i, line in enumerate(text.split("\n"), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if lines and lines[0].text != "ALL OF":  # as pages write a rule: THEN in a line of its own
        for k in range(len(lines) - 1, 0, -1):
            if lines[k].text.startswith("THEN "):
                lines[k - 1].text += f" {lines.pop(k).text}"
    if not lines:
        raise ExportError("The text holds no rule; its last line must be 'OTHERWISE <label>'.")
    if default is None or lines[-1].text.startswith("OTHERWISE "):
        default = lines.pop().label_after("OTHERWISE ")
    if lines and lines[0].text == "ALL OF":
        if len(lines) < 2:
            raise ExportError("A rule that begins with 'ALL OF' needs a line 'THEN <label>'.")
        label = lines.pop().label_after("THEN ")
        clauses = [line.clause("or") for line in lines[1:]]
        return RuleSet(tuple(clauses), (label,) * max(len(clauses), 1), "cnf", default)
    pairs = [(line.clause("and"), line.label_after(" THEN ")) for line in lines]
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

    def clause(self, op: str) -> Clause:
        self.take(r"\d+\. ")
        if op == "and":
            self.take("(OR|ELSE) (?=IF )")
            self.expect("IF ", "'IF'")
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
        if weight := self.take(rf"({NUMBER}) \* "):
            terms = [(self.name(TERM_NAME), float(weight[1]))]
            while more := self.take(rf" ([+-]) ({NUMBER}) \* "):
                size = float(more[2])
                terms.append((self.name(TERM_NAME), -size if more[1] == "-" else size))
            op = self.expect(r" (<=|>) ", "'<=' or '>'")[1]
            value = float(self.expect(NUMBER, "a number")[0])
            return [LinearSplit(tuple(terms), op, value, self.gap())]
        try:
            if self.take(r"POINTS \["):
                return [self.points()]
            if formula := self.take(r"(NOT )?\["):
                return [self.formula(formula[1] is not None)]
            return list(self.tests())
        except RuleError as error:
            raise ExportError(f"Line {self.number} of the rule: {error}") from error

    def tests(self) -> tuple[Literal, ...]:
        """Read a test of one column, or the two of an interval."""
        ends: list[tuple[str, Any]] = []  # the lower end of an interval, if there is one
        names = "|".join(n for several in NAMES.values() for n in several)
        low = self.take(rf"({DATE}|{NUMBER}|{QUOTED}|{names}) (<=|<) (?=(?:{PART})?{COLUMN})")
        if low:
            text: Any = low[1]
            if text.startswith('"'):
                text = self.unquote(text)
            elif not re.fullmatch(DATE, text):
                text = _number_of_name(text) if text[0].isalpha() and text != "inf" else float(text)
            ends = [(MIRRORED[low[2]], text)]
        part, name = self.take(PART), self.name()
        if gap := self.take(" IS (NOT )?MISSING"):
            return (Literal(name, "not-missing" if gap[1] else "missing"),)
        operator = self.expect(r" (<=|>=|<|>|=|!=|IN|NOT IN|CONTAINS|NOT CONTAINS) ", "an operator")
        op = OPERATORS.get(operator[1], operator[1])
        dated = "date" if re.compile(rf"\(?{DATE}").match(self.text, self.at) else None
        reads = part[1].lower() if part else dated
        value = self.several(reads) if op in ("in", "not-in") else self.value(reads)
        order = self.several() if self.take(" OF ") else None
        missing = self.gap()
        return tuple(Literal(name, o, v, missing, reads, order) for o, v in (*ends, (op, value)))

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
        name = self.name(PLAIN_TERM.pattern)
        floor = float(self.expect(rf", ({FINITE})\)", "a floor")[1]) if has_floor else None
        if shifted:
            more = self.expect(rf" ([+-]) ({SIZE})\)", "what is subtracted or added")
            shift = float(more[2]) * (1 if more[1] == "-" else -1)
        power = self.take(r"\^(\d)")
        return Factor(name, sign * (int(power[1]) if power else 1), shift, floor)

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
        return ExportError(
            f"Line {self.number} of the rule needs {expected} at character {self.at + 1}, "
            f"found {self.text[self.at : self.at + 30]!r}."
        )


def _number_of_name(name: str) -> float:
    """Return the number of a weekday or month."""
    return float(next(n.index(name) for n in NAMES.values() if name in n) + 1)
