"""A fit that fails or is interrupted leaves an estimator as it was."""

import inspect
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rulekit import (
    LPSVM,
    Binarizer,
    BoxSearchClassifier,
    Costs,
    RuleClassifier,
    TwoLevelRuleClassifier,
)
from rulekit.exceptions import DataError
from rulekit.families import FAMILIES

LEARNERS = {
    "LPSVM": LPSVM(),
    "RuleClassifier": RuleClassifier(cv=2, max_conditions=2),
    **{key: family.model for key, family in FAMILIES.items()},
}


def table(names, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list(names))
    return X, np.where(X.iloc[:, 0] + 0.3 * rng.normal(size=60) > 0, "yes", "no")


class Interrupting:
    """Raise KeyboardInterrupt at a call of a function of the library, counted from 1.

    Generators are passed over: Python ignores what is raised while an unfinished one is closed.
    """

    def __init__(self, at):
        self.at, self.calls = at, 0

    def __call__(self, frame, event, _):
        code = frame.f_code
        generator = code.co_flags & inspect.CO_GENERATOR
        if event == "call" and not generator and "/rulekit/" in code.co_filename:
            self.calls += 1
            if self.calls == self.at:
                sys.setprofile(None)
                raise KeyboardInterrupt


def fit_until(model, X, y, at):
    profile = Interrupting(at)
    sys.setprofile(profile)
    try:
        model.fit(X, y)
    finally:
        sys.setprofile(None)
    return profile.calls


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.filterwarnings("ignore")
def test_an_interrupted_fit_leaves_the_model_as_it_was(name):
    model = clone(LEARNERS[name])
    few = {"n_jobs": 1, "binarizer": Binarizer(n_thresholds=3)}
    model.set_params(**{k: v for k, v in few.items() if k in model.get_params()})
    X, y = table("abc", 0)
    other, z = table("pqr", 1)
    calls = fit_until(clone(model), other, z, 0)
    with pytest.raises(KeyboardInterrupt):
        fit_until(model, other, z, calls // 2)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X, y)
    before, known = model.predict(X), dict(vars(model))
    for share in (0.1, 0.3, 0.6):
        with pytest.raises(KeyboardInterrupt):
            fit_until(model, other, z, int(calls * share))
        assert vars(model) == known
        np.testing.assert_array_equal(model.predict(X), before)


def test_classes_survive_a_refused_table_and_may_be_digits():
    X, y = table("abc", 0)
    model = BoxSearchClassifier(max_conditions=2).fit(X, y)
    before = model.predict(X)
    with pytest.raises(DataError, match="classes"):
        model.fit(table("pqr", 1)[0], np.repeat("yes", 60))
    np.testing.assert_array_equal(model.predict(X), before)
    digits = np.where(y == "yes", "2", "1")
    named = TwoLevelRuleClassifier(costs=Costs(5, 1), positive_label="yes").fit(X, y)
    digit = TwoLevelRuleClassifier(costs=Costs(5, 1), positive_label="2").fit(X, digits)
    assert digit.rule_set_.clauses == named.rule_set_.clauses
    weighted = TwoLevelRuleClassifier(class_weight={"1": 1, "2": 5}, positive_label="2")
    assert weighted.fit(X, digits).rule_set_ == digit.rule_set_
    with pytest.raises(ValueError, match=r"\['1', '2'\], are not in class_weight, which has \[1"):
        TwoLevelRuleClassifier(class_weight={1: 1, 2: 5}).fit(X, digits)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_table_without_columns_is_refused_in_a_sentence(name):
    with pytest.raises(DataError, match=r"The table has no column; .* Pass the columns"):
        clone(LEARNERS[name]).fit(pd.DataFrame(index=range(20)), ["a", "b"] * 10)


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "LPSVM"])
def test_a_label_that_is_no_class_is_refused(name):
    X, y = table("abc", 0)
    model = clone(LEARNERS[name]).set_params(positive_label="ja")
    with pytest.raises(ValueError, match=r"`positive_label` must be one of .*'no', 'yes'.*'ja'"):
        model.fit(X, y)
