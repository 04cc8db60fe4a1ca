"""Conversion of tables of other libraries to pandas, and of columns to what rules read."""

import datetime
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from rulekit.data.headers import shown
from rulekit.exceptions import DataError
from rulekit.rules.condition import TRUTH, moment_text, number_text

EXACT = 2**53 - 1  # whole numbers up to here are exact in float64, and no other reads as one
DAY = 86_400.0
_NUMBER_TYPES = ("integer", "floating", "mixed-integer-float", "decimal")
_INFERRED = pd.Series(["a"]).dtype
# pandas 3 has a type for text, pandas 2 has not
_TEXT = None if pd.api.types.is_object_dtype(_INFERRED) else _INFERRED

#: Whole numbers with gaps; as floats, pandas' default, they would not all be exact.
WITH_GAPS = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}


def as_pandas(X: Any) -> Any:
    """Convert a table of polars, Arrow or narwhals, columns by name or rows to pandas."""
    if isinstance(X, pd.DataFrame):
        return _with_dates_of_periods(X)
    if isinstance(X, (pd.Series, np.ndarray)):
        return X
    if isinstance(X, Mapping) and not hasattr(X, "tocsr"):  # a sparse matrix may be a mapping
        return _of_columns(X)
    if isinstance(X, Sequence) and len(X) and all(isinstance(row, Mapping) for row in X):
        return pd.DataFrame(list(X))
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(X, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise DataError("Column names must differ; one occurs twice. Rename one.") from error
    if isinstance(frame, nw.LazyFrame):
        raise DataError(
            f"The table must hold its rows; a {type(X).__name__} is a query that was not run yet. "
            "Run it first, for example by `.collect()`."
        )
    if isinstance(frame, nw.Series):
        return _as_series(frame)
    if not isinstance(frame, nw.DataFrame):
        return X
    return pd.DataFrame({column.name: _as_series(column) for column in frame.iter_columns()})


def _with_dates_of_periods(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert periods (months, say) to the dates at which they begin."""
    periods = [k for k, dtype in enumerate(frame.dtypes) if isinstance(dtype, pd.PeriodDtype)]
    if periods:
        frame = frame.copy(deep=False)
    for k in periods:
        frame.isetitem(k, frame.iloc[:, k].dt.start_time)
    return frame


def _of_columns(columns: Mapping[Any, Any]) -> pd.DataFrame:
    """Convert a mapping of names to columns of one length to a frame; an index is dropped."""
    sizes = {np.ndim(values) and len(values) for values in columns.values()}
    if len(sizes) > 1 or any(np.ndim(values) != 1 for values in columns.values()):
        raise DataError(
            "A mapping is a table if each name has a column, all of one length. Give lists or "
            "arrays of equal length."
        )
    series = {
        name: values.reset_index(drop=True) if isinstance(values, pd.Series) else pd.Series(values)
        for name, values in columns.items()
    }
    return _with_dates_of_periods(pd.DataFrame(series))


def _as_series(column: Any) -> pd.Series:
    if str(column.dtype) in ("Int128", "UInt128"):  # Arrow has no such type
        return pd.Series(column.to_list(), dtype=object).infer_objects()
    cells, mapper = column.to_arrow(), WITH_GAPS.get if column.null_count() else None
    if pa.types.is_string_view(cells.type):  # pandas does not know it
        cells = pa.array(cells.to_pylist(), pa.string())  # Arrow 16 cannot cast it
    if pa.types.is_dictionary(cells.type):  # pandas' categories are numbered with signs
        kind = cells.type
        cells = cells.cast(pa.dictionary(pa.int32(), kind.value_type, kind.ordered))
    return cells.to_pandas(date_as_object=False, types_mapper=mapper)


def columns_of(frame: pd.DataFrame, *, exact: bool = False) -> dict[str, NDArray[Any]]:
    """Return a data frame's columns as rules read them.

    Parameters
    ----------
    frame : DataFrame of shape (n, k)
        Any data frame; its column names are turned into text.
    exact : bool, default=False
        Refuse whole numbers beyond 2^53, most of which ``float64`` does not have: what is learned
        from must keep them apart. (What is then compared with cuts below them need not.)

    Returns
    -------
    dict of str to ndarray of shape (n,)
        Numbers, nullable ones included, become ``float64`` with NaN for a missing value; truth
        values become objects ``True``, ``False``, ``None``; durations (``timedelta64``) become days
        as numbers; dates become ISO text; all else becomes objects ``str`` and ``None``.
        Infinities pass through. An object column counts as what all its present values are.

    Raises
    ------
    DataError
        If two columns have one name, or a column holds complex numbers, or one that is too large.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [31, None], "smoker": [True, False], "town": ["Ulm", None]})
    >>> for name, values in columns_of(frame).items():
    ...     print(name, values.tolist())
    age [31.0, nan]
    smoker [True, False]
    town ['Ulm', None]
    """
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise DataError(f"Column names must differ; {shown(twice)} occurs twice. Rename one.")
    columns = {}
    for name, (_, series) in zip(names, frame.items(), strict=True):
        columns[name] = _values(series, name)
        if exact:
            refuse_inexact(series, columns[name], name)
    return columns


def refuse_inexact(series: pd.Series, values: NDArray[Any], name: str) -> None:
    """Raise DataError for whole numbers above 2^53, which ``float64`` rounds."""
    if is_inexact(series, values):
        raise DataError(
            f"Column {shown(name)} holds whole numbers above {EXACT}, which are not exact as "
            "numbers. Convert identifiers to text, or use another unit."
        )


def is_inexact(series: pd.Series, values: NDArray[Any]) -> bool:
    """Return whether a column has whole numbers or decimals above 2^53, rounded as ``float64``."""
    if values.dtype == object or series.dtype.kind == "f":
        return False
    if not np.nanmax(np.abs(values), initial=0.0) > EXACT:
        return False
    if series.dtype != object and not _is_arrow_decimal(series.dtype):
        return bool(pd.api.types.is_integer_dtype(series.dtype))
    return any(not isinstance(v, float) and abs(v) > EXACT for v in series if not _absent(v))


def _is_arrow_decimal(dtype: Any) -> bool:
    return isinstance(dtype, pd.ArrowDtype) and pa.types.is_decimal(dtype.pyarrow_dtype)


def typed(series: pd.Series, name: str) -> tuple[pd.Series, list[str]]:
    """Convert a column (rows numbered from 0) to one of the storage types; shape n, as before."""
    if series.dtype.kind == "m":
        days = pd.Series(_values(series, name), name=series.name)
        return days, [f"Column {shown(name)} holds durations; they are read as days."]
    if pd.api.types.is_datetime64_any_dtype(series.dtype) or _is_text(series.dtype):
        return series, []
    values = _values(series, name)
    if values.dtype != object:
        return _typed_numbers(series, values, name)
    absent = np.array([v is None for v in values], dtype=bool)
    if any(isinstance(v, bool) for v in values):
        dtype: Any = "boolean" if absent.any() else bool
        return pd.Series(values, dtype=dtype, name=series.name), []
    return text_series(values, series.name), []


def text_series(values: NDArray[np.object_], name: Any = None) -> pd.Series:
    """Build a text column of str and None, with pandas' ``str`` type where it exists."""
    try:
        return pd.Series(values, dtype=_TEXT if _TEXT else object, name=name)
    except UnicodeEncodeError:  # half of a surrogate pair, which Arrow's text cannot hold
        return pd.Series(values, dtype=object, name=name)


def _is_text(dtype: Any) -> bool:
    return _TEXT is not None and bool(dtype == _TEXT)


def _typed_numbers(
    series: pd.Series, values: NDArray[np.float64], name: str
) -> tuple[pd.Series, list[str]]:
    whole = pd.api.types.is_integer_dtype(series.dtype)
    if is_inexact(series, values):
        text = np.array([None if _absent(v) else _digits(v) for v in series.astype(object)], object)
        note = (
            f"Column {shown(name)} holds whole numbers above {EXACT}, which are not exact as "
            "numbers; it was kept as text."
        )
        return text_series(text, series.name), [note]
    values, notes = without_infinities(values, name)
    if whole and not np.isnan(values).any():
        values = values.astype(np.int64)
    if series.dtype == values.dtype and not notes:
        return series, []
    return pd.Series(values, name=series.name), notes


def _digits(value: Any) -> str:
    """Write a number with all its digits; a decimal without a fraction as a whole number."""
    if isinstance(value, Decimal) and value.is_finite():
        whole = value == value.to_integral_value()
        return str(int(value)) if whole else f"{value:f}".rstrip("0")
    return str(value)


def without_infinities(
    values: NDArray[np.float64], name: str
) -> tuple[NDArray[np.float64], list[str]]:
    """Replace infinite numbers by missing ones, with a note on their number."""
    infinite = np.isinf(values)
    if not infinite.any():
        return values, []
    count = int(infinite.sum())
    note = (
        f"Column {shown(name)} is infinite in {count} of {len(values)} rows (first: row "
        f"{int(np.argmax(infinite)) + 1}); these cells are treated as missing."
    )
    return np.where(infinite, np.nan, values), [note]


def _values(series: pd.Series, name: str) -> NDArray[Any]:
    dtype = series.dtype
    if pd.api.types.is_complex_dtype(dtype):
        raise DataError(f"Column {shown(name)} holds complex numbers. Give real ones.")
    if isinstance(dtype, pd.CategoricalDtype):
        return _objects(series.astype(object), level_text)
    if dtype == np.bool_:  # nothing missing, nothing to convert one by one
        return np.asarray(series.to_numpy(), dtype=object)
    if pd.api.types.is_bool_dtype(dtype):
        return _objects(series.astype(object), bool)
    if pd.api.types.is_numeric_dtype(dtype):
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if dtype.kind == "m":
        return days_of(series)
    if dtype.kind == "M":
        series = series if series.dt.tz is None else series.dt.tz_convert("UTC")
        return _objects(series.dt.strftime("%Y-%m-%d %H:%M:%S").astype(object), str)
    return _untyped(series.astype(object), name)


def _untyped(series: pd.Series, name: str) -> NDArray[Any]:
    """Convert objects to the type of all present ones: bool, number, else text."""
    inferred = pd.api.types.infer_dtype(series, skipna=True)
    if inferred == "boolean":
        return _objects(series, bool)
    if inferred in _NUMBER_TYPES:
        try:
            return np.array([np.nan if _absent(v) else float(v) for v in series], dtype=float)
        except OverflowError as error:
            raise DataError(
                f"Column {shown(name)} holds a number beyond 1e308, which is too large to "
                "compute with. Convert identifiers to text."
            ) from error
    return _objects(series, None if inferred in ("string", "empty") else level_text)


def days_of(series: pd.Series) -> NDArray[np.float64]:
    """Return durations as days, NaN for missing ones, shape (n,)."""
    seconds = series.dt.total_seconds()
    return np.asarray(seconds.to_numpy(dtype=np.float64, na_value=np.nan)) / DAY


def level_text(value: Any) -> str:
    """Write a value as a level: the same text for 3, 3.0 and a decimal 3, dates as ISO text.

    >>> level_text(3.0), level_text(np.float32(0.1)), level_text(True)
    ('3', '0.1', 'True')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, TRUTH):
        return str(bool(value))
    if isinstance(value, (float, np.floating)):
        return number_text(float(str(value))) if np.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return _digits(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, datetime.datetime):
        return moment_text(value.replace(microsecond=0, tzinfo=None))
    return str(value)


def _absent(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value != value


def _objects(series: pd.Series, convert: Callable[[Any], Any] | None) -> NDArray[np.object_]:
    """Return present values, converted, and None for missing ones."""
    values = series.to_numpy(dtype=object, copy=True)
    present = np.flatnonzero(series.notna().to_numpy())
    if convert is not None:
        values[present] = [convert(v) for v in values[present]]
    if len(present) < len(values):
        values[series.isna().to_numpy()] = None
    return np.asarray(values, dtype=object)
