"""Conditions and clauses checked on one row: readings, paths, distances and near misses."""

import numpy as np
import pytest
from hypothesis import given

from rulekit import LPSVM, HyperplaneRuleClassifier, explain
from rulekit.explain import explain_path
from rulekit.explain.checks import CheckedClause, Checker, describe_near_miss, read_split
from rulekit.explain.counterfactual import smallest_change
from rulekit.rules import (
    Branch,
    Clause,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLaw,
    PowerLawSplit,
    RuleSet,
)
from rulekit.rules.analysis.tree import Leaf, rule_of_tree
from rulekit.rules.condition import as_column
from tests.learners.planes import blobs
from tests.strategies.power_laws import rows, splits

BMI = PowerLaw(1.0, (Factor("mass"), Factor("height", -2, floor=0.1)))
HEAVY = PowerLawSplit((BMI,), 27.0, inside=False)
PEOPLE = {
    "mass": np.array([95.0, 70.0, np.nan]),
    "height": np.array([1.8, 1.8, 1.8]),
    "age": np.array([30.0, 60.0, 30.0]),
}


def rule():
    old = Literal("age", ">", 50.0)
    tree = Branch(HEAVY, Leaf("heavy"), Branch(old, Leaf("watch"), Leaf("fine")))
    return rule_of_tree(tree, "fine")


def test_a_reading_names_the_sum_the_margin_and_each_power_law():
    split = PowerLawSplit((BMI, PowerLaw(-0.5, (Factor("age"),))), 20.0)
    result = read_split(split, {"mass": 95.0, "height": 1.8, "age": 30.0})
    assert result.total == pytest.approx(95 / 1.8**2 - 15)
    assert result.margin == pytest.approx(result.total - 20.0)
    assert [t.text for t in result.terms] == ["mass / max(height, 0.1)^2", "age"]
    assert [t.value for t in result.terms] == pytest.approx([95 / 1.8**2, 30.0])
    assert result.sentence == (
        "f = -5.67901 <= 0 because mass / max(height, 0.1)^2 - 0.5 * age is 14.321, at most 20 "
        "(mass / max(height, 0.1)^2 is 29.321 and age is 30)"
    )


def test_bands_paths_and_changes_are_read_in_order():
    split = PowerLawSplit((PowerLaw(1.0, (Factor("a"),)),), 2.0, 1.0)
    assert read_split(split, {"a": 1.25}).margin == pytest.approx(-0.25)
    outside = read_split(split, {"a": 2.5})
    assert outside.margin == pytest.approx(0.5)
    assert outside.sentence == "f = 0.5 > 0 because a is 2.5, outside 1 to 2"
    split = read_split(HEAVY, {"mass": 95.0, "height": 1.8}, ranges={"mass": 80.0, "height": 0.5})
    assert [c.feature for c in split.changes] == ["mass", "height"]
    mass, height = (c.new for c in split.changes)
    assert 27 * 1.8**2 - 0.081 <= mass <= 27 * 1.8**2
    assert np.sqrt(95 / 27) <= height <= np.sqrt(95 / 27) + 0.00051
    two = RuleSet((Clause((HEAVY,)), Clause((Literal("age", ">", 5.0),))), ("a", "a"), "dnf", "b")
    assert explain_path(two, PEOPLE) == [(), (), ()]
    paths = explain_path(rule(), PEOPLE)
    assert [len(p) for p in paths] == [1, 1, 1]
    assert [p[0].holds for p in paths] == [True, False, False]


@given(splits(), rows(min_rows=1, max_rows=1))
def test_a_reading_agrees_with_the_split_on_every_row(split, columns):
    row = {name: None if np.isnan(v[0]) else float(v[0]) for name, v in columns.items()}
    result = read_split(split, row)
    assert result.holds == split.mask(columns)[0]
    if result.margin is not None:
        assert ((result.margin <= 0) == split.inside) == result.holds


@pytest.mark.parametrize("bound", [2.4, 0.3, 1180.0, -7.1, 99.9, 1e-3])
@pytest.mark.parametrize("away", [-1.0, 1.0])
def test_a_change_past_a_short_bound_is_named_with_few_digits_too(bound, away):
    split = PowerLawSplit((PowerLaw(1.0, (Factor("a"),)),), bound, inside=False)
    tree = rule_of_tree(Branch(split, Leaf("yes"), Leaf("no")), "no")
    old = bound - 0.5 * away * abs(bound)
    column = {"a": np.array([old, old + 2 * (bound - old)])}
    (change,) = smallest_change(tree, {"a": old}, training=column).changes
    assert len(f"{abs(change.new):.15g}".replace(".", "").strip("0")) <= 5
    assert away * (change.new - bound) >= 0


def test_a_model_whose_plane_answers_the_rest_is_explained_row_by_row():
    X, y = blobs()
    model = HyperplaneRuleClassifier(LPSVM(nu=1.0), max_rules=1, uncovered="hyperplane").fit(X, y)
    explanation = explain(model, X, y, training=(X, y))
    assert [e.prediction for e in explanation] == model.predict(X).tolist()
    assert len(explanation[0].similar(3)) == 3
    assert explanation[0].to_dict()["fired"] is not None


RANGES = {"age": 100.0, "mass": 100.0}
OLD = Literal("age", ">", 50)
LIGHT = Literal("mass", "<=", 60)
PLANE = LinearSplit((("age", 1.0), ("mass", -1.0)), ">", 0.0)
RATIO = PowerLawSplit((PowerLaw(1.0, (Factor("mass"), Factor("age", -1, floor=1.0))),), 2.0)


@pytest.mark.parametrize(
    ("condition", "value", "row", "distance", "share"),
    [
        (OLD, 60.0, {"age": 60.0}, 0.0, 0.0),
        (OLD, 44.0, {"age": 44.0}, 6.0, 0.06),
        (OLD, 50.0, {"age": 50.0}, 0.0, 0.0),
        (OLD, None, {"age": None}, None, None),
        (Literal("town", "==", "Ulm"), "Bonn", {"town": "Bonn"}, None, None),
        (PLANE, 10.0, {"age": 70.0, "mass": 60.0}, 0.0, None),
        (PLANE, -5.0, {"age": 55.0, "mass": 60.0}, 5.0, None),
        (PLANE, None, {"age": None, "mass": 60.0}, None, None),
        (RATIO, 3.0, {"age": 20.0, "mass": 60.0}, 1.0, 0.1),
        (RATIO, 1.0, {"age": 60.0, "mass": 60.0}, 0.0, None),
        (PointsSplit((OLD, LIGHT), (3, -1), 3), 2, {"age": 70.0, "mass": 60.0}, 1.0, 0.25),
    ],
)
def test_distance_and_share_of_the_range(condition, value, row, distance, share):
    holds = bool(condition.mask({f: as_column([v]) for f, v in row.items()})[0])
    checked = Checker(value, row, holds, RANGES).write(condition)
    assert (checked.literal, checked.value, checked.holds) == (condition, value, holds)
    assert checked.distance == (None if distance is None else pytest.approx(distance))
    assert checked.share == (None if share is None else pytest.approx(share))
    assert checked.to_dict()["column"] == ", ".join(condition.features)


@pytest.mark.parametrize(
    ("condition", "operator", "threshold"),
    [
        (OLD, ">", 50.0),
        (Literal("town", "in", ("Ulm", "Bonn")), "in", ["Bonn", "Ulm"]),
        (PLANE, ">", 0.0),
        (RATIO.negate(), ">", 2.0),
        (PowerLawSplit(RATIO.terms, 2.0, 1.0), "within", [1.0, 2.0]),
        (PowerLawSplit(RATIO.terms, 2.0, 1.0, inside=False), "outside", [1.0, 2.0]),
    ],
)
def test_compared_values_are_plain_data(condition, operator, threshold):
    row = dict.fromkeys(condition.features, None)
    plain = Checker(None, row, False).write(condition).to_dict()
    assert (plain["operator"], plain["threshold"]) == (operator, threshold)


def clause(*holds):
    checks = [Checker(60.0 if h else 44.0, {"age": 0.0}, h, RANGES).write(OLD) for h in holds]
    return CheckedClause(1, "ill", tuple(checks))


def test_few_missing_conditions_come_first_then_small_ones():
    one, two = (describe_near_miss(clause(met, False), False) for met in (True, False))
    assert one.nearness == (1, pytest.approx(0.06), 1)
    assert sorted([two, one], key=lambda miss: miss.nearness) == [one, two]
