"""Populations of structures, and blocks of them with their power laws at hand."""

# Legend:
#   P, p, n  structures, power laws of one, rows     w  (P, p) weights of the scaled power laws
#   G        (P, p, p) second moments of the laws    mu (P, p) their mean in one class

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rulekit._sums import narrowest, solve_systems
from rulekit.families.power_law.solver.laws import Exponents, Floats, Ints, PowerTable
from rulekit.families.power_law.solver.split_task import ClassMass, Cuts

RIDGE = 1e-6
BLOCK = 40_000  # numbers of one power law of a block: small enough for the cache


@dataclass(frozen=True)
class Found(Cuts):
    """The best weights so far of each structure of a block."""

    weights: Floats  # (P, p)


@dataclass(frozen=True)
class Splits(Cuts):
    """Structures with their weights: ``low <= sum of weights * power laws <= high`` is left."""

    weights: Floats  # (P, p)
    structures: Exponents  # (P, p, d)


def empty_splits(structures: Exponents, impurity: float) -> Splits:
    """Make a population that holds no split yet."""
    P, p = structures.shape[:2]
    return Splits.nothing(P, impurity, np.zeros((P, p)), structures)


@dataclass(frozen=True)
class StructureBlock:
    """Structures of one size with their power laws on the rows."""

    places: Ints  # in the population
    exponents: Exponents  # (P, size, d)
    laws: Floats  # (P, size, n), scaled
    mean: Floats  # (P, size)
    scale: Floats

    @property
    def size(self) -> int:
        """Power laws of each."""
        return int(self.exponents.shape[1])

    def start_splits(self, impurity: float) -> Found:
        """Begin with splits that split nothing."""
        return Found.nothing(len(self.places), impurity, np.ones((len(self.places), self.size)))

    def projected(self, w: Floats, some: Ints | None = None) -> Floats:
        """Sum weights times scaled power laws: shape (P, n); for some of the structures only."""
        from rulekit.families.power_law.solver import split_kernels

        w, laws = (w, self.laws) if some is None else (w[some], self.laws[some])
        return np.asarray(split_kernels.project(laws, np.ascontiguousarray(w)))

    def scale_weights(self, weights: Floats) -> Floats:
        """Turn weights of power laws into weights of scaled ones."""
        flat = np.isinf(self.scale)
        return weights[self.places, : self.size] * np.where(flat, 0.0, self.scale)

    def write(self, cuts: Found, splits: Splits) -> None:
        """Write what was found into the population, in terms of the unscaled power laws."""
        weights = cuts.weights / self.scale
        shift = (weights * np.where(np.isinf(self.scale), 0.0, self.mean)).sum(axis=1)
        size = np.abs(weights).max(axis=1)
        size = np.where(size > 0, size, 1.0)
        splits.weights[self.places, : self.size] = weights / size[:, None]
        splits.low[self.places] = (cuts.low + shift) / size
        splits.high[self.places] = (cuts.high + shift) / size
        splits.impurity[self.places] = cuts.impurity


class Moments:
    """Second moments of the power laws of structures, over all rows and within classes."""

    def __init__(self, table: PowerTable, structures: Exponents, mass: ClassMass) -> None:
        self.table, self.structures, self.mass = table, np.ascontiguousarray(structures), mass
        self.weight = np.ones(mass.n_rows) if mass.weight is None else mass.weight
        self.whole = float(self.weight.sum())
        self._computed: dict[int, tuple[Floats, Floats, Floats, Floats]] = {}

    def _compute_within(self, k: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Compute mean and second moments over all rows, then within a class."""
        from rulekit.families.power_law.solver import split_kernels

        if k not in self._computed:
            inside = np.where(self.mass.codes == k, self.weight, 0.0)
            rows = self.weight, inside
            computed = split_kernels.moments(self.table.powers, self.structures, *rows)
            self._computed[k] = computed
            if self.mass.n_classes == 2:  # what is not in one class is in the other
                mean, second, mu, within = computed
                n, rest = self.mass.total[k], self.mass.total[1 - k]
                mu, within = (
                    (self.whole * all_rows - n * part) / rest
                    for all_rows, part in ((mean, mu), (second, within))
                )
                self._computed[1 - k] = mean, second, mu, within
        return self._computed[k]

    def discriminant(self, k: int) -> tuple[Floats, Floats]:
        """Fisher's direction for a class against the rest; the second part is less the better."""
        mean, second, mu, _ = self._compute_within(k)
        delta = mu - mean
        total = second - mean[:, :, None] * mean[:, None, :]
        w = solve_systems(_add_ridge(total), delta[:, :, None])[:, :, 0]
        return w, -(delta * w).sum(axis=1)

    def narrow(self, k: int) -> tuple[Floats, Floats]:
        """Find the direction along which a class is narrowest, the rest taken around its mean."""
        mean, second, mu, inside = self._compute_within(k)
        covariance = inside - mu[:, :, None] * mu[:, None, :]
        n = self.mass.total[k]
        rest = (self.whole * second - n * inside) / (self.whole - n)
        mean = (self.whole * mean - n * mu) / (self.whole - n)
        cross = mean[:, :, None] * mu[:, None, :]
        around = rest - cross - cross.transpose(0, 2, 1) + mu[:, :, None] * mu[:, None, :]
        return narrowest(covariance, _add_ridge(around))


def _add_ridge(matrices: Floats) -> Floats:
    """Make positive definite: scaled power laws have variances about 1."""
    return np.asarray(matrices + RIDGE * np.eye(matrices.shape[1]))


def blocks(
    table: PowerTable, structures: Exponents, step: int | None = None
) -> Iterator[StructureBlock]:
    """Cut a population into blocks of as many power laws each, few enough for the cache."""
    sizes = structures.any(axis=2).sum(axis=1)
    step = max(1, BLOCK // table.n_rows) if step is None else step
    for size in range(1, structures.shape[1] + 1):
        places = np.flatnonzero(sizes == size)
        for start in range(0, len(places), step):
            some = places[start : start + step]
            exponents = structures[some, :size]
            laws = table.laws(exponents.reshape(-1, structures.shape[2]))
            parts = (part.reshape(len(some), size, *part.shape[1:]) for part in laws)
            yield StructureBlock(some, exponents, *parts)
