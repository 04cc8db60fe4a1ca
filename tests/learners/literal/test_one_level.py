"""Rules of one clause."""

import numpy as np
import pytest

from rulekit.learners import OneLevelRuleClassifier, TwoLevelRuleClassifier
from tests.learners.tables import mixed_table

THETAS = [0.1, 1.0, 5.0]


@pytest.mark.parametrize("theta", THETAS)
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_the_exact_clause_costs_no_more_and_keeps_the_bound(theta, form):
    X, y = mixed_table(noise=0.15)
    rounded = OneLevelRuleClassifier(theta, form).fit(X, y)
    exact = OneLevelRuleClassifier(theta, form, exact=True).fit(X, y)
    assert exact.proved_optimal_
    assert rounded.lower_bound_ <= exact.objective_ + 1e-6
    assert exact.objective_ <= rounded.objective_ + 1e-9


@pytest.mark.parametrize("theta", THETAS)
def test_it_is_the_two_level_rule_of_one_clause(theta):
    X, y = mixed_table()
    one = OneLevelRuleClassifier(theta).fit(X, y)
    two = TwoLevelRuleClassifier("set_cover", n_clauses=1, theta=theta).fit(X, y)
    assert one.rule_set_ == two.rule_set_
    assert one.objective_ == pytest.approx(two.objective_)


def test_a_dnf_is_one_and_clause_and_a_cnf_one_or_clause():
    X, y = mixed_table()
    for form, op in (("dnf", "and"), ("cnf", "or")):
        model = OneLevelRuleClassifier(0.5, form, exact=True).fit(X, y)
        assert [clause.op for clause in model.rule_set_.clauses] == [op]


def test_the_objective_counts_failing_literals():
    X, y = mixed_table(noise=0.15)
    model = OneLevelRuleClassifier(1.0, exact=True).fit(X, y)
    columns = model.read_columns(X)
    holds = model.rule_set_.clauses[0].condition_masks(columns)
    yes = y == "yes"
    cost = np.where(yes, (~holds).sum(axis=1), holds.all(axis=1)).sum() + model.n_conditions_
    assert model.objective_ == pytest.approx(cost)
