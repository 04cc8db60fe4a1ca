"""Points of single rows: what each condition gives, what is missing, what would change it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rulekit.explain.changes import Change, changes_between
from rulekit.explain.domains import candidates, domain_of
from rulekit.explain.one_column import Ranges
from rulekit.explain.subject import as_column
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from rulekit.style.phrases import PLAIN, Wording, listed, met_text, shown

MAX_CHANGES = 3


@dataclass(frozen=True)
class GivenPoints:
    """The points of one condition on one row.

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
        """The points of the row from this condition."""
        return self.points if self.holds else 0


@dataclass(frozen=True)
class PointsReading:
    """The points of one row.

    Attributes
    ----------
    split : PointsSplit
    given : tuple of GivenPoints
        Each condition, in order.
    score : int
        The row's sum.
    holds : bool
        What the condition says of the row.
    off : int
        Number of points that are missing, or too many for an upper limit; 0 if it holds.
    changes : tuple of Change
        For each column that can, the smallest change of it alone that turns the answer; smallest
        first. Each is checked to turn the answer; computed on first access.
    text : str
        The reading in words.
    """

    split: PointsSplit
    given: tuple[GivenPoints, ...]
    _ranges: Ranges = field(repr=False, compare=False)
    _wording: Wording = field(repr=False, compare=False)

    @cached_property
    def score(self) -> int:
        """The row's total."""
        return sum(g.given for g in self.given)

    @property
    def holds(self) -> bool:
        """Whether the condition holds for the row."""
        return (self.score >= self.split.total) == self.split.reached

    @property
    def off(self) -> int:
        """Points missing, or in excess where fewer are required; 0 if it holds."""
        if self.holds:
            return 0
        total = self.split.total
        return total - self.score if self.split.reached else self.score - total + 1

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The smallest change of each column alone that changes the result, smallest first."""
        found = filter(None, (self._change(f) for f in self.split.features))
        return tuple(change for _, change in sorted(found, key=lambda pair: pair[0]))

    @property
    def text(self) -> str:
        """The points in words."""
        reached, total = self.split.reached, self.split.total
        one = abs(self.score) == 1
        points = f"{self.score} {'point' if one else 'points'}"
        parts = _parts(self, self._wording)
        if self.holds:
            verb = f"{'reach' if reached else 'stay'}{('es' if reached else 's') * one}"
            return f"{points} {verb} {'' if reached else 'below '}{total}: {parts}"
        short = "short of" if reached else "too many to stay below"
        text = f"{points} {'is' if one else 'are'} {self.off} {short} {total} ({parts})"
        most = 1 if self._wording.spoken else MAX_CHANGES
        turns = " or if ".join(c.text for c in self.changes[:most])
        return f"{text}; enough if {turns}" if turns else text

    def _change(self, feature: str) -> tuple[float, Change] | None:
        """Find the smallest change of one column that changes the result, and its size."""
        own = [g for g in self.given if g.condition.feature == feature]
        needed = self.split.total - self.score + sum(g.given for g in own)  # from this column
        sums = [sum(max(g.points, 0) for g in own), sum(min(g.points, 0) for g in own)]
        if not min(sums) < needed <= max(sums):
            return None
        tests, value = tuple(g.condition for g in own), own[0].value
        low, high = self._ranges.get(feature, (0.0, 0.0))
        domain = domain_of(tests, None, value)
        if high > low:
            domain = replace(domain, scale=high - low)
        cells = candidates(tests, domain, value)
        column = {feature: as_column([c.value for c in cells])}
        reached = np.array([g.points for g in own]) @ [t.mask(column) for t in tests] >= needed
        turning = [c for c, r in zip(cells, reached, strict=True) if r != reached[0]]
        if not turning:
            return None
        best = min(turning, key=lambda c: c.cost)
        alone = PointsSplit(tests, tuple(g.points for g in own), int(needed))
        rule = RuleSet((Clause((alone,)),), (True,), "dnf", False)
        (change,) = changes_between(rule, {feature: value}, {feature: best}, self._wording)
        return best.cost, change


def read_points(
    split: PointsSplit,
    row: Mapping[str, Any],
    *,
    ranges: Ranges | None = None,
    wording: Wording = PLAIN,
) -> PointsReading:
    r"""Compute the points of one row.

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
    return PointsReading(split, given, ranges or {}, wording)


def _parts(reading: PointsReading, wording: Wording) -> str:
    """Return which conditions give points, and which columns give none."""
    gave = [g for g in reading.given if g.given]
    met = [(met_text(g.condition, g.value, wording), g.given) for g in gave]
    columns = {g.condition.feature for g in gave}
    values = {g.condition.feature: g.value for g in reading.given}
    none = listed(
        f"{wording.name(f)} {shown(v, wording=wording)}"
        for f, v in values.items()
        if f not in columns
    )
    if wording.spoken:  # met conditions have commas of their own
        parts = [f"{given} because {text}" for text, given in met]
        return "; ".join([*parts, *[f"none from {none}"] * bool(none)])
    parts = [f"{text} gives {given}" for text, given in met]
    verb = "gives" if len(values.keys() - columns) == 1 else "give"
    return ", ".join([*parts, *[f"{none} {verb} nothing"] * bool(none)])
