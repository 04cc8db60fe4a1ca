"""Evaluation of rules by a random forest's out-of-bag votes, beside the inner folds."""

# The votes estimate how often rows like a row have each class: an error counted by such shares
# varies far less than that on a few folds, and a rule that only follows noise gains nothing.

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression

from rulekit.binning.binned_table import Floats
from rulekit.data import Costs
from rulekit.learners.base import Paths, Setting
from rulekit.learners.choice import Loss
from rulekit.learners.training import TrainingTable, as_constraints

TRUST = 0.75  # in the forest's shares; the rest in the row's own class
N_TREES = 200
MOST_ROWS = 20_000  # that one tree is grown on

MIN_LEAF = 2  # rows of a leaf: a share of votes, not a copy of single rows


def votes(
    codes: NDArray[np.integer],
    ordered: NDArray[np.bool_],
    classes: NDArray[np.integer],
    weight: NDArray[np.float64],
    n_trees: int,
    seed: int,
    most_rows: int | None = None,
) -> NDArray[np.float64]:
    """Compute out-of-bag votes of a random forest: codes (n, p), classes (n,); result (n, K)."""
    from rulekit.learners.forest_kernels import Rows, grow_votes

    n, p = codes.shape
    with_weight = classes[weight > 0]
    shares: NDArray[np.float64] = np.zeros((n, int(with_weight.max(initial=0)) + 1))
    if p and len(with_weight):
        by_column = np.ascontiguousarray(codes.T, dtype=np.int32)
        n_cells = int(by_column.max()) + 1
        labels = np.asarray(classes * (weight > 0), dtype=np.int64)
        rows = Rows(
            by_column,
            np.asarray(ordered, dtype=np.bool_),
            labels,
            np.zeros(n, dtype=np.int64),
            np.zeros(n),
            np.zeros((n_cells, shares.shape[1])),
            np.zeros(n_cells, dtype=np.int64),
        )
        draws = len(with_weight) if most_rows is None else min(len(with_weight), most_rows)
        numbers = np.array([n_trees, draws, MIN_LEAF, seed], dtype=np.int64)
        grow_votes(rows, np.ascontiguousarray(weight, dtype=np.float64), numbers, shares)
    total = shares.sum(axis=1, keepdims=True)
    votes: Floats = np.divide(shares, total, out=np.full_like(shares, np.nan), where=total > 0)
    return votes


@dataclass(frozen=True, eq=False)
class ForestLoss:
    """Loss of predictions for the training rows, by the forest's votes."""

    classes: NDArray[Any]  # (K,)
    expected: Floats  # (n, K)

    @classmethod
    def from_table(cls, table: TrainingTable, loss: Loss, learner: Any, seed: int) -> "ForestLoss":
        """Grow the forest."""
        K, given = len(table.classes), table.weights(None)
        one_hot = np.eye(K)[table.codes]
        _, bins = clone(learner)._bin_table(table, False)
        barred = set(as_constraints(learner.constraints).forbidden)
        used = [s for s, e in enumerate(bins.encodings) if e.name not in barred]
        codes, ordered = forest_columns(bins.codes, bins.encodings, used)
        grow = partial(votes, codes, ordered, table.codes, given, N_TREES, seed, MOST_ROWS)
        shares = table.once(("votes", joblib.hash((codes, ordered)), seed), grow)
        if loss.costs is None:  # of each answer to a row of each class, (K, K)
            heavier = np.bincount(table.codes, loss.weight) / np.bincount(table.codes, given)
            prices = heavier[:, None] * (1.0 - np.eye(K))
        else:
            true, answers = np.repeat(table.classes, K), np.tile(table.classes, K)
            prices = 100.0 * loss.costs.compute(true, answers).reshape(K, K)
        if not np.allclose(prices, prices.max() * (1.0 - np.eye(len(prices)))):
            shares = calibrate_votes(shares, table.codes, given)
        mixed = np.where(np.isnan(shares), one_hot, (1.0 - TRUST) * one_hot + TRUST * shares)
        expected = given[:, None] * (mixed @ prices)
        return cls(table.classes, expected / loss.weight.sum())

    def loss(self, answers: NDArray[Any]) -> float:
        """Compute the loss of predictions for all training rows."""
        each = [self.expected[answers == label, k].sum() for k, label in enumerate(self.classes)]
        return math.fsum(each)

    def losses(self, paths: Paths, settings: Sequence[Setting], until: float = math.inf) -> Floats:
        """Compute the loss and the size of the rules that settings learn from all rows."""
        clock = iter([False])  # the first setting is always scored
        stop = None if math.isinf(until) else lambda: next(clock, True) and time.time() > until
        return paths.score(
            settings,
            lambda rule: (self.loss(paths.table.predict(rule)), rule.n_conditions),
            2,
            stop,
        )


def estimate_losses(
    models: Sequence[Any],
    learner: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    costs: Costs | None = None,
    seed: int = 0,
) -> Floats:
    """Compute the loss and the size of fitted rules by a forest's votes on given rows."""
    table = clone(learner)._read(X, y, sample_weight)
    loss = Loss(table.y, table.weights(None), costs)
    forest = ForestLoss.from_table(table, loss, learner, seed)
    losses = [forest.loss(model.rule_set_.predict(table.columns)) for model in models]
    sizes = [float(model.n_conditions_) for model in models]
    return np.array([losses, sizes], dtype=float).T


def calibrate_votes(shares: Floats, codes: NDArray[np.integer], weight: Floats) -> Floats:
    """Turn out-of-bag votes (n, K) into probabilities by isotonic regression, class by class."""
    # Votes are drawn towards the middle; with unequal costs that makes every rule look expensive.
    with_votes = np.flatnonzero(~np.isnan(shares).any(axis=1))
    calibrated_shares = shares.copy()
    for k in range(shares.shape[1]):
        curve = IsotonicRegression(y_min=1e-3, y_max=1.0)
        of_class = (codes[with_votes] == k).astype(float)
        calibrated_shares[with_votes, k] = curve.fit(
            shares[with_votes, k], of_class, weight[with_votes]
        ).predict(shares[with_votes, k])
    calibrated_shares[with_votes] /= calibrated_shares[with_votes].sum(axis=1, keepdims=True)
    return calibrated_shares


def forest_columns(
    codes: NDArray[np.integer], encodings: Sequence[Any], used: Sequence[int]
) -> tuple[NDArray[np.integer], NDArray[np.bool_]]:
    """Return some columns of bin codes, of equal ones the first, and whether each is ordered."""
    first_of = {codes[:, s].tobytes(): s for s in reversed(used)}
    columns = sorted(first_of.values())
    read = [encodings[s] for s in columns]
    ordered = [e.cuts is not None or getattr(e, "ranked", False) for e in read]
    return codes[:, columns], np.array(ordered, dtype=bool)
