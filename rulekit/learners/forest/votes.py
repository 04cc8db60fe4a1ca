"""The votes of a random forest over cells."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MIN_LEAF = 2  # rows of a leaf: a share of votes, not a copy of single rows


@dataclass(frozen=True)
class CellTable:
    """A table cut into cells.

    Attributes
    ----------
    codes : ndarray of int, shape (n, p)
        The cell of each row in each column, from 0.
    ordered : ndarray of bool, shape (p,)
        Whether neighbouring cells are alike, so that a column is split between two of them; of the
        others one cell is split from the rest.
    """

    codes: NDArray[np.integer]
    ordered: NDArray[np.bool_]


def votes(
    table: CellTable,
    classes: NDArray[np.integer],
    weight: NDArray[np.float64],
    n_trees: int,
    seed: int,
    most_rows: int | None = None,
) -> NDArray[np.float64]:
    """Ask a forest about each row, by the trees that were grown without it.

    Parameters
    ----------
    table : CellTable
        n rows.
    classes : ndarray of int, shape (n,)
        Class of each row, 0 to K - 1; of rows of weight 0 it is not read.
    weight : ndarray of shape (n,)
        What rows count; no tree is grown on rows of weight 0, so that all are asked about them.
        Where sums of weights are exact, no vote depends on the order of columns but by the draws.
    n_trees : int
        Trees. Every second one takes a random cut of each column it looks at, the others the best:
        the two err differently.
    seed : int
        Of the draws; the same votes on any machine.
    most_rows : int, optional
        Draws for one tree at most; otherwise as many as there are rows of positive weight.

    Returns
    -------
    ndarray of shape (n, K)
        Mean share of the classes in the leaves that a row falls into. NaN for rows that no tree
        was grown without.

    Notes
    -----
    O(trees * n * (sqrt(p) + 1) * depth); beside the codes, memory for a few numbers a row.
    """
    from rulekit.learners.forest.forest_kernels import Rows, grown_votes

    n, p = table.codes.shape
    known = classes[weight > 0]
    found: NDArray[np.float64] = np.zeros((n, int(known.max(initial=0)) + 1))
    if p and len(known):
        codes = np.ascontiguousarray(table.codes.T, dtype=np.int32)
        n_cells = int(codes.max()) + 1
        own = np.asarray(classes * (weight > 0), dtype=np.int64)
        rows = Rows(
            codes,
            np.asarray(table.ordered, dtype=np.bool_),
            own,
            np.zeros(n, dtype=np.int64),
            np.zeros(n),
            np.zeros((n_cells, found.shape[1])),
            np.zeros(n_cells, dtype=np.int64),
        )
        draws = len(known) if most_rows is None else min(len(known), most_rows)
        numbers = np.array([n_trees, draws, MIN_LEAF, seed], dtype=np.int64)
        grown_votes(rows, np.ascontiguousarray(weight, dtype=np.float64), numbers, found)
    asked = found.sum(axis=1, keepdims=True)
    return np.divide(found, asked, out=np.full_like(found, np.nan), where=asked > 0)
