"""The upper corner of one box below a plane, chosen by one of three criteria."""

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

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.exceptions import SolverError
from rulekit.families.hyperplane.solver.half_space import Floats, HalfSpace, Region
from rulekit.search.lp import LinearProgram, solve_lp

Counts = NDArray[np.intp]

NEAR = 1e-8  # of the side of the unit box; what the solver's tolerance may move a corner by


def volume_paper_corner(region: Region, points: Floats, counts: Counts) -> Floats:
    """Return the box of greatest volume as in the paper, with or without a point in it."""
    return fill_up(region, region.corner)


def peel_corner(region: Region, points: Floats, counts: Counts) -> Floats:
    """Return the box of the points that peeling leaves, enlarged up to the plane."""
    return fill_up(region, peel(region.half, points, counts))


def fill_up(region: Region, floor: Floats) -> Floats:
    """Enlarge a box up to the plane, to the greatest volume."""
    weights = region.unit_weights()
    if weights is None:
        return floor
    return region.to_faces(water_fill(weights, region.to_unit(floor)), floor)


def water_fill(weights: Floats, least: Floats) -> Floats:
    """Find the box from 0 to a corner of at least `least` on the plane, of most volume, O(n^2)."""
    lids, floors = weights, weights * least
    if lids.sum() <= 1.0:
        return np.ones_like(weights)
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
        lowered = max(layers, key=lambda layer: layer.gain)
        # A point that goes with one feature's layer is gone from all features' layers.
        for point in lowered.outermost():
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
    corner = solution.x[:n]
    return region.to_faces(corner, _snap(region, points, unit, corner, least))


def _snap(region: Region, points: Floats, unit: Floats, corner: Floats, least: Floats) -> Floats:
    """Find the least corner above all points that the program took in, within its tolerance."""
    for tolerance in (NEAR, 0.0):
        taken = (unit <= corner + tolerance).all(axis=1)
        if taken.any():
            above = np.maximum(points[taken].max(axis=0), least)
            if region.half.value(above) <= region.half.cap:
                return above
    return least


CRITERIA: dict[str, Callable[[Region, Floats, Counts], Floats]] = {
    "peel": peel_corner,
    "point_lp": point_corner,
    "volume_paper": volume_paper_corner,
}
