"""Text files: what is found out, what is repaired, what is refused."""

import io
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data import Limits, ParseOptions, read_table
from rulekit.data.reading.loading import read_with_layout
from rulekit.exceptions import DataError

CP1252 = "abcXYZ éüßñ€“”–;,'"
TEXT = st.text(st.sampled_from(CP1252), min_size=1, max_size=8).filter(
    lambda s: s == s.strip() and s.strip("'") and not s[0].isdigit()
)
NUMBER = st.floats(-1e9, 1e9).map(lambda x: round(x, 4))


@st.composite
def frames(draw):
    """A frame with a column of text and one of numbers; both hold something."""
    n = draw(st.integers(1, 12))
    texts = draw(st.lists(TEXT, min_size=n, max_size=n))
    numbers = draw(st.lists(NUMBER | st.just(math.nan), min_size=n, max_size=n))
    numbers[0] = draw(NUMBER) + 0.5
    return pd.DataFrame({"Wörter": texts, "Zahl": numbers})


def written(frame, *, sep=",", decimal=".", encoding="utf-8"):
    return frame.to_csv(index=False, sep=sep, decimal=decimal).encode(encoding)


@pytest.mark.slow
@given(frames(), st.sampled_from([",", ";", "\t", "|"]), st.sampled_from([".", ","]))
def test_a_table_survives_every_delimiter_and_decimal_mark(frame, sep, decimal):
    raw = written(frame, sep=sep, decimal=decimal, encoding="cp1252")
    options = ParseOptions(delimiter=sep, encoding="cp1252", decimal=decimal)
    table = read_table(raw, options=options)
    assert table.frame["Wörter"].tolist() == frame["Wörter"].tolist()
    np.testing.assert_array_equal(table.frame["Zahl"].astype(float), frame["Zahl"])


@given(st.lists(NUMBER.filter(lambda x: x != int(x)), min_size=2, max_size=20))
def test_semicolons_with_decimal_commas_in_windows_1252_are_found_out(numbers):
    frame = pd.DataFrame(
        {"größe": numbers, "art": ["ä", "ö"] * (len(numbers) // 2) + ["ß"] * (len(numbers) % 2)}
    )
    table, result, _ = read_with_layout(written(frame, sep=";", decimal=",", encoding="cp1252"))
    assert table.frame["größe"].tolist() == numbers
    assert (result.delimiter, result.decimal, result.encoding) == (";", ",", "cp1252")


def test_encodings_and_groups_of_thousands_are_recognized():
    table = read_table("a;b\n1;x\n2;ü\n\x1a".encode("cp1252"))
    assert any("not UTF-8 (first seen in line 3)" in note for note in table.notes)
    german = read_table(b'a;b\n"1.234,5";x\n1.000.000;y\n')
    english = read_table(b'a,b\n"1,234.5",x\n"1,000,000",y\n')
    spaced = read_table("a;b\n1 234,5;x\n1\u202f000\u00a0000;y\n".encode())
    for table in (german, english, spaced):
        assert table.frame["a"].tolist() == [1234.5, 1e6]
        assert any("grouped by thousands" in note for note in table.notes)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_encodings_are_reported_by_their_mark(encoding):
    table = read_table("a,b\nü,1\nø,2\nü,3\n".encode(encoding))
    assert table.frame["a"].tolist() == ["ü", "ø", "ü"]


@pytest.mark.parametrize("text", ["1e5", "1E+05", "+2.5e-3", ".5", "1.", "-0.25", "0.1"])
def test_numbers_are_read_as_python_reads_them(text):
    assert read_table(f"a,b\n{text},1\n7.5,2\n".encode()).frame["a"][0] == float(text)


def test_numbers_that_would_lose_digits_stay_text():
    table = read_table(b"zip,b\n01234,1\n10000,2\n99999,3\n")
    assert table.frame["zip"].tolist() == ["01234", "10000", "99999"]
    assert any("begin with a zero" in note for note in table.notes)
    table = read_table(b"a,b\n9007199254740993,1\n1,2\n")
    assert table.frame["a"].tolist() == ["9007199254740993", "1"]
    assert any("would not be exact" in note for note in table.notes)
    table = read_table(b"a,b\n1152921504606846976.0,1\n1152921504606846977.0,2\n5.0,3\n")
    assert table.frame["a"].tolist() == ["1152921504606846976.0", "1152921504606846977.0", "5.0"]
    assert any("In column 'a', numbers have many digits" in note for note in table.notes)
    table = read_table(b"a,b\n1152921504606846976.25,1\n1152921504606846976.5,2\n0.5,3\n")
    assert table.column("a").n_distinct == 3


@pytest.mark.parametrize("pattern", ["115292150460684697{}e0", "0.115292150460684697{}"])
def test_long_numbers_that_would_become_one_stay_text(pattern):
    cells = [pattern.format(k) for k in range(10)]
    table = read_table(("a,b\n" + "".join(f"{c},1\n" for c in cells)).encode())
    assert table.frame["a"].tolist() == cells
    assert any("would not be exact" in note for note in table.notes)


def test_cells_are_trimmed_counted_and_named():
    table = read_table(b"a,b\nNA,x\n3,?\n-,y\n4.5,NA\n6,x\n")
    assert table.frame["a"].isna().tolist() == [True, False, True, False, False]
    assert table.notes[0] == (
        "These cells are read as missing: 'NA' (2 cells), '-' (1 cell), '?' (1 cell)."
    )
    table = read_table(b"a,b\nNA,1\nDE,2\nNA,3\n", options=ParseOptions(missing=("",)))
    assert table.frame["a"].tolist() == ["NA", "DE", "NA"]
    assert read_table(b"a,b\n-,1\nx,2\ny,3\n").frame["a"].tolist() == ["-", "x", "y"]
    table = read_table(b"a,b\n1.5,x\ninf,y\ninf,y\n-Infinity,x\n2.5,y\n")
    assert table.frame["a"].isna().tolist() == [False, True, True, True, False]
    assert "Column 'a' is infinite in 3 of 5 rows (first: row 2)" in " ".join(table.notes)
    raw = "income,b\n" + "".join(f"{i},x\n" for i in range(16)) + "n/a-ish,y\n" + "5,x\n"
    table = read_table(raw.encode())
    assert table.frame["income"][16] == "n/a-ish"
    assert "Column 'income' holds text in 1 of 18 rows (first: row 17, 'n/a-ish')" in table.notes[0]
    table = read_table(b"a,b\nTRUE,true\nfalse,False\n,TRUE\n")
    assert table.frame["b"].tolist() == [True, False, True]
    assert table.frame["a"].isna().tolist() == [False, False, True]
    table = read_table(b"a,b\n x ,1\nx, 2\ny,3\n")
    assert table.frame["a"].tolist() == ["x", "x", "y"]
    assert table.frame["b"].tolist() == [1, 2, 3]
    assert "In columns 'a', 'b', spaces around cells are removed." in table.notes


def test_headers_and_numbers_are_read_on_request():
    table = read_table(b"a,b\n1,5,x\n".replace(b"1,5", b'"1,5"') + b'"2,5",y\nnone so far,x\n')
    numeric = table.as_numeric("a")
    assert numeric.frame["a"].tolist()[:2] == [1.5, 2.5]
    assert math.isnan(numeric.frame["a"][2])
    assert "1 of 3 cells could not be read and became missing (first: row 3" in numeric.notes[-1]
    assert not any("holds text" in note for note in numeric.notes)
    assert numeric.digest != table.digest
    with pytest.raises(DataError, match="Column 'b' has no cell that is a number"):
        read_table(b"a,b\n1,x\n2,y\n").as_numeric("b")
    table, result, _ = read_with_layout(b"1,2\n3,4\n5,6\n")
    assert table.frame["column 1"].tolist() == [1, 3, 5]
    assert result.header is False
    assert "read as data" in table.notes[0]
    table = read_table(b"2019,2020\n3,4\n5,6\n", options=ParseOptions(header=True))
    assert [c.name for c in table.columns] == ["2019", "2020"]


def test_unusual_delimited_files_are_read():
    assert read_table(b"sep=|\na|b\n1,5|2\n2,5|3\n").frame["a"].tolist() == [1.5, 2.5]
    table = read_table(b'a,b\n"x, ""y""\nz",1\nu,2\n')
    assert table.frame["a"][0] == 'x, "y"\nz'
    assert read_table(b"a,b\r1,2\r\r3,4\r").frame["a"].tolist() == [1, 3]
    table = read_table("Größe, cm;Gewicht, kg\n1,80;75,5\n1,70;65,1\n".encode())
    assert table.frame["Größe, cm"].tolist() == [1.8, 1.7]
    assert "one column only" in read_table(b"a:b\n1:2\n3:4\n").notes[0]
    gaps = read_table(b'c\n5\n""\n7\n\n8\n').frame["c"].isna()
    assert gaps.tolist() == [False, True, False, False]


@pytest.mark.parametrize("raw", [b"", b"\n \r\n\n", "\ufeff".encode()])
def test_an_empty_file_is_refused(raw):
    with pytest.raises(DataError, match=r"The file 'x.csv' was not read. The file is empty"):
        read_table(raw, name="x.csv")


WIDE = b",".join(b"c%d" % i for i in range(3000)) + b"\n"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a,b\n", "It has a header but no rows"),
        (b'a,b\n1,2\n3,"x\n4,5\n', "row of line 3 is never closed"),
        (b'a,b\n"x"y,2\n', "begins in line 2, a cell goes on after"),
        (b"a,b\n1," + b"x" * 200_000 + b"\n", "one in line 2 holds more than 131,072"),
        (b"a,b\n\x81,2\n", "byte 5, in line 2, does not fit"),
        ("a,b\n1,2\n".encode("utf-16-le"), "utf-16-le"),
        ("a,b\n1,2\n".encode("utf-16-be"), "utf-16-be"),
        (bytes(range(256)) * 9, "bytes of a program"),
        (bytes(range(1, 256)) * 9, "bytes of a program"),
        (WIDE + b"1," * 2999 + b"1\n", "at most 2,500 columns; this one has 3,000"),
        (WIDE + b'"never closed', "at most 2,500 columns"),
    ],
    ids=[
        "header",
        "open",
        "after",
        "long",
        "encoding",
        "zeros",
        "big",
        "bytes",
        "no zeros",
        "wide",
        "before rows",
    ],
)
def test_unreadable_text_is_named_by_its_place(raw, message):
    with pytest.raises(DataError, match=message):
        read_table(raw)


def test_files_are_refused_with_lines_limits_and_encodings():
    raw = b'a,b\n1,"x\ny"\n3\n4,5,6\n7,8\n9\n1\n'
    with pytest.raises(DataError, match="must have 2 cells") as caught:
        read_table(raw)
    message = str(caught.value)
    assert "line 4 has 1: '3'; line 5 has 3: '4,5,6'; line 7 has 1: '9'" in message
    assert "(4 such rows in all)" in message
    file = io.BytesIO(b"a,b\n" + b"1,2\n" * 1000)
    with pytest.raises(DataError, match="one has more"):
        read_table(file, limits=Limits(max_bytes=100))
    assert file.tell() == 101
    with pytest.raises(DataError, match="no text encoding 'klingon'"):
        read_table(b"a,b\n1,2\n", options=ParseOptions(encoding="klingon"))


@pytest.mark.parametrize(
    ("limit", "least", "sentence"),
    [
        ("max_rows", 5, "4 rows at most; this one has 5"),
        ("max_cells", 10, "9 cells at most; this one has 5 rows times 2 columns"),
        ("max_cell_length", 5, "4 characters at most; row 4 of column 'b' holds 5"),
        ("max_bytes", 28, "one has more"),
    ],
)
def test_each_limit_names_itself_and_what_was_found(limit, least, sentence):
    raw = b"a,b\n1,2\n1,2\n1,2\n1,xxxxx\n1,2\n"
    assert read_table(raw, limits=Limits(**{limit: least})).n_rows == 5
    with pytest.raises(DataError, match=sentence):
        read_table(raw, limits=Limits(**{limit: least - 1}))


@pytest.mark.parametrize("setting", [{"delimiter": "ab"}, {"delimiter": '"'}, {"decimal": ";"}])
def test_settings_that_cannot_be_are_refused(setting):
    with pytest.raises(ValueError, match="must be"):
        ParseOptions(**setting)


@pytest.mark.parametrize("cell", ["1e300", "1.5e18", "1152921504606846976.5"])
def test_large_measurements_are_numbers(cell):
    table = read_table(f"a,b\n{cell},1\n0.5,2\n".encode())
    assert table.frame["a"].tolist() == [float(cell), 0.5]


def test_quotation_marks_behind_backslashes_belong_to_the_text():
    table = read_table(b'a,b\n"The \\"big\\" 1",2\n"C:\\",3\n"y \\"z\\"",4\n')
    assert table.frame["a"].tolist() == ['The "big" 1', "C:\\", 'y "z"']
