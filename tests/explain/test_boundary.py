"""How far a row is from another answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.explain import distance_to_boundary, ranges_of
from rulekit.rules import Clause, Literal, RuleSet

OLD = Literal("age", ">", 50.0)
RULE = RuleSet((Clause((OLD, Literal("bmi", ">=", 30.0))),), ("ill",), "dnf", "well")
RANGES = {"age": 100.0, "bmi": 50.0}


def columns(age, bmi):
    return {"age": np.array([age], dtype=float), "bmi": np.array([bmi], dtype=float)}


@pytest.mark.parametrize(
    ("age", "bmi", "distance"),
    [
        (60, 35, 0.1),  # both hold: the nearer one decides
        (60, 25, 0.1),  # one short
        (40, 25, np.inf),  # no single change helps
        (np.nan, 35, np.inf),  # a missing value is not moved
    ],
)
def test_the_boundary_is_as_far_as_the_nearest_single_change(age, bmi, distance):
    found = distance_to_boundary(RULE, columns(age, bmi), RANGES)
    np.testing.assert_allclose(found, [distance])


@given(st.floats(0, 100), st.floats(0, 60))
def test_the_boundary_agrees_with_trying_values_around_each_threshold(age, bmi):
    row = columns(age, bmi)
    answer = RULE.predict(row)[0]
    gaps = [np.inf]
    for name, threshold in (("age", 50.0), ("bmi", 30.0)):
        for value in (np.nextafter(threshold, 0), threshold, np.nextafter(threshold, 99)):
            moved = {**row, name: np.array([value])}
            if RULE.predict(moved)[0] != answer:
                gaps.append(abs(row[name][0] - threshold) / RANGES[name])
    np.testing.assert_allclose(distance_to_boundary(RULE, row, RANGES), [min(gaps)])


def test_ranges_are_those_of_columns_of_numbers_that_vary():
    table = {
        "age": np.array([20.0, np.nan, 70.0, np.inf]),
        "town": np.array(["a", "b", "c", "d"], dtype=object),
        "one": np.ones(4),
    }
    assert ranges_of(table) == {"age": 50.0}
