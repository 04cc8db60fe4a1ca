"""Boxes that cover one side of a plane: ExtractRules (algorithm 4.1) with shared, exact faces."""

# Every box is ``lower < v <= upper`` in oriented coordinates. A box leaves one region for each
# feature (18), whose lower face is the very double of the box's upper face: boxes are disjoint
# without a tolerance. (The paper's half-open ``l <= x < u`` loses points at the table's edge.)
# Boxes of one depth are independent; the order of features within a region matters, see `_split`.

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulekit.families.hyperplane.solver.corners import CRITERIA, Counts, fill_up
from rulekit.families.hyperplane.solver.half_space import Bools, Floats, HalfSpace, Region


@dataclass(frozen=True, eq=False)
class PlaneBoxes:
    """Boxes within a half-space, those with most points first."""

    half: HalfSpace
    lower: Floats  # (k, n)
    upper: Floats  # (k, n)
    n_points: NDArray[np.intp]  # (k,)
    depth: NDArray[np.intp]  # (k,)
    n_problems: int
    n_total: int

    def __len__(self) -> int:
        """Count the boxes."""
        return len(self.lower)

    def drop_small(self, min_points: int = 2, max_boxes: int | None = None) -> "PlaneBoxes":
        """Drop boxes of fewer points than `min_points`, and all but the first `max_boxes`."""
        stay = np.flatnonzero(self.n_points >= min_points)[:max_boxes]
        return self.only(stay)

    def only(self, stay: NDArray[np.intp]) -> "PlaneBoxes":
        """Keep the boxes of some positions, in their order."""
        names = ("lower", "upper", "n_points", "depth")
        return replace(self, **{name: getattr(self, name)[stay] for name in names})

    @property
    def coverage(self) -> float:
        """Share of the points that were to be covered that are in a box; NaN without points."""
        return float(self.n_points.sum() / self.n_total) if self.n_total else float("nan")

    def members(self, V: Floats) -> Bools:
        """Return which rows (in oriented coordinates) are in which box, shape (m, k)."""
        inside = np.ones((len(V), len(self)), dtype=bool)
        for i in range(self.half.n_features):
            inside &= (self.lower[:, i] < V[:, i, None]) & (V[:, i, None] <= self.upper[:, i])
        return inside


def extract_boxes(
    half: HalfSpace, V: Floats, *, criterion: str = "peel", max_depth: int = 20
) -> PlaneBoxes:
    """Cover points V (m, n) by disjoint boxes that do not cross the plane (algorithm 4.1)."""
    inside = V[half.contains(V)]
    if half.n_features == 0:
        return _everything(half, len(inside))
    points, counts = np.unique(inside, axis=0, return_counts=True)
    choose, boxes, n_problems = CRITERIA[criterion], [], 0
    stack = [(Region.whole(half), points, counts, 0)] if len(points) else []
    while stack:
        region, points, counts, depth = stack.pop()
        if depth == max_depth:
            continue
        n_problems += 1
        corner = choose(region, points, counts)
        covered = (points <= corner).all(axis=1)
        if covered.any():
            boxes.append((region.lower, corner, int(counts[covered].sum()), depth))
        rest = _remainder(region, corner, points[~covered], counts[~covered])
        stack += [(*part, depth + 1) for part in reversed(rest)]
    return _sort_boxes(half, boxes, n_problems, len(inside))


def carry_on(
    half: HalfSpace, V: Floats, v: Floats, *, criterion: str = "peel", max_depth: int = 20
) -> tuple[Floats, Floats, int]:
    """Extract boxes where one more point is, until one holds it; shapes: v (n,); result (n,)."""
    points, counts = np.unique(V[half.contains(V)], axis=0, return_counts=True)
    # The outer upper faces reach as far as the point does; no point of the table is beyond them, so
    # that every box on the way is the one `extract_boxes` found.
    region = Region(half, np.full(half.n_features, -np.inf), np.maximum(half.high, v))
    depth = 0
    while True:
        if depth < max_depth and len(points):
            corner = CRITERIA[criterion](region, points, counts)
        else:
            corner = fill_up(region, v)
        if (v <= corner).all():
            return region.lower, corner, depth
        left = ~(points <= corner).all(axis=1)
        region, points, counts = _part_of(region, corner, points[left], counts[left], v)
        depth += 1


def _everything(half: HalfSpace, n: int) -> PlaneBoxes:
    """Return the boxes of a plane without weights: one box without faces, or none."""
    k = int(half.cap >= 0 and n > 0)
    none = np.zeros((k, 0))
    return PlaneBoxes(half, none, none, np.full(k, n), np.zeros(k, dtype=int), k, n)


def _split(region: Region, corner: Floats, points: Floats, counts: Counts) -> NDArray[np.intp]:
    """Order the features in which a box is cut out of a region: the order k of (18)."""
    exceeding = ((points > corner) * counts[:, None]).sum(axis=0)
    given = region.half.order
    return np.asarray(given[np.argsort(exceeding[given], kind="stable")])


def _sides(order: NDArray[np.intp], corner: Floats, points: Floats) -> NDArray[np.intp]:
    """Return for each point outside a box the first feature in order by which it leaves it."""
    return np.asarray((points[:, order] > corner[order]).argmax(axis=1))


def _remainder(
    region: Region, corner: Floats, points: Floats, counts: Counts
) -> list[tuple[Region, Floats, Counts]]:
    """Cut a box out of a region: the parts (18) that hold a point."""
    if not len(points):
        return []
    order = _split(region, corner, points, counts)
    sides = _sides(order, corner, points)
    parts = []
    for side in np.unique(sides).tolist():
        there = sides == side
        parts.append((_cut(region, corner, order, side), points[there], counts[there]))
    return parts


def _cut(region: Region, corner: Floats, order: NDArray[np.intp], position: int) -> Region:
    """Return the part below the box in the features before `position`, and above it in that one."""
    lower, upper = region.lower.copy(), region.upper.copy()
    before, at = order[:position], order[position]
    # The very doubles of the box's faces: parts share no point, and none falls between them.
    upper[before] = corner[before]
    lower[at] = corner[at]
    return Region(region.half, lower, upper)


def _part_of(
    region: Region, corner: Floats, points: Floats, counts: Counts, v: Floats
) -> tuple[Region, Floats, Counts]:
    """Return the part of the remainder that contains a point, and the other points in it."""
    order = _split(region, corner, points, counts)
    side = int(_sides(order, corner, v[None, :])[0])
    there = _sides(order, corner, points) == side
    return _cut(region, corner, order, side), points[there], counts[there]


def _sort_boxes(
    half: HalfSpace, boxes: list[tuple[Floats, Floats, int, int]], n_problems: int, n_total: int
) -> PlaneBoxes:
    n = half.n_features
    lower = np.array([f[0] for f in boxes], dtype=float).reshape(len(boxes), n)
    upper = np.array([f[1] for f in boxes], dtype=float).reshape(len(boxes), n)
    n_points = np.array([f[2] for f in boxes], dtype=int)
    depth = np.array([f[3] for f in boxes], dtype=int)
    everything = PlaneBoxes(half, lower, upper, n_points, depth, n_problems, n_total)
    return everything.only(np.argsort(-n_points, kind="stable"))
