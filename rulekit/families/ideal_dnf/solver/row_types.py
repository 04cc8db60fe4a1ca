"""Counting rows by type: which of k Boolean columns a row meets, and how often with which class."""

#   n, P         rows counted; those among them of the described class
#   n1, n11      rows where a column holds; those among them of the described class
#   type         the answers of a row to k columns, as a k-bit number whose highest bit is the
#                first column: dropping the last column adds neighbours, so the counts of k
#                columns hold those of their first 1 .. k - 1 columns
#   counts       [type, class]: rows of each type; class 1 is the described one
#
# Columns are kept as bits, 64 rows to a word, so that counting is AND and popcount.
#
# Scores of columns, from 2×2 counts, with N = n - P, n0 = n - n1 and :
#   D     = n11 n - n1 P                 zero where column and class are independent
#   phi2  = D**2 / (n1 n0 P N)           squared correlation
#   F     = (n - 2) phi2 / (1 - phi2)    the F-test of two groups; grows with phi2
#   chi2  = D**2 / (n1 P N)              chi-square of the rows where the column holds
#   MI                                   mutual information in nats, from the four cells
#
# A column that is constant on the rows counted is uninformative and has no score.
#
# How many columns to read is decided by the ideal classifier of 1, 2, ... columns of a ranking,
# evaluated on held-out rows:
#   counts   in `ValidationCurve`: [part, type, class]; part 0 trains, part 1 judges
#   K        length of a ranking; k of 1 .. K columns are its first k
#   score    one way to rank the columns; its number is its place in the list of rankings

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import LN2, addable, log2

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Words = NDArray[np.uint64]
Counts = NDArray[Any]

BLOCK = 64  # columns counted at a time, to keep the intermediate array small
SCORES = ("f", "mutual_info", "chi2")
EXACT_ROWS = 3_000_000_000  # up to here n11 * n fits 64 bits


@dataclass(frozen=True)
class Contingency:
    """The 2×2 tables of d columns against the class."""

    n: Any
    positives: Any
    ones: Counts  # (d,)
    ones_positive: Counts  # (d,)

    def weight(self, negative: float, positive: float) -> "Contingency":
        """Weight the rows by class."""
        rest = (self.ones - self.ones_positive) * negative
        ones_positive = self.ones_positive * positive
        positives = self.positives * positive
        total = (self.n - self.positives) * negative + positives
        return Contingency(total, positives, rest + ones_positive, ones_positive)

    def flip(self, columns: Bools) -> "Contingency":
        """Count some columns by their complements: `columns` of shape (d,) says which."""
        ones = np.where(columns, self.n - self.ones, self.ones)
        positive = np.where(columns, self.positives - self.ones_positive, self.ones_positive)
        return Contingency(self.n, self.positives, ones, positive)


def pack_bits(mask: Bools) -> Words:
    """Pack a Boolean column of shape (n,) into bits, shape (n / 64 rounded up,)."""
    bits = np.packbits(mask, bitorder="little")
    words = np.zeros(-(-len(mask) // 64), dtype=np.uint64)
    words.view(np.uint8)[: len(bits)] = bits
    return words


def unpack_bits(words: Words, n_rows: int) -> NDArray[np.uint8]:
    """Read bits back as zeros and ones: shape (n,)."""
    return np.unpackbits(words.view(np.uint8), count=n_rows, bitorder="little")


def contingency(columns: Words, described: Words, within: Words) -> Contingency:
    """Count each column against the class, two popcounts a column."""
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


def weigh_contingency(
    columns: Words, described: Bools, within: Bools, weight: Floats
) -> Contingency:
    """Compute `contingency` for weighted rows."""
    counted = np.where(within, weight, 0.0)
    both = np.stack([counted, np.where(described, counted, 0.0)], axis=1)
    sums = [unpack_bits(column, len(weight)).astype(np.float64) @ both for column in columns]
    ones = np.array(sums, dtype=float).reshape(len(columns), 2)
    total, positives = both.sum(axis=0).tolist()
    return Contingency(total, positives, ones[:, 0], ones[:, 1])


def type_codes(columns: Words, n_rows: int) -> NDArray[np.uint32]:
    """Compute the type of each row as a number; shapes: columns (k, w); result (n,)."""
    codes = np.zeros(n_rows, dtype=np.uint32)
    for column in columns:  # the first column ends up in the highest bit
        codes <<= 1
        codes |= unpack_bits(column, n_rows)
    return codes


def type_counts(
    codes: NDArray[Any],
    k: int,
    described: Bools,
    part: Bools | None = None,
    weight: Floats | None = None,
) -> Counts:
    """Count rows by type and class, and by part where rows belong to two parts."""
    # part, type and class side by side in one number, so that one bincount counts all cells
    cells = (codes.astype(np.uint32) << np.uint32(1)) | described
    if part is not None:
        cells |= part.astype(np.uint32) << np.uint32(k + 1)
    shape = (2**k, 2) if part is None else (2, 2**k, 2)
    return np.bincount(cells, weights=weight, minlength=math.prod(shape)).reshape(shape)


def majority(counts: Counts) -> Bools:
    """Return for which types the ideal classifier predicts the described class."""
    return np.asarray(counts[:, 1] > counts[:, 0])


def least_errors(counts: Counts) -> Any:
    """Sum over the types what any classifier that sees only types must get wrong."""
    return counts.min(axis=1).sum()


@dataclass(frozen=True)
class ValidationCurve:
    """Validation results of every number of columns of every ranking."""

    right: Counts  # (K, number of rankings)
    errors: Counts
    n_held_out: Any

    @property
    def max_columns(self) -> int:
        """Largest number of columns, K."""
        return len(self.right)

    def best_ranking(self, k: int) -> int:
        """Return the ranking whose first k columns do best; of equally good ones the first."""
        return int(np.argmax(self.right[k - 1]))

    def smallest_sufficient(self, tolerance: float, max_columns: int) -> int:
        """Choose the smallest k that is nearly as good as the best."""
        right = self.right[:max_columns].max(axis=1)
        limit: Any = tolerance * float(self.n_held_out)
        if right.dtype.kind == "i":  # whole rows are compared exactly
            limit = Fraction(str(tolerance)) * int(self.n_held_out)
        losses = enumerate((right.max(initial=0) - right).tolist(), start=1)
        return next((k for k, loss in losses if loss == 0 or loss < limit), 0)


def validation_curve(rankings: Sequence[Sequence[Sequence[Counts]]]) -> ValidationCurve:
    """Evaluate the ideal classifiers of 1, 2, ... columns, each part held out in turn."""
    # Shapes: for each ranking and part tables (2, 2**k, 2) for k = 1, 2, ..., of which the last is
    # used for longer ones; the table before them only gives the number of rows.
    length = max(len(tables) for parts in rankings for tables in parts)
    each = []
    for k, parts in product(range(1, length), rankings):
        tables = [part[min(k, len(part) - 1)] for part in parts]
        # the training part gives the answer of each type, the other part how often it is right
        answers = [majority(training).astype(int)[:, None] for training, _ in tables]
        pairs = zip(tables, answers, strict=True)
        right = sum(np.take_along_axis(t[1], answer, axis=1).sum() for t, answer in pairs)
        each.append((right, sum(least_errors(training) for training, _ in tables)))
    right, errors = np.array(each).reshape(length - 1, len(rankings), 2).transpose(2, 0, 1)
    total = sum(tables[0][1].sum().item() for tables in rankings[0])
    return ValidationCurve(right, errors / max(len(rankings[0]) - 1, 1), total)


def list_first(counts: Counts) -> list[Counts]:
    """List a table of K columns, then the tables of its first 1, 2, ... K columns."""
    tables = [counts]
    while tables[0].shape[1] > 2:
        tables.insert(0, tables[0].reshape(len(counts), -1, 2, counts.shape[2]).sum(axis=2))
    return [counts, *tables] if counts.shape[1] > 1 else tables


def compute_phi_squared(counts: Contingency) -> Floats:
    """Phi squared of each column: it ranks as F does, without a division by nearly nothing."""
    n1, n0, positives, negatives = _margins(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.minimum(_difference(counts) ** 2 / (n1 * n0) / (positives * negatives), 1.0)


def chi_square(counts: Contingency) -> Floats:
    """Chi-square of each column; equal to `sklearn.feature_selection.chi2`."""
    n1, n0, positives, negatives = _margins(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = _difference(counts) ** 2 / n1 / (positives * negatives)
    return np.where((n1 > 0) & (n0 > 0), statistic, np.nan)


def mutual_information(counts: Contingency) -> Floats:
    """Mutual information of each column with the class, in nats, exact."""
    n1, n0, positives, negatives = _margins(counts)
    n, n11 = float(counts.n), np.asarray(counts.ones_positive, dtype=float)
    cells = [
        (n11, n1, positives),
        (n1 - n11, n1, negatives),
        (positives - n11, n0, positives),
        (negatives - n1 + n11, n0, negatives),
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [
            joint * LN2 * log2(np.where(joint > 0, joint * n / (row * column), 1.0))
            for joint, row, column in cells
        ]
        return np.where((n1 > 0) & (n0 > 0), np.maximum(sum(parts) / n, 0.0), np.nan)


_MEASURES = {"f": compute_phi_squared, "mutual_info": mutual_information, "chi2": chi_square}


def rankings(counts: Contingency, length: int) -> tuple[Ints, ...]:
    """Rank the columns by each of `SCORES`; shape of the result: (at most `length`,)."""
    usable = np.flatnonzero((counts.ones > 0) & (counts.ones < counts.n))
    # NaN only where one class has no rows: then nothing is known, and the order stays
    values = (np.nan_to_num(_MEASURES[name](counts)[usable], nan=0.0) for name in SCORES)
    return tuple(usable[np.argsort(-v, kind="stable")][:length] for v in values)


def _margins(counts: Contingency) -> tuple[Floats, Floats, float, float]:
    """Rows with and without each column, and of each class."""
    n1 = np.asarray(counts.ones, dtype=float)
    return n1, counts.n - n1, float(counts.positives), float(counts.n - counts.positives)


def _difference(counts: Contingency) -> Floats:
    """Compute D of each column, exactly for integers."""
    ones, positive = counts.ones, counts.ones_positive
    if counts.n > EXACT_ROWS and ones.dtype.kind == "i":
        ones, positive = ones.astype(object), positive.astype(object)
    return np.asarray(positive * counts.n - ones * counts.positives, dtype=float)


# Columns whose ideal formula separates the classes best, found one after the other:
#   impurity   sum over the types of  c0 c1 / (c0 + c1),  for the weights c0 and c1 of two classes
#
# The ideal formula answers a type with its greater class. Its errors alone are no guide, since a
# first column that only helps beside a second one does not lower them; the impurity falls with
# every column that tells classes apart within some type.

EQUAL = 1e-9  # share of the impurity below which two sets are equally good


class ForwardSets:
    """Sets of 1, 2, ... of the columns (d, n), each from the one before by the best column."""

    def __init__(self, columns: Bools, described: Bools, weight: Floats | None = None) -> None:
        self._columns, self._described = columns, described.astype(np.int64)
        # exact sums: what is left over by a column that a type's rows all meet is exactly 0
        self._weight = np.ones(len(described)) if weight is None else addable(weight)
        # row by row, so that sums over rows run along memory; small numbers for plain counts
        kind = np.min_scalar_type(len(described)) if weight is None else float
        self._rows = np.ascontiguousarray(columns.T, dtype=kind)
        if weight is not None:
            self._rows *= self._weight[:, None]
        self._sets: list[tuple[int, ...]] = []
        counts = np.bincount(self._described, self._weight, 2).astype(np.float64)
        self._impurity = float(_impurities(counts))
        self._is_complete = not len(columns)

    def list_sets(self, most: int) -> list[tuple[int, ...]]:
        """Return the sets of 1 to `most` columns; fewer if no further column helps."""
        while len(self._sets) < most and not self._is_complete:
            last = self._sets[-1] if self._sets else ()
            least, column = self._best(last)
            self._is_complete = least >= self._impurity * (1 - EQUAL)
            if self._is_complete:
                break
            chosen = best = (*last, column)  # then one of the earlier columns may be exchanged
            for place in range(len(last)):
                others = (*chosen[:place], *chosen[place + 1 :])
                impurity, column = self._best(others)
                if impurity < least * (1 - EQUAL):
                    least, best = impurity, (*others, column)
            self._sets.append(best)
            self._impurity = least
        return self._sets[:most]

    def _best(self, others: tuple[int, ...]) -> tuple[float, int]:
        """Return the least impurity with one column more, and the first such column."""
        code = np.zeros(len(self._described), dtype=np.int64)
        for chosen in others:  # 12 at most
            code = 2 * code + self._columns[chosen]
        types = np.unique(code, return_inverse=True)[1].reshape(-1)  # as far as they occur
        cells = 2 * types + self._described
        order = np.argsort(cells, kind="stable")  # rows of one cell side by side
        ordered = cells[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        counts = np.zeros((len(self._columns), int(ordered[-1]) + 2 & ~1))
        counts[:, ordered[starts]] = np.add.reduceat(self._rows[order], starts, axis=0).T
        rest = np.bincount(cells, self._weight, counts.shape[1]) - counts
        values = _impurities(counts) + _impurities(rest)
        column = int(np.flatnonzero(values <= values.min() * (1 + EQUAL))[0])
        return float(values[column]), column


def _impurities(counts: Floats) -> Floats:
    """Sum the impurity of types whose two classes are side by side: shape (..., 2 K) to (...)."""
    zeros, ones = counts[..., 0::2], counts[..., 1::2]
    return np.asarray((zeros * ones / np.maximum(zeros + ones, np.finfo(float).tiny)).sum(axis=-1))
