"""Wishes of an analyst, kept by every learner."""

import pytest

from rulekit import Constraints, DataError, Literal, RuleError
from rulekit.learners import BoxSearchClassifier, OneLevelRuleClassifier, TwoLevelRuleClassifier
from tests.learners.tables import mixed_table


def literals_of(model):
    return [lit for clause in model.rule_set_.clauses for lit in clause.literals]


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_forbidden_columns_and_literals_do_not_appear(form, refine):
    X, y = mixed_table()
    free = TwoLevelRuleClassifier(form=form, refine=refine).fit(X, y)
    barred = [lit for lit in literals_of(free) if lit.feature in ("age", "bmi")]
    limits = Constraints(forbidden=("smoker", *barred))
    model = TwoLevelRuleClassifier(form=form, constraints=limits, refine=refine).fit(X, y)
    assert barred
    assert not set(barred) & set(literals_of(model))
    assert "smoker" not in model.rule_set_.features


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize("direction", [">", "<"])
def test_a_column_is_compared_in_its_direction_only(direction, refine):
    X, y = mixed_table()
    limits = {"directions": {"age": direction}, "required": ["age"]}
    model = TwoLevelRuleClassifier(constraints=limits, refine=refine).fit(X, y)
    assert {lit.op[0] for lit in literals_of(model) if lit.feature == "age"} == {direction}


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_not_equal_conditions_can_be_excluded(form):
    X, y = mixed_table()
    y = (X["town"] != "Ulm").map({True: "yes", False: "no"})
    free = TwoLevelRuleClassifier(form=form).fit(X, y)
    model = TwoLevelRuleClassifier(form=form, constraints={"allow_not_equal": False}).fit(X, y)
    assert "!=" in {lit.op for lit in literals_of(free)}
    assert not {"!=", "not-in"} & {lit.op for lit in literals_of(model)}


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize(
    "constraint", ["flag", Literal("age", ">", 61.5), Literal("town", "==", "Kiel")]
)
@pytest.mark.parametrize(
    "learner", [OneLevelRuleClassifier, TwoLevelRuleClassifier, BoxSearchClassifier]
)
def test_required_columns_appear(learner, constraint, form):
    X, y = mixed_table()
    model = learner(form=form, constraints=Constraints(required=(constraint,))).fit(X, y)
    literals = literals_of(model)
    assert constraint in literals or constraint in [lit.feature for lit in literals]
    assert model.objective_ >= learner(form=form).fit(X, y).objective_


def test_existing_columns_change_nothing_and_added_ones_end_proofs():
    X, y = mixed_table()
    free = TwoLevelRuleClassifier().fit(X, y)
    limits = Constraints(required=tuple(literals_of(free)))
    model = TwoLevelRuleClassifier(constraints=limits).fit(X, y)
    assert model.rule_set_ == free.rule_set_
    assert model.objective_ == free.objective_
    model = OneLevelRuleClassifier(exact=True, constraints={"required": ["flag"]}).fit(X, y)
    assert model.proved_optimal_ is False
    assert model.lower_bound_ < model.objective_


def test_requirements_that_cannot_be_met_are_refused():
    X, y = mixed_table()
    limits = Constraints(required=(Literal("age", ">", 40), Literal("age", ">", 50)))
    with pytest.raises(RuleError, match="cannot hold what is required"):
        OneLevelRuleClassifier(constraints=limits).fit(X, y)
    with pytest.raises(DataError, match="names column 'aeg', which the table"):
        TwoLevelRuleClassifier(constraints={"forbidden": ["aeg"]}).fit(X, y)
