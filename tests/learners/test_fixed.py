"""A given rule as a classifier."""

import numpy as np
import pandas as pd
import pytest

from rulekit import Clause, DataError, FixedRuleClassifier, Literal, RuleSet, TwoLevelRuleClassifier
from tests.learners.tables import mixed_table

RULE = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")


def test_a_learned_rule_answers_the_same_when_it_is_given():
    X, y = mixed_table()
    learned = TwoLevelRuleClassifier().fit(X, y)
    fixed = FixedRuleClassifier(learned.rule_set_)
    np.testing.assert_array_equal(fixed.predict(X), learned.predict(X))
    fixed.fit(X, y)
    assert fixed.training_error_ == pytest.approx(learned.training_error_)
    assert fixed.n_conditions_ == learned.n_conditions_


def test_given_rules_answer_any_classes_without_training():
    model = FixedRuleClassifier(RULE)
    assert model.predict(pd.DataFrame({"age": [60, 40, None]})).tolist() == ["ill", "well", "well"]
    assert model.classes_.tolist() == ["ill", "well"]
    assert (model.positive_label_, model.default_label_) == ("ill", "well")
    shares = FixedRuleClassifier(RULE).predict_proba(pd.DataFrame({"age": [60, 40]}))
    assert shares.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    ages = pd.DataFrame({"age": [60, 40]})
    assert FixedRuleClassifier(RULE).decision_function(ages).tolist() == [-np.inf, np.inf]
    fitted = FixedRuleClassifier(RULE).fit(ages, ["ill", "well"])
    assert fitted.decision_function(ages).tolist() == pytest.approx([-0.4552183, 0.4552183])
    assert fitted.get_rules()["share"].tolist() == [2 / 3]
    assert FixedRuleClassifier(RULE).get_rules()["text"].tolist() == ["age > 50"]
    middle = Clause((Literal("age", ">", 30),))
    model = FixedRuleClassifier(RuleSet((*RULE.clauses, middle), ("old", "grown"), "dnf", "young"))
    ages = pd.DataFrame({"age": [20, 40, 60]})
    assert model.predict(ages).tolist() == ["young", "grown", "old"]
    assert model.predict_proba(ages).argmax(axis=1).tolist() == [2, 0, 1]
    model = FixedRuleClassifier(RULE).fit(pd.DataFrame({"age": [40, 60]}), ["well", "well"])
    assert model.training_error_ == 0.5
    assert model.predict_proba(pd.DataFrame({"age": [40]})).shape == (1, 2)


def test_a_rule_reads_its_own_columns_of_any_table():
    X, y = np.array([[3.0, 1.0], [2.0, 5.0], [1.0, 4.0]]), ["well", "ill", "ill"]
    learned = TwoLevelRuleClassifier(theta=0).fit(X, y)
    rule = RuleSet((Clause((Literal("x1", ">", 3),)),), ("ill",), "dnf", "well")
    assert learned.rule_set_.features  # a rule over x0 or x1
    for model in (FixedRuleClassifier(learned.rule_set_), FixedRuleClassifier(rule)):
        assert model.predict(X).tolist() == y
        assert model.fit(X, y).n_features_in_ == 2
        assert model.predict(X.tolist()).tolist() == y
        with pytest.raises(ValueError, match="X has 1 features, but FixedRuleClassifier"):
            model.predict(X[:, :1])
    with pytest.raises(DataError, match=r"reads column 'age'.*; it has 'x0'\."):
        FixedRuleClassifier(RULE).predict(np.ones((2, 1)))
    table = pd.DataFrame({"bmi": [1.0, 2.0], "age": [40, 60]})
    model = FixedRuleClassifier(RULE).fit(table, ["well", "ill"])
    assert model.feature_names_in_.tolist() == ["bmi", "age"]
    assert model.predict(table[["age"]]).tolist() == ["well", "ill"]
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert model.predict(table.to_numpy()).tolist() == ["well", "ill"]
