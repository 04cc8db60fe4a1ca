"""The one place that asks an engine: what columns are to rules, and what an engine refuses."""

import datetime as dt

import ibis
import pyarrow as pa
import pytest

from rulekit._engine import fetch, is_engine_table, kind_of, number, read
from rulekit.exceptions import DataError
from tests.engine_tables import in_memory


@in_memory
def test_columns_are_distinguished_by_what_rules_read_of_them(put):
    moments = [dt.datetime(2024, 2, 29, 18, 30, 59, 999_999)]
    table = put(
        pa.table(
            {
                "n": pa.array([2], pa.int8()),
                "x": [float("nan")],
                "flag": [True],
                "name": pa.array(["a"]).dictionary_encode(),
                "opened": pa.array(moments, pa.timestamp("us")),
                "day": [dt.date(2024, 3, 3)],
            }
        )
    )
    kinds = {name: kind_of(table[name]) for name in table.columns}
    assert list(kinds.values()) == ["number", "number", "boolean", "text", "date", "date"]
    result = fetch(table.select(**{name: read(table[name]) for name in table.columns})).to_pylist()
    assert result == [
        {"n": 2.0, "x": None, "flag": True, "name": "a"}
        | {"opened": "2024-02-29 18:30:59", "day": "2024-03-03"}
    ]


@in_memory
@pytest.mark.parametrize(
    "cells",
    [
        pa.array([[1]]),
        pa.array([b"a"]),
        pa.array([dt.time(12)]),
        pa.array([dt.datetime(2024, 1, 1)], pa.timestamp("us", "UTC")),
    ],
)
def test_a_column_that_no_rule_can_read_is_named(put, cells):
    table = put(pa.table({"x": cells}))
    with pytest.raises(DataError, match="Column 'x' must hold numbers, text, truth"):
        kind_of(table.x)


@in_memory
def test_database_messages_are_shown(put):
    table = put(pa.table({"x": ["1", "two"]}))
    with pytest.raises(DataError, match="Conversion Error"):
        fetch(table.select(x=table.x.cast("float64")))


@pytest.mark.parametrize("value", [0.1, 1 / 3, 5e-324, 1.79e308, 12345678901234.678])
def test_a_number_arrives_to_the_last_bit(value):
    table = ibis.memtable(pa.table({"k": [1]}))
    assert fetch(table.select(x=number(value)))["x"][0].as_py() == value


def test_only_a_table_of_ibis_is_one_of_an_engine():
    assert is_engine_table(ibis.table({"x": "int64"}, name="t"))
    assert not is_engine_table(pa.table({"x": [1]}))
