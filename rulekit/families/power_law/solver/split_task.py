"""What a split is searched for, what is found, and the part of many rows that is looked at."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rulekit.families.power_law.solver.impurity import ClassMass
from rulekit.families.power_law.solver.laws import Exponents, Floats, Ints

THIN = 200  # rows of a class that are taken at least, where it has as many


@dataclass(frozen=True)
class SplitTask:
    """What a split is searched for."""

    X: Floats  # (n, d)
    mass: ClassMass
    max_power_laws: int = 3
    exponents: tuple[int, ...] = (-3, -2, -1, 1, 2, 3)
    modulus: bool = True
    tau: float = 0.05
    max_exponents: int = 12


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
    whole = total.sum()
    left = total[0] * np.ones(1 << min(len(total) - 1, 10))
    square = left * total[0]
    rest = np.full_like(left, whole - total[0])
    rest_square = np.full_like(left, (total[1:] ** 2).sum())
    for k, n in enumerate(total[1:11]):  # every way to share the classes out to two sides
        moved = (np.arange(len(left)) >> k & 1).astype(bool)
        left[moved] += n
        square[moved] += n * n
        rest[moved] -= n
        rest_square[moved] -= n * n
    tiny = 1e-12 * whole
    leftover = 1 - (square / left + rest_square / np.maximum(rest, tiny)) / whole
    best = float(np.where(rest > tiny, leftover, np.inf).min())
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
