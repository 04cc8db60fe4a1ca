"""What a column holds: its kind, and whether it looks like an identifier or a date."""

import re

import numpy as np
import pandas as pd

KINDS = ("numeric", "boolean", "category", "text", "date", "constant")

_ID_NAME = re.compile(
    r"(^|[\s_.\-])(id|ids|uuid|guid|key|index|row|rowid|nr|no|number|identifier)$", re.IGNORECASE
)
_ID_CAMEL = re.compile(r"[a-z](Id|ID|Key|Nr|No)$")
_DATE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{4})"
    r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?(Z|[+-]\d{2}:?\d{2})?)?"
)
MIN_ROWS_FOR_ID = 10


def kind_of(series: pd.Series, n_distinct: int, max_levels: int) -> str:
    """Name the kind of a column.

    Parameters
    ----------
    series : Series of length n
        A column as `rulekit.data.typed` leaves it.
    n_distinct : int
        Distinct values, missing ones not counted.
    max_levels : int
        Distinct values up to which text counts as a category.

    Returns
    -------
    str
        One of ``KINDS``. Any column of two values is "boolean", numbers included, and so is one
        of a single value and gaps; one of a single value in every row, or of none, is "constant".
    """
    if n_distinct == 0 or (n_distinct == 1 and series.notna().all()):
        return "constant"
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        return "date"
    if n_distinct <= 2:
        return "boolean"
    if pd.api.types.is_numeric_dtype(series.dtype):
        return "numeric"
    if looks_like_dates(series):
        return "date"
    return "category" if n_distinct <= max_levels else "text"


def looks_like_dates(series: pd.Series) -> bool:
    """Say whether every one of (up to 1 000) present texts has the shape of a date."""
    present = series.dropna().head(1000)
    return len(present) > 0 and all(_DATE.fullmatch(str(v).strip()) for v in present)


def named_like_id(name: str) -> bool:
    """Say whether a column's name ends like an identifier's."""
    return bool(_ID_NAME.search(name) or _ID_CAMEL.search(name))


def looks_like_id(series: pd.Series, name: str, n_distinct: int) -> bool:
    """Say whether a column only tells rows apart.

    Holds where no value is missing and none repeats over at least ten rows, and the column is
    text (not mostly numbers), or whole numbers that run without a gap or have an identifier's
    name. Measurements, which seldom repeat either, are not whole numbers in one run.
    """
    n = len(series)
    if n < MIN_ROWS_FOR_ID or n_distinct != n:
        return False
    if pd.api.types.is_datetime64_any_dtype(series.dtype):
        return False
    if not pd.api.types.is_numeric_dtype(series.dtype):
        return not (looks_like_dates(series) or _mostly_numbers(series))
    values = series.to_numpy(dtype=float)
    if not np.array_equal(values, np.floor(values)):
        return False
    return named_like_id(name) or bool(values.max() - values.min() == n - 1)


def _mostly_numbers(series: pd.Series) -> bool:
    """Say whether half of (up to 1 000) texts are numbers: a measurement with flaws, no name."""
    numbers = pd.to_numeric(series.head(1000), errors="coerce")
    return bool(numbers.notna().mean() >= 0.5)
