"""Numbers written in any style are read back equal."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rulekit.data import ParseOptions
from rulekit.data.cells.numbers import (
    choose_decimal_marks,
    numbers_in,
    read_decorated,
    read_numbers,
)
from rulekit.data.cells.texts import encode_series

NUMBERS = st.lists(
    st.integers(-(10**9), 10**9).map(lambda k: k / 100), min_size=2, max_size=12, unique=True
)
GROUPS = {".": (",", "", "'", "\u202f"), ",": (".", "", "’", " ")}
AROUND = ("{}", "${}", "{} €", "USD {}", "{} kg", "{}%", "{} mmol/L")
MINUS = ("-{}", "−{}", "({})", "{}-")


def write(value, decimal, group, around, minus):
    """Write a number in one style."""
    text = f"{abs(value):,.2f}".replace(",", "G").replace(".", decimal).replace("G", group)
    signed = minus.format("{}") if value < 0 else "{}"
    return signed.format(around.format(text))


@given(NUMBERS, st.data())
def test_numbers_in_any_style_are_read_back(values, data):
    assume(max(values) > 0)
    decimal = data.draw(st.sampled_from(".,"))
    style = (
        data.draw(st.sampled_from(GROUPS[decimal])),
        data.draw(st.sampled_from(AROUND)),
        data.draw(st.sampled_from(MINUS)),
    )
    texts = [write(value, decimal, *style) for value in values]
    column = encode_series(pd.Series(texts, name="v"))
    assert choose_decimal_marks([column], ParseOptions()).get_mark("v") == decimal
    decorated = read_decorated(column.texts, decimal)
    assert decorated.fits(column.present)
    np.testing.assert_array_equal(decorated.numbers.values[column.codes], values)
    np.testing.assert_array_equal(numbers_in(pd.Series(texts)), values)
    twice = pa.array([style[2].format(f"-{abs(value)}") for value in values])
    assert not read_decorated(twice, ".").numbers.valid.any()


@given(st.text(alphabet="0123456789.,-+()%$€ kgeE'", max_size=12))
def test_any_text_is_a_finite_number_or_none(text):
    for decimal in ".,":
        read = read_decorated(pa.array([text], pa.string()), decimal).numbers
        assert read.valid[0] == np.isfinite(read.values[0])
        plain = read_numbers(pa.array([text.strip()], pa.string()), decimal)
        if plain.valid[0] and read.valid[0]:
            assert plain.values[0] == read.values[0]


@pytest.mark.parametrize("text", ["0.250", "0.25", "00.250"])
def test_a_zero_begins_no_group_of_thousands(text):
    texts = pa.array([text], pa.string())
    assert not read_numbers(texts, ",").valid[0]
    assert read_numbers(texts, ".").values[0] == 0.25


def test_a_number_in_another_unit_is_none():
    read = numbers_in(pd.Series(["5 kg", "6 kg", "7 lb", "about 8", None]))
    np.testing.assert_array_equal(read, [5, 6, np.nan, np.nan, np.nan])
