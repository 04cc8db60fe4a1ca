"""Counting rows by type: which of k Boolean columns a row meets, and how often with which class.

::

    n, P         rows counted; those among them of the described class
    n1, n11      rows where a column holds; those among them of the described class
    type         the answers of a row to k columns, as a k-bit number whose highest bit is the
                 first column: dropping the last column adds neighbours, so the counts of k
                 columns hold those of their first 1 .. k - 1 columns
    counts       [type, class]: rows of each type; class 1 is the described one

Columns are kept as bits, 64 rows to a word, so that counting is AND and popcount.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
Counts = NDArray[Any]

BLOCK = 64  # columns counted at a time, to keep the intermediate array small


@dataclass(frozen=True)
class Contingency:
    """The 2×2 tables of d columns against the class; shapes: ones, ones_positive (d,)."""

    n: Any
    positives: Any
    ones: Counts
    ones_positive: Counts

    def weighted(self, negative: float, positive: float) -> "Contingency":
        """Weight the rows by class."""
        rest = (self.ones - self.ones_positive) * negative
        ones_positive = self.ones_positive * positive
        positives = self.positives * positive
        total = (self.n - self.positives) * negative + positives
        return Contingency(total, positives, rest + ones_positive, ones_positive)

    def flipped(self, columns: Bools) -> "Contingency":
        """Count some columns by their complements: `columns` of shape (d,) says which."""
        return Contingency(
            self.n,
            self.positives,
            np.where(columns, self.n - self.ones, self.ones),
            np.where(columns, self.positives - self.ones_positive, self.ones_positive),
        )


def packed(mask: Bools) -> Words:
    """Pack a Boolean column of shape (n,) into bits, shape (n / 64 rounded up,)."""
    bits = np.packbits(mask, bitorder="little")
    words = np.zeros(-(-len(mask) // 64), dtype=np.uint64)
    words.view(np.uint8)[: len(bits)] = bits
    return words


def unpacked(words: Words, n_rows: int) -> NDArray[np.uint8]:
    """Read bits back as zeros and ones: shape (n,)."""
    return np.unpackbits(words.view(np.uint8), count=n_rows, bitorder="little")


def contingency(columns: Words, described: Words, within: Words) -> Contingency:
    """Count each column against the class, two popcounts a column.

    Shapes: columns (d, w), described (w,), within (w,).

    O(d n / 64).
    """
    ones = np.empty(len(columns), dtype=np.int64)
    ones_positive = np.empty(len(columns), dtype=np.int64)
    for start in range(0, len(columns), BLOCK):
        part = slice(start, start + BLOCK)
        inside = columns[part] & within
        ones[part] = np.bitwise_count(inside).sum(axis=1, dtype=np.int64)
        inside &= described
        ones_positive[part] = np.bitwise_count(inside).sum(axis=1, dtype=np.int64)
    n = int(np.bitwise_count(within).sum(dtype=np.int64))
    positives = int(np.bitwise_count(within & described).sum(dtype=np.int64))
    return Contingency(n, positives, ones, ones_positive)


def weighted_contingency(
    columns: Words, described: Bools, within: Bools, weight: NDArray[np.float64]
) -> Contingency:
    """Compute `contingency` for weighted rows.

    Shapes: columns (d, w), described, within (n,), weight (n,).
    """
    counted = np.where(within, weight, 0.0)
    both = np.stack([counted, np.where(described, counted, 0.0)], axis=1)
    sums = [unpacked(column, len(weight)).astype(np.float64) @ both for column in columns]
    ones = np.array(sums, dtype=float).reshape(len(columns), 2)
    total, positives = both.sum(axis=0).tolist()
    return Contingency(total, positives, ones[:, 0], ones[:, 1])


def type_codes(columns: Words, n_rows: int) -> NDArray[np.uint32]:
    """Compute the type of each row as a number; shapes: columns (k, w); result (n,)."""
    codes = np.zeros(n_rows, dtype=np.uint32)
    for column in columns:  # the first column ends up in the highest bit
        codes <<= 1
        codes |= unpacked(column, n_rows)
    return codes


def type_counts(
    codes: NDArray[Any],
    k: int,
    described: Bools,
    part: Bools | None = None,
    weight: NDArray[np.float64] | None = None,
) -> Counts:
    """Count rows by type and class, and by part where rows belong to two parts.

    Shapes: codes (n,), described (n,), part (n,), weight (n,); result (2**k, 2).
    """
    parts = 1 if part is None else 2
    # part, type and class side by side in one number, so that one bincount counts all cells
    cells = (codes.astype(np.uint32) << np.uint32(1)) | described
    if part is not None:
        cells |= part.astype(np.uint32) << np.uint32(k + 1)
    counts = np.bincount(cells, weights=weight, minlength=parts << (k + 1))
    return counts.reshape((2**k, 2) if part is None else (2, 2**k, 2))


def without_last(counts: Counts) -> Counts:
    """Drop the last column: shape (..., 2**k, 2) becomes (..., 2**(k - 1), 2)."""
    *lead, n_types, classes = counts.shape
    return counts.reshape(*lead, n_types // 2, 2, classes).sum(axis=-2)


def majority(counts: Counts) -> Bools:
    """Return for which types the ideal classifier predicts the described class.

    Shapes: counts (2**k, 2); result (2**k,).
    """
    more: Bools = counts[:, 1] > counts[:, 0]
    return more


def least_errors(counts: Counts) -> Any:
    """Sum over the types what any classifier that sees only types must get wrong."""
    return counts.min(axis=1).sum()
