"""XLSX files, sound and hostile."""

import datetime
import io
import warnings
import zipfile

import openpyxl
import pytest

from rulekit.data import Limits, ParseOptions, read_table
from rulekit.exceptions import DataError


def workbook(*sheets):
    """Bytes of a workbook with one sheet for each list of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"sheet {number}")
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def test_every_kind_of_cell_keeps_its_kind():
    day = datetime.datetime(2024, 5, 1)
    rows = [["n", "w", "t", "b", "d"], [1.5, 1, "x", True, day], [None, 2, "y", False, day]]
    table = read_table(workbook([*rows, [2.5, 3, "NA", True, None]]))
    assert table.frame["n"].isna().tolist() == [False, True, False]
    assert table.frame["w"].tolist() == [1, 2, 3]
    assert table.frame["t"].isna().tolist() == [False, False, True]
    assert table.frame["b"].tolist() == [True, False, True]
    assert str(table.frame["d"].dtype).startswith("datetime64")


def test_numbers_and_texts_in_one_column_are_told():
    table = read_table(workbook([["income", "b"], [1, "x"], [2, "y"], ["none yet", "x"], [4, "y"]]))
    assert table.frame["income"].tolist() == ["1", "2", "none yet", "4"]
    assert "Column 'income' holds text in 1 of 4 rows (first: row 3, 'none yet')" in table.notes[0]


def test_the_first_sheet_that_holds_something_is_read_and_named():
    raw = workbook([], [["a", "b"], [1, 2], [3, 4]], [["c", "d"], [5, 6]])
    assert "The file has 3 sheets; 'sheet 2' was read." in read_table(raw).notes
    chosen = read_table(raw, options=ParseOptions(sheet="sheet 3"))
    assert [c.name for c in chosen.columns] == ["c", "d"]
    with pytest.raises(DataError, match="no sheet 'sheet 9'; its sheets are 'sheet 1'"):
        read_table(raw, options=ParseOptions(sheet="sheet 9"))


def test_empty_rows_around_the_table_are_skipped_and_inside_counted():
    rows = [[], ["a", "b"], [1, 2], [], [3, 4], [], []]
    table = read_table(workbook(rows))
    assert table.frame["a"].tolist() == [1, 3]
    assert "1 empty rows inside the sheet are left out." in table.notes


def test_an_empty_workbook_and_a_lone_header_are_refused():
    with pytest.raises(DataError, match="The spreadsheet is empty"):
        read_table(workbook([]))
    with pytest.raises(DataError, match="The sheet has a header but no rows"):
        read_table(workbook([["a", "b"]]))


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (Limits(max_columns=2), "at most 2 columns; this one has 3"),
        (Limits(max_rows=2), "2 rows at most; this one has 3"),
        (Limits(max_cells=8), "8 cells at most"),
        (Limits(max_cell_length=3), "row 1 of column 'c' holds 4"),
        (Limits(max_inflated=1000), "unpacked; this one takes"),
    ],
)
def test_limits_hold_in_a_spreadsheet(limits, sentence):
    raw = workbook([["a", "b", "c"], [1, 2, "long"], [4, 5, "y"], [7, 8, "z"], [1, 1, "u"]])
    with pytest.raises(DataError, match=sentence):
        read_table(raw, limits=limits)


def test_a_sheet_of_one_far_cell_is_refused_without_filling_the_gap():
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD2"] = "a", 1
    file = io.BytesIO()
    book.save(file)
    with pytest.raises(DataError, match=r"at most 2,000 columns; this one has 16,384"):
        read_table(file.getvalue())


def test_a_zip_bomb_is_refused_by_its_directory():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", "<workbook/>")
        packed.writestr("xl/worksheets/sheet1.xml", b"0" * 20_000_000)
    raw = file.getvalue()
    assert len(raw) < 30_000
    with pytest.raises(
        DataError, match=r"100 times as large unpacked as packed; this one is [0-9,]+"
    ):
        read_table(raw)


def test_a_spreadsheet_that_takes_too_long_is_given_up():
    raw = workbook([["a", "b"], *([i, i] for i in range(200))])
    with pytest.raises(DataError, match="takes longer than 1e-09 s"):
        read_table(raw, limits=Limits(max_seconds=1e-9))


def test_a_workbook_without_styles_is_read_without_a_warning():
    bare = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook([["a", "b"], [1, 2], [3, 4]]))) as full,
        zipfile.ZipFile(bare, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for member in full.infolist():
            content = full.read(member)
            if member.filename == "xl/styles.xml":
                space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
                content = f'<styleSheet xmlns="{space}"/>'.encode()
            packed.writestr(member, content)
    assert read_table(bare.getvalue()).frame["a"].tolist() == [1, 3]


def test_while_a_workbook_is_read_others_may_warn(monkeypatch):
    load = openpyxl.load_workbook

    def loaded(*given, **more):
        warnings.warn("of another thread", UserWarning, stacklevel=1)
        return load(*given, **more)

    monkeypatch.setattr(openpyxl, "load_workbook", loaded)
    with pytest.warns(UserWarning, match="of another thread"):
        read_table(workbook([["a", "b"], [1, 2], [3, 4]]))
