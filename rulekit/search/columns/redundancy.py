"""Groups of columns that make each other redundant inside one clause."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulekit.binning import BinnedTable

Bools = NDArray[np.bool_]


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


def redundancy_groups(columns: BinnedTable, y: Bools) -> tuple[RedundancyGroup, ...]:
    """Partition the columns into groups of which an optimal clause holds few.

    The thresholds of one feature are one group. Of its other columns, those that equal or
    complement one another in all rows are one group.

    Shapes: columns (n, d), y (n,).

    Takes O(n p) time, and what columns say of the cells that are seen.
    """
    seen, covered = columns.seen(), columns[y].seen()
    members: dict[tuple[object, ...], list[int]] = {}
    for j, feature in enumerate(columns.feature.tolist()):
        key = (feature,) if columns.side[j] else (feature, _pattern(seen.values_of([j])))
        members.setdefault(key, []).append(j)
    return tuple(
        _threshold_group(covered, np.array(members_of_key))
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


def _threshold_group(covered: BinnedTable, columns: NDArray[np.intp]) -> RedundancyGroup:
    """Sort the thresholds of one number into its two nested sides."""
    low = columns[covered.side[columns] < 0]
    high = columns[covered.side[columns] > 0]
    # ``x <= a or x > b`` with a >= b is true wherever there is a value
    pairs = covered.rank[low][:, None] < covered.rank[high]
    # Both sides are true at once only where a missing value counts for both; such rows must not be
    # weighed twice when a pair is rounded.
    one, other = (covered.values_of(side).astype(np.float32) for side in (low, high))
    overlap = bool(((one.T @ other)[pairs] > 0).any())
    return RedundancyGroup(low, high, np.zeros(0, dtype=np.intp), pairs, overlap)
