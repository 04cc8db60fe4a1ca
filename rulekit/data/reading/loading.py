"""Entry point for reading files: detect the format, check its size, read it."""

import dataclasses
import os
import zlib
from pathlib import Path
from typing import Any

import pandas as pd

from rulekit.data.cells import typed_columns
from rulekit.data.headers import shown
from rulekit.data.options import Limits, ParseOptions
from rulekit.data.reading.delimited import read_delimited
from rulekit.data.reading.parquet import read_parquet
from rulekit.data.reading.spreadsheets import read_spreadsheet
from rulekit.data.schema import Table
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
        frame, notes, options = _parsed(raw, options, limits)
        table = Table.from_frame(frame, name=label, notes=notes, limits=limits)
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
) -> tuple[pd.DataFrame, list[str], ParseOptions]:
    if raw.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return *read_spreadsheet(raw, options, limits), options
    if options.sheet is not None:
        raise DataError(
            f"Only spreadsheets have sheets, such as {shown(options.sheet)}. Remove `sheet`."
        )
    if raw.startswith(b"PAR1"):
        return *read_parquet(raw, options, limits), options
    _refuse_foreign(raw)
    text = read_delimited(raw, options, limits)
    cells = dict(zip(text.header, text.columns, strict=True))
    if not len(text.columns[0]):
        raise DataError("It has a header but no rows. Give at least one row of data.")
    columns, notes, decimal = typed_columns(cells, text.options)
    with_decimal = dataclasses.replace(text.options, decimal=decimal)
    return pd.DataFrame(columns), [*text.notes, *notes], with_decimal


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
