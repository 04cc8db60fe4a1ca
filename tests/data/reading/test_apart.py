"""Readers in a process of their own."""

import pytest

from rulekit.data.reading import apart
from rulekit.data.reading.apart import read_apart
from rulekit.exceptions import DataError
from tests.data.reading.files import ods_cell, ods_file

BOMB = "".join(
    f'<table:table-row table:number-rows-repeated="{n}">'
    + ods_cell(1.5, ' table:number-columns-repeated="16000"')
    + "</table:table-row>"
    for n in [1_000_000]
)


def test_readers_return_results_or_are_stopped(monkeypatch):
    sheet = read_apart("workbook:read_sheet", ods_file([["a", "b"], [1, 2]]), None)
    assert sheet.rows == [["a", "b"], [1.0, 2.0]]
    with pytest.raises(DataError, match="The spreadsheet is damaged"):
        read_apart("workbook:read_sheet", b"no sheet", None)
    with pytest.raises(DataError, match="is damaged"):
        read_apart("workbook:read_sheet", ods_file([], BOMB), None)
    monkeypatch.setattr(apart, "SECONDS", 0.01)
    with pytest.raises(DataError, match=r"or 0\.01 s"):
        read_apart("workbook:read_sheet", b"", None)
