"""Text of conditions and numbers, shared by all sentences of an explanation."""

# A number gets as many digits as show its side of a threshold.

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rulekit.data.headers import shorten, shorten_apart
from rulekit.rules import Clause, Condition, LinearSplit, Literal, PointsSplit, PowerLawSplit
from rulekit.rules.condition import GAPS, NAMES, ORDERED, WORDS, spell_part
from rulekit.rules.writer import ReadingWriter, ValueInterval

DIGITS = 6
MAX_LISTED = 5
MAX_TEXT = 60
LONG_SUM = "the score"  # a sum whose formula is longer than `MAX_TEXT`
SPOKEN = {"<=": "at most", "<": "below", ">": "above", ">=": "at least"}
SPOKEN_DATES = {"<=": "up to", "<": "before", ">": "after", ">=": "on or after"}


@dataclass(frozen=True)
class Wording:
    """Display names of columns and clauses in sentences."""

    names: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    clause: str = "clause"
    spoken: bool = False
    colours: Mapping[Any, str] = field(default_factory=dict)
    most: int = MAX_LISTED  # values of a set that are listed
    texts: Mapping[str, str] = field(default_factory=dict)  # names of conditions
    short: Mapping[str, str] = field(default_factory=dict)  # of long names, see `shorten_names`

    def for_rule(self, rule: Any) -> "Wording":
        """Return the wording with a rule's names of conditions, and distinct names of columns."""
        texts = {} if rule.schema is None else rule.schema.texts
        short = {**shorten_names(rule.features, self.names), **self.short}
        return replace(self, short=short, texts={**texts, **self.texts})

    def lead(self, condition: Condition, text: str) -> str:
        """Return a text about a condition, behind its name if it has one."""
        name = self.texts.get(str(condition)) if self.texts else None
        return f"{one_line(name)} ({text})" if name else text

    def name(self, feature: str) -> str:
        """Return the display name of a column, on one line."""
        return self.short.get(feature) or one_line(self.names.get(feature, feature))

    def amount(self, feature: str, text: str) -> str:
        """Append a column's unit to a number."""
        unit = self.units.get(feature)
        return f"{text} {one_line(unit)}" if unit else text

    def sign(self, op: str, part: str | None = None) -> str:
        """Return a comparison sign, or its spoken form; "before" for a date."""
        return (SPOKEN_DATES if part == "date" else SPOKEN)[op] if self.spoken else op

    def subject(self, literal: Literal) -> str:
        """Return what a literal compares: a column, or the "weekday of" one."""
        name = self.name(literal.feature)
        return name if literal.part in (None, "date") else f"{literal.part} of {name}"

    def score(self, split: LinearSplit | PowerLawSplit) -> str:
        """Return a sum of columns as a formula; as "the score" if long, its columns if spoken."""
        if not self.spoken:
            text = split.sum_text(self.name, exact)
            return text if len(text) <= MAX_TEXT else LONG_SUM
        names = [self.name(f) for f in split.features]
        more = len(names) - MAX_LISTED
        kept = names if more <= 0 else [*names[:MAX_LISTED], count_noun(more, "more value")]
        return f"the score from {join_list(kept)}"


PLAIN = Wording()


def shorten_names(features: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return display names for columns with long ones, so that no two look alike."""
    long = {f: clean for f in features if len(clean := one_line(names.get(f, f), 10**4)) > MAX_TEXT}
    short = shorten_apart(long.values(), MAX_TEXT)
    return {feature: short[name] for feature, name in long.items()}


def one_line(text: str, limit: int = MAX_TEXT) -> str:
    """Make text fit a sentence: one line, no control characters, limited length."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return shorten(text, limit)


def number(value: float, beside: float | None = None) -> str:
    """Format a number with six significant digits, or as many as show its order to another."""
    if beside is None:
        return _decimal(value, DIGITS)
    for digits in range(DIGITS, 17):
        a, b = float(f"{value:.{digits}g}"), float(f"{beside:.{digits}g}")
        if (a < b) == (value < beside) and (a > b) == (value > beside):
            return _decimal(value, digits)
    return _decimal(value, 17)


def exact(value: float) -> str:
    """Format a number with all its digits, and no more."""
    return _decimal(value, 17)


def _decimal(value: float, digits: int) -> str:
    """Format a number without exponent where that is readable, whole numbers in full."""
    if not math.isfinite(value):
        return "infinity" if value > 0 else "-infinity"
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    rounded = float(f"{value:.{digits}g}")
    if 1e-5 <= abs(rounded) < 1e-4:  # `repr` writes an exponent
        return np.format_float_positional(rounded, trim="-")
    text = repr(rounded)
    return text.removesuffix(".0") if abs(rounded) < 1e15 else text


def show_value(value: Any, beside: float | None = None, wording: Wording = PLAIN) -> str:
    """Format a cell: missing in words, truth values as true and false, text in quotes."""
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return one_line(value) if wording.spoken else f"'{one_line(value)}'"
    return number(float(value), beside)


def label_text(label: Any, wording: Wording = PLAIN) -> str:
    """Format a label: text in quotes, numbers without float noise."""
    if isinstance(label, (str, bool, int, float)):
        return show_value(label, wording=wording)
    return one_line(str(label))


def outcome_text(label: Any) -> str:
    """Write a label without quotes, as a sentence about outcomes names it."""
    return one_line(str(label)) if isinstance(label, (str, bool)) else label_text(label)


def write_outcome(label: Any) -> str:
    """Write a label before a count of rows; a number alone would read as a count."""
    text = outcome_text(label)
    return text if any(c.isalpha() or c == "…" for c in text) else f"outcome {text}"


def join_list(texts: Iterable[str], word: str = "and") -> str:
    """Join texts for reading: "a, b and c"."""
    parts = list(texts)
    return "".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def whole_percent(part: float, whole: float) -> str:
    """Format a part of a whole without decimals; ``"0 %"`` and ``"100 %"`` only if exact."""
    rounded = round(100 * part / whole)
    return f"{min(max(rounded, 1), 99) if 0 < part < whole else rounded} %"


def cap_list(texts: Sequence[str], most: int = MAX_LISTED) -> str:
    """List the first texts, and how many more there are."""
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most:,} more"


def count_noun(n: int, noun: str) -> str:
    """Format a number with its noun: "1 row", "2 rows"."""
    return f"{n} {noun}" if n == 1 else f"{n:,} {noun}s"


def comparison_text(literal: Literal, wording: Wording = PLAIN) -> str:
    """Return the comparison of a literal without the column's name: "> 126"."""
    if literal.op in GAPS:
        return "missing" if literal.op == "missing" else "known"
    if literal.op in WORDS:
        return f"{'the' if literal.op == 'contains' else 'no'} word {show_value(literal.value)}"
    if literal.op in ORDERED:
        limit = value_words(literal, literal.value, wording)
        return f"{wording.sign(literal.op, literal.part)} {limit}"
    texts = [value_words(literal, v, wording) for v in literal.values]
    if isinstance(literal.value, tuple):
        return f"{'one' if literal.op == 'in' else 'none'} of {cap_list(texts, wording.most)}"
    return texts[0] if literal.op == "==" else f"a value other than {texts[0]}"


def value_words(literal: Literal, value: Any, wording: Wording = PLAIN) -> str:
    """Format a test value: a date without quotes, a weekday by its name, a unit behind."""
    if literal.part == "date":
        return str(value)
    value = spell_part(value, literal.part)
    if literal.part in NAMES and isinstance(value, str):
        return value
    if isinstance(value, float):
        text = exact(value)
        is_amount = literal.op in ORDERED and not literal.part
        return wording.amount(literal.feature, text) if is_amount else text
    return show_value(value, wording=wording)


def write_bounds(split: PowerLawSplit) -> str:
    """Return the required range of a sum of power laws: "above 3", "between 1 and 2"."""
    high = exact(split.high)
    if split.low is None:
        return f"{'at most' if split.inside else 'above'} {high}"
    bounds = f"between {exact(split.low)} and {high}"
    return bounds if split.inside else f"not {bounds}"


class Words(ReadingWriter[str]):
    """Writes conditions in a reader's words, limits with all their digits."""

    def __init__(self, wording: Wording = PLAIN) -> None:
        self.wording = wording

    def write(self, condition: Condition) -> str:
        """Write a condition, behind its name if a person gave it one."""
        return self.wording.lead(condition, super().write(condition))

    def clause(self, clause: Clause) -> list[str]:
        """Write the conditions of a clause; bounds with names of their own are not joined."""
        if any(str(c) in self.wording.texts for c in clause.conditions):
            return list(map(self.write, clause.conditions))
        return super().clause(clause)

    def subject(self, literal: Literal) -> str:
        """Write the column that a test compares, see `Wording.subject`."""
        return self.wording.subject(literal)

    def value(self, literal: Literal, value: Any) -> str:
        """Write a value of a test, see `value_words`."""
        return value_words(literal, value, self.wording)

    def literal(self, literal: Literal) -> str:
        """Write a test: "glucose > 126", "age <= 50 or missing"."""
        name = self.subject(literal)
        if literal.op in ORDERED and not self.wording.spoken:
            text = f"{name} {comparison_text(literal, self.wording)}"
        elif literal.op in WORDS:
            text = f"{name} {_has_word(literal)}"
        elif literal.op == "!=":
            text = f"{name} is not {value_words(literal, literal.value, self.wording)}"
        else:
            text = f"{name} is {comparison_text(literal, self.wording)}"
        return f"{text} or missing" if literal.missing and literal.op not in GAPS else text

    def interval(self, interval: ValueInterval) -> str:
        """Write two bounds: "20 < age <= 50 years"."""
        _, left, right, _ = interval.ends
        wording, lower, name = self.wording, interval.low, self.subject(interval.low)
        low, amount = (
            value_words(lower, lower.value),
            self.value(interval.high, interval.high.value),
        )
        if wording.spoken:
            start, end = (wording.sign(x.op, x.part) for x in (lower, interval.high))
            text = f"{name} is {start} {low} and {end} {amount}"
        else:
            text = f"{low} {left} {name} {right} {amount}"
        return f"{text} or missing" if interval.missing else text

    def linear(self, split: LinearSplit) -> str:
        """Write a weighted sum: "0.5 * age - 1 * bmi > 3"."""
        return self._write_sum(split, f"{self.wording.sign(split.op)} {exact(split.value)}")

    def power_law(self, split: PowerLawSplit) -> str:
        """Write a sum of power laws: "mass / height^2 > 27"."""
        return self._write_sum(split, write_bounds(split))

    def _write_sum(self, split: LinearSplit | PowerLawSplit, comparison: str) -> str:
        if not self.wording.spoken:
            return split.text(self.wording.name, exact)
        missing = " or missing" if split.missing else ""
        return f"{self.wording.score(split)} is {comparison}{missing}"

    def points(self, split: PointsSplit) -> str:
        """Write points that add up: "at least 4 points of (3 if age > 60, 2 if bp > 140)"."""
        given = ", ".join(f"{p} if {self.write(c)}" for c, p in split.given)
        comparison = f"{'at least' if split.reached else 'fewer than'} {split.total} points"
        gaps = "; a missing value gives 0" if split.gaps_matter else ""
        return f"{comparison} of ({given}{gaps})"


def condition_text(condition: Condition, wording: Wording = PLAIN) -> str:
    """Write a condition in words: "glucose > 126", "age <= 50 or missing"."""
    return Words(wording).write(condition)


def clause_words(clause: Clause, wording: Wording = PLAIN) -> str:
    """Write a clause in one line: its conditions joined by AND or OR, bounds as intervals."""
    if not clause.conditions:
        return "always" if clause.op == "and" else "never"
    joint = clause.op if wording.spoken else clause.op.upper()
    return f" {joint} ".join(Words(wording).clause(clause))


def explain_match(literal: Literal, cell: Any, wording: Wording = PLAIN) -> str:
    """Return why a literal holds for a cell: "glucose 141 > 126"."""
    name, value = wording.subject(literal), literal.position_of(cell)
    if value is None and literal.op != "not-missing":
        shown = f"{name} is {show_value(cell, wording=wording)}"
        counts = f"{shown}, which counts as {comparison_text(literal, wording)}"
        return shown if literal.op == "missing" else counts
    if literal.op in WORDS:
        return f"{name} {_has_word(literal)}"
    if literal.op in ORDERED:
        value_text, limit = _format_beside(literal, value, wording)
        if wording.spoken:
            return f"{name} is {value_text}, {wording.sign(literal.op, literal.part)} {limit}"
        return f"{name} {value_text} {literal.op} {limit}"
    text = _cell_words(literal, cell, wording)
    if literal.op == "not-missing":
        return f"{name} is known ({text})"
    if literal.op == "==":
        return f"{name} is {text}"
    if literal.op == "!=":
        return f"{name} is {text} (not {value_words(literal, literal.value, wording)})"
    return f"{name} is {text} ({comparison_text(literal, wording)})"


def unmet_text(literal: Literal, cell: Any, wording: Wording = PLAIN) -> str:
    """Return why a literal does not hold: "glucose is 120 but would have to be above 126"."""
    name, value = wording.subject(literal), literal.position_of(cell)
    if literal.op in WORDS:
        wanted = "contain" if literal.op == "contains" else "be without"
        lead = "" if wording.spoken or value is not None else "is missing but "
        return f"{name} {lead}would have to {wanted} the word {show_value(literal.value)}"
    if literal.op in ORDERED:
        if value is not None:
            value_text, limit = _format_beside(literal, value, wording)
        else:
            value_text = show_value(cell, wording=wording)
            limit = value_words(literal, literal.value, wording)
        words = SPOKEN_DATES if literal.part == "date" else SPOKEN
        needed = f"{words[literal.op]} {limit}"
    else:
        needed, value_text = comparison_text(literal, wording), _cell_words(literal, cell, wording)
    if wording.spoken:
        return f"{name} would have to be {needed} (it is {value_text})"
    return f"{name} is {value_text} but would have to be {needed}"


def _has_word(literal: Literal) -> str:
    verb = "contains" if literal.op == "contains" else "does not contain"
    return f"{verb} the word {show_value(literal.value)}"


def _cell_words(literal: Literal, cell: Any, wording: Wording) -> str:
    """Format a cell as it is read: a date's weekday by its name."""
    value = literal.position_of(cell)
    if literal.part is None or value is None:
        return show_value(cell, wording=wording)
    return value_words(literal, literal.value_at(value), wording)


def _format_beside(literal: Literal, value: Any, wording: Wording) -> tuple[str, str]:
    """Format a value and its limit with as many digits as needed to tell them apart."""
    if not isinstance(literal.value, float) or literal.part in NAMES:
        value_text = value_words(literal, literal.value_at(float(value)), wording)
        return value_text, value_words(literal, literal.value, wording)
    limit, cell = exact(literal.value), float(value)
    amount = limit if literal.part else wording.amount(literal.feature, limit)
    return limit if cell == literal.value else number(cell, literal.value), amount
