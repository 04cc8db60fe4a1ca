"""How far rows are from another answer: the width by which one value would have to move."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulekit.rules import (
    ORDERED,
    Columns,
    ConditionWriter,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLawSplit,
    RuleSet,
    missing_in,
)

Floats = NDArray[np.float64]


def distance_to_boundary(rule: RuleSet, columns: Columns, ranges: dict[str, float]) -> Floats:
    """Say how far each row is from another answer, moving one value across one threshold.

    Parameters
    ----------
    rule : RuleSet
        Of tests on one column those that compare numbers are moved.
    columns : mapping of column name to array of shape (n,)
    ranges : dict of str to float
        Width of each numeric column's range, the unit of distance.

    Returns
    -------
    ndarray of shape (n,)
        Share of a range; infinite where no single threshold decides. For a sum its distance from
        the bound, as a share of the width of most rows' sums. One pass over the rows for each
        condition and clause.

    Examples
    --------
    >>> from rulekit.rules import Clause
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> distance_to_boundary(rule, {"age": np.array([60.0, 45.0])}, {"age": 50.0})
    array([0.2, 0.1])
    """
    move = _Move(rule, columns, ranges, rule.predict(columns))
    distance = np.full(len(move.answers), np.inf)
    for condition in dict.fromkeys(c for clause in rule.clauses for c in clause.conditions):
        distance = np.fmin(distance, move.write(condition))
    return distance


@dataclass(frozen=True)
class _Move(ConditionWriter[Floats]):
    """Finds for each row how far what one condition compares is from where it turns the answer."""

    rule: RuleSet
    columns: Columns
    ranges: dict[str, float]
    answers: NDArray[np.object_]

    def literal(self, literal: Literal) -> Floats:
        given = self.columns[literal.feature]
        if literal.op not in ORDERED or not self.ranges.get(literal.feature):
            return np.full(len(given), np.inf)
        if not literal.is_plain:
            return np.full(len(given), np.inf)
        (threshold,) = literal.limits(literal.feature, {})
        column = np.asarray(given, dtype=float)
        moved = {**self.columns, literal.feature: _across(literal.op, threshold, column)}
        flips = self.rule.predict(moved) != self.answers
        gap = np.abs(column - threshold) / self.ranges[literal.feature]
        return np.where(flips & ~missing_in(column), gap, np.inf)

    def linear(self, split: LinearSplit) -> Floats:
        return _from_bound(split.total(self.columns) - split.value)

    def power_law(self, split: PowerLawSplit) -> Floats:
        margin = split.margin(self.columns)
        return np.full(len(margin), np.inf) if split.is_band else _from_bound(margin)

    def points(self, split: PointsSplit) -> Floats:
        return np.asarray(np.min([self.literal(c) for c in split.conditions], axis=0))


def _from_bound(margin: Floats) -> Floats:
    """Say how far each row's sum is from its bound, as a share of the width of most sums."""
    known = margin[np.isfinite(margin)]
    width = np.subtract(*np.quantile(known, [0.95, 0.05])) if len(known) else 0.0
    return np.where(np.isfinite(margin) & (width > 0), np.abs(margin) / (width or 1.0), np.inf)


def _across(op: str, threshold: float, column: Floats) -> Floats:
    """Move every value just to the other side of a threshold; missing ones stay missing."""
    above, below = np.nextafter(threshold, np.inf), np.nextafter(threshold, -np.inf)
    if op in ("<=", ">"):
        moved = np.where(column <= threshold, above, threshold)
    else:
        moved = np.where(column < threshold, threshold, below)
    return np.where(np.isnan(column), np.nan, moved)


def ranges_of(columns: Columns) -> dict[str, float]:
    """Give the width of each numeric column's range, where it is positive and finite."""
    found = {}
    for name, column in columns.items():
        if column.dtype != object:
            numbers = np.asarray(column, dtype=float)
            numbers = numbers[np.isfinite(numbers)]
            if len(numbers) and numbers.max() > numbers.min():
                found[name] = float(numbers.max() - numbers.min())
    return found
