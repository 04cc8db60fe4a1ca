"""The lower level, exactly: weights and bias of given structures, for many structures at once.

For each structure a few directions in B-space come from closed forms: Fisher's discriminant for a
cut, for a band the direction along which one class is narrow and the rest is wide. Each gets its
best cut or interval by sorting. The survivors are improved by exact steps along coordinates and
random lines. The paper searches the same weights with a genetic algorithm (`genetic`); this takes
microseconds a structure where that takes milliseconds, and is the better of the two on average.

Legend (Dhebar and Deb, sections III-B and IV-C)::

    P, p, n  structures, power laws of one, rows     w  (P, p) weights of the scaled power laws
    m        modulus flag: a band instead of a cut   FL impurity after the split, Eq. 6
    G        (P, p, p) second moments of the laws    mu (P, p) their mean in one class
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rulekit.solvers.impurity import (
    EQUAL,
    ClassMass,
    Cuts,
    best_band_step,
    best_cut,
    best_interval,
    best_step,
)
from rulekit.solvers.power_laws import Exponents, Floats, Ints, PowerTable

RIDGE = 1e-6
BLOCK = 40_000  # numbers of one power law of a block: small enough for the cache
MAX_TARGETS = 3  # classes that get directions of their own


@dataclass(frozen=True)
class Splits:
    """Structures with their weights: ``low <= sum of weights * power laws <= high`` is left.

    Attributes
    ----------
    structures : ndarray of int8, shape (P, p, d)
        Exponents, empty rows last.
    weights : ndarray of float, shape (P, p)
        Weights of the power laws themselves, 0 for empty rows.
    low, high : ndarray of float, shape (P,)
        Bounds; `low` is -inf for a cut.
    impurity : ndarray of float, shape (P,)
        FL.
    """

    structures: Exponents
    weights: Floats
    low: Floats
    high: Floats
    impurity: Floats

    def __len__(self) -> int:
        return len(self.structures)

    def take(self, places: Ints) -> "Splits":
        """Keep some of them, in the order given."""
        parts = (self.structures, self.weights, self.low, self.high, self.impurity)
        return Splits(*(part[places] for part in parts))

    def with_better(self, other: "Splits") -> "Splits":
        """Take the better of two, one by one; both hold the same structures."""
        better = other.impurity < self.impurity - EQUAL
        return Splits(
            self.structures,
            np.where(better[:, None], other.weights, self.weights),
            np.where(better, other.low, self.low),
            np.where(better, other.high, self.high),
            np.where(better, other.impurity, self.impurity),
        )


@dataclass(frozen=True)
class Effort:
    """How hard a structure is worked on.

    Attributes
    ----------
    starts : int
        Directions to begin with: those at hand, and random ones.
    sweeps : int
        Rounds over the coordinates.
    lines : int
        Random lines after each round.
    """

    starts: int = 1
    sweeps: int = 2
    lines: int = 0


REFINED = Effort(1, 2, 0)
POLISHED = Effort(8, 8, 2)


class LowerLevel:
    """Finds weights and bias for structures on the rows of one node.

    Parameters
    ----------
    table : PowerTable
        The rows.
    mass : ClassMass
        Their classes and weights.

    Notes
    -----
    `screen` costs O(p^2 n + n log n) a structure, `improve` one sort for each step along a line.
    """

    def __init__(self, table: PowerTable, mass: ClassMass) -> None:
        self.table, self.mass = table, mass
        order = np.argsort(-mass.total, kind="stable")
        largest = order[:MAX_TARGETS] if mass.n_classes > 2 else np.array([1, 0])
        self.targets = [int(k) for k in largest if mass.total[k] > 0]

    def screen(self, structures: Exponents, modulus: bool) -> Splits:
        """Give each structure weights from closed forms and the best bias for these.

        Parameters
        ----------
        structures : ndarray of int8, shape (P, p, d)
            Empty rows last.
        modulus : bool
            A band instead of a cut.

        Returns
        -------
        Splits
        """
        made = _empty(structures, self.mass.gini)
        for block in self._blocks(structures):
            best = _Found.nothing(len(block.places), block.size, self.mass.gini)
            for w, target in self._directions(block, modulus):
                value = block.projected(w)
                if modulus:
                    cuts = best_interval(value, self.mass, 1, 1, target)
                else:
                    cuts = best_cut(value, self.mass)
                best = best.or_better(w, cuts)
            block.write(best, made)
        return made

    def improve(
        self, splits: Splits, modulus: bool, effort: Effort, rng: np.random.Generator
    ) -> Splits:
        """Improve weights by exact steps; never returns a worse split.

        Parameters
        ----------
        splits : Splits
            Where to begin; a copy of each is the first start.
        modulus : bool
            A band instead of a cut.
        effort : Effort
            Starts, sweeps, lines.
        rng : numpy.random.Generator
            Draws further starts, and lines.

        Returns
        -------
        Splits
            The same structures.
        """
        made = _empty(splits.structures, self.mass.gini)
        for block in self._blocks(splits.structures):
            best = _Found.nothing(len(block.places), block.size, self.mass.gini)
            begun = block.scaled(splits.weights)
            for start in range(effort.starts):
                w = begun if start == 0 else rng.standard_normal(begun.shape)
                best = best.or_better(*self._descended(block, w, modulus, effort, rng))
            block.write(best, made)
        return splits.with_better(made)

    def _descended(
        self,
        block: "_Block",
        w: Floats,
        modulus: bool,
        effort: Effort,
        rng: np.random.Generator,
    ) -> tuple[Floats, Cuts]:
        """Step along each coordinate, then along random lines, as long as it helps."""
        w = _unit(w)
        now = self._bias(block.projected(w), modulus)
        for _ in range(effort.sweeps if block.size > 1 else 0):
            before = now.impurity
            for line in range(block.size + effort.lines):
                if line < block.size:
                    change = np.zeros_like(w)
                    change[:, line] = 1.0
                else:
                    change = rng.standard_normal(w.shape)
                w, now = self._stepped(block, w, now, change, modulus)
            if not (now.impurity < before - EQUAL).any():
                break
        if not modulus:
            return w, now
        last = best_interval(block.projected(w), self.mass)
        better = last.impurity < now.impurity
        return w, Cuts(
            np.where(better, last.impurity, now.impurity),
            np.where(better, last.low, now.low),
            np.where(better, last.high, now.high),
        )

    def _stepped(
        self, block: "_Block", w: Floats, now: Cuts, change: Floats, modulus: bool
    ) -> tuple[Floats, Cuts]:
        """Take the best step along a line and the best bias there, where both together help."""
        value, along = block.projected(w), block.projected(change)
        if modulus:
            step = best_band_step(value, along, (now.low, now.high), self.mass)
        else:
            step = best_step(value - now.high[:, None], along, self.mass)
        better = step.impurity < now.impurity - EQUAL
        if not better.any():
            return w, now
        moved = _unit(w + np.where(better, step.high, 0.0)[:, None] * change)
        there = self._bias(block.projected(moved), modulus)
        kept = better & (there.impurity < now.impurity - EQUAL)
        return np.where(kept[:, None], moved, w), Cuts(
            np.where(kept, there.impurity, now.impurity),
            np.where(kept, there.low, now.low),
            np.where(kept, there.high, now.high),
        )

    def _bias(self, value: Floats, modulus: bool) -> Cuts:
        return best_interval(value, self.mass, 1, 2) if modulus else best_cut(value, self.mass)

    def _directions(self, block: "_Block", modulus: bool) -> list[tuple[Floats, int]]:
        """Closed-form directions of shape (P, size), each with the class it is for."""
        targets = self.targets if modulus or self.mass.n_classes > 2 else self.targets[:1]
        if block.size == 1:
            only = np.ones((len(block.places), 1))
            return [(only, k) for k in (targets if modulus else targets[:1])]
        moments = _Moments(block, self.mass)
        made = moments.narrow if modulus else moments.discriminant
        return [(made(k), k) for k in targets]

    def _blocks(self, structures: Exponents) -> Iterator["_Block"]:
        """Cut a population into blocks of as many power laws each, few enough for the cache."""
        sizes = structures.any(axis=2).sum(axis=1)
        step = max(1, BLOCK // self.table.n_rows)
        for size in range(1, structures.shape[1] + 1):
            places = np.flatnonzero(sizes == size)
            for start in range(0, len(places), step):
                part = places[start : start + step]
                yield _Block.of(self.table, structures, part, size)


@dataclass(frozen=True)
class _Block:
    """Structures of one size with their power laws on the rows."""

    places: Ints  # in the population
    size: int
    laws: Floats  # (P, size, n), scaled
    mean: Floats  # (P, size)
    scale: Floats

    @classmethod
    def of(cls, table: PowerTable, structures: Exponents, places: Ints, size: int) -> "_Block":
        rows = structures[places, :size].reshape(-1, structures.shape[2])
        found = table.laws(rows)
        shape = (len(places), size)
        return cls(
            places,
            size,
            found.values.reshape(*shape, -1),
            found.mean.reshape(shape),
            found.scale.reshape(shape),
        )

    def projected(self, w: Floats) -> Floats:
        """Sum weights times scaled power laws: shape (P, n)."""
        value = w[:, [0]] * self.laws[:, 0]
        for a in range(1, self.size):
            value += w[:, [a]] * self.laws[:, a]
        return value

    def scaled(self, weights: Floats) -> Floats:
        """Turn weights of power laws into weights of scaled ones."""
        flat = np.isinf(self.scale)
        return weights[self.places, : self.size] * np.where(flat, 0.0, self.scale)

    def write(self, found: "_Found", made: Splits) -> None:
        """Put what was found into the population, in terms of the power laws themselves."""
        weights = found.weights / self.scale
        shift = (weights * np.where(np.isinf(self.scale), 0.0, self.mean)).sum(axis=1)
        size = np.abs(weights).max(axis=1)
        size = np.where(size > 0, size, 1.0)
        made.weights[self.places, : self.size] = weights / size[:, None]
        made.low[self.places] = (found.low + shift) / size
        made.high[self.places] = (found.high + shift) / size
        made.impurity[self.places] = found.impurity


@dataclass(frozen=True)
class _Found:
    """The best weights so far of each structure of a block."""

    weights: Floats
    low: Floats
    high: Floats
    impurity: Floats

    @classmethod
    def nothing(cls, n: int, size: int, impurity: float) -> "_Found":
        infinite = np.full(n, np.inf)
        return cls(np.ones((n, size)), -infinite, infinite, np.full(n, impurity))

    def or_better(self, weights: Floats, cuts: Cuts) -> "_Found":
        better = cuts.impurity < self.impurity - EQUAL
        return _Found(
            np.where(better[:, None], weights, self.weights),
            np.where(better, cuts.low, self.low),
            np.where(better, cuts.high, self.high),
            np.where(better, cuts.impurity, self.impurity),
        )


class _Moments:
    """Second moments of a block's power laws, over all rows and within classes."""

    def __init__(self, block: _Block, mass: ClassMass) -> None:
        self.block, self.mass = block, mass
        self.weight = np.ones(mass.n_rows) if mass.weight is None else mass.weight
        self.whole = float(self.weight.sum())
        self.mean = self._means(self.weight)
        self.second = self._seconds(self.weight)

    def discriminant(self, k: int) -> Floats:
        """Fisher's direction for a class against the rest.

        The within-class scatter differs from the total one by a multiple of the outer product of
        the very vector it is applied to, so the total one gives the same direction.
        """
        inside = np.where(self.mass.codes == k, self.weight, 0.0)
        delta = self._means(inside) - self.mean
        total = self.second - self.mean[:, :, None] * self.mean[:, None, :]
        return np.linalg.solve(_ridged(total), delta[:, :, None])[:, :, 0]

    def narrow(self, k: int) -> Floats:
        """The direction along which a class is narrowest, against the rest around its mean."""
        inside = np.where(self.mass.codes == k, self.weight, 0.0)
        mu, second = self._means(inside), self._seconds(inside)
        own = second - mu[:, :, None] * mu[:, None, :]
        n = self.mass.total[k]
        rest = (self.whole * self.second - n * second) / (self.whole - n)
        mean = (self.whole * self.mean - n * mu) / (self.whole - n)
        cross = mean[:, :, None] * mu[:, None, :]
        around = rest - cross - cross.transpose(0, 2, 1) + mu[:, :, None] * mu[:, None, :]
        root = np.linalg.inv(np.linalg.cholesky(_ridged(around)))
        _, vectors = np.linalg.eigh(root @ own @ root.transpose(0, 2, 1))
        return np.einsum("pba,pb->pa", root, vectors[:, :, 0])

    def _means(self, weight: Floats) -> Floats:
        return np.einsum("pan,n->pa", self.block.laws, weight) / weight.sum()

    def _seconds(self, weight: Floats) -> Floats:
        laws, size = self.block.laws, self.block.size
        made = np.empty((len(laws), size, size))
        for a in range(size):
            weighted = laws[:, a] * weight
            for b in range(a, size):
                made[:, a, b] = np.einsum("pn,pn->p", weighted, laws[:, b])
                made[:, b, a] = made[:, a, b]
        return made / weight.sum()


def _ridged(matrices: Floats) -> Floats:
    """Make positive definite: scaled power laws have variances about 1."""
    return matrices + RIDGE * np.eye(matrices.shape[1])


def _unit(w: Floats) -> Floats:
    """Scale weights so that the largest is 1 in size; all zero becomes all one."""
    size = np.abs(w).max(axis=1, keepdims=True)
    return np.where(size > 0, w / np.where(size > 0, size, 1.0), 1.0)


def _empty(structures: Exponents, impurity: float) -> Splits:
    """Make a population that holds no split yet."""
    P, p = structures.shape[:2]
    infinite = np.full(P, np.inf)
    return Splits(structures, np.zeros((P, p)), -infinite, infinite, np.full(P, impurity))
