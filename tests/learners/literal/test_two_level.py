"""Two-level rules from tables: the rule, its numbers, and what it must not depend on."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rulekit import Binarizer, TwoLevelRuleClassifier
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import EmptyRuleWarning
from tests.learners.tables import mixed_table

METHODS = ["set_cover", "block_coordinate", "alternating"]
ALL_METHODS = [*METHODS, "lp"]


@pytest.mark.parametrize("method", METHODS)
def test_a_planted_rule_is_found(method):
    X, y = mixed_table(noise=0.0, gaps=False)
    model = TwoLevelRuleClassifier(method, binarizer=Binarizer(n_thresholds=None)).fit(X, y)
    assert model.training_error_ == 0
    assert model.n_conditions_ == 4


@pytest.mark.parametrize("method", ALL_METHODS)
def test_a_dnf_is_the_negated_cnf_of_the_other_class(method):
    X, y = mixed_table()
    X = X[["bmi", "town"]].assign(age=X["age"].where(X["age"] > 20))  # gaps in every column
    dnf = TwoLevelRuleClassifier(method, theta=0.7, positive_label="yes").fit(X, y)
    cnf = TwoLevelRuleClassifier(method, theta=0.7, positive_label="no", form="cnf").fit(X, y)
    assert cnf.rule_set_.negate() == dnf.rule_set_
    assert cnf.objective_ == dnf.objective_


@pytest.mark.parametrize("method", ALL_METHODS)
def test_refining_never_raises_errors_plus_price(method):
    X, y = mixed_table(noise=0.15)
    plain = TwoLevelRuleClassifier(method, theta=0.8).fit(X, y)
    refined = TwoLevelRuleClassifier(method, theta=0.8, refine=True).fit(X, y)
    assert refined.objective_ <= plain.training_error_ * len(y) + 0.8 * plain.n_conditions_ + 1e-9
    # simplification may leave fewer literals than were paid for
    paid = refined.training_error_ * len(y) + 0.8 * refined.n_conditions_
    assert paid <= refined.objective_ + 1e-9


def test_methods_pay_stop_and_repeat():
    age = np.arange(100.0)
    X, y = pd.DataFrame({"age": age}), age > 61
    plain = TwoLevelRuleClassifier(n_clauses=1).fit(X, y)
    refined = TwoLevelRuleClassifier(n_clauses=1, refine=True).fit(X, y)
    assert plain.training_error_ > 0
    assert refined.training_error_ == 0
    X, y = mixed_table(noise=0.0, gaps=False)
    model = TwoLevelRuleClassifier(n_clauses=5, theta=3.0, allow_disabled=True).fit(X, y)
    assert 0 < model.n_rules_ < 5
    X, y = mixed_table()
    requested = iter([False, False, True])
    settings = [{"theta": t} for t in (1.0, 2.0, 3.0, 4.0)]
    models = fit_settings(
        TwoLevelRuleClassifier(), X, y, settings, should_stop=lambda: next(requested)
    )
    assert [model.theta for model in models] == [1.0, 2.0]
    X, y = mixed_table(noise=0.2)
    model = TwoLevelRuleClassifier("block_coordinate", n_clauses=3, rounding="random")
    first, second = (clone(model).set_params(random_state=5).fit(X, y) for _ in range(2))
    assert first.rule_set_ == second.rule_set_


def test_the_relaxation_bounds_and_the_exact_method_proves():
    X, y = mixed_table()
    model = TwoLevelRuleClassifier("lp", theta=2.0).fit(X, y)
    assert 0 < model.lower_bound_ <= model.objective_
    assert model.proved_optimal_ is None
    X, _ = mixed_table(n=80)
    X = X[["age", "smoker", "flag"]]
    y = (X["age"] > 45) & X["smoker"] | (X["age"] <= 30) & (X["flag"] == 1)
    few = Binarizer(n_thresholds=2)
    exact = TwoLevelRuleClassifier("exact", binarizer=few, allow_disabled=True).fit(X, y)
    assert exact.proved_optimal_
    assert exact.lower_bound_ == pytest.approx(exact.objective_, abs=1e-3)
    for method in METHODS:
        other = TwoLevelRuleClassifier(method, binarizer=few).fit(X, y)
        assert exact.objective_ <= other.training_error_ * len(y) + other.n_conditions_ + 1e-6


@pytest.mark.slow
def test_the_exact_method_refuses_a_large_table():
    X, y = mixed_table(n=600)
    every = Binarizer(n_thresholds=None)
    with pytest.raises(ValueError, match=r"exact method takes tables of up to .* entries"):
        TwoLevelRuleClassifier("exact", n_clauses=5, binarizer=every).fit(X, y)


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
@pytest.mark.parametrize("method", METHODS)
def test_a_time_limit_warns_and_keeps_a_rule(method):
    X, y = mixed_table()
    model = TwoLevelRuleClassifier(method, time_limit=1e-9)
    with pytest.warns(ConvergenceWarning, match="time limit of 1e-09 s passed"):
        model.fit(X, y)
    assert set(model.predict(X)) <= {"yes", "no"}
    assert model.history_[-1]["stopped"] == "time limit"


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_relaxation_disables_clauses_at_timeout():
    X, y = mixed_table()
    model = TwoLevelRuleClassifier("lp", n_clauses=3, time_limit=1e-9, allow_disabled=True)
    with pytest.warns(ConvergenceWarning, match="time limit of 1e-09 s passed"):
        model.fit(X, y)
    errors = (model.predict(X) != y).sum()
    assert model.rule_set_.n_clauses == 0
    (stopped,) = [step for step in model.history_ if "stopped" in step]
    assert stopped["objective"] == errors


def test_rules_are_nonempty_below_theta_max_and_empty_from_it():
    X, y = mixed_table()
    one = TwoLevelRuleClassifier(n_clauses=1, positive_label="no")
    limit = one.fit(X, y).theta_max_
    below = clone(one).set_params(theta=limit * 0.999).fit(X, y)
    assert below.n_conditions_ > 0
    assert below.empty_rule_hint_ is None
    above = clone(one).set_params(theta=limit * 1.001)
    with pytest.warns(EmptyRuleWarning, match=f"Below theta={limit:.6g} some single"):
        above.fit(X, y)
    assert above.rule_set_.is_constant
