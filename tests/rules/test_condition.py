"""What conditions share: columns read by name, and dates, orders and words in them."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Literal, RuleError
from rulekit.rules.condition import (
    SEPARATORS,
    finite,
    moment,
    moment_text,
    positions_in,
    spell_part,
    turning_dates,
    value_at,
    words_of,
)


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


def test_levels_words_and_dates_are_tested_by_kind():
    column = {"x": objects("bad", "fair", "good", "best", None)}
    above = Literal("x", ">=", "fair", order=ORDER)
    assert above.mask(column).tolist() == [False, True, True, False, False]
    assert above.negate().mask(column).tolist() == [True, False, False, True, True]
    with pytest.raises(RuleError, match=r"looks for a word in column 'x', but .* numbers"):
        Literal("x", "contains", "late").mask({"x": np.zeros(2)})
    first = ("2019-12-31 23:59:59", "2020-01-01", "2020-01-01 00:00:01")
    last = ("2020-12-31 23:59:59", "2021-01-01", "2021-01-01 00:00:01")
    assert turning_dates("year", [2020.0]) == first + last
    assert len(turning_dates("year", [2.0])) == 6
    assert len(turning_dates("year", [1.0])) == 5  # no second before the first can be written
    around = ("2024-01-02 23:59:59", "2024-01-03", "2024-01-03 00:00:01")
    assert turning_dates("days since 2024-01-01", [2.0]) == around
    assert turning_dates("date", [19725.0]) == around
    months = [0.0, "January", "December", 13.0]
    assert [spell_part(v, "month") for v in (0.0, 1.0, 12.0, 13.0)] == months
    assert [spell_part(v, "weekday") for v in (1.0, 1.5, 7.0)] == ["Monday", 1.5, "Sunday"]


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


@pytest.mark.parametrize(("part", "values"), [("month", 12), ("weekday", 7), ("hour", 24)])
def test_turning_dates_hold_every_value_of_a_part(part, values):
    assert len(set(positions_in("", objects(*turning_dates(part, [])), part, None))) == values


@pytest.mark.parametrize("part", ["date", "year", "days since 9999-12-31", "days since 0001-01-01"])
@pytest.mark.parametrize("number", [-1e300, -719_162.0, 0.5, 2_932_896.0, 9_999.0, 1e300])
def test_dates_around_a_test_stay_within_the_calendar(part, number):
    for date in turning_dates(part, [number]):
        assert moment(date) is not None
    assert moment(value_at(number, "date", None)) is not None
