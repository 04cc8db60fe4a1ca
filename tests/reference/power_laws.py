"""Power-law splits as the paper prints them: one structure, one row, one class after the other."""

from dataclasses import replace

import numpy as np


def power_law(row, exponents):
    """Eq. 3: the product of a row's values raised to the exponents."""
    value = 1.0
    for x, b in zip(row, exponents, strict=True):
        value *= float(x) ** int(b)
    return value


def gini(codes, weight):
    total = weight.sum()
    return 1.0 - sum((weight[codes == k].sum() / total) ** 2 for k in np.unique(codes))


def impurity(left, codes, weight=None):
    """Eq. 6: Gini of the two sides, weighted by their size."""
    weight = np.ones(len(codes)) if weight is None else np.asarray(weight, dtype=float)
    sides = [side for side in (left, ~left) if side.any()]
    return sum(
        weight[side].sum() / weight.sum() * gini(codes[side], weight[side]) for side in sides
    )


def cuts(values):
    """A threshold below all values, one between each two neighbours, one above."""
    distinct = np.unique(values)
    between = (distinct[1:] + distinct[:-1]) / 2
    return np.r_[distinct[0] - 1, between, distinct[-1] + 1]


def best_cut(values, codes, weight=None):
    return min(impurity(values <= t, codes, weight) for t in cuts(values)[1:-1])


def best_interval(values, codes, weight=None):
    """Every interval between two thresholds."""
    places = cuts(values)
    return min(
        impurity((values >= a) & (values <= b), codes, weight)
        for i, a in enumerate(places)
        for b in places[i + 1 :]
    )


def best_step(now, along, codes, weight=None):
    """Every stop between two steps at which a row changes sides."""
    steps = cuts(-now / along)[1:-1]
    return min(impurity(now + t * along <= 0, codes, weight) for t in steps)


def best_band_step(now, along, low, high, codes, weight=None):
    events = np.r_[(low - now) / along, (high - now) / along]
    results = []
    for t in cuts(events)[1:-1]:
        value = now + t * along
        results.append(impurity((value >= low) & (value <= high), codes, weight))
    return min(results)


def best_direction_on_grid(laws, codes, n_directions=8192):
    """Two power laws: every direction of a fine grid, each with its best cut (quickly counted)."""
    best = np.inf
    ones = (codes == 1).astype(float)
    n, n_ones = len(codes), ones.sum()
    size = np.arange(1, n)
    for angle in np.arange(n_directions) * np.pi / n_directions:
        value = np.cos(angle) * laws[0] + np.sin(angle) * laws[1]
        order = np.argsort(value, kind="stable")
        left = np.cumsum(ones[order])[:-1]
        apart = np.diff(value[order]) > 0
        right = n_ones - left
        worth = (2 / n) * (n_ones - left**2 / size - right**2 / (n - size))
        best = min(best, worth[apart].min(initial=np.inf))
    return best


def wrong_of(split, columns, codes, weight):
    """Weight of the rows that the majority of their side gets wrong."""
    held = split.mask(columns)
    sides = [[weight[side & (codes == k)].sum() for k in set(codes)] for side in (held, ~held)]
    return sum(sum(side) - max(side) for side in sides)


def least_wrong(split, columns, codes, weight):
    """The same with each cut in turn for its upper bound, or of a band for either bound."""
    total = split.total(columns)
    results = [wrong_of(split, columns, codes, weight)]
    for cut in cuts(total[~np.isnan(total)])[1:-1]:
        if split.low is None or cut > split.low:
            results.append(wrong_of(replace(split, high=cut), columns, codes, weight))
        if split.low is not None and cut < split.high:
            results.append(wrong_of(replace(split, low=cut), columns, codes, weight))
    return min(results)
