"""Monotonicity checks: no step of the column changes a prediction away, for every row."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.rules import (
    Clause,
    Constraints,
    LinearSplit,
    Literal,
    RuleSet,
    check_monotonicity,
    monotonicity_checks,
)
from tests.rules.analysis.test_violations import plainly_kept
from tests.strategies.power_laws import NAMES, splits
from tests.strategies.rules import literals, points_splits, rule_sets


@pytest.mark.slow
@given(
    st.one_of(literals(("age", "smoker")), points_splits(of=literals(("age", "smoker", "town")))),
    st.sampled_from(("age", "smoker")),
)
def test_condition_direction_matches_its_effect(condition, feature):
    rule = RuleSet((Clause((condition,)),), ("yes",), "dnf", "no")
    assume(feature in rule.features)
    trend = condition.trend(feature)
    if trend is None:
        return
    for sign, direction in ((1, ">"), (-1, "<")):
        if trend in (0, sign):
            assert plainly_kept(rule, feature, "yes", direction)


@given(splits(), st.sampled_from(NAMES), st.integers(0, 10_000))
def test_sum_of_power_laws_direction_matches_its_effect(split, feature, seed):
    trend = split.trend(feature)
    if trend is None:
        return
    rng = np.random.default_rng(seed)
    ladder = np.sort(rng.normal(scale=3.0, size=40))
    rows = {name: np.full(40, rng.normal(scale=2.0)) for name in NAMES} | {feature: ladder}
    assert set(np.diff(split.mask(rows).astype(int)).tolist()) <= {0, trend}


def test_a_weight_s_sign_is_the_direction_of_a_plane():
    plane = LinearSplit((("a", 2.0), ("b", -1.0)), ">", 3.0)
    assert [plane.trend(name) for name in "abc"] == [1, -1, 0]
    assert [plane.negate().trend(name) for name in "abc"] == [-1, 1, 0]
    rule = RuleSet((Clause((plane, Literal("a", ">", 1))),), ("yes",), "dnf", "no")
    assert check_monotonicity(rule, "a", "yes").kept
    assert check_monotonicity(rule, "b", "yes", "<").kept
    assert check_monotonicity(rule, "b", "yes").kept is None  # what sums can be is not looked into


def test_age_between_cuts_is_a_violation_with_two_rows():
    old = Clause((Literal("age", ">", 30), Literal("age", "<=", 60), Literal("town", "==", "Ulm")))
    result = check_monotonicity(RuleSet((old,), ("yes",), "dnf", "no"), "age", "yes")
    assert not result.kept
    step = "with town = Ulm, the prediction is yes for age = 60 and not for age = 61"
    assert step in result.sentence
    assert "Where age is missing, conditions on it do not hold." in result.sentence
    both = RuleSet((old, Clause((Literal("age", ">", 60, True),))), ("yes", "yes"), "dnf", "no")
    assert check_monotonicity(both, "age", "yes").kept
    assert "missing" not in check_monotonicity(both, "age", "yes").sentence


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("age", "yes", "up"), "`direction` must be '<' or '>', got 'up'"),
        (("town", "yes"), "the rule compares 'town' with text, which does not rise or fall"),
    ],
)
def test_invalid_directions_and_columns_raise(arguments, expected):
    rule = RuleSet((Clause((Literal("town", "==", "Ulm"),)),), ("yes",), "dnf", "no")
    with pytest.raises(RuleError, match=expected):
        check_monotonicity(rule, *arguments)


@given(rule_sets(form="dnf", max_clauses=4, max_size=3), st.sampled_from("<>"))
def test_list_of_allowed_clauses_satisfies_the_constraint(rule, sign):
    wishes = Constraints(directions={"age": sign, "smoker": sign}, towards="yes")
    kept = [
        Clause(tuple(c for c in clause.conditions if wishes.orient(label).allows(c)))
        for clause, label in zip(rule.clauses, rule.labels, strict=True)
    ]
    kept_rule = RuleSet(tuple(kept), rule.labels, "dnf", rule.default)
    assume(len(kept_rule.features) <= 3)
    for check in monotonicity_checks(kept_rule, wishes):
        assert check.kept
        if check.feature in kept_rule.features:
            assert plainly_kept(kept_rule, check.feature, "yes", sign)


@pytest.mark.parametrize(
    ("direction", "age", "answer", "expected"),
    [
        (">", 60.0, "yes", "A higher Age alone cannot change this prediction away from yes"),
        (">", 30.0, "no", "A lower Age alone cannot change this prediction to yes"),
        ("<", 30.0, "yes", "A lower Age alone cannot change this prediction away from yes"),
        ("<", 60.0, "no", "A higher Age alone cannot change this prediction to yes"),
    ],
)
def test_the_change_named_for_a_row_cannot_change_its_prediction(direction, age, answer, expected):
    rule = RuleSet((Clause((Literal("age", direction, 50),)),), ("yes",), "dnf", "no")
    check = check_monotonicity(rule, "age", "yes", direction)
    assert check.describe_row(answer, str.capitalize).startswith(expected)
    others = np.arange(age + 1, 200) if "higher" in expected else np.arange(-100, age)
    assert set(rule.predict({"age": np.array([age])})) == {answer}
    assert set(rule.predict({"age": others})) == {answer}
    turned = check_monotonicity(rule, "age", "yes", "<" if direction == ">" else ">")
    assert turned.kept is False
    assert turned.describe_row(answer) == ""
