"""Dates in any shape are read back equal; days and times that do not exist are none."""

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data.cells.dates import are_compact, dates_in, read_clock, read_dates
from rulekit.exceptions import DataError

DAYS = st.dates(datetime.date(1969, 1, 1), datetime.date(2068, 12, 31))
CLOCKS = ("", " %H:%M", " %H:%M:%S", "T%H:%M:%SZ", " %I:%M %p", " %H:%M:%S+02:00",
          ":%H:%M:%S +0200")  # fmt: skip
SHAPES = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%d %b %Y", "%d-%b-%y"),
    *("%b %d %Y", "%B %d, %Y", "%d %B %Y", "%a, %d %b %Y", "%Y-%b-%d", "%d%b%Y"),
    *("%d/%b/%Y", "%Y年%m月%d日", "%Y.%m.%d.", "%G-W%V-%u"),
)


def texts_of(*texts):
    return pa.array(texts, pa.string())


@given(st.lists(st.tuples(DAYS, st.times()), min_size=1), st.sampled_from(SHAPES),
       st.sampled_from(CLOCKS))  # fmt: skip
def test_dates_in_any_shape_are_read_back(moments, shape, clock):
    written = [datetime.datetime.combine(*pair).strftime(shape + clock) for pair in moments]
    read = read_dates(texts_of(*written)).moments
    kept = {"": "%Y-%m-%d", "%": "%Y-%m-%d %H:%M"}["%" if clock else ""]
    seconds = ":%S" if "%S" in clock else ""
    expected = [datetime.datetime.combine(*pair).strftime(kept + seconds) for pair in moments]
    offset = np.timedelta64(2 if "+02" in clock else 0, "h")
    np.testing.assert_array_equal(read, np.array(expected, dtype="datetime64[us]") - offset)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("[10/Oct/2000:13:55:36 -0700]", "2000-10-10T20:55:36"),
        ("Thu Jan  2 10:00:05 2020", "2020-01-02T10:00:05"),
        ("Thu Jan 02 10:00:05 +0100 2020", "2020-01-02T09:00:05"),
        ("13 de septiembre de 2020", "2020-09-13"), ("1 août 2021", "2021-08-01"),
        ("13 de março de 2020", "2020-03-13"), ("1 mei 2021", "2021-05-01"),
        ("13.01.2020 10:30 Uhr", "2020-01-13T10:30"), ("20200113 1030", "2020-01-13T10:30"),
        ("5 października 2020", "2020-10-05"), ("3 мая 2021", "2021-05-03"),
        ("Mo, 01.03.2021", "2021-03-01"), ("lundi 1 février 2021", "2021-02-01"),
        ("Montag, 1. März 2021", "2021-03-01"), ("2021. 3. 1.", "2021-03-01"),
        ("2020M03", "2020-03-01"), ("03-2020", "2020-03-01"), ("2020 Mar", "2020-03-01"),
        ("2020-W53", "2020-12-28"), ("1998-W53-5 12:30", "1999-01-01T12:30"),
    ],
)  # fmt: skip
def test_moments_of_logs_and_other_languages_are_read(text, moment):
    assert read_dates(texts_of(text)).moments[0] == np.datetime64(moment)


@given(st.lists(DAYS, min_size=1), st.booleans(), st.sampled_from("/-"))
def test_the_order_of_days_is_found_or_open(days, day_first, mark):
    shape = mark.join(("%d", "%m", "%Y") if day_first else ("%m", "%d", "%Y"))
    dates = read_dates(texts_of(*(day.strftime(shape) for day in days)))
    decided = any(day.day > 12 for day in days)
    assert dates.is_open == (not decided and any(day.day != day.month for day in days))
    if not dates.is_open:
        np.testing.assert_array_equal(dates.moments, np.array(days, dtype="datetime64[us]"))


@pytest.mark.parametrize(
    "text",
    ["2020-02-30", "31/04/2020 x", "2020-13-01", "2020-01-01 24:00", "2020-01-01 10:60",
     "32 Jan 2020", "5 Foo 2020", "2020-Q5", "2021-W53", "20201301", "12", "", "1/2"],
)  # fmt: skip
def test_days_and_times_that_do_not_exist_are_no_dates(text):
    assert np.isnat(read_dates(texts_of(text), compact=True).moments[0])


def test_both_orders_leave_a_column_open_and_times_are_hours():
    series = pd.Series(["13/04/2020", "04/13/2020", "03/04/2020"])
    with pytest.raises(DataError, match="day and month are ambiguous"):
        dates_in(series, "when", None)
    read = dates_in(series, "when", True)
    assert read.isna().tolist() == [False, True, False]
    assert read_clock(texts_of("6:30", "23:59:59.5", "12:15 AM")).tolist() == pytest.approx(
        [6.5, 23.99986, 0.25], abs=1e-5
    )
    assert read_clock(texts_of("6:30", "25:00")) is None


def test_numbers_are_dates_only_if_that_is_certain():
    few = texts_of("20200101", "20200102")
    assert are_compact("order_date", few)
    assert not are_compact("amount", few)
    assert not are_compact("order_date", texts_of("20200101", "20201399"))
