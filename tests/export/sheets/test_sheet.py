"""One sheet: columns are named as spreadsheets name them, numbers keep their digits."""

import pytest
import xlsxwriter

from rulekit.exceptions import ExportError
from rulekit.export.sheets.sheet import MOST_COLUMNS, Exact, Sheet, column_name


@pytest.mark.parametrize(("number", "name"), [(1, "A"), (26, "Z"), (27, "AA"), (16384, "XFD")])
def test_columns_are_named_as_in_a_spreadsheet(number, name):
    assert column_name(number) == name


def test_an_exact_number_is_written_with_all_its_digits():
    assert f"{Exact(0.1 + 0.2):.16G}" == "0.30000000000000004"


def test_a_column_beyond_the_last_is_refused(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        sheet = Sheet(book, "S")
        sheet.heading(1, MOST_COLUMNS, "last")
        with pytest.raises(ExportError, match="at most 16384 columns"):
            sheet.heading(1, MOST_COLUMNS + 1, "beyond")
