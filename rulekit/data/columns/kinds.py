"""What the columns of a table are: kinds, levels and ranges; the one test for dates."""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from rulekit.data.cells.dates import read_dates as read_cells
from rulekit.data.headers import quote
from rulekit.data.typed import level_text
from rulekit.exceptions import DataError
from rulekit.rules.condition import ISO, NUMBERS, TRUTH, missing_in, moment, moment_text
from rulekit.rules.schema import MOST_LEVELS, NUMERIC, ColumnSchema, Schema

SHARE = 0.9  # of the present cells that must be of one kind
FEW_ROWS = 32
OPEN_DATE = "date, day or month first"  # an inferred kind; columns of it are read as levels
DURATIONS = (datetime.timedelta, np.timedelta64)
DATES = (datetime.date, np.datetime64)
_TIME = r"([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?( ?(Z|[+-]\d{2}:?\d{2}))?)?"
_SHAPE = re.compile(
    r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|\d{{1,2}}[- ][A-Za-z]{{3,9}}[- ]\d{{4}}){_TIME}"
)
_ENDS = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.]\d")


def infer_kinds(frame: pd.DataFrame, fixed: Mapping[str, str] | None = None) -> Schema:
    """Find what columns are, without levels and ranges; `fixed` are kinds by name."""
    kinds, columns = fixed or {}, [(str(name), series) for name, series in frame.items()]
    return Schema(tuple(_infer_column(name, x, kinds.get(name)) for name, x in columns))


def describe_column(column: ColumnSchema, values: NDArray[Any]) -> ColumnSchema:
    """Add the levels or the range of the training rows to a column; shapes: values (n,)."""
    absent = missing_in(values)
    present = values[~absent]
    column = replace(column, gaps=bool(absent.any()))
    if not len(present) or column.kind in ("truth value", "words", "any"):
        return column
    if column.kind in NUMERIC:
        kind = column.kind
        if kind == "number" and bool((present == np.floor(present)).all()):
            kind = "whole number"
        return replace(column, kind=kind, low=float(present.min()), high=float(present.max()))
    distinct = pd.unique(present)
    if column.kind == "date":
        dates = sorted(date for date in map(moment, distinct) if date is not None)
        ends = (moment_text(dates[0]), moment_text(dates[-1])) if dates else (None, None)
        has_time = any(date.time() != datetime.time() for date in dates)
        return replace(column, low=ends[0], high=ends[1], time=has_time)
    if column.kind == "grade" or len(distinct) > MOST_LEVELS:
        return column
    return replace(column, levels=tuple(sorted(distinct)))


def _infer_column(name: str, series: pd.Series, fixed: str | None) -> ColumnSchema:
    """Find what one column is."""
    kind = fixed or infer_kind(series)
    kind = "level" if kind == OPEN_DATE else kind
    if kind == "grade":
        return ColumnSchema(name, kind, levels=tuple(map(level_text, series.dtype.categories)))
    if kind != "date":
        return ColumnSchema(name, kind)
    dtype = getattr(series.dtype, "pyarrow_dtype", series.dtype)
    if series.dtype.kind == "M":
        return ColumnSchema(name, kind, zone="UTC" if getattr(dtype, "tz", None) else None)
    cells = DistinctCells.from_series(series).values
    texts = [v for v in cells if isinstance(v, str)]
    aware = any(map(has_offset, texts)) or any(getattr(v, "tzinfo", None) for v in cells)
    day_first = order_of_days([t for t in texts if moment(t) is None])
    return ColumnSchema(name, kind, zone="UTC" if aware else None, day_first=day_first)


def infer_kind(series: pd.Series) -> str:
    """Find what one column holds: a kind of `ColumnSchema`, or `OPEN_DATE`."""
    if kind := _kind_of_type(series.dtype):
        return kind
    cells = DistinctCells.from_series(series)
    counts = cells.counts
    total = int(counts.sum())
    if cells.mixed:
        for kind, fits in _TESTS.items():
            n = sum(int(c) for v, c in zip(cells.values, counts, strict=True) if c and fits(v))
            if n and n >= SHARE * total:
                return kind
    return _kind_of_texts(cells, counts, total)


def _kind_of_type(dtype: Any) -> str:
    """Return the kind that a type of columns decides; "" if the values decide it."""
    if isinstance(dtype, pd.PeriodDtype):
        return "date"
    if isinstance(dtype, pd.CategoricalDtype):
        if dtype.ordered and len(dtype.categories) > 1:
            return "grade"
        return "duration" if dtype.categories.dtype.kind == "m" else ""
    if pd.api.types.is_bool_dtype(dtype):
        return "truth value"
    if dtype.kind in "mM":
        return "date" if dtype.kind == "M" else "duration"
    return "number" if pd.api.types.is_numeric_dtype(dtype) else ""


def _is_moment(value: Any) -> bool:
    return isinstance(value, DATES) or (isinstance(value, str) and moment(value) is not None)


_TESTS: dict[str, Callable[[Any], bool]] = {
    "truth value": lambda value: isinstance(value, TRUTH),
    "number": lambda value: isinstance(value, NUMBERS) and not isinstance(value, TRUTH),
    "duration": lambda value: isinstance(value, DURATIONS),
    "date": _is_moment,
}


def _kind_of_texts(cells: "DistinctCells", counts: NDArray[np.intp], total: int) -> str:
    """Return "date" if nine of ten cells are dates; looks no further than the answer needs."""
    others, unclear = 0, []
    for k in np.argsort(-counts, kind="stable").tolist():
        value = cells.values[k]
        if not counts[k] or _is_moment(value):
            continue
        if isinstance(value, str) and has_date_shape(value):
            unclear.append(value)
            continue
        others += int(counts[k])
        if others > (1.0 - SHARE) * total + 1e-9:
            return "level"
    if not total or not unclear:
        return "date" if total else "level"
    try:
        dates = dict(zip(unclear, read_dates(unclear, "", None), strict=True))
    except DataError:
        return OPEN_DATE
    pairs = enumerate(cells.values)
    wrong = [k for k, v in pairs if isinstance(v, str) and dates.get(v, v) is None]
    are_dates = others + int(counts[wrong].sum()) <= (1.0 - SHARE) * total + 1e-9
    return "date" if are_dates else "level"


@dataclass(frozen=True)
class DistinctCells:
    """A column by its distinct values: row i holds ``values[codes[i]]``, none if that is -1."""

    codes: NDArray[np.intp]  # (n,)
    values: list[Any]
    mixed: bool = False  # objects that are not all text

    @classmethod
    def from_series(cls, series: pd.Series) -> "DistinctCells":
        """Sort the cells of a column by value and, of objects, by type; periods by their begin."""
        if isinstance(series.dtype, pd.PeriodDtype):
            series = series.dt.start_time
        dtype = series.dtype
        if isinstance(dtype, pd.CategoricalDtype):
            codes, values = series.cat.codes.to_numpy(), list(series.cat.categories)
            mixed = dtype.categories.dtype == np.object_ and _is_mixed(dtype.categories)
            return cls(codes.astype(np.intp), values, bool(mixed))
        objects = dtype == np.object_
        if objects and _is_mixed(series):
            return cls._from_objects(series, mixed=True)
        if len(series) < FEW_ROWS and isinstance(dtype, pd.StringDtype):
            return cls._from_objects(series, mixed=False)  # pandas takes longer
        plain = isinstance(dtype, np.dtype) and dtype.kind not in "mM"
        codes, uniques = pd.factorize(series.to_numpy() if plain else series.array)
        return cls(codes, uniques.tolist() if objects else list(uniques))

    @classmethod
    def _from_objects(cls, series: pd.Series, *, mixed: bool) -> "DistinctCells":
        keys: dict[Any, int] = {}
        values: list[Any] = []
        codes = np.full(len(series), -1, dtype=np.intp)
        cells = series.to_numpy(dtype=object)
        for row in np.flatnonzero(pd.notna(cells)).tolist():
            value = cells[row]
            if isinstance(value, bytes):
                value = level_text(value)
            elif isinstance(value, pd.Period):
                value = value.start_time
            elif isinstance(value, np.timedelta64):  # NumPy counts it among its whole numbers
                value = pd.Timedelta(value)
            try:
                code = keys.setdefault((type(value), value), len(values))
            except TypeError:  # a list, say
                code = keys.setdefault((type(value), repr(value)), len(values))
            if code == len(values):
                values.append(value)
            codes[row] = code
        return cls(codes, values, mixed)

    @property
    def counts(self) -> NDArray[np.intp]:
        """Number of rows of each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))


def _is_mixed(values: Any) -> bool:
    return pd.api.types.infer_dtype(values, skipna=True) not in ("string", "empty")


def has_date_shape(text: str) -> bool:
    """Return whether a text has the shape of a date, in whatever order of its parts."""
    return _SHAPE.fullmatch(text.strip()) is not None


def order_of_days(texts: Iterable[str]) -> bool | None:
    """Return whether days come before months; None if no text decides it, or texts disagree."""
    first, second = False, False
    for text in texts:
        if (ends := _ENDS.match(text.strip())) is not None:
            first |= int(ends[1]) > 12
            second |= int(ends[2]) > 12
    return first if first != second else None


def has_offset(text: str) -> bool:
    """Return whether ISO text names a time zone."""
    found = ISO.fullmatch(text)
    return found is not None and found["zone"] is not None


def read_dates(texts: Sequence[str], name: str, day_first: bool | None) -> list[str | None]:
    """Read texts as ISO dates (UTC with an offset), else None; DataError if their order is open."""
    dates = [None if (date := moment(text)) is None else moment_text(date) for text in texts]
    unread = [k for k, date in enumerate(dates) if date is None]
    others = [k for k in unread if has_date_shape(texts[k]) and not ISO.fullmatch(texts[k])]
    if not others:
        return dates
    rest = [texts[k].strip() for k in others]
    order = order_of_days(rest) if day_first is None else day_first
    ends = ((text, _ENDS.match(text)) for text in rest)
    unclear = (text for text, end in ends if end is not None and int(end[1]) != int(end[2]))
    if order is None and (text := next(unclear, "")):
        raise DataError(
            f"In column {quote(name)} day and month are ambiguous ({quote(text)}). Write dates as "
            "2024-03-01, or convert the column."
        )
    read = read_cells(pa.array(rest), day_first=bool(order)).moments.astype("datetime64[s]")
    for k, date in zip(others, read.tolist(), strict=True):
        dates[k] = None if date is None else moment_text(date)
    return dates
