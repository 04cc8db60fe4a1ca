"""Conversion of tables and labels of other libraries, and values written as text."""

import datetime
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from rulekit.data.headers import quote
from rulekit.data.options import LOST, Note
from rulekit.exceptions import DataError
from rulekit.rules.condition import NUMBERS, TRUTH, moment_text, number_text

EXACT = 2**53 - 1  # whole numbers up to here are exact in float64, and no other reads as one
DAY = 86_400.0
_INFERRED = pd.Series(["a"]).dtype
# pandas 3 has a type for text, pandas 2 has not
TEXT = None if pd.api.types.is_object_dtype(_INFERRED) else _INFERRED


def as_pandas(X: Any) -> Any:
    """Convert a table of polars, Arrow, narwhals or NumPy, columns by name or rows to pandas."""
    if isinstance(X, (pd.DataFrame, pd.Series)):
        return _convert_unknown(X)
    if isinstance(X, np.ndarray):
        return _convert_array(X)
    if isinstance(X, pa.RecordBatch):  # unknown to narwhals
        X = pa.Table.from_batches([X])
    if isinstance(X, Mapping) and not hasattr(X, "tocsr"):  # a sparse matrix may be a mapping
        return _convert_unknown(_join_columns(X))
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


def _is_known(dtype: Any) -> bool:
    """Return whether pandas can work with values of a type: not with all types of Arrow."""
    if not isinstance(dtype, pd.ArrowDtype):
        return True
    kind, types = dtype.pyarrow_dtype, pa.types
    tests = types.is_string_view, types.is_binary_view, types.is_interval, types.is_nested
    strange = any(test(kind) for test in (*tests, types.is_dictionary))
    return not (strange or isinstance(kind, pa.BaseExtensionType))


def _convert_unknown(X: Any) -> Any:
    """Convert columns of types that pandas cannot work with to Python objects."""
    if isinstance(X, pd.DataFrame):
        if all(map(_is_known, X.dtypes)):
            return X
        return pd.concat([_convert_unknown(column) for _, column in X.items()], axis=1)
    if _is_known(X.dtype):
        return X
    cells = pa.array(X.array).to_pylist()
    return pd.Series(cells, dtype=object, index=X.index, name=X.name)


def _join_columns(X: Mapping[Any, Any]) -> pd.DataFrame:
    """Build a frame from columns by name, without their index."""
    shapes = {np.shape(values)[:1] if np.ndim(values) == 1 else () for values in X.values()}
    if len(shapes) > 1 or () in shapes:
        raise DataError(
            "A mapping is a table if each name has a column, all of one length. Give lists or "
            "arrays of equal length."
        )
    columns = {}
    for name, values in X.items():
        columns[name] = values
        if isinstance(values, pd.Series):
            columns[name] = values.reset_index(drop=True)
        elif getattr(values, "dtype", "") == "O" and pd.api.types.infer_dtype(values) == "string":
            columns[name] = pd.Series(values, dtype=object)  # faster than text of Arrow
    return pd.DataFrame(columns, copy=False)


def _convert_array(array: NDArray[Any]) -> Any:
    """Convert masked cells to gaps, and an array with named fields to a frame."""
    if array.dtype.names is not None and array.ndim == 1:
        native = array.astype(array.dtype.newbyteorder("="))
        return pd.DataFrame({name: _convert_array(native[name]) for name in array.dtype.names})
    if np.ma.is_masked(array):
        cells = np.ma.getdata(array).astype(object)
        cells[np.ma.getmaskarray(array)] = None
        return cells
    return array


def _as_series(column: Any) -> pd.Series:
    if str(column.dtype) in ("Int128", "UInt128"):  # Arrow has no such type
        return pd.Series(column.to_list(), dtype=object).infer_objects()
    exact = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}  # floats would round
    cells, mapper = column.to_arrow(), exact.get if column.null_count() else None
    if pa.types.is_string_view(cells.type):  # pandas does not know it
        cells = pa.array(cells.to_pylist(), pa.string())  # Arrow 16 cannot cast it
    if pa.types.is_dictionary(cells.type):  # pandas' categories are numbered with signs
        kind, levels = cells.type, cells.dictionary
        if levels.null_count or len(levels.unique()) < len(levels):  # pandas refuses them
            cells = cells.cast(kind.value_type)
        else:
            cells = cells.cast(pa.dictionary(pa.int32(), kind.value_type, kind.ordered))
    return cells.to_pandas(date_as_object=False, types_mapper=mapper)


def refuse_inexact(series: pd.Series, values: NDArray[Any], name: str) -> None:
    """Raise DataError for whole numbers above 2^53, which ``float64`` rounds."""
    if is_inexact(series, values):
        raise DataError(
            f"Column {quote(name)} holds whole numbers above {EXACT}, which are not exact as "
            "numbers. Convert identifiers to text, or use another unit."
        )


def is_inexact(series: pd.Series, values: NDArray[Any]) -> bool:
    """Return whether a column has whole numbers or decimals above 2^53, rounded as ``float64``."""
    if values.dtype == object or series.dtype.kind == "f":
        return False
    if not np.nanmax(np.abs(values), initial=0.0) > EXACT:
        return False
    arrow = getattr(series.dtype, "pyarrow_dtype", pa.null())
    if series.dtype != object and not pa.types.is_decimal(arrow):
        return bool(pd.api.types.is_integer_dtype(series.dtype))
    numbers: list[Any] = [v for v in series.dropna() if isinstance(v, NUMBERS)]
    return any(abs(v) > EXACT for v in numbers if not isinstance(v, float))


def text_series(values: NDArray[np.object_], name: Any = None) -> pd.Series:
    """Build a text column of str and None, with pandas' ``str`` type where it exists."""
    try:
        return pd.Series(values, dtype=TEXT or object, name=name)
    except UnicodeEncodeError:  # half of a surrogate pair, which Arrow's text cannot hold
        return pd.Series(values, dtype=object, name=name)


def digits_of(value: Any) -> str:
    """Write a number with all its digits; a decimal without a fraction as a whole number."""
    if isinstance(value, Decimal) and value.is_finite():
        whole = value == value.to_integral_value()
        return str(int(value)) if whole else f"{value:f}".rstrip("0")
    return str(value)


def drop_infinities(
    values: NDArray[np.float64], name: str
) -> tuple[NDArray[np.float64], list[str]]:
    """Replace infinite numbers by missing ones, with a note on their number."""
    infinite = np.isinf(values)
    if not infinite.any():
        return values, []
    rows = f"{infinite.sum()} of {len(values)} rows (first: row {int(np.argmax(infinite)) + 1})"
    note = f"Column {quote(name)} is infinite in {rows}; these cells are treated as missing."
    return np.where(infinite, np.nan, values), [Note(note, name, LOST)]


def as_durations(days: pd.Series) -> pd.Series:
    """Convert days to durations; unchanged where microseconds do not have the same days."""
    with np.errstate(invalid="ignore"):
        steps = np.round(days.to_numpy(dtype=float) * DAY * 1e6).astype("timedelta64[us]")
    durations = pd.Series(np.where(days.isna(), np.timedelta64("NaT"), steps), index=days.index)
    return durations if (durations.dt.total_seconds() / DAY).equals(days) else days


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
        return digits_of(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, datetime.datetime):
        return moment_text(value.replace(microsecond=0, tzinfo=None))
    return str(value)


_SIMPLE: dict[str, type] = {
    "boolean": bool, "integer": int, "floating": float, "mixed-integer-float": float
}  # fmt: skip


def read_labels(target: Any) -> NDArray[Any]:
    """Return labels in NumPy's type, with gaps as objects; DataError if no rule can have them."""
    listed = isinstance(target, (list, tuple))  # NumPy would turn numbers beside text into text
    cells = np.asarray(as_pandas(target), dtype=object if listed else None)
    if cells.dtype.kind in "biufU":
        native = np.float64 if cells.dtype == np.longdouble else cells.dtype.newbyteorder("=")
        return cells.astype(native, copy=False)
    if cells.dtype.kind in "mM":  # of which NumPy makes whole numbers
        cells = pd.Series(cells.ravel()).astype(object).to_numpy()
    cells = cells.astype(object)
    kind = pd.api.types.infer_dtype(cells.ravel(), skipna=True)
    if kind in ("string", "empty"):
        plain = np.array([str(v) if isinstance(v, str) else v for v in cells.flat], dtype=object)
        for label in set(plain):  # np.str_ became str
            if isinstance(label, str) and label.endswith("\0"):
                raise DataError(
                    "The classes in `y` must not end with a zero character, which NumPy drops; "
                    f"found {label!r}. Rename the class."
                )
        return plain.reshape(cells.shape)
    if kind not in _SIMPLE or pd.isna(cells).any():
        plain = np.array([_convert_label(v) for v in cells.ravel().tolist()], dtype=object)
        cells, kind = plain.reshape(cells.shape), pd.api.types.infer_dtype(plain, skipna=False)
    if kind != "integer":
        return cells.astype(_SIMPLE.get(kind, object))
    for dtype in (np.int64, np.uint64):
        with suppress(OverflowError):
            return cells.astype(dtype)
    raise DataError(
        f"The classes in `y` must be whole numbers of at most 64 bits; found "
        f"{max(cells.flat, key=abs)}. Convert them to text."
    )


def _convert_label(label: Any) -> Any:
    """Convert one label to a Python type that rules have, if it has one; gaps to None."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, Decimal) and label.is_finite():
        return int(label) if label == label.to_integral_value() else float(label)
    for plain in (str, bool, int, float):
        if isinstance(label, plain):
            return None if label != label else plain(label)
    if label is None or label is pd.NA or label is pd.NaT:
        return None
    raise DataError(
        f"The classes in `y` must be text, truth values or numbers; found {type(label).__name__} "
        f"({quote(str(label))}). Convert them to text."
    )
