"""Column names of a header, made distinct and printable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data.headers import quote, repair_headers, select_columns, shorten_apart
from rulekit.data.options import Limits
from rulekit.exceptions import DataError, WideTableError

LIMITS = Limits()


@given(st.lists(st.one_of(st.none(), st.text(max_size=12), st.integers()), max_size=8))
def test_names_are_distinct_printable_and_neither_empty_nor_long(names):
    repaired, _ = repair_headers(names, LIMITS)
    assert len(set(repaired)) == len(repaired) == len(names)
    assert all(name.strip() == name and name for name in repaired)
    again, notes = repair_headers(repaired, LIMITS)
    assert (again, notes) == (repaired, [])


@pytest.mark.parametrize(
    ("given", "expected", "reason"),
    [
        (["a", "a"], ["a", "a (2)"], "occurred before, and was numbered"),
        (["a", None], ["a", "column 2"], "was empty"),
        ([" a  b "], ["a b"], "had spaces around it"),
        (["a\x00b"], ["a b"], "held control or invisible characters"),
        (["x" * 300], ["x" * 200], "was longer than 200 characters"),
        (["a", "a (2)", "a", "a"], ["a", "a (2)", "a (3)", "a (4)"], "occurred before"),
        (["zero\u200bwidth\u202eturned"], ["zero width turned"], "invisible characters"),
        (["__index_level_0__"], ["index_level_0 (renamed)"], "is reserved"),
    ],
)
def test_each_repair_is_reported(given, expected, reason):
    repaired, (note,) = repair_headers(given, LIMITS)
    assert repaired == expected
    assert reason in note


def test_hostile_names_are_kept():
    names = ["![x](http://evil.example/p.png)", "<script>alert(1)</script>", "=cmd|' /C calc'!A0"]
    names += ["$x^2$ :red[a] _b_", "'; DROP TABLE rows; --"]
    assert repair_headers(names, LIMITS) == (names, [])


def test_headers_are_shortened_and_chosen_by_name():
    _, (note,) = repair_headers([None] * 7, LIMITS)
    assert note.startswith("7 column names were empty: column 1 is now 'column 1'")
    assert note.endswith("and 2 more.")
    assert quote("a" * 41) == repr("a" * 26 + "…" + "a" * 13)
    names = [f"{'mean pressure ' * 4}in {when} part of the stay{' at night' * 5}" for when in "abc"]
    short = shorten_apart([*names, f"{names[0]}s"], 60)
    assert len(set(short.values())) == 4
    assert max(map(len, short.values())) <= 60
    assert short[names[1]].startswith("…b part")
    assert select_columns(["a", "b", "c"], None, LIMITS) == [0, 1, 2]
    assert select_columns(["a", "b", "c"], ["c", "a"], LIMITS) == [0, 2]
    names = [f"g{k}" for k in range(2_501)]
    with pytest.raises(WideTableError, match="this one has 2,501") as caught:
        select_columns(names, None, LIMITS)
    assert caught.value.names == tuple(names)
    assert select_columns(names, ["g2500"], LIMITS) == [2_500]


@pytest.mark.parametrize(
    ("requested", "sentence"),
    [
        (["a", "no such"], "no column 'no such'"),
        ([], "Between 1 and 2,500"),
        ([f"g{k}" for k in range(2_501)], "2,501 are chosen"),
    ],
)
def test_columns_that_cannot_be_chosen_are_reported(requested, sentence):
    with pytest.raises(DataError, match=sentence):
        select_columns(["a", *(f"g{k}" for k in range(2_501))], requested, LIMITS)
