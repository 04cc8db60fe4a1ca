"""Exact medians of columns that do not fit into memory.

For each column a sample of the rows gives two values, `low` and `high`, that the median very
likely lies between. One scan counts the values below and at each, and fetches those strictly
between: of n rows about sqrt(n). Whether the median is among them, or is `low` or `high` itself,
is then known, not likely. Where the sample misled, the two are found by counting instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rulekit.learners.ideal.database import Database, number

Floats = NDArray[np.float64]
Cut = float | None
Bracket = tuple[float, float]

SAMPLE_ROWS = 2**18
SAMPLE_SHARE = 1000  # of larger tables one row in so many
DEVIATIONS = 5.0  # of the sample's median, to either side
FETCHED = 4_000_000  # values that one scan may bring
MAX_COLUMNS = 8  # planning a query takes longer than running it where many things are counted
STEPS = 16  # parts that counting divides a bracket into
STEP = 0xD1B54A35  # an odd multiplier: spreads row numbers over 32 bits


@dataclass(frozen=True)
class Split:
    """The rows of a file, as SQL.

    Attributes
    ----------
    rows : str
        What stands after FROM; a column `rn` numbers the rows.
    described, held_out : str
        Conditions: of the class that the rule describes; held out.
    n_rows : int
        How many rows there are.
    """

    rows: str
    described: str
    held_out: str
    n_rows: int


class MedianFinder:
    """Cuts of numeric columns, see `lower_median`, over the training part and over all rows.

    Parameters
    ----------
    database : Database
        Where to ask.
    split : Split
        The rows.
    values : mapping of str to str
        For each column its value as SQL.
    """

    def __init__(self, database: Database, split: Split, values: Mapping[str, str]) -> None:
        self._database, self._split, self._values = database, split, dict(values)

    def find(self, span: tuple[float, float]) -> dict[str, tuple[Cut, Cut]]:
        """Find the cuts of all columns; `span` is the part of all the work this is."""
        found: dict[str, tuple[Cut, Cut]] = {}
        names, size = list(self._values), self._batch()
        share = (span[1] - span[0]) / max(len(names), 1)
        for start in range(0, len(names), size):
            batch = names[start : start + size]
            begin = span[0] + share * start
            found |= self._find(batch, (begin, begin + share * len(batch)))
        return found

    def _batch(self) -> int:
        """Say how many columns to scan at a time: what they fetch must fit into memory."""
        n, sample = self._split.n_rows, self._sample_size()
        between = n if sample == n else DEVIATIONS * n / np.sqrt(sample)
        return int(min(MAX_COLUMNS, max(1, FETCHED // max(between, sample))))

    def _sample_size(self) -> int:
        n = self._split.n_rows
        return n if n <= SAMPLE_ROWS else max(SAMPLE_ROWS, n // SAMPLE_SHARE)

    def _find(self, names: Sequence[str], span: tuple[float, float]) -> dict[str, tuple[Cut, Cut]]:
        middle = (span[0] + span[1]) / 2
        brackets = self._sampled(names, (span[0], middle))
        found = {}
        while brackets:
            scanned = self._scan(brackets, (middle, span[1]))
            for name, parts in scanned.items():
                medians = [part.median(brackets[name]) for part in parts]
                if any(m is None and part.n for m, part in zip(medians, parts, strict=True)):
                    brackets[name] = self._counted(name, span)
                    continue
                del brackets[name]
                found[name] = self._below_top(name, parts, medians, span)
        return found

    def _sampled(self, names: Sequence[str], span: tuple[float, float]) -> dict[str, Bracket]:
        """Take a sample and read from it where each median lies, give or take."""
        n, size = self._split.n_rows, self._sample_size()
        if size == n:
            return dict.fromkeys(names, (-np.inf, np.inf))
        cells = ", ".join(f"{self._values[name]} AS v{i}" for i, name in enumerate(names))
        spread = f"(CAST(rn AS UBIGINT) * {STEP}) & 4294967295"
        table = self._database.table(
            f"SELECT {cells} FROM {self._split.rows} WHERE ({spread}) < {2**32 * size // n}",
            "Sampling the numbers",
            span,
        )
        return {
            name: around_median(_floats(table.column(i).combine_chunks()))
            for i, name in enumerate(names)
        }

    def _scan(
        self, brackets: Mapping[str, Bracket], span: tuple[float, float]
    ) -> dict[str, tuple["_Part", "_Part"]]:
        """Count around each bracket and fetch what lies inside: training part, all rows."""
        cells = ["h"]
        for k, (low, high) in enumerate(brackets.values()):
            low_sql, high_sql = number(low), number(high)
            cells += [
                f"count(v{k})",
                f"count_if(v{k} < {low_sql})",
                f"count_if(v{k} <= {low_sql})",
                f"count_if(v{k} > {high_sql})",
                f"max(v{k})",
                f"list(v{k}) FILTER (v{k} > {low_sql} AND v{k} < {high_sql})",
            ]
        table = self._database.table(
            f"SELECT {_named(cells)} FROM {self._with_part(brackets)} GROUP BY h",
            "Finding the medians",
            span,
        )
        rows = {held: place for place, held in enumerate(table.column(0).to_pylist())}
        found = {}
        for k, name in enumerate(brackets):
            training, judging = (
                _Part.read(table, rows[held], 1 + 6 * k) if held in rows else NOTHING
                for held in (False, True)
            )
            found[name] = training, training.joined(judging)
        return found

    def _with_part(self, names: Iterable[str]) -> str:
        """Write the rows as columns v0, v1, ... of these names, and h where they are held out."""
        cells = [f"{self._values[name]} AS v{k}" for k, name in enumerate(names)]
        cells.append(f"{self._split.held_out} AS h")
        return f"(SELECT {', '.join(cells)} FROM {self._split.rows})"

    def _counted(self, name: str, span: tuple[float, float]) -> Bracket:
        """Find by counting alone two values that both medians lie between, and not much else."""
        low, high = -np.inf, np.inf
        while True:
            steps = between(low, high, STEPS)
            cells = ["count(v0)", "count(v0) FILTER (NOT h)"]
            for step in steps:
                within = f"v0 <= {number(step)}"
                cells += [f"count_if({within})", f"count_if({within} AND NOT h)"]
            row = self._database.rows(
                f"SELECT {_named(cells)} FROM {self._with_part([name])}", "Counting again", span
            )[0]
            counts = np.array(row, dtype=np.int64).reshape(-1, 2)
            ranks = (counts[0] - 1) // 2
            places = [int(np.searchsorted(counts[1:, j], ranks[j] + 1)) for j in (0, 1)]
            ends = np.array([low, *steps, high])
            first, last = min(places), max(places)
            inside = np.diff(np.r_[0, counts[1:, 0], counts[0, 0]])[first : last + 1].sum()
            narrower = (float(ends[first]), float(ends[last + 1]))
            if inside <= FETCHED // 2 or narrower == (low, high):
                return narrower
            low, high = narrower

    def _below_top(
        self, name: str, parts: Sequence["_Part"], medians: Sequence[Cut], span: tuple[float, float]
    ) -> tuple[Cut, Cut]:
        """Replace a median that is the largest value by the largest value below it."""
        cuts = list(medians)
        tops = [part.n > 0 and cut == part.top for part, cut in zip(parts, cuts, strict=True)]
        if any(tops):
            cells = [
                f"max(v0) FILTER (v0 < {number(cut if cut is not None else -np.inf)}{p})"
                for cut, p in zip(cuts, (" AND NOT h", ""), strict=True)
            ]
            row = self._database.rows(
                f"SELECT {_named(cells)} FROM {self._with_part([name])}",
                "Looking below the top",
                span,
            )[0]
            cuts = [
                below if is_top and below is not None else cut
                for is_top, below, cut in zip(tops, row, cuts, strict=True)
            ]
        train, everywhere = (None if cut is None else float(cut) + 0.0 for cut in cuts)
        return train, everywhere


@dataclass(frozen=True)
class _Part:
    """One column of some rows, counted around a bracket.

    `n` present values, `below` the lower end, `to_low` up to it, `above` the upper end, `top` the
    largest, `values` strictly inside.
    """

    n: int
    below: int
    to_low: int
    above: int
    top: float
    values: Floats

    @classmethod
    def read(cls, table: Any, row: int, first: int) -> Self:
        n, below, to_low, above = (int(table.column(first + i)[row].as_py()) for i in range(4))
        top = table.column(first + 4)[row].as_py()
        inside = table.column(first + 5)[row].values
        values = np.empty(0) if inside is None else _floats(inside)
        return cls(n, below, to_low, above, -np.inf if top is None else top, values)

    def joined(self, other: "_Part") -> "_Part":
        """Count both parts together."""
        return _Part(
            self.n + other.n,
            self.below + other.below,
            self.to_low + other.to_low,
            self.above + other.above,
            max(self.top, other.top),
            np.concatenate([self.values, other.values]),
        )

    def median(self, bracket: Bracket) -> Cut:
        """Give the lower middle value; None if it lies outside the bracket, or there is none."""
        rank = (self.n - 1) // 2
        if self.n == 0 or rank < self.below or rank >= self.n - self.above:
            return None
        if rank < self.to_low:
            return bracket[0]
        place = rank - self.to_low
        if place >= len(self.values):
            return bracket[1]
        return float(np.partition(self.values, place)[place])


NOTHING = _Part(0, 0, 0, 0, -np.inf, np.empty(0))


def around_median(sample: Floats) -> Bracket:
    """Read from a sample two values that the median of what it was drawn from lies between.

    Five standard deviations to either side; everything, where the sample is too small to tell.
    """
    n = len(sample)
    reach = DEVIATIONS * 0.5 * np.sqrt(n)
    low, high = int(np.floor(n / 2 - reach)), int(np.ceil(n / 2 + reach))
    if low < 0 or high >= n:
        return -np.inf, np.inf
    ordered = np.partition(sample, (low, high))
    return float(ordered[low]), float(ordered[high])


def between(low: float, high: float, parts: int) -> list[float]:
    """Divide the numbers from low to high into parts of equally many doubles: parts - 1 values."""
    first, last = (_place(end) for end in (low, high))
    places = [first + (last - first) * k // parts for k in range(1, parts)]
    return [_at(place) for place in sorted(set(places) - {first, last})]


def _place(value: float) -> int:
    """Count a double among all doubles in ascending order."""
    bits = int(np.array(value, dtype=np.float64).view(np.int64))
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _at(place: int) -> float:
    """Give the double of a number; see `_place`."""
    size = float(np.array(abs(place), dtype=np.int64).view(np.float64))
    return size if place >= 0 else -size


def _named(cells: Sequence[str]) -> str:
    return ", ".join(f"{cell} AS a{i}" for i, cell in enumerate(cells))


def _floats(column: Any) -> Floats:
    """Read an Arrow column without its gaps."""
    return np.asarray(column.drop_null().to_numpy(zero_copy_only=False), dtype=np.float64)
