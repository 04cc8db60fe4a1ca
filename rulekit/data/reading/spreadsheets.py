"""Spreadsheets (XLSX, XLS, XLSB, ODS): check the file, then turn one sheet into columns."""

import datetime
import io
import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate

import numpy as np
import pandas as pd
import pyarrow as pa

from rulekit.data.cells.columns import COMPACT, CellReader, convert_columns
from rulekit.data.cells.numbers import choose_decimal_marks
from rulekit.data.cells.texts import encode_cells
from rulekit.data.headers import check_width, few, quote, repair_headers, select_columns
from rulekit.data.options import Limits, ParseOptions
from rulekit.data.reading.apart import read_apart
from rulekit.data.reading.delimited import RawTable, check_cells, check_size, drop_empty
from rulekit.data.reading.layout import (
    LINES,
    TAIL,
    WINDOW,
    Row,
    count_after,
    count_cells,
    describe_comments,
    ends_with_total,
    find_layout,
    is_empty,
)
from rulekit.data.reading.workbook import read_sheet
from rulekit.data.typed import EXACT
from rulekit.exceptions import DataError

MAX_AREA = 20_000_000  # cells between the first and the last one; calamine allocates 32 bytes each
_UNREADABLE = (NotImplementedError, OSError, RuntimeError, ValueError, EOFError)
COMPOUND = b"\xd0\xcf\x11\xe0"  # what old spreadsheets and encrypted new ones are packed in

_COLUMN = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]+)\d")
_ROW = re.compile(rb"\br\s*=\s*[\"'][A-Za-z]*(\d+)[\"']")
# cells and rows that may have no position: they follow the one before
_NEXT_CELL = re.compile(rb'<(?:[^<>\s:?]+:)?c\b(?!\s+r="[A-Z]+\d+")')
_NEXT_ROW = re.compile(rb'<(?:[^<>\s:?]+:)?row\b(?!\s+r="\d+")')
_PLACE = re.compile(r"\s*([A-Za-z]*)(\d+)\s*")


def kind_of_archive(raw: bytes) -> str:
    """Return "xlsx", "xlsb" or "ods" for a ZIP archive that is a spreadsheet, else ""."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise DataError("The file is a damaged ZIP archive. Save the table anew.") from error
    for suffix, kind in (("xml", "xlsx"), ("bin", "xlsb")):
        if f"xl/workbook.{suffix}" in names:
            return kind
    if "mimetype" in names and "content.xml" in names:
        return "ods"
    if "word/document.xml" in names:
        raise DataError("The file is a text document. Save its table as CSV.")
    return ""


def check_archive(raw: bytes, limits: Limits) -> None:
    """Raise DataError if a spreadsheet has macros, is encrypted or too large unpacked."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = archive.infolist()
    names = {member.filename for member in members}
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise DataError("The file is a spreadsheet with macros. Save it as XLSX or CSV.")
    sheets = {name.split("/")[1] for name in names if name.count("/") > 1}
    if "chartsheets" in sheets and "worksheets" not in sheets:
        raise DataError("The spreadsheet holds charts only. Give a sheet with a header and rows.")
    if any(member.flag_bits & 1 for member in members):
        raise DataError("The spreadsheet is encrypted. Save it without a password.")
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


def read_spreadsheet(raw: bytes, kind: str, options: ParseOptions, limits: Limits) -> RawTable:
    """Read one sheet into columns of values; shape of the result: (n, k)."""
    if kind != "xls":
        check_archive(raw, limits)
    n_errors = _check_sheets(raw, limits) if kind == "xlsx" else 0
    read = read_sheet if kind == "xlsx" else partial(read_apart, "workbook:read_sheet")
    sheet, notes = read(raw, options.sheet), []
    if len(sheet.names) > 1 and options.sheet is None:
        notes.append(f"The file has {len(sheet.names)} sheets; {quote(sheet.name)} was read.")
    n_filled = 0  # merged cells, downwards
    for first, last, column in sheet.merged:
        block = sheet.rows[first : last + 1] if first >= 0 <= column else []
        value = block[0][column] if block and column < len(block[0]) else None
        for row in [] if is_empty(value) else block[1:]:
            if is_empty(row[column]):
                row[column] = value
                n_filled += 1
    if n_filled:
        notes.append(f"{n_filled} cells below merged ones got their value.")
    rows = [(sheet.start + k, row) for k, row in enumerate(sheet.rows, 1) if count_cells(row)]
    table = columns_of_rows(rows, options, limits)
    notes += table.notes
    if n_errors:
        notes.append(f"{n_errors} cells of the file are errors (as #N/A), read as missing.")
    layout = None if table.layout is None else replace(table.layout, sheets=sheet.names)
    if len(sheet.names) > 1:
        options = replace(options, sheet=sheet.name)
    return replace(table, notes=notes, options=options, layout=layout)


def _check_sheets(raw: bytes, limits: Limits) -> int:
    """Check that the XML is sound, and the area of each sheet; return the number of errors."""
    n_errors, most = 0, max(limits.max_cells, MAX_AREA)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for name in dict.fromkeys(archive.namelist()):
            try:
                part = archive.read(name)
                if b"spreadsheetml" not in part:
                    continue
                ParserCreate().Parse(part, True)
            except (ExpatError, zipfile.BadZipFile, zlib.error, *_UNREADABLE) as error:
                raise DataError("The spreadsheet is damaged. Save it anew, or as CSV.") from error
            n_errors += part.count(b' t="e"')
            if b"sheetData" in part and (area := _area(part, most)) > most:
                raise DataError(
                    f"The cells of a sheet lie too far apart: in an area of {area:,} cells, "
                    f"{most:,} are allowed. Remove cells outside of the table."
                )
    return n_errors


def _area(sheet: bytes, enough: int) -> int:
    """Return rows times columns up to the last cell with content, or a bound up to `enough`."""
    width = max(map(_number, {match[1] for match in _COLUMN.finditer(sheet)}), default=0)
    height = max(map(int, {match[1] for match in _ROW.finditer(sheet)}), default=0)
    bound = (width + len(_NEXT_CELL.findall(sheet))) * (height + len(_NEXT_ROW.findall(sheet)))
    if bound <= enough:
        return bound
    place, corner = [0, 0], [0, 0]

    def start(name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        written = _PLACE.fullmatch(attributes.get("r", ""))
        if name == "row":
            place[:] = [int(written[2]) if written else place[0] + 1, 0]
        elif name == "c":
            place[1] = _number(written[1].encode()) if written else place[1] + 1
            place[0] = int(written[2]) if written else place[0]
        elif name in ("v", "f", "is"):
            corner[:] = [max(corner[0], place[0]), max(corner[1], place[1])]

    parser = ParserCreate()
    parser.StartElementHandler = start
    parser.Parse(sheet, True)
    return corner[0] * corner[1]


def _number(letters: bytes) -> int:
    """Return the number of a column from its letters: 1 for A, 27 for AA."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def columns_of_rows(rows: Sequence[Row], options: ParseOptions, limits: Limits) -> RawTable:
    """Return the requested columns of rows of cells (values or texts), with notes."""
    if not rows:
        raise DataError("The spreadsheet is empty. Give a sheet with a header and rows.")
    check_width(max(len(row) for _, row in rows), limits)
    n_head = min(WINDOW, max(6, 20_000 // len(rows[0][1])))
    layout = find_layout(rows[:n_head], options, "Row")
    notes = list(layout.notes)
    names, repairs = repair_headers(layout.names, limits)
    skip = set(options.skip_rows or ())
    body = [row for row in rows if row[0] >= layout.first and row[0] not in skip]
    comments = [number for number, row in body if layout.is_comment(row)]
    notes += describe_comments(comments, "Row")
    skip.update(comments)
    body = [row for row in body if row[0] not in skip]
    n_before = len(body)
    body = [row for row in body if not layout.is_header(row[1])]
    if len(body) < n_before:
        notes.append(f"{n_before - len(body)} rows repeat the header and are not read.")
    n_cut, more = count_after(body[-TAIL:], options, partial(_adds_up, body), "Row")
    layout = layout.with_lines(rows[: n_head + LINES], body[-TAIL:], n_cut, sorted(skip))
    body, notes = body[: max(0, len(body) - n_cut)], notes + more
    if not body:
        raise DataError("The sheet has a header but no rows. Give at least one row of data.")
    blank = body[-1][0] - body[0][0] + 1 - len(body) - (n_before - len(body) - n_cut)
    blank -= sum(body[0][0] <= number <= body[-1][0] for number in skip)
    if blank > 0:
        notes.append(f"{blank} empty rows inside the sheet are left out.")
    positions = select_columns(names, options.columns, limits)
    check_size(len(body), len(positions), limits)
    cells = {}
    for k in positions:
        cells[names[k]] = [None if is_empty(row[k]) else row[k] for _, row in body]
        check_cells(cells[names[k]], names[k], limits)
    if options.columns is None:
        nameless = [name for name, cell in zip(names, layout.names, strict=True) if is_empty(cell)]
        notes += drop_empty(cells, nameless, lambda column: column.count(None) == len(column))
    notes += repairs if layout.header is not None else []
    units = {names[k]: unit for k, unit in layout.units.items() if names[k] in cells}
    return RawTable(cells, notes, options, units, layout)


def _adds_up(body: Sequence[Row], position: int, how: str, n_after: int) -> bool:
    """Return whether the last cell but some of a column is the sum or mean of those above."""
    cells = [row[position] for _, row in body[: len(body) - n_after]]
    numbers = pd.to_numeric(pd.Series(cells, dtype=object), errors="coerce")
    return ends_with_total(numbers.to_numpy(dtype=float, na_value=np.nan), how)


def frame_of_cells(
    cells: dict[str, list[Any]], options: ParseOptions
) -> tuple[pd.DataFrame, CellReader]:
    """Return columns of values as a frame, those with texts read as texts, and how."""
    plain = {name: _plain(values) for name, values in cells.items()}
    texts = {name: _texts(name, cells[name]) for name, v in plain.items() if v is None}
    columns = {name: pa.chunked_array([v], pa.string()) for name, v in texts.items()}
    read = convert_columns(columns, options)
    floats = {k: v for k, v in plain.items() if v is not None and v.dtype == float}
    if long := [quote(n) for n, v in floats.items() if (v.abs().between(EXACT, 1e300)).any()]:
        digits = "numbers of 16 digits or more; a spreadsheet keeps 15. Store identifiers as text."
        several = f"Column {long[0]} holds" if len(long) == 1 else f"Columns {few(long)} hold"
        read.sentences.append(f"{several} {digits}")
    return pd.DataFrame({**plain, **read.typed}), read


def _plain(values: list[Any]) -> pd.Series | None:
    """Return a column of one type; None if it must be read as text: it holds some, or is mixed."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds and kinds <= {int, float}:
        if int in kinds and any(type(v) is int and abs(v) > EXACT for v in values):
            return pd.Series(values, dtype=object)  # kept exact
        numbers = pd.Series(values, dtype=float)
        if numbers.dropna().between(*COMPACT).all():
            return None  # 20200102 may be a date
        whole = (numbers == numbers.round()).all() and (numbers.abs() <= EXACT).all()
        return numbers.astype("int64") if whole else numbers
    if kinds and kinds <= {datetime.date, datetime.datetime}:
        return pd.to_datetime(pd.Series(values), errors="coerce")
    if kinds == {datetime.timedelta}:
        return pd.Series(pd.to_timedelta(values))
    return pd.Series(values, dtype=object) if kinds <= {bool} else None


def _texts(name: str, values: list[Any]) -> list[str | None]:
    """Return cells as text, numbers with the decimal mark of the texts beside them."""
    texts = list(map(_text, values))
    if {float, str} <= set(map(type, values)):
        strings = pa.chunked_array([[v for v in values if isinstance(v, str)]], pa.string())
        column = encode_cells(name, strings)[0]
        if choose_decimal_marks([column], ParseOptions()).get_mark(name) == ",":
            pairs = zip(values, texts, strict=True)
            return [str(t).replace(".", ",") if type(v) is float else t for v, t in pairs]
    return texts


def _text(value: Any) -> str | None:
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT:
        return str(int(value))
    return None if value is None else str(value)
