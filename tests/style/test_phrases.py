"""Numbers in sentences: short, and never on the wrong side of a threshold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.rules import Literal
from rulekit.rules.literal import holds
from rulekit.style.phrases import (
    condition_text,
    exact,
    explain_match,
    join_list,
    number,
    one_line,
    show_value,
    whole_percent,
)

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite)
def test_two_numbers_shown_side_by_side_keep_their_order(a, b):
    left, right = float(number(a, b)), float(number(b, a))
    assert (left < right, left > right) == (a < b, a > b)


@given(finite, finite, st.sampled_from(["<", "<=", ">", ">="]))
def test_condition_in_words_has_the_limit_of_the_rule(limit, cell, op):
    literal = Literal("dose", op, limit)
    assert float(condition_text(literal).split()[-1]) == limit
    if holds(literal, cell):
        _, shown, _, right = explain_match(literal, cell).split()
        assert holds(Literal("dose", op, float(right)), float(shown))


@given(finite, finite)
def test_number_beside_its_neighbour_keeps_its_order(a, step):
    b = a + step * 1e-12
    if abs(b) != float("inf"):
        left, right = float(number(a, b)), float(number(b, a))
        assert (left < right) == (a < b)


@given(finite)
def test_exact_number_reads_back_as_itself(value):
    assert float(exact(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(126.0, "126"), (0.1 + 0.2, "0.3"), (1234567.0, "1234567"), (1e-7, "1e-07"), (-0.0, "0")],
)
def test_numbers_carry_no_noise(value, text):
    assert number(value) == text


def test_values_and_lists_read_like_sentences():
    assert [show_value(v) for v in (None, True, "a\nb", 1.0)] == ["missing", "true", "'a b'", "1"]
    assert [join_list("a"), join_list("ab"), join_list("abc")] == ["a", "a and b", "a, b and c"]
    assert one_line("x" * 500 + "y") == "x" * 39 + "…" + "x" * 19 + "y"


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 9, "0 %"), (1, 400, "1 %"), (1, 3, "33 %"), (266, 267, "99 %"), (267, 267, "100 %")],
)
def test_only_all_of_a_whole_are_100_percent(part, whole, text):
    assert whole_percent(part, whole) == text
