"""The compact one-level problem: prices of columns, weights of the rows to be covered, chains."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import grid_unit, round_to_grid
from rulekit.binning import BinnedTable

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class PricedColumns:
    """The program: minimise ``price @ w + m @ xi`` subject to ``P @ w + xi >= 1``."""

    P: BinnedTable  # (g, d)
    m: Floats  # (g,)
    wrong: Floats  # (d,)
    theta: float
    always: float = np.inf  # price of the clause that is always true
    layout: Any = field(default=None, repr=False)  # of P for rounding, see `rounding_layout`

    @cached_property
    def price(self) -> Floats:
        """What a column costs in all: shape (d,)."""
        return self.theta + self.wrong

    @cached_property
    def worth(self) -> Floats:
        """Weight of the rows that a column covers, which is the most it can save: shape (d,)."""
        return self.P.sums(self.m)

    def cost(self, columns: Ints) -> float:
        """Cost of the clause of these columns."""
        covered = self.P.values_of(columns).any(axis=1)
        return float(self.price[columns].sum() + self.m[~covered].sum())

    def take_columns(self, columns: Ints) -> "PricedColumns":
        """Keep some columns."""
        return replace(self, P=self.P.take_columns(columns), wrong=self.wrong[columns])


def price_table(table: BinnedTable, theta: float) -> PricedColumns:
    """Price the conditions of a labelled table for the one clause of a DNF."""
    return price_columns(table.opposite, ~table.y, theta, table.weight)


def price_columns(
    columns: BinnedTable, y: Bools, theta: float, weight: Floats | None = None
) -> PricedColumns:
    """Fold the rows that are not to be covered into prices."""
    rows = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    # On the grid equal columns get equal prices in whatever order their rows are added: ties are
    # ties, and no column beats its equal by a rounding error.
    rows = round_to_grid(rows, grid_unit(rows.sum(), columns.copies))
    wrong = columns[~y].sums(rows[~y])
    kept = y & (rows > 0)
    return PricedColumns(columns[kept], rows[kept], wrong, float(theta))


def find_beaten(gain: Floats, order: Ints, chain: Ints) -> tuple[Ints, Ints]:
    """Return the columns that are no better than a narrower one of their chain, and that one."""
    # `order` has the columns chain by chain, the narrowest first, and `chain` their ascending chain
    # numbers. A column that sets a record takes the place of all after it until the next record.
    if not len(order):
        return order, order
    gain = gain[order]
    rank = np.empty(len(order), dtype=np.int64)
    by_gain = np.argsort(gain, kind="stable")
    rank[by_gain] = np.cumsum(np.diff(gain[by_gain], prepend=gain[by_gain[0]]) > 0)
    rank += chain * (len(order) + 1)  # a later chain is above all before it: one maximum serves all
    record = np.diff(np.maximum.accumulate(rank), prepend=-1) > 0
    last = np.maximum.accumulate(np.where(record, np.arange(len(order)), 0))
    return order[~record], order[last[~record]]
