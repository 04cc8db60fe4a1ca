"""One test on one column."""

import numpy as np
import pytest
from hypothesis import given

from rulekit import Literal, RuleError
from tests.reference.rules import literal_holds
from tests.strategies.rules import columns, literals


@given(literals(), columns())
def test_a_mask_answers_each_row_as_the_plain_reading_does(literal, table):
    column = table[literal.feature]
    assert literal.mask(table).tolist() == [literal_holds(literal, v) for v in column]


@given(literals(), literals())
def test_two_literals_have_one_name_and_one_sort_key_only_if_equal(a, b):
    assert (str(a) == str(b)) == (a == b)
    assert (a.sort_key == b.sort_key) == (a == b)


def test_equal_values_make_equal_literals():
    a = Literal("c", "in", ("red", "blue", "red"))
    assert a == Literal("c", "in", ("blue", "red"))
    assert a.value == ("blue", "red")
    assert Literal("x", ">", np.int64(5)) == Literal("x", ">", 5.0) == Literal("x", ">", 5)
    assert Literal("x", ">", -0.0).sort_key == Literal("x", ">", 0.0).sort_key


def test_columns_are_compared_if_their_values_can_be():
    with pytest.raises(RuleError, match="tests column 'x', which the table does not have"):
        Literal("x", ">", 1).mask({"y": np.zeros(1)})
    with pytest.raises(RuleError, match="compares column 'x' with a number"):
        Literal("x", ">", 1).mask({"x": np.array(["a", None], dtype=object)})
    table = {"x": np.array([True, False, None], dtype=object)}
    assert Literal("x", ">", 0.5).mask(table).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((1, ">", 2), "column name must be text"),
        (("x", "~", 2), "operator must be one of"),
        (("x", ">", "red"), "needs a finite number"),
        (("x", ">", float("inf")), "needs a finite number"),
        (("x", "==", float("nan")), "cannot be compared with NaN"),
        (("x", "in", ()), "needs a non-empty tuple"),
        (("x", "==", ("a",)), "needs one value"),
        (("x", "missing", 1), "takes no value"),
        (("x", "==", range(3)), "compares with text, a number or a truth value"),
    ],
    ids=str,
)
def test_a_literal_that_makes_no_sense_is_refused(args, message):
    with pytest.raises(RuleError, match=message):
        Literal(*args)


@pytest.mark.parametrize(
    ("literal", "name"),
    [
        (Literal("age", "<=", 40), "age <= 40"),
        (Literal("age", ">", 0.1, True), "age > 0.1 or missing"),
        (Literal("c", "==", "red"), "c == red"),
        (Literal("c", "not-in", ("red", "blue")), "c not in {blue, red}"),
        (Literal("smoker", "==", True), "smoker == true"),
        (Literal("age", "missing"), "age is missing"),
    ],
    ids=str,
)
def test_a_literal_has_a_readable_name(literal, name):
    assert str(literal) == name
