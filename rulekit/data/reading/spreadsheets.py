"""Reading of XLSX files: check the archive, then read row by row."""

import datetime
import io
import time
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa

from rulekit.data.cells import typed_columns
from rulekit.data.headers import check_width, chosen_columns, repaired_headers, shown, too_wide
from rulekit.data.options import Limits, ParseOptions
from rulekit.data.reading.delimited import check_cell, check_size
from rulekit.exceptions import DataError

Row = tuple[Any, ...]


def check_archive(raw: bytes, limits: Limits) -> None:
    """Raise DataError unless a ZIP archive is a spreadsheet without macros, of allowed size.

    Only the archive's directory is read; nothing is unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise DataError("The file is a damaged ZIP archive; save the table anew.") from error
    names = {member.filename for member in members}
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise DataError("The file is a spreadsheet with macros; save it as XLSX or CSV.")
    if "xl/workbook.xml" not in names:
        raise DataError(_archive_sentence(names))
    sheets = {name.split("/")[1] for name in names if name.count("/") > 1}
    if "chartsheets" in sheets and "worksheets" not in sheets:
        raise DataError("The spreadsheet holds charts only; give a sheet with a header and rows.")
    if any(member.flag_bits & 1 for member in members):
        raise DataError("The spreadsheet is encrypted; save it without a password.")
    inflated = sum(member.file_size for member in members)
    if inflated > limits.max_inflated:
        raise DataError(
            f"A spreadsheet may take {limits.max_inflated // 1_000_000} MB unpacked; this one "
            f"takes {inflated / 1e6:,.0f} MB. Save it as CSV or Parquet."
        )
    if inflated > limits.max_zip_ratio * len(raw):
        raise DataError(
            f"A spreadsheet may be {limits.max_zip_ratio:g} times as large unpacked as packed; "
            f"this one is {inflated / len(raw):,.0f} times as large. Save it as CSV."
        )


def _archive_sentence(names: set[str]) -> str:
    if "xl/workbook.bin" in names:
        return "The file is a binary spreadsheet (XLSB); save it as XLSX or CSV."
    if "mimetype" in names and "content.xml" in names:
        return "The file is an OpenDocument file; save it as XLSX or CSV."
    if "word/document.xml" in names:
        return "The file is a text document; save its table as CSV."
    return "The file is a ZIP archive and no spreadsheet; unpack it and give the table in it."


def read_spreadsheet(
    raw: bytes, options: ParseOptions, limits: Limits
) -> tuple[pd.DataFrame, list[str]]:
    """Read one sheet of an XLSX file.

    Shape of the result: (n, k).
    """
    check_archive(raw, limits)
    # of styles and validations that are not read openpyxl can only be silenced: alone, and for the
    # whole process, as to do so for a while (`warnings.catch_warnings`) is not safe in threads
    warnings.filterwarnings("ignore", category=UserWarning, module=r"openpyxl\.")
    rows, notes = _raw_rows(raw, options, limits)
    header, rows, repairs = _header_and_rows(rows, options, limits)
    cells = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    frame, more = _frame(cells, options)
    return frame, notes + repairs + more


def _raw_rows(raw: bytes, options: ParseOptions, limits: Limits) -> tuple[list[Row], list[str]]:
    try:
        import openpyxl  # an extra, and slow to import
    except ImportError as error:
        raise DataError(
            "Reading XLSX needs openpyxl (pip install openpyxl); or save the table as CSV."
        ) from error
    try:
        workbook = openpyxl.load_workbook(
            io.BytesIO(raw), read_only=True, data_only=True, keep_links=False
        )
        try:
            return _sheet_rows(workbook, options, limits)
        finally:
            workbook.close()
    except DataError:
        raise
    except Exception as error:  # whatever a damaged file makes the reader stumble over
        raise DataError("The spreadsheet is damaged; save it anew, or as CSV.") from error


def _sheet_rows(
    workbook: Any, options: ParseOptions, limits: Limits
) -> tuple[list[Row], list[str]]:
    sheets = {sheet.title: sheet for sheet in workbook.worksheets}
    if options.sheet is not None:
        if options.sheet not in sheets:
            known = ", ".join(map(shown, list(sheets)[:8]))
            raise DataError(
                f"The file has no sheet {shown(options.sheet)}; its sheets are {known}."
            )
        sheets = {options.sheet: sheets[options.sheet]}
    for title, sheet in sheets.items():
        rows = list(_chosen(_trimmed(sheet, options, limits), options, limits))
        if rows:
            several = len(workbook.worksheets) > 1 and options.sheet is None
            note = f"The file has {len(workbook.worksheets)} sheets; {shown(title)} was read."
            return rows, [note] if several else []
    raise DataError("The spreadsheet is empty; give a sheet with a header and rows.")


def _chosen(rows: Iterator[Row], options: ParseOptions, limits: Limits) -> Iterator[Row]:
    """Return the requested columns below a header row; all rows where none are requested.

    Raises WideTableError if the first row is too wide and no columns were requested.
    """
    first = next(rows, None)
    if first is None:
        return
    if options.columns is None and len(first) <= limits.max_columns:
        yield first
        for row in rows:
            if len(row) > limits.max_columns:
                raise too_wide(len(row), limits)
            yield row
        return
    data = _is_data(first, options)
    names, _ = repaired_headers([None] * len(first) if data else first, limits)
    positions = chosen_columns(names, options.columns, limits)
    yield tuple(names[i] for i in positions)
    for row in [first, *rows] if data else rows:
        yield tuple(row[i] if i < len(row) else None for i in positions)


def _is_data(first: Row, options: ParseOptions) -> bool:
    """Return whether the first row is data: as given, or where it holds numbers only."""
    if options.header is not None:
        return not options.header
    return all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in first)


def _trimmed(sheet: Any, options: ParseOptions, limits: Limits) -> Iterator[Row]:
    """Yield the sheet's rows from the first to the last non-empty one."""
    sheet.reset_dimensions()  # what a file says of its own size may be wrong by millions
    started = time.monotonic()
    n_rows, width, blank = 0, 0, 0
    for row in sheet.iter_rows(values_only=True):
        if time.monotonic() - started > limits.max_seconds:
            raise DataError(
                f"The spreadsheet takes longer than {limits.max_seconds:g} s to read; save it as "
                "CSV or Parquet."
            )
        row = _right_trimmed(row)
        if not row:
            blank += 1
            _stop_at_blanks(blank, limits)
            continue
        if n_rows:
            yield from [()] * blank
        n_rows += 1 + (blank if n_rows else 0)
        blank = 0
        width = max(width, len(row))
        check_width(width, limits)
        check_size(max(n_rows - 1, 0), len(options.columns or ()) or width, limits)
        yield row


def _stop_at_blanks(blank: int, limits: Limits) -> None:
    if blank > limits.max_rows:
        raise DataError(f"The sheet holds more than {limits.max_rows:,} empty rows; remove them.")


def _right_trimmed(row: Row) -> Row:
    length = len(row)
    while length and row[length - 1] in (None, ""):
        length -= 1
    return row[:length]


def _header_and_rows(
    rows: list[Row], options: ParseOptions, limits: Limits
) -> tuple[list[str], list[Row], list[str]]:
    width = max(map(len, rows))
    padded = [row + (None,) * (width - len(row)) for row in rows]
    if options.columns is None and _is_data(padded[0], options):
        note = "The first row holds numbers only, so it is read as data; if it is a header, say so."
        names = [f"column {i + 1}" for i in range(width)]
        return names, padded, [note] if options.header is None else []
    names, repairs = repaired_headers(padded[0], limits)
    body = padded[1:]
    full = [row for row in body if any(v not in (None, "") for v in row)]
    if len(full) < len(body):
        repairs.append(f"{len(body) - len(full)} empty rows inside the sheet are left out.")
    if not full:
        raise DataError("The sheet has a header but no rows; give at least one row of data.")
    for number, row in enumerate(full, start=1):
        for name, value in zip(names, row, strict=True):
            if isinstance(value, str):
                check_cell(value, number, name, limits)
    return names, full, repairs


def _frame(cells: dict[str, list[Any]], options: ParseOptions) -> tuple[pd.DataFrame, list[str]]:
    texts = {n: pa.chunked_array([_texts(v)]) for n, v in cells.items() if _has_text(v)}
    typed, notes, _ = typed_columns(texts, options)
    return pd.DataFrame({n: typed[n] if n in typed else _plain(v) for n, v in cells.items()}), notes


def _has_text(values: list[Any]) -> bool:
    """Return whether a column must be read as text: it holds some, or mixed types."""
    kinds = {_family(v) for v in values if v is not None}
    return "text" in kinds or len(kinds) > 1


def _family(value: Any) -> str:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, (int, float)):
        return "number"
    return "date" if isinstance(value, (datetime.datetime, datetime.date)) else "text"


def _texts(values: list[Any]) -> pa.Array:
    return pa.array([None if v is None else _text(v) for v in values], pa.string())


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _plain(values: list[Any]) -> pd.Series:
    if any(isinstance(v, (datetime.datetime, datetime.date)) for v in values):
        return pd.to_datetime(pd.Series(values), errors="coerce")
    present = [v for v in values if v is not None]
    if len(present) == len(values) and all(isinstance(v, int) for v in present):
        return pd.Series(values)
    if present and not isinstance(present[0], bool):
        return pd.Series(values, dtype=object).astype(float)
    return pd.Series(values, dtype=object)
