"""What the box search leaves to cross-validation: robustness, and the class described."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import BoxSearchClassifier, Constraints, certify
from rulekit.data import make_folds
from rulekit.exceptions import DataError
from rulekit.learners.choice import CONDITION_PRICE
from rulekit.learners.literal.box_search import candidates
from rulekit.learners.training import read_training_table
from tests.learners.literal.test_box_search import mixed

LEARNER = BoxSearchClassifier(
    robustness="cv", n_perturbations=0, n_clauses=2, theta=2.0, random_state=0
)


def against(n=200, seed=0):
    """A table where "well" takes one clause, and "ill" takes four."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, 4)), columns=list("abcd"))
    well = (X < 0.84).all(axis=1)
    return X, np.where(well, "well", "ill")


@pytest.mark.slow
def test_the_level_taken_is_the_one_with_the_best_smoothed_error():
    X, y = mixed()
    learner = clone(LEARNER).set_params(positive_label="ill")
    found = candidates(learner, read_training_table(learner, X, y, None), ["ill"])
    model = clone(learner).fit(X, y)
    assert model.robustness_ == found[0].robustness
    totals = [c.error + CONDITION_PRICE * c.n_conditions for c in found]
    assert totals == sorted(totals)
    plain = clone(learner).set_params(robustness=model.robustness_).fit(X, y)
    assert model.rule_set_ == plain.rule_set_


@pytest.mark.slow
@pytest.mark.parametrize("centre", [2.0, 3.0])
def test_error_of_a_level_equals_plain_fits_on_the_same_folds(centre):
    X, y = mixed(n=120)
    learner = clone(LEARNER).set_params(positive_label="ill", n_clauses=1, theta=centre)
    found = candidates(learner, read_training_table(learner, X, y, None), ["ill"])
    mean = {}
    for theta in (centre / 2, centre, 2 * centre):
        for r in (1, 2):
            wrong = []
            for train, test in make_folds(y, 5, random_state=0):
                model = clone(learner).set_params(robustness=0.3, n_clauses=r, theta=theta)
                model.fit(X.iloc[train], y[train])
                wrong.append((model.predict(X.iloc[test]) != y[test]).mean())
            mean[theta, r] = np.mean(wrong)
    shares = {centre / 2: 0.25, centre: 0.5, 2 * centre: 0.25}
    by_clauses = [sum(s * mean[theta, r] for theta, s in shares.items()) for r in (1, 2)]
    expected = 0.75 * by_clauses[0] + 0.25 * by_clauses[1]
    assert next(c.error for c in found if c.robustness == 0.3) == pytest.approx(expected)


@pytest.mark.slow
def test_class_with_the_shorter_rule_is_described_and_named():
    X, y = against()
    model = clone(LEARNER).fit(X, y)
    assert model.positive_label_ == "well"
    assert set(model.rule_set_.labels) == {"well"}
    assert model.rule_set_.default == model.default_label_ == "ill"
    assert (model.predict(X) == y).mean() > 0.9


@pytest.mark.slow
def test_a_class_that_is_given_stays():
    X, y = against()
    assert clone(LEARNER).set_params(positive_label="ill").fit(X, y).positive_label_ == "ill"


@pytest.mark.slow
def test_a_second_fit_forgets_the_class_chosen_before():
    X, y = against()
    model = clone(LEARNER).fit(X, np.where(y == "well", "a", "z"))
    assert model.positive_label_ == "a"
    again = model.set_params(robustness=0.0).fit(X, np.where(y == "well", "a", "z"))
    assert again.positive_label_ == "z"


@pytest.mark.slow
def test_a_path_and_a_certificate_are_of_the_class_that_was_chosen():
    X, y = against()
    learner = clone(LEARNER).set_params(n_clauses=1, theta=10.0)
    assert set(learner.path(X, y).rule(theta=10.0, n_clauses=1).labels) == {"well"}
    assert certify(learner.fit(X, y), X, y).objective > 0


def test_a_class_of_one_row_cannot_be_cross_validated():
    X, y = against(n=30)
    y = np.where(np.arange(30) == 3, "rare", "common")
    with pytest.raises(DataError, match="needs two rows of each class or more"):
        clone(LEARNER).fit(X, y)


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


@pytest.mark.slow
def test_cuts_are_refined_if_cross_validation_improves():
    X, y = mixed(seed=5)
    learner = BoxSearchClassifier(theta=1.0, n_clauses=3, n_perturbations=0, random_state=0)
    error = {}
    for choice in (False, True):
        model = clone(learner).set_params(refine_thresholds=choice)
        folds = make_folds(y, 5, random_state=0)
        wrong = [
            (clone(model).fit(X.iloc[a], y[a]).predict(X.iloc[b]) != y[b]).mean() for a, b in folds
        ]
        error[choice] = np.mean(wrong)
    chosen = clone(learner).set_params(refine_thresholds="cv").fit(X, y)
    assert chosen.refine_thresholds_ == (error[True] < error[False])
    plain = clone(learner).set_params(refine_thresholds=chosen.refine_thresholds_).fit(X, y)
    assert chosen.rule_set_ == plain.rule_set_
