"""Entry point for reading files: detect the format, check its size, read it."""

import dataclasses
import gzip
import io
import os
import re
import zipfile
import zlib
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from rulekit.data.cells.columns import convert_columns
from rulekit.data.headers import quote, repair_headers, select_columns
from rulekit.data.options import Limits, ParseOptions
from rulekit.data.reading import spreadsheets
from rulekit.data.reading.apart import read_apart
from rulekit.data.reading.delimited import check_size, read_delimited
from rulekit.data.reading.documents import read_json, rows_of_page
from rulekit.data.reading.layout import TableLayout
from rulekit.data.reading.statistics_files import READERS, kind_of_statistics
from rulekit.data.schema import Table
from rulekit.exceptions import DataError, WideTableError

Source = Any  # a path, bytes, or an object with read()

GZIP = b"\x1f\x8b"
PART = 1 << 20  # bytes unpacked at once
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
SPREADSHEETS = ("xlsx", "xls", "xlsb", "ods")
_KINDS = ((b"PAR1", "parquet"), (b"ARROW1", "arrow"), (b"\xff\xff\xff\xff", "arrow"))
_COMPOUNDS = (
    ("EncryptedPackage", "It is a spreadsheet with a password. Save it without one."),
    ("WordDocument", "It is a text document. Save its table as CSV."),
    ("_VBA_PROJECT", "It is a spreadsheet with macros. Save it as XLSX or CSV."),
)
_DAMAGE = (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, EOFError)
_PAGE = (b"<!doctype html", b"<html", b"<table", b"<meta", b"<head", b"<body", b"<div")
_REFUSED = (
    (GZIP, "a gzip archive inside another; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ\x00", "an xz archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\x89HDF", "an HDF5 file. Save the table as Parquet or CSV"),
    (b"SQLite format 3", "a database. Save one table of it as CSV"),
    (b"%PDF", "a PDF document. Save its table as CSV"),
    (b"\x89PNG", "a picture. Give a table"),
    (b"\xff\xd8\xff", "a picture. Give a table"),
    (b"\x93NUMPY", "a NumPy array. Save it as CSV with a header"),
    (b"<?xml", "an XML file. Save its table as CSV"),
    (b"@relation", "an ARFF file. Save its table as CSV"),
)


#: Columns of a file that are not yet described, notes, options, layout, and fields of a `Table`.
_Parsed = tuple[pd.DataFrame, list[str], ParseOptions, TableLayout | None, dict[str, Any]]


def read_table(
    source: Source,
    *,
    name: str | None = None,
    limits: Limits | None = None,
    options: ParseOptions | None = None,
) -> Table:
    r"""Read a table from a file: text, a spreadsheet, Parquet and others, compressed or not.

    Parameters
    ----------
    source : path, bytes or file object
        The file type is detected from its first bytes, never from its name: text (CSV, TSV,
        blanks, Markdown), XLSX, XLS, XLSB, ODS, Parquet, Feather, ORC, JSON (records, columns,
        lines), a web page; Stata, SPSS and SAS with pyreadstat; each gzipped, or alone in a ZIP.
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
    return read_with_layout(source, name=name, limits=limits, options=options)[0]


def read_with_layout(
    source: Source,
    *,
    name: str | None = None,
    limits: Limits | None = None,
    options: ParseOptions | None = None,
) -> tuple[Table, ParseOptions, TableLayout | None]:
    """Read a table as `read_table` does; return the options used and where the table is, too."""
    limits, options = limits or Limits(), options or ParseOptions()
    is_path = isinstance(source, (str, os.PathLike))
    label = name or Path(source if is_path else str(getattr(source, "name", "") or "table")).name
    try:
        frame, notes, options, layout, fields = _parse(
            decompress(_content(source, limits), limits), options, limits
        )
        table = Table.from_frame(frame, name=label, notes=notes, limits=limits)
        table = dataclasses.replace(table, **fields)
        for column, values in (options.missing_in or {}).items():
            table = table.with_missing(column, values) if column in table.frame else table
        for column in options.merged or ():
            table = table.with_merged_levels(column) if column in table.frame else table
    except DataError as error:
        sentence = f"The file {quote(label, 80)} was not read. {error}"
        if isinstance(error, WideTableError):
            raise WideTableError(sentence, error.names) from error
        raise DataError(sentence) from error
    if table.n_columns == 1:
        note = "The table has one column only; a target and a feature are needed. If the cells are"
        note += " separated by another character, name it."
        table = dataclasses.replace(table, notes=(note, *table.notes))
    return table, options, layout


def _content(source: Source, limits: Limits) -> bytes:
    """Read the bytes after checking their number."""
    if isinstance(source, (str, os.PathLike)):
        try:
            _check_bytes(Path(source).stat().st_size, limits)
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


def decompress(raw: bytes, limits: Limits) -> bytes:
    """Decompress gzip content, or a ZIP archive of one file; return other content unchanged."""
    if not _is_archive(raw):
        return raw
    is_zip = raw.startswith(ZIP)
    if is_zip:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            files = [member for member in archive.infolist() if not member.is_dir()]
            # a system adds hidden files
            hidden = re.compile(r"__MACOSX/|(.*/)?\.[^/]*\Z", re.DOTALL)
            members = [member for member in files if not hidden.match(member.filename)]
            if len(members) != 1:
                names = ", ".join(quote(member.filename) for member in members[:3])
                archive_text = f"It is a ZIP archive of {len(members)} files ({names})"
                raise DataError(f"{archive_text}; unpack it and give one table.")
            if members[0].flag_bits & 1:
                raise DataError("The ZIP archive is encrypted. Pack the table without a password.")
            try:
                with archive.open(members[0]) as file:
                    content = file.read(limits.max_bytes + 1)
            except _DAMAGE as error:
                raise DataError("The ZIP archive is damaged; pack the table anew.") from error
    else:
        stream = gzip.GzipFile(fileobj=io.BytesIO(raw))
        try:  # in parts: one read would set `max_bytes` of memory aside
            parts = iter(partial(stream.read, PART), b"")
            content = b"".join(islice(parts, limits.max_bytes // PART + 1))
        except _DAMAGE as error:
            ends = ": it ends too early" * isinstance(error, EOFError)
            raise DataError(f"The gzip archive is damaged{ends}; pack the table anew.") from error
    _check_bytes(len(content), limits, "unpacked this one has more")
    if is_zip and _is_archive(content):
        raise DataError("It is an archive inside a ZIP archive; unpack it first.")
    return content


def _is_archive(raw: bytes) -> bool:
    return raw.startswith(GZIP) or (raw.startswith(ZIP) and not spreadsheets.kind_of_archive(raw))


def _check_bytes(size: int, limits: Limits, found: str = "") -> None:
    if size > limits.max_bytes:
        found = found or f"this one has more ({size / 1e6:,.1f} MB or above)"
        raise DataError(
            f"A file may have {limits.max_bytes / 1e6:g} MB; {found}. Draw a sample of the rows, "
            "or save it as Parquet."
        )


def _parse(raw: bytes, options: ParseOptions, limits: Limits) -> _Parsed:
    kind = kind_of_file(raw)
    if options.sheet is not None and kind not in SPREADSHEETS:
        raise DataError(
            f"Only spreadsheets have sheets, such as {quote(options.sheet)}. Name no sheet."
        )
    if kind in ("parquet", "arrow", "orc"):
        from rulekit.data.reading.columnar import read_columnar  # and Parquet's reader

        return *read_columnar(raw, kind, options, limits), options, None, {}
    if kind in READERS:
        frame, labels, notes = read_apart("statistics_files:read_statistics", raw, kind)
        raw_names = list(frame.columns)
        names, repairs = repair_headers(raw_names, limits)
        positions = select_columns(names, options.columns, limits)
        check_size(len(frame), len(positions), limits)
        frame = frame.iloc[:, positions]
        frame.columns = [names[k] for k in positions]
        labels = {names[k]: labels[raw_names[k]] for k in positions if raw_names[k] in labels}
        return frame, [*notes, *repairs], options, None, {"labels": labels}
    if kind == "html":
        rows, notes = rows_of_page(raw, options, limits)
        table = spreadsheets.columns_of_rows(rows, options, limits)
        table.notes[:0] = notes
    elif kind in SPREADSHEETS:
        table = spreadsheets.read_spreadsheet(raw, kind, options, limits)
    else:
        table = (read_json if kind == "json" else read_delimited)(raw, options, limits)
    del raw  # the bytes of a large file would take memory beside its columns
    if kind == "text":
        read = convert_columns(table.columns, table.options)
        frame = pd.DataFrame(read.typed)
    else:
        frame, read = spreadsheets.frame_of_cells(table.columns, table.options)
    fields = {"units": {**read.units, **table.units}, "cells": read.cells}
    notes, options = [*table.notes, *read.notes()], read.collect_options()
    return frame, notes, options, table.layout, fields


def kind_of_file(raw: bytes) -> str:
    """Return the type of a file by its first bytes, as "text"; DataError if it is unsupported."""
    # Pickles are never opened.
    if raw.startswith(ZIP):
        return spreadsheets.kind_of_archive(raw) or "zip"
    if raw.startswith(spreadsheets.COMPOUND):
        if refused := [text for word, text in _COMPOUNDS if word.encode("utf-16-le") in raw]:
            raise DataError(refused[0])
        return "xls"
    if raw.startswith(b"ORC") and b"ORC" in raw[-16:]:
        return "orc"
    kind = next((kind for mark, kind in _KINDS if raw.startswith(mark)), "")
    if kind := kind or kind_of_statistics(raw):
        return kind
    is_wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    head = raw[:512].decode("utf-16", "replace").encode() if is_wide else raw[:512]
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:64].lower()
    if re.match(rb"\x80[\x02-\x05]", raw):
        raise DataError(
            "It is a pickle, which could run any program when opened. Save the table as CSV, XLSX "
            "or Parquet."
        )
    for mark, file_type in _REFUSED:
        if raw.startswith(mark) or (mark[:1] in b"<@" and head.startswith(mark)):
            raise DataError(f"It is {file_type}.")
    if head.startswith(_PAGE):
        return "html"
    return "json" if re.match(rb'\{\s*"|\[\s*[{\[]|\{\s*\}', head) else "text"
