"""The paper's lower level: a genetic algorithm for weights and bias of given power laws.

Vectorised over the individuals, and over structures. Where the paper's text cannot be meant, the
reading of its authors' later code is taken: the bias of a dipole has the opposite sign of Eq. 12
(the rule is ``theta + w.B <= 0``), the half width of a band is scaled like the weights, and an
individual is divided by its largest number so that it fits the box. Power laws enter with mean 0
and standard deviation 1, since the box means nothing otherwise.

Legend (Dhebar and Deb, section IV-C)::

    S, N, v  structures, individuals, variables     w, theta  weights and biases, in [-1, 1]
    SBX      simulated binary crossover             FL        impurity after the split
"""

from dataclasses import dataclass

import numpy as np

from rulekit._sums import power
from rulekit.families.power_law.solver.impurity import ClassMass, Cuts
from rulekit.families.power_law.solver.laws import Bools, Exponents, Floats, PowerTable
from rulekit.families.power_law.solver.split_search import Effort
from rulekit.families.power_law.solver.structures import (
    Found,
    Splits,
    StructureBlock,
    blocks,
    empty_splits,
)

WORK = 400_000  # numbers of all individuals on all rows that are worked on together


@dataclass(frozen=True)
class WeightSettings:
    """Settings of the lower-level algorithm (supplement S2-C)."""

    population: int = 50
    generations: int = 50
    crossover: float = 0.9
    eta_crossover: float = 2.0
    eta_mutation: float = 15.0
    patience: int = 10
    progress: float = 1e-4


PAPER = WeightSettings()


class GeneticLevel:
    """Finds weights and bias as the paper does; takes the place of `LowerLevel`."""

    def __init__(
        self,
        table: PowerTable,
        mass: ClassMass,
        rng: np.random.Generator,
        settings: WeightSettings = PAPER,
    ) -> None:
        self.table, self.mass, self.rng, self.settings = table, mass, rng, settings
        self.members = [np.flatnonzero(mass.codes == k) for k in range(mass.n_classes)]

    def screen(self, structures: Exponents, modulus: bool) -> Splits:
        """Run the algorithm for each structure.

        Shapes: structures (P, p, d).
        """
        splits = empty_splits(structures, self.mass.gini)
        together = max(1, WORK // (self.settings.population * self.mass.n_rows))
        for block in blocks(self.table, structures, together):
            best, worth = self._evolved(block, modulus)
            w, bias = best[:, : block.size], best[:, block.size]
            half = np.abs(best[:, -1])
            low = -bias - half if modulus else np.full(len(w), -np.inf)
            high = -bias + half if modulus else -bias
            nothing = Found.nothing(len(w), block.size, self.mass.gini)
            block.write(nothing.or_better(w, Cuts(worth, low, high)), splits)
        return splits

    def improve(
        self, splits: Splits, modulus: bool, effort: Effort, rng: np.random.Generator
    ) -> Splits:
        """Return splits as they are: the algorithm has no further step."""
        return splits

    def _evolved(self, block: StructureBlock, modulus: bool) -> tuple[Floats, Floats]:
        """Evolve the individuals of each structure; the best of each, and its FL."""
        settings = self.settings
        people = self._dipoles(block, modulus)
        worth = self._worth(block.laws, people, modulus)
        people, worth = _fittest(people, worth, settings.population)
        active = np.arange(len(people))
        past = [worth[:, 0].copy()]
        for _ in range(settings.generations):
            children = self._children(people[active], worth[active])
            value = self._worth(block.laws[active], children, modulus)
            both = np.concatenate([people[active], children], axis=1)
            all_worth = np.concatenate([worth[active], value], axis=1)
            people[active], worth[active] = _fittest(both, all_worth, settings.population)
            past.append(worth[:, 0].copy())
            if len(past) > settings.patience:
                before = past[-1 - settings.patience][active]
                moving = before - worth[active, 0] > settings.progress * before
                active = active[moving]
                if not len(active):
                    break
        return people[:, 0], worth[:, 0]

    def _dipoles(self, block: StructureBlock, modulus: bool) -> Floats:
        """Begin with planes between two rows of different class, at right angles to their line."""
        S, N = len(block.places), self.settings.population
        one, other = self._pairs(S, N)
        each = np.arange(S)[:, None]
        a = block.laws[each, :, one]
        b = block.laws[each, :, other]
        w = a - b
        share = self.rng.random((S, N, 1))
        along_a, along_b = ((w * x).sum(axis=2, keepdims=True) for x in (a, b))
        bias = -(share * along_b + (1 - share) * along_a)
        parts = [w, bias]
        if modulus:
            parts.append(np.minimum(share, 1 - share) * (w * w).sum(axis=2, keepdims=True))
        people = np.concatenate(parts, axis=2)
        largest = np.abs(people[:, :, : block.size + 1]).max(axis=2, keepdims=True)
        people /= np.where(largest > 0, largest, 1.0)
        return np.clip(people, -1.0, 1.0)

    def _pairs(self, S: int, N: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows of two different classes for each individual."""
        first = self.rng.integers(0, self.mass.n_rows, (S, N))
        second = np.empty_like(first)
        codes = self.mass.codes[first]
        for k in range(self.mass.n_classes):
            others = np.flatnonzero(self.mass.codes != k)
            mine = codes == k
            second[mine] = others[self.rng.integers(0, len(others), int(mine.sum()))]
        return first, second

    def _worth(self, laws: Floats, people: Floats, modulus: bool) -> Floats:
        """FL of individuals: shape (S, N)."""
        from rulekit.families.power_law.solver import split_kernels

        mass = self.mass
        arrays = (np.ascontiguousarray(part) for part in (laws, people))
        worth = split_kernels.people_worth(
            *arrays, mass.label, mass.total, mass.units, mass.unit, modulus
        )
        return np.asarray(worth)

    def _children(self, people: Floats, worth: Floats) -> Floats:
        """Select by tournament, cross, mutate: as many children as there are individuals."""
        parents = self._selected(people, worth)
        return self._mutated(self._crossed(parents))

    def _selected(self, people: Floats, worth: Floats) -> Floats:
        """Draw parents by binary tournaments."""
        S, N = worth.shape
        rivals = self.rng.integers(0, N, (2, S, N))
        each = np.arange(S)[:, None]
        first = worth[each, rivals[0]] <= worth[each, rivals[1]]
        return people[each, np.where(first, rivals[0], rivals[1])]

    def _crossed(self, parents: Floats) -> Floats:
        """Cross neighbours by simulated binary crossover."""
        settings, rng = self.settings, self.rng
        a, b = parents[:, 0::2], parents[:, 1::2]
        a = a[:, : b.shape[1]]
        u = rng.random(a.shape)
        crossed: Bools = rng.random((*a.shape[:2], 1)) < settings.crossover
        taken = crossed & (rng.random(a.shape) < 0.5)
        u = u[taken]
        spread = np.where(u <= 0.5, 2 * u, 0.5 / np.maximum(1 - u, 1e-12))
        beta = np.ones(a.shape)
        beta[taken] = power(spread, 1.0 / (settings.eta_crossover + 1.0))
        children = parents.copy()
        children[:, 0 : 2 * b.shape[1] : 2] = 0.5 * ((1 + beta) * a + (1 - beta) * b)
        children[:, 1 : 2 * b.shape[1] : 2] = 0.5 * ((1 - beta) * a + (1 + beta) * b)
        return np.clip(children, -1.0, 1.0)

    def _mutated(self, people: Floats) -> Floats:
        """Polynomial mutation within the box, of one variable an individual on average."""
        rng, exponent = self.rng, 1.0 / (self.settings.eta_mutation + 1.0)
        chosen = rng.random(people.shape) < 1.0 / people.shape[2]
        u = rng.random(people.shape)[chosen]
        far = 1.0 - power(2 * np.minimum(u, 1 - u), exponent)
        moved = people.copy()
        moved[chosen] += np.where(u < 0.5, -2.0, 2.0) * far  # the box is two wide
        return np.clip(moved, -1.0, 1.0)


def _fittest(people: Floats, worth: Floats, n: int) -> tuple[Floats, Floats]:
    """Keep the best n of each structure, best first; of equal ones the older."""
    order = np.argsort(worth, axis=1, kind="stable")[:, :n]
    each = np.arange(len(worth))[:, None]
    return people[each, order], worth[each, order]
