"""Columns as positive features for power laws, and splits over these back in the user's units."""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulekit.families.power_law.solver.laws import shifts_for
from rulekit.families.power_law.solver.split_beam import likely_features
from rulekit.families.power_law.solver.split_task import ClassMass, FoundSplit
from rulekit.learners.training import computable
from rulekit.rules import Columns, Factor, PowerLaw, PowerLawSplit
from rulekit.rules.condition import absent_in

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
NUMERIC = "number", "boolean"  # kinds of columns that power laws read
Gap = tuple[float, float]
Products = list[tuple[Factor, ...]]
MANY = 30  # columns; of more, half as many for each of two reasons are used, see `likely_features`
MAX_DIGITS = 17
MIN_GAP_SHARE = 0.5  # share of the gap between the sides that rounding may not take
FLOOR = 0.5  # values below this share of the smallest one count as this share


@dataclass(frozen=True)
class PowerLawFeatures:
    """The numeric columns of a training table, made positive."""

    names: tuple[str, ...]
    X: Floats  # (n, d)
    shift: Floats  # (d,)
    scale: Floats  # (d,)
    floor: Floats  # (d,)
    floors: bool = False

    @classmethod
    def from_columns(
        cls, columns: Columns, kinds: dict[str, str], *, floors: bool = False
    ) -> "PowerLawFeatures":
        """Select the numeric columns that vary, and shift them to positive values."""
        read = {n: np.asarray(c, dtype=float) for n, c in columns.items() if kinds[n] in NUMERIC}
        read = {n: v for n, v in read.items() if len(np.unique(v[~np.isnan(v)])) > 1}
        names = list(read)
        empty = np.empty((len(next(iter(columns.values()))), 0))
        filled = (np.where(np.isnan(v), np.nanmedian(v), v) for v in read.values())
        values = np.column_stack([empty, *filled])
        for j, name in enumerate(names):
            computable(name, values[:, j])
        low, high = values.min(axis=0), values.max(axis=0)
        ends = zip(shifts_for(low, high), 0.1 * (high - low), strict=True)
        shift = np.array([shortest(c - r, c + r, c) if c else 0.0 for c, r in ends])
        ends = zip(shift, 0.5 * FLOOR * (low - shift), strict=True)
        floor = np.array([shortest(c + r, c + 3 * r, c + 2 * r) for c, r in ends])
        scale = high - shift
        return cls(tuple(names), (values - shift) / scale, shift, scale, floor, floors)

    def drop(self, names: Collection[str]) -> "PowerLawFeatures":
        """Leave some columns out; the others stay as they are."""
        if not names:
            return self
        remaining = np.array([name not in names for name in self.names])
        X = np.ascontiguousarray(self.X[:, remaining])
        kept = {part: getattr(self, part)[remaining] for part in ("shift", "scale", "floor")}
        return replace(self, names=tuple(n for n in self.names if n not in names), X=X, **kept)

    def likely(self, codes: Ints, weight: Floats, seed: int) -> "PowerLawFeatures":
        """Keep at most MANY columns, those that separate the classes best, alone or in pairs."""
        if len(self.names) <= MANY:
            return self
        counted = weight > 0
        present, kinds = np.unique(codes[counted], return_inverse=True)
        if len(present) == 1:
            return self
        mass = ClassMass(kinds.astype(np.int64), weight[counted], len(present))
        selected = likely_features(self.X[counted], mass, MANY, np.random.default_rng([seed, 5]))
        return self.drop({name for j, name in enumerate(self.names) if j not in selected})

    def factor(self, j: int, exponent: int) -> Factor:
        """Write a feature's power in the user's units."""
        shift = float(self.shift[j])
        guarded = self.floors or exponent < 0 or (shift != 0 and exponent != 1)
        return Factor(self.names[j], exponent, shift, float(self.floor[j]) if guarded else None)

    def write_in_units(self, split: FoundSplit) -> tuple[Products, Floats, Floats]:
        """Write a split's power laws and weights for columns as they are."""
        laws, weights = [], []
        bounds = np.array([split.low, split.high])
        for row, weight in zip(split.exponents, split.weights, strict=True):
            places = np.flatnonzero(row)
            up, down = (self.scale.repeat(np.maximum(side * row, 0)) for side in (1, -1))
            scale = float(np.prod(up) / np.prod(down))
            factors = tuple(self.factor(int(j), int(row[j])) for j in places)
            if len(factors) == 1 and factors[0].exponent == 1:
                bounds = bounds + weight / scale * factors[0].shift
                factors = (Factor(factors[0].feature),)
            laws.append(factors)
            weights.append(weight / scale)
        return laws, np.array(weights), bounds


def short_split(
    split: FoundSplit, features: PowerLawFeatures, columns: Columns
) -> PowerLawSplit | None:
    """Write a split in the user's units with as few digits as leave every row where it was."""
    laws, weights, bounds = features.write_in_units(split)
    present = ~absent_in(dict.fromkeys(f.feature for law in laws for f in law), columns)
    spread = [_spread(law, w, columns, present) for law, w in zip(laws, weights, strict=True)]
    order = np.argsort(-np.array(spread), kind="stable")
    laws, leading = [laws[k] for k in order], float(weights[order[0]])
    weights, bounds = weights[order] / leading, np.sort(bounds / leading)
    exact = PowerLawSplit(_terms(laws, weights), 0.0).total(columns)[present]
    side = np.searchsorted(bounds, exact)  # 0 below, 1 between, 2 above
    wanted = _gaps(exact, side, bounds)
    if wanted == [None, None]:
        return None
    for digits in range(1, MAX_DIGITS + 1):
        rounded = np.array([float(f"{w:.{digits}g}") for w in weights])
        short = PowerLawSplit(_terms(laws, rounded), 0.0).total(columns)[present]
        gaps = _gaps(short, side, bounds)
        if all(_keeps_gap(g, w) for g, w in zip(gaps, wanted, strict=True)):
            return _round_bounds(laws, rounded, gaps)
    return _round_bounds(laws, weights, wanted)


def _round_bounds(laws: Products, weights: Floats, gaps: list[Gap | None]) -> PowerLawSplit:
    """Round the bounds to short numbers near the middle of their gaps."""
    low, high = (None if gap is None else middle(*gap) for gap in gaps)
    if high is None:  # a band open above is a cut
        low, high = None, low
    assert high is not None
    return PowerLawSplit(_terms(laws, weights), high, low)


def _keeps_gap(gap: Gap | None, wanted: Gap | None) -> bool:
    """Return whether enough of a gap is left; infinite bounds always pass."""
    if gap is None or wanted is None:
        return True
    return gap[1] - gap[0] >= MIN_GAP_SHARE * (wanted[1] - wanted[0]) > 0


def middle(low: float, high: float) -> float:
    """Return the number with the fewest digits in the middle half of a gap."""
    return shortest(0.75 * low + 0.25 * high, 0.25 * low + 0.75 * high, 0.5 * low + 0.5 * high)


def _gaps(total: Floats, side: Ints, bounds: Floats) -> list[Gap | None]:
    """Find the gap around each bound: largest sum below it and smallest above; None if infinite."""
    gaps: list[Gap | None] = []
    for index, bound in enumerate(bounds):
        below, above = total[side <= index], total[side > index]
        finite = np.isfinite(bound) and len(below) and len(above)
        gaps.append((float(below.max()), float(above.min())) if finite else None)
    return gaps


def shortest(low: float, high: float, near: float) -> float:
    """Return the number between two others with the fewest digits, near a third."""
    for digits in range(1, MAX_DIGITS + 1):
        rounded = float(f"{near:.{digits}g}")
        if low <= rounded <= high:
            return rounded + 0.0
    return near


def _terms(laws: Products, weights: Floats) -> tuple[PowerLaw, ...]:
    return tuple(PowerLaw(float(w), law) for law, w in zip(laws, weights, strict=True))


def _spread(law: tuple[Factor, ...], weight: float, columns: Columns, rows: Bools) -> float:
    """Compute the share of the sum's variation that a power law contributes."""
    value = PowerLawSplit((PowerLaw(1.0, law),), 0.0).total(columns)[rows]
    return abs(weight) * float(np.std(value)) if len(value) else 0.0
