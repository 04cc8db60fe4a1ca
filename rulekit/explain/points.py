"""Points on single rows: what each condition gives, what is short, and what would turn it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rulekit.explain.changes import Change, changes_between
from rulekit.explain.domains import Candidate, candidates, domain_of
from rulekit.explain.phrases import PLAIN, Wording, listed, met_text, shown
from rulekit.explain.subject import as_column
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet

MAX_CHANGES = 3


@dataclass(frozen=True)
class GivenPoints:
    """What one condition gives on one row.

    Attributes
    ----------
    condition : Literal
    points : int
        What it gives where it holds.
    value : float, str, bool or None
        The row's value in its column; None where it is missing.
    holds : bool
    """

    condition: Literal
    points: int
    value: Any
    holds: bool

    @property
    def given(self) -> int:
        """The points that the row has of it."""
        return self.points if self.holds else 0


@dataclass(frozen=True)
class PointsReading:
    """Points that add up on one row.

    Attributes
    ----------
    split : PointsSplit
    score : int
        The row's sum.
    holds : bool
        What the condition says of the row.
    given : tuple of GivenPoints
        Each condition, in order.
    changes : tuple of Change
        For each column that can, the smallest change of it alone that turns the answer; smallest
        first. Each has been put in the row and found to turn it.
    text : str
        The reading in words.
    """

    split: PointsSplit
    score: int
    holds: bool
    given: tuple[GivenPoints, ...]
    changes: tuple[Change, ...]
    text: str

    @property
    def off(self) -> int:
        """How many points are short, or too many where fewer are asked for; 0 if it holds."""
        if self.holds:
            return 0
        total = self.split.total
        return total - self.score if self.split.reached else self.score - total + 1


def read_points(
    split: PointsSplit,
    row: Mapping[str, Any],
    *,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    wording: Wording = PLAIN,
) -> PointsReading:
    r"""Add up the points of one row.

    Parameters
    ----------
    split : PointsSplit
    row : mapping of str to float, str, bool or None
        At least the condition's columns.
    ranges : mapping of str to (low, high), optional
        Ranges of columns, to compare changes of different units.
    wording : Wording
        What columns are called.

    Returns
    -------
    PointsReading

    Examples
    --------
    >>> old, high = Literal("age", ">", 60), Literal("bp", ">", 140)
    >>> found = read_points(PointsSplit((old, high), (3, 2), 5), {"age": 72.0, "bp": 120.0})
    >>> print(found.text.replace("; ", ";\n"))
    3 points are 2 short of 5 (age 72 > 60 gives 3, bp 120 gives nothing);
    enough if bp were above 140 (now 120)
    """
    columns = {f: as_column([row[f]]) for f in split.features}
    given = tuple(
        GivenPoints(c, p, row[c.feature], bool(c.mask(columns)[0])) for c, p in split.given
    )
    score, holds = int(split.compared(columns)[0]), bool(split.mask(columns)[0])
    changes = _changes(split, row, holds, ranges or {}, wording)
    reading = PointsReading(split, score, holds, given, changes, "")
    return replace(reading, text=_text(reading, wording))


def _changes(
    split: PointsSplit,
    row: Mapping[str, Any],
    holds: bool,
    ranges: Mapping[str, tuple[float, float]],
    wording: Wording,
) -> tuple[Change, ...]:
    alone = RuleSet((Clause((split,)),), (True,), "dnf", False)
    now = {f: Candidate(row[f], 0.0) for f in split.features}
    found: list[tuple[float, Change]] = []
    for feature in split.features:
        tests = [c for c in split.conditions if c.feature == feature]
        low, high = ranges.get(feature, (0.0, 0.0))
        domain = domain_of(tests, None, row[feature])
        if high > low:
            domain = replace(domain, scale=high - low)
        cells = candidates(tests, domain, row[feature])[1:]
        columns = {f: as_column([row[f]] * len(cells)) for f in split.features}
        columns[feature] = as_column([c.value for c in cells])
        turning = [c for c, held in zip(cells, split.mask(columns), strict=True) if held != holds]
        if turning:
            best = min(turning, key=lambda c: c.cost)
            (change,) = changes_between(alone, row, {**now, feature: best}, wording)
            found.append((best.cost, change))
    return tuple(change for _, change in sorted(found, key=lambda pair: pair[0]))


def _text(reading: PointsReading, wording: Wording) -> str:
    split, total = reading.split, reading.split.total
    one = abs(reading.score) == 1
    points = f"{reading.score} {'point' if one else 'points'}"
    parts = _parts(reading, wording)
    if reading.holds:
        verb = f"{'reach' if split.reached else 'stay'}{('es' if split.reached else 's') * one}"
        return f"{points} {verb} {'' if split.reached else 'below '}{total}: {parts}"
    short = "short of" if split.reached else "too many to stay below"
    text = f"{points} {'is' if one else 'are'} {reading.off} {short} {total} ({parts})"
    turns = " or if ".join(c.text for c in reading.changes[:MAX_CHANGES])
    return f"{text}; enough if {turns}" if turns else text


def _parts(reading: PointsReading, wording: Wording) -> str:
    """Say what gives points, and which columns give none."""
    gave = [g for g in reading.given if g.given]
    parts = [f"{met_text(g.condition, g.value, wording)} gives {g.given}" for g in gave]
    columns = {g.condition.feature for g in gave}
    none = {g.condition.feature: g.value for g in reading.given}
    silent = [f"{wording.name(f)} {shown(v)}" for f, v in none.items() if f not in columns]
    if silent:
        parts.append(f"{listed(silent)} {'gives' if len(silent) == 1 else 'give'} nothing")
    return ", ".join(parts)
