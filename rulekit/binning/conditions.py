"""The conditions of one column as runs of its cells, without an object for each of them.

A column cut at every distinct value of a long table has thousands of conditions; a search looks at
all of them, a rule holds a few. Here they are arrays; a literal is created on access.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulekit.binning.binned_table import (
    ColumnEncoding,
    LevelColumn,
    OrderedColumn,
    WordColumn,
    cell_table,
    literals_of,
)
from rulekit.rules import Literal

Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Conditions:
    """The conditions of one column, in an order of their own.

    Attributes
    ----------
    column : OrderedColumn, LevelColumn or WordColumn
        The column and its cells.
    spans : ndarray of int, shape (k, 4)
        Condition i holds in the cells from ``spans[i, 0]`` to ``spans[i, 1]``, the end left out,
        and from ``spans[i, 2]`` to ``spans[i, 3]``.
    side : ndarray of int, shape (k,)
        -1 for ``<=``, +1 for ``>``, 0 for all others.
    rank : ndarray of int, shape (k,)
        Index of the cut; for other conditions their index among `literals_of`, or 0 and 1 for the
        two tests of missingness of a numeric column.
    gaps : ndarray of bool, shape (k,)
        Whether a missing value meets the condition.
    """

    column: ColumnEncoding
    spans: Ints
    side: Ints
    rank: Ints
    gaps: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.side)

    def literal(self, i: int) -> Literal:
        """Write one condition."""
        if not isinstance(self.column, OrderedColumn):
            return literals_of(self.column)[i]
        if self.side[i] == 0:
            return Literal(self.column.name, "missing" if self.gaps[i] else "not-missing")
        plain = self.column.cut_literal(int(self.rank[i]), int(self.side[i]))
        return replace(plain, missing=bool(self.gaps[i]))


def conditions_of(column: ColumnEncoding) -> Conditions:
    """List the conditions of a column: those of `literals_of`, O(k) for a numeric one."""
    return _ordered(column) if isinstance(column, OrderedColumn) else _levels(column)


def complemented(spans: Ints, n_cells: Ints | int) -> Ints:
    """Write for each union of runs the cells that it leaves out, shape (k, 4).

    Raises
    ------
    ValueError
        If that takes more than two runs, which no condition of a `Binarizer` does.
    """
    a, b, c, d = _sorted_runs(spans).T
    pieces = np.stack([0 * a, a, b, c, d, 0 * d + n_cells], axis=1).reshape(-1, 3, 2)
    full = pieces[:, :, 1] > pieces[:, :, 0]
    if (full.sum(axis=1) > 2).any():
        raise ValueError("The cells that a condition leaves out must form at most two runs.")
    order = np.argsort(~full, axis=1, kind="stable")[:, :2]
    kept = np.take_along_axis(pieces, order[:, :, None], axis=1)
    kept[~np.take_along_axis(full, order, axis=1)] = 0
    return kept.reshape(-1, 4)


def _sorted_runs(spans: Ints) -> Ints:
    """Sort the runs by place, moving an empty run out of the other's way."""
    a, b, c, d = spans.T
    empty = d <= c
    c, d = np.where(empty, b, c), np.where(empty, b, d)
    alone = b <= a
    a, b = np.where(alone, c, a), np.where(alone, c, b)
    swap = c < a
    first = np.where(swap[:, None], np.stack([c, d], axis=1), np.stack([a, b], axis=1))
    second = np.where(swap[:, None], np.stack([a, b], axis=1), np.stack([c, d], axis=1))
    return np.concatenate([first, second], axis=1)


def _ordered(column: OrderedColumn) -> Conditions:
    k, end = len(column.cuts), column.n_cells
    cut, zero = np.arange(k), np.zeros(k, dtype=int)
    missing = np.array([end - 1, end])
    blocks = []
    for gaps in (False, True) if column.has_missing else (False,):
        extra = np.tile(missing if gaps else [0, 0], (k, 1))
        low = np.column_stack([zero, cut + 1, extra, zero - 1, cut])
        high = np.column_stack([cut + 1, zero + end - 1, extra, zero + 1, cut])
        blocks += [np.column_stack([part, zero + gaps]) for part in (low, high)]
    if column.has_missing and not column.extra:
        blocks.append(np.array([[end - 1, end, 0, 0, 0, 0, 1], [0, end - 1, 0, 0, 0, 1, 0]]))
    pieces = np.concatenate([np.zeros((0, 7), dtype=int), *blocks])
    return Conditions(column, pieces[:, :4], pieces[:, 4], pieces[:, 5], pieces[:, 6].astype(bool))


def _levels(column: LevelColumn | WordColumn) -> Conditions:
    literals = literals_of(column)
    table = cell_table(column, literals)
    spans = np.array([_runs(holds) for holds in table.T], dtype=int).reshape(-1, 4)
    gaps = np.array([literal.missing for literal in literals], dtype=bool)
    return Conditions(column, spans, 0 * spans[:, 0], np.arange(len(literals)), gaps)


def _runs(holds: NDArray[np.bool_]) -> list[int]:
    """Write a set of cells as two runs."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    if len(edges) > 4:
        raise ValueError("The cells of a condition must form at most two runs.")
    return [*edges.tolist(), 0, 0, 0, 0][:4]
