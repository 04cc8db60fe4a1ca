"""Candidate columns as sets of cells, and the order of rows that no layout of a table changes."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellSets:
    """The candidate columns of a table as sets of cells; what is of size (n, d) is made if asked.

    Attributes
    ----------
    codes : ndarray of unsigned int, shape (n, p)
        The cell of each row in each encoding.
    source : ndarray of int, shape (d,)
        The encoding that a column reads.
    holds : tuple of ndarray of bool, length d
        In which of its cells a column is True.
    """

    codes: NDArray[np.unsignedinteger]
    source: NDArray[np.intp]
    holds: tuple[Bools, ...]

    @cached_property
    def A(self) -> Bools:  # noqa: N802
        """The Boolean matrix: shape (n, d)."""
        A = np.empty((len(self.codes), len(self.holds)), dtype=bool)
        for source, columns in self._by_source().items():
            table = np.stack([self.holds[j] for j in columns], axis=1)
            A[:, columns] = table[self.codes[:, source]]
        return A

    def sums(self, values: Floats) -> Floats:
        """Sum numbers, whose sums are exact, over the rows of each column: shape (d,)."""
        found = np.zeros(len(self.holds))
        for source, columns in self._by_source().items():
            table = np.stack([self.holds[j] for j in columns], axis=1)
            mass = np.bincount(self.codes[:, source], values, minlength=len(table))
            found[columns] = mass @ table
        return found

    def missed(self, chosen: Bools) -> Bools:
        """Say which rows some clause, a row of ``chosen`` columns each, has no True in: (n,)."""
        found: Bools = np.zeros(len(self.codes), dtype=bool)
        for row in chosen:
            outside: Bools = np.ones(len(self.codes), dtype=bool)
            for j in np.flatnonzero(row):
                outside &= ~self.holds[j][self.codes[:, self.source[j]]]
            found |= outside
        return found

    def in_order(self, y: Bools, weight: Floats) -> tuple["CellSets", NDArray[np.intp]]:
        """Sort the rows by what their columns say, see `row_order`; and say which row is where.

        The order is that of the rows of `A`, found without them: of one source, cells are ranked
        by the columns they are in, and sources stand one after the other in `A` but for those that
        read the same column of the table.
        """
        ranks = []
        for sources, columns in self._blocks():
            cells: NDArray[Any] = np.arange(len(self.holds[columns[0]]))[:, None]
            row: NDArray[Any] = self.codes[:, sources[0]]
            if len(sources) > 1:
                cells, row = np.unique(self.codes[:, sources], axis=0, return_inverse=True)
            place = {source: k for k, source in enumerate(sources)}
            said = [self.holds[j][cells[:, place[int(self.source[j])]]] for j in columns]
            bits = np.packbits(np.stack(said, axis=1), axis=1)
            rank = np.unique(bits, axis=0, return_inverse=True)[1].reshape(-1)
            ranks.append(rank[row.reshape(-1)])
        most = max((int(rank.max(initial=0)) for rank in ranks), default=0)
        kind = np.min_scalar_type(most).newbyteorder(">")  # bytes that sort like the numbers
        table = np.zeros((len(y), len(ranks)), kind)
        for k, rank in enumerate(ranks):
            table[:, k] = rank
        rows = row_order(table, y, weight)
        return replace(self, codes=np.asfortranarray(self.codes[rows])), rows

    def _by_source(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for j, source in enumerate(self.source.tolist()):
            found.setdefault(source, []).append(j)
        return found

    def _blocks(self) -> list[tuple[list[int], list[int]]]:
        """Columns that follow each other and share sources: sources and columns of each block."""
        last = {source: columns[-1] for source, columns in self._by_source().items()}
        blocks: list[tuple[list[int], list[int]]] = []
        end = -1
        for j, source in enumerate(self.source.tolist()):
            if j > end:
                blocks.append(([], []))
            sources, columns = blocks[-1]
            columns.append(j)
            if source not in sources:
                sources.append(source)
            end = max(end, last[source])
        return blocks


def row_order(A: NDArray[Any], y: Bools, weight: Floats) -> NDArray[np.intp]:
    """Sort rows by content, so that the order they came in has no influence: shape (n,).

    A holds truth values, or codes of cells.
    """
    content = np.packbits(A, axis=1) if A.dtype == bool else np.ascontiguousarray(A).view(np.uint8)
    parts = [content.reshape(len(y), -1), y[:, None].astype(np.uint8)]
    parts.append(np.ascontiguousarray(weight)[:, None].view(np.uint8).reshape(len(y), -1))
    content = np.ascontiguousarray(np.concatenate(parts, axis=1))
    return np.argsort(content.view(f"V{content.shape[1]}").ravel(), kind="stable")
