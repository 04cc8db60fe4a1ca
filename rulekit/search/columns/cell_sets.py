"""Candidate columns as sets of cells, and the order of rows that no layout of a table changes.

A *source* (a column of the table) cuts its rows into cells, and a candidate column holds in some
cells of one source. All that thresholds, levels and gaps give are unions of at most two runs of
cells, so that sums over all columns are differences of running sums of a histogram a source:
O(n p + d), however many thresholds there are. What is of size (rows, columns) is never made for
them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
DENSE = 2_000_000  # entries of a matrix that is kept as a whole


def _nothing() -> Ints:
    return np.zeros(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class CellSets:
    """The candidate columns of a table as sets of cells; arrays of size (n, d) are built on demand.

    Column j holds in the cells from ``spans[j, 0]`` to ``spans[j, 1]``, the end left out, from
    ``spans[j, 2]`` to ``spans[j, 3]``, and so on. A *chain* is a sequence of columns each of which
    holds wherever the one before it does: `chain` and `place` say to which chain a column belongs
    (-1: to none) and its position, the narrowest first. Only screening reads them.

    Shapes: codes (n, p), n_cells (p,), source, chain, place (d,), spans (d, 2 * runs).
    """

    codes: NDArray[np.unsignedinteger]
    n_cells: Ints
    source: Ints
    spans: Ints
    chain: Ints = field(default_factory=_nothing)
    place: Ints = field(default_factory=_nothing)

    @classmethod
    def of_matrix(cls, A: Bools, feature: NDArray[np.integer] | None = None) -> "CellSets":
        """Read a Boolean matrix, shape (n, d); columns of one `feature` share their cells."""
        A = np.asarray(A, dtype=bool)
        names = np.arange(A.shape[1]) if feature is None else np.asarray(feature)
        features, source = np.unique(names, return_inverse=True)
        codes, tables = np.zeros((len(A), len(features)), np.uint32, "F"), []
        for f in range(len(features)):
            cells, row = np.unique(A[:, source == f], axis=0, return_inverse=True)
            codes[:, f] = row.reshape(-1)
            tables.append(cells)
        spans = runs_of(tables)[np.argsort(np.argsort(source, kind="stable"))]
        return cls(codes, np.array([len(table) for table in tables], np.intp), source, spans)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.codes), len(self.source)

    @property
    def copies(self) -> int:
        """How often `sums` adds up one row: once a source."""
        return max(1, self.codes.shape[1])

    @cached_property
    def A(self) -> Bools:  # noqa: N802
        """The Boolean matrix: shape (n, d)."""
        return self._formed(np.arange(len(self.source)), self.codes)

    @cached_property
    def _numbers(self) -> Floats | None:
        """The matrix as numbers, shape (n, d), where it is small and sums over it are exact.

        Screening, which reads chains, also sums numbers that are on no grid.
        """
        n, d = self.shape
        return self.A.astype(float) if n * d <= DENSE and not len(self.chain) else None

    @cached_property
    def columns_of(self) -> dict[int, Ints]:
        """The columns that read each source."""
        order = np.argsort(self.source, kind="stable")
        names, size = np.unique(self.source, return_counts=True)
        ends = np.cumsum(size)
        return {k: order[b - a : b] for k, a, b in zip(names.tolist(), size, ends, strict=True)}

    @cached_property
    def _starts(self) -> Ints:
        """Where the running sums of each source start when they stand in one line: (p + 1,)."""
        return np.concatenate([[0], np.cumsum(self.n_cells + 1)]).astype(np.intp)

    @cached_property
    def _ends(self) -> Ints:
        """The ends of each column in that line: shape (2 * runs, d)."""
        return np.ascontiguousarray((self.spans + self._starts[self.source][:, None]).T)

    def _table(self, columns: Ints) -> Bools:
        """In which cells of their source some columns hold, shape (its cells, k)."""
        return _inside(np.arange(self.n_cells[self.source[columns[0]]]), self.spans[columns])

    def sums(self, values: Floats) -> Floats:
        """Sum numbers over the rows of each column, O(n p + d): (n, k) gives (d, k).

        Sums of numbers on a grid (`addable`) are exact.
        """
        if self._numbers is not None:
            return np.asarray(self._numbers.T @ values)
        if values.ndim > 1:
            return np.array([self.sums(column) for column in values.T]).T
        used = np.flatnonzero(values)
        some = len(used) < len(values)
        codes, values = (self.codes[used], values[used]) if some else (self.codes, values)
        line = np.zeros(self._starts[-1])
        for f in self.columns_of:
            cells = np.bincount(codes[:, f], values, self.n_cells[f])
            np.cumsum(cells, out=line[self._starts[f] + 1 : self._starts[f + 1]])
        ends = line[self._ends]
        sums: Floats = (ends[1::2] - ends[::2]).sum(axis=0)
        return sums

    def row_sums(self, values: Floats) -> Floats:
        """Sum numbers, whose sums are exact, over the columns of each row: (d, k) gives (n, k)."""
        if self._numbers is not None:
            return np.asarray(self._numbers @ values)
        sums = np.zeros((len(self.codes), *values.shape[1:]))
        for source, columns in self.columns_of.items():
            sums += (self._table(columns) @ values[columns])[self.codes[:, source]]
        return sums

    def values(self, columns: Sequence[int] | Ints, rows: Ints | slice = slice(None)) -> Bools:
        """Form some columns of the matrix, in some rows."""
        columns = np.asarray(columns, dtype=np.intp)
        n, d = self.shape
        if n * d <= DENSE:
            return self.A[rows][:, columns]
        return self._formed(columns, self.codes[rows])

    def _formed(self, columns: Ints, codes: NDArray[np.unsignedinteger]) -> Bools:
        """Form some columns from the cells of some rows."""
        sources = self.source[columns]
        columns_formed = np.empty((len(codes), len(columns)), dtype=bool)
        for source in np.unique(sources).tolist():
            at = np.flatnonzero(sources == source)
            cells = codes[:, source]
            few = len(cells) < self.n_cells[source]
            spans = self.spans[columns[at]]
            columns_formed[:, at] = (
                _inside(cells, spans) if few else self._table(columns[at])[cells]
            )
        return columns_formed

    def take_rows(self, rows: Ints | Bools) -> "CellSets":
        """Keep some rows."""
        return self._over(self.codes[rows])

    def take_columns(self, columns: Ints) -> "CellSets":
        """Keep some columns."""
        parts = {name: getattr(self, name) for name in ("source", "spans", "chain", "place")}
        return replace(self, **{name: part[columns] for name, part in parts.items() if len(part)})

    def _over(self, codes: NDArray[np.unsignedinteger]) -> "CellSets":
        """Keep the columns, over other rows."""
        result = replace(self, codes=np.asfortranarray(codes))
        for name in ("columns_of", "_starts", "_ends"):  # depends on columns only
            result.__dict__[name] = getattr(self, name)
        return result

    def seen(self) -> "CellSets":
        """Make a table of few rows, in which each cell that some row lies in is seen."""
        cells = [np.flatnonzero(np.bincount(column)) for column in self.codes.T]
        most = max((len(of_column) for of_column in cells), default=0)
        codes = [
            np.pad(of_column, (0, most - len(of_column)), "edge") for of_column in cells if most
        ]
        shape = (most, self.codes.shape[1])
        return self._over(np.reshape(np.array(codes, self.codes.dtype).T, shape))

    def missed(self, chosen: Bools) -> Bools:
        """Return the rows without a True in some clause (a row of ``chosen``), shape (n,)."""
        missed: Bools = np.zeros(len(self.codes), dtype=bool)
        for row in chosen:
            missed |= ~self.values(np.flatnonzero(row)).any(axis=1)
        return missed

    @cached_property
    def content(self) -> NDArray[np.unsignedinteger]:
        """Codes that are equal in rows that no column tells apart: shape (n, blocks of columns).

        They sort as the rows of `A` do, found without them: of one source, cells are ranked by the
        columns they are in, and sources stand one after the other in `A` but for those that read
        the same column of the table.
        """
        ranks = []
        for sources, columns in self._blocks():
            cells: NDArray[Any] = np.arange(self.n_cells[sources[0]])[:, None]
            row: NDArray[Any] = self.codes[:, sources[0]]
            if len(sources) > 1:
                cells, row = np.unique(self.codes[:, sources], axis=0, return_inverse=True)
            full = np.zeros((len(cells), self.codes.shape[1]), cells.dtype)
            full[:, sources] = cells
            bits = np.packbits(self._formed(np.array(columns), full), axis=1)
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
        result = self.take_rows(rows)
        result.__dict__["content"] = self.content[rows]
        return result, rows

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


def _inside(cells: NDArray[np.integer], spans: Ints) -> Bools:
    """Return which cells each column holds in, shape (number of cells, k)."""
    inside = np.zeros((len(cells), len(spans)), dtype=bool)
    for start, end in spans.T.reshape(-1, 2, len(spans)):
        inside |= (cells[:, None] >= start) & (cells[:, None] < end)
    return inside


def runs_of(tables: Sequence[Bools]) -> Ints:
    """Write columns, each table of shape (cells, k), as runs of cells: shape (d, 2 * runs)."""
    edges = [np.diff(np.pad(table.T, ((0, 0), (1, 1))), axis=1) for table in tables]
    sizes = np.concatenate([_nothing(), *(part.sum(axis=1) for part in edges)])
    runs = np.zeros((len(sizes), max(4, sizes.max(initial=0))), dtype=np.intp)
    at = np.concatenate([_nothing(), *(np.nonzero(part)[1] for part in edges)])
    runs[np.arange(runs.shape[1]) < sizes[:, None]] = at
    return runs


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
        _threshold_group(covered, np.array(members_of_key), structure)
        if len(key) == 1
        else single_group(members_of_key)
        for key, members_of_key in sorted(members.items(), key=lambda item: item[1][0])
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
    # weighed twice when a pair is rounded.
    one, other = (covered.values(side).astype(np.float32) for side in (low, high))
    overlap = bool(((one.T @ other)[pairs] > 0).any())
    return RedundancyGroup(low, high, np.zeros(0, dtype=np.intp), pairs, overlap)


@dataclass(frozen=True)
class ClauseSelection:
    """Columns chosen for the clauses of a CNF over the columns of ``A``, shape (n, d).

    Shapes: chosen (R, d), the columns of each clause; disabled (R,).
    """

    chosen: Bools
    disabled: Bools
    value: float
    history: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    lower_bound: float | None = None
    proved: bool = False

    def __post_init__(self) -> None:
        if self.chosen.ndim != 2 or self.disabled.shape != self.chosen.shape[:1]:
            raise ValueError(
                "`disabled` must hold one flag for each row of `chosen` (clauses by columns); "
                f"their shapes are {self.disabled.shape} and {self.chosen.shape}."
            )
        if self.chosen[self.disabled].any():
            raise ValueError("A disabled clause must not contain columns; clear its row first.")

    @property
    def n_conditions(self) -> int:
        """Number of columns over all clauses."""
        return int(self.chosen.sum())


def clause_counts(A: Bools, chosen: Bools) -> Floats:
    """Count for each row and clause how many of the clause's columns are true: shape (n, R)."""
    counts = np.zeros((A.shape[0], chosen.shape[0]))
    for r, columns in enumerate(chosen):
        counts[:, r] = A[:, np.flatnonzero(columns)].sum(axis=1, dtype=np.float64)
    return counts


def hamming_cost(
    A: Bools,
    y: Bools,
    weight: Floats | None,
    chosen: Bools,
    theta: float = 0.0,
    *,
    disabled: Bools | None = None,
    disable_cost: float = 0.0,
) -> float:
    """Weigh the literals that would have to change for every row to be right, objective (3.10).

    A row with ``y`` costs 1 for each clause that is false on it; a row without costs the
    smallest number of true columns over the clauses. Each column chosen costs `theta`. A
    disabled clause is one with a single column that is always true, and costs `disable_cost`.

    Shapes: A (n, d), y (n,), weight (n,), chosen (R, d), disabled (R,).

    Notes
    -----
    Takes O(n * number of chosen columns) time.
    """
    weight = np.ones(len(y)) if weight is None else weight
    counts = _counts_with_disabled(A, chosen, disabled)
    distance = np.where(y, (counts == 0).sum(axis=1), counts.min(axis=1, initial=np.inf))
    if counts.shape[1] == 0:
        distance = np.where(y, 0.0, 1.0)
    return float((weight * distance).sum()) + _price(chosen, theta, disabled, disable_cost)


def error_cost(
    A: Bools,
    y: Bools,
    weight: Floats | None,
    chosen: Bools,
    theta: float = 0.0,
    *,
    disabled: Bools | None = None,
    disable_cost: float = 0.0,
) -> float:
    """Weigh the rows that the CNF gets wrong, plus `theta` a column: objective (3.7).

    Parameters and cost are those of `hamming_cost`.
    """
    weight = np.ones(len(y)) if weight is None else weight
    answer = (_counts_with_disabled(A, chosen, disabled) > 0).all(axis=1)
    return float(weight[answer != y].sum()) + _price(chosen, theta, disabled, disable_cost)


def _counts_with_disabled(A: Bools, chosen: Bools, disabled: Bools | None) -> Floats:
    counts = clause_counts(A, chosen)
    if disabled is not None:
        counts[:, disabled] = 1.0
    return counts


def _price(chosen: Bools, theta: float, disabled: Bools | None, disable_cost: float) -> float:
    n_disabled = 0 if disabled is None else int(disabled.sum())
    return float(theta) * int(chosen.sum()) + disable_cost * n_disabled
