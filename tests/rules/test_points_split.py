"""Points that add up, as a condition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.rules import (
    Clause,
    LinearSplit,
    Literal,
    PointsSplit,
    RuleSet,
    compare_rules,
    scorecard_of,
    simplify,
)
from rulekit.rules.codec import rule_from_dict, rule_to_dict
from rulekit.rules.simplification import simplify_clause
from tests.explain.tables import PLAIN, points_rules, tables
from tests.strategies.rules import columns, every_row, points_splits

OLD, HIGH, SPORT = Literal("age", ">", 60), Literal("bp", ">", 140), Literal("sport", "==", "yes")
RISK = PointsSplit((OLD, HIGH, SPORT), (3, 2, -1), 4)


def by_hand(split, table):
    """Add up row by row, asking each test of each row alone."""
    n = len(next(iter(table.values())))
    for i in range(n):
        row = {name: column[i : i + 1] for name, column in table.items()}
        held = [bool(c.mask(row)[0]) for c in split.conditions]
        yield sum(p for p, h in zip(split.points, held, strict=True) if h)


@given(points_splits(), columns())
def test_the_points_of_what_holds_add_up(split, table):
    sums = list(by_hand(split, table))
    assert split.compute_values(table).tolist() == sums
    assert split.mask(table).tolist() == [(s >= split.total) == split.reached for s in sums]


@given(points_splits())
def test_no_row_has_a_sum_outside_the_span(split):
    lowest, highest = split.span
    sums = split.compute_values(every_row())
    assert lowest <= sums.min() <= sums.max() <= highest
    assert lowest < split.total <= highest


@given(points_splits())
def test_missing_flag_decides_rows_with_all_columns_missing(split):
    table = {f: np.array([None], dtype=object) for f in split.features}
    assert split.mask(table).tolist() == [split.missing]


@pytest.mark.slow
@given(points_splits(), columns())
def test_shorter_forms_are_equivalent(first, table):
    shorter = first.shorter()
    np.testing.assert_array_equal(shorter.mask(table), first.mask(table))
    assert shorter.n_conditions <= first.n_conditions
    assert shorter.negate() == first.negate().shorter()


@pytest.mark.slow
@given(points_splits(), st.data(), columns())
def test_a_higher_total_implies_a_lower_one_and_never_the_other_way(split, data, table):
    lowest, highest = split.span
    other = replace(split, total=data.draw(st.integers(lowest + 1, highest)))
    held, further = split.mask(table), other.mask(table)
    assert split.implies(other) or other.implies(split)
    if split.implies(other):
        assert not (held & ~further).any()
    assert split.implies(other.negate()) is False


@given(points_rules(PLAIN), tables(PLAIN))
def test_shorter_rules_decide_the_same_and_get_no_shorter_again(rule, table):
    short = simplify(rule)
    assert short.predict(table).tolist() == rule.predict(table).tolist()
    assert simplify(short) == short
    if len(set(rule.labels)) == 1:
        assert rule.negate().predict(table).tolist() == rule.predict(table).tolist()


def card(*bands, tests=RISK.conditions, points=RISK.points):
    clauses = tuple(Clause((PointsSplit(tests, points, total),)) for total, _ in bands)
    return RuleSet(clauses, tuple(label for _, label in bands), "dnf", "low")


def test_bands_are_one_scorecard_that_counts_conditions_once():
    rule = card((4, "high"), (2, "middle"))
    table = {"age": np.array([70.0, 70.0, 50.0]), "bp": np.array([150.0, 100.0, 100.0])}
    table["sport"] = np.array(["no", "yes", "no"], dtype=object)
    assert rule.predict(table).tolist() == ["high", "middle", "low"]
    assert simplify(rule) == rule
    assert card((4, "high"), (2, "middle")).n_conditions == len(RISK.conditions)
    twice = Clause((RISK, Literal("age", ">", 50)))
    assert RuleSet((twice, twice), ("a", "b"), "dnf", "c").n_conditions == 2 * twice.n_conditions
    rule = card((4, "high"))
    assert scorecard_of(rule)
    assert not scorecard_of(replace(rule, clauses=(replace(rule.clauses[0], op="or"),), form="cnf"))


def test_useless_bands_and_terms_go():
    assert simplify(card((2, "middle"), (4, "high"))) == card((2, "middle"))
    assert simplify(card((4, "high"), (2, "high"))) == card((2, "high"))
    assert simplify_clause(Clause((RISK, replace(RISK, total=2)))).conditions == (RISK,)
    assert simplify_clause(Clause((RISK, replace(RISK, total=2).negate()))) is None
    assert PointsSplit((OLD, HIGH, SPORT), (3, 0, -1), 2).shorter() == PointsSplit(
        (OLD, SPORT), (3, -1), 2
    )
    assert PointsSplit((OLD, HIGH), (3, 0), 1).shorter() == OLD
    assert PointsSplit((OLD,), (-2,), 0).shorter() == OLD.negate()
    rule = RuleSet(
        (Clause((PointsSplit((OLD,), (3,), 3), Literal("age", ">", 50))),), ("ill",), "dnf", "well"
    )
    assert simplify(rule).clauses == (Clause((OLD,)),)


def test_conditions_of_one_column_are_added_up_together():
    steps = PointsSplit((OLD, Literal("age", ">", 75), HIGH), (2, 1, 2), 5)
    apart = (Literal("age", "<=", 40), OLD)
    assert steps.span == (0, 5)
    assert PointsSplit(apart, (1, 2), 2).span == (0, 2)
    assert PointsSplit((OLD, OLD.negate()), (3, 1), 2).span == (1, 3)
    assert steps.limits("age", {}) == (60.0, 75.0)
    assert steps.n_conditions == 3
    assert steps.features == ("age", "bp")


def test_a_moved_total_or_threshold_is_reported_as_such():
    comparison = compare_rules(
        card((4, "high")), card((3, "high"), tests=(OLD, Literal("bp", ">", 150), SPORT))
    )
    assert [(t.feature, t.op, t.before, t.after) for t in comparison.changed[0].thresholds] == [
        ("bp", ">", 140.0, 150.0),
        ("points", ">=", 4.0, 3.0),
    ]
    other = compare_rules(card((4, "high")), card((4, "high"), points=(3, 2, -2)))
    assert (len(other.removed), len(other.added), other.changed) == (1, 1, ())
    assert compare_rules(card((4, "high")), card((4, "middle"))).changed == ()


def test_points_are_written_renamed_and_taken_from_numpy():
    assert str(RISK) == "POINTS [3 if age > 60, 2 if bp > 140, -1 if sport == yes] >= 4"
    assert str(RISK.negate()).endswith("] < 4 (a missing value gives 0)")
    reported = PointsSplit((Literal("age", ">", 60, missing=True), HIGH), (3, 2), 5)
    assert str(reported.negate()).endswith("2 if bp > 140] < 5")
    assert RISK.comparison == (">=", 4)
    assert RISK.types == {"age": {float}, "bp": {float}, "sport": {str}}
    split = PointsSplit([OLD, HIGH], np.array([3, 2]), np.int64(4))
    assert (split, type(split.points[0])) == (PointsSplit((OLD, HIGH), (3, 2), 4), int)
    assert RISK.rename({"bp": "pressure"}).features == ("age", "pressure", "sport")
    with pytest.raises(RuleError, match="tests column 'bp'"):
        RISK.mask({"age": np.zeros(1)})


@pytest.mark.parametrize(
    ("tests", "points", "total", "words"),
    [
        ((), (), 1, "at least one condition"),
        ((OLD, HIGH), (3,), 1, "2 conditions and 1 numbers"),
        ((OLD, HIGH), (3, 2), 6, "no row can reach 6: the sums lie from 0 to 5. Use 1 to 5"),
        ((OLD, HIGH), (3, 2), 0, "every row reaches 0"),
        ((OLD, Literal("age", "<=", 40)), (3, 2), 5, "no row can reach 5"),
        ((OLD, OLD), (3, 2), 5, "'age > 60' is listed twice; add its points up"),
        ((OLD, HIGH), (0, 0), 1, "all of them are 0"),
        ((OLD, HIGH), (2.5, 1), 1, "points of a condition must be a whole number .* got 2.5"),
        ((OLD, HIGH), (True, 1), 1, "whole number .* got True"),
        ((OLD, HIGH), (10**9, 1), 1, "at most 1000000; got 1000000000"),
        ((OLD, HIGH), (2, 1), 1.5, "total of points must be a whole number .* got 1.5"),
        ((OLD, LinearSplit((("a", 1.0),), "<=", 1.0)), (2, 1), 1, "tests of one column"),
        ((OLD, OLD.negate()), (2, 2), 2, "every row reaches 2"),
    ],
)
def test_parts_that_do_not_go_together_are_refused(tests, points, total, words):
    with pytest.raises(RuleError, match=words):
        PointsSplit(tests, points, total)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"conditions": [1]}, "must be dictionaries"),
        ({"conditions": "x"}, "'conditions' of type list"),
        ({"reached": 1}, "'reached' must be true or false"),
        ({"total": None}, "total of points must be a whole number"),
        ({"total": 99}, "no row can reach 99"),
    ],
)
def test_a_stored_condition_that_is_malformed_is_named(change, words):
    data = rule_to_dict(card((4, "high")))
    data["clauses"][0][0] |= change
    with pytest.raises(RuleError, match=f"Clause 1, condition 1: .*{words}"):
        rule_from_dict(data)
