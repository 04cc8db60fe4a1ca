"""Conditions and clauses checked on one row: values, distances, and what would change a result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from operator import itemgetter
from typing import Any

from rulekit.explain.boundary import DomainValue, cells_of
from rulekit.explain.counterfactual import Change, changes_between, turning_values
from rulekit.explain.similar import training_rows
from rulekit.explain.subject import Bounds, Ranges, Row, columns_for, row_values, rows_with
from rulekit.rules import Branch, Clause, Condition, Literal, PointsSplit, RuleSet, tree_of_rule
from rulekit.rules.condition import ORDERED
from rulekit.rules.rule_set import rule_of
from rulekit.rules.sums import LinearSplit, PowerLawSplit, power_law_of
from rulekit.rules.writer import ConditionWriter
from rulekit.style.phrases import (
    LONG_SUM,
    PLAIN,
    SPOKEN,
    Wording,
    exact,
    explain_match,
    join_list,
    label_text,
    number,
    show_value,
    unmet_text,
    write_bounds,
)


@dataclass(frozen=True)
class GivenPoints:
    """The points of one condition on one row, given if it `holds`."""

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
    """The points of one row."""

    split: PointsSplit
    given: tuple[GivenPoints, ...]
    _ranges: Ranges = field(repr=False, compare=False)
    _whole: Bounds = field(repr=False, compare=False)
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
        short = self.split.total - self.score
        return 0 if self.holds else short if self.split.reached else 1 - short

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The smallest change of each column alone that changes the result, smallest first."""
        row, changes = {g.condition.feature: g.value for g in self.given}, []
        rule = RuleSet((Clause((self.split,)),), (True,), "dnf", False)
        for feature in self.split.features:
            tests = [t for t in self.split.tests if t.feature == feature]
            width, whole = self._ranges.get(feature), self._whole.get(feature)
            cells = cells_of(tests, row[feature], width=width, whole=whole)
            held = self.split.mask(rows_with(row, {feature: [c.value for c in cells]}))
            best = min(compress(cells, held != self.holds), key=lambda c: c.cost, default=None)
            if best is not None:
                after = {f: DomainValue(v, 0.0) for f, v in row.items()} | {feature: best}
                (change,) = changes_between(rule, row, after, self._wording)
                changes.append((best.cost, change))
        return tuple(change for _, change in sorted(changes, key=itemgetter(0)))

    @property
    def text(self) -> str:
        """The points in words."""
        reached, total, wording = self.split.reached, self.split.total, self._wording
        values = {g.condition.feature: g.value for g in self.given}
        read, met = {g.condition: g for g in self.given}, []
        for scale in self.split.scales:
            given = [read[condition] for condition, _ in scale]
            if any(g.given for g in given):
                test, value, verb = given[0].condition, given[0].value, " is" * wording.spoken
                text = f"{wording.subject(test)}{verb} {show_value(value, wording=wording)}"
                if len(given) == 1:
                    text = wording.lead(test, explain_match(test, value, wording))
                met.append((text, sum(g.given for g in given)))
        others = values.keys() - {g.condition.feature for g in self.given if g.given}
        cells = {f: show_value(v, wording=wording) for f, v in values.items() if f in others}
        none = join_list(f"{wording.name(f)} {text}" for f, text in cells.items())
        if wording.spoken:  # the texts of met conditions contain commas
            listed = [f"{points} because {text}" for text, points in met]
            parts = "; ".join([*listed, *[f"none from {none}"] * bool(none)])
        else:
            listed = [f"{text} gives {points}" for text, points in met]
            verb = "gives" if len(others) == 1 else "give"
            parts = ", ".join([*listed, *[f"{none} {verb} nothing"] * bool(none)])
        one = abs(self.score) == 1
        points = f"{self.score} {'point' if one else 'points'}"
        if self.holds:
            verb = f"{'reach' if reached else 'stay'}{('es' if reached else 's') * one}"
            return f"{points} {verb} {'' if reached else 'below '}{total}: {parts}"
        short = "short of" if reached else "too many to stay below"
        text = f"{points} {'is' if one else 'are'} {self.off} {short} {total} ({parts})"
        enough = " or if ".join(c.text for c in self.changes[: 1 if wording.spoken else 3])
        return f"{text}; enough if {enough}" if enough else text


def read_points(
    split: PointsSplit,
    row: Mapping[str, Any],
    *,
    ranges: Ranges | None = None,
    whole: Bounds | None = None,
    wording: Wording = PLAIN,
) -> PointsReading:
    r"""Compute the points of one row.

    Parameters
    ----------
    split : PointsSplit
    row : mapping of str to float, str, bool or None
        At least the condition's columns.
    ranges : mapping of str to float, optional
        Widths of the ranges of columns, to compare changes of different units.
    whole : mapping of str to pair of float, optional
        Columns that change to whole numbers only, and between which.
    wording : Wording

    Examples
    --------
    >>> old, high = Literal("age", ">", 60), Literal("bp", ">", 140)
    >>> found = read_points(PointsSplit((old, high), (3, 2), 5), {"age": 72.0, "bp": 120.0})
    >>> print(found.text.replace("; ", ";\n"))
    3 points are 2 short of 5 (age 72 > 60 gives 3, bp 120 gives nothing);
    enough if bp were above 140 (now 120)
    """
    cells = rows_with({f: row[f] for f in split.features}, {})
    given = tuple(GivenPoints(c, p, row[c.feature], bool(c.mask(cells)[0])) for c, p in split.given)
    return PointsReading(split, given, ranges or {}, whole or {}, wording)


@dataclass(frozen=True)
class TermReading:
    """One power law on one row: its text and its value, without the weight."""

    text: str
    value: float


@dataclass(frozen=True)
class SplitReading:
    """One split on one row."""

    split: PowerLawSplit
    holds: bool
    total: float | None  # None if a value is missing
    margin: float | None  # the paper's f, at most 0 within the bounds
    terms: tuple[TermReading, ...]
    changes: tuple[Change, ...]  # the nearest of each column, smallest first
    reason: str
    sentence: str  # `reason` with the value of f in front


def read_split(
    split: PowerLawSplit,
    row: Row,
    *,
    ranges: Ranges | None = None,
    whole: Bounds | None = None,
    wording: Wording = PLAIN,
) -> SplitReading:
    """Read a split on one row; widths in `ranges` compare changes, `whole` bounds whole numbers."""
    columns = rows_with({f: row[f] for f in split.features}, {})
    holds = bool(split.mask(columns)[0])
    if None in (row[f] for f in split.features):
        text = _gap_text(split, row, wording)
        return SplitReading(split, holds, None, None, (), (), text, text)
    total, margin = float(split.total(columns)[0]), float(split.margin(columns)[0])
    numbers = {f: c.astype(float) for f, c in columns.items()}
    terms = tuple(
        TermReading(t.text(wording.name, number), float(t.value(numbers)[0])) for t in split.terms
    )
    here, widths, changes = {f: float(row[f]) for f in split.features}, ranges or {}, []
    turned = turning_values(
        (split,), here, split.features, lambda c: split.mask(c) != holds, widths, whole or {}
    )
    for f, new in turned:
        old, step, width = here[f], abs(new - here[f]), widths.get(f)
        text = f"{wording.name(f)} {number(old, new)} -> {wording.amount(f, exact(new))}"
        size = step / (width or max(abs(old), abs(new), 1e-300))  # relative without a range
        changes.append((size, Change(f, old, new, text, size if width else None)))
    nearest = tuple(change for _, change in sorted(changes, key=itemgetter(0)))
    within, body = margin <= 0, wording.score(split)
    ends = [b for b in (split.low, split.high) if b is not None]
    value = number(total, min(ends, key=lambda b: abs(total - b)))
    if wording.spoken:
        text = score_text(body, value, write_bounds(split), within == split.inside)
    else:
        inside, outside = ("within", "outside") if split.is_band else ("at most", "above")
        text = f"{body} is {value}, {inside if within else outside} {' to '.join(map(exact, ends))}"
    if body == LONG_SUM:
        read = zip(split.terms, terms, strict=True)
        parts = [(t.weight * r.value, [x.feature for x in t.factors]) for t, r in read]
        text += "" if holds or len(parts) < 2 else least_text(parts, wording)
    elif len(terms) > 1 and not wording.spoken:
        text += f" ({join_list(f'{t.text} is {number(t.value)}' for t in terms)})"
    sign, short = "<=" if within else ">", number(float(f"{margin:.6g}"))
    sentence = f"f = {short} {sign} 0 because {text}"
    return SplitReading(split, holds, total, margin, terms, nearest, text, sentence)


def explain_path(
    model: Any, X: Any, *, training: Any = None, wording: Wording = PLAIN
) -> list[tuple[SplitReading, ...]]:
    """Read the splits on each row's path down a tree, from the root.

    Parameters
    ----------
    model : fitted tree or RuleSet
        Its clauses must be the paths of a tree.
    X : DataFrame, array or mapping of column name to array, n rows
    training : table, or pair of table and labels, optional
        Past rows, for the ranges of columns.
    wording : Wording

    Returns
    -------
    list of tuple of SplitReading, length n
        Empty if the rule is no tree, or the row reaches no power-law split.

    Raises
    ------
    DataError, RuleError
        If rows and rule do not fit.
    """
    rule, columns = rule_of(model), columns_for(model, X)
    n = len(next(iter(columns.values()), ()))
    tree = tree_of_rule(rule)
    if tree is None:
        return [()] * n
    past = training_rows(model, training)
    scale: dict[str, Any] = {"ranges": past.ranges, "whole": past.whole, "wording": wording}
    read = {f: columns[f] for f in rule.features}
    paths = []
    for i in range(n):
        row, path, node = row_values(read, i), [], tree
        while isinstance(node, Branch):
            condition = node.condition
            if split := power_law_of(condition):
                path.append(read_split(split, row, **scale))
            held = condition.mask(rows_with({f: row[f] for f in condition.features}, {}))[0]
            node = node.yes if held else node.no
        paths.append(tuple(path))
    return paths


def least_text(parts: Sequence[tuple[float, Sequence[str]]], wording: Wording) -> str:
    """Return the columns of the smallest part of a sum: "; age contributes least"."""
    _, features = min(parts, key=lambda part: part[0])
    names = join_list(map(wording.name, features))
    return f"; {names} {'contributes' if len(features) == 1 else 'contribute'} least"


def score_text(total: str, value: str, limit: str, holds: bool) -> str:
    """Return in spoken words where a sum is: "the score from age and bmi is 3.5, above 3"."""
    where = f"is {value}, {limit}" if holds else f"would have to be {limit} (it is {value})"
    return f"{total} {where}"


def _gap_text(split: LinearSplit | PowerLawSplit, row: Row, wording: Wording) -> str:
    absent = [wording.name(f) for f in split.features if row[f] is None]
    text = f"{join_list(absent)} {'is' if len(absent) == 1 else 'are'} missing, which"
    if wording.spoken:
        return f"{text} {'is' if split.missing else 'is not'} taken as enough"
    counts = "counts as meeting" if split.missing else "counts as not meeting"
    return f"{text} {counts} the condition on {wording.score(split)}"


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
        value, distance, share = literal.position_of(cell), None, None
        width = self.ranges.get(literal.feature)
        if literal.order is not None:
            width = len(literal.order) - 1.0
        if literal.op in ORDERED and value is not None:
            distance = 0.0 if self.holds else abs(float(value) - float(literal.positions[0]))
            share = distance / width if width else None
        text = (explain_match if self.holds else unmet_text)(literal, cell, self.wording)
        measured = distance, share, self.wording.lead(literal, text)
        return CheckedLiteral(literal, cell, self.holds, *measured, dict(self.row))

    def linear(self, split: LinearSplit) -> CheckedLiteral:
        """Check a weighted sum; it has no share of a range."""
        total, wording = self.wording.score(split), self.wording
        if self.value is None:
            return self._check_condition(split, None, None, _gap_text(split, self.row, wording))
        text, limit = number(self.value, split.value), number(split.value, self.value)
        if wording.spoken:
            text = score_text(total, text, f"{SPOKEN[split.op]} {limit}", self.holds)
        elif self.holds:
            text = f"{total} is {text} {split.op} {limit}"
        else:
            text = f"{total} is {text} but would have to be {SPOKEN[split.op]} {limit}"
            if total == LONG_SUM:
                text += least_text([(w * float(self.row[f]), [f]) for f, w in split.terms], wording)
        return self._check_condition(split, self.value - split.value, None, text)

    def power_law(self, split: PowerLawSplit) -> CheckedLiteral:
        """Check a sum of power laws; the share is that of the smallest change of one column."""
        reading = read_split(split, self.row, **self._scale)
        text, share = reading.reason, None
        if not reading.holds and reading.changes:
            share = reading.changes[0].share
            if not self.wording.spoken and self.wording.score(split) != LONG_SUM:
                text += f"; {reading.changes[0].text} would change it"
        return self._check_condition(split, reading.margin, share, text)

    def points(self, split: PointsSplit) -> CheckedLiteral:
        """Check points; the share is that of all points."""
        reading, (lowest, highest) = read_points(split, self.row, **self._scale), split.span
        off = float(reading.off)
        return self._check_condition(split, off, off / (highest - lowest), reading.text)

    @property
    def _scale(self) -> dict[str, Any]:
        return {"ranges": self.ranges, "whole": self.whole, "wording": self.wording}

    def _check_condition(
        self, condition: Condition, margin: float | None, share: float | None, text: str
    ) -> CheckedLiteral:
        distance = None if margin is None else 0.0 if self.holds else abs(margin)
        measured = distance, share, self.wording.lead(condition, text)
        return CheckedLiteral(condition, self.value, self.holds, *measured, dict(self.row))


def describe_near_miss(
    checked: CheckedClause, mirrored: bool, wording: Wording = PLAIN, *, is_band: bool = False
) -> CheckedClause:
    """Describe what a clause that does not match, or a band of totals, is missing."""
    # A CNF is mirrored: a clause holds where the CNF's clause fails.
    name = f"{wording.clause.capitalize()} {checked.index + 1}"
    missing = (" and " if wording.spoken else "; ").join(c.text for c in checked.failing)
    met = len(checked.checks) - len(checked.failing)
    if wording.spoken or is_band:
        text = f"For {label_text(checked.label, wording)}, {missing}."
    elif mirrored:
        text = f"{name} holds. For it to fail: {missing}."
    elif met == 0:
        text = f"{name} does not match: {missing}."
    else:
        nearly = "nearly matches" if len(checked.failing) == 1 else "does not match"
        text = f"{name} {nearly}, {met} of {len(checked.checks):,} conditions met: {missing}."
    return replace(checked, sentence=text)
