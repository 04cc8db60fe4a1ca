"""Conversion of other libraries' tables to pandas; needs no scikit-learn."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from rulekit.exceptions import DataError

#: Whole numbers with gaps; as floats, pandas' default, they would not all be exact.
WITH_GAPS = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}


def as_pandas(X: Any) -> Any:
    """Convert a polars, Arrow or other narwhals table to a pandas frame."""
    if isinstance(X, (pd.DataFrame, np.ndarray)):
        return X
    import narwhals.stable.v2 as nw

    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise DataError("Column names must differ; one occurs twice. Rename one.") from error
    if isinstance(frame, nw.LazyFrame):
        raise DataError(
            f"The table must hold its rows; a {type(X).__name__} is a query that was not run yet. "
            "Run it first, for example by `.collect()`."
        )
    if not isinstance(frame, nw.DataFrame):
        return X
    return pd.DataFrame({column.name: _as_series(column) for column in frame.iter_columns()})


def _as_series(column: Any) -> pd.Series:
    cells, mapper = column.to_arrow(), WITH_GAPS.get if column.null_count() else None
    if pa.types.is_dictionary(cells.type):  # pandas' categories are numbered with signs
        kind = cells.type
        cells = cells.cast(pa.dictionary(pa.int32(), kind.value_type, kind.ordered))
    return cells.to_pandas(date_as_object=False, types_mapper=mapper)
