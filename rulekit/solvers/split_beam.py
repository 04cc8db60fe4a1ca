"""The upper level, constructively: the fewest exponents with which a split is pure enough.

Level L holds structures with exactly L non-zero exponents. Each is made from one of level L - 1 by
one more exponent, in a power law that is there or in a new one; all are screened by the lower
level, the best are improved, and the search ends at the first level with FL <= tau. That is the
upper level's problem (Dhebar and Deb, Eq. 5: least FU with FL <= tau), greedily and without
chance. The paper's own search is in `genetic`.

Legend::

    d, p   features, power laws of a split, at most   FU  non-zero exponents, Eq. 7
    E      the set of exponents                       FL  impurity after the split, Eq. 6
    tau    impurity a split has to reach              m   modulus flag
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from rulekit.solvers.impurity import ClassMass
from rulekit.solvers.pair_screening import likely_pairs, pair_structures
from rulekit.solvers.power_laws import (
    Exponents,
    Floats,
    Ints,
    PowerTable,
    canonical,
    distinct,
    n_exponents,
)
from rulekit.solvers.split_search import FINISHED, POLISHED, REFINED, Effort, LowerLevel
from rulekit.solvers.structures import Splits

WIDTH = 15  # structures of a level that are built upon
N_REFINED = 60
N_POLISHED = 8
POOL = 40  # of more features, only the best by themselves and in pairs are built upon
MANY = 10  # features from which pairs are screened
GAIN = 0.002  # impurity by which a level has to be better to count as progress
PATIENCE = 2  # levels without progress
NOTHING = 1e-9  # impurity that no band can undercut
CLEARLY = 0.8  # a band has to have less than this share of a cut's impurity

ShouldStop = Callable[[], bool]


class LowerSearch(Protocol):
    """Who finds weights and bias for given power laws."""

    def screen(self, structures: Exponents, modulus: bool) -> Splits:
        """Find weights for each structure."""

    def improve(
        self, splits: Splits, modulus: bool, effort: Effort, rng: np.random.Generator
    ) -> Splits:
        """Work on what `screen` found."""


@dataclass(frozen=True)
class SplitTask:
    """What a split is searched for.

    Attributes
    ----------
    X : ndarray of float, shape (n, d)
        Positive features.
    mass : ClassMass
        Classes and weights of the rows; every class occurs.
    max_power_laws : int
        p.
    exponents : tuple of int
        E, zero left out.
    modulus : bool
        Whether a band may be used.
    tau : float
        Impurity to reach, see `target_impurity`.
    max_exponents : int
        FU at most.
    """

    X: Floats
    mass: ClassMass
    max_power_laws: int = 3
    exponents: tuple[int, ...] = (-3, -2, -1, 1, 2, 3)
    modulus: bool = True
    tau: float = 0.05
    max_exponents: int = 12


@dataclass(frozen=True)
class FoundSplit:
    """A split and what it is worth.

    Attributes
    ----------
    exponents : ndarray of int8, shape (q, d)
        One row a power law.
    weights : ndarray of float, shape (q,)
        Their weights, none 0.
    low, high : float
        Left is ``low <= sum <= high``.
    modulus : bool
        Whether it is a band.
    impurity : float
        FL.
    history : list of dict
        A step each: "modulus", "n_exponents", "n_structures", "impurity".
    """

    exponents: Exponents
    weights: Floats
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
    """Give the impurity a split has to reach.

    Parameters
    ----------
    mass : ClassMass
        The rows of the node.
    tau : float
        The paper's tau_I, meant for two classes of like size.

    Returns
    -------
    float
        ``min(tau, gini / 10)``, so that a rare class is not written off at once, above what a
        perfect split of these classes leaves: two sides of a node with three classes cannot both
        be pure.
    """
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


def beam_search(
    task: SplitTask,
    rng: np.random.Generator,
    should_stop: ShouldStop | None = None,
    lower: LowerSearch | None = None,
) -> FoundSplit | None:
    """Find a short split that is pure enough.

    Parameters
    ----------
    task : SplitTask
        The rows and what is allowed.
    rng : numpy.random.Generator
        For the starts of the lower level; the upper level uses no chance.
    should_stop : callable, optional
        Asked between levels; the best split so far is returned.
    lower : LowerSearch, optional
        Who finds the weights; `LowerLevel` if None.

    Returns
    -------
    FoundSplit or None
        None where no feature varies.

    Notes
    -----
    A band is taken only where it is needed: where no cut reaches `tau` and the band does, where
    it has fewer exponents, or where its impurity is less than 0.8 of the cut's. Without this
    guard bands follow small tables too closely.
    """
    if lower is None:
        lower = LowerLevel(PowerTable(task.X, max(map(abs, task.exponents))), task.mass)
    cut = _Beam(task, lower, False, rng, should_stop).best(task.max_exponents)
    if not task.modulus or cut is None:
        return cut
    limit = task.max_exponents
    if cut.impurity <= task.tau:
        limit = cut.n_exponents - (cut.impurity < NOTHING)
    if limit == 0:
        return cut
    band = _Beam(task, lower, True, rng, should_stop).best(limit)
    chosen = cut if band is None or not _wins(band, cut, task.tau) else band
    chosen.history[:] = cut.history + (band.history if band is not None else [])
    return chosen


def _wins(band: FoundSplit, cut: FoundSplit, tau: float) -> bool:
    """Say whether a band is worth its modulus."""
    if (band.impurity <= tau) != (cut.impurity <= tau):
        return band.impurity <= tau
    if band.impurity <= tau and band.n_exponents < cut.n_exponents:
        return True
    return band.impurity < CLEARLY * cut.impurity


class _Beam:
    """One search, for cuts or for bands."""

    def __init__(
        self,
        task: SplitTask,
        lower: LowerSearch,
        modulus: bool,
        rng: np.random.Generator,
        should_stop: ShouldStop | None,
    ) -> None:
        self.task, self.lower, self.modulus, self.rng = task, lower, modulus, rng
        self.should_stop = should_stop
        self.history: list[dict[str, Any]] = []

    def best(self, limit: int) -> FoundSplit | None:
        """Go up level by level, to the first that is pure enough."""
        varying = np.flatnonzero(np.ptp(self.task.X, axis=0) > 0)
        if len(varying) == 0:
            return None
        singles = self._singles(varying)
        alone = self.lower.screen(singles, self.modulus).impurity
        pairs = self._pairs(varying)
        pool = np.union1d(varying[np.argsort(alone, kind="stable")[:POOL]], pairs)
        level = self._worked(singles)
        best, stale = level.take(np.array([0])), 0
        for size in range(2, limit + 1):
            if best.impurity[0] <= self.task.tau or stale >= PATIENCE or self._stopped():
                break
            more = self._expanded(level.structures[:WIDTH], pool)
            if size == 2 and len(pairs):
                more = np.concatenate([more, self._of_pairs(pairs)])
            more = canonical(more)
            more = more[n_exponents(more) == size]
            if not len(more):
                break
            level = self._worked(more[distinct(more)])
            if level.impurity[0] < max(best.impurity[0] - GAIN, self.task.tau):
                best, stale = level.take(np.array([0])), 0
            else:
                stale += 1
        return self._found(best)

    def _stopped(self) -> bool:
        return self.should_stop is not None and self.should_stop()

    def _worked(self, structures: Exponents) -> Splits:
        """Screen structures, improve the best of them, and return these, best first."""
        found = self.lower.screen(structures, self.modulus).sorted()
        found = found.take(np.arange(min(N_REFINED, len(found))))
        found = self.lower.improve(found, self.modulus, REFINED, self.rng).sorted()
        top = found.take(np.arange(min(N_POLISHED, len(found))))
        rest = found.take(np.arange(len(top), len(found)))
        top = self.lower.improve(top, self.modulus, POLISHED, self.rng)
        both = Splits.joined(top, rest).sorted()
        self.history.append(
            {
                "modulus": self.modulus,
                "n_exponents": len(self.history) + 1,
                "n_structures": len(structures),
                "impurity": float(both.impurity[0]),
            }
        )
        return both

    def _singles(self, features: Ints) -> Exponents:
        p, d = self.task.max_power_laws, self.task.X.shape[1]
        made = np.zeros((len(features), p, d), dtype=np.int8)
        made[np.arange(len(features)), 0, features] = 1
        return made

    def _pairs(self, varying: Ints) -> Ints:
        """Screen pairs of features, where there are many features: shape (q, 2)."""
        if len(varying) < MANY:
            return np.zeros((0, 2), dtype=np.int64)
        return varying[likely_pairs(self.task.X[:, varying], self.task.mass, self.modulus)]

    def _of_pairs(self, pairs: Ints) -> Exponents:
        task = self.task
        return pair_structures(pairs, task.exponents, task.max_power_laws, task.X.shape[1])

    def _expanded(self, parents: Exponents, pool: Ints) -> Exponents:
        """Add one exponent to each structure in every way."""
        exponents = np.array(self.task.exponents, dtype=np.int8)
        made = []
        for parent in parents:
            used = int(parent.any(axis=1).sum())
            for row in range(min(used + 1, self.task.max_power_laws)):
                free = pool[parent[row, pool] == 0]
                new = np.repeat(parent[None], len(free) * len(exponents), axis=0)
                new[np.arange(len(new)), row, np.repeat(free, len(exponents))] = np.tile(
                    exponents, len(free)
                )
                made.append(new)
        return np.concatenate(made)

    def _found(self, best: Splits) -> FoundSplit:
        best = self.lower.improve(best, self.modulus, FINISHED, self.rng)
        used = (best.weights[0] != 0) & best.structures[0].any(axis=1)
        return FoundSplit(
            best.structures[0][used],
            best.weights[0][used],
            float(best.low[0]),
            float(best.high[0]),
            self.modulus,
            float(best.impurity[0]),
            self.history,
        )
