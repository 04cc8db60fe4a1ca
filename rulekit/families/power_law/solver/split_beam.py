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
from numpy.random import Generator

from rulekit.families.power_law.solver.laws import (
    Exponents,
    Floats,
    Ints,
    PowerTable,
    canonical,
    distinct,
    n_exponents,
)
from rulekit.families.power_law.solver.split_search import (
    FINISHED,
    MAX_TARGETS,
    POLISHED,
    REFINED,
    RIDGE,
    SETTLED,
    LowerLevel,
    Moments,
    Splits,
    empty_splits,
)
from rulekit.families.power_law.solver.split_task import (
    ClassMass,
    FoundSplit,
    SplitTask,
    sample_rows,
)

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

N_PAIRS = 16
FEATURE_ROWS = 500

ShouldStop = Callable[[], bool]


def beam_search(
    task: SplitTask,
    rng: Generator,
    should_stop: ShouldStop | None = None,
    lower: LowerLevel | None = None,
    memo: "dict[bool, Beam] | None" = None,
) -> FoundSplit | None:
    """Find a short split that is pure enough."""
    # Of many rows a sample is searched for power laws; weights and bounds are fitted on all.
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
                largest = max(map(abs, task.exponents))
                level = lower or LowerLevel(PowerTable(task.X, largest), task.mass)
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
    if band is None:
        return cut
    # whether the band is enough better to pay for its modulus
    wins = pure = band.impurity <= task.tau
    if pure == (cut.impurity <= task.tau):
        shorter = pure and band.n_exponents < cut.n_exponents
        wins = shorter or band.impurity < CLEARLY * cut.impurity
    return replace(band if wins else cut, history=cut.history + band.history)


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
            rng = np.random.default_rng([self.seed, self.modulus, at, 1])
            best = self.lower.improve(best.take(np.array([0])), self.modulus, FINISHED, rng)
            if whole := self.whole:  # weights and bounds on all rows, beginning with these
                structures = best.structures
                read = np.flatnonzero(structures[0].any(axis=0))
                table = PowerTable(whole.X[:, read], max(map(abs, whole.exponents)))
                begun = empty_splits(structures[:, :, read], whole.mass.gini)
                begun.weights[:] = best.weights
                best = LowerLevel(table, whole.mass).improve(begun, self.modulus, SETTLED, rng)
                best = replace(best, structures=structures)
            self.finished[at] = best.first(self.modulus)
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
            # structures are built of the features that are best alone, and those of likely pairs
            alone = self.lower.screen(structures, self.modulus).impurity
            if len(self.varying) >= MANY:
                X = task.X[:, self.varying]
                self.pairs = self.varying[likely_pairs(X, task.mass, self.modulus)]
            best = self.varying[np.argsort(alone, kind="stable")[:POOL]]
            self.pool = np.union1d(best, self.pairs)
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

    def _improve_level(self, structures: Exponents, size: int) -> Splits:
        """Screen structures, improve the best of them, and return these, best first."""
        rng = np.random.default_rng([self.seed, self.modulus, size])
        likely = likely_structures(*self._screened, structures, self.modulus, N_SCREENED)
        splits = self.lower.screen(structures[likely], self.modulus).sort()
        splits = splits.take(np.arange(min(N_REFINED, len(splits))))
        splits = self.lower.improve(splits, self.modulus, REFINED, rng).sort()
        top = splits.take(np.arange(min(N_POLISHED, len(splits))))
        top = self.lower.improve(top, self.modulus, POLISHED, rng)
        both = top.append(splits.take(np.arange(len(top), len(splits)))).sort()
        record = {"modulus": self.modulus, "n_exponents": size, "n_structures": len(structures)}
        self.history.append(record | {"impurity": float(both.impurity[0])})
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


# The most promising features, pairs of them, and structures, mainly from second moments.
# For every 2 x 2 block at once: how far apart class means are (a cut), or how narrow one class is
# where the rest is wide (a band). Pairs that differ in neither (exclusive or) are not seen.


def likely_structures(
    table: PowerTable, mass: ClassMass, structures: Exponents, modulus: bool, most: int
) -> Ints:
    """Return the places of the structures that promise most, of each number of power laws."""
    sizes, selected = structures.any(axis=2).sum(axis=1), [np.zeros(0, dtype=np.int64)]
    order = np.argsort(-mass.total, kind="stable")[:MAX_TARGETS].tolist()
    for size in np.unique(sizes).tolist():
        places = np.flatnonzero(sizes == size)
        if len(places) <= most:
            selected.append(places)
            continue
        moments = Moments(table, structures[places, :size], mass)
        # of two classes one tells how far apart they are; a band may open on one side, too
        scores = [[moments.discriminant(k)[1] for k in order[: mass.n_classes - 1]]]
        if modulus:
            scores.append([moments.narrow(k)[1] for k in order])
        for worth in scores:
            selected.append(places[np.argsort(np.min(worth, axis=0), kind="stable")[:most]])
    return np.unique(np.concatenate(selected))


def likely_features(X: Floats, mass: ClassMass, most: int, rng: Generator) -> Ints:
    """Return the features worth keeping of many: the best alone, and those of likely pairs."""
    if X.shape[1] <= most:
        return np.arange(X.shape[1])
    if len(X) > FEATURE_ROWS:
        rows, mass = sample_rows(mass, FEATURE_ROWS, rng)
        X = X[rows]
    varying = np.flatnonzero(np.ptp(X, axis=0) > 0)
    X, selected = X[:, varying], []
    singles = np.eye(len(varying), dtype=np.int8)[:, None]
    lower = LowerLevel(PowerTable(X, 1), mass)
    for modulus in (False, True):
        order = np.argsort(lower.screen(singles, modulus).impurity, kind="stable")
        selected += [order[: most // 2], likely_pairs(X, mass, modulus, most // 2).ravel()]
    return varying[np.unique(np.concatenate(selected))]


def likely_pairs(X: Floats, mass: ClassMass, modulus: bool, n_pairs: int = N_PAIRS) -> Ints:
    """Return the pairs of features that promise most, shape (q, 2): O(n d^2)."""
    weight = np.ones(mass.n_rows) if mass.weight is None else mass.weight
    Z = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-300)
    best = np.full((X.shape[1], X.shape[1]), np.inf)
    for k in np.argsort(-mass.total, kind="stable")[:MAX_TARGETS]:
        in_class = mass.codes == k
        mean, inside = _moments(Z[in_class], weight[in_class], None)
        if modulus:
            _, rest = _moments(Z[~in_class], weight[~in_class], mean)
            badness = _smallest_ratio(inside, rest)
        else:
            other, rest = _moments(Z[~in_class], weight[~in_class], None)
            share = float(weight[in_class].sum() / weight.sum())
            badness = -_distance(mean - other, share * inside + (1 - share) * rest)
        best = np.minimum(best, badness)
    i, j = np.triu_indices(X.shape[1], 1)
    order = np.argsort(best[i, j], kind="stable")[:n_pairs]
    return np.column_stack([i[order], j[order]])


def pair_structures(
    pairs: Ints, exponents: tuple[int, ...], max_power_laws: int, n_features: int
) -> Exponents:
    """Make every structure of one exponent for each of two features."""
    choices = [(a, b) for a in exponents for b in exponents]
    kinds = 1 + (max_power_laws > 1)
    shape = len(pairs), len(choices), kinds, max_power_laws, n_features
    structures = np.zeros(shape, dtype=np.int8)
    each = np.arange(len(pairs))
    for c, (a, b) in enumerate(choices):
        for kind in range(kinds):  # both in one power law, or each in one of its own
            structures[each, c, kind, 0, pairs[:, 0]] = a
            structures[each, c, kind, kind, pairs[:, 1]] = b
    return structures.reshape(-1, max_power_laws, n_features)


def _moments(Z: Floats, weight: Floats, centre: Floats | None) -> tuple[Floats, Floats]:
    """Weighted mean, and second moments around it or around another point."""
    mean = np.average(Z, axis=0, weights=weight)
    away = Z - (mean if centre is None else centre)
    second = np.einsum("ni,nj->ij", away * weight[:, None], away) / weight.sum()
    return mean, second + RIDGE * np.eye(Z.shape[1])


def _distance(delta: Floats, within: Floats) -> Floats:
    """Mahalanobis distance of two means in every pair of features: shape (d, d)."""
    variance = np.diag(within)
    det = np.maximum(np.outer(variance, variance) - within * within, RIDGE * RIDGE)
    square = np.outer(delta**2, variance)  # delta_i^2 times the variance of j
    return np.asarray((square + square.T - 2 * np.outer(delta, delta) * within) / det)


def _smallest_ratio(inside: Floats, rest: Floats) -> Floats:
    """Smallest eigenvalue of `inside` relative to `rest` in every 2 x 2 block: shape (d, d)."""
    a, c = np.diag(inside), np.diag(rest)
    det_rest = np.maximum(np.outer(c, c) - rest * rest, RIDGE * RIDGE)
    trace = (np.outer(a, c) + np.outer(c, a) - 2 * inside * rest) / det_rest
    det = np.maximum(np.outer(a, a) - inside * inside, 0.0) / det_rest
    half = 0.5 * trace
    root = np.sqrt(np.maximum(half * half - det, 0.0))
    return np.asarray(det / np.maximum(half + root, 1e-300))
