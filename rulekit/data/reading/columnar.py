"""Files of typed columns: Parquet, Feather (Arrow) and ORC."""

import io
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import orc

from rulekit.data.headers import check_width, few, quote, repair_headers, select_columns
from rulekit.data.options import Limits, ParseOptions
from rulekit.data.reading.apart import read_apart
from rulekit.data.reading.delimited import check_cells, check_size
from rulekit.data.typed import EXACT
from rulekit.exceptions import DataError

_BYTES = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
_UNUSABLE = (pa.types.is_nested, pa.types.is_null, *_BYTES)
FLOAT_DIGITS = 15  # decimals of at most 15 digits differ as float64
_NULLABLE = {
    **dict.fromkeys((pa.int8(), pa.int16(), pa.int32(), pa.int64()), pd.Int64Dtype()),
    **dict.fromkeys((pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()), pd.UInt64Dtype()),
    pa.bool_(): pd.BooleanDtype(),
}


def read_columnar(
    raw: bytes, kind: str, options: ParseOptions, limits: Limits
) -> tuple[pd.DataFrame, list[str]]:
    """Read a file of typed columns ("parquet", "arrow" or "orc"); shape of the result: (n, k)."""
    try:
        if kind == "parquet":
            file = pq.ParquetFile(io.BytesIO(raw))
            check_width(file.metadata.num_columns, limits)
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
        else:
            content = read_apart("columnar:load_arrow", raw, kind)
            schema, n_rows = content.schema, content.num_rows
        usable = [i for i, part in enumerate(schema) if not _is(part.type, *_UNUSABLE)]
        if not usable:
            raise DataError("The file holds lists, structures or bytes only. Give plain columns.")
        headers, notes = repair_headers([schema[i].name for i in usable], limits)
        chosen = select_columns(headers, options.columns, limits)
        if left_out := [f"{quote(p.name)} ({p.type})" for p in schema if _is(p.type, *_UNUSABLE)]:
            words = "Column" if len(left_out) == 1 else "Columns"
            notes.append(f"{words} {few(left_out)} cannot be tested by a rule and was left out.")
        names, indices = [headers[k] for k in chosen], [usable[k] for k in chosen]
        check_size(n_rows, len(indices), limits)
        if kind == "parquet":
            # an order would be lost in a dictionary read anew
            parts = [p for p in map(schema.field, indices) if not getattr(p.type, "ordered", False)]
            is_text = (pa.types.is_string, pa.types.is_large_string)
            texts = [part.name for part in parts if _is(part.type, *is_text)]
            file = pq.ParquetFile(io.BytesIO(raw), read_dictionary=texts)
            starts = np.cumsum([0, *(_n_leaves(part.type) for part in schema)])
            leaves = [int(starts[i]) for i in indices]  # names may repeat, or hold dots
            groups = [file.reader.read_row_group(g, leaves) for g in range(file.num_row_groups)]
            columns = pa.concat_tables(groups).columns if groups else []
        else:
            columns = [content.column(k) for k in indices]
        if not columns or not len(columns[0]):
            raise DataError("The file has columns but no rows. Give at least one row of data.")
        series = [_convert_column(*pair, limits) for pair in zip(columns, names, strict=True)]
        return pd.concat(series, axis=1, keys=names), notes
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise DataError(f"The {kind.title()} file is damaged. Write it anew.") from error


def load_arrow(raw: bytes, kind: str) -> pa.Table:
    """Read a Feather (Arrow) or ORC file as an Arrow table."""
    try:
        if kind == "orc":
            return orc.read_table(pa.BufferReader(raw))
        read = pa.ipc.open_file if raw.startswith(b"ARROW1") else pa.ipc.open_stream
        return read(raw).read_all()
    except (pa.ArrowException, OSError, ValueError) as error:
        name = "ORC" if kind == "orc" else "Feather"
        raise DataError(f"The {name} file is damaged. Write it anew.") from error


def _is(kind: pa.DataType, *tests: Callable[[pa.DataType], bool]) -> bool:
    """Return whether a type, or that of the values of a dictionary, passes one of some tests."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return any(test(kind) for test in tests)


def _n_leaves(kind: pa.DataType) -> int:
    if not pa.types.is_nested(kind):
        return 1
    return sum(_n_leaves(kind.field(i).type) for i in range(kind.num_fields))


def _convert_column(column: pa.ChunkedArray, name: str, limits: Limits) -> pd.Series:
    """Convert a column that was read; an error here is no damage of the file."""
    kind = column.type
    try:
        if pa.types.is_dictionary(kind):
            return _decode(column, name, limits)
        if pa.types.is_decimal(kind):
            return _decimals(column)
        if kind in _NULLABLE and column.null_count:
            return column.to_pandas(types_mapper=_NULLABLE.get)
        if pa.types.is_time(kind):
            text = column.cast(pa.string())
            short = pc.replace_substring_regex(text, r"\.?0*$", "")
            return pc.if_else(pc.match_substring(text, "."), short, text).to_pandas()
        return column.to_pandas(date_as_object=False)
    except (pa.ArrowException, OverflowError) as error:
        raise DataError(
            f"Column {quote(name)} ({column.type}) holds values that cannot be converted. Write "
            "them as another type, or leave the column out."
        ) from error


def _decimals(column: pa.ChunkedArray) -> pd.Series:
    """Convert decimals to numbers; a column above 2^53, or of more digits, keeps its digits."""
    if column.type.precision <= FLOAT_DIGITS:
        return column.cast(pa.float64()).to_pandas()
    texts = column.cast(pa.string())
    numbers = texts.cast(pa.float64())  # Arrow rounds long decimals to a neighbour of the nearest
    if (pc.max(pc.abs(numbers)).as_py() or 0.0) > EXACT:
        return column.to_pandas()
    if pc.count_distinct(numbers).as_py() < pc.count_distinct(column).as_py():
        return texts.to_pandas()
    return numbers.to_pandas()


def _decode(column: pa.ChunkedArray, name: str, limits: Limits) -> pd.Series:
    """Decode a dictionary column to text after checking its size."""
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0)
    values = array.dictionary.cast(pa.string())
    lengths = np.asarray(pc.fill_null(pc.utf8_length(values), 0))
    codes = np.asarray(pc.fill_null(array.indices, -1), dtype=np.int64)
    if len(lengths):
        longest = int(lengths.argmax())
        row = int(np.argmax(codes == longest)) + 1
        check_cells([values[longest].as_py()], name, limits, row)
    total = int(np.append(lengths, 0)[codes].sum())
    if total > limits.max_inflated:
        raise DataError(
            f"A column of text may hold {limits.max_inflated:,} characters; column {quote(name)} "
            f"holds {total:,}. Leave it out."
        )
    texts = np.append(np.asarray(values, dtype=object), [None])
    levels = texts[:-1].tolist()
    if column.type.ordered and None not in levels and len(set(levels)) == len(levels):
        return pd.Series(pd.Categorical.from_codes(codes, levels, ordered=True))
    return pd.Series(texts[codes], dtype=object)
