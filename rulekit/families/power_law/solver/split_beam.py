"""The upper level, constructively: the fewest exponents with which a split is pure enough."""

# Level L holds structures with exactly L non-zero exponents. Each is made from one of level L - 1
# by one more exponent, in a power law that is there or in a new one; all are screened by the lower
# level, the best are improved, and the search ends at the first level with FL <= tau. That is the
# upper level's problem (Dhebar and Deb, Eq. 5: least FU with FL <= tau), greedily and without
# chance. The paper's own search is in `genetic`.
#
# Legend:
#   d, p   features, power laws of a split, at most   FU  non-zero exponents, Eq. 7
#   E      the set of exponents                       FL  impurity after the split, Eq. 6
#   tau    impurity a split has to reach              m   modulus flag

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rulekit.families.power_law.solver.laws import (
    Exponents,
    Ints,
    PowerTable,
    canonical,
    distinct,
    n_exponents,
)
from rulekit.families.power_law.solver.pair_screening import (
    likely_pairs,
    likely_structures,
    pair_structures,
)
from rulekit.families.power_law.solver.split_search import (
    FINISHED,
    POLISHED,
    REFINED,
    SETTLED,
    LowerLevel,
)
from rulekit.families.power_law.solver.split_task import FoundSplit, SplitTask, sample_rows
from rulekit.families.power_law.solver.structures import Splits, empty_splits

WIDTH = 6  # structures of a level that are built upon
N_REFINED = 40
N_POLISHED = 5
POOL = 16  # of more features, only the best by themselves and in pairs are built upon
N_SCREENED = 200  # structures of a level, of each number of power laws, that are given weights
SCREENED_ROWS = 200  # of more rows, these structures are chosen on a part
SEARCHED_ROWS = 1000  # of more rows, power laws are looked for on a part
MANY = 10  # features from which pairs are screened
GAIN = 0.002  # impurity by which a level has to be better to count as progress
PATIENCE = 2  # levels without progress
NOTHING = 1e-9  # impurity that no band can undercut
CLEARLY = 0.8  # a band of any size beats a cut with less than this share of its impurity

ShouldStop = Callable[[], bool]


def beam_search(
    task: SplitTask,
    rng: np.random.Generator,
    should_stop: ShouldStop | None = None,
    lower: LowerLevel | None = None,
    memo: "dict[bool, Beam] | None" = None,
) -> FoundSplit | None:
    """Find a short split that is pure enough."""
    # With many rows, power laws are searched on a sample; weights and bounds are fitted on all
    # rows.
    seed = int(rng.integers(2**31))
    beams: dict[bool, Beam] = {} if memo is None else memo
    whole = None
    if lower is None and len(task.X) > SEARCHED_ROWS:
        rows, part = sample_rows(task.mass, SEARCHED_ROWS, np.random.default_rng([seed, 2]))
        whole, task = task, replace(task, X=task.X[rows], mass=part)

    def beam(modulus: bool) -> Beam:
        if modulus not in beams:
            if modulus and False in beams:
                level = beams[False].lower
            else:
                table = PowerTable(task.X, max(map(abs, task.exponents)))
                level = lower or LowerLevel(table, task.mass)
            beams[modulus] = Beam(task, level, modulus, seed, whole)
        return beams[modulus]

    cut = beam(False).best(task.tau, task.max_exponents, should_stop)
    if not task.modulus or cut is None:
        return cut
    limit = task.max_exponents
    if cut.impurity <= task.tau:
        limit = cut.n_exponents - (cut.impurity < NOTHING)
    if limit == 0:
        return cut
    band = beam(True).best(task.tau, limit, should_stop)
    chosen = cut if band is None or not _wins(band, cut, task.tau) else band
    history = cut.history + (band.history if band is not None else [])
    return replace(chosen, history=history)


def _wins(band: FoundSplit, cut: FoundSplit, tau: float) -> bool:
    """Return whether a band is enough better than a cut to pay for its modulus."""
    if (band.impurity <= tau) != (cut.impurity <= tau):
        return band.impurity <= tau
    if band.impurity <= tau and band.n_exponents < cut.n_exponents:
        return True
    return band.impurity < CLEARLY * cut.impurity


class Beam:
    """One search, for cuts or for bands; it keeps its levels and can be continued."""

    def __init__(
        self,
        task: SplitTask,
        lower: LowerLevel,
        modulus: bool,
        seed: int,
        whole: SplitTask | None = None,
    ) -> None:
        self.task, self.lower, self.modulus, self.seed = task, lower, modulus, seed
        self.whole = whole
        self.finished: dict[int, FoundSplit] = {}
        self.levels: list[Splits] = []
        self.history: list[dict[str, Any]] = []
        self.varying = np.flatnonzero(np.ptp(task.X, axis=0) > 0)
        self.pairs, self.pool = np.zeros((0, 2), dtype=np.int64), self.varying
        X, mass = task.X, task.mass
        if len(X) > SCREENED_ROWS:
            rows, mass = sample_rows(mass, SCREENED_ROWS, np.random.default_rng([seed, 3]))
            X = X[rows]
        self._screened = PowerTable(X, max(map(abs, task.exponents))), mass

    def best(
        self, tau: float, limit: int, should_stop: ShouldStop | None = None
    ) -> FoundSplit | None:
        """Go up level by level, to the first that is pure enough; None where nothing varies."""
        if len(self.varying) == 0:
            return None
        best = self._level(1)
        assert best is not None
        stale, size, at = 0, 1, 1
        while best.impurity[0] > tau and stale < PATIENCE and size < limit:
            if should_stop is not None and should_stop():
                break
            level = self._level(size + 1)
            if level is None:
                break
            size += 1
            if level.impurity[0] < max(best.impurity[0] - GAIN, tau):
                best, stale, at = level, 0, size
            else:
                stale += 1
        if at not in self.finished:
            self.finished[at] = self._finish(best.take(np.array([0])), at)
        return replace(self.finished[at], history=self.history[:size])

    def _level(self, size: int) -> Splits | None:
        """Return the structures of `size` exponents, best first; None where there are none."""
        task = self.task
        if size <= len(self.levels):
            return self.levels[size - 1]
        if size == 1:
            p, d = task.max_power_laws, task.X.shape[1]
            structures = np.zeros((len(self.varying), p, d), dtype=np.int8)
            structures[np.arange(len(self.varying)), 0, self.varying] = 1
            self._choose_pool(structures)
        else:
            structures = self._expand(self.levels[size - 2].structures[:WIDTH], self.pool)
            if size == 2 and len(self.pairs):
                kinds = task.exponents, task.max_power_laws, task.X.shape[1]
                structures = np.concatenate([structures, pair_structures(self.pairs, *kinds)])
            structures = canonical(structures)
            structures = structures[n_exponents(structures) == size]
            structures = structures[distinct(structures)]
        if not len(structures):
            return None
        self.levels.append(self._improve_level(structures, size))
        return self.levels[-1]

    def _choose_pool(self, singles: Exponents) -> None:
        """Choose the features to build with: the best alone, and those of likely pairs."""
        alone = self.lower.screen(singles, self.modulus).impurity
        if len(self.varying) >= MANY:
            X = self.task.X[:, self.varying]
            self.pairs = self.varying[likely_pairs(X, self.task.mass, self.modulus)]
        best = self.varying[np.argsort(alone, kind="stable")[:POOL]]
        self.pool = np.union1d(best, self.pairs)

    def _improve_level(self, structures: Exponents, size: int) -> Splits:
        """Screen structures, improve the best of them, and return these, best first."""
        rng = np.random.default_rng([self.seed, self.modulus, size])
        likely = likely_structures(*self._screened, structures, self.modulus, N_SCREENED)
        splits = self.lower.screen(structures[likely], self.modulus).sort()
        splits = splits.take(np.arange(min(N_REFINED, len(splits))))
        splits = self.lower.improve(splits, self.modulus, REFINED, rng).sort()
        top = splits.take(np.arange(min(N_POLISHED, len(splits))))
        rest = splits.take(np.arange(len(top), len(splits)))
        top = self.lower.improve(top, self.modulus, POLISHED, rng)
        both = top.append(rest).sort()
        counts = {"n_exponents": size, "n_structures": len(structures)}
        least = {"impurity": float(both.impurity[0])}
        self.history.append({"modulus": self.modulus, **counts, **least})
        return both

    def _expand(self, parents: Exponents, pool: Ints) -> Exponents:
        """Add one exponent to each structure in every way."""
        exponents = np.array(self.task.exponents, dtype=np.int8)
        structures = []
        for parent in parents:
            used = int(parent.any(axis=1).sum())
            for row in range(min(used + 1, self.task.max_power_laws)):
                free = pool[parent[row, pool] == 0]
                new = np.repeat(parent[None], len(free) * len(exponents), axis=0)
                columns = np.repeat(free, len(exponents))
                new[np.arange(len(new)), row, columns] = np.tile(exponents, len(free))
                structures.append(new)
        return np.concatenate(structures)

    def _finish(self, best: Splits, size: int) -> FoundSplit:
        """Bring the best of a level to its end."""
        rng = np.random.default_rng([self.seed, self.modulus, size, 1])
        best = self.lower.improve(best, self.modulus, FINISHED, rng)
        if self.whole is not None:
            best = self._refit_on_all_rows(best, self.whole, rng)
        used = (best.weights[0] != 0) & best.structures[0].any(axis=1)
        return FoundSplit(
            best.structures[0][used],
            best.weights[0][used],
            float(best.low[0]),
            float(best.high[0]),
            self.modulus,
            float(best.impurity[0]),
        )

    def _refit_on_all_rows(
        self, best: Splits, whole: SplitTask, rng: np.random.Generator
    ) -> Splits:
        """Find weights and bounds on all rows, beginning with those found on a part."""
        read = np.flatnonzero(best.structures[0].any(axis=0))
        largest = max(map(abs, whole.exponents))
        lower = LowerLevel(PowerTable(whole.X[:, read], largest), whole.mass)
        begun = empty_splits(best.structures[:, :, read], whole.mass.gini)
        begun.weights[:] = best.weights
        improved = lower.improve(begun, self.modulus, SETTLED, rng)
        return replace(improved, structures=best.structures)
