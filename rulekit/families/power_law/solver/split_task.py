"""The task and result of a search for splits, and their worth: the Gini impurity of two sides."""

# Legend (Dhebar and Deb, section IV-A):
#   P, n, K  projections, rows, classes          FL  impurity after the split, weighted, Eq. 6
#   l, L     mass of a class, and of all, on the left; r, R likewise on the right
#
# With two classes it is enough to follow one: FL = (2 / T) (T1 - l^2 / L - r^2 / R).

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import grid_unit, round_to_grid
from rulekit.families.power_law.solver.laws import Bools, Exponents, Floats, Ints

TINY = 1e-12
EQUAL = 1e-12  # impurities closer than this are equal
THIN = 200  # rows of a class that are taken at least, where it has as many


class ClassMass:
    """Classes and weights of the rows, as the scans want them."""

    def __init__(self, codes: Ints, weight: Floats | None, n_classes: int) -> None:
        self.codes, self.weight, self.n_classes, self.unit = codes, weight, n_classes, 1.0
        self.n_rows = len(codes)
        # the classes that are followed: one of two, all of more
        self.tracked: tuple[int, ...] = (1,) if n_classes == 2 else tuple(range(n_classes))
        self.label, self.table = codes.astype(np.int64), np.eye(n_classes)  # (n,), (labels, K)
        if weight is not None:
            # whole numbers of one power of two: no sum over rows is ever rounded, in any order
            self.unit = grid_unit(float(weight.sum()))
            self.weight = round_to_grid(weight, self.unit)
            self.label = np.arange(self.n_rows, dtype=np.int64)
            self.table = np.zeros((self.n_rows, n_classes))
            self.table[self.label, codes] = self.weight
        self.total: Floats = self.table[self.label].sum(axis=0)  # (K,)
        self.bits = max(1, int(len(self.table) - 1).bit_length())
        masses = np.column_stack([self.table[:, list(self.tracked)], self.table.sum(axis=1)])
        self.units = np.ascontiguousarray(masses / self.unit).astype(np.int64)  # (labels, T + 1)
        self.slopes: dict[tuple[int | None, int], Floats] = {}  # that intervals begin with, by plan

    @cached_property
    def gini(self) -> float:
        """Impurity of the node itself."""
        share = self.total / self.total.sum()
        return float(1.0 - (share * share).sum())

    def impurity(self, left: list[NDArray[np.float64]], size: Floats) -> Floats:
        """FL from the mass of each tracked class on the left, and the mass of all."""
        whole, two = self.total.sum(), self.n_classes == 2
        sizes = (np.maximum(part, TINY * whole) for part in (size, whole - size))
        others = [self.total[k] - part for k, part in zip(self.tracked, left, strict=True)]
        squares = (sum(part * part for part in side) for side in (left, others))
        pure = sum(square / mass for square, mass in zip(squares, sizes, strict=True))
        return np.asarray(((self.total[1] if two else whole) - pure) * ((1.0 + two) / whole))

    def compute_impurity(self, left: Bools) -> Floats:
        """FL of splits given row by row: shape (P,) for masks of shape (P, n)."""
        inside = left.astype(float) @ self.table[self.label]
        return self.impurity([inside[:, k] for k in self.tracked], inside.sum(axis=1))


@dataclass(frozen=True)
class Cuts:
    """The best cut, interval or step for each projection; derived records hold what cuts it."""

    impurity: Floats  # (P,)
    low: Floats  # (P,)
    high: Floats  # (P,)

    @classmethod
    def nothing(cls, n: int, impurity: float, *more: Any) -> Self:
        """Make n cuts that split nothing, with any further parts."""
        return cls(np.full(n, impurity), np.full(n, -np.inf), np.full(n, np.inf), *more)

    def __len__(self) -> int:
        return len(self.impurity)

    def take(self, places: Ints) -> Self:
        """Keep some of them, in the order given."""
        return type(self)(*(part[places] for part in vars(self).values()))

    def sort(self) -> Self:
        """Order them by impurity, best first; of equal ones the earlier first."""
        return self.take(np.argsort(self.impurity, kind="stable"))

    def append(self, other: Self) -> Self:
        """Append others."""
        parts = zip(vars(self).values(), vars(other).values(), strict=True)
        return type(self)(*map(np.concatenate, parts))

    def where(self, taken: Bools, other: Self) -> Self:
        """Take those of another at some places."""
        n_taken = np.count_nonzero(taken)
        if n_taken in (0, len(taken)):
            return other if n_taken else self
        parts = zip(vars(other).values(), vars(self).values(), strict=True)
        shape = -1, 1, 1  # each part is as long; weights and structures have more axes
        return type(self)(*(np.where(taken.reshape(shape[: b.ndim]), a, b) for a, b in parts))

    def take_better(self, other: Self) -> Self:
        """Take the better of two, one by one."""
        return self.where(other.impurity < self.impurity - EQUAL, other)

    def place(self, places: Ints, n: int) -> "Cuts":
        """Return n cuts with these at their places; elsewhere nothing was found."""
        cuts = Cuts.nothing(n, np.inf)
        cuts.impurity[places] = self.impurity
        cuts.low[places], cuts.high[places] = self.low, self.high
        return cuts


@dataclass(frozen=True)
class SplitTask:
    """What a split is searched for."""

    X: Floats  # (n, d)
    mass: ClassMass
    max_power_laws: int = 3
    exponents: tuple[int, ...] = (-3, -2, -1, 1, 2, 3)
    modulus: bool = True
    max_exponents: int = 12
    tau: float = 0.05


@dataclass(frozen=True)
class FoundSplit:
    """A split and what it is worth."""

    exponents: Exponents  # (q, d)
    weights: Floats  # (q,)
    low: float
    high: float
    modulus: bool
    impurity: float
    history: list[dict[str, Any]] = field(default_factory=list, compare=False)

    @property
    def n_exponents(self) -> int:
        """FU."""
        return int(np.count_nonzero(self.exponents))


def target_impurity(mass: ClassMass, tau: float) -> float:
    """Return the impurity a split has to reach."""
    total = np.sort(mass.total)[::-1]
    moved = np.arange(1 << min(len(total) - 1, 10))[:, None] >> np.arange(10) & 1
    few = np.pad(total[1:11], (0, max(0, 11 - len(total))))
    # every way to share the classes out to two sides
    left, square = (total[0] ** k + (moved * few**k).sum(axis=1) for k in (1, 2))
    whole = total.sum()
    rest, tiny = whole - left, TINY * whole
    leftover = square / left + ((total**2).sum() - square) / np.maximum(rest, tiny)
    best = float(np.where(rest > tiny, 1 - leftover / whole, np.inf).min())
    return max(best, 0.0) + min(tau, 0.1 * mass.gini)


def sample_rows(mass: ClassMass, most: int, rng: np.random.Generator) -> tuple[Ints, ClassMass]:
    """Draw a part of many rows by chance, class by class, each in its share and none thin."""
    counts = np.bincount(mass.codes, minlength=mass.n_classes)
    share = np.round(counts * min(1.0, most / mass.n_rows)).astype(np.int64)
    wanted = np.maximum(share, np.minimum(counts, THIN))
    drawn = [
        rng.choice(np.flatnonzero(mass.codes == k), int(n), replace=False)
        for k, n in enumerate(wanted)
    ]
    rows = np.sort(np.concatenate(drawn)).astype(np.int64)
    weight = None if mass.weight is None else mass.weight[rows]
    if (wanted > share).any():
        represented = counts / np.maximum(wanted, 1)
        weight = (1.0 if weight is None else weight) * represented[mass.codes[rows]]
    return rows, ClassMass(mass.codes[rows], weight, mass.n_classes)
