"""Association of columns with a target: a cheap score that ranks the columns of a wide table."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rulekit.data.typed import read_labels

BINS = 5  # of a column's sorted values; missing values are one more
DECIMALS = 9  # scores are rounded to this, since last digits differ between processors


def promising_columns(X: pd.DataFrame, y: ArrayLike, most: int) -> list[str]:
    """Select the columns most associated with `y`, ties by name; in the table's order."""
    names = [str(name) for name in X.columns]
    if len(names) <= most:
        return names
    score = association(X, y)
    first = sorted(range(len(names)), key=lambda j: (-score[j], names[j]))[:most]
    return [names[j] for j in sorted(first)]


def association(X: pd.DataFrame, y: ArrayLike) -> NDArray[np.float64]:
    """Compute chi-square less degrees of freedom of each binned column with `y`, shape (p,)."""
    return _excess(X, y)[0]


def cramers_v(X: pd.DataFrame, y: ArrayLike) -> NDArray[np.float64]:
    """Compute bias-corrected Cramer's V of each binned column with `y`, shape (p,): 0 to 1."""
    excess, dimensions = _excess(X, y)
    share = excess / np.maximum(len(X) * dimensions, 1)
    strength: NDArray[np.float64] = np.round(np.sqrt(share.clip(0.0, 1.0)), DECIMALS)
    return strength


def _excess(X: pd.DataFrame, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Compute the association, and the smaller number of bins and classes less 1: shape (p,)."""
    codes, classes = pd.factorize(read_labels(y), sort=True)
    numbers = np.empty(X.shape)  # sortable, NaN where missing; texts by their order
    numeric = np.array([pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes])  # and Boolean
    numbers[:, numeric] = X.loc[:, numeric].to_numpy(dtype=float, na_value=np.nan)
    for j in np.flatnonzero(~numeric):
        series = X.iloc[:, j]
        is_category = isinstance(series.dtype, pd.CategoricalDtype)
        texts = series if is_category else series.astype(str).where(series.notna())
        levels = texts.cat.codes if is_category else pd.factorize(texts, sort=True)[0]
        numbers[:, j] = np.where(levels < 0, np.nan, levels)
    ranks = pd.DataFrame(numbers).rank().to_numpy()  # from 1
    present = np.count_nonzero(~np.isnan(ranks), axis=0)
    middle = BINS * (2 * ranks - 1) // np.maximum(2 * present, 1)  # of equal values
    bins = np.where(np.isnan(middle), BINS, middle).astype(np.intp)  # missing is the last
    n, p = bins.shape
    shape = (p, BINS + 1, len(classes))
    cells = (np.arange(p) * shape[1] + bins) * shape[2] + codes[:, None]
    counts = np.bincount(cells.ravel(), minlength=int(np.prod(shape))).reshape(shape).astype(float)
    in_bin, of_class = counts.sum(axis=2), counts.sum(axis=1)
    expected = in_bin[:, :, None] * of_class[:, None, :] / n
    ratio = np.divide(counts**2, expected, out=np.zeros(shape), where=expected > 0)
    freedom = ((in_bin > 0).sum(axis=1) - 1) * (len(classes) - 1)
    excess: NDArray[np.float64] = np.round(ratio.sum(axis=(1, 2)) - n - freedom, DECIMALS)
    return excess, np.minimum((in_bin > 0).sum(axis=1), len(classes)) - 1
