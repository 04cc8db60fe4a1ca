"""Points on single rows: sums, near misses, what turns them, and the smallest change."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from rulekit import RuleError, explain
from rulekit.explain import distance_to_boundary, read_points
from rulekit.explain.counterfactual import smallest_change
from rulekit.explain.subject import row_values, rows_with
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from tests.explain.tables import PLAIN, literals, tables
from tests.strategies.rules import points_splits

TESTS = (
    Literal("age", ">", 60),
    Literal("bp", ">", 140),
    Literal("town", "in", ("Bonn", "Ulm")),
    Literal("sport", "==", True),
)
PEOPLE = pd.DataFrame(
    {
        "age": [72.0, 65.0, np.nan],
        "bp": [150.0, 120.0, 130.0],
        "town": ["Köln", "Köln", None],
        "sport": [False, True, False],
    }
)


def card(*totals, default="low"):
    clauses = tuple(Clause((PointsSplit(TESTS, (3, 2, 2, -1), t),)) for t in totals)
    return RuleSet(clauses, ("high", "middle")[: len(totals)], "dnf", default)


@given(points_splits(literals(PLAIN)), tables(PLAIN, n=4))
def test_the_reading_adds_up_and_every_change_named_turns_the_answer(split, columns):
    for i in range(4):
        values = row_values(columns, i)
        points = read_points(split, values, ranges={"age": 9.0})
        assert points.score == sum(g.given for g in points.given)
        assert points.score == split.compute_values(columns)[i]
        assert points.holds == split.mask(columns)[i]
        moved = points.score + points.off * (1 if split.reached else -1)
        assert (moved >= split.total) == split.reached
        assert (points.off == 0) == points.holds
        for change in points.changes:
            turned = split.mask(rows_with({**values, change.feature: change.new}, {}))
            assert bool(turned[0]) != points.holds


@given(points_splits(literals({"age": "number", "bmi": "number"})), tables(PLAIN, n=3))
def test_the_boundary_agrees_with_trying_values_around_each_threshold(split, columns):
    rule = RuleSet((Clause((split,)),), ("ill",), "dnf", "well")
    ranges = {"age": 2.0, "bmi": 3.0}
    answers, result = rule.predict(columns), distance_to_boundary(rule, columns, ranges)
    for i in range(3):
        gaps = [np.inf]
        for test in split.conditions:
            old = columns[test.feature][i]
            if test.op in ("<=", "<", ">=", ">") and not np.isnan(old):
                (limit,) = test.limits(test.feature, {})
                around = np.nextafter(limit, [-np.inf, limit, np.inf])
                held = test.mask({test.feature: np.array([old, *around])})
                across = around[held[1:] != held[0]]
                nearest = across.max() if across.max() < old else across.min()
                moved = {f: c[i : i + 1] for f, c in columns.items()}
                moved[test.feature] = np.array([nearest])
                turned = rule.predict(moved)[0] != answers[i]
                gaps += [abs(old - limit) / ranges[test.feature]] * bool(turned)
        assert result[i] == pytest.approx(min(gaps))


def test_changes_and_similar_cases_follow_ranges_and_types():
    values = {"age": 50.0, "bp": 100.0, "town": "Köln", "sport": False}
    two = PointsSplit(TESTS[:2], (1, 1), 1)
    for wide, first in (("age", "age"), ("bp", "bp")):
        ranges = {"age": 20.0, "bp": 20.0, wide: 1e6}
        assert read_points(two, values, ranges=ranges).changes[0].feature == first
    (result, *_) = explain(card(4), PEOPLE, training=(PEOPLE, ["high", "low", "low"]))
    assert [s.agreement for s in result.similar(3)] == [1.0, 0.5, 0.5]
    assert result.past.sentence == "Total from 4: high in 1 of 1 training row (100 %)."
    split = PointsSplit((Literal("age", ">", 60.5), Literal("bp", ">", 140.2)), (3, 2), 5)
    (change,) = read_points(split, {"age": 72.0, "bp": 120.0}, whole={"bp": (0, np.inf)}).changes
    assert (change.new, change.text) == (141.0, "bp were 141 or higher (now 120)")


def test_smallest_change_may_use_several_columns():
    low = {"age": 50.0, "bp": 120.0, "town": "Köln", "sport": False}
    change = smallest_change(card(4), low, immutable=("age",))
    text = "high if bp were above 140 (now 120) and town were 'Bonn' (now 'Köln')."
    assert change.sentence == f"The prediction would be {text}"
    none = smallest_change(card(4), low, immutable=("age", "bp"))
    assert none.sentence == "No change gives another prediction while age and bp stay as they are."


@pytest.mark.slow
def test_a_search_that_is_too_long_is_refused_in_words():
    tests = tuple(Literal(f"x{k}", ">", 0.5) for k in range(30))
    rule = RuleSet((Clause((PointsSplit(tests, (1,) * 30, 30),)),), ("ill",), "dnf", "well")
    with pytest.raises(RuleError, match="not found in 100000 rows; fix more columns"):
        smallest_change(rule, dict.fromkeys(rule.features, 0.0))


def test_near_misses_keep_to_the_range_of_few_whole_numbers():
    split = PointsSplit((Literal("visits", "!=", 1), Literal("beds", ">", 2.5)), (2, 2), 2)
    rule = RuleSet((Clause((split,)),), ("high",), "dnf", "low")
    past = pd.DataFrame({"visits": [1.0, 2.0, 3.0], "beds": [1.0, 2.0, 2.0]})
    (result,) = explain(rule, past.iloc[:1], training=past)
    assert result.near_misses[0].sentence == (
        "For 'high', 0 points are 2 short of 2 (visits 1 and beds 1 give nothing); enough if "
        "visits were 2 (now 1)."
    )
    change = "The prediction would be high if visits were 2 (now 1)."
    assert result.counterfactual.sentence == change
