"""Reading of XLSX files: check the archive and its sheets, then read one sheet with calamine."""

import datetime
import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any
from xml.parsers.expat import ParserCreate

import pandas as pd
import pyarrow as pa

from rulekit.data.cells.columns import ReadColumns, typed_columns
from rulekit.data.headers import check_width, chosen_columns, repaired_headers, shown
from rulekit.data.options import Limits, ParseOptions
from rulekit.data.reading.delimited import check_cell, check_size
from rulekit.data.typed import EXACT
from rulekit.exceptions import DataError

Row = Sequence[Any]
MAX_AREA = 20_000_000  # cells between the first and the last one; calamine allocates 32 bytes each

# calamine reads numbers as float64 and error values (#N/A) as empty cells; as text, both are kept
_LONG = re.compile(
    rb"<((?:\w+:)?c)\b([^<>]*)>(?=\s*(?:<(?:\w+:)?f\b[^<]*(?:</(?:\w+:)?f>)?\s*)?"
    rb"<(?:\w+:)?v>[+-]?\d{16,}(?:\.\d*)?<)"
)
_ERROR = re.compile(rb'(<(?:\w+:)?c\b[^<>]*?) t="e"')
_EMPTY = re.compile(rb'<(?:\w+:)?c r="[A-Z]+\d+"[^<>]*/>')
_COLUMN = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]+)\d")
_ROW = re.compile(rb"\br\s*=\s*[\"'][A-Za-z]*(\d+)[\"']")
# cells and rows that may have no position: they follow the one before
_NEXT_CELL = re.compile(rb'<(?:[^<>\s:?]+:)?c\b(?!\s+r="[A-Z]+\d+")')
_NEXT_ROW = re.compile(rb'<(?:[^<>\s:?]+:)?row\b(?!\s+r="\d+")')
_ROW_TAG = re.compile(rb"<(?:[^<>\s:?]+:)?row\b")
# XML without comments and without < or > in quotes, so that each match of _ROW_TAG is a row
_STRICT = re.compile(rb"""(?:<[^!<>"'](?:[^<>"']|"[^<>"]*+")*+>[^<>]*+)*+""")


def check_archive(raw: bytes, limits: Limits) -> None:
    """Raise DataError unless a ZIP archive is a spreadsheet without macros, of allowed size."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise DataError("The file is a damaged ZIP archive. Save the table anew.") from error
    names = {member.filename for member in members}
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise DataError("The file is a spreadsheet with macros. Save it as XLSX or CSV.")
    if "xl/workbook.xml" not in names:
        raise DataError(_archive_sentence(names))
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


def _archive_sentence(names: set[str]) -> str:
    if "xl/workbook.bin" in names:
        return "The file is a binary spreadsheet (XLSB). Save it as XLSX or CSV."
    if "mimetype" in names and "content.xml" in names:
        return "The file is an OpenDocument file. Save it as XLSX or CSV."
    if "word/document.xml" in names:
        return "The file is a text document. Save its table as CSV."
    return "The file is a ZIP archive and no spreadsheet; unpack it and give the table in it."


def read_spreadsheet(
    raw: bytes, options: ParseOptions, limits: Limits
) -> tuple[pd.DataFrame, list[str], ParseOptions, ReadColumns]:
    """Read one sheet of an XLSX file (n, k), with notes, options and how texts were read."""
    check_archive(raw, limits)
    rows, notes = _raw_rows(raw, options, limits)
    cells, repairs = _columns(rows, options, limits)
    frame, read = _frame(cells, options)
    return frame, notes + repairs + read.notes, read.options, read


def _raw_rows(raw: bytes, options: ParseOptions, limits: Limits) -> tuple[list[Row], list[str]]:
    try:
        import python_calamine  # an extra
    except ImportError as error:
        raise DataError(
            "Reading XLSX needs python-calamine (pip install python-calamine); or save the table "
            "as CSV."
        ) from error
    try:
        with python_calamine.load_workbook(_prepared(raw, limits)) as workbook:
            worksheet = python_calamine.SheetTypeEnum.WorkSheet
            names = [sheet.name for sheet in workbook.sheets_metadata if sheet.typ == worksheet]
            return _sheet_rows(workbook, names, options)
    except DataError:
        raise
    except Exception as error:  # whatever a damaged file makes the reader stumble over
        raise DataError("The spreadsheet is damaged. Save it anew, or as CSV.") from error


def _prepared(raw: bytes, limits: Limits) -> io.BytesIO:
    """Copy the archive uncompressed, with errors and long numbers as text."""
    copy = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(copy, "w") as new:
        for name in dict.fromkeys(old.namelist()):
            part = old.read(name)
            if b"spreadsheetml" in part:
                ParserCreate().Parse(part, True)  # calamine reads malformed XML in part
            new.writestr(name, _checked(part, limits) if b"sheetData" in part else part)
    copy.seek(0)
    return copy


def _checked(sheet: bytes, limits: Limits) -> bytes:
    """Check the area of a sheet, and mark errors and long numbers as text."""
    most = max(limits.max_cells, MAX_AREA)
    area = _area(sheet)
    if area > most:
        sheet = _EMPTY.sub(b"", sheet)  # such as cells with a colour only
        area = _area(sheet)
    if area > most:
        raise DataError(
            f"The cells of a sheet lie too far apart: in an area of {area:,} cells, {most:,} are "
            "allowed. Remove cells outside of the table."
        )
    if re.search(rb"v>[+-]?\d{16}", sheet):
        sheet = _LONG.sub(_as_text, sheet)
    return _ERROR.sub(rb'\1 t="str"', sheet) if b' t="e"' in sheet else sheet


def _area(sheet: bytes) -> int:
    """Return an upper bound of rows times columns between the first and the last cell."""
    width = max(map(_number, {match[1] for match in _COLUMN.finditer(sheet)}), default=0)
    height = max(map(int, {match[1] for match in _ROW.finditer(sheet)}), default=0)
    if _NEXT_CELL.search(sheet):
        rows = _ROW_TAG.split(sheet) if _STRICT.fullmatch(sheet) else [sheet]
        width += max(len(_NEXT_CELL.findall(row)) for row in rows)
    height += len(_NEXT_ROW.findall(sheet))
    return width * height


def _number(letters: bytes) -> int:
    """Return the number of a column from its letters: 1 for A, 27 for AA."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _as_text(cell: re.Match[bytes]) -> bytes:
    """Return the tag of a numeric cell as the tag of a text; other cells are unchanged."""
    name, attributes = cell[1], cell[2].replace(b' t="n"', b"")
    return cell[0] if b" t=" in attributes else b'<%b%b t="str">' % (name, attributes)


def _sheet_rows(
    workbook: Any, names: list[str], options: ParseOptions
) -> tuple[list[Row], list[str]]:
    """Return the rows of the requested sheet, else of the first that is not empty."""
    if options.sheet is not None and options.sheet not in names:
        listed = ", ".join(map(shown, names[:8]))
        raise DataError(f"The file has no sheet {shown(options.sheet)}; its sheets are {listed}.")
    for name in names if options.sheet is None else [options.sheet]:
        rows = workbook.get_sheet_by_name(name).to_python()
        if any(map(_width, rows)):
            several = len(names) > 1 and options.sheet is None
            note = f"The file has {len(names)} sheets; {shown(name)} was read."
            return rows, [note] if several else []
    raise DataError("The spreadsheet is empty. Give a sheet with a header and rows.")


def _width(row: Row) -> int:
    """Return the number of cells up to the last non-empty one."""
    width = len(row)
    while width and row[width - 1] == "":
        width -= 1
    return width


def _columns(
    rows: list[Row], options: ParseOptions, limits: Limits
) -> tuple[dict[str, list[Any]], list[str]]:
    """Return the requested columns by name, None for an empty cell, and notes."""
    widths = [_width(row) for row in rows]
    full = [i for i, width in enumerate(widths) if width]
    blank = full[-1] - full[0] + 1 - len(full)
    width = max(widths)
    check_width(width, limits)
    first = rows[full[0]]
    notes = []
    if _is_data(first[: widths[full[0]]], options):
        names = [f"column {i + 1}" for i in range(width)]
        if options.header is None:
            notes.append(
                "The first row holds numbers only, so it is read as data; if it is a header, say "
                "so."
            )
    else:
        names, notes = repaired_headers(first[:width], limits)
        full = full[1:]
    if blank:
        notes.append(f"{blank} empty rows inside the sheet are left out.")
    positions = chosen_columns(names, options.columns, limits)
    check_size(len(full), len(positions), limits)
    if not full:
        raise DataError("The sheet has a header but no rows. Give at least one row of data.")
    body = [rows[i] for i in full]
    cells = {names[k]: [None if row[k] == "" else row[k] for row in body] for k in positions}
    for name, values in cells.items():
        for number, value in enumerate(values, start=1):
            if isinstance(value, str):
                check_cell(value, number, name, limits)
    return cells, notes


def _is_data(first: Row, options: ParseOptions) -> bool:
    """Return whether the first row is data: as given, or where it holds numbers only."""
    if options.header is not None:
        return not options.header
    return set(map(type, first)) <= {int, float}


def _frame(cells: dict[str, list[Any]], options: ParseOptions) -> tuple[pd.DataFrame, ReadColumns]:
    plain = {name: _plain(values) for name, values in cells.items()}
    texts = {
        name: pa.chunked_array([pa.array(map(_text, cells[name]), pa.string())])
        for name, values in plain.items()
        if values is None
    }
    read = typed_columns(texts, options)
    return pd.DataFrame({**plain, **read.columns}), read


def _plain(values: list[Any]) -> pd.Series | None:
    """Return a column of one type; None if it must be read as text: it holds some, or is mixed."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds and kinds <= {int, float}:
        numbers = pd.Series(values, dtype=float)
        whole = (numbers == numbers.round()).all() and (numbers.abs() <= EXACT).all()
        return numbers.astype("int64") if whole else numbers
    if kinds and kinds <= {datetime.date, datetime.datetime}:
        return pd.to_datetime(pd.Series(values), errors="coerce")
    return pd.Series(values, dtype=object) if kinds <= {bool} else None


def _text(value: Any) -> str | None:
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT:
        return str(int(value))
    return None if value is None else str(value)
