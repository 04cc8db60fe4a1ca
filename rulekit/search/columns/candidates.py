"""Candidate columns of the one-level problem, as runs of cells.

A *source* (a column of the table) cuts its rows into cells. Every column of the Boolean matrix is
then a set of cells of one source, and all those that thresholds, levels and gaps give are unions of
at most two runs of cells::

    codes   (n, p) int     cell of each row in each source
    spans   (d, 4) int     column j holds in cells spans[j, 0] to spans[j, 1], the end left out, and
                           in cells spans[j, 2] to spans[j, 3] of its source
    source  (d,)   int     whose cells they are

Summing any weights of rows over all columns takes a histogram a source and differences of its
running sums: O(n p + d), however many thresholds there are.

A *chain* is a sequence of columns each of which holds wherever the one before it does: ``x <= t``
with growing t, ``x > t`` with falling t. `chain` and `place` say to which chain a column belongs
(-1: to none) and its position, the narrowest first.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.search.lp import LinearProgram
from rulekit.search.sums import grid_unit, on_grid

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class CellColumns:
    """Columns as runs of cells; the matrix is never formed.

    Shapes: codes (n, p), n_cells (p,), source (d,), spans (d, 4), chain, place (d,).
    """

    codes: NDArray[np.unsignedinteger]
    n_cells: Ints
    source: Ints
    spans: Ints
    chain: Ints
    place: Ints

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.codes.shape[0], len(self.source)

    @property
    def copies(self) -> int:
        """How often `sums` adds up one row: once a source."""
        return max(1, self.codes.shape[1])

    @cached_property
    def _starts(self) -> Ints:
        """First cell of each source when all cells stand in one line, and their number."""
        return np.concatenate([[0], np.cumsum(self.n_cells)]).astype(np.intp)

    @cached_property
    def _ends(self) -> Ints:
        """The four ends of each column in that line: shape (4, d)."""
        return np.ascontiguousarray((self.spans + self._starts[self.source][:, None]).T)

    def sums(self, weight: Floats) -> Floats:
        """Sum weights of rows over each column, O(n p + d)."""
        line = np.zeros(self._starts[-1] + 1)
        used = np.flatnonzero(weight)
        some = len(used) < len(weight)
        codes, weight = (self.codes[used], weight[used]) if some else (self.codes, weight)
        for f, (start, size) in enumerate(zip(self._starts[:-1], self.n_cells, strict=True)):
            line[start + 1 : start + 1 + size] = np.bincount(codes[:, f], weight, size)
        # All sources stand in one line; a difference of running sums is a run of cells, and what
        # other sources added before it cancels: exactly, where weights are on a grid (`grid_unit`).
        np.cumsum(line, out=line)
        a, b, c, d = self._ends
        return line[b] - line[a] + line[d] - line[c]

    def values(self, columns: Ints, rows: Ints | slice = slice(None)) -> Bools:
        """Form some columns of the matrix, in some rows."""
        cells = self.codes[rows][:, self.source[columns]].astype(np.int32)
        spans = self.spans[columns].astype(np.int32)
        holds = (cells >= spans[:, 0]) & (cells < spans[:, 1])
        two = np.flatnonzero(spans[:, 3] > spans[:, 2])
        holds[:, two] |= (cells[:, two] >= spans[two, 2]) & (cells[:, two] < spans[two, 3])
        return holds

    def take_rows(self, rows: Bools) -> "CellColumns":
        """Keep some rows."""
        return replace(self, codes=np.asfortranarray(self.codes[rows]))

    def take_columns(self, columns: Ints) -> "CellColumns":
        """Keep some columns."""
        return replace(
            self,
            source=self.source[columns],
            spans=self.spans[columns],
            chain=self.chain[columns],
            place=self.place[columns],
        )


@dataclass(frozen=True)
class PricedColumns:
    """The compact one-level problem: rows to be covered, and what each column costs and is worth.

    ::

        minimise  (theta + wrong) @ w + m @ xi    subject to  P @ w + xi >= 1,  w, xi >= 0

    Shapes: P (g, d), m (g,), wrong (d,).
    """

    P: CellColumns
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
        covered = self.P.values(columns).any(axis=1)
        return float(self.theta * len(columns) + self.wrong[columns].sum() + self.m[~covered].sum())

    def take_columns(self, columns: Ints) -> "PricedColumns":
        """Keep some columns."""
        return replace(self, P=self.P.take_columns(columns), wrong=self.wrong[columns])


def priced(
    columns: CellColumns,
    y: Bools,
    theta: float,
    weight: Floats | None = None,
    *,
    miss_cost: float = 1.0,
    false_alarm_cost: float = 1.0,
) -> PricedColumns:
    """Fold the rows that are not to be covered into prices.

    Shapes: columns (n, d), y (n,), weight (n,).
    """
    y = np.asarray(y, dtype=bool)
    n = columns.shape[0]
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    if y.shape != (n,) or weight.shape != (n,):
        raise ValueError(
            f"`y` and `weight` must have one entry for each of the {n} rows; their shapes are "
            f"{y.shape} and {weight.shape}."
        )
    rows = weight * np.where(y, miss_cost, false_alarm_cost)
    if not np.isfinite(rows).all() or (rows < 0).any() or not 0 <= theta < np.inf:
        raise ValueError(
            "`theta`, weights and costs must be finite and not negative; got theta="
            f"{theta!r} and rows that cost {rows.min(initial=0.0):g} to {rows.max(initial=0.0):g}."
        )
    # On the grid equal columns get equal prices in whatever order their rows are added: ties are
    # ties, and no column beats its equal by a rounding error.
    rows = on_grid(rows, grid_unit(rows.sum(), columns.copies))
    wrong = columns.take_rows(~y).sums(rows[~y])
    kept = y & (rows > 0)
    return PricedColumns(columns.take_rows(kept), rows[kept], wrong, float(theta))


def compact_program(P: Floats, m: Floats, c: Floats) -> LinearProgram:
    """Write the compact one-level problem out as a program.

    Shapes: P (g, d), m (g,), c (d,).
    """
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
