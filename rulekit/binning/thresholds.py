"""Cut points of one numeric column: the methods that choose them, and how they are written.

A cut ``t`` gives the conditions ``x <= t`` and ``x > t``. Two cuts between the same two adjacent
training values make the same conditions on the training rows, so every automatic method writes
its cut as the shortest decimal there is between them. To add a method, give it an entry in
`METHODS`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from rulekit.binning.mdlp import mdlp_cuts

Values = NDArray[np.float64]
Classes = NDArray[np.intp]
MAX_DECIMALS = 22  # powers of ten up to this one are exact in double precision
WHOLE = 2.0**53


def quantile_cuts(values: Values, classes: Classes | None, n_thresholds: int) -> Values:
    """Cut at the ``k / (n_thresholds + 1)`` quantiles, ``k = 1 .. n_thresholds``.

    Places between two rows are interpolated linearly. Which rows a place lies between is found in
    whole numbers, so that rounding never moves a quantile across a value it is equal to.

    A value that more than half of the rows hold would take most of the quantiles: it becomes a part
    of its own, and the rows below it and above it are cut at quantiles of theirs, with as many of
    the other parts each as they have of the rows; no fewer than one, or none of this is done.
    """
    ordered = np.sort(values)
    usual = usual_value(ordered)
    if usual is None:
        return _cut_evenly(ordered, n_thresholds + 1)
    sides = [s for s in (ordered[ordered < usual], ordered[ordered > usual]) if len(s)]
    if len(sides) > n_thresholds:
        return _cut_evenly(ordered, n_thresholds + 1)
    parts = [n_thresholds]
    if len(sides) == 2:
        share = round(n_thresholds * len(sides[0]) / (len(sides[0]) + len(sides[1])))
        parts = [min(max(share, 1), n_thresholds - 1)]
        parts.append(n_thresholds - parts[0])
    around = [sides[0][-1], usual] if sides[0][0] < usual else [usual]
    inside = [_cut_evenly(side, k) for side, k in zip(sides, parts, strict=True)]
    return np.concatenate([around, *inside])


def usual_value(ordered: Values) -> float | None:
    """Return the value that more than half of the rows hold, and not all; None without one."""
    middle = ordered[len(ordered) // 2]
    low, high = np.searchsorted(ordered, middle), np.searchsorted(ordered, middle, side="right")
    return float(middle) if len(ordered) < 2 * (high - low) < 2 * len(ordered) else None


def _cut_evenly(ordered: Values, parts: int) -> Values:
    """Return the quantiles that cut rows into `parts` parts."""
    below, rest = np.divmod(np.arange(1, parts) * (len(ordered) - 1), parts)
    low, high = ordered[below], ordered[np.minimum(below + 1, len(ordered) - 1)]
    raw = low * (1 - rest / parts) + high * (rest / parts)
    inside = np.clip(raw, low, np.maximum(low, np.nextafter(high, -np.inf)))
    return np.where(rest == 0, low, inside)


def uniform_cuts(values: Values, classes: Classes | None, n_thresholds: int) -> Values:
    """Cut the range into ``n_thresholds + 1`` parts of equal width."""
    parts = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
    low, high = float(values.min()), float(values.max())
    return low * (1 - parts) + high * parts


def median_cuts(values: Values, classes: Classes | None, n_thresholds: int) -> Values:
    """Cut once, at the median; `n_thresholds` is not used."""
    return np.array([np.median(values)])


def entropy_cuts(values: Values, classes: Classes, n_thresholds: int | None) -> Values:
    """Cut where the classes change and the description gets shorter; see `mdlp_cuts`."""
    return mdlp_cuts(values, classes, max_cuts=n_thresholds)


def tree_cuts(values: Values, classes: Classes, n_thresholds: int | None) -> Values:
    """Cut where a decision tree of this one column, grown best first by Gini impurity, does."""
    leaves = None if n_thresholds is None else n_thresholds + 1
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    # the tree works in single precision: it is given ranks, which single precision holds exactly
    distinct, ranks = np.unique(values, return_inverse=True)
    tree.fit(ranks.reshape(-1, 1), classes)
    inner = tree.tree_.feature >= 0
    below = np.floor(tree.tree_.threshold[inner]).astype(int)
    return np.asarray((distinct[below] + distinct[below + 1]) / 2, dtype=float)


Method = Callable[[Values, Any, Any], Values]
METHODS: dict[str, Method] = {
    "quantile": quantile_cuts,
    "uniform": uniform_cuts,
    "median": median_cuts,
    "entropy": entropy_cuts,
    "tree": tree_cuts,
}
SUPERVISED = ("entropy", "tree")


def automatic_cuts(
    values: Values, classes: Classes | None, method: str, n_thresholds: int | None
) -> Values:
    """Choose the cut points of one column.

    Shapes: values (n,), classes (n,); result (k,).

    Notes
    -----
    Cost is O(n log n) for all methods but "entropy", see `mdlp_cuts`.
    """
    distinct = np.unique(values)
    if len(distinct) < 2:
        return np.empty(0)
    if n_thresholds is None and method in ("quantile", "uniform"):
        raw = distinct[:-1]
    else:
        raw = np.unique(METHODS[method](values, classes, n_thresholds))
    raw = raw[(raw >= distinct[0]) & (raw < distinct[-1])]
    if len(raw) == 0 and method not in SUPERVISED:
        raw = distinct[-2:-1]  # more than half, or nearly all, of the rows hold the largest value
    return short_cuts(raw, distinct)


def short_cuts(raw: Values, distinct: Values) -> Values:
    """Write cut points with as few decimals as the training values allow.

    Shapes: raw (k,), distinct (m,); result (at most k,).

    Examples
    --------
    >>> short_cuts(np.array([0.123456]), np.array([0.1201, 0.1299]))
    array([0.123])
    """
    place = np.searchsorted(distinct, raw, side="right")
    place, first = np.unique(place, return_index=True)
    raw = raw[first]
    low, high = distinct[place - 1], distinct[place]
    short, open_ = raw.copy(), np.ones(len(raw), dtype=bool)
    for decimals in range(MAX_DECIMALS + 1):
        with np.errstate(over="ignore"):
            scaled = raw * 10.0**decimals
        usable = open_ & (np.abs(scaled) < WHOLE)
        if not usable.any():
            break
        nearest = np.floor(np.where(usable, scaled, 0.0))
        tries = (nearest[:, None] + np.array([0.0, 1.0, -1.0])) / 10.0**decimals
        fits = usable[:, None] & (tries >= low[:, None]) & (tries < high[:, None])
        distance = np.where(fits, np.abs(tries - raw[:, None]), np.inf)
        best = np.argmin(distance, axis=1)
        found = fits.any(axis=1)
        short[found] = tries[found, best[found]] + 0.0  # -0.0 becomes 0.0
        open_ &= ~found
    return short
