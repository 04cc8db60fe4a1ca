"""A scorecard as people read it: one scale of points per column, and the meaning of totals."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.rules import Columns, Literal, PointsSplit, RuleSet, scorecard_of
from rulekit.rules.condition import GAPS, ORDERED, WHOLE_PARTS, WORDS
from rulekit.rules.literal import holds
from rulekit.rules.rule_set import rule_of
from rulekit.rules.schema import schema_of
from rulekit.style.phrases import PLAIN, Wording, Words

GAPS_NOTE = "A missing value gives 0 points."
EVERY_CASE = "every case"
FIRST_FITS = "Of several ranges, the first that fits counts."


@dataclass(frozen=True)
class Scale:
    """The points of one column or condition; the first of `lines` that fits counts."""

    name: str
    lines: tuple[tuple[str, int], ...]
    conditions: tuple[Literal, ...]

    @property
    def points(self) -> str:
        """The points as text: "3", or "up to 11: 9, up to 22: 6, above 22: 0"."""
        return ", ".join(f"{text}: {p}" if text else f"{p}" for text, p in self.lines)


@dataclass(frozen=True)
class Band:
    """A range of totals with one prediction; `chance` and training `weight` may be unknown."""

    low: int
    high: int
    label: Any
    chance: float | None = None
    weight: float | None = None

    @property
    def total(self) -> str:
        """The range as text: "4", or "4 to 9"."""
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"


def scales_of(split: PointsSplit, wording: Wording | Any = PLAIN) -> tuple[Scale, ...]:
    """Return the scales of a scorecard; the points of a row are the sum over all scales."""
    # In a wording, or as a writer with the methods of `Words` writes them.
    # Several conditions on one column become one scale. Scales with the most points are first.
    writer = Words(wording) if isinstance(wording, Wording) else wording
    groups: dict[tuple[Any, ...], list[tuple[Literal, int]]] = {}
    given = dict(split.given)
    # two conditions of one column that together give every row the same points
    gaps = ((gap, gap.negate(), p) for gap, p in split.given if p and gap.op == GAPS[0])
    constant = next(((gap, other) for gap, other, p in gaps if given.get(other) == p), ())
    for test, points in split.given:
        if points and test not in constant:
            word = (test,) if test.op in WORDS else ()
            groups.setdefault((test.feature, test.scale, *word), []).append((test, points))
    scales = []
    for group in groups.values():
        conditions = tuple(c for c, _ in group)
        if len(group) == 1:
            scales.append(Scale(writer.write(conditions[0]), (("", group[0][1]),), conditions))
            continue
        present = [(c, p) for c, p in group if c.op not in GAPS]
        base = sum(p for c, p in group if c.op == "not-missing")
        list_parts = _ranges if any(c.op in ORDERED for c in conditions) else _levels
        lines = [(text, points + base) for text, points in list_parts(present, writer)]
        if gap := sum(p for c, p in group if c.missing):
            lines.insert(0, ("missing", gap))
        scales.append(Scale(writer.subject(conditions[0]), tuple(lines), conditions))
    if constant:
        scales.append(Scale(EVERY_CASE, (("", given[constant[0]]),), constant))
    return tuple(sorted(scales, key=lambda scale: -max(abs(p) for _, p in scale.lines)))


def count_lines(
    split: PointsSplit, columns: Columns, is_label: NDArray[np.bool_], wording: Wording = PLAIN
) -> list[tuple[str, int, float, float]]:
    """Return each line of the scales: its text, points, share of rows, and rate of a label."""
    given, lines = dict(split.given), []
    for scale in scales_of(split, wording):
        total: Any = sum(given[c] * c.mask(columns) for c in scale.conditions)
        for points in dict.fromkeys(p for _, p in scale.lines):
            texts = " or ".join(text for text, p in scale.lines if p == points and text)
            rows = total == points
            rate = float(is_label[rows].mean()) if rows.any() else math.nan
            name = f"{scale.name}: {texts}" if texts else scale.name
            lines.append((name, points, float(rows.mean()), rate))
    return lines


def bands_of_totals(model: Any) -> tuple[Band, ...]:
    """Return a model's bands of totals (`bands_`), else the ranges of its predictions."""
    rule = rule_of(model)
    splits = scorecard_of(rule)
    lowest, highest = splits[0].span
    bands = getattr(getattr(model, "learner_", model), "bands_", None)
    if bands is None or not len(bands):
        lows = [*(s.total for s in splits), lowest]
        highs = [highest, *(s.total - 1 for s in splits)]
        return tuple(map(Band, lows, highs, [*rule.labels, rule.default]))
    columns = (bands[name].tolist() for name in ("from_total", "to_total", "chance", "weight"))
    lows, highs, *more = columns
    labels = [rule.default if low < splits[0].total else rule.labels[0] for low in lows]
    return tuple(map(Band, lows, highs, labels, *more))


def points_listed(split: PointsSplit, write: Callable[[Literal], str]) -> list[tuple[str, int]]:
    """Return each condition as `write` gives it with its points, and a missing value's if 0."""
    gaps = [] if any(c.missing for c in split.conditions) else [("a missing value", 0)]
    return [*((write(condition), points) for condition, points in split.given), *gaps]


def scale_note(model: Any) -> str:
    """Return what scores mean as odds; empty for a model without such a scale."""
    scale = schema_of(rule_of(model)).scale
    return "" if scale is None else scale.sentence


def card_lines(model: Any, wording: Wording = PLAIN) -> list[str]:
    """Write a scorecard as plain text: scales, then totals with their predictions."""
    rule, bands = rule_of(model), bands_of_totals(model)
    described, width = rule.labels[0], max(len(band.total) for band in bands)
    scales = scales_of(scorecard_of(rule)[0], wording)
    lines = ["ADD UP THE POINTS", *(f"   {s.name}: {s.points}" for s in scales), "TOTAL"]
    for band in bands:
        chance = "" if band.chance is None else f"  ({described}: {count_per_hundred(band)} of 100)"
        lines.append(f"   {band.total:>{width}}  {band.label}{chance}")
    return lines


def count_per_hundred(band: Band) -> int:
    """Return the band's probability as cases of a hundred."""
    assert band.chance is not None
    return round(100 * band.chance)


def reading_notes(scales: Iterable[Scale]) -> str:
    """Return how to read the scales: order of ranges, points of missing values."""
    listed = list(scales)
    gaps = any(c.missing for s in listed if s.name != EVERY_CASE for c in s.conditions)
    notes = [FIRST_FITS] * any(len(scale.lines) > 1 for scale in listed)
    return " ".join([*notes, *[GAPS_NOTE] * (not gaps)])


def _levels(given: Sequence[tuple[Literal, int]], writer: Any) -> list[tuple[str, int]]:
    """List levels with their points; levels with equal points share a line."""
    named = list(dict.fromkeys(v for c, _ in given for v in c.positions))
    flags = bool(named) and all(isinstance(v, bool) for v in named)
    if flags:
        named = [True, False]
    by_points: dict[int, list[str]] = {}
    for v in named:
        literal = next((c for c, _ in given if v in c.positions), given[0][0])
        value = v if literal.is_plain else literal.value_at(float(v))
        by_points.setdefault(_sum(given, v), []).append(writer.value(literal, value))
    texts_only = [v for v in named if isinstance(v, str)]
    rest = _sum(given, "".join(texts_only) + "?" if texts_only else math.inf)
    lines = [(" or ".join(texts), p) for p, texts in by_points.items() if flags or p != rest]
    return lines if flags else [*lines, ("any other", rest)]


#: A boundary of ranges: just below a position (side 0), or just above it (side 1).
_End = tuple[float, int]


def _ranges(given: Sequence[tuple[Literal, int]], writer: Any) -> list[tuple[str, int]]:
    """List ranges of values with their points; neighbours with equal points are merged."""
    texts: dict[float, str] = {}
    found: set[_End] = set()
    for condition, _ in given:
        for position, value in zip(map(float, condition.positions), condition.values, strict=True):
            texts[position] = writer.value(condition, value)
            sides = {"<=": (1,), ">": (1,), "<": (0,), ">=": (0,)}.get(condition.op, (0, 1))
            found |= {(position, side) for side in sides}
    literal = given[0][0]
    ranges: list[tuple[_End, _End, int]] = []
    for low, high in pairwise([(-math.inf, 1), *sorted(found), (math.inf, 0)]):
        inside = _inside(low, high, whole=literal.order is not None or literal.part in WHOLE_PARTS)
        if inside is None:
            continue
        points = _sum(given, inside)
        if ranges and ranges[-1][2] == points:
            low = ranges.pop()[0]
        ranges.append((low, high, points))
    is_date, lines = literal.part == "date", []
    for (least, low_side), (most, high_side), points in ranges:
        if least == most:
            text = texts[least]
        elif math.isfinite(most):
            text = f"{'up to' if high_side else 'before' if is_date else 'below'} {texts[most]}"
        else:
            above, from_ = ("after", "on or after") if is_date else ("above", "at least")
            text = f"{above if low_side else from_} {texts[least]}"
        lines.append((text, points))
    return lines


def _inside(low: _End, high: _End, *, whole: bool) -> float | None:
    """Return a position between two ends; None if there is none."""
    (least, low_side), (most, high_side) = low, high
    if least == most or math.isinf(least) or (math.isinf(most) and not whole):
        return most if math.isfinite(least) else least
    if whole:
        first = math.ceil(least) if low_side == 0 else math.floor(least) + 1
        return float(first) if (first, 0) < high else None
    middle = least / 2 + most / 2
    if least < middle < most:
        return middle
    return least if low_side == 0 else most if high_side == 1 else None


def _sum(given: Sequence[tuple[Literal, int]], position: Any) -> int:
    """Return the points of a present position."""
    return sum(p for c, p in given if holds(c, position))


def clause_names(rule: RuleSet, word: str = "clause") -> list[str]:
    """Return the names of a rule's clauses, and of none; a scorecard has ranges of totals."""
    totals = [split.total for split in scorecard_of(rule)]
    if not totals:
        return [*(f"{word} {k + 1}" for k in range(rule.n_clauses)), f"no {word}"]
    names = [
        f"total from {low} to {above - 1}" if low < above - 1 else f"total {low}"
        for above, low in pairwise(totals)
    ]
    return [f"total from {totals[0]}", *names, f"total below {totals[-1]}"]
