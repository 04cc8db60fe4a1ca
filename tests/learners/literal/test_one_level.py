"""Rules of one clause."""

import pytest

from rulekit.learners import OneLevelRuleClassifier, TwoLevelRuleClassifier
from tests.learners.tables import mixed_table

THETAS = [0.1, 1.0, 5.0]


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
