"""Candidate columns as sets of cells, and the order of rows that no layout of a table changes.

A *source* cuts the rows into cells, and a column holds in some cells of one source. Sums over all
columns are sums over cells first: what is of size (rows, columns) is never made for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
DENSE = 2_000_000  # entries of a matrix that is kept as a whole: summing over cells costs more


@dataclass(frozen=True, eq=False)
class CellSets:
    """The candidate columns of a table as sets of cells; arrays of size (n, d) are built on demand.

    Shapes: codes (n, p), source (d,), holds d.
    """

    codes: NDArray[np.unsignedinteger]
    source: Ints
    holds: tuple[Bools, ...]

    @classmethod
    def of_matrix(cls, A: Bools, feature: NDArray[np.integer] | None = None) -> "CellSets":
        """Read a Boolean matrix, shape (n, d); columns of one `feature` share their cells."""
        A = np.asarray(A, dtype=bool)
        n, d = A.shape
        names = np.arange(d) if feature is None else np.asarray(feature)
        known, source = np.unique(names, return_inverse=True)
        found = cls(np.zeros((n, len(known)), np.uint32, "F"), source.reshape(-1), ())
        holds: list[Bools] = [np.zeros(0, dtype=bool)] * d
        for own, columns in found.columns_of.items():
            cells, place = np.unique(A[:, columns], axis=0, return_inverse=True)
            found.codes[:, own] = place.reshape(-1)
            for j, held in zip(columns, cells.T, strict=True):
                holds[j] = held
        return replace(found, holds=tuple(holds))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.codes), len(self.holds)

    @cached_property
    def A(self) -> Bools:  # noqa: N802
        """The Boolean matrix: shape (n, d)."""
        return self._formed(np.arange(len(self.holds)), self.codes)

    @cached_property
    def _numbers(self) -> Floats | None:
        """The matrix as numbers, shape (n, d), where it is small."""
        n, d = self.shape
        return self.A.astype(float) if n * d <= DENSE else None

    @cached_property
    def columns_of(self) -> dict[int, Ints]:
        """The columns that read each source."""
        order = np.argsort(self.source, kind="stable")
        names, size = np.unique(self.source, return_counts=True)
        ends = np.cumsum(size)
        return {k: order[b - a : b] for k, a, b in zip(names.tolist(), size, ends, strict=True)}

    @cached_property
    def _tables(self) -> dict[int, Bools]:
        """In which cells of each source which of its columns hold: shape (its cells, its d)."""
        return {
            source: np.stack([self.holds[j] for j in columns], axis=1)
            for source, columns in self.columns_of.items()
        }

    @cached_property
    def _place(self) -> Ints:
        """Position of each column in the table of its source, shape (d,)."""
        place = np.zeros(len(self.holds), dtype=np.intp)
        for columns in self.columns_of.values():
            place[columns] = np.arange(len(columns))
        return place

    @cached_property
    def _sets(self) -> sparse.csr_array:
        """The cells of each column, all sources in one line: shape (d, number of cells)."""
        start, cells, sizes = 0, [np.zeros(0, np.intp)], [np.zeros(1, np.intp)]
        for table in self._tables.values():
            cells.append(np.nonzero(table.T)[1] + start)
            sizes.append(table.sum(axis=0))
            start += len(table)
        line, ends = np.concatenate(cells), np.cumsum(np.concatenate(sizes))
        found = sparse.csr_array((np.ones(len(line)), line, ends), (len(self.holds), start))
        order = np.concatenate([np.zeros(0, np.intp), *self.columns_of.values()])
        return found[np.argsort(order)]

    @cached_property
    def _rows(self) -> sparse.csr_array:
        """The cells of each row, of all sources that are read: shape (n, number of cells)."""
        read, sizes = list(self._tables), [len(table) for table in self._tables.values()]
        start = np.cumsum([0, *sizes])
        line = self.codes[:, read].astype(np.int32) + start[:-1].astype(np.int32)
        ends = np.arange(0, line.size + 1, len(read)) if read else np.zeros(len(line) + 1, int)
        return sparse.csr_array((np.ones(line.size), line.ravel(), ends), (len(line), start[-1]))

    def sums(self, values: Floats) -> Floats:
        """Sum numbers, whose sums are exact, over the rows of each column: (n, k) gives (d, k)."""
        if self._numbers is not None:
            return np.asarray(self._numbers.T @ values)
        found: Floats = self._sets @ (self._rows.T @ values)
        return found

    def row_sums(self, values: Floats) -> Floats:
        """Sum numbers, whose sums are exact, over the columns of each row: (d, k) gives (n, k)."""
        if self._numbers is not None:
            return np.asarray(self._numbers @ values)
        found: Floats = self._rows @ (self._sets.T @ values)
        return found

    def values(self, columns: Sequence[int] | Ints, rows: Ints | slice = slice(None)) -> Bools:
        """Form some columns of the matrix, in some rows."""
        columns = np.asarray(columns, dtype=np.intp)
        if self._numbers is not None:
            return self.A[rows][:, columns]
        return self._formed(columns, self.codes[rows])

    def _formed(self, columns: Ints, codes: NDArray[np.unsignedinteger]) -> Bools:
        """Form some columns from the cells of some rows."""
        own = self.source[columns]
        found = np.empty((len(codes), len(columns)), dtype=bool)
        for source in np.unique(own).tolist():
            at = np.flatnonzero(own == source)
            found[:, at] = self._tables[source][:, self._place[columns[at]]][codes[:, source]]
        return found

    def block(self, columns: Ints) -> tuple[Floats, NDArray[np.unsignedinteger]]:
        """Return columns of one source as numbers, shape (its cells, k), and the rows' cells."""
        source, key = int(self.source[columns[0]]), columns.tobytes()
        if key not in self._known_blocks:
            held = self._tables[source][:, self._place[columns]].astype(float)
            self._known_blocks[key] = held
        return self._known_blocks[key], self.codes[:, source]

    @cached_property
    def _known_blocks(self) -> dict[bytes, Floats]:
        """Blocks computed before; they are small."""
        return {}

    def take_rows(self, rows: Ints | Bools) -> "CellSets":
        """Keep some rows."""
        return self._over(self.codes[rows])

    def _over(self, codes: NDArray[np.unsignedinteger]) -> "CellSets":
        """Keep the columns, over other rows."""
        found = replace(self, codes=np.asfortranarray(codes))
        for name in ("columns_of", "_tables", "_place", "_sets"):  # depends on columns only
            found.__dict__[name] = getattr(self, name)
        return found

    def seen(self) -> "CellSets":
        """Make a table of few rows, in which each cell that some row lies in is seen."""
        cells = [np.flatnonzero(np.bincount(column)) for column in self.codes.T]
        most = max((len(own) for own in cells), default=0)
        codes = [np.pad(own, (0, most - len(own)), "edge") for own in cells if most]
        shape = (most, self.codes.shape[1])
        return self._over(np.reshape(np.array(codes, self.codes.dtype).T, shape))

    def missed(self, chosen: Bools) -> Bools:
        """Return the rows without a True in some clause (a row of ``chosen``), shape (n,)."""
        found: Bools = np.zeros(len(self.codes), dtype=bool)
        for row in chosen:
            found |= ~self.values(np.flatnonzero(row)).any(axis=1)
        return found

    @cached_property
    def content(self) -> NDArray[np.unsignedinteger]:
        """Codes that are equal in rows that no column tells apart: shape (n, blocks of columns).

        They sort as the rows of `A` do, found without them: of one source, cells are ranked by the
        columns they are in, and sources stand one after the other in `A` but for those that read
        the same column of the table.
        """
        ranks = []
        for sources, columns in self._blocks():
            cells: NDArray[Any] = np.arange(len(self.holds[columns[0]]))[:, None]
            row: NDArray[Any] = self.codes[:, sources[0]]
            if len(sources) > 1:
                cells, row = np.unique(self.codes[:, sources], axis=0, return_inverse=True)
            place = {source: k for k, source in enumerate(sources)}
            held = [self.holds[j][cells[:, place[int(self.source[j])]]] for j in columns]
            bits = np.packbits(np.stack(held, axis=1), axis=1)
            names = bits.view(f"V{bits.shape[1]}").ravel()  # which sort as their bytes do
            rank = np.unique(names, return_inverse=True)[1]
            ranks.append(rank[row.reshape(-1)])
        most = max((int(rank.max(initial=0)) for rank in ranks), default=0)
        kind = np.min_scalar_type(most).newbyteorder(">")  # bytes that sort like the numbers
        table = np.zeros((len(self.codes), len(ranks)), kind)
        for k, rank in enumerate(ranks):
            table[:, k] = rank
        return table

    def in_order(self, y: Bools, weight: Floats) -> tuple["CellSets", Ints]:
        """Sort the rows by what their columns say, see `row_order`; and say which row is where."""
        rows = row_order(self.content, y, weight)
        found = self.take_rows(rows)
        found.__dict__["content"] = self.content[rows]
        return found, rows

    def _blocks(self) -> list[tuple[list[int], list[int]]]:
        """Columns that follow each other and share sources: sources and columns of each block."""
        last = {source: int(columns[-1]) for source, columns in self.columns_of.items()}
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


def row_order(A: NDArray[Any], y: Bools, weight: Floats) -> Ints:
    """Sort rows by content, so that the order they came in has no influence: shape (n,).

    A holds truth values, or codes of cells.
    """
    content = np.packbits(A, axis=1) if A.dtype == bool else np.ascontiguousarray(A).view(np.uint8)
    weights = np.ascontiguousarray(weight)[:, None].view(np.uint8)
    content = np.hstack([content, y[:, None].astype(np.uint8), weights])
    return np.argsort(content.view(f"V{content.shape[1]}").ravel(), kind="stable")


@dataclass(frozen=True)
class ColumnStructure:
    """Where the columns of a binary table come from, and where refined cuts may go.

    `ranks` holds the rank of each row's value in each source with cuts (-1: missing); `barred`
    pairs of a column and a rank after which it may not cut.

    Shapes: feature, side, rank (d,), ranks (n,) each.
    """

    feature: NDArray[np.integer]
    side: NDArray[np.integer]
    rank: NDArray[np.integer]
    ranks: Mapping[int, NDArray[np.int64]] = field(default_factory=dict, repr=False)
    barred: frozenset[tuple[int, int]] = frozenset()

    def __post_init__(self) -> None:
        if not len(self.feature) == len(self.side) == len(self.rank):
            raise ValueError(
                "`feature`, `side` and `rank` must have one entry a column; their lengths are "
                f"{len(self.feature)}, {len(self.side)} and {len(self.rank)}."
            )


@dataclass(frozen=True)
class RedundancyGroup:
    """Columns of which an optimal clause holds few: thresholds of one number, or one level.

    Shapes: pairs (len(low).
    """

    low: NDArray[np.intp]
    high: NDArray[np.intp]
    single: NDArray[np.intp]
    pairs: Bools
    overlap: bool

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """All columns of the group, in order."""
        return np.sort(np.concatenate([self.low, self.high, self.single]))

    @cached_property
    def low_at(self) -> NDArray[np.intp]:
        """Where the columns of `low` stand in `columns`."""
        return np.searchsorted(self.columns, self.low)

    @cached_property
    def high_at(self) -> NDArray[np.intp]:
        """Where the columns of `high` stand in `columns`."""
        return np.searchsorted(self.columns, self.high)

    @cached_property
    def has_pairs(self) -> bool:
        """Return whether two columns of the group may be combined."""
        return bool(self.pairs.any())


def redundancy_groups(
    columns: CellSets, y: Bools, structure: ColumnStructure | None
) -> tuple[RedundancyGroup, ...]:
    """Partition the columns into groups of which an optimal clause holds few.

    The thresholds of one source column are one group. Of the other columns, those of one source
    column that equal or complement one another in all rows are one group.

    Shapes: columns (n, d), y (n,).

    Notes
    -----
    Takes O(n p) time, and what columns say of the cells that are seen.
    """
    d = columns.shape[1]
    if structure is None:
        return tuple(single_group([j]) for j in range(d))
    seen, covered = columns.seen(), columns.take_rows(y).seen()
    members: dict[tuple[object, ...], list[int]] = {}
    for j in range(d):
        source = int(structure.feature[j])
        key = (source,) if structure.side[j] else (source, _pattern(seen.values([j])))
        members.setdefault(key, []).append(j)
    return tuple(
        _threshold_group(covered, np.array(own), structure) if len(key) == 1 else single_group(own)
        for key, own in sorted(members.items(), key=lambda item: item[1][0])
    )


def _pattern(column: Bools) -> bytes:
    """Return a key shared by a column and its complement."""
    return np.packbits(column ^ column[:1]).tobytes()


def single_group(columns: list[int]) -> RedundancyGroup:
    """Make a group of columns of which none or one is chosen."""
    none = np.zeros(0, dtype=np.intp)
    return RedundancyGroup(
        none, none, np.array(columns, dtype=np.intp), np.zeros((0, 0), dtype=bool), False
    )


def _threshold_group(
    covered: CellSets, columns: NDArray[np.intp], structure: ColumnStructure
) -> RedundancyGroup:
    """Sort the thresholds of one number into its two nested sides."""
    low = columns[structure.side[columns] < 0]
    high = columns[structure.side[columns] > 0]
    # ``x <= a or x > b`` with a >= b is true wherever there is a value
    pairs = structure.rank[low][:, None] < structure.rank[high]
    # Both sides are true at once only where a missing value counts for both; such rows must not be
    # weighed twice (`cheapest_combination`).
    one, other = (covered.values(side).astype(np.float32) for side in (low, high))
    overlap = bool(((one.T @ other)[pairs] > 0).any())
    return RedundancyGroup(low, high, np.zeros(0, dtype=np.intp), pairs, overlap)
