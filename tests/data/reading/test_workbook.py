"""Sheets of workbooks in each format."""

import io
import shutil
import struct
import subprocess
import zipfile

import pytest

from rulekit.data import ParseOptions, read_table
from rulekit.data.reading.workbook import read_sheet
from rulekit.exceptions import DataError
from tests.data.reading.files import ods_file, xlsx_file

ROWS = [["a", "b"], [1, "x"], [2.5, "y"], [3, "x"]]
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"


def record(kind, content=b""):
    """A record of XLSB: its number, its length and its content."""
    size = len(content)
    number = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return number + bytes([size & 0x7F | 0x80, size >> 7]) + content


def text(words):
    """A text of XLSB."""
    return struct.pack("<I", len(words)) + words.encode("utf-16-le")


def xlsb_file(rows):
    """The rows as a binary workbook."""
    width = max(map(len, rows))
    sheet = record(0x94, struct.pack("<IIII", 0, len(rows) - 1, 0, width - 1)) + record(0x91)
    for number, row in enumerate(rows):
        sheet += record(0, struct.pack("<IIHBBBI", number, 0, 300, 0, 0, 0, 0))
        for column, cell in enumerate(row):
            head = struct.pack("<II", column, 0)
            is_text = isinstance(cell, str)
            content = text(cell) if is_text else struct.pack("<d", cell)
            sheet += record(6 if is_text else 5, head + content)
    book = record(0x9C, struct.pack("<II", 0, 1) + text("rId1") + text("table"))
    parts = {
        "_rels/workbook.bin.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package'
        f'/2006/relationships"><Relationship Id="rId1" Type="{RELATION}" '
        'Target="worksheets/sheet1.bin"/></Relationships>',
        "workbook.bin": record(0x83) + record(0x8F) + book + record(0x90) + record(0x84),
        "worksheets/sheet1.bin": record(0x81) + sheet + record(0x92) + record(0x82),
    }
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, part in parts.items():
            archive.writestr(f"xl/{name}", part)
    return sink.getvalue()


@pytest.mark.parametrize("write", [xlsx_file, ods_file, xlsb_file])
def test_each_format_is_read_alike(write):
    table = read_table(write(ROWS))
    assert table.frame.to_dict("list") == {"a": [1.0, 2.5, 3.0], "b": ["x", "y", "x"]}
    with pytest.raises(DataError, match="no sheet 'other'; its sheets are 'table'"):
        read_table(write(ROWS), options=ParseOptions(sheet="other"))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
def test_old_spreadsheets_are_read(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(xlsx_file([["Report"], *ROWS, [None, None], ["Source: x"]]))
    command = ["soffice", "--headless", f"-env:UserInstallation=file://{tmp_path}/profile"]
    command += ["--convert-to", "xls", "--outdir", str(tmp_path), str(tmp_path / "a.xlsx")]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    table = read_table(tmp_path / "a.xls")
    assert table.frame.to_dict("list") == {"a": [1.0, 2.5, 3.0], "b": ["x", "y", "x"]}


def test_rows_are_numbered_as_in_visible_or_requested_sheets():
    sheet = read_sheet(xlsx_file([[], [], *ROWS]), None)
    assert (sheet.start, sheet.name, sheet.rows[0]) == (2, "table", ["a", "b"])
    raw = xlsx_file(ROWS, before=[("secret", [["c", "d"], [5, 6], [7, 8]], "hidden")])
    assert read_sheet(raw, None).name == "table"
    assert read_table(raw, options=ParseOptions(sheet="secret")).frame["c"].tolist() == [5, 7]
