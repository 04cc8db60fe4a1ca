"""The plane of the 1-norm machine, and one side of it turned so that every weight is positive."""

# Legend (symbols of Fung, Sandilya, Rao, "Rule Extraction from Linear Support Vector Machines")
#   w, gamma       the plane w'x = gamma
#   v              oriented coordinates: v_i = x_i or -x_i, so that w'x grows with every v_i; the
#                  transformation T of (5)-(7) without its scaling, hence exact in doubles
#   W              the weights of v, all positive
#   cap            the largest value of W'v on this side: gamma, or the double just below it
#
# A sum ``W'v`` is always taken feature by feature from left to right. Each product and each sum is
# rounded to the nearest double, and rounding never reverses an order; so if the upper corner of a
# box has a value of at most `cap`, every point below it has, too, in the very arithmetic that is
# used here and by `rulekit.rules.LinearSplit`. This is why no tolerances are needed anywhere.
#
# The support vector machine with a 1-norm is solved through the dual of its linear program
# ((1)-(4)):
#   A, D           rows, and their classes as +1 and -1 on a diagonal
#   w, gamma       the plane: x is of class +1 where w'x > gamma
#   nu             price of a unit of margin missed
#
#   primal         minimise nu e'y + |w|_1   subject to  D (A w - e gamma) + y >= e,  y >= 0
#   dual           maximise e'a   subject to  -1 <= A'D a <= 1,  e'D a = 0,  0 <= a <= nu
#
# The dual has n + 1 rows, however many rows the table has; w and gamma are the rows' multipliers.

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import SolverError
from rulekit.search.lp import LinearProgram, ResidentProgram

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def plane_values(X: Floats, w: Floats) -> Floats:
    """Add up ``w'x`` feature by feature, the same doubles on every processor: shape (n,)."""
    total = np.zeros(len(X))
    for j in range(len(w)):
        total = total + X[:, j] * w[j]
    return total


@dataclass(frozen=True, eq=False)
class HalfSpace:
    """One side of a plane within the range of a table."""

    columns: NDArray[np.intp]  # (n,)
    signs: Floats  # (n,)
    weights: Floats  # (n,)
    cap: float
    low: Floats  # (n,)
    high: Floats  # (n,)

    @classmethod
    def from_plane(
        cls, w: Floats, gamma: float, low: Floats, high: Floats, *, above: bool
    ) -> "HalfSpace":
        """Return the side ``w'x > gamma`` of a plane, or the side ``w'x <= gamma``."""
        columns = np.flatnonzero(w)
        direction = -1.0 if above else 1.0
        signs = direction * np.sign(w[columns])
        bound = direction * gamma
        a, b = signs * low[columns], signs * high[columns]
        # the plane itself is not above it: there the greatest value is the next smaller double
        cap = math.nextafter(bound, -math.inf) if above else bound
        return cls(columns, signs, np.abs(w[columns]), cap, np.minimum(a, b), np.maximum(a, b))

    @property
    def n_features(self) -> int:
        """Number of columns that count."""
        return len(self.columns)

    def orient(self, X: Floats) -> Floats:
        """Convert rows of the table to oriented coordinates, shape (m, n). Exact."""
        return np.asarray(X[:, self.columns] * self.signs)

    def values(self, V: Floats) -> Floats:
        """Compute ``W'v`` of each row, shape (m,)."""
        return plane_values(V, self.weights)

    def contains(self, V: Floats) -> Bools:
        """Return which rows are on this side, shape (m,)."""
        return np.asarray(self.values(V) <= self.cap)

    def value(self, v: Floats) -> float:
        """Add up ``W'v`` for one point."""
        total = 0.0
        for weight, coordinate in zip(self.weights.tolist(), v.tolist(), strict=True):
            total = total + coordinate * weight
        return total


@dataclass(frozen=True, eq=False)
class Region:
    """A part of the half-space still to be covered, I of (18): ``lower < v <= upper``."""

    half: HalfSpace
    lower: Floats  # (n,)
    upper: Floats  # (n,)

    @classmethod
    def whole(cls, half: HalfSpace) -> "Region":
        """Return the whole half-space."""
        return cls(half, np.full(half.n_features, -np.inf), half.high)

    @property
    def corner(self) -> Floats:
        """The lower corner, with the table's edge for an outer face."""
        return np.where(np.isinf(self.lower), self.half.low, self.lower)

    @property
    def width(self) -> Floats:
        """Side lengths: 1 / |T_ii| of (5)."""
        return np.maximum(self.upper - self.corner, 0.0)

    def unit_weights(self) -> Floats | None:
        """Return w~ of (7), the weights in the unit box; None if only the corner is inside."""
        budget = self.half.cap - self.half.value(self.corner)
        return self.half.weights * self.width / budget if budget > 0 else None

    def to_unit(self, v: Floats) -> Floats:
        """Scale a point to the unit box; a side of length 0 maps to 1."""
        width = self.width
        inside = np.divide(v - self.corner, width, out=np.ones_like(width), where=width > 0)
        return np.clip(inside, 0.0, 1.0)

    def to_faces(self, y: Floats, floor: Floats) -> Floats:
        """Scale an upper corner back from the unit box, on this side of the plane in doubles."""
        raised = np.where(y >= 1.0, self.upper, self.corner + self.width * y)
        raised = np.minimum(np.maximum(raised, floor), np.maximum(self.upper, floor))
        # Rounding may have put the corner a few doubles beyond the plane. It is drawn back towards
        # `floor`, which is on this side, by a share that doubles: at 1 it is `floor`, so this ends.
        corner, shrink = raised, 2.0**-50
        while self.half.value(corner) > self.half.cap:
            corner = np.maximum(raised - (raised - floor) * min(shrink, 1.0), floor)
            shrink *= 2.0
        return corner


ROUNDING = 1e-9  # of a margin, which is 1: a weight that adds no more to any row counts as 0


@dataclass(frozen=True, eq=False)
class LPSVMPlane:
    """A plane found by the linear program."""

    w: Floats  # (n,)
    gamma: float
    objective: float


class LPSVMProgram:
    """One table, for several prices `nu`; shapes: A (m, n), signs (m,), weight (m,), ways (n,)."""

    def __init__(
        self, A: Floats, signs: Floats, weight: Floats | None = None, ways: Floats | None = None
    ) -> None:
        m, n = A.shape
        self._n, self._reach = n, np.abs(A).max(axis=0)
        self._weight = np.ones(m) if weight is None else weight
        # The matrix does not depend on nu, which only bounds the variables: it is passed once.
        rows = np.vstack([(A * signs[:, None]).T, signs])
        way = np.zeros(n) if ways is None else ways
        low = np.concatenate([np.where(way > 0, -np.inf, -1.0), [0.0]])
        high = np.concatenate([np.where(way < 0, np.inf, 1.0), [0.0]])
        program = LinearProgram(-np.ones(m), rows, low, high, np.zeros(m), np.zeros(m))
        self._program = ResidentProgram(program)

    def solve(self, nu: float) -> LPSVMPlane:
        """Solve for one price."""
        self._program.change_column_bounds(np.zeros(len(self._weight)), nu * self._weight)
        solution = self._program.solve()
        if solution.status != "optimal" or solution.duals is None or solution.value is None:
            raise SolverError(
                "The linear program of the support vector machine must have a solution; the solver "
                f"returned {solution.message!r}. Standardise the columns, or use another `nu`."
            )
        duals = solution.duals  # of a maximum written as a minimum: w comes with its sign turned
        # noise of the solver is rounded away, so that another one leads to the same boxes
        w = np.array([float(f"{value:.10g}") for value in -duals[: self._n]])
        w = np.where(np.abs(w) * self._reach > ROUNDING, w, 0.0)
        return LPSVMPlane(w, float(f"{duals[self._n]:.10g}"), -solution.value)
