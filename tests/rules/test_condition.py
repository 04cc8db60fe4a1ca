"""What conditions share: columns read by name, and dates, orders and words in them."""

from datetime import datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data import columns_of, load_sample
from rulekit.exceptions import RuleError
from rulekit.rules import Literal
from rulekit.rules.condition import (
    SEPARATORS,
    columns_in,
    finite,
    moment,
    moment_text,
    positions_in,
    spelled,
    turning_dates,
    value_at,
    words_of,
)

COLUMNS = {
    "float": [1.5, np.nan, np.inf],
    "int": [1, 2, 3],
    "Int64": pd.array([1, None, 3], dtype="Int64"),
    "Float64": pd.array([1.5, None, 3.0], dtype="Float64"),
    "bool": [True, False, True],
    "boolean": pd.array([True, None, False], dtype="boolean"),
    "text": ["a", None, "b"],
    "string": pd.array(["a", None, "b"], dtype="string"),
    "category": pd.Categorical(["a", None, "b"]),
    "numbers as categories": pd.Categorical([1, None, 2]),
    "whole numbers as categories": pd.Categorical([1, 1, 2]),
    "dates": pd.to_datetime(["2020-01-02 00:00:00", None, "2021-03-04 05:06:07"]),
    "objects of numbers": pd.Series([1, 2.5, None], dtype=object),
    "objects of decimals": pd.Series([Decimal("0.1"), Decimal(2), None], dtype=object),
    "objects of truth": pd.Series([True, None, False], dtype=object),
    "mixed": pd.Series([1, "a", None], dtype=object),
    "truth and numbers": pd.Series([True, 2, None], dtype=object),
    "nothing": pd.Series([None, None, None], dtype=object),
    "empty": pd.Series([np.nan] * 3),
    "small": np.array([1, 2, 3], dtype=np.int8),
    "single": np.array([0.1, 2, 3], dtype=np.float32),
}


def same(a, b):
    return a.dtype == b.dtype and all(
        type(u) is type(v) and (u == v or (u != u and v != v))
        for u, v in zip(a.tolist(), b.tolist(), strict=True)
    )


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_of_a_frame_is_read_as_tables_read_it(kind):
    frame = pd.DataFrame({"a": COLUMNS[kind]})
    assert same(columns_in(frame, ["a"])["a"], columns_of(frame)["a"])


cells = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(), st.text(max_size=3))


@given(st.lists(cells, min_size=1, max_size=6))
def test_any_objects_are_read_as_tables_read_them(values):
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    assert same(columns_in(frame, ["a"])["a"], columns_of(frame)["a"])


@pytest.mark.parametrize("name", ["credit", "breast_cancer"])
def test_sample_tables_are_read_as_tables_read_them(name):
    frame = load_sample(name).frame
    expected = columns_of(frame)
    found = columns_in(frame, list(frame.columns))
    assert all(same(found[c], expected[c]) for c in frame.columns)


def test_a_table_of_arrow_is_found_by_name_too():
    table = pa.table({"a": [1, None, 3], "b": ["x", None, "y"], "c": [True, None, False]})
    found = columns_in(table, ["a", "b", "c"])
    assert same(found["a"], np.array([1.0, np.nan, 3.0]))
    assert found["b"].tolist() == ["x", None, "y"]
    assert found["c"].tolist() == [True, None, False]


def test_times_without_a_zone_are_written_to_the_second():
    frame = pd.DataFrame({"a": [datetime(2020, 1, 2, 3, 4, 5, 600000)]})
    assert columns_in(frame, ["a"])["a"].tolist() == ["2020-01-02 03:04:05"]


def test_mapping_is_used_unchanged():
    columns = {"a": np.array([1.0])}
    assert columns_in(columns, ["a", "b"]) is columns


def test_only_the_columns_requested_are_read():
    frame = pd.DataFrame({"a": [1.0], "b": [object()]})
    assert list(columns_in(frame, ["a"])) == ["a"]
    assert [len(c) for c in columns_in(frame, []).values()] == [1]


def test_non_tables_are_refused_by_type():
    with pytest.raises(
        RuleError, match=r"reads columns by name\. Give a data frame .* not ndarray"
    ):
        columns_in(np.zeros((2, 2)), ["a"])


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(RuleError, match="reads column 'b', which the table does not have"):
        columns_in(pd.DataFrame({"a": [1.0]}), ["b"])


def test_a_column_that_is_there_twice_is_named():
    frame = pd.DataFrame([[1.0, 2.0]], columns=["a", "a"])
    with pytest.raises(RuleError, match="'a' occurs twice"):
        columns_in(frame, ["a"])


@pytest.mark.parametrize("value", [np.nan, np.inf, "1", True, None])
def test_a_constant_must_be_a_finite_number(value):
    with pytest.raises(RuleError, match="The weight must be a finite number, got"):
        finite(value, "weight")


ORDER = ("bad", "fair", "good")


def objects(*cells):
    return np.array(cells, dtype=object)


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)))
def test_a_moment_is_written_and_read_back_to_the_second(found):
    found = found.replace(microsecond=0)
    assert moment(moment_text(found)) == found
    text = moment_text(found)
    literal = Literal("d", ">=", text, part="date")
    assert literal.value == text
    assert literal.value_at(literal.positions[0]) == text
    around = objects(*(moment_text(found + timedelta(seconds=k)) for k in (-1, 0, 1)))
    assert literal.mask({"d": around}).tolist() == [False, True, True]
    weekday = Literal("d", "==", found.isoweekday(), part="weekday")
    assert weekday.mask({"d": objects(text)}).all()


@pytest.mark.parametrize("text", ["2024-02-30", "31.12.2024", "today", "2024", "2024-01-01 25:00"])
def test_non_dates_are_refused_with_their_row(text):
    with pytest.raises(RuleError, match="reads column 'd' as dates, but row 3 holds"):
        Literal("d", ">", 2020, part="year").mask({"d": objects("2024-01-01", None, text)})
    with pytest.raises(RuleError, match="must be written as '2024-03-01'"):
        Literal("d", ">", text, part="date")


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"part": "week"}, "A date is read as one of .* got 'week'"),
        ({"part": "days since then"}, "or as 'days since 2024-01-01'"),
        ({"part": "year", "value": "2024"}, "The year of a date is compared with a finite number"),
        ({"order": ("good",)}, "two or more levels as text"),
        ({"order": ("bad", "good", "bad"), "value": "good"}, "'bad' is listed twice"),
        ({"order": ORDER, "value": "best"}, "one of its order .* got 'best'; add it"),
        ({"order": ORDER, "part": "year"}, "as a date or by an order of levels, not both"),
        ({"order": ORDER, "value": "good", "op": ">"}, "but no level meets x > good"),
        ({"order": ORDER, "value": "good", "op": "<=", "missing": True}, "but every level meets"),
        ({"order": ORDER, "op": "missing", "value": None}, "reads the column as it is"),
        ({"op": "contains", "value": "two words"}, "needs one word, without blanks"),
        ({"op": "contains", "value": ""}, "needs one word"),
        ({"part": "year", "op": "in", "value": 2024}, "needs a non-empty tuple"),
    ],
)
def test_contradictory_settings_are_refused(parts, sentence):
    given = {"feature": "x", "op": ">=", "value": 2024.0} | parts
    with pytest.raises(RuleError, match=sentence):
        Literal(**given)


def test_a_level_without_a_place_counts_as_missing():
    column = {"x": objects("bad", "fair", "good", "best", None)}
    above = Literal("x", ">=", "fair", order=ORDER)
    assert above.mask(column).tolist() == [False, True, True, False, False]
    assert above.negated().mask(column).tolist() == [True, False, False, True, True]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("op", ["<=", "<", ">=", ">", "==", "!="])
def test_an_order_written_as_a_set_gives_the_same_answers(op, missing):
    column = {"x": objects("bad", "fair", "good", "best", None, "")}
    literal = Literal("x", op, "fair", missing, order=ORDER)
    reported = literal.as_set()
    assert reported.is_plain
    assert reported.op in ("in", "not-in")
    assert reported.mask(column).tolist() == literal.mask(column).tolist()


@given(st.text(alphabet=[*"aAbBöÖ1_", *SEPARATORS], max_size=20))
def test_words_are_separated_by_punctuation(text):
    words, word = [], ""
    for letter in [*text, " "]:
        if letter in SEPARATORS:
            words += [word.lower()] if word else []
            word = ""
        else:
            word += letter
    assert words_of(text).split() == words
    for wanted in ("a", "aö", "b1"):
        has = Literal("note", "contains", wanted).mask({"note": objects(text)})[0]
        assert has == (wanted in words)


def test_word_test_on_numbers_is_rejected():
    with pytest.raises(RuleError, match=r"looks for a word in column 'x', but .* numbers"):
        Literal("x", "contains", "late").mask({"x": np.zeros(2)})


def test_a_year_turns_at_its_first_and_last_second():
    first = ("2019-12-31 23:59:59", "2020-01-01", "2020-01-01 00:00:01")
    last = ("2020-12-31 23:59:59", "2021-01-01", "2021-01-01 00:00:01")
    assert turning_dates("year", [2020.0]) == first + last
    assert len(turning_dates("year", [2.0])) == 6
    assert len(turning_dates("year", [1.0])) == 5  # no second before the first can be written


def test_a_date_turns_within_a_second():
    around = ("2024-01-02 23:59:59", "2024-01-03", "2024-01-03 00:00:01")
    assert turning_dates("days since 2024-01-01", [2.0]) == around
    assert turning_dates("date", [19725.0]) == around


@pytest.mark.parametrize(("part", "values"), [("month", 12), ("weekday", 7), ("hour", 24)])
def test_turning_dates_hold_every_value_of_a_part(part, values):
    dates = objects(*turning_dates(part, []))
    assert len(set(positions_in("", dates, part, None))) == values


def test_weekdays_and_months_are_spelled_out_from_the_first_to_the_last():
    assert [spelled(v, "month") for v in (0.0, 1.0, 12.0, 13.0)] == [
        0.0,
        "January",
        "December",
        13.0,
    ]
    assert [spelled(v, "weekday") for v in (1.0, 1.5, 7.0)] == ["Monday", 1.5, "Sunday"]


@pytest.mark.parametrize("part", ["date", "year", "days since 9999-12-31", "days since 0001-01-01"])
@pytest.mark.parametrize("number", [-1e300, -719_162.0, 0.5, 2_932_896.0, 9_999.0, 1e300])
def test_dates_around_a_test_stay_within_the_calendar(part, number):
    for date in turning_dates(part, [number]):
        assert moment(date) is not None
    assert moment(value_at(number, "date", None)) is not None
