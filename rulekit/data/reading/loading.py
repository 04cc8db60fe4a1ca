"""Entry point for reading files: detect the format, check its size, read it (Parquet here)."""

import dataclasses
import io
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rulekit.data.cells.columns import ReadColumns, typed_columns
from rulekit.data.headers import check_width, chosen_columns, few, repaired_headers, shown
from rulekit.data.options import Limits, ParseOptions
from rulekit.data.reading.delimited import check_cell, check_size, read_delimited
from rulekit.data.reading.spreadsheets import read_spreadsheet
from rulekit.data.schema import Table
from rulekit.data.typed import EXACT
from rulekit.exceptions import DataError, WideTableError

Source = Any  # a path, bytes, or an object with read()

GZIP = b"\x1f\x8b"
_COMPOUND = b"\xd0\xcf\x11\xe0"  # what old spreadsheets and encrypted new ones are packed in
_REFUSED = (
    (GZIP, "a gzip archive inside another; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ\x00", "an xz archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (_COMPOUND, "an old spreadsheet (XLS). Save it as XLSX or CSV"),
    (b"ARROW1", "a Feather file. Save it as Parquet"),
    (b"ORC", "an ORC file. Save it as Parquet"),
    (b"\x89HDF", "an HDF5 file. Save the table as Parquet or CSV"),
    (b"SQLite format 3", "a database. Save one table of it as CSV"),
    (b"%PDF", "a PDF document. Save its table as CSV"),
    (b"\x89PNG", "a picture. Give a table"),
    (b"\xff\xd8\xff", "a picture. Give a table"),
    (b"\x93NUMPY", "a NumPy array. Save it as CSV with a header"),
    (b"<!doctype", "a web page. Save its table as CSV"),
    (b"<html", "a web page. Save its table as CSV"),
    (b"<?xml", "an XML file. Save its table as CSV"),
    (b'{"', "a JSON file. Save the table as CSV"),
    (b"[{", "a JSON file. Save the table as CSV"),
)


def read_table(
    source: Source,
    *,
    name: str | None = None,
    limits: Limits | None = None,
    options: ParseOptions | None = None,
) -> Table:
    r"""Read a table from a CSV, TSV, XLSX or Parquet file, gzip-compressed or not.

    Parameters
    ----------
    source : path, bytes or file object
        The file type is detected from its first bytes, never from its name.
    name : str, default=None
        What to call it in messages; None takes the file's name.
    limits : Limits, default=Limits()
        Checked before the content is read.
    options : ParseOptions, default=ParseOptions()
        What is known of the file; the rest is found out.

    Returns
    -------
    Table
        With kinds, suggested roles and, in ``notes``, a sentence on everything that was repaired.
        Rows are counted from 1 in messages, the header left out; lines are the file's own.

    Raises
    ------
    WideTableError
        If the file has more columns than `limits` allow and `options` choose none; it holds the
        names to choose from.
    DataError
        If the file cannot be read. The message names the file, the line, row or column, and
        what to do.

    Examples
    --------
    >>> table = read_table(b"age;ill\n31,5;no\n60,2;yes\n", name="small.csv")
    >>> table.frame["age"].tolist()
    [31.5, 60.2]
    >>> table.notes
    ('Cells are separated by a semicolon.', 'Commas are read as decimal commas.')
    """
    return read_with_options(source, name=name, limits=limits, options=options)[0]


def read_with_options(
    source: Source,
    *,
    name: str | None = None,
    limits: Limits | None = None,
    options: ParseOptions | None = None,
) -> tuple[Table, ParseOptions]:
    """Read a table as `read_table` does, and return the options used."""
    limits = limits or Limits()
    options = options or ParseOptions()
    label = name or _name_of(source)
    try:
        raw = unpacked(_content(source, limits), limits)
        frame, notes, options, read = _parsed(raw, options, limits)
        table = Table.from_frame(frame, name=label, notes=notes, limits=limits)
        if read is not None:
            table = dataclasses.replace(table, units=read.units, cells=read.cells)
        table = _apply_options(table, options)
    except DataError as error:
        sentence = f"The file {shown(label, 80)} was not read. {error}"
        if isinstance(error, WideTableError):
            raise WideTableError(sentence, error.names) from error
        raise DataError(sentence) from error
    if table.n_columns == 1:
        note = (
            "The table has one column only; a target and a feature are needed. If the cells are "
            "separated by another character, name it."
        )
        table = dataclasses.replace(table, notes=(note, *table.notes))
    return table, options


def _apply_options(table: Table, options: ParseOptions) -> Table:
    """Read values as missing, and levels as one, where the options say so for a column."""
    for name, values in (options.missing_in or {}).items():
        table = table.with_missing(name, values) if name in table.frame else table
    for name in options.merged or ():
        table = table.with_merged_levels(name) if name in table.frame else table
    return table


def _name_of(source: Source) -> str:
    if isinstance(source, (str, os.PathLike)):
        return Path(source).name
    return Path(str(getattr(source, "name", "") or "table")).name


def _content(source: Source, limits: Limits) -> bytes:
    """Read the bytes after checking their number."""
    if isinstance(source, (str, os.PathLike)):
        try:
            size = Path(source).stat().st_size
            _check_bytes(size, limits)
            return Path(source).read_bytes()
        except OSError as error:
            reason = error.strerror or "it cannot be opened"
            raise DataError(f"{reason}. Give the path of a file that can be read.") from error
    if isinstance(source, (bytes, bytearray, memoryview)):
        raw = bytes(source)
    elif hasattr(source, "read"):
        raw = source.read(limits.max_bytes + 1)
        raw = raw.encode("utf-8") if isinstance(raw, str) else bytes(raw)
    else:
        raise DataError(f"A path, bytes or a file object is needed, got {type(source).__name__}.")
    _check_bytes(len(raw), limits)
    return raw


def unpacked(raw: bytes, limits: Limits) -> bytes:
    """Decompress gzip content; other content is returned unchanged."""
    if not raw.startswith(GZIP):
        return raw
    parts, left, remaining = [], raw, limits.max_bytes + 1
    try:
        while left and remaining > 0:  # an archive may have several members, one after the other
            member = zlib.decompressobj(wbits=31)
            parts.append(member.decompress(left, remaining))
            remaining -= len(parts[-1])
            if remaining > 0 and not member.eof:
                raise DataError("The gzip archive is damaged: it ends too early; pack it anew.")
            left = member.unused_data.lstrip(b"\0")
    except zlib.error as error:
        raise DataError("The gzip archive is damaged; pack the table anew.") from error
    content = b"".join(parts)
    if len(content) > limits.max_bytes:
        raise DataError(
            f"A file may have {limits.max_bytes / 1e6:g} MB; unpacked this one has more. Draw a "
            "sample of the rows, or save it as Parquet."
        )
    return content


def _check_bytes(size: int, limits: Limits) -> None:
    if size > limits.max_bytes:
        raise DataError(
            f"A file may have {limits.max_bytes / 1e6:g} MB; this one has more "
            f"({size / 1e6:,.1f} MB or above). Draw a sample of the rows, or save it as Parquet."
        )


def _parsed(
    raw: bytes, options: ParseOptions, limits: Limits
) -> tuple[pd.DataFrame, list[str], ParseOptions, ReadColumns | None]:
    if raw.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return read_spreadsheet(raw, options, limits)
    if options.sheet is not None:
        raise DataError(
            f"Only spreadsheets have sheets, such as {shown(options.sheet)}. Remove `sheet`."
        )
    if raw.startswith(b"PAR1"):
        return *read_parquet(raw, options, limits), options, None
    _refuse_foreign(raw)
    text = read_delimited(raw, options, limits)
    if not len(next(iter(text.columns.values()))):
        raise DataError("It has a header but no rows. Give at least one row of data.")
    read = typed_columns(text.columns, text.options)
    return pd.DataFrame(read.columns), [*text.notes, *read.notes], read.options, read


def _refuse_foreign(raw: bytes) -> None:
    """Raise DataError for known formats that are not supported; pickles are never opened."""
    head = raw[:512].lstrip()[:64]
    if raw[:1] == b"\x80" and raw[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        raise DataError(
            "It is a pickle, which could run any program when opened. Save the table as CSV, XLSX "
            "or Parquet."
        )
    if raw.startswith(_COMPOUND) and "EncryptedPackage".encode("utf-16-le") in raw:
        raise DataError("It is a spreadsheet with a password. Save it without one.")
    for mark, file_type in _REFUSED:
        if raw.startswith(mark) or (mark[:1] in b"<{[" and head.lower().startswith(mark)):
            raise DataError(f"It is {file_type}.")


_NULLABLE = {
    pa.int8(): pd.Int64Dtype(),
    pa.int16(): pd.Int64Dtype(),
    pa.int32(): pd.Int64Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.uint8(): pd.UInt64Dtype(),
    pa.uint16(): pd.UInt64Dtype(),
    pa.uint32(): pd.UInt64Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}


def read_parquet(
    raw: bytes, options: ParseOptions, limits: Limits
) -> tuple[pd.DataFrame, list[str]]:
    """Read a Parquet file; shape of the result: (n, k)."""
    try:
        return _read(raw, options, limits)
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise DataError("The Parquet file is damaged. Write it anew.") from error


def _read(raw: bytes, options: ParseOptions, limits: Limits) -> tuple[pd.DataFrame, list[str]]:
    file = pq.ParquetFile(io.BytesIO(raw))
    check_width(file.metadata.num_columns, limits)
    schema = file.schema_arrow
    usable = [i for i, part in enumerate(schema) if _usable(part.type)]
    if not usable:
        raise DataError("The file holds lists, structures or bytes only. Give plain columns.")
    headers, repairs = repaired_headers([schema[i].name for i in usable], limits)
    chosen = chosen_columns(headers, options.columns, limits)
    names, indices = [headers[k] for k in chosen], [usable[k] for k in chosen]
    check_size(file.metadata.num_rows, len(indices), limits)
    texts = [schema[i].name for i in indices if _is_text(schema[i].type)]
    file = pq.ParquetFile(io.BytesIO(raw), read_dictionary=texts)
    starts = np.cumsum([0, *(_n_leaves(part.type) for part in schema)])
    leaves = [int(starts[i]) for i in indices]  # by position: names may repeat, or hold dots
    groups = [file.reader.read_row_group(g, leaves) for g in range(file.num_row_groups)]
    if not groups:
        raise DataError("The file has columns but no rows. Give at least one row of data.")
    content = pa.concat_tables(groups)
    columns = [_converted(content.column(i), name, limits) for i, name in enumerate(names)]
    frame = pd.concat(columns, axis=1)
    frame.columns = names
    unusable = set(range(len(schema))) - set(usable)
    return frame, repairs + _left_out([schema[i] for i in sorted(unusable)])


def _usable(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _usable(kind.value_type)
    return not (pa.types.is_nested(kind) or _is_bytes(kind) or pa.types.is_null(kind))


def _is_bytes(kind: pa.DataType) -> bool:
    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    return any(test(kind) for test in tests)


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string))


def _n_leaves(kind: pa.DataType) -> int:
    if not pa.types.is_nested(kind):
        return 1
    return sum(_n_leaves(kind.field(i).type) for i in range(kind.num_fields))


def _converted(column: pa.ChunkedArray, name: str, limits: Limits) -> pd.Series:
    """Convert a column that was read; an error here is no damage of the file."""
    try:
        return _series(column, name, limits)
    except (pa.ArrowException, OverflowError) as error:
        raise DataError(
            f"Column {shown(name)} ({column.type}) holds values that cannot be converted. Write "
            "them as another type, or leave the column out."
        ) from error


def _decimals(column: pa.ChunkedArray) -> pd.Series:
    """Convert decimals to numbers; a column with one above 2^53 keeps its digits."""
    numbers = column.cast(pa.float64())
    most = pc.max(pc.abs(numbers)).as_py() or 0.0
    return (numbers if most <= EXACT else column).to_pandas()


def _series(column: pa.ChunkedArray, name: str, limits: Limits) -> pd.Series:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _decoded(column, name, limits)
    if pa.types.is_decimal(kind):
        return _decimals(column)
    if kind in _NULLABLE and column.null_count:
        return column.to_pandas(types_mapper=_NULLABLE.get)
    if pa.types.is_time(kind):
        text = column.cast(pa.string())
        short = pc.replace_substring_regex(text, r"\.?0*$", "")
        return pc.if_else(pc.match_substring(text, "."), short, text).to_pandas()
    return column.to_pandas(date_as_object=False)


def _decoded(column: pa.ChunkedArray, name: str, limits: Limits) -> pd.Series:
    """Decode a dictionary column to text after checking its size."""
    array = column.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0)
    values = array.dictionary.cast(pa.string())
    lengths = pc.fill_null(pc.utf8_length(values), 0).to_numpy(zero_copy_only=False)
    codes = pc.fill_null(array.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    if len(lengths):
        longest = int(lengths.argmax())
        row = int(np.argmax(codes == longest)) + 1
        check_cell(values[longest].as_py() or "", row, name, limits)
    total = int(np.append(lengths, 0)[codes].sum())
    if total > limits.max_inflated:
        raise DataError(
            f"A column of text may hold {limits.max_inflated:,} characters; column {shown(name)} "
            f"holds {total:,}. Leave it out."
        )
    texts = np.append(values.to_numpy(zero_copy_only=False).astype(object), [None])
    return pd.Series(texts[codes], dtype=object)


def _left_out(parts: list[pa.Field]) -> list[str]:
    if not parts:
        return []
    names = few([f"{shown(p.name)} ({p.type})" for p in parts])
    plural = "Column" if len(parts) == 1 else "Columns"
    return [f"{plural} {names} cannot be tested by a rule and was left out."]
