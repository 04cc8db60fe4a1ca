"""Groups of rows by a column: its values, or bins of its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data.columns.conform import columns_of
from rulekit.exceptions import DataError

#: The shares that are counted a group, and of which rows each is a share.
GROUP_MEASURES: Mapping[str, str] = {
    "error": "rows",
    "found": "positives",
    "false_alarms": "negatives",
    "called_positive": "rows",
}
FEW = 30  # rows that a share must be counted on to be compared with others'
MOST_GROUPS = 50
ALL_VALUES = 10  # numbers of at most this many values are groups by value
MISSING = "missing"


@dataclass(frozen=True, eq=False)
class RowGroups:
    """The group of each row.

    Attributes
    ----------
    name : str
        What the rows are grouped by.
    labels : tuple of str
        What the groups are called: values in their order, bins from low to high, "missing" last.
    codes : ndarray of int, shape (n,)
        Index into `labels`.
    """

    name: str
    labels: tuple[str, ...]
    codes: NDArray[np.intp]

    @property
    def of_rows(self) -> NDArray[np.object_]:
        """The name of each row's group: shape (n,)."""
        return np.array(self.labels, dtype=object)[self.codes]


def row_groups(values: Any, name: str, *, bins: int | Sequence[float] = 4) -> RowGroups:
    """Assign rows to groups by the values of a column.

    Parameters
    ----------
    values : array-like of shape (n,)
        Text, truth values, categories or numbers; gaps are a group of their own, "missing".
    name : str
        Of the column, for messages.
    bins : int or sequence of float, default=4
        For numbers of more than ten values: into how many bins of about equally many rows they are
        cut (2 to 50; ties can leave fewer), or the cuts themselves, which then hold for any
        column of numbers. A value equal to a cut is in the lower bin.

    Returns
    -------
    RowGroups
        Only groups that have rows.

    Raises
    ------
    DataError
        If there are fewer than two groups or more than fifty, or cuts are given for a column that
        holds no numbers.
    ValueError
        If `bins` is no whole number from 2 to 50 and no sequence of finite numbers.

    Examples
    --------
    >>> groups = row_groups([20, 35, 50, 90, None], "age", bins=[40])
    >>> groups.labels, groups.codes.tolist()
    (('at most 40', 'more than 40', 'missing'), [0, 0, 1, 1, 2])
    """
    n_bins = bins if isinstance(bins, (int, np.integer)) and not isinstance(bins, bool) else 0
    is_list = isinstance(bins, (Sequence, np.ndarray)) and not isinstance(bins, str)
    given = np.asarray(bins if is_list else [], dtype=object).ravel()
    finite = [isinstance(v, (int, float, np.number)) and np.isfinite(v) for v in given]
    if not (all(finite) if finite else 2 <= n_bins <= MOST_GROUPS):
        raise ValueError(
            f"`bins` must be a whole number of bins from 2 to {MOST_GROUPS}, or a list of finite "
            f"cuts; got {bins!r}. Give for example bins=4, or bins=[30, 60]."
        )
    cuts = np.unique(given.astype(float)) if finite else None
    series = values if isinstance(values, pd.Series) else pd.Series(values)
    (column,) = columns_of(series.to_frame(name)).values()
    absent = np.asarray(pd.isna(column), dtype=bool)
    numbers = column.dtype != object
    if cuts is not None and not numbers:
        raise DataError(
            f"Cuts need a column of numbers, but {name[:60]!r} holds text. Leave `bins` as it is, "
            "and its values are the groups."
        )
    present = column[~absent]
    if numbers and (cuts is not None or len(np.unique(present)) > ALL_VALUES):
        labels, codes = _bin_numbers(present.astype(float), cuts, bins)
    else:
        levels, codes = np.unique(present.astype(object), return_inverse=True)
        if len(levels) > MOST_GROUPS:
            raise DataError(
                f"Groups must be at most {MOST_GROUPS} to be compared, but column {name[:60]!r} "
                f"has {len(levels):,} different values; join values to wider groups, or choose "
                "another column."
            )
        labels = [f"{v:g}" if isinstance(v, float) else str(v) for v in levels]
        if len(set(labels)) < len(labels):
            labels = [repr(v) for v in levels]
    group_codes = np.full(len(column), len(labels), dtype=np.intp)
    group_codes[~absent] = codes
    groups, group_codes = np.unique(group_codes, return_inverse=True)
    gap = MISSING if MISSING not in labels else "no value"
    names = tuple([*labels, gap][k] for k in groups)
    if len(names) < 2:
        all_in = f"all {len(group_codes)} rows are in group" if names else "there is no row"
        held = " ".join([all_in, *map(repr, names)])
        raise DataError(
            f"Groups are compared with each other, but by {name[:60]!r} {held}. Choose a column "
            "with two values or more."
        )
    return RowGroups(name, names, group_codes.astype(np.intp))


def _bin_numbers(
    values: NDArray[np.float64], cuts: NDArray[np.float64] | None, bins: Any
) -> tuple[list[str], NDArray[np.intp]]:
    """Bin numbers at quantiles unless thresholds are given."""
    if cuts is None:
        shares = np.arange(1, bins) / bins
        cuts = np.unique(np.quantile(values, shares, method="lower"))
        cuts = cuts[cuts < values.max()]
        if not len(cuts):  # nearly all rows hold the greatest value
            cuts = np.array([values[values < values.max()].max()])
    text = [f"{cut:.6g}" for cut in cuts]
    if len(set(text)) < len(text):  # cuts that six digits do not distinguish
        text = [repr(float(cut)) for cut in cuts]
    between = [f"over {low}, at most {high}" for low, high in pairwise(text)]
    labels = [f"at most {text[0]}", *between, f"more than {text[-1]}"]
    return labels, np.searchsorted(cuts, values)
