"""Files of every kind: told by their first bytes, refused in a sentence."""

import gzip
import io
import pickle
import tracemalloc
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data import (
    Limits,
    ParseOptions,
    columns_of,
    compare_tables,
    quality_notes,
    read_table,
    suggest_target,
)
from rulekit.data.cells import numbers
from rulekit.data.reading import loading
from rulekit.data.reading.loading import read_with_layout
from rulekit.data.target import check_target
from rulekit.exceptions import DataError, WideTableError


def archive(**members):
    """A ZIP archive with these members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (pickle.dumps({"a": [1]}), "a pickle, which could run any program"),
        (gzip.compress(gzip.compress(b"a,b\n1,2\n", mtime=0), mtime=0), "inside another"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "ends too early"),
        (b"\x1f\x8b and no more", "archive is damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "The spreadsheet is damaged"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "a spreadsheet with a password. Save it without one",
        ),
        (b"%PDF-1.7", "a PDF document"),
        (b" \n<!DOCTYPE html><html>", "a web page without a table"),
        (b'[{"a": 1', "The JSON file is damaged"),
        (b"PK\x03\x04 and no more", "a damaged ZIP archive"),
        (b"PAR1 and no more", "The Parquet file is damaged"),
        (archive(a_dot_csv="a,b", b_dot_csv="c"), "a ZIP archive of 2 files .*'a.csv', 'b.csv'"),
        (archive(a_dot_zip=archive(b_dot_csv="a,b\n1,2\n")), "an archive inside a ZIP archive"),
        (archive(readme__=""), "a ZIP archive of 0 files"),
        (archive(a_dot_csv=b"\x80\x04}."), "a pickle"),
        (b"@relation x\n", "an ARFF file"),
        (archive(word__document_dot_xml=""), "a text document"),
        (archive(mimetype="", content_dot_xml=""), "The spreadsheet is damaged"),
        (archive(xl__workbook_dot_bin=""), "The spreadsheet is damaged"),
        (archive(xl__workbook_dot_xml="", xl__vbaProject_dot_bin=""), "with macros"),
        (archive(xl__workbook_dot_xml="<no/>"), "The spreadsheet is damaged"),
    ],
)
def test_non_tables_are_refused_under_any_name(raw, sentence):
    with pytest.raises(DataError, match=f"The file 'table.csv' was not read.*{sentence}"):
        read_table(raw, name="table.csv")


def test_bytes_of_a_file_are_released_before_its_cells_are_converted(tmp_path, monkeypatch):
    held, convert = [], loading.convert_columns

    def convert_columns(*arguments):
        held.append(tracemalloc.get_traced_memory()[0])
        return convert(*arguments)

    monkeypatch.setattr(loading, "convert_columns", convert_columns)
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + b"1.5,a level of many words\n" * 20_000)
    tracemalloc.start()
    try:
        read_table(tmp_path / "t.csv")
    finally:
        tracemalloc.stop()
    assert held[0] < 400_000  # of 520 kB


def test_a_path_gives_its_file_name_and_nothing_of_its_folders(tmp_path):
    path = tmp_path / "secret place" / "data.csv"
    path.parent.mkdir()
    path.write_text("a,b\n1\n")
    with pytest.raises(DataError, match=r"The file 'data\.csv' was not read") as caught:
        read_table(path)
    assert "secret" not in str(caught.value)


def test_sources_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"'none\.csv' was not read\. No such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(DataError, match="Is a directory"):
        read_table(tmp_path)
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(210_000_000)
    with pytest.raises(DataError, match="A file may have 200 MB"):
        read_table(path)
    with pytest.raises(DataError, match="file object is needed, got list"):
        read_table([1, 2])
    with pytest.raises(ValueError, match="`max_rows` must be positive"):
        Limits(max_rows=0)


@pytest.mark.parametrize("source", [io.BytesIO(b"a,b\n1,2\n"), io.StringIO("a,b\n1,2\n")])
def test_file_objects_of_bytes_and_of_text_are_read(source):
    assert read_table(source).frame["b"].tolist() == [2]


def whole_files():
    """One small sound file of each format, with every kind of column."""
    frame = pd.DataFrame(
        {
            "a": [1.5, 2, None] * 4,
            "b": ["x", "y", None] * 4,
            "c": [True, False, True] * 4,
            "d": pd.date_range("2024-01-01", periods=12),
        }
    )
    excel, parquet = io.BytesIO(), io.BytesIO()
    frame.to_excel(excel, index=False)
    frame.to_parquet(parquet)
    text = 'a;b;"c, d"\n1,5;"x";2024-01-01\n-;"y ""z""";NA\n1.234,5;;inf\n'
    plain = [text.encode("cp1252"), excel.getvalue(), parquet.getvalue()]
    return [*plain, gzip.compress(plain[0], mtime=0)]


def read_or_refused(raw):
    """The table, or the sentence that refuses it; every other error passes."""
    try:
        return read_table(raw, name="damaged"), ""
    except DataError as error:
        return None, str(error)


FILES = whole_files()


@pytest.mark.parametrize("raw", FILES[:3])
@pytest.mark.parametrize("members", [1, 2])
def test_gzipped_files_are_read_like_plain_ones(raw, members):
    middle = len(raw) // members
    parts = [part for part in (raw[:middle], raw[middle:]) if part]
    packed = b"".join(gzip.compress(part, mtime=0) for part in parts)
    assert read_table(packed, name="a") == read_table(raw, name="a")


CHANGES = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 3), st.binary(max_size=4)), max_size=6
)


@given(st.sampled_from(FILES), CHANGES)
def test_a_damaged_file_gives_a_table_or_a_sentence_and_nothing_else(raw, changes):
    for place, removed, added in changes:
        start = place % (len(raw) + 1)
        raw = raw[:start] + added + raw[start + removed :]
    table, refusal = read_or_refused(raw)
    if table is None:
        assert refusal.startswith("The file 'damaged' was not read. ")
        return
    target = suggest_target(table)
    if target is not None:
        check_target(table, target)
    quality_notes(table, target)
    assert list(columns_of(table.frame)) == [c.name for c in table.columns]
    assert not any(note.blocks for note in compare_tables(table, table))


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [("€,age\n1,2\n3,4\n".encode("cp1252"), "cp1252"), (b"a\x02b,age\n1,2\n3,4\n", None)],
)
def test_a_table_that_shares_one_byte_with_a_pickle_is_read(raw, encoding):
    table = read_table(raw, options=ParseOptions(encoding=encoding))
    assert table.frame["age"].tolist() == [2, 4]


def wide(kind, header=True):
    """A file of 2 301 columns, as text, spreadsheet or Parquet; and its frame."""
    frame = pd.DataFrame(np.arange(8 * 2_600).reshape(8, -1) % 7)
    frame.columns = [f"g{k}" for k in range(2_600)]
    frame["ill"] = ["yes", "no"] * 4 if header else range(8)
    sink = io.BytesIO()
    if kind == "csv":
        return frame.to_csv(index=False, header=header).encode(), frame
    if kind == "xlsx":
        frame.to_excel(sink, index=False, header=header)
    else:
        frame.to_parquet(sink)
    return sink.getvalue(), frame


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "xlsx", "parquet"])
def test_only_requested_columns_of_a_wide_file_are_read(kind):
    raw, frame = wide(kind)
    with pytest.raises(WideTableError, match=r"'w' was not read.* this one has 2,601") as caught:
        read_table(raw, name="w")
    assert caught.value.names == tuple(frame.columns)
    requested = ("ill", "g2599", "g0")
    table, options, _ = read_with_layout(raw, options=ParseOptions(columns=requested))
    pd.testing.assert_frame_equal(
        table.frame, frame[["g0", "g2599", "ill"]], check_dtype=False, check_column_type=False
    )
    assert options.columns == requested


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_columns_without_a_header_are_requested_by_number(kind):
    raw, frame = wide(kind, header=False)
    table = read_table(raw, options=ParseOptions(columns=("column 3", "column 2601")))
    assert list(table.frame) == ["column 3", "column 2601"]
    assert table.frame["column 3"].tolist() == frame["g2"].tolist()


def test_limits_hold_for_kept_cells_and_unpacked_archives():
    raw = b"a,b,c\n" + b"1,2,3\n" * 50
    limits = Limits(max_cells=60)
    with pytest.raises(DataError, match="60 cells at most"):
        read_table(raw, limits=limits)
    assert read_table(raw, limits=limits, options=ParseOptions(columns=("b",))).n_rows == 50
    for raw in (f"a,b\n{'x' * 1_000_000},1\n", f"a,b\n{'x' * 10_001},1\n"):
        with pytest.raises(DataError, match="A cell may hold 10,000 characters at most"):
            read_table(raw.encode())
    for raw in FILES[:3]:
        packed = archive(**{"a/table.csv": raw, "a/.DS_Store": "x", "a/": ""})
        assert read_table(packed, name="a") == read_table(raw, name="a")
    with pytest.raises(DataError, match=r"may have 0\.1 MB; unpacked this one has more"):
        read_table(archive(a="a,b\n" + "1,2\n" * 10**5), limits=Limits(max_bytes=100_000))
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 10**6, mtime=0)
    with pytest.raises(DataError, match=r"may have 0\.1 MB; unpacked this one has more"):
        read_table(bomb, limits=Limits(max_bytes=100_000))
    plain = b"a,b\n" + b"1,2\n" * 24_999
    packed = gzip.compress(plain, mtime=0)
    for most in (100_000, 10**15):
        assert read_table(packed, limits=Limits(max_bytes=most)).n_rows == 24_999


def test_workbooks_without_a_readable_sheet_have_their_error():
    workbook = openpyxl.Workbook()
    workbook.create_chartsheet()
    workbook.remove(workbook["Sheet"])
    file = io.BytesIO()
    workbook.save(file)
    with pytest.raises(DataError, match="holds charts only"):
        read_table(file.getvalue())
    packed = io.BytesIO()
    pd.DataFrame({"a": [1, 2], "b": [3, 4]}).to_parquet(packed)
    for content in (b"a,b\n1,2\n", packed.getvalue()):
        with pytest.raises(DataError, match="Only spreadsheets have sheets, such as 'May'"):
            read_table(content, options=ParseOptions(sheet="May"))


@pytest.mark.parametrize("at_once", [1, 3, 7])
def test_columns_parsed_in_several_calls_are_the_same(at_once, monkeypatch):
    rows = [f"{k},{k / 8},{'' if k % 3 else k},word {k},2024-01-{k + 1:02}" for k in range(9)]
    raw = "\n".join(["whole,decimal,gaps,text,day", *rows]).encode()
    together = read_table(raw, name="a.csv")
    monkeypatch.setattr(numbers, "AT_ONCE", at_once)
    apart = read_table(raw, name="a.csv")
    pd.testing.assert_frame_equal(apart.frame, together.frame)
    assert (apart.columns, apart.notes) == (together.columns, together.notes)


def test_repaired_headers_of_a_file_are_noted():
    table = read_table(b"a,,a\n1,2,3\n2,3,4\n")
    assert [c.name for c in table.columns] == ["a", "column 2", "a (2)"]
    notes = " ".join(table.notes)
    assert "was empty" in notes
    assert "occurred before" in notes
