"""JSON and the tables of web pages."""

import io
import json
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data import Limits, ParseOptions, read_table
from rulekit.exceptions import DataError, WideTableError

WORDS = st.text(st.sampled_from("abcXYZéü€–"), max_size=6).map(lambda text: f"w{text}")


@st.composite
def frames(draw):
    """A frame of texts, numbers with gaps and truth values."""
    n = draw(st.integers(2, 12))
    many = {"min_size": n, "max_size": n}
    numbers = st.floats(-1e9, 1e9).map(lambda x: round(x, 4) + 0.0) | st.none()
    frame = pd.DataFrame({"words": draw(st.lists(WORDS, **many)), "k": range(n)})
    frame["number"] = np.array([2.5, *draw(st.lists(numbers, **many))[1:]], dtype=float)
    frame["truth"] = draw(st.lists(st.booleans(), **many))
    return frame


WRITE = {
    orient: partial(pd.DataFrame.to_json, orient=orient, double_precision=15)
    for orient in ("records", "split", "columns", "index")
} | {
    "lines": partial(pd.DataFrame.to_json, orient="records", lines=True, double_precision=15),
    "comma": partial(pd.DataFrame.to_csv, index=False),
    "semicolon": partial(pd.DataFrame.to_csv, index=False, sep=";", decimal=","),
    "tab": partial(pd.DataFrame.to_csv, index=False, sep="\t", lineterminator="\r\n"),
}


@given(frames(), st.sampled_from([*WRITE, "excel", "parquet", "feather", "orc"]))
def test_what_pandas_writes_in_any_format_is_read_back(frame, form):
    if form in WRITE:
        raw = WRITE[form](frame).encode()
    else:
        settings = {"index": False} if form == "excel" else {}
        getattr(frame, f"to_{form}")(sink := io.BytesIO(), **settings)
        raw = sink.getvalue()
    table = read_table(raw)
    pd.testing.assert_frame_equal(table.frame, frame, check_dtype=False, rtol=1e-14)


ROWS = [{"n": k, "t": "ab"[k % 2]} for k in range(3)]
NAMED = [{"row name": f"r{k}", **row} for k, row in enumerate(ROWS)]
KEYED = {row["row name"]: ROWS[k] for k, row in enumerate(NAMED)}
BY_COLUMN = {name: {f"r{k}": row[name] for k, row in enumerate(ROWS)} for name in "nt"}
CELLS = [list(row.values()) for row in ROWS]
LINKS = [{"href": "x"}] * 9


@pytest.mark.parametrize(
    ("content", "expected", "note"),
    [
        (KEYED, NAMED, ""),
        (BY_COLUMN, NAMED, ""),
        ({"data": {"items": ROWS, "total": 3}}, ROWS, ""),
        (
            {"links": LINKS, "data": {"items": ROWS}},
            ROWS,
            "2 lists of records; 'data.items' is read",
        ),
        ([{"page": 1}, ROWS], ROWS, ""),
        ({"meta": {"columns": [{"name": "n"}, {"name": "t"}]}, "data": CELLS}, ROWS, ""),
        ({"columns": ["n", "t"], "data": ROWS}, ROWS, ""),
    ],
)
def test_records_inside_other_values_are_read(content, expected, note):
    table = read_table(json.dumps(content).encode())
    assert table.frame.to_dict("records") == expected
    assert note in " ".join(table.notes)


def test_records_one_after_the_other_are_read():
    table = read_table("\n".join(json.dumps(row, indent=1) for row in ROWS).encode())
    assert table.frame.to_dict("records") == ROWS


@given(frames())
def test_what_pandas_writes_as_a_web_page_is_read_back(frame):
    page = f"<html>{frame.to_html(index=False)}<table><tr><td>1</td></tr></table></html>"
    table = read_table(page.encode())
    np.testing.assert_allclose(table.frame["number"], frame["number"].round(6), 1e-5, 1e-5)
    assert table.frame["words"].tolist() == frame["words"].tolist()
    assert "The page has 2 tables; the largest" in " ".join(table.notes)


def test_nested_values_get_dotted_names_and_numbers_keep_all_digits():
    records = [{"id": 1, "who": {"age": 5, "tags": ["x"]}}, {"id": 2, "who": {"age": 7}, "z": "q"}]
    table = read_table(json.dumps({"count": 2, "results": records}).encode())
    assert table.frame.columns.tolist() == ["id", "who.age", "z"]
    assert table.frame["z"].isna().tolist() == [True, False]
    assert "Lists and nested values are not read: 'who.tags'." in table.notes
    table = read_table(f'[{{"a": {2**60 + 1}, "b": 1}}, {{"a": {2**60}, "b": 2}}]'.encode())
    assert table.frame["a"].tolist() == [str(2**60 + 1), str(2**60)]
    table = read_table(b"[[1.5, 2], [2.5, 7], [3.5, 4]]")
    assert table.frame.iloc[:, 0].tolist() == [1.5, 2.5, 3.5]


@pytest.mark.parametrize(
    "content",
    [
        {"a": [1, 2], "b": ["x", "y"]},
        {"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}},
        {"0": {"a": 1, "b": "x"}, "1": {"b": "y", "a": 2}},
        {"columns": ["a", "b"], "data": [[1, "x"], [2, "y"]]},
        [["a", "b"], [1, "x"], [2, "y"]],
        {"page": 1, "rows": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]},
    ],
)
def test_each_form_of_a_table_is_read(content):
    table = read_table(json.dumps(content).encode())
    assert table.frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
    chosen = read_table(json.dumps(content).encode("utf-16"), options=ParseOptions(columns=("b",)))
    assert list(chosen.frame) == ["b"]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"a": 1}\n{"a": }\n', "Record 2 is no JSON"),
        (b'[{"a": 1, "a": 2}]', "has 'a' twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": {"b": {"c": 1}}, "d": 2}', "no table that is known"),
        (b'[{"a": [1]}, {"a": [2]}]', "Give a list of records of plain values"),
        (b"[[1, 2], 3]", "no table that is known"),
        (b'{"columns": ["a"], "data": [[1, 2]]}', "no table that is known"),
        (b'{"columns": ["a", "a"], "data": [[1, 2]]}', "no table that is known"),
        (b'{"columns": 5, "data": [[1, 2]]}', "no table that is known"),
        (b"[[1, [2]]]", "rows of the JSON file hold lists"),
        (b"[[], []]", "The file is empty"),
        (b'[{"a": "' + b"x" * 20_000 + b'"}]', "row 1 of column 'a' holds 20,000"),
    ],
)
def test_json_without_a_table_is_refused(raw, message):
    with pytest.raises(DataError, match=message):
        read_table(raw)


def test_limits_hold_in_documents():
    rows = "".join(f"<tr><td>{k}</td><td>x</td></tr>" for k in range(9))
    for raw in (b'[{"a": 1}' + b', {"a": 1}' * 8 + b"]", f"<table>{rows}</table>".encode()):
        with pytest.raises(DataError, match="A table may have 7 rows at most"):
            read_table(raw, limits=Limits(max_rows=7))
    wide = [{f"c{k}": k for k in range(9)}]
    with pytest.raises(WideTableError, match="at most 8 columns; this one has 9"):
        read_table(json.dumps(wide).encode(), limits=Limits(max_columns=8))


def test_cells_of_a_page_over_several_rows_and_columns_are_filled():
    page = """<table><tr><th rowspan=2>region<th colspan=2>2019<tr><th>cost<th>gain
    <tr><td rowspan=2>north<td>1<sup>[a]</sup><td>2<tr><td>3<td>4<tr><td>south<td>5<td>6</table>"""
    table = read_table(page.encode())
    assert table.frame.columns.tolist() == ["region", "2019 cost", "2019 gain"]
    assert table.frame["region"].tolist() == ["north", "north", "south"]
    assert table.frame["2019 cost"].tolist() == [1, 3, 5]
    page = """<table><tr><th>a<th>b<th>c<tr><td rowspan=2 colspan=2>x<td>1<tr><td>2
    <tr><td>y<td>z<td>3<tr><td>y<td>z<td>4</table>"""
    assert read_table(page.encode()).frame["b"].isna().tolist() == [True, True, False, False]
