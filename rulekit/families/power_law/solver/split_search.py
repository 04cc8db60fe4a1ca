"""The lower level, exactly: weights and bias of given structures, for many structures at once."""

# For each structure a few directions in B-space come from closed forms: Fisher's discriminant for a
# cut, for a band the direction along which one class is narrow and the rest is wide. Each gets its
# best cut or interval by sorting. The survivors are improved by exact steps along coordinates and
# random lines. The paper searches the same weights with a genetic algorithm (`genetic`); this takes
# microseconds a structure where that takes milliseconds, and is the better of the two on average.
#
# Legend (Dhebar and Deb, sections III-B and IV-C):
#   P, p, n  structures, power laws of one, rows     w  (P, p) weights of the scaled power laws
#   G        (P, p, p) second moments of the laws    mu (P, p) their mean in one class
#   m        modulus flag: a band instead of a cut   FL impurity after the split, Eq. 6

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from rulekit._sums import exp, narrowest, solve_systems
from rulekit.families.power_law.solver.laws import Exponents, Floats, Ints, PowerTable
from rulekit.families.power_law.solver.split_task import EQUAL, ClassMass, Cuts, FoundSplit

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

    def first(self, modulus: bool) -> FoundSplit:
        """Return the first split, without power laws that weigh nothing."""
        used = (self.weights[0] != 0) & self.structures[0].any(axis=1)
        parts = self.structures[0][used], self.weights[0][used]
        low, high, impurity = float(self.low[0]), float(self.high[0]), float(self.impurity[0])
        return FoundSplit(*parts, low, high, modulus, impurity)


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
        """Sum weights times scaled power laws, of each structure or of some: shape (P, n)."""
        from rulekit.families.power_law.solver.split_kernels import project

        laws = self.laws if some is None else self.laws[some]
        return np.asarray(project(laws, np.ascontiguousarray(w)))

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

    def __init__(
        self, table: PowerTable, structures: Exponents, mass: ClassMass, laws: Floats | None = None
    ) -> None:
        self.table, self.structures, self.mass = table, np.ascontiguousarray(structures), mass
        empty = np.empty((0, structures.shape[1], table.n_rows))
        self.laws = empty if laws is None else laws  # (P, p, n), scaled; computed if empty
        self.weight = np.ones(mass.n_rows) if mass.weight is None else mass.weight
        self.whole = float(self.weight.sum())
        self._computed: dict[int, tuple[Floats, Floats, Floats, Floats]] = {}

    def _compute_within(self, k: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Compute mean and second moments over all rows, then within a class."""
        from rulekit.families.power_law.solver.split_kernels import moments

        if k not in self._computed:
            inside = np.where(self.mass.codes == k, self.weight, 0.0)
            computed = moments(self.table.powers, self.structures, self.laws, self.weight, inside)
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
        n = self.mass.total[k]
        rest = (self.whole * second - n * inside) / (self.whole - n)
        mean = (self.whole * mean - n * mu) / (self.whole - n)
        cross = mean[:, :, None] * mu[:, None, :]
        square = mu[:, :, None] * mu[:, None, :]
        around = rest - cross - cross.transpose(0, 2, 1) + square
        return narrowest(inside - square, _add_ridge(around))


def _add_ridge(matrices: Floats) -> Floats:
    """Make positive definite: scaled power laws have variances about 1."""
    return np.asarray(matrices + RIDGE * np.eye(matrices.shape[1]))


def blocks(
    table: PowerTable, structures: Exponents, step: int | None = None, least: int = 1
) -> Iterator[StructureBlock]:
    """Cut a population into blocks of as many power laws each, few enough for the cache."""
    sizes = structures.any(axis=2).sum(axis=1)
    step = max(1, BLOCK // table.n_rows) if step is None else step
    for size in range(least, structures.shape[1] + 1):
        places = np.flatnonzero(sizes == size)
        for start in range(0, len(places), step):
            some = places[start : start + step]
            exponents = structures[some, :size]
            laws = table.laws(exponents.reshape(-1, structures.shape[2]))
            parts = (part.reshape(len(some), size, *part.shape[1:]) for part in laws)
            yield StructureBlock(some, exponents, *parts)


FLIP = np.int64(0x7FFFFFFFFFFFFFFF)
NARROWEST, FEW = 0.35, 20  # share, and number at least, of a block's bands that are looked at
TAILS = 1.0  # spread of the logarithm of random weights
MAX_TARGETS = 3  # classes that get directions of their own


def best_cut(values: Floats, mass: ClassMass) -> Cuts:
    """Find the threshold of least impurity for each projection. Shapes: values (P, n)."""
    from rulekit.families.power_law.solver.split_kernels import best_places

    keys = sort_keys(values, mass.label, mass.bits)
    threshold, worth = best_places(keys, mass.total, mass.bits, mass.units, mass.unit, mass.gini)
    return Cuts(worth, np.full(len(values), -np.inf), threshold)


def best_step(now: Floats, along: Floats, mass: ClassMass) -> Cuts:
    """Find how far to go along a line so that ``now + step * along <= 0`` splits best."""
    from rulekit.families.power_law.solver.split_kernels import step_keys

    lines = (np.ascontiguousarray(part) for part in (now, along))
    keys, first = step_keys(*lines, mass.label, mass.bits, mass.units)
    return _best_event(keys, first, mass)


def best_band_step(
    now: Floats, along: Floats, band: tuple[Floats, Floats], mass: ClassMass
) -> Cuts:
    """Find how far to go along a line so that ``low <= now + step * along <= high`` splits best."""
    from rulekit.families.power_law.solver.split_kernels import band_keys

    lines = (np.ascontiguousarray(part) for part in (now, along, *band))
    keys, first = band_keys(*lines, mass.label, mass.bits, mass.units)
    return _best_event(keys, first, mass)


def _best_event(keys: Ints, first: Ints, mass: ClassMass) -> Cuts:
    """Follow the left side over events that let rows in or out, and take the best stop."""
    from rulekit.families.power_law.solver.split_kernels import best_events

    keys.sort(axis=1)
    step, worth = best_events(keys, first, mass.total, mass.bits, mass.units, mass.unit)
    return Cuts(worth, step, step)


def best_interval(
    values: Floats, mass: ClassMass, n_starts: int = 3, rounds: int = 4, inside: int | None = None
) -> Cuts:
    """Find the interval of little impurity for each row of values (P, n); not exact."""
    # Purity is convex in the mass inside: the largest run by its tangent (Kadane) never loses.
    from rulekit.families.power_law.solver.split_kernels import best_runs

    keys = sort_keys(values, mass.label, mass.bits)
    plan = inside, n_starts
    if plan not in mass.slopes:
        mass.slopes[plan] = first_slopes(mass, *plan)
    classes = mass.total, mass.bits, mass.units, mass.unit
    return Cuts(*best_runs(keys, *classes, mass.gini, mass.slopes[plan], rounds))


def center_cuts(values: Floats, bands: Cuts, mass: ClassMass) -> Cuts:
    """Move the ends of intervals to the middle of their gaps and compute their impurity there."""
    below, above = values < bands.low[:, None], values > bands.high[:, None]
    inside = ~(below | above)
    first = np.where(inside, values, np.inf).min(axis=1)
    last = np.where(inside, values, -np.inf).max(axis=1)
    ahead = np.where(below, values, -np.inf).max(axis=1)
    behind = np.where(above, values, np.inf).min(axis=1)
    some = np.asarray(inside.any(axis=1))  # an empty band does not count
    low = 0.5 * ahead + 0.5 * np.where(some, first, 0.0)
    high = 0.5 * behind + 0.5 * np.where(some, last, 0.0)
    moved = Cuts(mass.compute_impurity(inside), low, high)
    return Cuts.nothing(len(values), mass.gini).where(some, moved)


def first_slopes(mass: ClassMass, inside: int | None, n_starts: int) -> Floats:
    """List slopes of purity to begin with: for a row of each followed class, and for any row."""
    share, parts = mass.total / mass.total.sum(), []
    # which followed class is sought (1) or shunned (-1) inside an interval
    sides = [(k, sign) for k in range(len(mass.tracked)) for sign in (1.0, -1.0)]
    if inside is not None:
        followed = inside in mass.tracked
        sides = [(mass.tracked.index(inside), 1.0) if followed else (0, -1.0)]
    for k, sign in sides:
        p = share[mass.tracked[k]]
        for bend in [0.0, 0.4, -0.4, 0.8, -0.8][:n_starts]:
            cost = np.clip(p + bend * min(p, 1 - p) * sign, 0.02, 0.98)
            slopes = np.zeros(len(mass.tracked) + 1)
            slopes[k], slopes[-1] = sign, -sign * cost
            parts.append(slopes)
    return np.array(parts)


def sort_keys(values: Floats, label: Ints, bits: int) -> Ints:
    """Sort values with labels in their lowest bits; integers in the order of the floats."""
    keys = np.add(values, 0.0, order="C").view(np.int64)  # the sum turns -0.0 into 0.0
    keys ^= (keys >> 63) & FLIP
    keys &= ~np.int64((1 << bits) - 1)
    keys |= label
    keys.sort(axis=1)
    return keys


@dataclass(frozen=True)
class Effort:
    """How hard a structure is worked on."""

    starts: int = 1
    sweeps: int = 2
    lines: int = 0
    draws: int = 0


REFINED, POLISHED, FINISHED = Effort(1, 4, 0), Effort(2, 4, 1, 4), Effort(4, 6, 2, 8)
SETTLED = Effort(2, 4, 1, 4)  # where good weights are known from a part of the rows


class LowerLevel:
    """Finds weights and bias for structures on the rows of one node."""

    def __init__(self, table: PowerTable, mass: ClassMass) -> None:
        self.table, self.mass = table, mass
        order = np.argsort(-mass.total, kind="stable")
        largest = order[:MAX_TARGETS] if mass.n_classes > 2 else np.array([1, 0])
        self.targets = [int(k) for k in largest if mass.total[k] > 0]

    def screen(self, structures: Exponents, modulus: bool) -> Splits:
        """Compute weights from closed forms for each structure, and the best bias for these."""
        splits = empty_splits(structures, self.mass.gini)
        for block in blocks(self.table, structures):
            best = block.start_splits(self.mass.gini)
            for w, target, width in self._directions(block, modulus):
                if modulus:
                    few = np.argsort(width, kind="stable")[: max(FEW, int(NARROWEST * len(width)))]
                    cuts = best_interval(block.projected(w[few], few), self.mass, 1, 1, target)
                    cuts = cuts.place(few, len(width))
                else:
                    cuts = best_cut(block.projected(w), self.mass)
                best = best.take_better(Found(**vars(cuts), weights=w))
            block.write(best, splits)
        return splits

    def improve(self, splits: Splits, modulus: bool, effort: Effort, rng: Generator) -> Splits:
        """Improve weights by exact steps; never returns a worse split."""
        improved = empty_splits(splits.structures, self.mass.gini)
        # A power law alone has no weights: the cut of `screen` is exact, a band is found once.
        alone = effort is SETTLED or (modulus and effort is not POLISHED)
        for block in blocks(self.table, splits.structures, least=1 if alone else 2):
            best = block.start_splits(self.mass.gini)
            descent = _Descent(block, self.mass, modulus, effort, rng)
            scale = np.where(np.isinf(block.scale), 0.0, block.scale)
            for w in descent.starts(splits.weights[block.places, : block.size] * scale):
                best = best.take_better(descent.descend(w))
            block.write(best, improved)
        return splits.take_better(improved)

    def _directions(self, block: StructureBlock, modulus: bool) -> list[tuple[Floats, int, Floats]]:
        """Closed-form directions of shape (P, size), the class each is for, and how wide it is."""
        targets = self.targets if modulus or self.mass.n_classes > 2 else self.targets[:1]
        if block.size == 1:
            only = np.ones((len(block.places), 1))
            alike = np.zeros(len(block.places))
            return [(only, k, alike) for k in (targets if modulus else targets[:1])]
        moments = Moments(self.table, block.exponents, self.mass, block.laws)
        computed = moments.narrow if modulus else moments.discriminant
        directions = [(k, *computed(k)) for k in targets]
        # Of unit size, so that what rounding leaves of power laws that cancel stays below a step.
        return [(_unit(w), k, width) for k, w, width in directions]


@dataclass(frozen=True)
class _Descent:
    """Improves the weights of the structures of a block."""

    block: StructureBlock
    mass: ClassMass
    modulus: bool
    effort: Effort
    rng: Generator

    def starts(self, w: Floats) -> list[Floats]:
        """Return the weights at hand, and the best of the axes and of many random directions."""
        block, effort = self.block, self.effort
        if effort.starts == 1 or block.size == 1:
            return [w]
        # A start takes one sort, a descent from it dozens: many are drawn, few are followed.
        P, size = len(block.places), block.size
        axes = np.eye(size)[:, None].repeat(P, axis=1)
        tried = np.concatenate([axes, _random((effort.draws, P, size), self.rng)])
        each = np.arange(P)
        value = block.projected(tried.reshape(-1, size), np.tile(each, len(tried)))
        worth = self._bias(value).impurity.reshape(len(tried), P)
        order = np.argsort(worth, axis=0, kind="stable")[: effort.starts - 1]
        return [w, *(tried[start, each] for start in order)]

    def descend(self, w: Floats) -> Found:
        """Step along each coordinate, then along random lines, as long as it helps."""
        block, effort, w = self.block, self.effort, _unit(w)
        value = block.projected(w)
        now = self._bias(value)
        for sweep in range(effort.sweeps if block.size > 1 else 0):
            before = now.impurity
            for line in range(block.size + effort.lines):
                if line < block.size:
                    change = np.zeros_like(w)
                    change[:, line] = 1.0
                else:
                    change = _random((1, *w.shape), self.rng)[0]
                # first around the mean, as the closed forms are; then around rows, whose splits no
                # turn around the mean reaches
                around_mean = sweep == 0 and line < block.size
                moved, now = self._step(w, value, now, change, around_mean=around_mean)
                if moved is not w:
                    w, value = moved, block.projected(moved)
            if self.modulus:
                now = now.take_better(self._bias(value))
            if not (now.impurity < before - EQUAL).any():
                break
        if self.modulus:
            now = center_cuts(value, now, self.mass).take_better(best_interval(value, self.mass))
        return Found(**vars(now), weights=w)

    def _step(
        self, w: Floats, value: Floats, now: Cuts, change: Floats, *, around_mean: bool
    ) -> tuple[Floats, Cuts]:
        """Take the best step along a line and the best bias there, where both together help."""
        along = self.block.projected(change)
        centre = np.zeros(len(w))
        if not around_mean:
            centre = along[:, int(self.rng.integers(along.shape[1]))].copy()
            along -= centre[:, None]
        if self.modulus:
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
        if self.modulus:  # the band goes with the pivot
            shift = far * centre
            there = Cuts(step.impurity, (now.low + shift) / size, (now.high + shift) / size)
        else:  # the step kept the bias: with a new one the moved weights may split better still
            some = np.flatnonzero(better)
            there = self._bias(self.block.projected(moved[some], some)).place(some, len(w))
            better &= there.impurity < now.impurity - EQUAL
        return np.where(better[:, None], moved, w), now.where(better, there)

    def _bias(self, value: Floats) -> Cuts:
        return best_interval(value, self.mass, 1, 2) if self.modulus else best_cut(value, self.mass)


def _random(shape: tuple[int, ...], rng: Generator) -> Floats:
    """Draw directions whose parts are of very different size: power laws have long tails."""
    spread, drawn = np.moveaxis(rng.standard_normal((shape[0], 2, *shape[1:])), 1, 0)
    return np.asarray(drawn * exp(TAILS * spread))


def _unit(w: Floats) -> Floats:
    """Scale weights so that the largest is 1 in size; all zero becomes all one."""
    size = np.abs(w).max(axis=1, keepdims=True)
    return np.where(size > 0, w / np.where(size > 0, size, 1.0), 1.0)
