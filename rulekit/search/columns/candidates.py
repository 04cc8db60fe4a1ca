"""The compact one-level problem: rows to be covered, and prices of columns."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit._sums import grid_unit, on_grid
from rulekit.binning import BinnedTable
from rulekit.search.lp import LinearProgram

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class PricedColumns:
    """Work arrays of screening, shapes P (g, d), m (g,), wrong (d,).

    The program is: minimise ``(theta + wrong) @ w + m @ xi`` subject to ``P @ w + xi >= 1``.
    """

    P: BinnedTable
    m: Floats
    wrong: Floats
    theta: float

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
        return float(self.theta * len(columns) + self.wrong[columns].sum() + self.m[~covered].sum())

    def take_columns(self, columns: Ints) -> "PricedColumns":
        """Keep some columns."""
        return replace(self, P=self.P.take_columns(columns), wrong=self.wrong[columns])


def priced_table(table: BinnedTable, form: str, theta: float) -> PricedColumns:
    """Price the conditions of a labelled table for the one clause of a rule of this form."""
    cnf = table.as_cnf(form)
    return priced(cnf, cnf.y, theta, cnf.weight)


def priced(
    columns: BinnedTable, y: Bools, theta: float, weight: Floats | None = None
) -> PricedColumns:
    """Fold the rows that are not to be covered into prices."""
    y = np.asarray(y, dtype=bool)
    n = columns.shape[0]
    rows = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    if y.shape != (n,) or rows.shape != (n,):
        raise ValueError(
            f"`y` and `weight` must have one entry for each of the {n} rows; their shapes are "
            f"{y.shape} and {rows.shape}."
        )
    if not np.isfinite(rows).all() or (rows < 0).any() or not 0 <= theta < np.inf:
        raise ValueError(
            "`theta`, weights and costs must be finite and not negative; got theta="
            f"{theta!r} and rows that cost {rows.min(initial=0.0):g} to {rows.max(initial=0.0):g}."
        )
    # On the grid equal columns get equal prices in whatever order their rows are added: ties are
    # ties, and no column beats its equal by a rounding error.
    rows = on_grid(rows, grid_unit(rows.sum(), columns.copies))
    wrong = columns[~y].sums(rows[~y])
    kept = y & (rows > 0)
    return PricedColumns(columns[kept], rows[kept], wrong, float(theta))


def compact_program(P: Floats, m: Floats, c: Floats) -> LinearProgram:
    """Write the compact one-level problem out as a program; shapes: P (g, d), m (g,), c (d,)."""
    g, d = P.shape
    return LinearProgram(
        np.concatenate([c, m]),
        sparse.hstack([sparse.csr_matrix(P), sparse.eye_array(g)], format="csr"),
        np.ones(g),
        np.full(g, np.inf),
        np.zeros(d + g),
        np.concatenate([np.ones(d), np.full(g, np.inf)]),
        np.concatenate([np.ones(d, dtype=bool), np.zeros(g, dtype=bool)]),
    )
