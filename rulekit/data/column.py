"""One column of a `Table`: how it is stored, its kind, its counts and the suggested role."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rulekit.data import typed
from rulekit.data.columns.conform import conform
from rulekit.data.columns.kinds import OPEN_DATE, infer_kind, infer_kinds
from rulekit.data.headers import few, quote
from rulekit.data.options import DAYS, UNUSED, Note
from rulekit.rules.schema import NUMERIC, Schema

KINDS = ("numeric", "boolean", "category", "text", "date", "constant")

_ID_NAME = re.compile(
    r"(^|[\s_.\-])(id|ids|uuid|guid|key|index|row|rowid|nr|no|number|identifier)$", re.IGNORECASE
)
_ID_SURE = re.compile(r"((^|[\s_.\-])(?i:ids?|uuid|guid|identifier)|[a-z](Id|ID))$")
_ID_CAMEL = re.compile(r"[a-z](Id|ID|Key|Nr|No)$")
MIN_ROWS_FOR_ID = 10
FEW_LEVELS = 50  # texts that are levels whether they repeat or not
REPEATED_SHARE = 0.5  # of the rows: more different texts than these are no levels
ROLES = ("feature", "ignore", "id", "weight", "group", "target")
SINGLE = ("weight", "group", "target")  # roles that one column at most can have


@dataclass(frozen=True, slots=True)
class Column:
    """The name, kind, role and values of one column."""

    name: str
    kind: str  # "boolean" for truth values, and for numbers of at most two values
    role: str
    n_missing: int
    n_distinct: int  # of present values
    levels: tuple[Any, ...] = ()  # sorted; of a boolean, category or constant column
    minimum: float | None = None
    maximum: float | None = None
    is_number: bool = False
    order: tuple[str, ...] = ()  # levels of an ordered category, lowest first
    is_duration: bool = False  # numbers of days


def convert_series(series: pd.Series, name: str) -> tuple[pd.Series, list[str]]:
    """Convert a column (rows numbered from 0) to a storage type of tables, with notes."""
    dtype = series.dtype
    if str(dtype).startswith(("date32", "date64")):  # pandas lacks operations on them
        series = series.astype("datetime64[s]")
    is_text = typed.TEXT is not None and dtype == typed.TEXT
    if is_text or pd.api.types.is_datetime64_any_dtype(dtype):
        return series, []
    (column,) = infer_kinds(series.to_frame(name)).columns
    if column.kind == "date" and pd.api.types.infer_dtype(series) in ("string", "categorical"):
        column = replace(column, kind="level")  # kept as written
    columns, report = conform(series.to_frame(name), Schema((column,)))
    values, notes = columns[name], [misfit.sentence() for misfit in report.misfits]
    if column.kind == "duration":
        durations = f"Column {quote(name)} holds durations; they are read as days."
        notes.insert(0, Note(durations, name, DAYS))
    if column.kind == "truth value":
        kept = "boolean" if pd.isna(values).any() else bool
        return pd.Series(values, dtype=kept, name=series.name), notes
    if values.dtype == object:
        return typed.text_series(values, series.name), notes
    if typed.is_inexact(series, values):
        text = np.array([None if pd.isna(v) else typed.digits_of(v) for v in series], dtype=object)
        note = f"holds whole numbers above {typed.EXACT}, which are not exact as numbers"
        notes.append(f"Column {quote(name)} {note}; it was kept as text.")
        return typed.text_series(text, series.name), notes
    values, infinite = typed.drop_infinities(values, name)
    if pd.api.types.is_integer_dtype(series.dtype) and not np.isnan(values).any():
        values = values.astype(np.int64)
    same = series.dtype == values.dtype and not infinite
    return series if same else pd.Series(values, name=series.name), notes + infinite


def describe_column(series: pd.Series, name: str, max_levels: int) -> Column:
    """Count values, and suggest a kind and a role."""
    present = series.dropna() if series.hasnans else series
    n_missing, n_distinct = len(series) - len(present), len(present.unique())
    kind = kind_of(series, n_distinct, max_levels)
    role = "ignore" if kind in ("date", "text", "constant") else "feature"
    n, numeric = len(series), pd.api.types.is_numeric_dtype(series.dtype)
    repeats = n >= MIN_ROWS_FOR_ID and 0.2 * n < n_distinct < n and _ID_SURE.search(name)
    if looks_like_id(series, name, n_distinct) or (
        repeats and (not numeric or whole_numbers(series))  # identifies cases of several rows
    ):
        role = "id"
    has_levels = kind in ("boolean", "category", "constant")
    levels = tuple(sorted(whole(present).unique().tolist())) if has_levels else ()
    column = Column(name, kind, role, n_missing, n_distinct, levels)
    if not pd.api.types.is_any_real_numeric_dtype(series.dtype):
        return column
    numbers = present.to_numpy(dtype=float)
    low, high = (float(numbers.min()), float(numbers.max())) if n_distinct else (None, None)
    return replace(column, minimum=low, maximum=high, is_number=True)


def role_notes(columns: Sequence[Column]) -> list[str]:
    """Return notes on excluded columns and the reasons."""
    unless = "and is not used unless made a feature. Rules then read its"
    reasons = {
        "date": f"a date, {unless} date, year, month, weekday and hour",
        "text": f"text with many different values, {unless} words",
        "constant": "the same, or missing, in every row, and is not used",
        "id": "an identifier and is not used",
    }
    groups: dict[str, list[str]] = {}
    for column in columns:
        if column.role in ("id", "ignore"):
            reason = reasons["id" if column.role == "id" else column.kind]
            groups.setdefault(reason, []).append(quote(column.name))
    notes: list[str] = []
    for reason, names in groups.items():
        several = f"{len(names)} columns ({few(names)}): each"
        which = several if len(names) > 1 else f"Column {names[0]}"
        notes.append(Note(f"{which} is {reason}.", "", UNUSED))
    return notes


def whole(series: pd.Series) -> pd.Series:
    """Return numbers as int64 if all are present and whole."""
    if series.dtype == float and len(series) and np.array_equal(series, np.floor(series)):
        return series.astype(np.int64)
    return series


def kind_of(series: pd.Series, n_distinct: int, max_levels: int) -> str:
    """Return the kind of a column; shapes: series n."""
    if n_distinct == 0 or (n_distinct == 1 and series.notna().all()):
        return "constant"
    kind = infer_kind(series)
    if kind in ("date", OPEN_DATE):
        return "date"
    if kind == "truth value" or (kind in NUMERIC and n_distinct <= 2):
        return "boolean"
    if kind in NUMERIC:
        return "numeric"
    repeats = n_distinct <= REPEATED_SHARE * series.count()
    few = n_distinct <= (max_levels if repeats else min(FEW_LEVELS, max_levels))
    return "category" if few else "text"


def is_named_like_id(name: str) -> bool:
    """Return whether a column's name ends like an identifier's."""
    return bool(_ID_NAME.search(name) or _ID_CAMEL.search(name))


def looks_like_id(series: pd.Series, name: str, n_distinct: int) -> bool:
    """Return whether a column only identifies rows: distinct texts or consecutive whole numbers."""
    n = len(series)
    if n < MIN_ROWS_FOR_ID or n_distinct != n or series.dtype.kind == "M":
        return False
    if not pd.api.types.is_numeric_dtype(series.dtype):
        numbers = pd.to_numeric(series.head(1000), errors="coerce")  # a flawed measurement
        return infer_kind(series) == "level" and bool(numbers.notna().mean() < 0.5)
    values = series.to_numpy(dtype=float)
    is_row = is_named_like_id(name) or bool(values.max() - values.min() == n - 1)
    return is_row and whole_numbers(series)


def whole_numbers(series: pd.Series) -> bool:
    """Return whether every present number is whole."""
    values = series.dropna().to_numpy(dtype=float)
    return bool((values == np.floor(values)).all())


def order_of(series: pd.Series) -> tuple[str, ...]:
    """Return the levels of an ordered ``Categorical``, else an empty tuple."""
    ordered = isinstance(series.dtype, pd.CategoricalDtype) and series.dtype.ordered
    levels = tuple(map(typed.level_text, series.dtype.categories)) if ordered else ()
    return levels if len(levels) > 1 else ()


def order_problem(series: pd.Series, levels: Sequence[str]) -> str | None:
    """Return why levels are no order of a column; None if they are, or if none are given."""
    if levels and pd.api.types.is_bool_dtype(series.dtype):
        return "it holds truth values, which have none"
    left_out = sorted({str(v) for v in series.dropna().unique()} - set(levels))
    if levels and left_out:
        return f"{', '.join(map(quote, left_out[:5]))} is not in it"
    twice = next((v for k, v in enumerate(levels) if v in levels[:k]), None)
    if twice is not None:
        return f"{quote(twice)} is listed twice"
    return "it names one only" if len(levels) == 1 else None
