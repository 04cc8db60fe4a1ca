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

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.exceptions import SolverError
from rulekit.families.hyperplane.solver.half_space import Bools, Floats, HalfSpace, Region
from rulekit.search.lp import LinearProgram, solve_lp

# The upper corner of one box is chosen by one of three criteria:
#
# *volume_paper*: the largest box, in closed form, (8) and its solution (13)-(15):
#   maximise    sum of log y_i
#   subject to  w~'y <= 1,  m <= y <= 1        in the unit box
#
# The optimum is ``y_i = clip(1 / (lambda w~_i), m_i, 1)``: water of one level is poured into
# vessels with a bottom and a lid. The paper's iteration raises the level and clamps; here the level
# is read off the sorted bottoms and lids, which is the same and takes one step. The paper has ``m =
# 0``; where another criterion enlarges its box up to the plane, ``m`` is the box's own corner.
#
# *peel*: the box that holds many points, by an exact count in place of the slacks of (17). Start at
# the greatest coordinates of the points. While that corner is beyond the plane, lower one
# coordinate to the next point's, the one that gains most distance to the plane for each point lost.
# Every corner on the way is made of coordinates of points, so nothing is rounded.
#
# *point_lp*: the same as a linear program, (17), with one slack a point:
#   minimise    sum of c_k s_k
#   subject to  s_k >= y_ki - x_i  for every point k and feature i,  w~'x <= 1,  m <= x <= 1, s >= 0
#
# in the unit box. The paper prints one slack a *feature*; then the cheapest features are opened and
# the rest get boxes of width zero, which hold no point. `m` are the least coordinates of the
# points, without which the box may lie below all of them.

Counts = NDArray[np.intp]

NEAR = 1e-8  # of the side of the unit box; what the solver's tolerance may move a corner by


def fill_up(region: Region, floor: Floats) -> Floats:
    """Enlarge a box up to the plane, to the greatest volume."""
    weights = region.unit_weights()
    if weights is None:
        return floor
    return region.to_faces(water_fill(weights, region.to_unit(floor)), floor)


def water_fill(weights: Floats, least: Floats) -> Floats:
    """Find the box from 0 to a corner of at least `least` on the plane, of most volume, O(n^2)."""
    lids, floors = weights, weights * least
    # What all vessels hold is piecewise linear in the level, with its bends at bottoms and lids:
    # the last bend below a total of 1 is found, and the rest is poured into the vessels then open.
    levels = np.unique(np.concatenate([floors, lids]))
    used = np.clip(levels[:, None], floors, lids).sum(axis=1)
    below = int(np.searchsorted(used, 1.0, side="right")) - 1
    if below < 0:
        return np.where(weights > 0, least, 1.0)
    level = float(levels[below])
    open_vessels = int(((floors <= level) & (lids > level)).sum())
    if open_vessels:
        level += (1.0 - float(used[below])) / open_vessels
    filled = np.divide(level, weights, out=np.ones_like(weights), where=weights > 0)
    return np.where(level >= lids, 1.0, np.where(level <= floors, least, np.minimum(filled, 1.0)))


def peel(half: HalfSpace, points: Floats, counts: Counts) -> Floats:
    """Lower the corner of a box until it is on this side of the plane."""
    corner = points.max(axis=0)
    if half.value(corner) <= half.cap:
        return corner
    columns = zip(points.T, half.weights.tolist(), strict=True)
    layers = [_Layers(coordinates, counts, weight) for coordinates, weight in columns]
    codes = np.column_stack([layer.codes for layer in layers]).tolist()
    alive, rows_of = [True] * len(points), counts.tolist()
    while half.value(corner) > half.cap:
        # A point that goes with one feature's layer is gone from all features' layers.
        for point in max(layers, key=lambda layer: layer.gain).outermost():
            if alive[point]:
                alive[point] = False
                for layer, code in zip(layers, codes[point], strict=True):
                    layer.counts[code] -= rows_of[point]
        for layer in layers:
            layer.settle()
        corner = np.array([layer.values[layer.top] for layer in layers])
    return corner


class _Layers:
    """The points of one feature in layers of equal coordinate, of which the outermost go first."""

    def __init__(self, coordinates: Floats, counts: Counts, weight: float) -> None:
        values, codes = np.unique(coordinates, return_inverse=True)
        self.codes, self.weight = codes, weight
        self.values: list[float] = values.tolist()
        self.counts: list[int] = np.bincount(codes, counts).astype(int).tolist()
        self._members: list[int] = np.argsort(codes, kind="stable").tolist()
        self._starts: list[int] = np.concatenate([[0], np.bincount(codes).cumsum()]).tolist()
        self.top, self.below = len(values) - 1, len(values) - 2

    @property
    def gain(self) -> float:
        """Distance to the plane gained for each row lost with the outermost layer."""
        if self.below < 0:
            return -1.0
        step = self.values[self.top] - self.values[self.below]
        return self.weight * step / self.counts[self.top]

    def outermost(self) -> list[int]:
        """Points of the outermost layer, including those already removed by another feature."""
        return self._members[self._starts[self.top] : self._starts[self.top + 1]]

    def settle(self) -> None:
        """Move to the outermost two layers that still contain a row."""
        counts = self.counts
        while self.top >= 0 and counts[self.top] == 0:
            self.top -= 1
            self.below = self.top - 1
        while self.below >= 0 and counts[self.below] == 0:
            self.below -= 1


def point_corner(region: Region, points: Floats, counts: Counts) -> Floats:
    """Find the corner of the box that leaves out the least sum of excesses."""
    weights, least = region.unit_weights(), points.min(axis=0)
    if weights is None:
        return least
    m, n = points.shape
    unit = np.array([region.to_unit(p) for p in points])
    # one condition a point and feature, m * n of them: s_k + x_i >= y_ki
    each = (np.ones((m, 1)), sparse.eye_array(n)), (sparse.eye_array(m), np.ones((n, 1)))
    excess = sparse.hstack([sparse.kron(*part, format="csr") for part in each])
    plane = sparse.csr_array(np.concatenate([weights, np.zeros(m)])[None, :])
    program = LinearProgram(
        c=np.concatenate([np.zeros(n), counts.astype(float)]),
        A=sparse.vstack([excess, plane], format="csc"),
        lower=np.concatenate([unit.ravel(), [-np.inf]]),
        upper=np.concatenate([np.full(m * n, np.inf), [1.0]]),
        x_lower=np.concatenate([unit.min(axis=0), np.zeros(m)]),
        x_upper=np.concatenate([np.ones(n), np.full(m, np.inf)]),
    )
    solution = solve_lp(program)
    if solution.x is None:
        raise SolverError(
            f"The linear program over {m} points must have a solution; the solver returned "
            f"{solution.message!r}. Use `criterion='peel'`."
        )
    corner, floor = solution.x[:n], least
    for tolerance in (0.0, NEAR):  # the least corner above all points that the program took in
        taken = (unit <= corner + tolerance).all(axis=1)
        above = points[taken].max(axis=0, initial=-np.inf)
        if taken.any() and region.half.value(above) <= region.half.cap:
            floor = above
    return region.to_faces(corner, floor)


CRITERIA: dict[str, Callable[[Region, Floats, Counts], Floats]] = {
    "peel": lambda region, *points: fill_up(region, peel(region.half, *points)),
    "point_lp": point_corner,
    "volume_paper": lambda region, *_: fill_up(region, region.corner),  # with a point or without
}


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
    given, half = boxes.only(order[gain[order] > 0][:most]), boxes.half
    faces = list(zip(given.lower, given.upper, given.depth.tolist(), strict=True))

    def find_inside(low: Floats, high: Floats) -> Bools:
        return np.asarray(((low < V) & (high >= V)).all(axis=1))

    def may_replace(low: Floats, high: Floats, some: tuple[int, ...]) -> bool:
        """Return whether a box is on its side, apart from other boxes, and worth as much."""
        others = (each for k, each in enumerate(faces) if k not in some)
        return (
            half.value(high) <= half.cap
            and all((np.maximum(low, a) >= np.minimum(high, b)).any() for a, b, _ in others)
            and float(worth[find_inside(low, high)].sum())
            >= sum(float(worth[find_inside(*faces[k][:2])].sum()) for k in some)
        )

    pairs = [(a, b) for a in range(len(faces)) for b in range(a)]
    while pairs:
        a, b = pairs.pop(0)
        (low, high, depth), (other_low, other_high, other_depth) = faces[a], faces[b]
        around = np.minimum(low, other_low), np.maximum(high, other_high)
        if may_replace(*around, (a, b)):
            faces[b] = (*around, min(depth, other_depth))
            del faces[a]
            pairs = [(a, b) for a in range(len(faces)) for b in range(a)]
    for k, feature, below in product(range(len(faces)), range(half.n_features), (True, False)):
        low, high, depth = faces[k]
        wider = low.copy(), high.copy()
        wider[not below][feature] = -np.inf if below else half.high[feature]
        if may_replace(*wider, (k,)):
            faces[k] = (*wider, depth)
    kept = [(a, b, int(find_inside(a, b)[worth > 0].sum()), depth) for a, b, depth in faces]
    return _sort_boxes(half, kept, boxes.n_problems, boxes.n_total)
