"""What conditions that compute share: columns read as numbers, and finite constants."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.rules.literal import Columns, missing_in


def numbers_in(name: str, columns: Columns) -> NDArray[np.float64]:
    """Read a column as numbers, NaN where it has no value: shape (n,).

    Raises
    ------
    RuleError
        If the column is not there, or holds text.
    """
    try:
        column = columns[name]
    except KeyError:
        raise RuleError(f"The rule reads column {name!r}, which the table does not have.") from None
    if column.dtype != object:
        return np.asarray(column, dtype=float)
    absent = missing_in(column)
    if any(isinstance(v, str) for v in column[~absent]):
        raise RuleError(
            f"The rule computes with column {name!r}, but the column holds text; give numbers, as "
            "in the table the rule was learned from."
        )
    return np.where(absent, np.nan, column).astype(float)


def absent_in(features: Iterable[str], columns: Columns) -> NDArray[np.bool_]:
    """Say where at least one of some columns has no value: shape (n,)."""
    return np.asarray(np.any([missing_in(columns[f]) for f in features], axis=0))


def finite(number: Any, what: str) -> float:
    """Return a finite float; -0.0 becomes 0.0.

    Raises
    ------
    RuleError
        If it is none; `what` says what it should have been, "high of a power law" for instance.
    """
    try:
        found = float(number)
    except (TypeError, ValueError):
        found = np.nan
    if isinstance(number, (str, bool)) or not np.isfinite(found):
        raise RuleError(f"The {what} must be a finite number, got {number!r}.")
    return found + 0.0
