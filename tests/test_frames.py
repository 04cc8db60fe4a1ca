"""Tables of other libraries become pandas frames without losing a digit."""

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rulekit._frames import as_pandas
from rulekit.exceptions import DataError


def test_every_kind_of_column_becomes_its_pandas_type():
    day = dt.datetime(2020, 1, 1)
    other = pl.DataFrame(
        {
            "whole": [1, 2**53 + 1, None],
            "number": [1.5, None, float("nan")],
            "truth": [True, None, False],
            "text": ["a", None, "b"],
            "day": [day.date(), None, day.date()],
            "moment": [day, None, day],
            "span": [dt.timedelta(days=1), None, dt.timedelta(days=2)],
            "order": pl.Series(["low", None, "high"], dtype=pl.Enum(["low", "mid", "high"])),
        }
    )
    for given in (other, other.to_arrow()):
        found = as_pandas(given)
        assert found["whole"].tolist() == [1, 2**53 + 1, pd.NA]
        assert found["number"].isna().tolist() == [False, True, True]
        assert found["truth"].tolist() == [True, None, False]
        assert found["text"].isna().tolist() == [False, True, False]
        assert found["day"][0] == found["moment"][0] == pd.Timestamp(day)
        assert found["span"][2] == pd.Timedelta(days=2)
        assert found["order"].cat.ordered
        assert found["order"].cat.categories.tolist() == ["low", "mid", "high"]


def test_other_objects_are_returned_and_queries_rejected():
    rows = [[1, 2]]
    assert as_pandas(rows) is rows
    with pytest.raises(DataError, match=r"a LazyFrame is a query .* `\.collect\(\)`"):
        as_pandas(pl.LazyFrame({"a": [1]}))
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(DataError, match="Column names must differ"):
        as_pandas(twice)
