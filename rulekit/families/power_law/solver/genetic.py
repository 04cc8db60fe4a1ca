"""The paper's genetic algorithms: for the power laws of a split, and for their weights and bias."""

# Upper level: an individual is a matrix of exponents and the modulus flag. What the paper leaves
# open is settled as follows: a matrix without an exponent gets one by chance, of two equal rows one
# is emptied, the ranking of infeasible individuals with equal FL goes on with FU and the flag,
# exponents mutated out of the set stay at its end, and the search ends after `patience` generations
# without a change once a split is pure enough. Individuals met before are not worked out again.
#
# Lower level: vectorised over the individuals, and over structures. Where the paper's text cannot
# be meant, the reading of its authors' later code is taken: the bias of a dipole has the opposite
# sign of Eq. 12 (the rule is ``theta + w.B <= 0``), the half width of a band is scaled like the
# weights, and an individual is divided by its largest number so that it fits the box. Power laws
# enter with mean 0 and standard deviation 1, since the box means nothing otherwise.
#
# Legend (Dhebar and Deb, sections IV-B and IV-C):
#   B   (p, d) exponents of one individual          FU  non-zero exponents, Eq. 7
#   m   modulus flag                                FL  impurity after the split, Eq. 6
#   tau impurity a split has to reach               E   the set of exponents, sorted, 0 included
#   S, N, v  structures, individuals, variables     w, theta  weights and biases, in [-1, 1]

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from rulekit._sums import power
from rulekit.families.power_law.solver.laws import (
    Bools,
    Exponents,
    Floats,
    Ints,
    PowerTable,
    canonical,
    distinct,
    n_exponents,
)
from rulekit.families.power_law.solver.split_search import (
    REFINED,
    Effort,
    Found,
    LowerLevel,
    Splits,
    StructureBlock,
    blocks,
    empty_splits,
)
from rulekit.families.power_law.solver.split_task import ClassMass, FoundSplit, SplitTask

WORK = 400_000  # numbers of all individuals on all rows that are worked on together


class GeneticLevel(LowerLevel):
    """Finds weights and bias as the paper does (supplement S2-C)."""

    population, generations = 50, 50
    crossover, eta_crossover, eta_mutation = 0.9, 2.0, 15.0
    patience, progress = 10, 1e-4

    def __init__(self, table: PowerTable, mass: ClassMass, rng: Generator) -> None:
        super().__init__(table, mass)
        self.rng = rng

    def screen(self, structures: Exponents, modulus: bool) -> Splits:
        """Run the algorithm for each structure; shapes: structures (P, p, d)."""
        splits = empty_splits(structures, self.mass.gini)
        together = max(1, WORK // (self.population * self.mass.n_rows))
        for block in blocks(self.table, structures, together):
            best, worth = self._evolve(block, modulus)
            w, bias = best[:, : block.size], best[:, block.size]
            half = np.abs(best[:, -1])
            low = -bias - half if modulus else np.full(len(w), -np.inf)
            high = -bias + half if modulus else -bias
            found = block.start_splits(self.mass.gini).take_better(Found(worth, low, high, w))
            block.write(found, splits)
        return splits

    def improve(self, splits: Splits, modulus: bool, effort: Effort, rng: Generator) -> Splits:
        """Return splits as they are: the algorithm has no further step."""
        return splits

    def _evolve(self, block: StructureBlock, modulus: bool) -> tuple[Floats, Floats]:
        """Evolve the individuals of each structure; the best of each, and its FL."""
        people = self._dipoles(block, modulus)
        worth = self._worth(block.laws, people, modulus)
        people, worth = _fittest(people, worth, self.population)
        active = np.arange(len(people))
        past = [worth[:, 0].copy()]
        for _ in range(self.generations):
            # binary tournaments
            rivals = self.rng.integers(0, self.population, (2, len(active), self.population))
            each = active[:, None]
            first = worth[each, rivals[0]] <= worth[each, rivals[1]]
            parents = people[each, np.where(first, rivals[0], rivals[1])]
            children = self._mutate(self._cross(parents))
            value = self._worth(block.laws[active], children, modulus)
            both = np.concatenate([people[active], children], axis=1)
            all_worth = np.concatenate([worth[active], value], axis=1)
            people[active], worth[active] = _fittest(both, all_worth, self.population)
            past.append(worth[:, 0].copy())
            if len(past) > self.patience:
                before = past[-1 - self.patience][active]
                active = active[before - worth[active, 0] > self.progress * before]
                if not len(active):
                    break
        return people[:, 0], worth[:, 0]

    def _dipoles(self, block: StructureBlock, modulus: bool) -> Floats:
        """Begin with planes between two rows of different class, at right angles to their line."""
        S, N = len(block.places), self.population
        one, other = self._pairs(S, N)
        each = np.arange(S)[:, None]
        a, b = block.laws[each, :, one], block.laws[each, :, other]
        w = a - b
        share = self.rng.random((S, N, 1))
        along_a, along_b = ((w * x).sum(axis=2, keepdims=True) for x in (a, b))
        parts = [w, -(share * along_b + (1 - share) * along_a)]
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
        from rulekit.families.power_law.solver.split_kernels import people_worth

        mass = self.mass
        arrays = (np.ascontiguousarray(part) for part in (laws, people))
        worth = people_worth(*arrays, mass.label, mass.total, mass.units, mass.unit, modulus)
        return np.asarray(worth)

    def _cross(self, parents: Floats) -> Floats:
        """Cross neighbours by simulated binary crossover."""
        rng = self.rng
        a, b = parents[:, 0::2], parents[:, 1::2]
        a = a[:, : b.shape[1]]
        u = rng.random(a.shape)
        crossed: Bools = rng.random((*a.shape[:2], 1)) < self.crossover
        taken = crossed & (rng.random(a.shape) < 0.5)
        u = u[taken]
        spread = np.where(u <= 0.5, 2 * u, 0.5 / np.maximum(1 - u, 1e-12))
        beta = np.ones(a.shape)
        beta[taken] = power(spread, 1.0 / (self.eta_crossover + 1.0))
        children = parents.copy()
        children[:, 0 : 2 * b.shape[1] : 2] = 0.5 * ((1 + beta) * a + (1 - beta) * b)
        children[:, 1 : 2 * b.shape[1] : 2] = 0.5 * ((1 - beta) * a + (1 + beta) * b)
        return np.clip(children, -1.0, 1.0)

    def _mutate(self, people: Floats) -> Floats:
        """Polynomial mutation within the box, of one variable an individual on average."""
        rng, exponent = self.rng, 1.0 / (self.eta_mutation + 1.0)
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


ShouldStop = Callable[[], bool]
MAX_POPULATION = 600


@dataclass(frozen=True)
class Population(Splits):
    """Individuals with what the lower level found for them."""

    modulus: Bools  # (N,)

    def order(self, tau: float) -> Ints:
        """Rank by Definition IV.1: feasible first, then FU, FL, m; infeasible by FL."""
        worth, size = self.impurity, n_exponents(self.structures)
        feasible = worth <= tau
        leading = np.where(feasible, size, 0)
        return np.lexsort((self.modulus, size, worth, leading, ~feasible)).astype(np.int64)


def genetic_search(
    task: SplitTask,
    rng: Generator,
    should_stop: ShouldStop | None = None,
    *,
    lower_level: str = "genetic",
) -> FoundSplit | None:
    """Find a short split that is pure enough, as the paper does."""
    varying = np.flatnonzero(np.ptp(task.X, axis=0) > 0)
    if len(varying) == 0:
        return None
    return _Evolution(task, varying, rng, lower_level).best(should_stop)


class _Evolution:
    """One run of the upper level (supplement S2-B)."""

    generations, patience = 100, 20
    crossover, beta, to_zero = 0.9, 3.0, 0.75

    def __init__(self, task: SplitTask, varying: Ints, rng: Generator, lower_level: str) -> None:
        self.task, self.rng, self.varying = task, rng, varying
        self.table = PowerTable(task.X[:, varying], max(abs(e) for e in task.exponents))
        self.lower = LowerLevel(self.table, task.mass)
        if lower_level == "genetic":
            self.lower = GeneticLevel(self.table, task.mass, rng)
        self.d, self.p = len(varying), task.max_power_laws
        self.E = np.array(sorted({0, *task.exponents}), dtype=np.int8)
        self.size, self.rate = min(10 * self.d, MAX_POPULATION), min(0.33, 1.0 / self.d)
        self.memory: dict[tuple[bytes, bool], tuple[Any, ...]] = {}
        self.history: list[dict[str, Any]] = []

    def best(self, should_stop: ShouldStop | None) -> FoundSplit:
        """Run until nothing changes any more."""
        people = self._evaluate(*self._initial())
        people = people.take(people.order(self.task.tau))
        self._note(people)
        unchanged = 0
        for _ in range(self.generations):
            if should_stop is not None and should_stop():
                break
            before = self._rank_of_best(people)
            both = people.append(self._evaluate(*self._children(people)))
            people = both.take(both.order(self.task.tau)[: self.size])
            self._note(people)
            unchanged = 0 if self._rank_of_best(people) != before else unchanged + 1
            if unchanged >= self.patience and before[0]:
                break
        best = people.first(bool(people.modulus[0]))
        exponents = np.zeros((len(best.weights), self.task.X.shape[1]), dtype=np.int8)
        exponents[:, self.varying] = best.exponents
        return replace(best, exponents=exponents, history=self.history)

    def _rank_of_best(self, people: Population) -> tuple[bool, int, float]:
        feasible = bool(people.impurity[0] <= self.task.tau)
        return feasible, int(n_exponents(people.structures[:1])[0]), float(people.impurity[0])

    def _initial(self) -> tuple[Exponents, Bools]:
        """One exponent each, every feature with and without the flag; two where there are more."""
        kinds = 1 + self.task.modulus
        structures = np.zeros((self.size, self.p, self.d), dtype=np.int8)
        modulus = np.zeros(self.size, dtype=bool)
        nonzero = self.E[self.E != 0]
        for k in range(self.size):
            row = self.rng.integers(self.p)
            first = k % self.d if k < kinds * self.d else self.rng.integers(self.d)
            structures[k, row, first] = self.rng.choice(nonzero)
            modulus[k] = k >= self.d if k < kinds * self.d else self.rng.random() < 0.5
            if k >= kinds * self.d:
                exponent = self.rng.choice(nonzero)
                structures[k, self.rng.integers(self.p), self.rng.integers(self.d)] = exponent
        return structures, modulus & self.task.modulus

    def _evaluate(self, structures: Exponents, modulus: Bools) -> Population:
        """Find weights by the lower level for those not met before."""
        structures = canonical(structures)
        keys = [(s.tobytes(), bool(m)) for s, m in zip(structures, modulus, strict=True)]
        for flag in (False, True):
            places = {k: i for i, k in enumerate(keys) if k[1] == flag and k not in self.memory}
            if not places:
                continue
            new = structures[list(places.values())]
            evaluated = self.lower.improve(self.lower.screen(new, flag), flag, REFINED, self.rng)
            for i, key in enumerate(places):
                self.memory[key] = tuple(part[i] for part in vars(evaluated).values())
        parts = zip(*(self.memory[k] for k in keys), strict=True)
        return Population(*[*map(np.array, parts), modulus])

    def _children(self, people: Population) -> tuple[Exponents, Bools]:
        """Select, cross within equal flags, mutate, and make every child unique."""
        # binary tournaments: people are in the order of their rank
        chosen = people.take(self.rng.integers(0, self.size, (2, self.size)).min(axis=0))
        # rows of each matrix by how much their power law weighs, empty ones last
        structures, modulus = chosen.structures, chosen.modulus.copy()
        scale = self.table.laws(structures.reshape(-1, self.d)).scale.reshape(chosen.weights.shape)
        weight = np.abs(chosen.weights) * np.where(np.isinf(scale), 0.0, scale)
        weight = np.where(structures.any(axis=2), weight, -1.0)
        order = np.argsort(-weight, axis=1, kind="stable")
        structures = np.take_along_axis(structures, order[:, :, None], axis=1)
        for flag in (False, True):
            self._cross(structures, self.rng.permutation(np.flatnonzero(modulus == flag)))
        self._mutate(structures)
        if self.task.modulus:
            taking_part = self.rng.random(self.size) < self.rate
            modulus = np.where(taking_part, self.rng.random(self.size) < 0.5, modulus)
        for k in np.flatnonzero(~structures.any(axis=(1, 2))):
            self._change_one(structures[k])
        return self._unique(structures, modulus)

    def _cross(self, structures: Exponents, places: Ints) -> None:
        """Exchange single exponents of pairs; one left over stays as it is (Algorithm 4)."""
        pairs = places[: len(places) // 2 * 2].reshape(-1, 2)
        pairs = pairs[self.rng.random(len(pairs)) < self.crossover]
        a, b = structures[pairs[:, 0]], structures[pairs[:, 1]]
        swap = self.rng.random(a.shape) > 0.5
        structures[pairs[:, 0]] = np.where(swap, b, a)
        structures[pairs[:, 1]] = np.where(swap, a, b)

    def _mutate(self, structures: Exponents) -> None:
        """Move exponents by one or two places in their set, or to 0 (Figure 3)."""
        chosen = self.rng.random(structures.shape) < self.rate
        position = np.searchsorted(self.E, structures[chosen])
        alpha = 0.5 / (1 + self.beta)
        near = self.beta * alpha
        steps = self.rng.choice([-2, -1, 1, 2], len(position), p=[alpha, near, near, alpha])
        moved = self.E[np.clip(position + steps, 0, len(self.E) - 1)]
        structures[chosen] = np.where(self.rng.random(len(moved)) < self.to_zero, 0, moved)

    def _change_one(self, structure: Exponents) -> None:
        """Set one exponent by chance (Eq. 19), a non-zero one where all would be 0."""
        row, column = self.rng.integers(self.p), self.rng.integers(self.d)
        structure[row, column] = self.rng.choice(self.E)
        if not structure.any():
            structure[row, column] = self.rng.choice(self.E[self.E != 0])

    def _unique(self, structures: Exponents, modulus: Bools) -> tuple[Exponents, Bools]:
        """Change duplicates until each child is the only one of its kind."""
        for _ in range(50):
            flags = np.repeat(modulus, self.d).reshape(-1, 1, self.d).astype(np.int8)
            flagged = np.concatenate([canonical(structures), flags], axis=1)
            twice = np.setdiff1d(np.arange(len(structures)), distinct(flagged))
            if not len(twice):
                break
            for k in twice:
                self._change_one(structures[k])
        return structures, modulus

    def _note(self, people: Population) -> None:
        feasible, size, worth = self._rank_of_best(people)
        record = {"generation": len(self.history), "modulus": bool(people.modulus[0])}
        record |= {"n_exponents": size, "n_structures": len(self.memory)}
        self.history.append(record | {"impurity": worth, "feasible": feasible})
