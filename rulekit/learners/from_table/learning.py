"""Learn from a sample, count on all rows, move thresholds, look at wrong rows again.

A threshold is optimised by histograms, all others fixed: the engine counts, by the column's value
and the class, how many more rows would be wrong if the condition held; sums of these counts are
the loss at every threshold.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit._engine import fetch, number
from rulekit._validation import weights_of_classes
from rulekit.binning.thresholds import short_cuts
from rulekit.exceptions import DataError
from rulekit.learners.from_table.counts import (
    UNCONSTRAINED,
    Kinds,
    Pruning,
    is_required,
    with_conditions,
    wrong_of,
)
from rulekit.learners.from_table.rows import TableRows
from rulekit.rules import Condition, Literal, RuleSet, simplify
from rulekit.rules.constraints import Constraints

Floats = NDArray[np.float64]
BINS = 2000
FEW = 500  # distinct values in the sample: each is counted by itself then
SHARE = 0.02  # of the sample's values on either side of a cut, where it is first looked for
WIDER = 8.0
BORDER = 0.02  # of a window: a best cut so near to its end may lie beyond it
STEPS = (1, 2, 5)
MOVED = (">", "<=")
TRIES = 6


@dataclass(frozen=True)
class Grid:
    """Bins ``(edge, next edge]`` of one width whose edges have few digits."""

    first: int
    n_bins: int
    step: int
    decimals: int

    @classmethod
    def over(cls, low: float, high: float, *, whole: bool) -> "Grid":
        """Build at most `BINS` bins over a window; for whole numbers at least 1 wide."""
        least = (high - low) / BINS
        power = int(np.floor(np.log10(least)))
        step = next((s for s in STEPS if s * 10.0**power >= least), 10)
        if whole and step * 10.0**power < 1:
            step, power = 1, 0
        first = int(np.floor(low / (step * 10.0**power)))
        last = int(np.ceil(high / (step * 10.0**power)))
        return cls(first, max(1, last - first), step, -power)

    @property
    def width(self) -> float:
        """Distance of two edges."""
        return self.step * 10.0**-self.decimals

    @property
    def edges(self) -> Floats:
        """The edges, ascending: shape (n_bins + 1,)."""
        edges: Floats = self.edge(self.first + np.arange(self.n_bins + 1.0))
        return edges + 0.0

    def edge(self, index: Any) -> Any:
        """Return the edge index of a number, in widths from 0; also for an expression."""
        scale = 10.0 ** abs(self.decimals)
        return index * self.step / scale if self.decimals >= 0 else index * self.step * scale

    def bin(self, value: Any) -> Any:
        """Return the bin index of a value, from 0, as an expression."""
        index = (value / number(self.width)).ceil().cast("float64") - 1.0
        # a value beside an edge, divided, may fall on its other side
        index += (value > self._engine_edge(index + 1.0)).ifelse(1, 0)
        index -= (value <= self._engine_edge(index)).ifelse(1, 0)
        return index.cast("int64") - self.first

    def _engine_edge(self, index: Any) -> Any:
        scale = number(10.0 ** abs(self.decimals))
        whole = index * number(self.step)
        return whole / scale if self.decimals >= 0 else whole * scale


@dataclass(frozen=True)
class Losses:
    """Loss of each threshold, up to a constant: shape (m,) each, thresholds ascending."""

    cuts: Floats
    loss: Floats

    def best(self, now: float) -> float:
        """Return the cheapest threshold that is nearest to the present one."""
        least = self.loss.min()
        best = self.cuts[self.loss <= least + 1e-9 * max(1.0, abs(least))]
        return float(best[np.abs(best - now).argmin()])


class CutRefiner:
    """Moves the thresholds of a rule, one after another; shapes: factors (K,)."""

    def __init__(
        self, rows: Any, sample: pd.DataFrame, factors: Floats, constraints: Constraints
    ) -> None:
        self._rows, self._factors, self._constraints = rows, factors, constraints
        self._values: dict[str, Floats] = {}
        self._sample = sample

    def refined(self, rule: RuleSet) -> RuleSet:
        """Move each threshold once, in the rule's order."""
        for k in range(rule.n_clauses):
            i = 0
            while i < len(rule.clauses[k].conditions):  # two that become one leave a place less
                if self._has_cut(rule.clauses[k].conditions[i]):
                    moved = with_cut(rule.clauses[k].conditions[i], self._best(rule, k, i))
                    if moved not in self._constraints.forbidden:
                        conditions = rule.clauses[k].conditions
                        rule = with_conditions(
                            rule, k, (*conditions[:i], moved, *conditions[i + 1 :])
                        )
                i += 1
        return rule

    def _has_cut(self, condition: Condition) -> bool:
        alone = condition.tests == (condition,)  # not one of several that are added up
        return (
            alone
            and condition.tests[0].is_plain
            and condition.tests[0].op in MOVED
            and not is_required(condition, self._constraints)
        )

    def _best(self, rule: RuleSet, k: int, i: int) -> float:
        """Find the threshold of one condition with the fewest wrong rows."""
        (literal,) = rule.clauses[k].conditions[i].tests
        now = float(literal.values[0])
        values = self._present(literal.feature)
        if len(np.unique(values)) <= FEW:
            return self.losses_by_value(rule, k, i).best(now)
        best, share = now, SHARE
        for _ in range(TRIES):
            low, high = window(values, best, share)
            losses = self.losses(rule, k, i, Grid.over(low, high, whole=is_whole(values)))
            best = losses.best(best)
            position = (best - low) / (high - low)
            outside = share < 1 and not BORDER < position < 1 - BORDER
            if share <= SHARE and not outside:
                break
            share = min(1.0, share * WIDER) if outside else SHARE
        return best

    def losses(self, rule: RuleSet, k: int, i: int, grid: Grid) -> Losses:
        """Compute the loss of each edge of a grid as the threshold of one condition."""
        literal = rule.clauses[k].conditions[i]
        edges = grid.edges
        value = self._rows.value(literal.features[0])
        inside = (value > number(edges[0])) & (value <= number(edges[-1]))
        counted = self._counted(rule, k, i, grid.bin(value), inside)
        gain = np.zeros(grid.n_bins)
        np.add.at(gain, counted["at"].to_numpy(dtype=int), counted["gain"].to_numpy(dtype=float))
        return Losses(edges, _sums(gain, literal.comparison[0]))

    def losses_by_value(self, rule: RuleSet, k: int, i: int) -> Losses:
        """Compute the loss of a threshold between any two values of the column."""
        literal = rule.clauses[k].conditions[i]
        value = self._rows.value(literal.features[0])
        counted = self._counted(rule, k, i, value, value.notnull())
        gain = counted.groupby("at")["gain"].sum().sort_index()
        now = float(literal.comparison[1])
        values = np.unique([*gain.index.to_numpy(dtype=float), *self._present(literal.features[0])])
        cuts = short_cuts(values[:-1], values)
        full = gain.reindex(values, fill_value=0.0).to_numpy(dtype=float)
        loss = _sums(full, literal.comparison[0])
        # the current threshold represents its gap, also one beyond all values
        at = int(np.searchsorted(values, now, side="right")) - 1
        if at < 0:
            return Losses(np.append(now, cuts), loss[:-1])
        if at == len(cuts):
            return Losses(np.append(cuts, now), loss[1:])
        cuts[at] = now
        return Losses(cuts, loss[1:-1])

    def _counted(self, rule: RuleSet, k: int, i: int, at: Any, inside: Any) -> pd.DataFrame:
        """Count the additional wrong rows if a condition holds: columns `at` and `gain`."""
        rows = self._rows
        import ibis

        yes, no = (rows.answer(rule, {(k, i): ibis.literal(held)}) for held in (True, False))
        label = rows.label
        more = (yes != label).ifelse(1, 0) - (no != label).ifelse(1, 0)
        selected = rows.learning.filter((yes != no) & inside).select(at=at, label=label, more=more)
        groups = selected.group_by(["at", "label"]).aggregate(more=selected.more.sum())
        counted = fetch(groups).to_pandas()
        weight = self._factors[counted["label"].to_numpy(dtype=int)]
        return counted.assign(gain=counted["more"].to_numpy(dtype=float) * weight)

    def _present(self, name: str) -> Floats:
        """Return the values of a column in the sample, sorted, with repeats."""
        if name not in self._values:
            values = self._sample[name].to_numpy(dtype=float, na_value=np.nan)
            self._values[name] = np.sort(values[~np.isnan(values)])
        return self._values[name]


def _sums(gain: Floats, op: str) -> Floats:
    """Convert gains per bin to the loss at each edge."""
    below = np.concatenate([[0.0], np.cumsum(gain)])
    return below if op == "<=" else below[-1] - below


def window(values: Floats, cut: float, share: float) -> tuple[float, float]:
    """Return an interval around a threshold that holds a share of the sample on either side."""
    at, n = int(np.searchsorted(values, cut, side="right")), len(values)
    reach = max(2, int(np.ceil(share * n)))
    low, high = float(values[max(0, at - reach)]), float(values[min(n - 1, at + reach)])
    return (low, high) if low < high else (float(values[0]), float(values[-1]))


def is_whole(values: Floats) -> bool:
    """Return whether all are whole numbers."""
    return bool((values == np.round(values)).all())


def with_cut(condition: Condition, cut: float) -> Literal:
    """Return a single-column test with another threshold."""
    test: Literal = condition.tests[0]
    return replace(test, value=cut)


ROUNDS = 4  # samples at most
SWEEPS = 3  # times that each cut is moved, at most
LEAST = 0.5  # of an even share of the sample: what the rarest class is drawn for at least
Watch = Callable[[float, str], None]


@dataclass(frozen=True)
class Found:
    """A rule, its learner, and its counts on all rows; shapes: factors (K,)."""

    learner: Any
    rule: RuleSet
    kinds: Kinds
    factors: Floats
    loss: float
    price: float
    value: float


@dataclass(frozen=True)
class Aims:
    """The objective; shapes: factors (K,)."""

    factors: Floats
    moves_cuts: bool = True
    constraints: Constraints = UNCONSTRAINED


@dataclass
class TableLearning:
    """Learns a rule from samples of a table and measures it on every row."""

    rows: TableRows
    sample_rows: int
    aims: Aims
    watch: Watch
    steps: list[dict[str, Any]] = field(default_factory=list)

    def run(self, learners: Callable[[int], Any]) -> Found:
        """Learn until the objective on all rows no longer falls."""
        best: Found | None = None
        for k in range(ROUNDS):
            self._report(k, 0.0, "Drawing a sample")
            frame, codes, weight, complete = self._sample(k, best)
            self._report(k, 0.1, f"Learning from {len(frame):,} rows")
            learner = learners(k)
            learner._fit_quietly(frame, self.rows.classes[codes], weight)
            result = self._counted(learner, learner.rule_set_, k, "sample", len(frame))
            if not complete:
                result = self._refined(result, frame, k)
            if best is not None and result.value >= best.value:
                break
            best = result
            if complete:
                break
        assert best is not None
        return best

    def _sample(
        self, number: int, best: Found | None
    ) -> tuple[pd.DataFrame, NDArray[np.intp], Floats | None, bool]:
        """Draw a sample; return rows, classes, weights (None if even), and if it is complete."""
        sizes = self.rows.sizes[0].astype(float)
        if sizes.sum() <= self.sample_rows:
            frame, codes, _ = self.rows.drawn(1, np.ones((len(sizes), 1)))
            return frame, codes, None, True
        strata, rule = sizes[:, None], None
        budget = by_class(sizes, self.sample_rows)[:, None]
        if best is not None:
            rule = best.rule
            wrong = wrong_of(rule, best.kinds, self.rows.classes.tolist())
            strata = np.stack([sizes - wrong, wrong], axis=1)
            halves = [by_class(part, self.sample_rows / 2) for part in strata.T]
            budget = np.stack(halves, axis=1)
        shares = np.divide(budget, strata, out=np.zeros_like(budget), where=strata > 0)
        shares = np.minimum(shares, 1.0)
        frame, codes, wrong_here = self.rows.drawn(number + 1, shares, rule)
        drawn = np.zeros(strata.shape)
        np.add.at(drawn, (codes, wrong_here), 1.0)
        weight = np.divide(strata, drawn, out=np.zeros_like(strata), where=drawn > 0)
        even = np.ptp(shares[strata > 0]) < 1e-9
        return frame, codes, None if even else weight[codes, wrong_here], False

    def _refined(self, result: Found, frame: pd.DataFrame, number: int) -> Found:
        """Alternate pruning and moving thresholds while the objective falls."""
        refiner = CutRefiner(self.rows, frame, self.aims.factors, self.aims.constraints)
        per_row = self.rows.sizes[0].sum() / self.sample_rows
        pruning = Pruning(
            self.rows.classes.tolist(),
            self.aims.factors,
            result.price * per_row,
            self.aims.constraints,
        )
        for _ in range(SWEEPS):
            rule = result.rule
            if result.price:  # a scorecard has none, nor clauses that could be left out
                rule = pruning.pruned(rule, result.kinds)
            if self.aims.moves_cuts:
                self._report(number, 0.5, "Moving cuts by histograms of all rows")
                rule = simplify(refiner.refined(rule))
            if rule == result.rule:
                break
            new = self._counted(result.learner, rule, number, "refined", 0)
            if new.value >= result.value:
                break
            result = new
        return result

    def _counted(self, learner: Any, rule: RuleSet, number: int, step: str, drawn: int) -> Found:
        """Count a rule on all rows, and record the step."""
        self._report(number, 0.4, f"Counting the rule on {self.rows.n_rows:,} rows")
        kinds, sizes = self.rows.counted(rule), self.rows.sizes[0]
        wrong, factors = wrong_of(rule, kinds, self.rows.classes.tolist()), self.aims.factors
        loss = float(wrong @ factors / (sizes @ factors))
        price = float(getattr(getattr(learner, "learner_", learner), "theta", 0.0))
        value = loss * min(self.sample_rows, sizes.sum()) + price * rule.n_conditions
        self.steps.append(
            {
                "round": number + 1,
                "step": step,
                "sample_rows": drawn,
                "conditions": rule.n_conditions,
                "wrong": int(wrong.sum()),
                "error": float(wrong.sum() / sizes.sum()),
                "loss": loss,
                "value": value,
            }
        )
        return Found(learner, rule, kinds, factors, loss, price, value)

    def _report(self, number: int, share: float, message: str) -> None:
        self.watch((number + share) / ROUNDS, message)


def by_class(sizes: Floats, budget: float) -> Floats:
    """Return how many rows of each class to draw: in proportion, with a minimum for rare ones."""
    present = sizes > 0
    if not present.any():
        return np.zeros(len(sizes))
    least = LEAST * budget / present.sum()
    wanted = np.maximum(budget * sizes / sizes.sum(), least * present)
    return np.asarray(np.minimum(wanted * (budget / wanted.sum()), sizes))


def factors_of(class_weight: Any, classes: NDArray[Any], sizes: NDArray[np.int64]) -> Floats:
    """Return the weight of a row of each class, normalised to n in total, shape (K,)."""
    weight = np.ones(len(classes))
    if class_weight == "balanced":
        weight = 1.0 / sizes
    elif class_weight is not None:
        weight = weights_of_classes(class_weight, classes)
    if not (weight * sizes).sum() > 0:
        raise DataError("`class_weight` must give some class a positive weight; all are 0.")
    return np.asarray(weight * (sizes.sum() / (weight * sizes).sum()))
