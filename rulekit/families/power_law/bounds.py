"""Bounds of a last split: where fewest rows are wrong, of such bounds the purest."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.families.power_law.features import middle
from rulekit.rules import Columns, PowerLawSplit

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
FIRST, LAST = range(2)  # places of the first row within the bounds, and of the first beyond
EQUAL = 1e-12  # share of the rows below which two errors are one


def with_least_wrong(
    split: PowerLawSplit, columns: Columns, codes: Ints, weight: Floats
) -> PowerLawSplit:
    """Move the bounds of a split to the fewest wrong rows, with majority predictions.

    Shapes: columns (n,), codes (n,), weight (n,).

    Notes
    -----
    Impurity, by which power laws are found, looks beyond one split; where none follows, what counts
    is who is answered wrongly. O(n log n), and O(n) a class.
    """
    total, held = split.total(columns), split.mask(columns)
    places = np.flatnonzero(np.isfinite(total))
    places = places[np.argsort(total[places], kind="stable")]
    value, n = total[places], len(places)
    breaks = 1 + np.flatnonzero(value[:-1] < value[1:])
    if not len(breaks):
        return split
    mass = np.where(codes == np.arange(codes.max() + 1)[:, None], weight, 0.0)
    running = np.zeros((len(mass), n + 1))
    np.cumsum(mass[:, places], axis=1, out=running[:, 1:])
    fixed = mass[:, ~np.isfinite(total) & (held == split.inside)].sum(axis=1, keepdims=True)
    whole = mass.sum(axis=1, keepdims=True)

    def found(first: Any, last: Any) -> tuple[Floats, Floats]:
        """Compute the wrong weight and FL with rows from the first to before the last inside."""
        inside = fixed + running[:, np.atleast_1d(last)] - running[:, np.atleast_1d(first)]
        outside = whole - inside
        wrong = whole.sum() - inside.max(axis=0) - outside.max(axis=0)
        sizes = (np.maximum(side.sum(axis=0), 1e-300) for side in (inside, outside))
        pure = sum((s * s).sum(axis=0) / n for s, n in zip((inside, outside), sizes, strict=True))
        return wrong, -pure

    ends = [0 if split.low is None else int(np.searchsorted(value, split.low)), 0]
    ends[LAST] = int(np.searchsorted(value, split.high, side="right"))
    slack, now, begun = EQUAL * whole.sum(), found(*ends)[0][0], np.inf
    start = list(ends)
    while now < begun:
        begun = now
        for side in (LAST, FIRST) if split.is_band else (LAST,):
            other = ends[1 - side]
            places = breaks[breaks > other if side == LAST else breaks < other]
            wrong, impurity = found(*((other, places) if side == LAST else (places, other)))
            if wrong.min(initial=np.inf) < now - slack:
                now = wrong.min()
                ends[side] = int(places[np.where(wrong <= now + slack, impurity, np.inf).argmin()])
    changed: dict[str, Any] = {
        name: middle(float(value[ends[side] - 1]), float(value[ends[side]]))
        for name, side in (("low", FIRST), ("high", LAST))
        if ends[side] != start[side]
    }
    return replace(split, **changed) if changed else split
