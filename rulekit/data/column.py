"""What is known of one column, and the role it suggests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rulekit.data.headers import shown
from rulekit.data.kinds import kind_of, looks_like_id

ROLES = ("feature", "ignore", "id", "weight", "group", "target")
SINGLE = ("weight", "group", "target")  # roles that one column at most can have


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of one column.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"numeric", "boolean", "category", "text", "date", "constant"}
        What it holds. Any column of two values is "boolean", one of 0 and 1 included; so is one of
        a single value and gaps.
    role : {"feature", "ignore", "id", "weight", "group", "target"}
        What it is used for.
    n_missing, n_distinct : int
        Missing cells, and distinct values among the present ones.
    levels : tuple
        The distinct values of a boolean, category or constant column, sorted; else empty.
    minimum, maximum : float or None
        The range of a column of numbers.
    is_number : bool
        Whether cells are stored as numbers.
    """

    name: str
    kind: str
    role: str
    n_missing: int
    n_distinct: int
    levels: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_number: bool = False


def described(series: pd.Series, name: str, max_levels: int) -> Column:
    """Count, and suggest a kind and a role."""
    n_distinct = int(series.nunique())
    n_missing = int(series.isna().sum())
    kind = kind_of(series, n_distinct, max_levels)
    role = "ignore" if kind in ("date", "text", "constant") else "feature"
    if looks_like_id(series, name, n_distinct):
        role = "id"
    levels: tuple[Any, ...] = ()
    if kind in ("boolean", "category", "constant"):
        levels = tuple(sorted(whole(series.dropna()).unique().tolist()))
    low, high = None, None
    is_number = pd.api.types.is_numeric_dtype(series.dtype) and series.dtype not in (
        bool,
        "boolean",
    )
    if is_number and n_distinct:
        low, high = float(series.min()), float(series.max())
    return Column(name, kind, role, n_missing, n_distinct, levels, low, high, is_number)


def role_notes(columns: Sequence[Column]) -> list[str]:
    """Say which columns are set aside, and why."""
    reasons = {
        "date": "a date, and is not used: make numbers of it (an age, a weekday) to use it",
        "text": "text with many different values, and is not used",
        "constant": "the same, or missing, in every row, and is not used",
    }
    groups: dict[str, list[str]] = {}
    for column in columns:
        if column.role == "id":
            reason = "different in every row, as an identifier is, and is not used"
        elif column.role == "ignore":
            reason = reasons[column.kind]
        else:
            continue
        groups.setdefault(reason, []).append(shown(column.name))
    return [_role_note(names, reason) for reason, names in groups.items()]


def _role_note(names: list[str], reason: str) -> str:
    if len(names) == 1:
        return f"Column {names[0]} is {reason}."
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{len(names)} columns ({', '.join(names[:5])}{more}): each is {reason}."


def listed(columns: Sequence[Column]) -> str:
    """Name up to five columns, for a message."""
    more = f" and {len(columns) - 5} more" if len(columns) > 5 else ""
    return f"its columns are {', '.join(shown(c.name) for c in columns[:5])}{more}."


def whole(series: pd.Series) -> pd.Series:
    """Give numbers as int64 if all present ones are whole and none is missing."""
    if series.dtype == float and len(series) and np.array_equal(series, np.floor(series)):
        return series.astype(np.int64)
    return series
