"""How far a row is from another answer."""

from datetime import datetime, timedelta

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


def test_ranges_are_for_varying_number_columns_only():
    table = {
        "age": np.array([20.0, np.nan, 70.0, np.inf]),
        "town": np.array(["a", "b", "c", "d"], dtype=object),
        "one": np.ones(4),
    }
    assert ranges_of(table) == {"age": 50.0}


GRADES = ("poor", "fair", "good", "best")
START = datetime(2024, 1, 1)


def day(k):
    return (START + timedelta(days=k)).date().isoformat()


@given(
    st.tuples(st.sampled_from(["<=", "<", ">=", ">"]), st.integers(1, 38)),
    st.sampled_from(["date", "days since 2023-12-01"]),
    st.tuples(st.sampled_from([">=", ">"]), st.integers(1, 2)),
    st.integers(0, 40),
    st.sampled_from([*GRADES, "unheard of"]),
)
def test_distances_of_dates_and_levels_equal_an_exhaustive_search(at, part, grade, k, level):
    cut = day(at[1]) if part == "date" else float(31 + at[1])
    clause = Clause(
        (
            Literal("opened", at[0], cut, part=part),
            Literal("grade", grade[0], GRADES[grade[1]], order=GRADES),
        )
    )
    rule = RuleSet((clause,), ("ill",), "dnf", "well")

    def row(k, level):
        return {c: np.array([v], dtype=object) for c, v in (("opened", day(k)), ("grade", level))}

    answer = rule.predict(row(k, level))[0]
    days = [abs(j - k) for j in range(41) if rule.predict(row(j, level))[0] != answer]
    places = [
        abs(j - GRADES.index(level))
        for j in range(4)
        if level in GRADES and rule.predict(row(k, GRADES[j]))[0] != answer
    ]
    found = distance_to_boundary(rule, row(k, level), {"opened": 40.0})[0]
    # trying whole days overshoots the cut by a day at most
    near = [min(places, default=np.inf) / 3, min(days, default=np.inf) / 40]
    assert min(near) - 1 / 40 - 1e-9 <= found <= min(near) + 1e-9 or found == min(near) == np.inf


def test_no_one_number_moves_a_month():
    rule = RuleSet((Clause((Literal("opened", ">=", 3, part="month"),)),), ("ill",), "dnf", "well")
    table = {"opened": np.array(["2024-01-01", "2024-05-01", None], dtype=object)}
    assert ranges_of(table) == {"opened": 121.0}
    assert np.isinf(distance_to_boundary(rule, table, ranges_of(table))).all()
