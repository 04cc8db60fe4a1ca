"""Tables are read as the columns of a schema: exactly, or not at all."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest

from rulekit.data import conform, infer
from rulekit.data.columns.conform import RuleColumns
from rulekit.exceptions import DataError
from rulekit.rules import ColumnSchema, Schema

CODES = ColumnSchema("c", "level", levels=("1", "2", "4"), gaps=False)
ZEROS = ColumnSchema("c", "level", levels=("01", "04"))
TRUTH = ColumnSchema("c", "level", levels=("False", "True"))
NUMBER = ColumnSchema("c", "number", low=0.0, high=9.0, gaps=True)
FLAG = ColumnSchema("c", "truth value")
DATE = ColumnSchema("c", "date", day_first=True)
WORDS = ColumnSchema("c", "level", levels=("red",), missing=("?", "k.A."))
PERCENT = ColumnSchema("c", "number", decimal=",", percent=True, missing=("k.A.",))


def read(column, values):
    columns, _ = conform({"c": values}, Schema((column,)))
    return [None if v is None or v != v else v for v in columns["c"].tolist()]


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        (CODES, [4.0, np.nan, 1.0], ["4", None, "1"]),
        (CODES, ["4.0", "1", "4 "], ["4", "1", "4 "]),
        (CODES, ["04", 7, 1], ["04", "7", "1"]),
        (ZEROS, [4, 1.0], ["04", "01"]),
        (TRUTH, [True, False], ["True", "False"]),
        (TRUTH, ["TRUE", "false"], ["True", "False"]),
        (NUMBER, ["1.5", "-2"], [1.5, -2.0]),
        (NUMBER, ["1,5", "2,25", ""], [1.5, 2.25, None]),
        (PERCENT, ["12,5 %", "k.A."], [12.5, None]),
        (ColumnSchema("c", "number", unit="kg"), ["3 kg", "4"], [3.0, 4.0]),
        (WORDS, ["?", " k.A.", "red", "x"], [None, None, "red", "x"]),
        (replace(WORDS, levels=("red", "?")), ["?", "k.A."], ["?", None]),
        (replace(WORDS, merged=True), ["RED ", "red", "?", "x"], ["red", "red", None, "x"]),
        (FLAG, [1, 0.0], [True, False]),
        (FLAG, ["true", "FALSE", "1"], [True, False, True]),
        (DATE, ["03.04.2024"], ["2024-04-03"]),
        (DATE, [pd.Timestamp("2024-03-01 10:00:00.9")], ["2024-03-01 10:00:00"]),
        (ColumnSchema("c", "duration"), ["1 day 12:00:00", "2.5"], [1.5, 2.5]),
        (ColumnSchema("c", "number"), [timedelta(hours=6)], [0.25]),
        (ColumnSchema("c", "any"), [1, 2], [1.0, 2.0]),
    ],
)
def test_what_is_certain_is_converted(column, values, expected):
    assert read(column, values) == expected


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        (NUMBER, ["a", "b"], "must hold numbers, as when the rule was learned; none of its 2"),
        (NUMBER, ["1,234", "5,678"], "not certain whether '1,234' has a decimal comma"),
        (NUMBER, [1.0, np.inf], "must hold finite numbers or gaps"),
        (NUMBER, [timedelta(hours=6)] * 2, "must hold numbers, as when the rule was learned"),
        (NUMBER, [True, False], "must hold numbers, as when the rule was learned"),
        (FLAG, ["yes", "no"], "must hold truth values"),
        (FLAG, [2, 3], "must hold truth values"),
        (ColumnSchema("c", "date"), ["03.04.2024"], "day and month are ambiguous"),
        (DATE, [19_000, 19_001], "must hold dates"),
        (ColumnSchema("c", "level", levels=("red",)), [1, 2], "must hold text such as 'red'"),
        (ColumnSchema("c", "words"), [1.5, 2.5], "must hold text"),
        (NUMBER, [1j, 2j], "holds complex numbers"),
    ],
)
def test_what_is_not_certain_is_refused(column, values, message):
    with pytest.raises(DataError, match=message):
        read(column, values)


@pytest.mark.parametrize(
    ("levels", "texts", "expected"),
    [
        (("01", "02", "10"), ["1", "2.0", "10", "3"], ["01", "02", "10", "3"]),
        (("4", "5"), ["04", "4.0", "+4"], ["04", "4", "+4"]),  # zeros in front may mean something
        (("1", "01"), ["1", "1.0", "001"], ["1", "1.0", "001"]),
    ],
)
def test_a_text_means_the_level_of_the_number_that_it_spells_plainly(levels, texts, expected):
    schema = Schema((ColumnSchema("c", "level", levels=levels, gaps=False),))
    columns, _ = conform({"c": texts}, schema)
    assert columns["c"].tolist() == expected


def test_a_table_needs_each_column_of_the_schema_once():
    with pytest.raises(DataError, match="reads column 'c', which the table does not have"):
        conform({"d": [1]}, Schema((CODES,)))
    with pytest.raises(DataError, match="'c' occurs twice"):
        conform(pd.DataFrame([[1, 2]], columns=["c", "c"]), Schema((CODES,)))
    with pytest.raises(DataError, match="not ndarray"):
        conform(np.zeros((2, 2)), Schema((CODES,)))
    with pytest.raises(DataError, match="all of one length"):
        conform({"c": [1], "d": [1, 2]}, Schema((CODES,)))
    assert read(CODES, []) == []
    for column in (CODES, NUMBER, FLAG, DATE):
        assert read(column, [None, None]) == [None, None]


def test_further_columns_are_read_when_they_are_looked_up():
    table = {"c": [4.0], "other": ["x"], 7: [1]}
    columns = RuleColumns.from_table(table, Schema((CODES,)))
    assert list(columns) == ["c"]
    assert columns["7"].tolist() == [1.0]
    assert columns.names == ("c", "7", "other")
    assert set(columns.complete()) == {"c", "other", "7"}
    with pytest.raises(KeyError):
        columns["absent"]
    learned = RuleColumns.from_table(table, Schema((CODES,)), infer({"other": ["x"]}))
    assert learned["other"].tolist() == ["x"]
    with pytest.raises(KeyError):
        learned["7"]
