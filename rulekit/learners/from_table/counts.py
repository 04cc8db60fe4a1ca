"""Counts of all rows by the answers to a rule's conditions, and what follows from them."""

# A threshold is optimised by histograms, all others fixed: the engine counts, by the column's value
# and the class, how many more rows would be wrong if the condition held; sums of these counts are
# the loss at every threshold.

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit._engine import fetch, number
from rulekit.binning.binned_table import Bools, Floats
from rulekit.binning.thresholds import short_cuts
from rulekit.learners.shares import Likeness, Shares, code_answers
from rulekit.rules import Condition, RuleSet
from rulekit.rules.constraints import Constraints

BINS = 2000
FEW = 500  # distinct values in the sample: each is counted by itself then
SHARE = 0.02  # of the sample's values on either side of a cut, where it is first looked for
WIDER = 8.0
BORDER = 0.02  # of a window: a best cut so near to its end may lie beyond it
STEPS = (1, 2, 5)
MOVED = (">", "<=")
TRIES = 6
Counts = NDArray[np.int64]
UNCONSTRAINED = Constraints()


@dataclass(frozen=True)
class Kinds:
    """Rows counted by the answers to a rule's conditions."""

    met: NDArray[np.bool_]  # (kinds, conditions)
    counts: NDArray[np.int64]  # (2, kinds, K)


def confusion_of(rule: RuleSet, kinds: Kinds, classes: Sequence[Any]) -> Counts:
    """Count rows by part, true class and prediction, shape (2, K, K)."""
    answer = code_answers(rule, classes)[Likeness(rule).patterns(kinds.met)[0][:, 0]]
    answered = np.eye(len(classes), dtype=np.int64)[answer]
    return np.asarray(np.einsum("pkt,ka->pta", kinds.counts, answered))


def wrong_of(rule: RuleSet, kinds: Kinds, classes: Sequence[Any]) -> Floats:
    """Count the wrong training rows of each class, shape (K,)."""
    learned = confusion_of(rule, kinds, classes)[0]
    return np.asarray(learned.sum(axis=1) - np.diagonal(learned), dtype=float)


def shares_of(rule: RuleSet, kinds: Kinds, factors: Floats) -> Shares:
    """Return the shares of the classes among all training rows."""
    here = kinds.counts[0].sum(axis=1) > 0
    likeness, counts = Likeness(rule), kinds.counts[0][here].astype(float)
    return Shares(likeness, likeness.patterns(kinds.met[here])[1], counts, factors)


@dataclass(frozen=True)
class Pruning:
    """Removes what does not pay on all rows, without further queries."""

    classes: Sequence[Any]
    factors: Floats  # (K,)
    price: float
    constraints: Constraints = UNCONSTRAINED

    def prune_rule(self, rule: RuleSet, kinds: Kinds) -> RuleSet:
        """Drop clauses and conditions, the least useful first, while that pays."""
        column = {c: kinds.met[:, j] for j, c in enumerate(Likeness(rule).conditions)}
        now = self._value(rule, column, kinds)
        while True:
            options = []  # the rules with one clause or one condition less
            for k, clause in enumerate(rule.clauses):
                if not any(is_required(c, self.constraints) for c in clause.conditions):
                    options.append(rule.take_clauses(j for j in range(rule.n_clauses) if j != k))
                for left in clause.conditions if len(clause.conditions) > 1 else ():
                    if not is_required(left, self.constraints):
                        remaining = (c for c in clause.conditions if c is not left)
                        options.append(rule.with_conditions(k, remaining))
            tries = [(self._value(r, column, kinds), r) for r in options]
            value, shorter = min(tries, default=(now, rule), key=lambda tried: tried[0])
            if value > now or shorter == rule:
                return rule
            rule, now = shorter, value

    def _value(self, rule: RuleSet, column: dict[Condition, Bools], kinds: Kinds) -> float:
        """Compute the weighted wrong rows plus penalties."""
        decides = np.full(len(kinds.met), rule.n_clauses, dtype=np.int64)
        for k in reversed(range(rule.n_clauses)):
            held = np.ones(len(decides), dtype=bool)
            for condition in rule.clauses[k].conditions:
                held &= column[condition]
            decides[held] = k
        counts = kinds.counts[0] * self.factors
        right = counts[np.arange(len(decides)), code_answers(rule, self.classes)[decides]].sum()
        return round(float(counts.sum() - right + self.price * rule.n_conditions), 6)


def is_required(condition: Condition, constraints: Constraints) -> bool:
    """Return whether a constraint requires a condition or its column."""
    return any(item in (condition, *condition.features) for item in constraints.required)


@dataclass(frozen=True)
class Grid:
    """Bins ``(edge, next edge]`` of one width whose edges have few digits."""

    first: int
    n_bins: int
    step: int
    decimals: int

    @classmethod
    def from_window(cls, low: float, high: float, *, whole: bool) -> "Grid":
        """Build at most `BINS` bins over a window; for whole numbers at least 1 wide."""
        least = (high - low) / BINS
        power = int(np.floor(np.log10(least)))
        step = next((s for s in STEPS if s * 10.0**power >= least), 10)
        if whole and step * 10.0**power < 1:
            step, power = 1, 0
        first = int(np.floor(low / (step * 10.0**power)))
        return cls(first, max(1, int(np.ceil(high / (step * 10.0**power))) - first), step, -power)

    @property
    def edges(self) -> Floats:
        """The edges, ascending: shape (n_bins + 1,)."""
        whole = self.step * (self.first + np.arange(self.n_bins + 1.0))
        scale = 10.0 ** abs(self.decimals)
        return (whole / scale if self.decimals >= 0 else whole * scale) + 0.0

    def bin(self, value: Any) -> Any:
        """Return the bin index of a value, from 0, as an expression."""
        index = (value / number(self.step * 10.0**-self.decimals)).ceil().cast("float64") - 1.0
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
        self._rows, self._sample, self._factors = rows, sample, factors
        self._constraints = constraints

    def refine(self, rule: RuleSet) -> RuleSet:
        """Move each threshold once, in the rule's order."""
        for k in range(rule.n_clauses):
            i = 0
            while i < len(rule.clauses[k].conditions):  # two that become one leave a place less
                conditions = rule.clauses[k].conditions
                test: Any = conditions[i]
                has_cut = test.tests == (test,) and test.is_plain and test.op in MOVED
                if has_cut and not is_required(test, self._constraints):
                    moved = replace(test, value=self._best(rule, k, i))
                    if moved not in self._constraints.forbidden:
                        moved_conditions = *conditions[:i], moved, *conditions[i + 1 :]
                        rule = rule.with_conditions(k, moved_conditions)
                i += 1
        return rule

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
            whole = bool((values == np.round(values)).all())
            best = self.losses(rule, k, i, Grid.from_window(low, high, whole=whole)).best(best)
            outside = share < 1 and not BORDER < (best - low) / (high - low) < 1 - BORDER
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
        counted = self._count_gains(rule, k, i, grid.bin(value), inside)
        gain = np.zeros(grid.n_bins)
        np.add.at(gain, counted["at"].to_numpy(dtype=int), counted["gain"].to_numpy(dtype=float))
        return Losses(edges, _sums(gain, literal.comparison[0]))

    def losses_by_value(self, rule: RuleSet, k: int, i: int) -> Losses:
        """Compute the loss of a threshold between any two values of the column."""
        literal = rule.clauses[k].conditions[i]
        value = self._rows.value(literal.features[0])
        counted = self._count_gains(rule, k, i, value, value.notnull())
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

    def _count_gains(self, rule: RuleSet, k: int, i: int, at: Any, inside: Any) -> pd.DataFrame:
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
        values = self._sample[name].to_numpy(dtype=float, na_value=np.nan)
        return np.sort(values[~np.isnan(values)])


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
