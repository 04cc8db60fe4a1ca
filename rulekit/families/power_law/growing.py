"""Positive features, and a tree of power-law splits over them (Dhebar and Deb, Algorithm 1)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from typing import Any, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rulekit.binning.binned_table import BinnedTable
from rulekit.exceptions import StoppedError
from rulekit.families.power_law.solver.genetic import GeneticLevel, genetic_search
from rulekit.families.power_law.solver.laws import Bools, Floats, PowerTable, shifts_for
from rulekit.families.power_law.solver.split_beam import (
    GAIN,
    SEARCHED_ROWS,
    beam_search,
    likely_features,
)
from rulekit.families.power_law.solver.split_task import (
    TINY,
    ClassMass,
    FoundSplit,
    SplitTask,
    target_impurity,
)
from rulekit.learners.training import Clock, computable
from rulekit.rules import Branch, Columns, Factor, Literal, PowerLaw, PowerLawSplit, Tree
from rulekit.rules.analysis.tree import Leaf
from rulekit.rules.condition import Condition, absent_in, take_rows

Ints = NDArray[np.intp]
NUMERIC = "number", "boolean"  # kinds of columns that power laws read
Gap = tuple[float, float]
Products = list[tuple[Factor, ...]]
MANY = 30  # columns; of more, half as many for each of two reasons are used, see `likely_features`
MAX_DIGITS = 17
MIN_GAP_SHARE = 0.5  # share of the gap between the sides that rounding may not take
FLOOR = 0.5  # values below this share of the smallest one count as this share


@dataclass(frozen=True)
class PowerLawFeatures:
    """The numeric columns of a training table, made positive."""

    names: tuple[str, ...]
    X: Floats  # (n, d)
    shift: Floats  # (d,)
    scale: Floats  # (d,)
    floor: Floats  # (d,)
    floors: bool = False

    @classmethod
    def from_columns(
        cls, columns: Columns, kinds: dict[str, str], *, floors: bool = False
    ) -> "PowerLawFeatures":
        """Select the numeric columns that vary, and shift them to positive values."""
        read = {n: np.asarray(c, dtype=float) for n, c in columns.items() if kinds[n] in NUMERIC}
        read = {n: v for n, v in read.items() if len(np.unique(v[~np.isnan(v)])) > 1}
        empty = np.empty((len(next(iter(columns.values()))), 0))
        filled = (np.where(np.isnan(v), np.nanmedian(v), v) for v in read.values())
        values = np.column_stack([empty, *filled])
        for name, column in zip(read, values.T, strict=True):
            computable(name, column)
        low, high = values.min(axis=0), values.max(axis=0)
        ends = zip(shifts_for(low, high), 0.1 * (high - low), strict=True)
        shift = np.array([shortest(c - r, c + r, c) if c else 0.0 for c, r in ends])
        ends = zip(shift, 0.5 * FLOOR * (low - shift), strict=True)
        floor = np.array([shortest(c + r, c + 3 * r, c + 2 * r) for c, r in ends])
        scale = high - shift
        return cls(tuple(read), (values - shift) / scale, shift, scale, floor, floors)

    def drop(self, names: Collection[str]) -> "PowerLawFeatures":
        """Leave some columns out; the others stay as they are."""
        if not names:
            return self
        remaining = np.array([name not in names for name in self.names])
        X = np.ascontiguousarray(self.X[:, remaining])
        kept = {part: getattr(self, part)[remaining] for part in ("shift", "scale", "floor")}
        return replace(self, names=tuple(n for n in self.names if n not in names), X=X, **kept)

    def likely(self, codes: Ints, weight: Floats, seed: int) -> "PowerLawFeatures":
        """Keep at most MANY columns, those that separate the classes best, alone or in pairs."""
        if len(self.names) <= MANY:
            return self
        counted = weight > 0
        present, kinds = np.unique(codes[counted], return_inverse=True)
        if len(present) == 1:
            return self
        mass = ClassMass(kinds.astype(np.int64), weight[counted], len(present))
        selected = likely_features(self.X[counted], mass, MANY, np.random.default_rng([seed, 5]))
        return self.drop({name for j, name in enumerate(self.names) if j not in selected})

    def factor(self, j: int, exponent: int) -> Factor:
        """Write a feature's power in the user's units."""
        shift = float(self.shift[j])
        guarded = self.floors or exponent < 0 or (shift != 0 and exponent != 1)
        return Factor(self.names[j], exponent, shift, float(self.floor[j]) if guarded else None)

    def write_in_units(self, split: FoundSplit) -> tuple[Products, Floats, Floats]:
        """Write a split's power laws and weights for columns as they are."""
        laws, weights = [], []
        bounds = np.array([split.low, split.high])
        for row, weight in zip(split.exponents, split.weights, strict=True):
            up, down = (self.scale.repeat(np.maximum(side * row, 0)) for side in (1, -1))
            scale = float(np.prod(up) / np.prod(down))
            factors = tuple(self.factor(int(j), int(row[j])) for j in np.flatnonzero(row))
            if len(factors) == 1 and factors[0].exponent == 1:
                bounds = bounds + weight / scale * factors[0].shift
                factors = (Factor(factors[0].feature),)
            laws.append(factors)
            weights.append(weight / scale)
        return laws, np.array(weights), bounds


def short_split(
    split: FoundSplit, features: PowerLawFeatures, columns: Columns
) -> PowerLawSplit | None:
    """Write a split in the user's units with as few digits as leave every row where it was."""
    laws, weights, bounds = features.write_in_units(split)
    present = ~absent_in(dict.fromkeys(f.feature for law in laws for f in law), columns)
    if not present.any():
        return None
    alone = [PowerLawSplit((PowerLaw(1.0, law),), 0.0).total(columns)[present] for law in laws]
    spread = [abs(w) * np.std(value) for w, value in zip(weights, alone, strict=True)]
    order = np.argsort(-np.array(spread), kind="stable")
    laws, leading = [laws[k] for k in order], float(weights[order[0]])
    weights, bounds = weights[order] / leading, np.sort(bounds / leading)
    exact = PowerLawSplit(_terms(laws, weights), 0.0).total(columns)[present]
    side = np.searchsorted(bounds, exact)  # 0 below, 1 between, 2 above
    wanted = _gaps(exact, side, bounds)
    if wanted == [None, None]:
        return None
    for digits in range(1, MAX_DIGITS + 1):
        rounded = np.array([float(f"{w:.{digits}g}") for w in weights])
        short = PowerLawSplit(_terms(laws, rounded), 0.0).total(columns)[present]
        gaps = _gaps(short, side, bounds)
        pairs = [(g, w) for g, w in zip(gaps, wanted, strict=True) if g and w]  # None: infinite
        if all(g[1] - g[0] >= MIN_GAP_SHARE * (w[1] - w[0]) > 0 for g, w in pairs):
            return _round_bounds(laws, rounded, gaps)
    return _round_bounds(laws, weights, wanted)


def _round_bounds(laws: Products, weights: Floats, gaps: list[Gap | None]) -> PowerLawSplit:
    """Round the bounds to short numbers near the middle of their gaps."""
    low, high = (None if gap is None else middle(*gap) for gap in gaps)
    if high is None:  # a band open above is a cut
        low, high = None, low
    assert high is not None
    return PowerLawSplit(_terms(laws, weights), high, low)


def middle(low: float, high: float) -> float:
    """Return the number with the fewest digits in the middle half of a gap."""
    return shortest(0.75 * low + 0.25 * high, 0.25 * low + 0.75 * high, 0.5 * low + 0.5 * high)


def _gaps(total: Floats, side: Ints, bounds: Floats) -> list[Gap | None]:
    """Find the gap around each bound: largest sum below it and smallest above; None if infinite."""
    gaps: list[Gap | None] = []
    for index, bound in enumerate(bounds):
        below, above = total[side <= index], total[side > index]
        finite = np.isfinite(bound) and len(below) and len(above)
        gaps.append((float(below.max()), float(above.min())) if finite else None)
    return gaps


def shortest(low: float, high: float, near: float) -> float:
    """Return the number between two others with the fewest digits, near a third."""
    for digits in range(1, MAX_DIGITS + 1):
        rounded = float(f"{near:.{digits}g}")
        if low <= rounded <= high:
            return rounded + 0.0
    return near


def _terms(laws: Products, weights: Floats) -> tuple[PowerLaw, ...]:
    return tuple(PowerLaw(float(w), law) for law, w in zip(laws, weights, strict=True))


@dataclass
class Node:
    """A part of the training rows, and how it is split further."""

    rows: Ints
    mass: Floats  # (K,)
    depth: int
    split: Condition | None = None
    sides: tuple["Node", ...] = ()  # rows that the split holds for, and the other ones

    @property
    def answer(self) -> int:
        """The class of most weight; of equal ones the first."""
        return int(self.mass.argmax())

    def below(self) -> Iterator["Node"]:
        """List this node and all below it, parents first."""
        yield self
        for side in self.sides:
            yield from side.below()

    @property
    def splits(self) -> list["Node"]:
        """The nodes that are split, parents first."""
        return [node for node in self.below() if node.split is not None]

    @property
    def length(self) -> int:
        """Exponents over all splits."""
        return sum(node.split.n_conditions for node in self.splits if node.split is not None)

    @property
    def leaves(self) -> list["Node"]:
        """The nodes that are not split."""
        return [node for node in self.below() if node.split is None]

    def answers(self, columns: Columns, n: int) -> Ints:
        """Predict n rows, as codes of classes, shape (n,)."""
        answers = np.full(n, self.answer)
        if self.split is not None:
            held = self.split.mask(columns)
            for side, rows in zip(self.sides, (held, ~held), strict=True):
                answers[rows] = side.answers(take_rows(columns, rows), int(rows.sum()))
        return answers

    def collapse(self) -> None:
        """Make this node a leaf."""
        self.split, self.sides = None, ()


def prune(root: Node, tolerance: float) -> None:
    """Collapse splits below the root as long as balanced training accuracy allows it."""
    size = np.where(root.mass > 0, root.mass, np.inf)
    lowest = _compute_balanced_accuracy(root, size) - tolerance - 1e-12
    while options := [node for node in root.splits if node is not root]:
        # change of balanced accuracy (mostly a loss) if a node becomes a leaf
        gains = [
            float(node.mass[node.answer] / size[node.answer] / np.isfinite(size).sum())
            - _compute_balanced_accuracy(node, size)
            for node in options
        ]
        best = max(range(len(gains)), key=lambda k: (gains[k], len(options[k].splits), -k))
        if _compute_balanced_accuracy(root, size) + gains[best] < lowest:
            break
        options[best].collapse()


def as_tree(node: Node, labels: list[Any]) -> Tree:
    """Write a node and all below it as a tree of labels."""
    if node.split is None:
        return Leaf(labels[node.answer])
    return Branch(node.split, *(as_tree(side, labels) for side in node.sides))


def _compute_balanced_accuracy(node: Node, size: Floats) -> float:
    """Sum over leaves of the share of its class that each gets right, by number of classes."""
    right = sum(leaf.mass[leaf.answer] / size[leaf.answer] for leaf in node.leaves)
    return float(right / np.isfinite(size).sum())


FIRST, LAST = range(2)  # places of the first row within the bounds, and of the first beyond
EQUAL = 1e-12  # share of the rows below which two errors are one
MIN_SAMPLES = 10  # rows a node needs to be split
NEGLIGIBLE = 1e-3  # impurity that is never split: a class of half a thousandth of the weight
MEMORY_CELLS = 200_000  # searched rows times features up to which the levels of a search are kept
MEMORY_CELLS_IN_ALL = 4_000_000  # the same of all rows of the node
#: Balanced training accuracy that pruning may give up (the paper's); beyond `SEARCHED_ROWS` rows it
#: falls in proportion, as splits that few of many rows need would go otherwise.
TAU_PRUNE = 0.03
PURE = 0.1  # share of the root's impurity at which a node needs no further split


def move_to_least_wrong(
    split: PowerLawSplit, columns: Columns, codes: Ints, weight: Floats
) -> PowerLawSplit:
    """Move the bounds of a split to the fewest wrong rows, with majority predictions."""
    total, held = split.total(columns), split.mask(columns)
    places = np.flatnonzero(np.isfinite(total))
    places = places[np.argsort(total[places], kind="stable")]
    value, n = total[places], len(places)
    breaks = 1 + np.flatnonzero(value[:-1] < value[1:])
    if not len(breaks):
        return split
    mass = np.where(codes == np.arange(codes.max() + 1)[:, None], weight, 0.0)
    running = np.zeros((len(mass), n + 1))
    np.cumsum(mass[:, places], axis=1, out=running[:, 1:])
    fixed = mass[:, ~np.isfinite(total) & (held == split.inside)].sum(axis=1, keepdims=True)
    whole = mass.sum(axis=1, keepdims=True)

    def count(first: Any, last: Any) -> tuple[Floats, Floats]:
        """Compute the wrong weight and FL with rows from the first to before the last inside."""
        inside = fixed + running[:, np.atleast_1d(last)] - running[:, np.atleast_1d(first)]
        outside = whole - inside
        wrong = whole.sum() - inside.max(axis=0) - outside.max(axis=0)
        sizes = (np.maximum(side.sum(axis=0), 1e-300) for side in (inside, outside))
        pure = sum((s * s).sum(axis=0) / n for s, n in zip((inside, outside), sizes, strict=True))
        return wrong, -pure

    ends = [0 if split.low is None else int(np.searchsorted(value, split.low)), 0]
    ends[LAST] = int(np.searchsorted(value, split.high, side="right"))
    slack, now, begun = EQUAL * whole.sum(), count(*ends)[0][0], np.inf
    start = list(ends)
    while now < begun:
        begun = now
        for side in (LAST, FIRST) if split.is_band else (LAST,):
            other = ends[1 - side]
            places = breaks[breaks > other if side == LAST else breaks < other]
            wrong, impurity = count(*((other, places) if side == LAST else (places, other)))
            if wrong.min(initial=np.inf) < now - slack:
                now = wrong.min()
                ends[side] = int(places[np.where(wrong <= now + slack, impurity, np.inf).argmin()])
    changed: dict[str, Any] = {
        name: middle(float(value[ends[side] - 1]), float(value[ends[side]]))
        for name, side in (("low", FIRST), ("high", LAST))
        if ends[side] != start[side]
    }
    return replace(split, **changed) if changed else split


def seed_of(random_state: Any) -> int:
    """Draw one seed; 0 if `random_state` is None."""
    if random_state is None or isinstance(random_state, Integral):
        return int(random_state or 0)
    return int(check_random_state(random_state).randint(2**31 - 1))


@dataclass(frozen=True)
class GrowthLimits:
    """Limits of a tree and of its splits."""

    max_depth: int
    tau: float
    max_power_laws: int
    exponents: tuple[int, ...]
    modulus: bool
    max_exponents: int

    @classmethod
    def from_parameters(cls, given: Any) -> "GrowthLimits":
        """Read a learner's parameters."""
        E = np.asarray(given.exponents)
        whole = E.ndim == 1 and E.dtype.kind in "if" and (np.round(E) == E).all()
        used = sorted({int(e) for e in E if e != 0}) if whole else []
        if not used or max(abs(e) for e in used) > 9:
            raise ValueError(
                "`exponents` must be whole numbers from -9 to 9, one of them not 0; got "
                f"{given.exponents!r}."
            )
        names = [f.name for f in fields(cls) if f.name not in ("tau", "exponents")]
        parts = {name: getattr(given, name) for name in names}
        return cls(tau=given.tau_impurity, exponents=tuple(used), **parts)


@dataclass
class Grower:
    """Growth of one tree."""

    features: PowerLawFeatures
    columns: Columns
    codes: Ints  # (n,)
    weight: Floats  # (n,)
    limits: GrowthLimits
    levels: tuple[str, str]  # how splits and weights are searched
    seed: int
    clock: Clock
    plain: BinnedTable  # conditions on columns that are no numbers
    memory: dict[Any, Any] | None = None
    history: list[dict[str, Any]] = field(default_factory=list)

    def inside(self, rows: Ints, limits: GrowthLimits, memory: dict[Any, Any]) -> "Grower":
        """Grow from some of the rows, within other limits."""
        features = replace(self.features, X=self.features.X[rows])
        parts = features, take_rows(self.columns, rows), self.codes[rows], self.weight[rows]
        return Grower(*parts, limits, self.levels, self.seed, self.clock, self.plain[rows], memory)

    def grow(self) -> Node:
        """Grow a tree from all rows, and prune it."""
        root = self._node(np.arange(len(self.codes)), 0)
        self._pure = max(min(self.limits.tau, PURE * _gini(root.mass)), NEGLIGIBLE)
        open_nodes = [root]
        while open_nodes:
            node = open_nodes.pop()
            self._split(node)
            open_nodes += reversed(node.sides)
        if self.clock.is_stopped():
            raise StoppedError("The work was stopped before the tree was grown.")
        prune(root, TAU_PRUNE * min(1.0, SEARCHED_ROWS / len(self.codes)))
        for node in reversed(root.splits):
            if any(side.split is not None for side in node.sides):
                continue
            rows, formula = node.rows, cast(PowerLawSplit, node.split)
            if not formula.tests:  # a plain condition, which tests a value, stays where it is
                columns = {name: self.columns[name][rows] for name in formula.features}
                split = move_to_least_wrong(formula, columns, self.codes[rows], self.weight[rows])
                if split is not formula:
                    self._divide(node, split, split.mask(columns))
            if len({side.answer for side in node.sides}) == 1:
                node.collapse()
        return root

    def _divide(self, node: Node, split: Condition, held: Bools) -> None:
        """Split a node by a condition, which holds for some of its rows."""
        sides = (self._node(node.rows[part], node.depth + 1) for part in (held, ~held))
        node.split, node.sides = split, tuple(sides)

    def _node(self, rows: Ints, depth: int) -> Node:
        return Node(rows, self._mass(rows), depth)

    def _mass(self, rows: Ints) -> Floats:
        """Sum the weight of each class over some rows."""
        return np.bincount(self.codes[rows], self.weight[rows], self.codes.max() + 1).astype(float)

    def _split(self, node: Node) -> None:
        """Split a node if it may be, and if a split makes it purer."""
        is_small = node.depth > self.limits.max_depth or len(node.rows) < MIN_SAMPLES
        if is_small or _gini(node.mass) <= self._pure:
            return
        columns = take_rows(self.columns, node.rows)
        found, (impurity, plain) = self._search_split(node), self._best_condition(node)
        price = np.inf if found is None else found.impurity + GAIN * (found.n_exponents - 1)
        split: Condition | None = plain if impurity <= price else None
        steps: list[dict[str, Any]] = []
        if found is not None and split is None:
            short = short_split(found, self.features, columns)
            split = None if short is None else self._with_gaps(short, columns, node)
            steps = found.history
        if split is None:
            return
        held = split.mask(columns)
        if held.all() or not held.any():
            return
        self.history += [{"node": len(self.history), "depth": node.depth, **s} for s in steps]
        self._divide(node, split, held)

    def _best_condition(self, node: Node) -> tuple[float, Literal | None]:
        """Return the plain condition of least impurity, if it helps, and that impurity."""
        if not self.plain.shape[1]:
            return np.inf, None
        mass = np.zeros((len(node.rows), len(node.mass)))
        mass[np.arange(len(node.rows)), self.codes[node.rows]] = self.weight[node.rows]
        held = self.plain[node.rows].sums(mass)
        pure, total = np.zeros(len(held)), node.mass.sum()
        for side in (held, node.mass - held):
            pure += (side * side).sum(axis=1) / np.maximum(side.sum(axis=1), TINY * total)
        impurity = 1 - pure / total
        best = int(np.round(impurity, 12).argmin())
        useful = impurity[best] < _gini(node.mass) - GAIN
        return float(impurity[best]), self.plain.literals[best] if useful else None

    def _search_split(self, node: Node) -> FoundSplit | None:
        """Search power laws for a node."""
        if not self.features.names:
            return None
        present, codes = np.unique(self.codes[node.rows], return_inverse=True)
        weight = self.weight[node.rows]
        counted = None if np.ptp(weight) == 0 else weight
        mass = ClassMass(codes.astype(np.int64), counted, len(present))
        limits = self.limits
        tau = target_impurity(mass, limits.tau)
        allowed = (limits.max_power_laws, limits.exponents, limits.modulus, limits.max_exponents)
        key = (node.rows.tobytes(), tau, *allowed)
        if self.memory is not None and key in self.memory:
            return cast(FoundSplit | None, self.memory[key])
        task = SplitTask(self.features.X[node.rows], mass, *allowed, tau)
        levels = None
        searched = min(len(task.X), SEARCHED_ROWS) * task.X.shape[1]
        small = searched <= MEMORY_CELLS and task.X.size <= MEMORY_CELLS_IN_ALL
        if self.memory is not None and small:
            levels = self.memory.setdefault((node.rows.tobytes(), *allowed[:2]), {})
        split = self._run_search(task, np.random.default_rng(self.seed), levels)
        if split is not None and not (np.isfinite(split.low) or np.isfinite(split.high)):
            split = None
        if self.memory is not None and not self.clock():
            self.memory[key] = split
        return split

    def _run_search(
        self, task: SplitTask, rng: Generator, memo: dict[Any, Any] | None
    ) -> FoundSplit | None:
        """Search one split; when the time is over, nothing more is split."""
        upper, lower = self.levels
        if self.clock():
            return None
        if upper == "genetic":
            return genetic_search(task, rng, self.clock, lower_level=lower)
        if lower == "exact":
            return beam_search(task, rng, self.clock, memo=memo)
        table = PowerTable(task.X, max(map(abs, task.exponents)))
        return beam_search(task, rng, self.clock, GeneticLevel(table, task.mass, rng))

    def _with_gaps(self, split: PowerLawSplit, columns: Columns, node: Node) -> PowerLawSplit:
        """Send rows with a gap to the side with fewer errors, or to the larger side."""
        absent = absent_in(split.features, columns)
        held = split.mask(columns)
        yes = self._mass(node.rows[held & ~absent])
        no = self._mass(node.rows[~held & ~absent])
        gone = self._mass(node.rows[absent])
        together = sum_impurities(yes + gone, no) - sum_impurities(yes, no + gone)
        missing = together < 0 if absent.any() else yes.sum() > no.sum()
        return PowerLawSplit(split.terms, split.high, split.low, split.inside, bool(missing))


def _gini(mass: Floats) -> float:
    share = mass / mass.sum()
    return float(1.0 - (share * share).sum())


def sum_impurities(*masses: Floats) -> float:
    """Sum the impurities of parts times their weights: FL of two sides times that of both."""
    return sum(float(m.sum() - (m * m).sum() / m.sum()) for m in masses if m.sum() > 0)
