"""How much each Boolean column tells about the class, all columns at once, from 2×2 counts.

With the letters of `row_types`, N = n - P, n0 = n - n1 and ::

    D     = n11 n - n1 P                 zero where column and class are independent
    phi2  = D**2 / (n1 n0 P N)           squared correlation
    F     = (n - 2) phi2 / (1 - phi2)    the F-test of two groups; grows with phi2
    chi2  = D**2 / (n1 P N)              chi-square of the rows where the column holds
    MI                                   mutual information in nats, from the four cells

A column that is constant on the rows counted tells nothing and has no score.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.families.ideal_dnf.solver.row_types import Contingency
from rulekit.search.sums import LN2, log2

Floats = NDArray[np.float64]

SCORES = ("f", "mutual_info", "chi2")
EXACT_ROWS = 3_000_000_000  # up to here n11 * n fits 64 bits


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
    """Rank the columns by each score.

    Shape of the result: (at most `length`,).
    """
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
