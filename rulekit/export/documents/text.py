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

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rulekit.export.subject import ClauseNumbers, check_label, describe_names, rule_to_export
from rulekit.rules import (
    Clause,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLawSplit,
    RuleSet,
    scorecard_of,
)
from rulekit.rules.condition import GAPS, number_text, spell_part
from rulekit.rules.writer import ReadingWriter, ValueInterval
from rulekit.style.phrases import count_noun
from rulekit.style.scorecard import Scale, Spelling, scales_of

KEYWORDS = (
    "IF", "THEN", "OTHERWISE", "AND", "OR", "ALL", "OF", "IN", "NOT", "IS", "MISSING", "ALWAYS",
    "NEVER", "CONTAINS", "YEAR", "MONTH", "WEEKDAY", "HOUR", "DAYS",
)  # fmt: skip
PLAIN_NAME = re.compile(r"[^\W\d][\w.%/()-]*(?: [\w.%/()-]+)*")
PLAIN_TERM = re.compile(r"[^\W\d]\w*(?: \w+)*")  # in a sum, where a minus sign would be misread
PLAIN_FACTOR = re.compile(rf"(?!max$){PLAIN_TERM.pattern}")
HAS_KEYWORD = re.compile(rf"\b(?:{'|'.join(KEYWORDS)})\b")
PLAIN_LABEL = re.compile(r"(?!(?:true|false|inf|nan)$)[^\W\d]\w*(?:[ -]\w+)*")
SPOKEN = {
    "==": "=",
    "not-in": "NOT IN",
    "in": "IN",
    "contains": "CONTAINS",
    "not-contains": "NOT CONTAINS",
}
READING = {"dnf": "the first line that holds decides", "cnf": "every line has to hold"}
EMPTY = {"and": "ALWAYS", "or": "NEVER"}


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


def exact_scales(split: PointsSplit) -> tuple[Scale, ...]:
    """Return the scales of a scorecard with exact numbers and quoted names."""
    return scales_of(split, Spelling(subject_text, TextWriter().literal, _one_value))


def _one_value(literal: Literal, value: Any) -> str:
    spelling = spell_part(value, literal.part) if literal.part else value
    return spelling if literal.part and isinstance(spelling, str) else value_text(spelling)


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

    def literal(self, literal: Literal) -> str:
        """Write a test: `town NOT IN ("Bonn", "Ulm")`, `age <= 50 (or missing)`."""
        name = subject_text(literal)
        if literal.op in GAPS:
            return f"{name} IS {'MISSING' if literal.op == 'missing' else 'NOT MISSING'}"
        value = literal_value_text(literal)
        text = f"{name} {SPOKEN.get(literal.op, literal.op)} {value}"
        return with_gap(text + _write_order(literal), literal.missing)

    def interval(self, interval: ValueInterval) -> str:
        """Write two bounds: `20 < age <= 50`."""
        _, left, right, _ = interval.ends
        low, high = literal_value_text(interval.low), literal_value_text(interval.high)
        name = subject_text(interval.low)
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


def subject_text(literal: Literal) -> str:
    """Write the compared value: a column's name, or `WEEKDAY OF opened`."""
    name = name_text(literal.feature)
    return name if literal.part in (None, "date") else f"{literal.part.upper()} OF {name}"


def literal_value_text(literal: Literal) -> str:
    """Write the values of a test: dates, weekdays and months without quotes."""
    if literal.part is None:
        return value_text(literal.value)
    spellings = [spell_part(v, literal.part) for v in literal.values]
    texts = [v if isinstance(v, str) else number_text(v) for v in spellings]
    return f"({', '.join(texts)})" if isinstance(literal.value, tuple) else texts[0]


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
