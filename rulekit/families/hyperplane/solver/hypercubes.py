"""Boxes that cover one side of a plane: ExtractRules (algorithm 4.1) with shared, exact faces."""

# Every box is ``lower < v <= upper`` in oriented coordinates. A box leaves one region for each
# feature (18), whose lower face is the very double of the box's upper face: boxes are disjoint
# without a tolerance. (The paper's half-open ``l <= x < u`` loses points at the table's edge.)
# Boxes of one depth are independent; the order of features within a region matters.
#
# For few boxes of few faces:
#   V        rows of both classes in the oriented coordinates of the boxes, shape (m, n)
#   worth    (m,) the weight of each row, above 0 where the boxes' class is right
#
# Boxes stay disjoint, by exact comparison, and on their side of the plane: every step is taken only
# where that holds and where the worth of all rows in boxes does not fall.

from dataclasses import dataclass, replace
from itertools import product

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
        return self.only(np.flatnonzero(self.n_points >= min_points)[:max_boxes])

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
    if half.n_features == 0:  # a plane without weights: one box without faces, or none
        k = int(half.cap >= 0 and len(inside) > 0)
        return _sort_boxes(half, [(np.zeros(0), np.zeros(0), len(inside), 0)] * k, k, len(inside))
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
        ((region, points, counts),) = _remainder(region, corner, points[left], counts[left], v)
        depth += 1


def _remainder(
    region: Region, corner: Floats, points: Floats, counts: Counts, point: Floats | None = None
) -> list[tuple[Region, Floats, Counts]]:
    """Cut a box out of a region; return the parts (18) that hold points, or that of `point`."""
    half = region.half
    exceeding = ((points > corner) * counts[:, None]).sum(axis=0)
    # the order k of (18): by rows that exceed the box, then by falling weight times range
    order = np.lexsort((-half.weights * (half.high - half.low), exceeding))
    sides = (points[:, order] > corner[order]).argmax(axis=1)  # by which a point leaves the box
    used = sides if point is None else [(point[order] > corner[order]).argmax()]
    parts = []
    for side in np.unique(used).tolist():
        lower, upper = region.lower.copy(), region.upper.copy()
        before, at = order[:side], order[side]
        # The very doubles of the box's faces: parts share no point, and none falls between them.
        upper[before], lower[at] = corner[before], corner[at]
        there = sides == side
        parts.append((Region(half, lower, upper), points[there], counts[there]))
    return parts


def _sort_boxes(
    half: HalfSpace, boxes: list[tuple[Floats, Floats, int, int]], n_problems: int, n_total: int
) -> PlaneBoxes:
    """Collect lower and upper faces, numbers of points and depths, those with most points first."""
    shape = len(boxes), half.n_features
    lower, upper = (np.array([b[k] for b in boxes], dtype=float).reshape(shape) for k in (0, 1))
    n_points, depth = (np.array([b[k] for b in boxes], dtype=int) for k in (2, 3))
    everything = PlaneBoxes(half, lower, upper, n_points, depth, n_problems, n_total)
    return everything.only(np.argsort(-n_points, kind="stable"))


def few_boxes(boxes: PlaneBoxes, V: Floats, worth: Floats, most: int | None) -> PlaneBoxes:
    """Keep the boxes of most worth, merge those that may be, and drop faces that no row needs."""
    gain = np.array([worth[inside].sum() for inside in boxes.members(V).T])
    order = np.argsort(-gain, kind="stable")
    work = _Faces(boxes.only(order[gain[order] > 0][:most]), V, worth)
    work.merge()
    work.drop()
    return work.boxes()


class _Faces:
    """Boxes whose faces are moved."""

    def __init__(self, boxes: PlaneBoxes, V: Floats, worth: Floats) -> None:
        self.given, self.half, self.V, self.worth = boxes, boxes.half, V, worth
        self.faces = list(zip(boxes.lower, boxes.upper, boxes.depth.tolist(), strict=True))

    def merge(self) -> None:
        """Replace two boxes by the box around both, as long as there are such two."""
        for a, (low, high, depth) in enumerate(self.faces):
            for b, (other_low, other_high, other_depth) in enumerate(self.faces[:a]):
                around = np.minimum(low, other_low), np.maximum(high, other_high)
                apart = self._sum(low, high) + self._sum(other_low, other_high)
                if self._is_allowed(*around, (a, b)) and self._sum(*around) >= apart:
                    self.faces[b] = (*around, min(depth, other_depth))
                    del self.faces[a]
                    self.merge()
                    return

    def drop(self) -> None:
        """Move each face to the end of its column where nothing is lost by it."""
        for k, feature, below in product(
            range(len(self.faces)), range(self.half.n_features), (True, False)
        ):
            low, high, depth = self.faces[k]
            wider = low.copy(), high.copy()
            wider[not below][feature] = -np.inf if below else self.half.high[feature]
            if self._is_allowed(*wider, (k,)) and self._sum(*wider) >= self._sum(low, high):
                self.faces[k] = (*wider, depth)

    def _is_allowed(self, low: Floats, high: Floats, instead_of: tuple[int, ...]) -> bool:
        """Return whether a box is on its side and shares no point with the other boxes."""
        if self.half.value(high) > self.half.cap:
            return False
        others = (faces for k, faces in enumerate(self.faces) if k not in instead_of)
        return all((np.maximum(low, a) >= np.minimum(high, b)).any() for a, b, _ in others)

    def _inside(self, low: Floats, high: Floats) -> Bools:
        return np.asarray(((low < self.V) & (high >= self.V)).all(axis=1))

    def _sum(self, low: Floats, high: Floats) -> float:
        return float(self.worth[self._inside(low, high)].sum())

    def boxes(self) -> PlaneBoxes:
        """Return the boxes, those with most rows of their class first."""
        right, given = self.worth > 0, self.given
        boxes = [(a, b, int(self._inside(a, b)[right].sum()), d) for a, b, d in self.faces]
        return _sort_boxes(self.half, boxes, given.n_problems, given.n_total)
