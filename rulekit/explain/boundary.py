"""Distance of rows to another prediction, and the values of a column worth a change."""

# Thresholds divide a column into cells (points and open intervals) in which all literals have
# constant results; the nearest value of each represents it, so the search is finite and exact.

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import DataError
from rulekit.rules import Columns, LinearSplit, Literal, PointsSplit, PowerLawSplit, RuleSet
from rulekit.rules.condition import (
    DAY,
    EPOCH,
    ORDERED,
    SEPARATORS,
    WHOLE_PARTS,
    WORDS,
    ReadColumns,
    as_column,
    missing_in,
    moment,
    moment_text,
    positions_in,
    shift_moment,
    unseen_text,
    words_of,
)
from rulekit.rules.rule_set import stack_masks
from rulekit.rules.writer import ConditionWriter
from rulekit.style.phrases import join_list, label_text

Floats = NDArray[np.float64]
FEW_VALUES = 10
FEW_WORDS = 5
YEAR = 365 * 86_400.0
STEP = 1e-3  # share of the range by which a returned value may lie past the bound


def distance_to_boundary(rule: RuleSet, columns: Columns, ranges: dict[str, float]) -> Floats:
    """Compute the distance of each row to another prediction by one value crossing one threshold.

    Parameters
    ----------
    rule : RuleSet
        Only tests of one column that compare numbers, dates or ordered levels are moved, not those
        of a part of a date such as its month.
    columns : mapping of column name to array of shape (n,)
    ranges : dict of str to float
        Width of each column's range, in days for dates: the unit of distance. Ordered levels do not
        need one; their unit is the whole order.

    Returns
    -------
    ndarray of shape (n,)
        Share of a range; infinite where no single threshold decides. For a sum, the distance from
        its bound as a share of the width of most rows' sums. One pass over the rows for each
        condition and clause.

    Examples
    --------
    >>> from rulekit.rules import Clause
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> distance_to_boundary(rule, {"age": np.array([60.0, 45.0])}, {"age": 50.0})
    array([0.2, 0.1])
    """
    columns = rule.read(columns)
    move = _BoundaryMove(rule, columns, ranges, rule.predict(columns))
    distances = [np.full(len(move.answers), np.inf), *map(move.write, rule.conditions)]
    return np.asarray(np.fmin.reduce(distances))


@dataclass(frozen=True)
class _BoundaryMove(ConditionWriter[Floats]):
    """Computes for each row how far a compared value is from a change of the prediction."""

    rule: RuleSet
    columns: Columns
    ranges: dict[str, float]
    answers: NDArray[np.object_]

    def literal(self, literal: Literal) -> Floats:
        order = literal.order
        width = self.ranges.get(literal.feature) if order is None else len(order) - 1
        if literal.op not in ORDERED or not width or literal.part in WHOLE_PARTS:
            return np.full(len(self.answers), np.inf)
        here = np.asarray(literal.compute_values(self.columns), dtype=float)
        # positions and cells just below and just above where the test changes its result
        sides, values = np.full(2, float(literal.positions[0])), np.empty(0)
        if order is not None:
            sides = np.array([np.floor(literal.edge), np.ceil(literal.edge)])
            values = np.array([order[int(k)] for k in sides], dtype=object)
        elif literal.is_plain:
            values = np.array([literal.edge, np.nextafter(literal.edge, np.inf)])
        else:  # a second before and a second after
            values = np.array([literal.turning[0], literal.turning[-1]], dtype=object)
        target = np.where(here <= literal.edge, 1, 0)
        present = ~missing_in(here)
        moved = np.where(present, values[target], self.columns[literal.feature])
        columns = ReadColumns({**self.columns, literal.feature: moved})
        flips = self.rule.predict(columns) != self.answers
        return np.where(flips & present, np.abs(here - sides[target]) / width, np.inf)

    def linear(self, split: LinearSplit) -> Floats:
        return _from_bound(split.total(self.columns) - split.value)

    def power_law(self, split: PowerLawSplit) -> Floats:
        margin = split.margin(self.columns)
        return np.full(len(margin), np.inf) if split.is_band else _from_bound(margin)

    def points(self, split: PointsSplit) -> Floats:
        return np.asarray(np.min([self.literal(c) for c in split.conditions], axis=0))


def _from_bound(margin: Floats) -> Floats:
    """Compute each row's distance from its bound as a share of the typical width."""
    finite_margins = margin[np.isfinite(margin)]
    width = np.subtract(*np.quantile(finite_margins, [0.95, 0.05])) if len(finite_margins) else 0.0
    return np.where(np.isfinite(margin) & (width > 0), np.abs(margin) / (width or 1.0), np.inf)


def ranges_of(columns: Columns) -> dict[str, float]:
    """Return the width of each column's range if positive and finite; dates in days."""
    ranges = {}
    for name, column in columns.items():
        if column.dtype == object:  # dates, or no numbers
            cells = [v for v in set(column.tolist()) if v is not None]
            dated = cells if all(isinstance(v, str) and moment(v) for v in cells) else []
            column = positions_in(name, np.array(dated, dtype=object), "date", None)
        numbers = finite_numbers(column)
        if len(numbers) and numbers.max() > numbers.min():
            ranges[name] = float(numbers.max() - numbers.min())
    return ranges


def whole_bounds(columns: Columns) -> dict[str, tuple[float, float]]:
    """Return bounds of each whole-number column: its range if it has few values, else infinite."""
    bounds = {}
    for name, column in columns.items():
        numbers = np.empty(0) if column.dtype == object else finite_numbers(column)
        if len(numbers) and np.all(numbers == np.floor(numbers)):
            few = len(np.unique(numbers)) <= FEW_VALUES
            ends = (numbers.min(), numbers.max()) if few else (-math.inf, math.inf)
            bounds[name] = float(ends[0]), float(ends[1])
    return bounds


def finite_numbers(column: NDArray[Any]) -> Floats:
    """Return the finite numbers of a column without text."""
    numbers: Floats = np.asarray(column, dtype=float)
    return np.asarray(numbers[np.isfinite(numbers)])


def hamming_distances(
    rule: RuleSet, columns: Columns, y: NDArray[Any], classes: tuple[Any, ...] | None = None
) -> list[int | None]:
    """Count the literals to add or remove until the rule predicts each of n rows correctly."""
    # A CNF as in equations (3.10) and (3.11) of Su, Wei, Varshney, Malioutov, "Interpretable
    # two-level Boolean rule learning for classification" (2015): a row of the rule's label counts
    # the clauses that fail, any other row the literals that hold in the clause with fewest. A DNF
    # is the mirror image. None for a rule without clauses that would have to hold, or with several
    # labels.
    labels = classes or tuple(dict.fromkeys((*rule.labels, rule.default)))
    n = len(rule.clauses_fired(columns))
    if len(y) != n:
        raise DataError(f"`y` must hold one label a row; there are {n} rows and {len(y)} labels.")
    strange = next((i for i, v in enumerate(y) if v not in labels), None)
    if strange is not None and len(labels) > 1:  # a rule without clauses names one class only
        raise DataError(
            f"`y` holds {label_text(y[strange])} (row {strange}), which the rule never predicts; "
            f"its labels are {join_list(map(label_text, labels))}."
        )
    if len(set(rule.labels)) > 1:
        return [None] * len(y)
    if not rule.clauses:
        right = rule.labels[0] if rule.form == "cnf" else rule.default
        return [0 if v == right else None for v in y]
    dnf = rule.as_dnf
    failing = np.array([(~c.condition_masks(columns)).sum(axis=1) for c in dnf.clauses])
    to_hold, held = failing.min(axis=0), (failing == 0).sum(axis=0)
    is_first_class = np.array([v == dnf.labels[0] for v in y], dtype=bool)
    return [int(v) for v in np.where(is_first_class, to_hold, held)]


@dataclass(frozen=True)
class Domain:
    """The values a column may be changed to."""

    values: tuple[Any, ...] | None = None  # None for all numbers, or all whole ones
    scale: float = 1.0
    is_whole: bool = False
    positions: Mapping[str, float] = field(default_factory=dict, compare=False)

    def cost(self, old: Any, new: Any) -> float:
        """Compute the price of a change: distance over scale for numbers, one for anything else."""
        if old in self.positions and new in self.positions:
            return abs(self.positions[new] - self.positions[old]) / self.scale
        if old is None or new is None or isinstance(new, (str, bool)):
            return 1.0
        is_finite = math.isfinite(old) and math.isfinite(new)
        return abs(float(new) - float(old)) / self.scale if is_finite else 1.0


@dataclass(frozen=True)
class DomainValue:
    """A candidate value of a column and its price; an open interval costs as much as `beyond`."""

    value: Any
    cost: float
    beyond: float | None = None


def domain_of(literals: Sequence[Literal], seen: NDArray[Any] | None, current: Any) -> Domain:
    """Compute the values a column may be changed to; shapes: seen (n,)."""
    present = [] if seen is None else list(dict.fromkeys(seen[~missing_in(seen)].tolist()))
    read = next((x for x in literals if not x.is_plain or x.op in WORDS), None)
    if read is not None:
        return _read_domain(read, literals, present, current)
    named: list[Any] = [v for literal in literals for v in literal.values]
    values = [*named, *present, *([] if current is None else [current])]
    if any(isinstance(v, str) for v in values):
        other = () if present else (OtherText(unseen_text(values)),)
        return Domain((*(v for v in (present or named) if isinstance(v, str)), *other))
    if any(isinstance(v, (bool, np.bool_)) for v in values):
        return Domain((True, False))
    if present:
        numbers = np.array(present, dtype=float)
        finite = finite_numbers(numbers)
        span = float(np.ptp(finite)) if len(finite) else 0.0
        scale = span if 0.0 < span < math.inf else 1.0
        if len(present) <= FEW_VALUES:
            return Domain(tuple(sorted(numbers.tolist())), scale)
        return Domain(None, scale, bool(np.all(finite == np.floor(finite))))
    if all(literal.op in ("==", "!=") for literal in literals) and set(named) <= {0.0, 1.0}:
        return Domain((0.0, 1.0))
    limits = [float(v) for v in named if math.isfinite(v)] or [0.0]
    return Domain(None, max(limits) - min(limits) or abs(limits[0]) or 1.0)


def _read_domain(read: Literal, tests: Sequence[Literal], seen: list[Any], current: Any) -> Domain:
    """Compute the values of a column of words, ordered levels or dates."""
    if read.op in WORDS:
        words = list(dict.fromkeys(str(x.value) for x in tests if x.op in WORDS))
        text = "" if current is None else current
        bare, mark = text, f"[{re.escape(SEPARATORS)}]"
        for word in words:
            bare = re.sub(rf"(?:^|(?<={mark})){re.escape(word)}(?={mark}|$)", "", bare, flags=re.I)
        held = [w for w in words if f" {w} " in words_of(text)]
        # with and without some words: all combinations if few, else one by one
        sizes = range(len(words) + 1) if len(words) <= FEW_WORDS else (0, 1, len(words))
        chosen = [list(group) for n in sizes for group in combinations(words, n)]
        chosen += [[w for w in held if w != word] for word in held] + [[*held, w] for w in words]
        return Domain(tuple(dict.fromkeys(" ".join([*bare.split(), *group]) for group in chosen)))
    if read.order is not None:
        places = {level: float(k) for k, level in enumerate(read.order)}
        levels = [v for v in read.order if v in seen] if seen else read.order
        return Domain(tuple(levels), len(places) - 1.0, positions=places)
    changes = [str(v) for x in tests for v in x.turning]
    dates = [d for d in map(moment, dict.fromkeys(changes)) if d is not None]
    now = moment(current) if isinstance(current, str) else None
    dates += [shift_moment(now, 3600 * h) for h in range(-24, 25)] if now else []
    dates += [shift_moment(now, DAY * d) for d in range(-366, 367)] if now else []
    days = {text: (date - EPOCH).total_seconds() for text in seen if (date := moment(text))}
    span = max(days.values()) - min(days.values()) if days else 0.0
    seconds = {moment_text(d): (d - EPOCH).total_seconds() for d in dates}
    values = tuple(sorted(seconds, key=lambda text: seconds[text]))
    if now is not None:
        seconds[current] = (now - EPOCH).total_seconds()
    return Domain(values, span or YEAR, positions=seconds)


class OtherText(str):
    """A generated text that differs from every text in the rule."""


def cells_of(
    literals: Sequence[Literal],
    current: Any,
    seen: NDArray[Any] | None = None,
    *,
    width: float | None = None,
    whole: tuple[float, float] | None = None,
    erase: bool = False,
) -> tuple[DomainValue, ...]:
    """List the nearest value of each cell, the current one first; whole numbers in `whole`."""
    domain = domain_of(literals, seen, current)
    if width:
        domain = replace(domain, scale=width)
    if whole and not any(isinstance(v, (bool, str)) for v in domain.values or ()):
        domain = replace(domain, values=None, is_whole=True)
    values = [DomainValue(current, 0.0)]
    if domain.values is None:  # numbers of every point and open interval between the cuts
        cuts, (low, high) = number_cuts(literals), whole or (-math.inf, math.inf)
        has_value = current is not None and math.isfinite(current)
        origin = float(current) if has_value else cuts[0] if cuts else 0.0
        if has_value:  # a value beyond the bounds may move towards them
            low, high = min(low, math.ceil(origin)), max(high, math.floor(origin))
        inner = [t for t in cuts if low <= t <= high]
        named = [t for t in inner if not domain.is_whole or t == math.floor(t)]
        cells = [DomainValue(t, abs(t - origin)) for t in named]  # points first: they win ties
        pairs = pairwise([-math.inf, *cuts, math.inf])
        ends = [(max(a, low - 1), min(b, high + 1)) for a, b in pairs]
        scale = None if domain.is_whole else domain.scale
        cells += filter(None, (_inside(*pair, origin, scale) for pair in ends))
        values += [replace(c, cost=c.cost / domain.scale if has_value else 1.0) for c in cells]
    else:
        others = [v for v in domain.values if v != current]
        values += [DomainValue(v, domain.cost(current, v)) for v in others]
    if erase and current is not None:
        values.append(DomainValue(None, 1.0))
    best: dict[tuple[bool, ...], DomainValue] = {}
    results = stack_masks(literals, {literals[0].feature: as_column([v.value for v in values])})
    for pattern, candidate in zip(map(tuple, results.tolist()), values, strict=True):
        if pattern not in best or candidate.cost < best[pattern].cost:
            best[pattern] = candidate
    return tuple(best.values())


def number_cuts(literals: Sequence[Literal]) -> list[float]:
    """Return the sorted distinct finite numbers that literals compare with."""
    named = [v for literal in literals for v in literal.values]
    return sorted({float(v) for v in named if not isinstance(v, str) and math.isfinite(v)})


def _inside(low: float, high: float, origin: float, scale: float | None) -> DomainValue | None:
    """Return a number inside an open interval, without a scale the nearest whole one."""
    if scale is None:
        smallest = math.floor(low) + 1.0 if math.isfinite(low) else -math.inf
        largest = math.ceil(high) - 1.0 if math.isfinite(high) else math.inf
        near = {float(min(max(f(origin), smallest), largest)) for f in (math.floor, math.ceil)}
        inside = [DomainValue(v, abs(v - origin)) for v in sorted(near) if low < v < high]
        return min(inside, key=lambda c: c.cost, default=None)
    if low < origin < high:
        return DomainValue(origin, 0.0)
    end, side = (low, 1.0) if origin <= low else (high, -1.0)
    digits = -math.floor(math.log10(max(scale * STEP, 1e-300)))  # a short decimal past the end
    value = round(end + side * 10.0**-digits, max(digits, 0))
    if not low < value < high:
        value = math.nextafter(end, side * math.inf)
    return DomainValue(value, abs(end - origin), end) if low < value < high else None
