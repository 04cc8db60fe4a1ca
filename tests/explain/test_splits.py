"""Power-law splits on single rows: readings, paths, near misses, and the change of one column."""

import numpy as np
import pytest
from hypothesis import given

from rulekit import LPSVM, HyperplaneRuleClassifier, explain
from rulekit.explain import explain_path
from rulekit.explain.counterfactual import smallest_change
from rulekit.explain.splits import read_split
from rulekit.rules import Branch, Clause, Factor, Literal, PowerLaw, PowerLawSplit, RuleSet
from rulekit.rules.analysis.tree import Leaf, rule_of_tree
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
    age = PowerLaw(-0.5, (Factor("age"),))
    split = PowerLawSplit((BMI, age), 20.0)
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
    ranges = {"mass": 80.0, "height": 0.5}
    split = read_split(HEAVY, {"mass": 95.0, "height": 1.8}, ranges=ranges)
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
