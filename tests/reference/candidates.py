"""Candidate columns as a Boolean matrix, the plain form of `BinnedTable`."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import addable
from rulekit.binning import BinnedTable

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class MatrixColumns:
    """Columns of a Boolean matrix.

    Shapes: A (n, d), chain, place (d,).
    """

    A: Bools
    chain: Ints
    place: Ints

    copies = 1

    @classmethod
    def of(cls, A: Bools, binned: BinnedTable | None = None) -> "MatrixColumns":
        """Read chains off the places of thresholds; without `binned` there are none.

        Columns of one side of one source must be nested, each rank once; variants that differ in
        what they say of gaps belong to `BinnedTable`.
        """
        A = np.asarray(A, dtype=bool)
        if binned is None:
            nothing = np.full(A.shape[1], -1, dtype=np.intp)
            return cls(A, nothing, np.zeros_like(nothing))
        return cls(A, *_chains(binned))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.A.shape[0], self.A.shape[1]

    def sums(self, weight: Floats) -> Floats:
        """Sum weights of rows over each column, O(n d)."""
        total, weight = np.zeros(self.A.shape[1]), addable(weight)
        used = np.flatnonzero(weight)
        for start in range(0, len(used), 1024):  # a float copy of the matrix is never made
            rows = used[start : start + 1024]
            total += weight[rows] @ self.A[rows]  # exact, as weights are addable
        return total

    def values_of(self, columns: Ints, rows: Ints | slice = slice(None)) -> Bools:
        """Form some columns of the matrix, in some rows."""
        return self.A[rows][:, columns]

    def __getitem__(self, rows: Bools) -> "MatrixColumns":
        """Keep some rows."""
        return replace(self, A=self.A[rows])

    def take_columns(self, columns: Ints) -> "MatrixColumns":
        """Keep some columns."""
        return MatrixColumns(self.A[:, columns], self.chain[columns], self.place[columns])


def _chains(binned: BinnedTable) -> tuple[Ints, Ints]:
    """Return the chains of thresholds: two per source, ``<=`` upwards and ``>`` downwards."""
    side, rank = np.asarray(binned.side), np.asarray(binned.rank, dtype=np.intp)
    names = 2 * np.asarray(binned.feature, dtype=np.intp) + (side > 0)
    chain = np.where(side == 0, -1, names).astype(np.intp)
    place = np.where(side > 0, rank.max(initial=0) - rank, rank).astype(np.intp)
    return chain, np.where(side == 0, 0, place)
