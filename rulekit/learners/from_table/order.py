"""Exact order statistics of columns in a database.

A sample of the rows gives two values that a rank very likely lies between. One scan counts the
values below, at and above both, and brings those strictly between: of n rows about sqrt(n). Whether
the value is among them is then known, not likely; where the sample misled, what was counted says
on which side to look on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from rulekit._engine import fetch, number

Floats = NDArray[np.float64]
SAMPLE_ROWS = 2**18
DEVIATIONS = 5.0  # of the sample's quantile, to either side
FEW = 20  # sampled values in an interval: all that it holds is brought
FETCHED = 4_000_000  # values that one scan may bring
AT_ONCE = 8  # planning a query takes longer than running it where many things are counted


@dataclass
class _RankSearch:
    """One rank of one column with its bracket: low < value < high.

    `up_to_low` present values are at most `low`, `inside` lie strictly between.
    """

    name: str
    rank: int
    inside: int
    low: float = -np.inf
    high: float = np.inf
    up_to_low: int = 0

    def bracket(self, sample: Floats) -> tuple[float, float]:
        """Return two values of the sorted sample that very likely enclose the rank.

        Five standard deviations to either side; the ends, where the sample is too small to tell.
        """
        within = sample[(sample > self.low) & (sample < self.high)]
        m = len(within)
        if m < FEW:
            return self.low, self.high
        share = (self.rank - self.up_to_low + 0.5) / self.inside
        reach = DEVIATIONS * np.sqrt(m * share * (1 - share)) + 1
        first, last = int(np.floor(share * m - reach)), int(np.ceil(share * m + reach))
        low = float(within[first]) if first >= 0 else self.low
        return low, float(within[last]) if last < m else self.high

    def found(self, bracket: tuple[float, float], row: Mapping[str, Any], k: int) -> float | None:
        """Return the value if the scan fetched it; else update the bracket."""
        (low, high), upper = bracket, self.up_to_low + self.inside
        below_low, to_low, to_high = (int(row[f"{part}{k}"]) for part in "abc")
        values = np.asarray(row[f"v{k}"], dtype=float)
        if self.rank < below_low:
            self.high, self.inside = low, below_low - self.up_to_low
        elif self.rank < to_low:
            return low
        elif self.rank < to_low + len(values):
            return float(np.partition(values, self.rank - to_low)[self.rank - to_low])
        elif self.rank < to_high:
            return high
        else:
            self.low, self.up_to_low, self.inside = high, to_high, upper - to_high
        return None


def values_at(
    table: Any,
    sample: Mapping[str, Floats],
    ranks: Mapping[str, Sequence[int]],
    n: Mapping[str, int],
    *,
    held: bool | None = None,
) -> dict[tuple[str, int], float]:
    """Find values by their rank.

    Shapes: sample (m,).

    Notes
    -----
    One scan for each eight ranks, fewer where they bring many values; more where a sample misleads.
    """
    sample = {name: np.sort(sample[name]) for name in ranks}
    requested = [(name, rank) for name, wanted in ranks.items() for rank in dict.fromkeys(wanted)]
    values = {
        (name, rank): float(sample[name][rank])
        for name, rank in requested
        if len(sample[name]) == n[name]  # the sample is everything
    }
    left = [
        _RankSearch(name, rank, n[name]) for name, rank in requested if (name, rank) not in values
    ]
    while left:
        batch = left[: _batch(left, sample)]
        brackets = [wanted_rank.bracket(sample[wanted_rank.name]) for wanted_rank in batch]
        row = _scan(table, batch, brackets, held)
        for k, (wanted_rank, bracket) in enumerate(zip(batch, brackets, strict=True)):
            value = wanted_rank.found(bracket, row, k)
            if value is not None:
                values[wanted_rank.name, wanted_rank.rank] = value
                left.remove(wanted_rank)
    return {wanted_rank: value + 0.0 for wanted_rank, value in values.items()}


def _batch(left: Sequence[_RankSearch], sample: Mapping[str, Floats]) -> int:
    """Return how many brackets to scan at a time, so that the result fits into memory."""
    rows = max(rank.inside for rank in left)
    least = max(min(len(sample[rank.name]) for rank in left), 1)
    return int(min(AT_ONCE, max(1, FETCHED // max(1, round(DEVIATIONS * rows / np.sqrt(least))))))


def _scan(
    table: Any,
    places: Sequence[_RankSearch],
    brackets: Sequence[tuple[float, float]],
    held: bool | None,
) -> dict[str, Any]:
    """Count around each bracket and fetch the values inside: one row of results."""
    cells: dict[str, Any] = {}
    for k, (rank, (low, high)) in enumerate(zip(places, brackets, strict=True)):
        v, first, last = table[rank.name], number(low), number(high)
        cells |= {
            f"a{k}": (v < first).sum().fill_null(0),
            f"b{k}": (v <= first).sum().fill_null(0),
            f"c{k}": (v <= last).sum().fill_null(0),
            f"v{k}": v.collect(where=(v > first) & (v < last)),
        }
    if held is None:
        scanned = fetch(table.aggregate(**cells))
    else:  # to filter by a hash costs more
        scanned = fetch(table.group_by("h").aggregate(**cells))
        scanned = scanned.filter(pc.equal(scanned["h"], held))
    return {
        name: scanned[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        if name.startswith("v")
        else scanned[name][0].as_py()
        for name in cells
    }
