"""How much each Boolean column tells about the class, all columns at once, from 2×2 counts.

With the letters of `row_types`, N = n - P, n0 = n - n1 and ::

    D     = n11 n - n1 P                 zero where column and class are independent
    phi2  = D**2 / (n1 n0 P N)           squared correlation
    F     = (n - 2) phi2 / (1 - phi2)    the F-test of two groups; grows with phi2
    chi2  = D**2 / (n1 P N)              chi-square of the rows where the column holds
    MI                                   mutual information in nats, from the four cells

A column that is constant on the rows counted tells nothing and has no score.

How many columns to read is decided by the ideal classifier of 1, 2, ... columns of a ranking,
evaluated on held-out rows::

    counts   [part, type, class], see `row_types`; part 0 trains, part 1 judges
    K        length of a ranking; k of 1 .. K columns are its first k
    score    one way to rank the columns; its number is its place in the list of rankings

One table of counts a ranking answers for every k: leaving out the last column adds neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import LN2, log2
from rulekit.families.ideal_dnf.solver.row_types import (
    Contingency,
    Counts,
    least_errors,
    majority,
    without_last,
)

Floats = NDArray[np.float64]
SCORES = ("f", "mutual_info", "chi2")
EXACT_ROWS = 3_000_000_000  # up to here n11 * n fits 64 bits


@dataclass(frozen=True)
class ValidationCurve:
    """Validation results of every number of columns of every ranking.

    Shapes: right (K, number of rankings).
    """

    right: Counts
    errors: Counts
    n_held_out: Any

    @property
    def max_columns(self) -> int:
        """Largest number of columns, K."""
        return len(self.right)

    def best_ranking(self, k: int) -> int:
        """Return the ranking whose first k columns do best; of equally good ones the first."""
        return int(np.argmax(self.right[k - 1]))

    def best_right(self, k: int) -> Any:
        """Count the held-out rows that the best k columns answer rightly."""
        return self.right[k - 1].max()

    def smallest_sufficient(self, tolerance: float, max_columns: int) -> int:
        """Choose the smallest k that is nearly as good as the best."""
        last = min(max_columns, self.max_columns)
        best = max((self.best_right(k) for k in range(1, last + 1)), default=0)
        for k in range(1, last + 1):
            loss = best - self.best_right(k)
            if loss == 0 or _below(loss, tolerance, self.n_held_out):
                return k
        return 0


def validation_curve(counts: Sequence[Counts]) -> ValidationCurve:
    """Evaluate the ideal classifiers of all rankings and numbers of columns, O(2**K) a ranking.

    Shapes: counts (2, 2**K, 2). Source: R. Jaakkola, T. Janhunen, A. Kuusisto, M. F. Rankooh,
    M. Vilander, "Interpretable classifiers for tabular data via feature selection and
    discretization" (2024), section 3, steps 3 to 6.
    """
    right, errors = zip(*(_one_curve(table) for table in counts), strict=True)
    total = counts[0][1].sum().item()
    return ValidationCurve(np.array(right).T, np.array(errors).T, total)


def _one_curve(table: Counts) -> tuple[list[Any], list[Any]]:
    """Evaluate k = 1 .. K columns of one ranking."""
    right, errors = [], []
    for _ in range(int(table.shape[1]).bit_length() - 1):
        training, held_out = table
        # the training part says what each type is answered, the other part how often that is right
        answer = majority(training).astype(int)
        right.append(np.take_along_axis(held_out, answer[:, None], axis=1).sum())
        errors.append(least_errors(training))
        table = without_last(table)
    return right[::-1], errors[::-1]


def _below(loss: Any, tolerance: float, total: Any) -> bool:
    """Compare a loss of rows with a share of all rows; exactly where rows are whole."""
    if isinstance(loss, (int, np.integer)):
        return Fraction(int(loss)) < Fraction(str(tolerance)) * int(total)
    return float(loss) < tolerance * float(total)


def squared_correlation(counts: Contingency) -> Floats:
    """Phi squared of each column: it ranks as F does, without a division by nearly nothing."""
    n1, n0, positives, negatives = _margins(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.minimum(_difference(counts) ** 2 / (n1 * n0) / (positives * negatives), 1.0)


def chi_square(counts: Contingency) -> Floats:
    """Chi-square of each column; equal to `sklearn.feature_selection.chi2`.

    Only rows where the column holds count, so of a column and its complement the rarer scores
    higher. NaN for constant columns.
    """
    n1, n0, positives, negatives = _margins(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = _difference(counts) ** 2 / n1 / (positives * negatives)
    return np.where((n1 > 0) & (n0 > 0), statistic, np.nan)


def mutual_information(counts: Contingency) -> Floats:
    """Mutual information of each column with the class, in nats, exact.

    Equal to `sklearn.feature_selection.mutual_info_classif` with ``discrete_features=True``; NaN
    for constant columns.
    """
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
        information = np.maximum(sum(parts) / n, 0.0)
    return np.where((n1 > 0) & (n0 > 0), information, np.nan)


_MEASURES = {
    "f": squared_correlation,
    "mutual_info": mutual_information,
    "chi2": chi_square,
}


def rankings(
    counts: Contingency, scores: Sequence[str], length: int
) -> tuple[NDArray[np.intp], ...]:
    """Rank the columns by each score; shape of the result: (at most `length`,)."""
    usable = np.flatnonzero((counts.ones > 0) & (counts.ones < counts.n))
    ranked = []
    for name in scores:
        # NaN only where one class has no rows: then nothing is known, and the order stays
        values = np.nan_to_num(_MEASURES[name](counts)[usable], nan=0.0)
        ranked.append(usable[np.argsort(-values, kind="stable")][:length])
    return tuple(ranked)


def _margins(counts: Contingency) -> tuple[Floats, Floats, float, float]:
    """Rows with and without each column, and of each class."""
    n1 = np.asarray(counts.ones, dtype=float)
    return n1, counts.n - n1, float(counts.positives), float(counts.n - counts.positives)


def _difference(counts: Contingency) -> Floats:
    """Compute D of each column, exactly for integers."""
    ones: Any = counts.ones
    positive: Any = counts.ones_positive
    if counts.n > EXACT_ROWS and ones.dtype.kind == "i":
        ones, positive = ones.astype(object), positive.astype(object)
    return np.asarray(positive * counts.n - ones * counts.positives, dtype=float)
