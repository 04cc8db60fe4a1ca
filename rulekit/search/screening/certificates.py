"""Certificates checked without trusting who wrote them: plain columns, sums, comparisons.

Nothing here calls the tests, the bounds or the sums that a screening used; a column is whatever
`column` says it is, so that the caller may evaluate the condition itself on the raw table.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rulekit.search.screening.removal_tests import Outcome
from rulekit.search.screening.screen import Screening

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

NOISE = 1e-12  # of the total weight


def unproved(
    screening: Screening,
    column: Callable[[int], Bools],
    y: Bools,
    theta: float,
    weight: Floats | None = None,
) -> list[tuple[str, int]]:
    """List the removals whose certificate does not hold.

    Shapes: y (n,), weight (n,).

    Notes
    -----
    *simple*: the price is recomputed and is no less than all the column covers. *pairs*: the rows
    lost and the price saved are recomputed, and exchanges never lead in a circle, so that every
    column of a clause ends at one that was kept. *duality*: `mu` is recomputed to overdraw no
    column that was still there, the known clause to have the stated cost, and the floor to exceed
    it. O(n d), a column at a time.
    """
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    d = len(screening.removed)
    price = np.array([theta + weight[~y] @ column(j)[~y] for j in range(d)])
    slack = NOISE * max(1.0, float(weight.sum()))
    failed: list[tuple[str, int]] = []
    present = np.ones(d, dtype=bool)
    check = _Checker(column, y, weight, price, slack)
    for outcome in screening.outcomes:
        if not present[outcome.removed].all():
            failed += [(outcome.test, int(j)) for j in np.flatnonzero(outcome.removed & ~present)]
        failed += [(outcome.test, j) for j in check.failures(outcome, present)]
        if screening.in_sequence:
            present &= ~outcome.removed
    return failed + [("pairs", j) for j in _circular(screening)]


class _Checker:
    """The table, column by column."""

    def __init__(
        self,
        column: Callable[[int], Bools],
        y: Bools,
        weight: Floats,
        price: Floats,
        slack: float,
    ) -> None:
        self.column, self.y, self.weight = column, y, weight
        self.price, self.slack = price, slack

    def failures(self, outcome: Outcome, present: Bools) -> list[int]:
        """List the columns that a test had no right to remove."""
        removed = np.flatnonzero(outcome.removed).tolist()
        if outcome.test == "simple":
            return [j for j in removed if not self.price[j] >= self.worth(j) - self.slack]
        if outcome.test == "pairs":
            return [j for j in removed if not self.replaceable(j, int(outcome.by[j]))]
        if not self.bounds_hold(outcome, present):
            return removed
        assert outcome.bounds is not None
        mu, upper = outcome.bounds.mu, outcome.bounds.upper + self.slack
        return [j for j in removed if not self.price[j] + mu @ ~self.covered(j) > upper]

    def covered(self, j: int) -> Bools:
        """Where column j holds among the rows of P that count."""
        return self.column(j)[self.y & (self.weight > 0)]

    def worth(self, j: int) -> float:
        return float(self.weight[self.y] @ self.column(j)[self.y])

    def replaceable(self, j: int, i: int) -> bool:
        """Whether column i may always stand where j stood."""
        if i < 0:
            return False
        lost = self.weight[self.y] @ (self.column(j) & ~self.column(i))[self.y]
        return bool(self.price[j] - self.price[i] >= lost - self.slack)

    def bounds_hold(self, outcome: Outcome, present: Bools) -> bool:
        """Whether `mu` is a point of the dual program, and the clause has the stated cost."""
        bounds = outcome.bounds
        if bounds is None:
            return False
        m = self.weight[self.y & (self.weight > 0)]
        mu = bounds.mu
        if mu.shape != m.shape or (mu < 0).any() or (mu > m + self.slack).any():
            return False
        for j in np.flatnonzero(present).tolist():
            if mu @ self.covered(j) > self.price[j] + self.slack:
                return False
        open_rows = np.ones(len(m), dtype=bool)
        for j in bounds.clause.tolist():
            open_rows &= ~self.covered(j)
        cost = float(self.price[bounds.clause].sum() + m[open_rows].sum())
        return cost <= bounds.upper + self.slack


def _circular(screening: Screening) -> list[int]:
    """List the columns from which exchanges never end."""
    d = len(screening.removed)
    leads = [o for o in screening.outcomes if o.test == "pairs"]
    ends = np.ones(d, dtype=bool)
    for outcome in leads:
        ends &= ~outcome.removed
    while True:
        # a column ends where every column that may take its place does
        more = ~ends
        for outcome in leads:
            more &= ~outcome.removed | ends[outcome.by]
        if not more.any():
            return np.flatnonzero(~ends).tolist()
        ends |= more
