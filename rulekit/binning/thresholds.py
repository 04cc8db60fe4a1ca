"""Cut points of one numeric column: the methods that choose them, and how they are written."""

# A cut ``t`` gives the conditions ``x <= t`` and ``x > t``. Two cuts between the same two adjacent
# training values make the same conditions on the training rows, so every automatic method writes
# its cut as the shortest decimal there is between them. To add a method, give it an entry in
# `METHODS`.
#
# Legend of the entropy cuts (Fayyad and Irani, 1993):
#   counts  (m, c) int    rows of each class at each distinct value, ascending
#   before  (m+1, c) int  running sums: before[j] - before[i] counts the values i .. j-1
#   Ent     entropy in bits of a row of class counts

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from rulekit._sums import log2

Values = NDArray[np.float64]
Classes = NDArray[np.intp]
MAX_DECIMALS = 22  # powers of ten up to this one are exact in double precision
WHOLE = 2.0**53
Counts = NDArray[np.int64]
NOISE = 1e-12
#: The best accepted cut of the values ``start .. stop-1``: minus its gain, start, at, stop.
Split = tuple[float, int, int, int]


def quantile_cuts(values: Values, classes: Classes | None, n_thresholds: int) -> Values:
    """Cut at the ``k / (n_thresholds + 1)`` quantiles, ``k = 1 .. n_thresholds``."""
    # A value of more than half of the rows is a bin of its own; each side of it is cut by
    # quantiles.
    ordered = np.sort(values)
    usual = ordered[len(ordered) // 2]
    sides = [s for s in (ordered[ordered < usual], ordered[ordered > usual]) if len(s)]
    n_other = sum(map(len, sides))
    if not 0 < 2 * n_other < len(ordered) or len(sides) > n_thresholds:
        return _cut_evenly(ordered, n_thresholds + 1)
    parts = [n_thresholds]
    if len(sides) == 2:
        below = min(max(round(n_thresholds * len(sides[0]) / n_other), 1), n_thresholds - 1)
        parts = [below, n_thresholds - below]
    around = [sides[0][-1], usual] if sides[0][0] < usual else [usual]
    inside = [_cut_evenly(side, k) for side, k in zip(sides, parts, strict=True)]
    return np.concatenate([around, *inside])


def _cut_evenly(ordered: Values, parts: int) -> Values:
    """Return the quantiles that cut rows into `parts` parts."""
    # whole numbers, so that rounding never moves a quantile across a value it is equal to
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


def tree_cuts(values: Values, classes: Classes, n_thresholds: int | None) -> Values:
    """Cut where a decision tree of this one column, grown best first by Gini impurity, does."""
    leaves = None if n_thresholds is None else n_thresholds + 1
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    # the tree works in single precision: it is given ranks, which single precision holds exactly
    distinct, ranks = np.unique(values, return_inverse=True)
    tree.fit(ranks.reshape(-1, 1), classes)
    below = np.floor(tree.tree_.threshold[tree.tree_.feature >= 0]).astype(int)
    return np.asarray((distinct[below] + distinct[below + 1]) / 2, dtype=float)


def automatic_cuts(
    values: Values, classes: Classes | None, method: str, n_thresholds: int | None
) -> Values:
    """Choose the cut points of one column. Shapes: values (n,), classes (n,); result (k,)."""
    return shortest(*choose_cuts(values, np.unique(values), classes, method, n_thresholds))


def choose_cuts(
    values: Values, distinct: Values, classes: Classes | None, method: str, n_thresholds: int | None
) -> Values:
    """Choose cut points, each with the training values below and above it, shape (3, k)."""
    if len(distinct) < 2:
        return np.empty((3, 0))
    if n_thresholds is None and method in ("quantile", "uniform"):
        raw = distinct[:-1]
    else:
        raw = np.unique(METHODS[method](values, classes, n_thresholds))
    raw = raw[(raw >= distinct[0]) & (raw < distinct[-1])]
    if len(raw) == 0 and method not in SUPERVISED:
        raw = distinct[-2:-1]  # more than half, or nearly all, of the rows hold the largest value
    return _with_gaps(raw, distinct)


def short_cuts(raw: Values, distinct: Values) -> Values:
    """Write cut points with as few decimals as the training values allow."""
    return shortest(*_with_gaps(raw, distinct))


def _with_gaps(raw: Values, distinct: Values) -> Values:
    """Keep one cut point a gap, and add the training values on both sides."""
    above, first = np.unique(np.searchsorted(distinct, raw, side="right"), return_index=True)
    return np.stack([raw[first], distinct[above - 1], distinct[above]])


def shortest(raw: Values, low: Values, high: Values) -> Values:
    """Write cut points, of any columns, as the shortest decimals from `low` to below `high`."""
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
        best = np.argmin(np.where(fits, np.abs(tries - raw[:, None]), np.inf), axis=1)
        has_short = fits.any(axis=1)
        short[has_short] = tries[has_short, best[has_short]] + 0.0  # -0.0 becomes 0.0
        open_ &= ~has_short
    return short


def mdlp_cuts(
    values: NDArray[np.float64], classes: NDArray[np.intp], max_cuts: int | None = None
) -> NDArray[np.float64]:
    """Cut one column so that its intervals separate the classes: values (n,), classes (n,)."""
    # Splits where the class entropy falls most, if criterion (9) holds; ties take the smallest cut.
    distinct, codes = np.unique(values, return_inverse=True)
    n_classes = int(classes.max()) + 1 if len(classes) else 1
    counts = np.zeros((len(distinct), n_classes), dtype=np.int64)
    np.add.at(counts, (codes, classes), 1)
    before = np.vstack([np.zeros((1, n_classes), dtype=np.int64), np.cumsum(counts, axis=0)])
    cuts: list[int] = []
    heap = best_split(before, 0, len(distinct))
    while heap and (max_cuts is None or len(cuts) < max_cuts):
        _, start, at, stop = heapq.heappop(heap)
        cuts.append(at)
        for split in best_split(before, start, at) + best_split(before, at, stop):
            heapq.heappush(heap, split)
    places = np.array(sorted(cuts), dtype=int)
    return np.asarray((distinct[places - 1] + distinct[places]) / 2, dtype=float)


def best_split(before: Counts, start: int, stop: int) -> list[Split]:
    """Find the accepted cut of the values ``start .. stop-1``; none if none pays."""
    if stop - start < 2:
        return []
    whole = before[stop] - before[start]
    left = before[start + 1 : stop] - before[start]
    right = whole - left
    n, n_left = whole.sum(), left.sum(axis=1)
    n_right = n - n_left
    ent, ent_left, ent_right = entropy(whole[None])[0], entropy(left), entropy(right)
    gain = ent - (n_left * ent_left + n_right * ent_right) / n
    best = int(np.argmax(gain >= gain.max() - NOISE))  # the first among equals
    present = (whole > 0).sum()
    saved = (left[best] > 0).sum() * ent_left[best] + (right[best] > 0).sum() * ent_right[best]
    # Fayyad and Irani, criterion (9): accepted if
    # Gain > (log2(N - 1) + log2(3**c - 2) - c Ent + c1 Ent1 + c2 Ent2) / N
    price = log2(np.array([n - 1.0, 3.0 ** int(present) - 2.0])).sum() - present * ent + saved
    if gain[best] <= price / n:
        return []
    return [(-float(gain[best] * n), start, start + 1 + best, stop)]


def entropy(counts: Counts) -> NDArray[np.float64]:
    """Return the class entropy in bits of each row of counts, shape (k, c) -> (k,)."""
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(-(share * log2(np.where(counts > 0, share, 1.0))).sum(axis=1), dtype=float)


METHODS: dict[str, Callable[[Values, Any, Any], Values]] = {
    "quantile": quantile_cuts,
    "uniform": uniform_cuts,
    "median": median_cuts,
    "entropy": mdlp_cuts,
    "tree": tree_cuts,
}
SUPERVISED = ("entropy", "tree")
