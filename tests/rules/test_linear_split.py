"""The plane as a condition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.families.hyperplane.solver.half_space import plane_values
from rulekit.rules import LinearSplit

NUMBERS = st.floats(-1e3, 1e3).filter(lambda v: v == 0 or abs(v) > 1e-6)
PLANE = LinearSplit((("age", 0.5), ("bmi", -1.25)), "<=", 3.0)


@st.composite
def splits(draw):
    weights = draw(st.lists(NUMBERS.filter(bool), min_size=1, max_size=4))
    terms = tuple((f"x{j}", w) for j, w in enumerate(weights))
    op, missing = draw(st.sampled_from(["<=", ">"])), draw(st.booleans())
    return LinearSplit(terms, op, draw(NUMBERS), missing)


@given(splits(), st.data())
def test_a_row_meets_a_condition_or_its_negation(split, data):
    cell = st.one_of(NUMBERS, st.just(np.nan))
    columns = {
        f: np.array(data.draw(st.lists(cell, min_size=6, max_size=6))) for f in split.features
    }
    np.testing.assert_array_equal(split.negate().mask(columns), ~split.mask(columns))
    assert split.negate().negate() == split


@given(splits(), st.data())
def test_the_sum_is_the_very_double_of_the_solvers(split, data):
    rows = np.array(
        data.draw(
            st.lists(
                st.lists(NUMBERS, min_size=len(split.terms), max_size=len(split.terms)), min_size=1
            )
        )
    )
    columns = {f: rows[:, j] for j, f in enumerate(split.features)}
    expected = plane_values(rows, np.array([w for _, w in split.terms]))
    np.testing.assert_array_equal(split.total(columns), expected)


def test_gaps_and_truth_values_count_as_stated():
    columns = {"age": np.array([np.nan, 1.0]), "bmi": np.array([1.0, np.nan])}
    assert not PLANE.mask(columns).any()
    assert PLANE.negate().mask(columns).all()
    columns = {"age": np.array([True, False, None], dtype=object), "bmi": np.zeros(3)}
    assert LinearSplit((("age", 1.0), ("bmi", 1.0)), ">", 0.5).mask(columns).tolist() == [
        True, False, False,
    ]  # fmt: skip
    assert str(PLANE) == "0.5 * age - 1.25 * bmi <= 3"
    assert str(PLANE.negate()) == "0.5 * age - 1.25 * bmi > 3 (or missing)"
    assert PLANE.n_conditions == 2


@pytest.mark.parametrize(
    ("terms", "op", "value", "words"),
    [
        ((), "<=", 1.0, "at least one column"),
        ((("a", 1.0), ("a", 2.0)), "<=", 1.0, "none of them twice"),
        ((("a", 0.0),), "<=", 1.0, "other than 0"),
        ((("a", 1.0),), "==", 1.0, "operator must be one of"),
        ((("a", float("inf")),), "<=", 1.0, "a finite number, got inf"),
        ((("a", 1.0),), "<=", None, "a finite number, got None"),
    ],
)
def test_parts_that_do_not_go_together_are_refused(terms, op, value, words):
    with pytest.raises(RuleError, match=words):
        LinearSplit(terms, op, value)


def test_a_column_that_is_absent_or_of_text_is_named():
    with pytest.raises(RuleError, match="reads column 'bmi'"):
        PLANE.mask({"age": np.zeros(1)})
    with pytest.raises(RuleError, match="column 'age', but the column holds text"):
        PLANE.mask({"age": np.array(["x"], dtype=object), "bmi": np.zeros(1)})
