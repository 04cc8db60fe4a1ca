"""Parquet, Feather and ORC files."""

import datetime
import decimal
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from rulekit.data import Limits, read_table
from rulekit.data.reading import columnar
from rulekit.exceptions import DataError


def parquet(table, **settings):
    """Bytes of a Parquet file."""
    if isinstance(table, dict):
        table = pa.table(table)
    file = io.BytesIO()
    pq.write_table(table, file, **settings)
    return file.getvalue()


def test_every_type_that_a_rule_can_test_is_read():
    table = read_table(
        parquet(
            {
                "whole": pa.array([1, None, 3], pa.int32()),
                "float": pa.array([1.5, np.nan, None]),
                "text": ["x", None, "y"],
                "level": pa.array(["u", "v", None]).dictionary_encode(),
                "truth": [True, None, False],
                "money": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("2.50")]),
                "day": [datetime.date(2024, 1, 1), None, datetime.date(2024, 1, 2)],
            }
        )
    )
    assert table.frame["money"].tolist()[::2] == [1.25, 2.5]
    assert table.frame["level"].tolist()[:2] == ["u", "v"]
    assert [c.n_missing for c in table.columns] == [1, 2, 1, 1, 1, 1, 1]
    kinds = ["boolean", "boolean", "category", "category", "boolean", "boolean", "date"]
    assert [c.kind for c in table.columns] == kinds


def test_text_that_would_swell_is_refused():
    long = pa.DictionaryArray.from_arrays(np.zeros(100_000, np.int32), ["x" * 9_000])
    raw = parquet({"a": long, "b": np.arange(100_000)})
    assert len(raw) < 1_000_000
    with pytest.raises(DataError, match="column 'a' holds 900,000,000"):
        read_table(raw)


def test_columns_of_any_name_keep_their_own_content():
    nested = pa.array([{"u": 1, "v": [2]}, {"u": 3, "v": [4]}])
    table = read_table(
        parquet(pa.table({"s": nested, "a": [7, 8], "raw": [b"x", b"y"], "c": [9, 1]}))
    )
    assert table.frame["a"].tolist() == [7, 8]
    assert table.frame["c"].tolist() == [9, 1]
    assert "Columns 's' (struct<" in table.notes[0]
    assert "'raw' (binary) cannot be tested by a rule and was left out." in table.notes[0]
    raw = parquet(pa.Table.from_arrays([pa.array([1, 2]), pa.array(["x", "y"])], names=["a", "a"]))
    table = read_table(raw)
    assert table.frame["a"].tolist() == [1, 2]
    assert table.frame["a (2)"].tolist() == ["x", "y"]
    table = read_table(parquet({"a": [1, 2], "a.b": [3, 4], "a.b.c": [[5], [6]], "b": [7, 8]}))
    assert table.frame.to_dict("list") == {"a": [1, 2], "a.b": [3, 4], "b": [7, 8]}


def test_files_without_a_readable_table_are_refused():
    with pytest.raises(DataError, match="lists, structures or bytes only"):
        read_table(parquet({"a": [[1], [2]]}))
    with pytest.raises(DataError, match="row 2 of column 'a' holds 5"):
        read_table(parquet({"a": ["x", "xxxxx"]}), limits=Limits(max_cell_length=4))
    with pytest.raises(DataError, match="but no rows"):
        read_table(parquet({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())}))
    with pytest.raises(DataError, match="The Parquet file is damaged"):
        read_table(parquet({"a": [1, 2], "b": [3, 4]})[:-20])


@pytest.mark.slow
def test_two_hundred_million_declared_rows_are_refused_by_the_footer():
    file = io.BytesIO()
    chunk = pa.table({"a": pa.nulls(10_000_000, pa.int8())})
    with pq.ParquetWriter(file, chunk.schema, write_statistics=False) as writer:
        for _ in range(20):
            writer.write_table(chunk)
    assert len(file.getvalue()) < 1_000_000
    with pytest.raises(DataError, match="1,000,000 rows at most; this one has 200,000,000"):
        read_table(file.getvalue())


def test_numbers_and_times_are_read_without_loss():
    table = read_table(parquet({"a": [2**60 + 1, 5], "b": [1, 2]}))
    assert table.frame["a"].tolist() == ["1152921504606846977", "5"]
    keys = [2**60 + k for k in range(60)]
    kind = pa.decimal128(38, 0)
    raw = parquet({"key": pa.array([*map(decimal.Decimal, keys), None], kind), "a": range(61)})
    table = read_table(raw)
    assert table.frame["key"].tolist()[:60] == [str(key) for key in keys]
    assert table.column("key").n_distinct == 60
    assert any("'key' holds whole numbers above" in note for note in table.notes)
    cells = [decimal.Decimal(2**53 - 1), None, decimal.Decimal(5)]
    table = read_table(parquet({"a": pa.array(cells, pa.decimal256(50, 3)), "b": [1, 2, 3]}))
    assert table.frame["a"].tolist()[::2] == [2**53 - 1, 5]
    cells = [decimal.Decimal(f"0.1000000000000000000{k}") for k in range(10, 70)]
    short = [decimal.Decimal(f"0.{k}") for k in range(10, 70)]
    kind = pa.decimal128(38, 25)
    table = read_table(parquet({"a": pa.array(cells, kind), "b": pa.array(short, kind)}))
    assert table.column("a").n_distinct == 60
    assert table.frame["b"].tolist() == [float(v) for v in short]
    days = [datetime.date(9999, 12, 31), datetime.date(1, 1, 1)]
    one = read_table(parquet({"d": days, "a": [1, 2]}))
    other = read_table(parquet({"d": days[::-1], "a": [1, 2]}))
    assert one.column("d").kind == "date"
    assert one.digest != other.digest
    stamps = pa.array([0, None], pa.timestamp("us", tz="Europe/Rome"))
    table = read_table(parquet({"d": stamps, "a": [1, 2]}))
    assert (table.column("d").n_missing, len(table.digest)) == (1, 64)
    nanoseconds = pa.array([23_400_000_000_001, 23_400_500_000_000, 0, None], pa.time64("ns"))
    seconds = pa.array([23_400, 600, 0, None], pa.time32("s"))
    table = read_table(parquet({"t": nanoseconds, "s": seconds, "a": range(4)}))
    assert table.frame["t"].tolist()[:3] == ["06:30:00.000000001", "06:30:00.5", "00:00:00"]
    assert table.frame["s"].tolist()[:3] == ["06:30:00", "00:10:00", "00:00:00"]
    assert table.frame["t"].isna().tolist()[3]


def test_values_that_cannot_be_converted_are_no_damage(monkeypatch):
    def fail(*_):
        raise pa.ArrowInvalid("would lose data")

    monkeypatch.setattr(columnar, "_decimals", fail)
    with pytest.raises(DataError, match=r"Column 'a' \(decimal.*\) holds values that cannot"):
        read_table(parquet({"a": [decimal.Decimal("1.5"), decimal.Decimal("2.5")]}))


@pytest.mark.parametrize("groups", [1, 2])
def test_order_of_a_dictionary_is_kept(groups):
    levels = ["low", "middle", "high"]
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "g": ["high", None, "low", "high"]})
    frame["g"] = pd.Categorical(frame["g"], levels, ordered=True)
    file = io.BytesIO()
    frame.to_parquet(file, row_group_size=len(frame) // groups)
    table = read_table(file.getvalue())
    assert table.column("g").order == tuple(levels)
    assert table.frame["g"].tolist()[::2] == ["high", "low"]
    frame["g"] = frame["g"].cat.as_unordered()
    frame.to_parquet(file := io.BytesIO())
    assert read_table(file.getvalue()).column("g").order == ()


def written(frame, kind):
    """Bytes of a Feather or ORC file."""
    file = io.BytesIO()
    if kind == "stream":
        table = pa.Table.from_pandas(frame)
        with pa.ipc.new_stream(file, table.schema) as stream:
            stream.write_table(table)
    elif kind == "feather":
        frame.to_feather(file)
    else:
        orc.write_table(pa.Table.from_pandas(frame), file)
    return file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["feather", "stream", "orc"])
def test_feather_and_orc_are_read_like_parquet(kind):
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [0.5, None, 2.5], "c": ["x", None, "z"]})
    frame["d"] = pd.date_range("2024-01-01", periods=3)
    raw, file = written(frame, kind), io.BytesIO()
    frame.to_parquet(file)
    expected = read_table(file.getvalue()).frame
    pd.testing.assert_frame_equal(read_table(raw).frame, expected, check_dtype=False)
    with pytest.raises(DataError, match=r"The (Feather|ORC) file is damaged|not text"):
        read_table(raw[: len(raw) // 2] + raw[-20:])
