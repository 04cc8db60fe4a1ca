"""Conditions and clauses checked on one row: the value, whether it holds, and how far it is off."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rulekit.explain.splits import linear_text, read_points, read_split
from rulekit.explain.subject import Bounds, Ranges
from rulekit.rules import Condition, LinearSplit, Literal, PointsSplit, PowerLawSplit
from rulekit.rules.condition import ORDERED
from rulekit.rules.writer import ConditionWriter
from rulekit.style.phrases import LONG_SUM, PLAIN, Wording, explain_match, label_text, unmet_text


@dataclass(frozen=True)
class CheckedLiteral:
    """One condition checked on one row."""

    literal: Condition
    value: Any
    holds: bool
    # in the column's unit (days, positions), 0 if the condition holds or at its limit; None for
    # categories and missing values
    distance: float | None
    share: float | None  # the distance as a share of the range in the training rows
    text: str
    row: Mapping[str, Any] = field(repr=False, compare=False)  # values of the condition's columns

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain values."""
        operator, threshold = self.literal.comparison
        return {
            "column": ", ".join(self.literal.features),
            "operator": operator,
            "threshold": list(threshold) if isinstance(threshold, tuple) else threshold,
            "missing_counts": self.literal.missing,
            "value": self.value,
            "holds": self.holds,
            "distance": self.distance,
            "share_of_range": self.share,
            "text": self.text,
        }


@dataclass(frozen=True)
class CheckedClause:
    """One clause, as a conjunction, checked on one row; `index` counts clauses from 0."""

    index: int
    label: Any
    checks: tuple[CheckedLiteral, ...]
    sentence: str = ""  # what a clause that does not hold is missing

    @property
    def holds(self) -> bool:
        """Whether every condition holds."""
        return all(c.holds for c in self.checks)

    @property
    def failing(self) -> tuple[CheckedLiteral, ...]:
        """The conditions that do not hold."""
        return tuple(c for c in self.checks if not c.holds)

    @property
    def nearness(self) -> tuple[int, float, int]:
        """Sort key of near misses: missing conditions, sum of shares (unknown: 1), index."""
        shares = [1.0 if c.share is None else c.share for c in self.failing]
        return (len(shares), sum(shares), self.index)

    def to_dict(self) -> dict[str, Any]:
        """Return the checks as plain values; the number counts from 1, as in sentences."""
        plain = {
            "clause": self.index + 1,
            "answer": self.label,
            "conditions": len(self.checks),
            "met": sum(c.holds for c in self.checks),
            "checks": [c.to_dict() for c in self.checks],
        }
        return {**plain, "sentence": self.sentence} if self.sentence else plain


@dataclass(frozen=True)
class Checker(ConditionWriter[CheckedLiteral]):
    """Checks a condition on one row and measures its distance."""

    value: Any
    row: Mapping[str, Any]
    holds: bool
    ranges: Ranges = field(default_factory=dict)
    wording: Wording = PLAIN
    whole: Bounds = field(default_factory=dict)

    def literal(self, literal: Literal) -> CheckedLiteral:
        """Check a test of one column."""
        cell = self.value if literal.is_plain else self.row[literal.feature]
        value, distance = literal.position_of(cell), None
        if literal.op in ORDERED and value is not None:
            distance = 0.0 if self.holds else abs(float(value) - float(literal.positions[0]))
        width = self.ranges.get(literal.feature)
        if literal.order is not None:
            width = len(literal.order) - 1.0
        share = distance / width if distance is not None and width else None
        text = (explain_match if self.holds else unmet_text)(literal, cell, self.wording)
        return replace(self._check_condition(literal, distance, share, text), value=cell)

    def linear(self, split: LinearSplit) -> CheckedLiteral:
        """Check a weighted sum; it has no share of a range."""
        distance = None
        if self.value is not None:
            distance = 0.0 if self.holds else abs(self.value - split.value)
        text = linear_text(split, self.row, self.value, self.holds, self.wording)
        return self._check_condition(split, distance, None, text)

    def power_law(self, split: PowerLawSplit) -> CheckedLiteral:
        """Check a sum of power laws; the share is that of the smallest change of one column."""
        reading = read_split(split, self.row, **self._scale)
        text, share = reading.reason, None
        if not reading.holds and reading.changes:
            share = reading.changes[0].share
            if not self.wording.spoken and self.wording.score(split) != LONG_SUM:
                text += f"; {reading.changes[0].text} would change it"
        distance = None if reading.margin is None else 0.0 if reading.holds else abs(reading.margin)
        return self._check_condition(split, distance, share, text)

    def points(self, split: PointsSplit) -> CheckedLiteral:
        """Check points; the share is that of all points."""
        reading, (lowest, highest) = read_points(split, self.row, **self._scale), split.span
        off = float(reading.off)
        return self._check_condition(split, off, off / (highest - lowest), reading.text)

    @property
    def _scale(self) -> dict[str, Any]:
        return {"ranges": self.ranges, "whole": self.whole, "wording": self.wording}

    def _check_condition(
        self, condition: Condition, distance: float | None, share: float | None, text: str
    ) -> CheckedLiteral:
        measured = distance, share, self.wording.lead(condition, text)
        return CheckedLiteral(condition, self.value, self.holds, *measured, dict(self.row))


def describe_near_miss(
    checked: CheckedClause, mirrored: bool, wording: Wording = PLAIN, *, is_band: bool = False
) -> CheckedClause:
    """Describe what a clause that does not match, or a band of totals, is missing."""
    # A CNF is mirrored: a clause holds where the CNF's clause fails.
    name = f"{wording.clause.capitalize()} {checked.index + 1}"
    joint = " and " if wording.spoken else "; "
    missing = joint.join(c.text for c in checked.failing)
    total = len(checked.checks)
    met = total - len(checked.failing)
    if wording.spoken or is_band:
        text = f"For {label_text(checked.label, wording)}, {missing}."
    elif mirrored:
        text = f"{name} holds. For it to fail: {missing}."
    elif met == 0:
        text = f"{name} does not match: {missing}."
    else:
        nearly = "nearly matches" if len(checked.failing) == 1 else "does not match"
        text = f"{name} {nearly}, {met} of {total:,} conditions met: {missing}."
    return replace(checked, sentence=text)
