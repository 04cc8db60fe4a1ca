"""Near misses: clauses that do not hold, how many conditions are missing, and by how much."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rulekit.explain.phrases import (
    ORDERED,
    PLAIN,
    Wording,
    counted,
    linear_text,
    listed,
    met_text,
    unmet_text,
)
from rulekit.rules import LinearSplit, Literal


@dataclass(frozen=True)
class CheckedLiteral:
    """One condition checked on one row.

    Attributes
    ----------
    literal : Literal or LinearSplit
        The condition.
    value : float, str, bool or None
        The row's value, of a LinearSplit the sum; None where it is missing.
    holds : bool
        Whether the condition holds.
    distance : float or None
        How far the value is from the threshold, in the column's unit; 0 where the condition
        holds or the value is exactly at the limit, None where no distance is defined (a category,
        or a missing value).
    share : float or None
        The distance as a share of the column's range in the training rows, where that is known.
    text : str
        The condition in words, with the value.
    """

    literal: Literal | LinearSplit
    value: Any
    holds: bool
    distance: float | None
    share: float | None
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain values."""
        return {
            "column": ", ".join(self.literal.features),
            "operator": self.literal.op,
            "threshold": _plain(self.literal.value),
            "missing_counts": self.literal.missing,
            "value": self.value,
            "holds": self.holds,
            "distance": self.distance,
            "share_of_range": self.share,
            "text": self.text,
        }


@dataclass(frozen=True)
class CheckedClause:
    """One clause, as a conjunction, checked on one row.

    Attributes
    ----------
    index : int
        Position of the clause in the rule, from 0.
    label : str, int, float or bool
        The answer the clause gives where it decides.
    checks : tuple of CheckedLiteral
        Its conditions, in order.
    """

    index: int
    label: Any
    checks: tuple[CheckedLiteral, ...]

    @property
    def holds(self) -> bool:
        """Whether every condition holds."""
        return all(c.holds for c in self.checks)

    @property
    def failing(self) -> tuple[CheckedLiteral, ...]:
        """The conditions that do not hold."""
        return tuple(c for c in self.checks if not c.holds)

    @property
    def n_met(self) -> int:
        """How many conditions hold."""
        return len(self.checks) - len(self.failing)

    def to_dict(self) -> dict[str, Any]:
        """Return the checks as plain values; the number counts from 1, as in sentences."""
        return {
            "clause": self.index + 1,
            "answer": self.label,
            "conditions": len(self.checks),
            "met": self.n_met,
            "checks": [c.to_dict() for c in self.checks],
        }


@dataclass(frozen=True)
class NearMiss(CheckedClause):
    """A clause that does not hold for a row: what is missing, and by how much.

    `CheckedClause` says what it carries; `sentence` tells it in words. For a CNF, whose clauses
    are alternatives, the clause told is the mirror image: it "holds" where the CNF's clause fails.
    """

    sentence: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the near miss as plain values."""
        return {**super().to_dict(), "sentence": self.sentence}


def check_literal(
    literal: Literal,
    value: Any,
    holds: bool,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    wording: Wording = PLAIN,
) -> CheckedLiteral:
    """Put into words whether one condition holds for one value, and how far off it is.

    Parameters
    ----------
    literal : Literal
        The condition.
    value : float, str, bool or None
        The row's value in the literal's column; None for a missing one.
    holds : bool
        What the literal's `mask` says of the value.
    ranges : mapping of str to (low, high), optional
        Smallest and largest value of numeric columns in the training rows.
    wording : Wording
        What columns are called.

    Returns
    -------
    CheckedLiteral
    """
    distance = _distance(literal, value, holds)
    low, high = (ranges or {}).get(literal.feature, (0.0, 0.0))
    share = distance / (high - low) if distance is not None and high > low else None
    text = met_text(literal, value, wording) if holds else unmet_text(literal, value, wording)
    return CheckedLiteral(literal, value, holds, distance, share, text)


def check_linear(
    split: LinearSplit, value: float | None, holds: bool, wording: Wording = PLAIN
) -> CheckedLiteral:
    """Put into words whether a weighted sum is on the side asked for, and how far off it is.

    Parameters
    ----------
    split : LinearSplit
        The condition.
    value : float or None
        The row's sum; None where a column has no value.
    holds : bool
        What the condition's `mask` says of the row.
    wording : Wording
        What columns are called.

    Returns
    -------
    CheckedLiteral
        Without a share of the range.
    """
    distance = None if value is None else 0.0 if holds else abs(value - split.value)
    text = linear_text(split, value, holds, wording)
    return CheckedLiteral(split, value, holds, distance, None, text)


def near_miss(checked: CheckedClause, mirrored: bool, wording: Wording = PLAIN) -> NearMiss:
    """Put into words what a clause that does not hold is missing.

    Parameters
    ----------
    checked : CheckedClause
        The clause on the row.
    mirrored : bool
        Whether it is the mirror image of a CNF's clause.
    wording : Wording
        What columns and clauses are called.

    Returns
    -------
    NearMiss
    """
    name = f"{wording.clause.capitalize()} {checked.index + 1}"
    missing = listed(c.text for c in checked.failing)
    met, total = checked.n_met, len(checked.checks)
    if mirrored:
        text = f"{name} holds; for it to fail, {missing}."
    elif met == 0:
        text = f"{name} does not apply: {missing}."
    else:
        verb = "holds" if met == 1 else "hold"
        nearly = "nearly applies" if len(checked.failing) == 1 else "does not apply"
        text = f"{name} {nearly}: {met} of {counted(total, 'condition')} {verb}; {missing}."
    return NearMiss(checked.index, checked.label, checked.checks, text)


def nearness(miss: NearMiss) -> tuple[int, float, int]:
    """Order near misses: fewest missing conditions, then the smallest share of range, then index.

    A failing condition without a share (a category, a missing value, an unknown range) counts as
    a whole range.
    """
    shares = [1.0 if c.share is None else c.share for c in miss.failing]
    return (len(shares), sum(shares), miss.index)


def _distance(literal: Literal, value: Any, holds: bool) -> float | None:
    if literal.op not in ORDERED or value is None:
        return None
    assert isinstance(literal.value, float)
    return 0.0 if holds else abs(float(value) - literal.value)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
