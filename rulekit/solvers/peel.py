"""The box that holds many points, by peeling: an exact count in place of the slacks of (17).

Start at the greatest coordinates of the points. While that corner is beyond the plane, lower one
coordinate to the next point's, the one that gains most distance to the plane for each point lost.
Every corner on the way is made of coordinates of points, so nothing is rounded.
"""

import numpy as np
from numpy.typing import NDArray

from rulekit.solvers.half_space import Floats, HalfSpace


def peel(half: HalfSpace, points: Floats, counts: NDArray[np.intp]) -> Floats:
    """Lower the corner of a box until it is on this side of the plane.

    Parameters
    ----------
    half : HalfSpace
    points : ndarray of shape (m, n)
        At least one; all on this side, in oriented coordinates.
    counts : ndarray of int, shape (m,)
        How many rows each point stands for.

    Returns
    -------
    ndarray of shape (n,)
        The upper corner, made of coordinates of points; at least one point is below it.

    Notes
    -----
    Among equal gains the first feature is lowered. Cost is O(m n), after sorting.
    """
    corner = points.max(axis=0)
    if half.value(corner) <= half.cap:
        return corner
    layers = [_Layers(points[:, i], counts) for i in range(half.n_features)]
    codes = np.column_stack([layer.codes for layer in layers]).tolist()
    alive = [True] * len(points)
    weights, rows_of = half.weights.tolist(), counts.tolist()
    while half.value(corner) > half.cap:
        best, lowered = -1.0, -1
        for i, layer in enumerate(layers):
            gain = weights[i] * layer.step / layer.lost if layer.below >= 0 else -1.0
            if gain > best:
                best, lowered = gain, i
        for point in layers[lowered].outermost():
            if alive[point]:
                alive[point] = False
                for layer, code in zip(layers, codes[point], strict=True):
                    layer.counts[code] -= rows_of[point]
        for layer in layers:
            layer.settle()
        corner = np.array([layer.value for layer in layers])
    return corner


class _Layers:
    """The points of one feature in layers of equal coordinate, of which the outermost go first."""

    def __init__(self, coordinates: Floats, counts: NDArray[np.intp]) -> None:
        values, codes = np.unique(coordinates, return_inverse=True)
        self.codes = codes
        self.values: list[float] = values.tolist()
        self.counts: list[int] = np.bincount(codes, counts).astype(int).tolist()
        self._members: list[int] = np.argsort(codes, kind="stable").tolist()
        self._starts: list[int] = np.concatenate([[0], np.bincount(codes).cumsum()]).tolist()
        self.top, self.below = len(values) - 1, len(values) - 2

    @property
    def value(self) -> float:
        """Coordinate of the outermost layer."""
        return self.values[self.top]

    @property
    def step(self) -> float:
        """How far the next layer is."""
        return self.values[self.top] - self.values[self.below]

    @property
    def lost(self) -> int:
        """How many rows go with the outermost layer."""
        return self.counts[self.top]

    def outermost(self) -> list[int]:
        """Points of the outermost layer, also those that went with another feature's."""
        return self._members[self._starts[self.top] : self._starts[self.top + 1]]

    def settle(self) -> None:
        """Go down to the outermost two layers that still hold a row."""
        counts = self.counts
        if counts[self.top] == 0:
            self.top = self.below
            self.below = self.top - 1
        while self.top >= 0 and counts[self.top] == 0:
            self.top -= 1
            self.below = self.top - 1
        while self.below >= 0 and counts[self.below] == 0:
            self.below -= 1
