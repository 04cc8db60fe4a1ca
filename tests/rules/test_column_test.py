"""What literals of one column ask for together."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.rules import Clause, Literal
from rulekit.rules.column_test import FeatureTest, feature_test, holds, intervals
from tests.reference.rules import is_missing, literal_holds
from tests.strategies.rules import FLAGS, NUMERIC, TEXTS, clauses, every_row, literals

ROWS = every_row()


def allowed(test, value):
    """Return whether a value meets a test, by its attributes alone."""
    if is_missing(value):
        return test.missing
    if test.values is not None:
        return value in test.values
    if value in test.excluded:
        return False
    if not test.has_interval:
        return True
    above = test.low < value or (test.low_closed and value == test.low)
    below = value < test.high or (test.high_closed and value == test.high)
    return above and below


@pytest.mark.slow
@given(
    st.sampled_from((*NUMERIC, *TEXTS, *FLAGS)).flatmap(
        lambda name: st.lists(literals((name,)), min_size=1, max_size=4)
    )
)
def test_grouped_test_equals_all_its_literals(group):
    test = feature_test(group)
    values = ROWS[test.feature]
    together = Clause(tuple(group)).mask(ROWS)
    assert [allowed(test, v) for v in values] == together.tolist()
    assert test.never == (not together.any()) or test.feature in FLAGS
    if not test.never:
        assert Clause(test.fewest_literals()).mask(ROWS).tolist() == together.tolist()


@given(literals(), st.data())
def test_one_value_is_answered_as_in_a_column(literal, data):
    value = data.draw(st.sampled_from(list(ROWS[literal.feature])))
    position = literal.position_of(value)
    if literal.op in ("contains", "not-contains") and value is not None:
        position = literal_holds(Literal("note", "contains", literal.value), value)
    if not is_missing(position):
        assert holds(literal, position) == literal_holds(literal, value)


@given(clauses("and"))
def test_grouping_neither_loses_nor_invents_a_literal(clause):
    tests = intervals(clause)
    assert sum(t.n_conditions for t in tests) == clause.n_conditions
    assert {c for t in tests for c in t.literals} == set(clause.conditions)
    read = dict.fromkeys((c.feature, c.scale) for c in clause.conditions)
    assert [(t.feature, t.scale) for t in tests] == list(read)


def test_an_interval_is_reported_once_and_counts_two():
    clause = Clause(
        (Literal("bp", ">", 120), Literal("sex", "==", "female"), Literal("bp", "<=", 150))
    )
    first, second = intervals(clause)
    assert (first.low, first.low_closed, first.high, first.high_closed) == (120, False, 150, True)
    assert (str(first), first.n_conditions) == ("120 < bp <= 150", 2)
    assert str(second) == "sex == female"


def test_the_literals_of_an_or_are_alone():
    clause = Clause((Literal("bp", "<=", 120), Literal("bp", ">", 150)), "or")
    assert [str(t) for t in intervals(clause)] == ["bp <= 120", "bp > 150"]


@pytest.mark.parametrize(
    ("group", "text"),
    [
        ([Literal("a", ">=", 1), Literal("a", "<", 2)], "1 <= a < 2"),
        ([Literal("a", ">", 1), Literal("a", "!=", 2)], "a > 1 and a != 2"),
        ([Literal("a", "<=", 0.1, True)], "a <= 0.1 or missing"),
        ([Literal("a", "not-in", ("x", "y"))], "a not in {x, y}"),
        ([Literal("a", "==", True)], "a == true"),
        ([Literal("a", "missing")], "a is missing"),
        ([Literal("a", "not-missing")], "a is present"),
        ([Literal("a", "not-missing"), Literal("a", "missing")], "a is none"),
    ],
    ids=str,
)
def test_a_test_reads_as_a_person_would_write_it(group, text):
    assert str(feature_test(group)) == text


def test_texts_are_impossible_beside_an_order_test():
    test = feature_test([Literal("a", ">", 3), Literal("a", "==", "red")])
    assert test.never


def test_equality_of_infinite_ends_does_not_close_the_line():
    assert feature_test([Literal("a", "!=", math.inf)]).excluded == (math.inf,)
    assert not feature_test([Literal("a", ">", 3), Literal("a", "!=", math.inf)]).never


def test_literals_of_two_columns_are_refused():
    with pytest.raises(RuleError, match="exactly one column, read in one way, got \\['a', 'b'\\]"):
        feature_test([Literal("a", ">", 1), Literal("b", ">", 1)])


def test_a_test_nothing_meets_has_no_literals():
    with pytest.raises(RuleError, match="No value of column 'a' meets"):
        FeatureTest("a", values=()).fewest_literals()


def test_conditions_of_another_kind_stay_as_they_are():
    class Odd:
        features = ("a",)
        n_conditions = 3

        def mask(self, columns):
            return np.asarray(columns["a"]) % 2 == 1

        def negated(self):
            raise AssertionError("grouping conditions does not negate them")

    odd = Odd()
    assert intervals(Clause((odd, Literal("a", ">", 1)))) == (
        odd,
        feature_test([Literal("a", ">", 1)]),
    )
