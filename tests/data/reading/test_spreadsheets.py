"""XLSX files, sound and hostile."""

import datetime
import io
import re
import zipfile

import openpyxl
import pandas as pd
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


def changed(raw, part, change):
    """The workbook with the content of one part changed."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name == part else content)
    return file.getvalue()


def sheet(*rows):
    """Bytes of a workbook whose only sheet has these rows, as XML."""
    data = "".join(rows).encode()

    def filled(content):
        return re.sub(
            rb"<sheetData ?/>|<sheetData>.*</sheetData>",
            b"<sheetData>%b</sheetData>" % data,
            content,
        )

    return changed(workbook([]), "xl/worksheets/sheet1.xml", filled)


def test_every_kind_of_cell_keeps_its_kind():
    day = datetime.datetime(2024, 5, 1)
    rows = [["n", "w", "t", "b", "d"], [1.5, 1, "x", True, day], [None, 2, "y", False, day]]
    table = read_table(workbook([*rows, [2.5, 3, "NA", True, None]]))
    assert table.frame["n"].isna().tolist() == [False, True, False]
    assert table.frame["w"].tolist() == [1, 2, 3]
    assert table.frame["t"].isna().tolist() == [False, False, True]
    assert table.frame["b"].tolist() == [True, False, True]
    assert str(table.frame["d"].dtype).startswith("datetime64")


def test_the_table_of_a_workbook_is_its_first_full_sheet():
    raw = workbook([], [["a", "b"], [1, 2], [3, 4]], [["c", "d"], [5, 6]])
    assert "The file has 3 sheets; 'sheet 2' was read." in read_table(raw).notes
    chosen = read_table(raw, options=ParseOptions(sheet="sheet 3"))
    assert [c.name for c in chosen.columns] == ["c", "d"]
    with pytest.raises(DataError, match="no sheet 'sheet 9'; its sheets are 'sheet 1'"):
        read_table(raw, options=ParseOptions(sheet="sheet 9"))
    rows = [[], ["a", "b"], [1, 2], [], [3, 4], [], []]
    table = read_table(workbook(rows))
    assert table.frame["a"].tolist() == [1, 3]
    assert "1 empty rows inside the sheet are left out." in table.notes
    with pytest.raises(DataError, match="The spreadsheet is empty"):
        read_table(workbook([]))
    with pytest.raises(DataError, match="The sheet has a header but no rows"):
        read_table(workbook([["a", "b"]]))


@pytest.mark.parametrize(
    ("limit", "least", "sentence"),
    [
        ("max_columns", 3, "at most 2 columns; this one has 3"),
        ("max_rows", 4, "3 rows at most; this one has 4"),
        ("max_cells", 12, "11 cells at most"),
        ("max_cell_length", 4, "row 1 of column 'c' holds 4"),
        ("max_inflated", None, "unpacked; this one takes"),
    ],
)
def test_limits_hold_in_a_spreadsheet(limit, least, sentence):
    raw = workbook([["a", "b", "c"], [1, 2, "long"], [4, 5, "y"], [7, 8, "z"], [1, 1, "u"]])
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        least = least or sum(member.file_size for member in archive.infolist())
    assert read_table(raw, limits=Limits(**{limit: least})).n_rows == 4
    with pytest.raises(DataError, match=sentence):
        read_table(raw, limits=Limits(**{limit: least - 1}))


def test_workbooks_that_would_swell_or_break_are_refused():
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD2"] = "a", 1
    file = io.BytesIO()
    book.save(file)
    with pytest.raises(DataError, match=r"at most 2,500 columns; this one has 16,384"):
        read_table(file.getvalue())
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", "<workbook/>")
        packed.writestr("xl/worksheets/sheet1.xml", b"0" * 20_000_000)
    raw = file.getvalue()
    assert len(raw) < 30_000
    with pytest.raises(DataError, match=r"100 times as large unpacked .*; this one is [0-9,]+"):
        read_table(raw)
    raw = bytearray(workbook([["a", "b"], [1, 2]]))
    start = raw.index(b"xl/worksheets/sheet1.xml") + 24
    raw[start : start + 40] = b"\xff" * 40
    with pytest.raises(DataError, match="The spreadsheet is damaged"):
        read_table(bytes(raw))
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(DataError, match="The spreadsheet is encrypted"):
        read_table(bytes(raw))


def test_a_workbook_without_styles_is_read_without_a_warning():
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    bare = changed(
        workbook([["a", "b"], [1, 2], [3, 4]]),
        "xl/styles.xml",
        lambda _: f'<styleSheet xmlns="{space}"/>'.encode(),
    )
    assert read_table(bare).frame["a"].tolist() == [1, 3]


LONG = 2**60 + 1

HEAD = '<row r="1"><c r="A1" t="str"><v>id</v></c><c r="B1" t="str"><v>b</v></c></row>'


def test_cells_keep_digits_positions_and_errors():
    table = read_table(sheet(HEAD, f'<row r="2"><c r="A2"><v>{LONG}</v></c></row>'))
    assert table.frame["id"].tolist() == [float(LONG)]
    assert "Column 'id' holds numbers of 16 digits or more" in " ".join(table.notes)
    table = read_table(workbook([["id", "b"], [str(LONG), 1], [str(LONG + 1), 2]]))
    assert table.frame["id"].tolist() == [str(LONG), str(LONG + 1)]
    table = read_table(workbook([["id", "b"], [2**53 - 1, 1], [2**53 - 2, 2]]))
    assert table.frame["id"].tolist() == [2**53 - 1, 2**53 - 2]
    frame = read_table(workbook([[], [], ["", None, "a", "b"], [None, None, 1, 2]])).frame
    assert list(frame)[-2:] == ["a", "b"]
    assert frame["b"].tolist() == [2]
    rows = '<row r="1"><c r="A1"><v>1</v></c></row>', '<row r="9999"><c r="XFD9999" s="0"/></row>'
    assert read_table(sheet(*rows)).frame["column 1"].tolist() == [1]
    table = read_table(sheet(*[f"<row>{NEXT * 20}</row>"] * 1_200))
    assert table.frame.shape == (1_200, 20)
    table = read_table(workbook([["income", "b"], [1, "x"], [2, "y"], ["none yet", "x"], [4, "y"]]))
    assert table.frame["income"].tolist() == ["1", "2", "none yet", "4"]
    assert "Column 'income' holds text in 1 of 4 rows (first: row 3, 'none yet')" in table.notes[0]
    table = read_table(workbook([["a", "b"], [1, "#N/A"], ["#DIV/0!", 2.5], [3, 4]]))
    assert table.frame["a"].isna().tolist() == [False, True, False]
    assert table.frame["b"].tolist()[1:] == [2.5, 4.0]
    assert "2 cells of the file are errors (as #N/A), read as missing." in table.notes


def test_dates_times_and_durations_are_read():
    day, clock = datetime.date(2024, 5, 1), datetime.time(6, 30)
    moment = datetime.datetime(2024, 5, 1, 12, 30)
    span = datetime.timedelta(hours=30)
    rows = [["d", "m", "t", "s", "date"], [day, moment, clock, span, 20240501]]
    rows += [[None, day, clock, span, 20240613]]
    frame = read_table(workbook(rows)).frame
    assert frame["d"].dt.date[0] == day
    assert frame["m"].tolist() == [moment, datetime.datetime(2024, 5, 1)]
    assert frame["t"].tolist() == [6.5] * 2  # in hours
    assert frame["s"].tolist() == [1.25] * 2  # in days
    assert frame["date"].dt.day.tolist() == [1, 13]


def test_hidden_sheets_and_merged_cells_are_read():
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, "x"], [2, "y"]):
        book.active.append(row)
    book.active.merge_cells("B2:B3")
    book.active.sheet_state = "hidden"
    book.create_sheet("empty")
    file = io.BytesIO()
    book.save(file)
    table = read_table(file.getvalue())
    assert table.frame["a"].tolist() == [1, 2]
    assert table.frame["b"].tolist() == ["x", "x"]
    assert "The file has 2 sheets; 'Sheet' was read." in table.notes


@pytest.mark.parametrize("part", ["sharedStrings.xml", "worksheets/sheet1.xml"])
def test_malformed_xml_is_refused(part):
    file = io.BytesIO()
    pd.DataFrame({"a": ["x", "y"], "b": [2, 4]}).to_excel(file, engine="xlsxwriter")
    raw = changed(
        file.getvalue(),
        f"xl/{part}",
        lambda content: content.replace(b"</si>", b"</is>", 1).replace(b"</row>", b"", 1),
    )
    with pytest.raises(DataError, match=r"The spreadsheet is damaged\. Save it anew, or as CSV"):
        read_table(raw)


NEXT = "<c><v>1</v></c>"  # a cell without a position follows the one before
COMMENTED = f'{NEXT}<!-- <row r="1"> -->'


@pytest.mark.parametrize(
    "rows",
    [
        ('<row r="1"><c r="A1"><v>1</v></c><c r="XFD1048576"><v>1</v></c></row>',),
        ("<row r='1'><c s='>' r = 'XFD1048576'><v>1</v></c><c r='A1'><v>1</v></c></row>",),
        (f'<row r="1">{NEXT * 16_000}</row>', f'<row r="1048576">{NEXT}</row>'),
        (f"<row>{COMMENTED * 3_000}</row>", f'<row r="99999">{NEXT}</row>'),
    ],
)
def test_cells_too_far_apart_are_refused_before_memory_is_taken(rows):
    with pytest.raises(DataError, match=r"too far apart: in an area of [\d,]+ cells, 20,000,000"):
        read_table(sheet(*rows))
