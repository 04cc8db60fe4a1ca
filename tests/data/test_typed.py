"""Data frames and labels of any make, as tables store them and as rules read them."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data import Table, columns_of
from rulekit.data.typed import as_pandas, read_labels
from rulekit.exceptions import DataError


def column(values, **settings):
    """What rules read of one column."""
    return columns_of(pd.DataFrame({"a": pd.Series(values, **settings)}))["a"]


GAP = {"a": [np.nan, 2.0], "b": ["x", "y"]}
CELLS = [
    ("int8 uint64 float32 Int64 UInt8 Float64 int64[pyarrow] object", [1, 2, 3], [1.0, 2.0, 3.0]),
    ("float64 Int64 double[pyarrow] object", [1, None, 3], [1.0, np.nan, 3.0]),
    ("boolean object bool[pyarrow]", [True, None, False], [True, None, False]),
    ("object str string category string[pyarrow]", ["x", None, "y"], ["x", None, "y"]),
]


@pytest.mark.parametrize(
    ("dtype", "values", "expected"), [(d, *case) for dtypes, *case in CELLS for d in dtypes.split()]
)
def test_every_type_of_column_becomes_that_of_rules(dtype, values, expected):
    result = column(values, dtype=dtype)
    assert result.dtype == (np.float64 if isinstance(expected[0], float) else object)
    np.testing.assert_equal(result.tolist(), expected)
    assert list(map(type, result.tolist())) == list(map(type, expected))


def test_objects_become_numbers_or_text_or_are_refused():
    for gap in (None, np.nan, pd.NA, pd.NaT):
        assert column(["x", gap], dtype=object).tolist() == ["x", None]
    assert column(["x", 1, True], dtype=object).tolist() == ["x", "1", "True"]
    assert column([1, 2], dtype="category").tolist() == ["1", "2"]
    assert column([decimal.Decimal("1.5"), None], dtype=object)[0] == 1.5
    days = column([datetime.datetime(2024, 5, 1), None])
    assert days.tolist() == ["2024-05-01", None]
    assert column([1.0, np.inf]).tolist() == [1.0, np.inf]
    with pytest.raises(DataError, match="Column 'a' holds complex numbers"):
        column([1j])
    with pytest.raises(DataError, match="'a' occurs twice"):
        columns_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    frame = pd.DataFrame({0: ["x", None], 1: [1.0, np.inf]})
    before = frame.copy()
    assert list(columns_of(frame)) == ["0", "1"]
    Table.from_frame(frame)
    pd.testing.assert_frame_equal(frame, before)


SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=3)


@given(st.lists(SCALARS, min_size=1, max_size=8))
def test_a_table_and_its_frame_give_rules_the_same_columns(values):
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object), "b": range(len(values))})
    table = Table.from_frame(frame)
    read, again = columns_of(frame)["a"], columns_of(table.frame)["a"]
    if read.dtype == np.float64:
        read = np.where(np.isinf(read), np.nan, read)
        np.testing.assert_array_equal(read, again)
    else:
        assert read.tolist() == again.tolist()


def test_every_kind_of_column_becomes_its_pandas_type():
    day = datetime.datetime(2020, 1, 1)
    other = pl.DataFrame(
        {
            "whole": [1, 2**53 + 1, None],
            "number": [1.5, None, float("nan")],
            "truth": [True, None, False],
            "text": ["a", None, "b"],
            "day": [day.date(), None, day.date()],
            "moment": [day, None, day],
            "span": [datetime.timedelta(days=1), None, datetime.timedelta(days=2)],
            "order": pl.Series(["low", None, "high"], dtype=pl.Enum(["low", "mid", "high"])),
        }
    )
    for frame in (other, other.to_arrow()):
        result = as_pandas(frame)
        assert result["whole"].tolist() == [1, 2**53 + 1, pd.NA]
        assert result["number"].isna().tolist() == [False, True, True]
        assert result["truth"].tolist() == [True, None, False]
        assert result["text"].isna().tolist() == [False, True, False]
        assert result["day"][0] == result["moment"][0] == pd.Timestamp(day)
        assert result["span"][2] == pd.Timedelta(days=2)
        assert result["order"].cat.ordered
        assert result["order"].cat.categories.tolist() == ["low", "mid", "high"]


def test_other_objects_are_returned_and_queries_rejected():
    rows, masked = [[1, 2]], np.ma.array([1, 2**60], mask=[True, False])
    assert as_pandas(rows) is rows
    assert as_pandas(masked).tolist() == [None, 2**60]
    pairs = np.ma.array([(1, "x"), (2, "y")], dtype=[("a", ">i4"), ("b", "U1")])
    pairs["a"][0] = np.ma.masked
    for table in (pairs, pa.RecordBatch.from_pydict({"a": [None, 2], "b": ["x", "y"]})):
        read = columns_of(as_pandas(table))
        np.testing.assert_equal({k: v.tolist() for k, v in read.items()}, GAP)
    with pytest.raises(DataError, match=r"a LazyFrame is a query .* `\.collect\(\)`"):
        as_pandas(pl.LazyFrame({"a": [1]}))
    with pytest.raises(DataError, match="Column names must differ"):
        as_pandas(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_periods_are_dates_and_views_of_text_are_text():
    months = pd.period_range("2024-01", periods=3, freq="M")
    begins = ["2024-01-01", "2024-02-01", "2024-03-01"]
    days = [pa.array(months.start_time.date, kind) for kind in (pa.date32(), pa.date64())]
    for table in (
        pd.DataFrame({"m": months}),
        {"m": months.to_series()},
        {"m": pd.Series(list(months), dtype=object)},
        *({"m": pd.Series(cells, dtype=pd.ArrowDtype(cells.type))} for cells in days),
    ):
        frame = as_pandas(table)
        assert columns_of(frame)["m"].tolist() == begins
        assert Table.from_frame(table).column("m").kind == "date"
    views = pa.table({"t": pa.array(["a", None], pa.string_view())})
    assert columns_of(as_pandas(views))["t"].tolist() == ["a", None]
    lists = pa.array([["a"], None])
    nested = pd.DataFrame({"t": pd.Series(pd.array(lists, dtype=pd.ArrowDtype(lists.type)))})
    assert columns_of(as_pandas(nested))["t"].tolist() == ["['a']", None]


def spellings(values):
    """Return the same labels in each type that can hold them."""
    series = pd.Series(values.tolist())
    text = values.dtype.kind in "OU"
    nullable = {"b": "boolean", "i": "Int64", "f": "Float64"}.get(values.dtype.kind, "string")
    arrow = {"b": "bool", "i": "int64", "f": "double"}.get(values.dtype.kind, "string")
    made = {
        "list": values.tolist(),
        "object": series.astype(object),
        nullable: series.astype(nullable),
        arrow: series.astype(f"{arrow}[pyarrow]"),
        "category": series.astype("category"),
        "category of nullable": series.astype(nullable).astype("category"),
        "frame": series.to_frame(),
        "big endian": values.astype(values.dtype.newbyteorder(">")),
        "sparse": series if text else pd.Series(pd.arrays.SparseArray(values)),
        "polars": pl.Series(values.tolist()),
        "arrow": pa.array(values.tolist()),
        "dictionary": pa.array(values.tolist()).dictionary_encode(),
        "chunks": pa.chunked_array([values.tolist()]),
    }
    if text:
        made |= {"polars": pl.Series(values.tolist(), dtype=pl.Enum(sorted(set(values))))}
    if values.dtype.kind == "i":
        decimals = [decimal.Decimal(v) for v in values.tolist()]
        made |= {"decimals": decimals, "polars decimals": pl.Series(decimals)}
        if hasattr(pl, "Int128"):
            made |= {"Int128": pl.Series(values.tolist(), dtype=pl.Int128)}
    return made


LABELS = {
    "truth": np.array([True, False, False]),
    "codes": np.array([2**60 + 1, 2**60, 7]),
    "numbers": np.array([1.0, 0.0, 0.0]),
    "text": np.array(["yes", "0", "True"], dtype=object),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_keep_their_type_in_every_dtype(kind):
    for name, target in spellings(LABELS[kind]).items():
        labels = read_labels(target).ravel()
        assert labels.tolist() == LABELS[kind].tolist(), name
        assert labels.dtype.isnative, name
        assert labels.dtype.kind == LABELS[kind].dtype.kind, name


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (pd.cut(pd.Series([1, 2, 3]), 2), "text, truth values or numbers; found Interval"),
        (np.array(["2024-01-01"], "M8[D]"), "found Timestamp .* Convert them to text"),
        (pd.Series(pd.to_datetime(["2024-01-01"]).as_unit("ns")), "found Timestamp"),
        (np.array([3], "m8[ns]"), "found Timedelta"),
        (pl.Series([b"a"]), "found bytes"),
        ([[1], [2, 3]], "found list"),
        (np.array([1j]), "found complex"),
        ([2**70, 1], "at most 64 bits; found 1180591620717411303424"),
    ],
)
def test_other_labels_are_refused_by_the_name_of_their_type(target, message):
    with pytest.raises(DataError, match=message):
        read_labels(target)


@pytest.mark.parametrize("label", ["\0", "yes\0"])
def test_labels_that_numpy_would_shorten_are_refused(label):
    with pytest.raises(DataError, match=r"must not end with a zero character.*\\x00"):
        read_labels(pd.Series([label, "no", None]))


def test_texts_of_numpy_are_plain_labels():
    assert [type(v) for v in read_labels([np.str_("a"), "b", None])] == [str, str, type(None)]
