"""What a weight is: a row of weight two, a row given twice, and what the difference comes from."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import (
    Binarizer,
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    FixedRuleClassifier,
    IdealDNFClassifier,
    OneLevelRuleClassifier,
    PowerLawTreeClassifier,
    ScorecardClassifier,
    TwoLevelRuleClassifier,
)
from rulekit.rules import Clause, Literal, RuleSet
from tests.learners.tables import mixed_table

CUTS = Binarizer(thresholds={"age": [30, 40, 50, 60], "bmi": [24, 27, 30]})
PRICED = [
    OneLevelRuleClassifier(binarizer=CUTS),
    OneLevelRuleClassifier(binarizer=CUTS, exact=True),
    TwoLevelRuleClassifier(binarizer=CUTS),
    BoxSearchClassifier(binarizer=CUTS, random_state=0),
    ColumnGenerationClassifier(binarizer=CUTS),
]


def both_ways(n=150):
    """A table with weights of whole numbers, and the table with each row that often."""
    X, y = mixed_table(n=n)
    y = pd.Series(y)
    weight = np.random.default_rng(1).integers(0, 4, n)
    again = np.repeat(np.arange(n), weight)
    return (X, y, weight), (X.iloc[again].reset_index(drop=True), y.iloc[again])


@pytest.mark.parametrize("learner", PRICED, ids=lambda one: f"{type(one).__name__}")
def test_weight_two_equals_a_duplicated_row_with_fixed_cuts(learner):
    (X, y, weight), (rows, labels) = both_ways()
    kept = np.count_nonzero(weight)  # rows of weight 0 are left out
    by_weight = clone(learner).set_params(theta=1.0).fit(X, y, weight)
    by_row = clone(learner).set_params(theta=weight.sum() / kept).fit(rows, labels)
    assert by_weight.rule_set_ == by_row.rule_set_
    assert by_weight.n_conditions_ > 0
    assert by_weight.training_error_ == pytest.approx(by_row.training_error_, abs=1e-12)


@pytest.mark.parametrize("learner", PRICED, ids=lambda one: f"{type(one).__name__}")
def test_equal_weights_change_nothing_though_duplicates_do(learner):
    X, y = mixed_table(n=60)
    model = clone(learner).set_params(theta=4.0)
    plain = clone(model).fit(X, y).rule_set_
    assert clone(model).fit(X, y, np.full(len(y), 2.0)).rule_set_ == plain
    twice = clone(model).set_params(theta=2.0).fit(X, y).rule_set_
    again = np.repeat(np.arange(len(y)), 2)
    assert clone(model).fit(X.iloc[again], y[again]).rule_set_ == twice


def test_cuts_and_fixed_rules_ignore_the_sum_of_weights():
    X, y = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0]}), list("aabbb")
    weight = np.array([9, 1, 1, 1, 1])
    again = np.repeat(np.arange(5), weight)
    half = Binarizer(method="median")
    assert half.fit(X).cuts_ != clone(half).fit(X.iloc[again]).cuts_
    model = OneLevelRuleClassifier(binarizer=half, theta=0.1)
    cuts = {c.value for c in model.fit(X, y, weight).rule_set_.clauses[0].conditions}
    assert cuts <= set(half.cuts_["x"].tolist())
    rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("yes",), "dnf", "no")
    (X, y, weight), (rows, labels) = both_ways()
    given = FixedRuleClassifier(rule)
    by_weight = clone(given).fit(X, y, weight)
    by_row = clone(given).fit(rows, labels)
    assert by_weight.training_error_ == pytest.approx(by_row.training_error_)
    scaled = clone(given).fit(X, y, 2.0 * weight)
    np.testing.assert_array_equal(scaled.predict_proba(X), by_weight.predict_proba(X))
    assert np.abs(by_row.predict_proba(X) - by_weight.predict_proba(X)).max() > 1e-3


@pytest.mark.slow
def test_a_scorecard_s_and_a_tree_s_weights_have_no_scale_either():
    X, y = mixed_table(n=80, gaps=False)
    for model, table in (
        (ScorecardClassifier(binarizer=CUTS), X),
        (IdealDNFClassifier(random_state=0), X),
        (PowerLawTreeClassifier(max_depth=1, random_state=0), X[["age", "bmi"]]),
    ):
        same = clone(model).fit(table, y, np.full(len(y), 3.0))
        assert same.rule_set_ == clone(model).fit(table, y).rule_set_
