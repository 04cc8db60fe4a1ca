"""Sheets of a workbook, through calamine (XLSX, XLS, XLSB and ODS)."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rulekit.data.headers import quote
from rulekit.exceptions import DataError

SMALL = 0.25  # a sheet of a smaller share of the largest one's cells is no table among others


@dataclass(frozen=True)
class Sheet:
    """The rows of one sheet, the first of which has the number `start` + 1."""

    name: str
    rows: list[list[Any]]
    start: int
    merged: tuple[tuple[int, int, int], ...]  # first row, last row and column, in `rows`
    names: tuple[str, ...]  # of all sheets


def read_sheet(raw: bytes, requested: str | None) -> Sheet:
    """Read the requested sheet, else the first visible one that holds a table."""
    try:
        import python_calamine  # an extra
    except ImportError as error:
        raise DataError(
            "Reading spreadsheets needs python-calamine (pip install python-calamine); or save "
            "the table as CSV."
        ) from error
    try:
        with python_calamine.load_workbook(io.BytesIO(raw)) as book:
            kind = python_calamine.SheetTypeEnum.WorkSheet
            visible = python_calamine.SheetVisibleEnum.Visible
            sheets = [sheet for sheet in book.sheets_metadata if sheet.typ == kind]
            names = [sheet.name for sheet in sheets]
            if requested is not None and requested not in names:
                text = f"The file has no sheet {quote(requested)}; its sheets are"
                raise DataError(f"{text} {', '.join(map(quote, names[:8]))}.")
            hidden = [sheet.name for sheet in sheets if sheet.visible != visible]
            name = requested if requested is not None else _choose(book, names, hidden)
            sheet = book.get_sheet_by_name(name)
            row, column = sheet.start or (0, 0)
            merged = tuple(
                (first[0] - row, last[0] - row, first[1] - column)
                for first, last in sheet.merged_cell_ranges or ()
                if last[0] > first[0] and first >= (row, column)
            )
            return Sheet(name, sheet.to_python(), row, merged, tuple(names))
    except DataError:
        raise
    except python_calamine.PasswordError as error:
        raise DataError("It is a spreadsheet with a password. Save it without one.") from error
    except Exception as error:  # whatever a damaged file makes the reader stumble over
        raise DataError("The spreadsheet is damaged. Save it anew, or as CSV.") from error


def _choose(book: Any, names: Sequence[str], hidden: Sequence[str]) -> str:
    """Return the first visible sheet that is not small beside the largest one."""
    if len(names) == 1:
        return names[0]
    cells = {}
    for name in names:
        sheet = book.get_sheet_by_name(name)
        height, width = int(sheet.height), int(sheet.width)
        # few if it has one column or row only
        cells[name] = height * width if min(height, width) > 1 else min(1, height * width)
    visible = [name for name in names if name not in hidden and cells[name]]
    names = visible or [name for name in names if cells[name]]
    if not names:
        raise DataError("The spreadsheet is empty. Give a sheet with a header and rows.")
    most = max(cells[name] for name in names)
    return next(name for name in names if cells[name] >= SMALL * most)
