"""A given rule as a classifier."""

import numpy as np
import pandas as pd
import pytest

from rulekit.exceptions import DataError
from rulekit.learners import FixedRuleClassifier, TwoLevelRuleClassifier
from rulekit.rules import Clause, Literal, RuleSet
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


def test_a_rule_needs_no_training_to_answer():
    model = FixedRuleClassifier(RULE)
    assert model.predict(pd.DataFrame({"age": [60, 40, None]})).tolist() == ["ill", "well", "well"]
    assert model.classes_.tolist() == ["ill", "well"]
    assert (model.positive_label_, model.default_label_) == ("ill", "well")


def test_probabilities_without_a_table_are_certain():
    shares = FixedRuleClassifier(RULE).predict_proba(pd.DataFrame({"age": [60, 40]}))
    assert shares.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    ages = pd.DataFrame({"age": [60, 40]})
    assert FixedRuleClassifier(RULE).decision_function(ages).tolist() == [-np.inf, np.inf]
    fitted = FixedRuleClassifier(RULE).fit(ages, ["ill", "well"])
    assert fitted.decision_function(ages).tolist() == pytest.approx([-0.1823216, 0.1823216])
    assert fitted.get_rules()["share"].tolist() == [2 / 3]


def test_a_rule_of_three_labels_answers_all_of_them():
    middle = Clause((Literal("age", ">", 30),))
    rule = RuleSet((*RULE.clauses, middle), ("old", "grown"), "dnf", "young")
    model = FixedRuleClassifier(rule)
    ages = pd.DataFrame({"age": [20, 40, 60]})
    assert model.predict(ages).tolist() == ["young", "grown", "old"]
    assert model.predict_proba(ages).argmax(axis=1).tolist() == [2, 0, 1]


def test_a_missing_column_is_named():
    with pytest.raises(DataError, match="reads column 'age', which the table does not have"):
        FixedRuleClassifier(RULE).predict(pd.DataFrame({"bmi": [1.0]}))


def test_an_array_has_no_names_and_is_refused():
    with pytest.raises(DataError, match="by name: give a pandas DataFrame, not ndarray"):
        FixedRuleClassifier(RULE).predict(np.ones((2, 1)))


def test_rules_are_listed_without_training():
    assert FixedRuleClassifier(RULE).get_rules()["text"].tolist() == ["age > 50"]
