"""What the columns of a table are."""

from datetime import timedelta
from decimal import Decimal

import pandas as pd
import polars as pl
import pytest

from rulekit.data import infer
from rulekit.data.columns.kinds import has_date_shape, has_offset, order_of_days, read_dates
from rulekit.exceptions import DataError
from rulekit.rules import ColumnSchema

DAYS = ["2021-04-18T00:00:00Z", "2021-04-19T12:00:00Z"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.5, 2.5, None], {"kind": "number", "low": 1.5, "high": 2.5, "gaps": True}),
        ([3, 1], {"kind": "whole number", "low": 1.0, "high": 3.0}),
        ([Decimal(1), 2.5, 3], {"kind": "number"}),
        ([True, None, False], {"kind": "truth value", "gaps": True}),
        (["b", "a", "b"], {"kind": "level", "levels": ("a", "b"), "gaps": False}),
        (pd.Categorical([3.0, None, 1.0]), {"kind": "level", "levels": ("1", "3")}),
        (pd.Categorical(["lo", "hi"], ["lo", "hi"], ordered=True), {"kind": "grade"}),
        (DAYS, {"kind": "date", "zone": "UTC", "time": True, "low": "2021-04-18"}),
        (["31.12.2024", "01.12.2024"], {"kind": "date", "day_first": True, "time": False}),
        (["03.04.2024", "01.02.2024"], {"kind": "level"}),
        ([timedelta(days=2), timedelta(hours=12)], {"kind": "duration", "low": 0.5, "high": 2.0}),
        (pd.Categorical(pd.to_timedelta([36, 12], "h")), {"kind": "duration", "high": 1.5}),
        ([b"a", b"b"], {"kind": "level", "levels": ("a", "b")}),
    ],
)
def test_a_column_is_what_its_values_are(values, expected):
    (column,) = infer({"c": values}).columns
    assert {name: getattr(column, name) for name in expected} == expected


def test_tables_of_any_library_are_the_same_up_to_1000_levels():
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    expected = infer(pd.DataFrame(rows))
    assert infer(rows) == infer(pl.DataFrame(rows)) == infer(pl.DataFrame(rows).to_arrow())
    assert infer(rows) == expected == infer({"a": [1, 2], "b": ["x", "y"]})
    assert expected.column("b") == ColumnSchema("b", "level", levels=("x", "y"), gaps=False)
    assert infer({"c": [f"level {k}" for k in range(1001)]}).columns[0].levels is None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024-03-01T12:30:00.999Z", "2024-03-01 12:30:00"),
        ("2024-03-01 00:30:00+01:00", "2024-02-29 23:30:00"),
        ("2024-03-01T00:30-0130", "2024-03-01 02:00:00"),
        ("31.12.2024", "2024-12-31"),
        ("31.12.2024 06:05", "2024-12-31 06:05:00"),
        ("12/31/2024", "2024-12-31"),
        ("31.02.2024", None),
        ("soon", None),
        ("9999-12-31T23:59:59-05:00", None),
    ],
)
def test_dates_are_read_in_utc_and_whole_seconds(text, date):
    assert read_dates([text], "d", None) == [date]


def test_one_text_decides_the_order_and_shapes_are_told_apart():
    assert read_dates(["03.04.2024", "31.12.2024"], "d", None) == ["2024-04-03", "2024-12-31"]
    assert read_dates(["03.04.2024"], "d", False) == ["2024-03-04"]
    assert read_dates(["2021/03/04", "03.04.2021 1:30+02:00"], "d", True) == [
        "2021-03-04",  # whatever the order of days in other cells
        "2021-04-02 23:30:00",
    ]
    assert read_dates(["04/13/2021"], "d", True) == [None]
    with pytest.raises(DataError, match=r"'d' day and month are ambiguous \('03.04.2024'\)"):
        read_dates(["2024-01-01", "03.04.2024"], "d", None)
    orders = [order_of_days([t]) for t in ("31.12.2024", "12/31/2024", "1/2/2024")]
    assert orders == [True, False, None]
    assert all(map(has_date_shape, ("1.2.2020", "03/04/21 10:30", "1 May 2020")))
    assert not has_date_shape("1.5")
    offsets = [has_offset(t) for t in ("2024-03-01 10:00Z", "2024-03-01 10:00", "x")]
    assert offsets == [True, False, False]
