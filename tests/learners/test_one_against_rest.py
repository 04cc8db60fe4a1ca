import numpy as np
import pandas as pd
import pytest

from rulekit import HyperplaneRuleClassifier, OneLevelRuleClassifier, load_sample
from rulekit.learners.one_against_rest import one_against_rest
from rulekit.learners.training import read_training_table
from rulekit.rules import Clause, Literal


def small_table():
    X = pd.DataFrame({"a": [0.0, 1, 2, 3, 4, 5, 6, 7]})
    return read_training_table(
        OneLevelRuleClassifier(), X, list("ccaabbbb"), None, multi_class=True
    )


def test_classes_are_ordered_by_weight_among_remaining_rows():
    table, requested = small_table(), []

    def describe(rows, code):
        requested.append((rows.tolist(), code))
        return [Clause((Literal("a", "<=", 3.0 if code == 0 else 1.0),))]

    rule = one_against_rest(table, np.ones(8), describe)
    assert requested == [([0, 1, 2, 3, 4, 5, 6, 7], 0)]  # the first took all rows of the next
    assert (rule.labels, rule.default) == (("a",), "b")
    requested.clear()
    weight = np.where(table.y == "c", 0.5, np.where(table.y == "a", 9.0, 1.0))
    rule = one_against_rest(table, weight, describe)
    assert requested == [([0, 1, 2, 3, 4, 5, 6, 7], 2), ([2, 3, 4, 5, 6, 7], 1)]
    assert (rule.labels, rule.default) == (("c", "b"), "a")


def test_a_class_that_is_all_that_is_left_needs_no_clause():
    table = small_table()
    rule = one_against_rest(
        table, np.ones(8), lambda rows, code: [Clause((Literal("a", ">", 1.0),))]
    )
    assert (rule.n_clauses, rule.labels, rule.default) == (1, ("a",), "c")


@pytest.mark.parametrize("learner", [OneLevelRuleClassifier, HyperplaneRuleClassifier])
def test_two_class_settings_are_refused_with_more_classes(learner):
    X, y = load_sample("iris").xy("species")
    with pytest.raises(ValueError, match=r"`positive_label` names .* 3 classes.*'setosa'.* None"):
        learner(positive_label="setosa").fit(X, y)


def test_a_list_is_no_cnf():
    X, y = load_sample("iris").xy("species")
    with pytest.raises(ValueError, match=r"`form` must be 'dnf' .* got 'cnf'"):
        OneLevelRuleClassifier(form="cnf").fit(X, y)


def test_planes_one_after_the_other_make_one_list():
    X, y = load_sample("iris").xy("species")
    model = HyperplaneRuleClassifier(confidence_folds=0).fit(X, y)
    rule, left = model.rule_set_, np.ones(len(y), bool)
    assert list(dict.fromkeys(rule.labels)) == list(model.against_rest_)
    for label, one in model.against_rest_.items():
        alone = HyperplaneRuleClassifier(confidence_folds=0, positive_label=True)
        alone.fit(X[left], (y == label)[left])
        assert one.rule_set_ == alone.rule_set_
        left &= ~one.predict(X).astype(bool)
    assert model.training_error_ == np.mean(model.predict(X) != y) < 0.1
