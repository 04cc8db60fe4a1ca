"""Cut points by definition, written plainly."""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise


def quantile(values, part, parts):
    """Interpolate linearly between two neighbours in the sorted list, in exact fractions."""
    ordered = sorted(Fraction(v) for v in values)
    place = Fraction(part, parts) * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def quantiles(values, n_cuts):
    """List the quantiles, counting apart a value that more than half of the rows hold."""
    (usual, times), *_ = Counter(values).most_common(1)
    sides = [[v for v in values if v < usual], [v for v in values if v > usual]]
    filled = [side for side in sides if side]
    if 2 * times <= len(values) or not 0 < len(filled) <= n_cuts:
        return [quantile(values, k, n_cuts + 1) for k in range(1, n_cuts + 1)]
    parts = [n_cuts]
    if len(filled) == 2:
        share = round(Fraction(n_cuts * len(sides[0]), len(values) - times))
        parts = [min(max(share, 1), n_cuts - 1)]
        parts = [parts[0], n_cuts - parts[0]]
    own = [quantile(s, k, n) for s, n in zip(filled, parts, strict=True) for k in range(1, n)]
    return [*own, usual, *([max(sides[0])] if sides[0] else [])]


def separates(values, cut):
    return any(v <= cut for v in values) and any(v > cut for v in values)


def split_of(values, cut):
    """Return which values are at or below a cut."""
    return tuple(v <= cut for v in values)


def decimals(number):
    """Count the decimals of a number's shortest text."""
    return max(-Decimal(repr(float(number))).normalize().as_tuple().exponent, 0)


def fewest_decimals(low, high):
    """Find the smallest number of decimals some number in ``[low, high)`` can have."""
    low, high = Decimal(repr(low)), Decimal(repr(high))
    for places in range(345):  # the smallest float, 5e-324, and its 17 digits
        step = Decimal(1).scaleb(-places)
        first = math.ceil(low / step) * step
        if low <= first < high:
            return places
    raise AssertionError("no decimal found")


def entropy(classes):
    n = len(classes)
    shares = [classes.count(c) / n for c in set(classes)]
    return -sum(p * math.log2(p) for p in shares)


def mdlp(values, classes):
    """Cut recursively by Fayyad and Irani's criterion, trying every cut of every interval."""
    pairs = sorted(zip(values, classes, strict=True))
    options = []
    for cut in [(a + b) / 2 for a, b in pairwise(sorted(set(values)))]:
        left = [c for v, c in pairs if v <= cut]
        right = [c for v, c in pairs if v > cut]
        if left and right:
            after = (len(left) * entropy(left) + len(right) * entropy(right)) / len(pairs)
            options.append((entropy([c for _, c in pairs]) - after, cut, left, right))
    if not options:
        return []
    most = max(gain for gain, *_ in options)
    gain, cut, left, right = next(o for o in options if o[0] >= most - 1e-12)
    whole = left + right
    k, k1, k2 = (len(set(part)) for part in (whole, left, right))
    delta = math.log2(3**k - 2) - (k * entropy(whole) - k1 * entropy(left) - k2 * entropy(right))
    if gain <= (math.log2(len(pairs) - 1) + delta) / len(pairs):
        return []
    below = [(v, c) for v, c in pairs if v <= cut]
    above = [(v, c) for v, c in pairs if v > cut]
    return [*mdlp(*zip(*below, strict=True)), cut, *mdlp(*zip(*above, strict=True))]
