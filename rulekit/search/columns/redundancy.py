"""Which columns of a binary table make each other redundant inside one OR clause."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulekit.search.columns.cell_sets import CellSets

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class ColumnStructure:
    """Where the columns of a binary table come from.

    Shapes: feature (d,), side (d,), rank (d,).
    """

    feature: NDArray[np.integer]
    side: NDArray[np.integer]
    rank: NDArray[np.integer]

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
