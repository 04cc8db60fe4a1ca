"""Planes of the 1-norm machine and of few columns, and one side turned to positive weights."""

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
# The 1-norm support vector machine is solved through the dual of its linear program, (1)-(4):
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

from rulekit._sums import solve_systems
from rulekit.exceptions import SolverError
from rulekit.search.lp import LinearProgram, ResidentProgram

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
ROUNDING = 1e-9  # of a margin, which is 1: a weight that adds no more to any row counts as 0


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

    def open_faces(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return faces, infinite at the table's edge, shapes (..., n)."""
        low = np.where(lower < self.low, -np.inf, lower)
        return low, np.where(upper >= self.high, np.inf, upper)

    def face_values(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return least and greatest values of the table's columns between faces, in its range."""
        low, high = np.maximum(lower, self.low), np.minimum(upper, self.high)
        return np.where(self.signs > 0, low, -high), np.where(self.signs > 0, high, -low)

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


# Few columns for a plane, and where along its normal it may be placed:
#   Z        rows in standard units, shape (n, p)
#   signed   (n,) the weight of each row, above 0 for class 1 and below 0 for class 0
#
# Columns are added one after the other, those whose plane gets least wrong: the plane of a set of
# columns is Fisher's discriminant, placed where the weight of wrong rows is least. The path of the
# 1-norm machine (`LPSVMProgram`) gives one more set of each size, since Fisher's
# discriminant is blind to classes that differ in spread alone.

Columns = tuple[int, ...]
WIDTH = 3  # sets of one size that are continued
RIDGE = 1e-6  # of the variance of a column, so that the covariance of equal columns has an inverse
PATH = np.geomspace(0.3, 30.0, 25)  # prices, as multiples of 1 / weight of the smaller class
PLACES = 7  # of a plane along its normal,
REACH = 0.08  # as far as this share of the rows from where least is wrong


def column_sets(Z: Floats, signed: Floats, size: int) -> list[Columns]:
    """List sets of `size` columns whose planes separate the classes well, without repetition."""
    sets = dict.fromkeys(_forward(Z, signed, size))
    program = LPSVMProgram(Z, np.sign(signed), np.abs(signed))
    least = min(signed[signed > 0].sum(), -signed[signed < 0].sum())
    for price in PATH / least:
        columns = tuple(np.flatnonzero(program.solve(float(price)).w).tolist())
        if len(columns) > size:
            break
        if len(columns) == size:
            sets[columns] = None
    return list(sets)


def _forward(Z: Floats, signed: Floats, size: int) -> list[Columns]:
    """Add columns one after the other, keeping the `WIDTH` best sets of each size."""
    # the pooled covariance of columns (p, p) and the difference of class means (p,)
    share = np.abs(signed) / np.abs(signed).sum()
    means, within = [], RIDGE * np.eye(Z.shape[1])
    for rows in (signed > 0, signed < 0):
        part, weight = Z[rows], share[rows]
        means.append(np.einsum("n,nj->j", weight, part) / weight.sum())
        centred = part - means[-1]
        within = within + np.einsum("ni,nj->ij", centred * weight[:, None], centred)
    apart = means[0] - means[1]
    best: list[Columns] = [()]
    for _ in range(min(size, Z.shape[1])):
        longer = {tuple(sorted({*s, j})) for s in best for j in range(Z.shape[1]) if j not in s}
        sets = np.array(sorted(longer))
        normals = solve_systems(within[sets[:, :, None], sets[:, None, :]], apart[sets][:, :, None])
        wrong = [
            least_wrong((Z[:, s] * normal).sum(axis=1), signed)
            for s, normal in zip(sets, normals[:, :, 0], strict=True)
        ]
        order = np.argsort(np.round(wrong, 9), kind="stable")[:WIDTH]
        best = [tuple(s) for s in sets[order].tolist()]
    return best


def least_wrong(values: Floats, signed: Floats) -> float:
    """Return the least weight of wrong rows if class 1 is where values exceed some bound."""
    return float(_wrong_above(values, signed)[1].min())


def _wrong_above(values: Floats, signed: Floats) -> tuple[Floats, Floats]:
    """Return bounds between different values, and the weight of wrong rows for each."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    wrong = np.cumsum(signed[order]) - signed[signed < 0].sum()
    last = np.flatnonzero(ordered[:-1] < ordered[1:])
    if not len(last):
        return ordered[:1], np.array([np.inf])
    return ordered[last] / 2 + ordered[last + 1] / 2, wrong[last]


def places(values: Floats, signed: Floats) -> list[float]:
    """List bounds along a plane's normal, around the one with the least weight of wrong rows."""
    bounds, wrong = _wrong_above(values, signed)
    centre, ordered = bounds[wrong.argmin()], np.sort(values)
    steps = np.round(np.linspace(-REACH, REACH, PLACES) * len(values)).astype(int)
    near = ordered[np.clip(np.searchsorted(ordered, centre) + steps, 0, len(values) - 1)]
    positions = np.clip(np.searchsorted(bounds, near), 0, len(bounds) - 1)
    return list(dict.fromkeys(bounds[[int(wrong.argmin()), *positions]].tolist()))


def standardise(rows: Floats) -> Floats:
    """Bring columns to mean 0 and standard deviation 1; constant ones to 0."""
    spread = rows.std(axis=0)
    return np.asarray((rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
