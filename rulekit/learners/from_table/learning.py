"""Learn from a sample, count on all rows, move thresholds, look at wrong rows again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit._validation import weights_of_classes
from rulekit.exceptions import DataError
from rulekit.learners.from_table.counts import UNCONSTRAINED, Kinds, Pruning, wrong_of
from rulekit.learners.from_table.cuts import CutRefiner
from rulekit.learners.from_table.rows import TableRows
from rulekit.rules import RuleSet, simplify
from rulekit.rules.constraints import Constraints

Floats = NDArray[np.float64]
ROUNDS = 4  # samples at most
SWEEPS = 3  # times that each cut is moved, at most
LEAST = 0.5  # of an even share of the sample: what the rarest class is drawn for at least
Watch = Callable[[float, str], None]


@dataclass(frozen=True)
class Found:
    """A rule, its learner, and its counts on all rows.

    Shapes: factors (K,).
    """

    learner: Any
    rule: RuleSet
    kinds: Kinds
    factors: Floats
    loss: float
    price: float
    value: float


@dataclass(frozen=True)
class Aims:
    """The objective.

    Shapes: factors (K,).
    """

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
        for number in range(ROUNDS):
            self._tell(number, 0.0, "Drawing a sample")
            frame, codes, weight, complete = self._sample(number, best)
            self._tell(number, 0.1, f"Learning from {len(frame):,} rows")
            learner = learners(number)
            learner._fit_quietly(frame, self.rows.classes[codes], weight)
            found = self._counted(learner, learner.rule_set_, number, "sample", len(frame))
            if not complete:
                found = self._refined(found, frame, number)
            if best is not None and found.value >= best.value:
                break
            best = found
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

    def _refined(self, found: Found, frame: pd.DataFrame, number: int) -> Found:
        """Alternate pruning and moving thresholds while the objective falls."""
        refiner = CutRefiner(self.rows, frame, self.aims.factors, self.aims.constraints)
        per_row = self.rows.sizes[0].sum() / self.sample_rows
        pruning = Pruning(
            self.rows.classes.tolist(),
            self.aims.factors,
            found.price * per_row,
            self.aims.constraints,
        )
        for _ in range(SWEEPS):
            rule = found.rule
            if found.price:  # a scorecard has none, nor clauses that could be left out
                rule = pruning.pruned(rule, found.kinds)
            if self.aims.moves_cuts:
                self._tell(number, 0.5, "Moving cuts by histograms of all rows")
                rule = simplify(refiner.refined(rule))
            if rule == found.rule:
                break
            new = self._counted(found.learner, rule, number, "refined", 0)
            if new.value >= found.value:
                break
            found = new
        return found

    def _counted(self, learner: Any, rule: RuleSet, number: int, what: str, drawn: int) -> Found:
        """Count a rule on all rows, and record the step."""
        self._tell(number, 0.4, f"Counting the rule on {self.rows.n_rows:,} rows")
        kinds, sizes = self.rows.counted(rule), self.rows.sizes[0]
        wrong, factors = wrong_of(rule, kinds, self.rows.classes.tolist()), self.aims.factors
        loss = float(wrong @ factors / (sizes @ factors))
        price = float(getattr(getattr(learner, "learner_", learner), "theta", 0.0))
        value = loss * min(self.sample_rows, sizes.sum()) + price * rule.n_conditions
        self.steps.append(
            {
                "round": number + 1,
                "step": what,
                "sample_rows": drawn,
                "conditions": rule.n_conditions,
                "wrong": int(wrong.sum()),
                "error": float(wrong.sum() / sizes.sum()),
                "loss": loss,
                "value": value,
            }
        )
        return Found(learner, rule, kinds, factors, loss, price, value)

    def _tell(self, number: int, share: float, what: str) -> None:
        self.watch((number + share) / ROUNDS, what)


def by_class(sizes: Floats, budget: float) -> Floats:
    """Return how many rows of each class to draw: in proportion, with a minimum for rare ones.

    Shapes: sizes (K,); result (K,).
    """
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
