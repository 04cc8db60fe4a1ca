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

from dataclasses import dataclass

import numpy as np

from rulekit.families.power_law.solver.impurity import EQUAL, ClassMass, Cuts
from rulekit.families.power_law.solver.laws import Exponents, Floats, PowerTable
from rulekit.families.power_law.solver.scans import (
    best_band_step,
    best_cut,
    best_interval,
    best_step,
    centred,
)
from rulekit.families.power_law.solver.structures import (
    Found,
    Moments,
    Splits,
    StructureBlock,
    blocks,
    empty_splits,
)
from rulekit.search.sums import exp

NARROWEST, FEW = 0.35, 20  # share, and number at least, of a block's bands that are looked at
TAILS = 1.0  # spread of the logarithm of random weights
MAX_TARGETS = 3  # classes that get directions of their own


@dataclass(frozen=True)
class Effort:
    """How hard a structure is worked on."""

    starts: int = 1
    sweeps: int = 2
    lines: int = 0
    draws: int = 0


REFINED = Effort(1, 4, 0)
POLISHED = Effort(2, 4, 1, 4)
FINISHED = Effort(4, 6, 2, 8)
SETTLED = Effort(2, 4, 1, 4)  # where good weights are known from a part of the rows


class LowerLevel:
    """Finds weights and bias for structures on the rows of one node.

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
        """Compute weights from closed forms for each structure, and the best bias for these.

        Shapes: structures (P, p, d).
        """
        made = empty_splits(structures, self.mass.gini)
        for block in blocks(self.table, structures):
            best = Found.nothing(len(block.places), block.size, self.mass.gini)
            for w, target, width in self._directions(block, modulus):
                if not modulus:
                    best = best.or_better(w, best_cut(block.projected(w), self.mass))
                    continue
                few = np.argsort(width, kind="stable")[: max(FEW, int(NARROWEST * len(width)))]
                cuts = best_interval(block.projected(w, few), self.mass, 1, 1, target)
                best = best.or_better(w, cuts.at(few, len(width)))
            block.write(best, made)
        return made

    def improve(
        self, splits: Splits, modulus: bool, effort: Effort, rng: np.random.Generator
    ) -> Splits:
        """Improve weights by exact steps; never returns a worse split."""
        made = empty_splits(splits.structures, self.mass.gini)
        for block in blocks(self.table, splits.structures):
            best = Found.nothing(len(block.places), block.size, self.mass.gini)
            begun = block.scaled(splits.weights)
            for w in self._starts(block, begun, modulus, effort, rng):
                best = best.or_better(*self._descended(block, w, modulus, effort, rng))
            block.write(best, made)
        return splits.with_better(made)

    def _starts(
        self,
        block: StructureBlock,
        w: Floats,
        modulus: bool,
        effort: Effort,
        rng: np.random.Generator,
    ) -> list[Floats]:
        """Return the weights at hand, and the best of the axes and of many random directions."""
        if effort.starts == 1 or block.size == 1:
            return [w]
        # One sort tells what a start is worth, a descent from it takes dozens: many are drawn, few
        # are followed.
        shape = (len(block.places), block.size)
        tried = [np.broadcast_to(axis, shape) for axis in np.eye(block.size)]
        tried += [_random(shape, rng) for _ in range(effort.draws)]
        worth = np.array([self._bias(block.projected(t), modulus).impurity for t in tried])
        order = np.argsort(worth, axis=0, kind="stable")[: effort.starts - 1]
        each = np.arange(len(block.places))
        return [w, *(np.stack(tried)[place, each] for place in order)]

    def _descended(
        self,
        block: StructureBlock,
        w: Floats,
        modulus: bool,
        effort: Effort,
        rng: np.random.Generator,
    ) -> tuple[Floats, Cuts]:
        """Step along each coordinate, then along random lines, as long as it helps."""
        w = _unit(w)
        now = self._bias(block.projected(w), modulus)
        for sweep in range(effort.sweeps if block.size > 1 else 0):
            before = now.impurity
            for line in range(block.size + effort.lines):
                if line < block.size:
                    change = np.zeros_like(w)
                    change[:, line] = 1.0
                else:
                    change = _random(w.shape, rng)
                # first around the mean, as the closed forms are; then around rows, whose splits no
                # turn around the mean reaches
                pivot = None if sweep == 0 and line < block.size else rng
                w, now = self._stepped(block, w, now, change, modulus, pivot)
            if modulus:
                now = now.or_better(self._bias(block.projected(w), modulus))
            if not (now.impurity < before - EQUAL).any():
                break
        if modulus:
            value = block.projected(w)
            now = centred(value, now, self.mass).or_better(best_interval(value, self.mass))
        return w, now

    def _stepped(
        self,
        block: StructureBlock,
        w: Floats,
        now: Cuts,
        change: Floats,
        modulus: bool,
        pivot: np.random.Generator | None,
    ) -> tuple[Floats, Cuts]:
        """Take the best step along a line and the best bias there, where both together help.

        The boundary turns around the mean of the power laws, or around a row drawn by chance.
        """
        value, along = block.projected(w), block.projected(change)
        centre = np.zeros(len(w))
        if pivot is not None:
            centre = along[:, int(pivot.integers(along.shape[1]))].copy()
            along -= centre[:, None]
        if modulus:
            step = best_band_step(value, along, (now.low, now.high), self.mass)
        else:
            step = best_step(value - now.high[:, None], along, self.mass)
        better = step.impurity < now.impurity - EQUAL
        if not better.any():
            return w, now
        far = np.where(better, step.high, 0.0)
        moved = w + far[:, None] * change
        size = np.abs(moved).max(axis=1)
        better &= size > 0
        size = np.where(size > 0, size, 1.0)
        moved /= size[:, None]
        if modulus:  # the band goes with the pivot
            shift = far * centre
            there = Cuts(step.impurity, (now.low + shift) / size, (now.high + shift) / size)
        else:  # the step kept the bias: with a new one the moved weights may split better still
            there = self._bias(block.projected(moved), modulus)
            better &= there.impurity < now.impurity - EQUAL
        return np.where(better[:, None], moved, w), Cuts(
            np.where(better, there.impurity, now.impurity),
            np.where(better, there.low, now.low),
            np.where(better, there.high, now.high),
        )

    def _bias(self, value: Floats, modulus: bool) -> Cuts:
        return best_interval(value, self.mass, 1, 2) if modulus else best_cut(value, self.mass)

    def _directions(self, block: StructureBlock, modulus: bool) -> list[tuple[Floats, int, Floats]]:
        """Closed-form directions of shape (P, size), the class each is for, and how wide it is."""
        targets = self.targets if modulus or self.mass.n_classes > 2 else self.targets[:1]
        if block.size == 1:
            only = np.ones((len(block.places), 1))
            alike = np.zeros(len(only))
            return [(only, k, alike) for k in (targets if modulus else targets[:1])]
        moments = Moments(self.table, block.exponents, self.mass)
        made = moments.narrow if modulus else moments.discriminant
        found = [(k, *made(k)) for k in targets]
        # Of unit size, so that what rounding leaves of power laws that cancel stays below a step.
        return [(_unit(w), k, width) for k, w, width in found]


def _random(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Draw directions whose parts are of very different size: power laws have long tails."""
    spread = exp(TAILS * rng.standard_normal(shape))
    return np.asarray(rng.standard_normal(shape) * spread)


def _unit(w: Floats) -> Floats:
    """Scale weights so that the largest is 1 in size; all zero becomes all one."""
    size = np.abs(w).max(axis=1, keepdims=True)
    return np.where(size > 0, w / np.where(size > 0, size, 1.0), 1.0)
