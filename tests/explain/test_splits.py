"""Power-law splits on single rows: readings, paths, near misses, and the change of one column."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from benchmarks.papers.power_law_tables import curve_table
from rulekit import LPSVM, HyperplaneRuleClassifier, PowerLawTreeClassifier, explain
from rulekit.explain import explain_path
from rulekit.explain.counterfactual import smallest_change
from rulekit.explain.splits import read_split
from rulekit.rules import (
    Branch,
    Clause,
    Factor,
    LinearSplit,
    Literal,
    PowerLaw,
    PowerLawSplit,
    RuleSet,
)
from rulekit.rules.analysis.tree import Leaf, rule_of_tree
from rulekit.style.phrases import Wording
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


def test_a_band_is_read_with_the_modulus_as_its_margin():
    split = PowerLawSplit((PowerLaw(1.0, (Factor("a"),)),), 2.0, 1.0)
    assert read_split(split, {"a": 1.25}).margin == pytest.approx(-0.25)
    outside = read_split(split, {"a": 2.5})
    assert outside.margin == pytest.approx(0.5)
    assert outside.sentence == "f = 0.5 > 0 because a is 2.5, outside 1 to 2"


@given(splits(), rows(min_rows=1, max_rows=1))
def test_a_reading_agrees_with_the_split_on_every_row(split, columns):
    row = {name: None if np.isnan(v[0]) else float(v[0]) for name, v in columns.items()}
    result = read_split(split, row)
    assert result.holds == split.mask(columns)[0]
    if result.margin is not None:
        assert ((result.margin <= 0) == split.inside) == result.holds


def test_changes_are_ordered_by_the_share_of_the_range():
    ranges = {"mass": 80.0, "height": 0.5}
    split = read_split(HEAVY, {"mass": 95.0, "height": 1.8}, ranges=ranges)
    assert [c.feature for c in split.changes] == ["mass", "height"]
    mass, height = (c.new for c in split.changes)
    assert 27 * 1.8**2 - 0.081 <= mass <= 27 * 1.8**2
    assert np.sqrt(95 / 27) <= height <= np.sqrt(95 / 27) + 0.00051


def test_a_missing_value_is_reported_with_what_it_counts_as():
    split = read_split(HEAVY, {"mass": None, "height": 1.8})
    assert split.sentence == (
        "mass is missing, which counts as not meeting the condition on mass / max(height, 0.1)^2"
    )
    assert not split.holds
    assert split.changes == ()


def test_a_path_leads_from_the_root_to_the_leaf_of_each_row():
    paths = explain_path(rule(), PEOPLE)
    assert [len(p) for p in paths] == [1, 1, 1]
    assert [p[0].holds for p in paths] == [True, False, False]


@pytest.mark.slow
def test_a_path_of_a_learned_tree_agrees_with_predict():
    made = curve_table("DS3")
    model = PowerLawTreeClassifier(positive_label="on").fit(made.frame, made.labels)
    for path, answer in zip(
        explain_path(model, made.frame), model.predict(made.frame), strict=True
    ):
        assert path[0].holds == (answer == "on")


def test_a_rule_that_is_no_tree_has_no_paths():
    two = RuleSet((Clause((HEAVY,)), Clause((Literal("age", ">", 5.0),))), ("a", "a"), "dnf", "b")
    assert explain_path(two, PEOPLE) == [(), (), ()]


def test_the_explanation_of_a_row_gives_the_reading_as_its_reason():
    heavy, light, unknown = explain(rule(), PEOPLE)
    assert heavy.sentence == (
        "Predicted heavy: mass / max(height, 0.1)^2 is 29.321, above 27 (clause 1)."
    )
    assert light.prediction == "watch"
    miss = light.near_misses[0]
    assert "would change it" in miss.sentence
    assert unknown.prediction == "fine"
    for reported in (heavy, light, unknown):
        json.dumps(reported.to_dict(), allow_nan=False)


@pytest.mark.parametrize("person", [0, 1, 2])
def test_the_change_of_one_column_gives_another_answer(person):
    row = {f: None if np.isnan(v[person]) else float(v[person]) for f, v in PEOPLE.items()}
    columns = {f: v[[person]] for f, v in PEOPLE.items()}
    found = smallest_change(rule(), row, training=PEOPLE)
    assert len(found.changes) == 1
    (change,) = found.changes
    moved = dict(columns) | {change.feature: np.array([change.new])}
    assert rule().predict(moved)[0] == found.prediction != rule().predict(columns)[0]
    assert found.sentence.startswith(
        f"The prediction would be {found.prediction} if {change.feature}"
    )


def test_a_change_respects_what_must_stay():
    row = {"mass": 95.0, "height": 1.8, "age": 30.0}
    change = smallest_change(rule(), row, immutable={"mass"})
    assert change.changes[0].feature == "height"
    none = smallest_change(rule(), row, immutable={"mass", "height"})
    assert not none.possible
    assert "No change of one column alone" in none.sentence


def test_the_change_named_is_short_and_near_the_boundary():
    past = {"mass": np.array([40.5, 200.5]), "height": np.array([1.5, 1.9])}
    result = smallest_change(rule(), {"mass": 95.0, "height": 1.8, "age": 30.0}, training=past)
    (change,) = result.changes
    assert change.feature == "mass"
    assert 87.0 < change.new <= 87.48
    assert len(repr(change.new)) <= 5


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


def test_business_names_are_in_the_formula():
    wording = Wording(names={"mass": "weight"}, units={"mass": "kg"})
    text = explain(rule(), PEOPLE, wording=wording)[0].sentence
    assert "weight / max(height, 0.1)^2" in text


PLANE = LinearSplit((("age", 0.5), ("bmi", -1.0)), ">", 3.0)
RULE = RuleSet(
    (Clause((Literal("age", ">", 90.0),)), Clause((PLANE,))), ("ill", "ill"), "dnf", "well"
)


def test_the_sum_is_beside_its_limit():
    rows = pd.DataFrame({"age": [60.0, 20.0, np.nan], "bmi": [20.0, 20.0, 20.0]})
    high, low, gap = explain(RULE, rows)
    assert high.sentence == ("Predicted ill: 0.5 * age - 1 * bmi is 10 > 3 (clause 2).")
    missed = next(m for m in low.near_misses if m.index == 1)
    assert "0.5 * age - 1 * bmi is -10 but would have to be above 3" in missed.sentence
    assert missed.checks[0].distance == 13.0
    assert any("age or bmi is missing" in m.sentence for m in gap.near_misses)


def test_a_long_sum_is_explained_by_its_value():
    names = [f"measurement_{k}" for k in range(6)]
    plane = LinearSplit(tuple((name, 0.5) for name in names), ">", 10.0)
    rule = RuleSet((Clause((plane,)),), ("ill",), "dnf", "well")
    rows = pd.DataFrame({name: [1.0 + k, 5.0 - (k == 4)] for k, name in enumerate(names)})
    rows.iloc[1] -= 2.0
    high, low = (result.sentence for result in explain(rule, rows))
    assert high == "Predicted ill: the score is 10.5 > 10 (clause 1)."
    assert low == (
        "Predicted well: clause 1 does not match, as the score is 8.5 but would have to be "
        "above 10; measurement_4 contributes least."
    )


def test_no_change_is_claimed_for_a_rule_with_a_sum():
    result = explain(RULE, pd.DataFrame({"age": [60.0], "bmi": [20.0]}))[0]
    assert not result.counterfactual.possible
    assert result.counterfactual.sentence.startswith("The smallest change is not worked out")


def test_a_model_whose_plane_answers_the_rest_is_explained_row_by_row():
    X, y = blobs()
    model = HyperplaneRuleClassifier(LPSVM(nu=1.0), max_rules=1, uncovered="hyperplane").fit(X, y)
    explanation = explain(model, X, y, training=(X, y))
    assert [e.prediction for e in explanation] == model.predict(X).tolist()
    assert len(explanation[0].similar(3)) == 3
    assert explanation[0].to_dict()["fired"] is not None
