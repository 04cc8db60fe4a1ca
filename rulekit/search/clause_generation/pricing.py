"""Clauses of negative reduced cost, found by improving boxes from several starts."""

# See `column_generation` for the symbols. The dual prices are the weights of the described class;
# clauses with one feature less are looked at too. Of more than `MANY_COLUMNS` only those that save
# most alone, and those in use, are changed first.

from typing import Any

import numpy as np

from rulekit.search.box_search.problem import (
    Bools,
    Boxes,
    BoxRows,
    Floats,
    Ints,
    no_boxes,
    whole_box,
)
from rulekit.search.box_search.search import Descent

NEW = 1e-7  # a clause is worth adding when its reduced cost is below minus this
STARTS = 30  # clauses of the master's support, and single features, to start from
HEAVY = 10  # rows to start from
MANY_COLUMNS = 64  # columns changed at first
LIFTED = 5  # of the clauses reached over these, those that are improved over all columns


class BoxPricing:
    """Prices clauses heuristically."""

    def __init__(self, problem: BoxRows, clause_price: float, literal_price: float) -> None:
        self.problem = problem
        self.clause_price, self.literal_price = clause_price, literal_price

    def price(
        self, mu: Floats, support: Boxes, batch: int, below: float = -NEW
    ) -> tuple[Boxes, Floats]:
        """Return different clauses of small reduced cost, at most `batch`, with these costs."""
        problem = self.problem
        weight = np.asarray(problem.weight).copy()
        weight[problem.y] = mu
        priced = problem.reweight(weight)
        whole = Descent(priced)
        alone = whole.choose_alone(self.literal_price)
        if problem.cells.shape[1] <= MANY_COLUMNS:
            starts = _starts(priced, *alone, support)
            reached = whole.improve_each(starts, self.literal_price)
            return self._best(*reached, batch, below)
        used = support.literals(problem.n_bins, problem.has_missing).any(axis=0)
        kept = np.union1d(whole.features_of(alone[0], MANY_COLUMNS), np.flatnonzero(used))
        boxes, saved = self._improve_on(kept, priced, alone, support)
        boxes_found = self._best(boxes, saved, batch, below)
        if len(boxes_found[1]) == batch:
            return boxes_found
        size = boxes.literals(problem.n_bins, problem.has_missing).sum(axis=1)
        first = np.argsort(self.literal_price * size - saved[:, 0], kind="stable")[:LIFTED]
        more, saved_more = whole.improve_each(boxes.take_clauses(first), self.literal_price)
        both = join_boxes([boxes, more], problem.n_features)
        return self._best(both, np.vstack([saved, saved_more]), batch, below)

    def _improve_on(
        self, kept: Ints, priced: BoxRows, alone: tuple[Floats, Boxes], support: Boxes
    ) -> tuple[Boxes, Floats]:
        """Improve clauses over some features; return them and their savings over all features."""
        some = priced.take_features(kept)
        saved, boxes = alone[0][kept], alone[1].take_features(kept)
        starts = _starts(some, saved, boxes, support.take_features(kept))
        boxes, saved = Descent(some).improve_each(starts, self.literal_price)
        savings = np.zeros((boxes.n_clauses, 1 + priced.n_features))
        savings[:, 0], savings[:, 1 + kept] = saved[:, 0], saved[:, 1:]
        return boxes.spread_over(kept, priced.n_bins), savings

    def _best(self, boxes: Boxes, saved: Floats, batch: int, below: float) -> tuple[Boxes, Floats]:
        """Pick the clauses of lowest reduced cost, the whole and the shortened ones."""
        size = boxes.literals(self.problem.n_bins, self.problem.has_missing)
        literals = np.column_stack([size.sum(axis=1), size.sum(axis=1)[:, None] - size])
        cost = self.clause_price + self.literal_price * literals - saved
        cost[:, 1:][size == 0] = np.inf  # a feature that is not there cannot be dropped
        picked: list[Boxes] = []
        values: list[float] = []
        seen: set[bytes] = set()
        places = np.flatnonzero(cost < below)
        for place in places[np.argsort(cost.flat[places], kind="stable")].tolist():
            if len(picked) == batch:
                break
            k, dropped = divmod(place, cost.shape[1])
            clause = _drop_feature(boxes, k, dropped - 1, self.problem.n_bins)
            key = clause.low.tobytes() + clause.high.tobytes() + clause.absent.tobytes()
            if key not in seen:
                seen.add(key)
                picked.append(clause)
                values.append(float(cost[k, dropped]))
        return join_boxes(picked, self.problem.n_features), np.array(values)


def _starts(priced: BoxRows, saved: Floats, alone: Boxes, support: Boxes) -> Boxes:
    """Clauses to improve: that of no literal, the support, single intervals, heavy rows."""
    whole = whole_box(priced.n_bins)
    # The master's support is where it could gain; single intervals and boxes around the rows
    # of highest dual price reach clauses that no clause of the pool is near to.
    best = np.argsort(-saved, kind="stable")
    chosen = best[:STARTS]
    k, single = np.arange(len(chosen)), whole.take_clauses(np.zeros(len(chosen), np.intp))
    single.low[k, chosen], single.high[k, chosen] = alone.low[0, chosen], alone.high[0, chosen]
    single.absent[k, chosen] = alone.absent[0, chosen]
    heavy = _box_heavy_rows(priced, best[:MANY_COLUMNS])
    starts = [whole, support.take_clauses(slice(STARTS)), single, heavy]
    return join_boxes(starts, priced.n_features)


def join_boxes(parts: list[Boxes], p: int) -> Boxes:
    """Join the clauses of several rules over `p` features."""
    parts = parts or [no_boxes(p)]
    return Boxes(
        np.concatenate([b.low for b in parts]),
        np.concatenate([b.high for b in parts]),
        np.concatenate([b.absent for b in parts]),
    )


def _drop_feature(boxes: Boxes, k: int, f: int, n_bins: Ints) -> Boxes:
    """Copy a clause, without its literals on feature `f` (-1: with all of them)."""
    one = boxes.take_clauses([k])
    if f >= 0:
        one.low[0, f], one.high[0, f], one.absent[0, f] = 0, n_bins[f] - 1, True
    return one


def _box_heavy_rows(priced: BoxRows, features: Ints) -> Boxes:
    """Boxes of three bins of some features around the rows whose dual price is highest."""
    weight = np.where(priced.y, np.asarray(priced.weight), -1.0)
    rows = np.argsort(-weight, kind="stable")[:HEAVY]
    code, last = priced.codes[rows].astype(np.int64), priced.n_bins - 1
    inside: Bools = (code < priced.n_bins) & np.isin(np.arange(priced.n_features), features)
    low = np.where(inside, np.maximum(code - 1, 0), 0)
    high = np.where(inside, np.minimum(code + 1, last), last)
    f: Any = np.arange(priced.n_features)
    low = np.where(np.asarray(priced.may_start)[f, low], low, 0)
    high = np.where(np.asarray(priced.may_end)[f, high], high, last)
    return Boxes(low, high, np.ones(code.shape, bool))
