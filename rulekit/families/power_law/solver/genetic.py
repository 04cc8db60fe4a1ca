"""The paper's upper level: a genetic algorithm for the power laws of a split.

An individual is a matrix of exponents and the modulus flag. What the paper leaves open is settled
as follows: a matrix without an exponent gets one by chance, of two equal rows one is emptied, the
ranking of infeasible individuals with equal FL goes on with FU and the flag, exponents mutated out
of the set stay at its end, and the search ends after `patience` generations without a change once
a split is pure enough. Individuals met before are not worked out again.

Legend (Dhebar and Deb, section IV-B)::

    B   (p, d) exponents of one individual          FU  non-zero exponents, Eq. 7
    m   modulus flag                                FL  impurity after the split, Eq. 6
    tau impurity a split has to reach               E   the set of exponents, sorted, 0 included
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulekit.families.power_law.solver.genetic_weights import GeneticLevel
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
from rulekit.families.power_law.solver.split_search import REFINED, LowerLevel
from rulekit.families.power_law.solver.split_task import FoundSplit, SplitTask
from rulekit.families.power_law.solver.structures import Splits

ShouldStop = Callable[[], bool]
MAX_POPULATION = 600


@dataclass(frozen=True)
class StructureSettings:
    """Settings of the upper-level algorithm (supplement S2-B)."""

    population: int | None = None
    generations: int = 100
    crossover: float = 0.9
    mutation: float | None = None
    beta: float = 3.0
    to_zero: float = 0.75
    patience: int = 20


PAPER = StructureSettings()


@dataclass(frozen=True)
class Population:
    """Individuals with what the lower level found for them.

    Shapes: modulus (N,).
    """

    splits: Splits
    modulus: Bools

    def take(self, places: Ints) -> "Population":
        """Keep some of them, in the order given."""
        return Population(self.splits.take(places), self.modulus[places])

    def order(self, tau: float) -> Ints:
        """Rank by Definition IV.1: feasible first, then FU, FL, m; infeasible by FL."""
        worth, size = self.splits.impurity, n_exponents(self.splits.structures)
        feasible = worth <= tau
        leading = np.where(feasible, size, 0)
        return np.lexsort((self.modulus, size, worth, leading, ~feasible)).astype(np.int64)


def genetic_search(
    task: SplitTask,
    rng: np.random.Generator,
    should_stop: ShouldStop | None = None,
    *,
    lower_level: str = "genetic",
    settings: StructureSettings = PAPER,
) -> FoundSplit | None:
    """Find a short split that is pure enough, as the paper does.

    One generation of N individuals costs at most N runs of the lower level.
    """
    varying = np.flatnonzero(np.ptp(task.X, axis=0) > 0)
    if len(varying) == 0:
        return None
    return _Evolution(task, varying, rng, lower_level, settings).best(should_stop)


class _Evolution:
    """One run of the upper level."""

    def __init__(
        self,
        task: SplitTask,
        varying: Ints,
        rng: np.random.Generator,
        lower_level: str,
        settings: StructureSettings,
    ) -> None:
        self.task, self.rng, self.settings, self.varying = task, rng, settings, varying
        self.table = PowerTable(task.X[:, varying], max(abs(e) for e in task.exponents))
        self.lower: LowerLevel | GeneticLevel = (
            LowerLevel(self.table, task.mass)
            if lower_level == "exact"
            else GeneticLevel(self.table, task.mass, rng)
        )
        self.d, self.p = len(varying), task.max_power_laws
        self.E = np.array(sorted({0, *task.exponents}), dtype=np.int8)
        self.size = settings.population or min(10 * self.d, MAX_POPULATION)
        self.memory: dict[tuple[bytes, bool], tuple[Any, ...]] = {}
        self.history: list[dict[str, Any]] = []

    def best(self, should_stop: ShouldStop | None) -> FoundSplit:
        """Run until nothing changes any more."""
        people = self._evaluated(*self._initial())
        people = people.take(people.order(self.task.tau))
        self._note(people)
        unchanged = 0
        for _ in range(self.settings.generations):
            if should_stop is not None and should_stop():
                break
            before = self._rank_of_best(people)
            children = self._evaluated(*self._children(people))
            both = Population(
                Splits.joined(people.splits, children.splits),
                np.concatenate([people.modulus, children.modulus]),
            )
            people = both.take(both.order(self.task.tau)[: self.size])
            self._note(people)
            unchanged = 0 if self._rank_of_best(people) != before else unchanged + 1
            if unchanged >= self.settings.patience and before[0]:
                break
        return self._found(people)

    def _rank_of_best(self, people: Population) -> tuple[bool, int, float]:
        feasible = bool(people.splits.impurity[0] <= self.task.tau)
        size = int(n_exponents(people.splits.structures[:1])[0])
        return feasible, size, float(people.splits.impurity[0])

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
                structures[k, self.rng.integers(self.p), self.rng.integers(self.d)] = (
                    self.rng.choice(nonzero)
                )
        return structures, modulus & self.task.modulus

    def _evaluated(self, structures: Exponents, modulus: Bools) -> Population:
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
                self.memory[key] = (
                    evaluated.weights[i], evaluated.low[i], evaluated.high[i], evaluated.impurity[i]
                )  # fmt: skip
        parts = [np.array(part) for part in zip(*(self.memory[k] for k in keys), strict=True)]
        return Population(Splits(structures, *parts), modulus)

    def _children(self, people: Population) -> tuple[Exponents, Bools]:
        """Select, cross within equal flags, mutate, and make every child unique."""
        chosen = people.take(self._tournament())
        structures = self._by_weight(chosen.splits)
        modulus = chosen.modulus.copy()
        for flag in (False, True):
            self._cross(structures, self.rng.permutation(np.flatnonzero(modulus == flag)))
        self._mutate(structures)
        if self.task.modulus:
            taking_part = self.rng.random(self.size) < self._rate
            modulus = np.where(taking_part, self.rng.random(self.size) < 0.5, modulus)
        return self._unique(self._repaired(structures), modulus)

    def _tournament(self) -> Ints:
        """Binary tournaments; people stand in the order of their rank."""
        return self.rng.integers(0, self.size, (2, self.size)).min(axis=0)

    def _by_weight(self, splits: Splits) -> Exponents:
        """Sort the rows of each matrix by how much their power law weighs, empty ones last."""
        structures = splits.structures
        scale = self.table.laws(structures.reshape(-1, self.d)).scale.reshape(splits.weights.shape)
        weight = np.abs(splits.weights) * np.where(np.isinf(scale), 0.0, scale)
        weight = np.where(structures.any(axis=2), weight, -1.0)
        order = np.argsort(-weight, axis=1, kind="stable")
        return np.take_along_axis(structures, order[:, :, None], axis=1)

    def _cross(self, structures: Exponents, places: Ints) -> None:
        """Exchange single exponents of pairs; one left over stays as it is (Algorithm 4)."""
        pairs = places[: len(places) // 2 * 2].reshape(-1, 2)
        pairs = pairs[self.rng.random(len(pairs)) < self.settings.crossover]
        a, b = structures[pairs[:, 0]], structures[pairs[:, 1]]
        swap = self.rng.random(a.shape) > 0.5
        structures[pairs[:, 0]] = np.where(swap, b, a)
        structures[pairs[:, 1]] = np.where(swap, a, b)

    @property
    def _rate(self) -> float:
        rate = self.settings.mutation
        return min(0.33, 1.0 / self.d) if rate is None else rate

    def _mutate(self, structures: Exponents) -> None:
        """Move exponents by one or two places in their set, or to 0 (Figure 3)."""
        chosen = self.rng.random(structures.shape) < self._rate
        position = np.searchsorted(self.E, structures[chosen])
        alpha = 0.5 / (1 + self.settings.beta)
        near = self.settings.beta * alpha
        steps = self.rng.choice([-2, -1, 1, 2], len(position), p=[alpha, near, near, alpha])
        moved = self.E[np.clip(position + steps, 0, len(self.E) - 1)]
        zeroed = self.rng.random(len(position)) < self.settings.to_zero
        structures[chosen] = np.where(zeroed, 0, moved)

    def _repaired(self, structures: Exponents) -> Exponents:
        """Set an exponent in matrices without any."""
        for k in np.flatnonzero(~structures.any(axis=(1, 2))):
            self._change_one(structures[k])
        return structures

    def _change_one(self, structure: Exponents) -> None:
        """Set one exponent by chance (Eq. 19), a non-zero one where all would be 0."""
        row, column = self.rng.integers(self.p), self.rng.integers(self.d)
        structure[row, column] = self.rng.choice(self.E)
        if not structure.any():
            structure[row, column] = self.rng.choice(self.E[self.E != 0])

    def _unique(self, structures: Exponents, modulus: Bools) -> tuple[Exponents, Bools]:
        """Change duplicates until each child is the only one of its kind."""
        for _ in range(50):
            flagged = np.concatenate(
                [canonical(structures), np.repeat(modulus, self.d).reshape(-1, 1, self.d)],
                axis=1,
                dtype=np.int8,
                casting="unsafe",
            )
            twice = np.setdiff1d(np.arange(len(structures)), distinct(flagged))
            if not len(twice):
                break
            for k in twice:
                self._change_one(structures[k])
        return structures, modulus

    def _note(self, people: Population) -> None:
        feasible, size, worth = self._rank_of_best(people)
        self.history.append(
            {
                "generation": len(self.history),
                "modulus": bool(people.modulus[0]),
                "n_exponents": size,
                "n_structures": len(self.memory),
                "impurity": worth,
                "feasible": feasible,
            }
        )

    def _found(self, people: Population) -> FoundSplit:
        """Return the best; an exponent whose power law weighs nothing is dropped."""
        best = people.splits.take(np.array([0]))
        used = best.weights[0] != 0
        exponents = np.zeros((int(used.sum()), self.task.X.shape[1]), dtype=np.int8)
        exponents[:, self.varying] = best.structures[0][used]
        weights: Floats = best.weights[0][used]
        return FoundSplit(
            exponents,
            weights,
            float(best.low[0]),
            float(best.high[0]),
            bool(people.modulus[0]),
            float(best.impurity[0]),
            self.history,
        )
