"""What is explained: the rule of a model, and a table as the rule's columns."""

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, DataError
from rulekit.explain.subject import columns_for, row_values, value_at
from rulekit.rules.condition import as_column
from tests.explain.tables import patients


def test_tables_of_any_kind_give_the_columns_by_name():
    rule, frame = patients()
    read = columns_for(rule, frame)
    again = columns_for(rule, read)
    assert list(again) == list(rule.features)
    assert set(again.names) == set(again.complete()) == set(frame.columns)
    assert again["glucose"] is read["glucose"]
    with pytest.raises(DataError, match="reads columns 'glucose', 'colour', which"):
        columns_for(rule, frame[["age", "zip"]])


def test_a_model_reads_arrays_and_columns_as_in_training():
    dates = pd.date_range("2020-01-01", periods=60).strftime("%Y-%m-%d").tolist()
    X = pd.DataFrame({"x": np.arange(60.0), "since": dates})
    y = np.where(np.arange(60) < 30, "early", "late")
    model = BoxSearchClassifier().fit(X[["x"]].to_numpy(), y)
    read = columns_for(model, X[["x"]].to_numpy())
    assert [list(read), read["x0"].tolist()] == [["x0"], X["x"].tolist()]
    model = BoxSearchClassifier().fit(X[["since"]], y)
    read = columns_for(model, pd.DataFrame({"since": ["2020-01-05", "unknown"]}))
    assert "'since' is read as dates: 1 of 2" in read.report.misfits[0].sentence()
    assert pd.isna(read["since"]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("cell", "value"), [(np.nan, None), (None, None), (np.True_, True), ("a", "a"), (3, 3.0)]
)
def test_a_cell_is_a_plain_value(cell, value):
    result = value_at(np.array([cell], dtype=object), 0)
    assert result == value
    assert type(result) is type(value)


def test_a_row_read_and_made_a_column_again_is_the_same():
    columns = {"a": np.array([1.5, np.nan]), "b": np.array(["x", None], dtype=object)}
    rows = [row_values(columns, i) for i in range(2)]
    assert rows == [{"a": 1.5, "b": "x"}, {"a": None, "b": None}]
    for name, column in columns.items():
        again = as_column([row[name] for row in rows])
        assert again.dtype == column.dtype
        assert repr(again) == repr(column)
    assert as_column([True, None]).dtype == object
