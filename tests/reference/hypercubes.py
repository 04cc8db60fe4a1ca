"""Boxes from a plane the slow way: bisection, recounting after each step, sets of points."""

from fractions import Fraction


def water_fill(weights, bottoms, steps=64):
    """Find the level by halving: the box is as large as fits below the plane."""
    if sum(weights) <= 1:
        return [1.0] * len(weights)

    def box(level):
        return [
            1.0 if w == 0 else min(max(level / w, m), 1.0)
            for w, m in zip(weights, bottoms, strict=True)
        ]

    low, high = 0.0, max(weights)
    for _ in range(steps):
        middle = (low + high) / 2
        used = sum(w * x for w, x in zip(weights, box(middle), strict=True))
        low, high = (middle, high) if used <= 1 else (low, middle)
    return box(low)


def value(weights, point):
    """Add up the weighted coordinates from left to right."""
    total = 0.0
    for w, x in zip(weights, point, strict=True):
        total = total + x * w
    return total


def peel(weights, cap, points, counts):
    """Drop the outermost layer that gains most distance a row, until the corner is on the side."""
    alive = list(range(len(points)))
    while True:
        corner = [max(points[k][i] for k in alive) for i in range(len(weights))]
        if value(weights, corner) <= cap:
            return corner
        best = None
        for i, w in enumerate(weights):
            inner = [points[k][i] for k in alive if points[k][i] < corner[i]]
            if not inner:
                continue
            lost = sum(counts[k] for k in alive if points[k][i] == corner[i])
            gain = w * (corner[i] - max(inner)) / lost
            if best is None or gain > best[0]:
                best = (gain, i)
        alive = [k for k in alive if points[k][best[1]] < corner[best[1]]]


def in_box(lower, upper, point):
    """Compare one coordinate after the other."""
    return all(a < x <= b for a, x, b in zip(lower, point, upper, strict=True))


def share_a_point(box, other):
    """Return whether two boxes overlap, by the definition of an intersection."""
    return all(max(a, c) < min(b, d) for a, b, c, d in zip(*box, *other, strict=True))


def exact_value(weights, point):
    """Add up the weighted coordinates without any rounding."""
    return sum(Fraction(w) * Fraction(x) for w, x in zip(weights, point, strict=True))


def order_of(weights, widths, corner, points, counts):
    """Sort features by how many points exceed the box, then by falling weight times range."""
    exceeding = [
        sum(c for p, c in zip(points, counts, strict=True) if p[i] > corner[i])
        for i in range(len(weights))
    ]
    return sorted(range(len(weights)), key=lambda i: (exceeding[i], -weights[i] * widths[i], i))


def extract(problem, choose, lower, upper, points, counts, depth, max_depth):
    """Run algorithm 4.1 by recursion; yields (lower, upper, rows, depth) of boxes with a point."""
    if depth == max_depth or not points:
        return
    corner = choose(lower, upper, points, counts)
    taken = [all(x <= z for x, z in zip(p, corner, strict=True)) for p in points]
    rows = sum(c for c, t in zip(counts, taken, strict=True) if t)
    if rows:
        yield lower, corner, rows, depth
    left = [k for k, t in enumerate(taken) if not t]
    weights, widths = problem
    rest, many = [points[k] for k in left], [counts[k] for k in left]
    order = order_of(weights, widths, corner, rest, many)
    for place, i in enumerate(order):
        a, b = list(lower), list(upper)
        for j in order[:place]:
            b[j] = corner[j]
        a[i] = corner[i]
        there = [
            k
            for k, p in enumerate(rest)
            if p[i] > corner[i] and all(p[j] <= corner[j] for j in order[:place])
        ]
        part = [rest[k] for k in there], [many[k] for k in there]
        yield from extract(problem, choose, a, b, *part, depth + 1, max_depth)
