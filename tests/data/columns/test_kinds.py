"""What the columns of a table are."""

from datetime import timedelta
from decimal import Decimal

import pandas as pd
import polars as pl
import pytest

from rulekit.data import infer
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
