"""Options of the box search: limits, robustness, and cuts that are refined."""

from contextlib import nullcontext

import pytest
from sklearn.base import clone

from rulekit import BoxSearchClassifier, Constraints
from tests.learners.literal.test_box_search import mixed


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_no_rule_has_more_literals_than_it_may(limit):
    X, y = mixed()
    learner = BoxSearchClassifier(
        max_conditions=limit, theta=0.2, n_clauses=4, n_perturbations=0, positive_label="ill"
    )
    with pytest.warns(match="no condition") if limit == 0 else nullcontext():
        assert learner.fit(X, y).n_conditions_ <= limit


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("robustness", [0.0, 0.1])
def test_refined_cuts_cost_no_more_in_training_and_no_literal(form, robustness):
    X, y = mixed(seed=5)
    learner = BoxSearchClassifier(
        theta=1.0, n_clauses=3, robustness=robustness, form=form, n_perturbations=0,
        positive_label="ill",
    )  # fmt: skip
    coarse = clone(learner).fit(X, y)
    fine = clone(learner).set_params(refine_thresholds=True).fit(X, y)
    assert fine.objective_ <= coarse.objective_
    if form == "dnf":
        assert fine.objective_ < coarse.objective_  # there is something to gain
    assert fine.history_[0]["objective"] == coarse.objective_
    assert fine.n_conditions_ == coarse.n_conditions_
    read = [[sorted(c.features) for c in m.rule_set_.clauses] for m in (fine, coarse)]
    assert read[0] == read[1]
    if robustness == 0:
        wrong = (fine.predict(X) != y).sum()
        assert fine.objective_ == pytest.approx(wrong + fine.n_conditions_)


def test_a_forbidden_cut_is_not_made_by_refining():
    X, y = mixed(seed=5)
    learner = BoxSearchClassifier(
        theta=1.0, n_clauses=3, refine_thresholds=True, n_perturbations=0, positive_label="ill"
    )
    free = clone(learner).fit(X, y).rule_set_
    barred = next(lit for c in free.clauses for lit in c.literals if lit.feature == "age")
    kept = learner.set_params(constraints=Constraints(forbidden=(barred,))).fit(X, y).rule_set_
    assert barred not in [lit for c in kept.clauses for lit in c.literals]
