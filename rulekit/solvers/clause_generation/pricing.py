"""Clauses of negative reduced cost, found by improving boxes from several starts.

See `column_generation` for the problem and its symbols. Each start is improved by the moves of the
box search, with the dual prices as the weights of the described class; of what is reached the
clauses with one feature less are looked at too.
"""

from typing import Any

import numpy as np

from rulekit.solvers.box_search import Bools, Boxes, BoxProblem, Descent, Floats, Ints, no_boxes

NEW = 1e-7  # a clause is worth adding when its reduced cost is below minus this
STARTS = 30  # clauses of the master's support, and single features, to start from
HEAVY = 10  # rows to start from


class BoxPricing:
    """Prices clauses heuristically.

    Parameters
    ----------
    problem : BoxProblem
        The data; prices other than those of training errors are not allowed.
    clause_price, literal_price : float
        In the unit of the row weights.
    """

    def __init__(self, problem: BoxProblem, clause_price: float, literal_price: float) -> None:
        self.problem = problem
        self.clause_price, self.literal_price = clause_price, literal_price

    def price(
        self, mu: Floats, support: Boxes, batch: int, below: float = -NEW
    ) -> tuple[Boxes, Floats]:
        """Return different clauses of small reduced cost, at most `batch`, with these costs.

        Parameters
        ----------
        mu : ndarray of float, shape (rows of the described class,)
            Dual prices.
        support : Boxes
            Clauses to start from, beside others.
        batch : int
            How many to return at most, best first.
        below : float, default=-NEW
            Reduced costs must be less than this; by default that is what the master gains from.

        Returns
        -------
        (Boxes, ndarray of float)
            The reduced costs rise.
        """
        problem = self.problem
        weight = np.asarray(problem.weight).copy()
        weight[problem.y] = mu
        priced = problem.reweighted(weight)
        descent = Descent(priced)
        starts = self._starts(priced, descent, support)
        improved, saved = descent.improve_each(starts, self.literal_price)
        return self._best(improved, saved, batch, below)

    def _best(self, boxes: Boxes, saved: Floats, batch: int, below: float) -> tuple[Boxes, Floats]:
        """Pick the clauses of lowest reduced cost, the whole and the shortened ones."""
        size = boxes.literals(self.problem.n_bins, self.problem.has_missing)
        literals = np.column_stack([size.sum(axis=1), size.sum(axis=1)[:, None] - size])
        cost = self.clause_price + self.literal_price * literals - saved
        cost[:, 1:][size == 0] = np.inf  # a feature that is not there cannot be dropped
        picked: list[Boxes] = []
        values: list[float] = []
        seen: set[bytes] = set()
        for place in np.argsort(cost, axis=None, kind="stable"):
            k, dropped = divmod(int(place), cost.shape[1])
            if len(picked) == batch or not cost[k, dropped] < below:
                break
            clause = _without_feature(boxes, k, dropped - 1, self.problem.n_bins)
            key = clause.low.tobytes() + clause.high.tobytes() + clause.absent.tobytes()
            if key not in seen:
                seen.add(key)
                picked.append(clause)
                values.append(float(cost[k, dropped]))
        return joined(picked, self.problem.n_features), np.array(values)

    def _starts(self, priced: BoxProblem, descent: Descent, support: Boxes) -> Boxes:
        """Clauses to improve: that of no literal, the support, single intervals, heavy rows."""
        p = priced.n_features
        whole = Boxes(np.zeros((1, p), np.int64), priced.n_bins[None] - 1, np.ones((1, p), bool))
        # The master's support is where it could gain; single intervals and boxes around the rows
        # of highest dual price reach clauses that no clause of the pool is near to.
        saved, alone = descent.choose_alone(self.literal_price)
        chosen = np.argsort(-saved, kind="stable")[:STARTS]
        k, n = np.arange(len(chosen)), len(chosen)
        low, high = np.repeat(whole.low, n, axis=0), np.repeat(whole.high, n, axis=0)
        absent = np.ones((n, p), bool)
        low[k, chosen], high[k, chosen] = alone.low[0, chosen], alone.high[0, chosen]
        absent[k, chosen] = alone.absent[0, chosen]
        some = Boxes(support.low[:STARTS], support.high[:STARTS], support.absent[:STARTS])
        return joined([whole, some, Boxes(low, high, absent), _around_heavy_rows(priced)], p)


def joined(parts: list[Boxes], p: int) -> Boxes:
    """Put the clauses of several rules over `p` features into one."""
    parts = parts or [no_boxes(p)]
    return Boxes(
        np.concatenate([b.low for b in parts]),
        np.concatenate([b.high for b in parts]),
        np.concatenate([b.absent for b in parts]),
    )


def _clause(boxes: Boxes, k: int) -> Boxes:
    return Boxes(boxes.low[k : k + 1], boxes.high[k : k + 1], boxes.absent[k : k + 1])


def _without_feature(boxes: Boxes, k: int, f: int, n_bins: Ints) -> Boxes:
    """Copy a clause, without its literals on feature `f` (-1: with all of them)."""
    one = _clause(boxes, k)
    low, high, absent = one.low.copy(), one.high.copy(), one.absent.copy()
    if f >= 0:
        low[0, f], high[0, f], absent[0, f] = 0, n_bins[f] - 1, True
    return Boxes(low, high, absent)


def _around_heavy_rows(priced: BoxProblem) -> Boxes:
    """Boxes of three bins a feature around the rows whose dual price is highest."""
    weight = np.where(priced.y, np.asarray(priced.weight), -1.0)
    rows = np.argsort(-weight, kind="stable")[:HEAVY]
    code, last = priced.codes[rows].astype(np.int64), priced.n_bins - 1
    known: Bools = code < priced.n_bins
    low = np.where(known, np.maximum(code - 1, 0), 0)
    high = np.where(known, np.minimum(code + 1, last), last)
    f: Any = np.arange(priced.n_features)
    low = np.where(np.asarray(priced.may_start)[f, low], low, 0)
    high = np.where(np.asarray(priced.may_end)[f, high], high, last)
    return Boxes(low, high, np.ones(code.shape, bool))
