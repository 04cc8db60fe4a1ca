"""Operating points: clauses switched on one after another, and any probability, as rules."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Clause, Costs, FixedRuleClassifier, Literal, RuleError, RuleSet
from rulekit.evaluation.operating import clause_points, operating_points, threshold_rule
from rulekit.families import IdealDNFClassifier, ScorecardClassifier
from rulekit.learners import BoxSearchClassifier, TwoLevelRuleClassifier
from tests.learners.tables import mixed_table


@pytest.fixture(scope="module")
def table():
    return mixed_table(4, n=300, noise=0.2)


LEARNERS = [
    TwoLevelRuleClassifier(n_clauses=3, theta=0.7, positive_label="no"),
    TwoLevelRuleClassifier(n_clauses=2, theta=1.0, form="cnf"),
    BoxSearchClassifier(
        n_clauses=3, theta=1.0, n_perturbations=0, random_state=0, max_conditions=6
    ),
    ScorecardClassifier(max_conditions=4),
]


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_threshold_rule_predicts_like_its_probability(learner, table):
    X, y = table
    model = learner.fit(X, y)
    new = mixed_table(5, n=400, noise=0.2)[0]
    for rows in (X, new):
        described = model.classes_.tolist().index(model.positive_label_)
        chance, known = (model.predict_proba(t)[:, described].round(9) for t in (rows, X))
        known = np.unique(known)
        for threshold in [1.0, *known[:: max(1, len(known) // 6)], known[0], known[-1]]:
            rule = threshold_rule(model, float(threshold))
            shown = rule.predict(model.read_columns(rows)) == model.positive_label_
            assert (shown == (chance >= threshold)).all()


@pytest.mark.parametrize("learner", LEARNERS[:3], ids=repr)
def test_clauses_are_switched_on_by_training_accuracy(learner, table):
    X, y = table
    model = learner.fit(X, y)
    share = model.get_rules()["share"]
    points = clause_points(model)
    order = [next(iter({*b} - {*a})) for (a, _), (b, _) in pairwise(points)]
    assert share.loc[[k - 1 for k in order]].is_monotonic_decreasing
    assert points[-1][1] == model.rule_set_
    empty = points[0][1].predict(model.read_columns(X))
    cnf = model.rule_set_.form == "cnf"
    assert set(empty) == {model.positive_label_ if cnf else model.default_label_}


@pytest.mark.parametrize("by", ["clauses", "chances"])
@pytest.mark.parametrize("positive", ["no", "yes"])
@pytest.mark.slow
def test_figures_equal_counts_of_predictions(by, positive, table):
    X, y = table
    model = LEARNERS[0].fit(X, y)
    costs = Costs(4, 1, positive="no")
    points = operating_points(model, X, y, by=by, costs=costs, positive=positive)
    rules = [rule for _, rule in clause_points(model)]
    if by == "chances":
        rules = [threshold_rule(model, t) for t in points["threshold"]]
    assert len(points) == len(rules)
    for row, rule in zip(points.to_dict("records"), rules, strict=True):
        shown = rule.predict(model.read_columns(X)) == positive
        true = y == positive
        assert row["called_positive"] == pytest.approx(shown.mean())
        assert row["found"] == pytest.approx(shown[true].mean())
        alarms, missed = (shown & ~true).sum(), (true & ~shown).sum()
        assert row["false_alarms"] == pytest.approx(shown[~true].mean())
        if shown.any():
            assert row["precision"] == pytest.approx(true[shown].mean())
        assert row["error"] == pytest.approx((shown != true).mean())
        if positive == "yes":
            alarms, missed = missed, alarms
        assert row["cost_per_100"] == pytest.approx(100 * (4 * missed + alarms) / len(y))
    rises = points["called_positive"] if positive == "no" else -points["called_positive"]
    assert rises.is_monotonic_increasing


@given(st.lists(st.booleans(), min_size=40, max_size=40))
def test_never_and_always_are_among_the_probabilities(classes):
    if len(set(classes)) < 2:
        classes = [not classes[0], *classes[1:]]
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) % 3})
    rule = RuleSet(
        (Clause((Literal("a", ">", 20.0), Literal("b", "<=", 1.0))),), (True,), "dnf", False
    )
    model = FixedRuleClassifier(rule).fit(X, classes)
    points = operating_points(model, X, classes, by="chances")
    assert (points["called_positive"].iloc[0], points["called_positive"].iloc[-1]) == (0.0, 1.0)
    assert not threshold_rule(model, 1.0).clauses
    assert threshold_rule(model, 0.0).clauses[0].conditions == ()


def test_operating_points_reject_unusable_models(table):
    X, y = table
    model = LEARNERS[0].fit(X, y)
    with pytest.raises(ValueError, match="`by` must be 'clauses' or 'chances', got 'x'"):
        operating_points(model, X, y, by="x")
    with pytest.raises(ValueError, match=r"`positive` must be one of the classes \[.*\], got 'x'"):
        operating_points(model, X, y, positive="x")
    old, young = (Clause((Literal("age", op, 50.0),)) for op in (">", "<="))
    two = FixedRuleClassifier(RuleSet((old, young), ("yes", "no"), "dnf", "no")).fit(X, y)
    with pytest.raises(RuleError, match="need clauses of one class; these predict 'yes', 'no'"):
        clause_points(two)
    three = FixedRuleClassifier(RuleSet((old,), ("yes",), "dnf", "perhaps")).fit(X, y)
    with pytest.raises(ValueError, match="need two classes; this rule has 3"):
        operating_points(three, X, y)
    ideal = IdealDNFClassifier(random_state=0).fit(X, y)
    with pytest.raises(RuleError, match="Use `by='clauses'`"):
        threshold_rule(ideal, 0.5)
