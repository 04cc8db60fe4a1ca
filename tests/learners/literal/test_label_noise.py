"""Rows that a forest doubts count less in a search; nothing else changes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import BoxSearchClassifier, Constraints, certify
from rulekit.binning import Binarizer
from rulekit.data import columns_of
from rulekit.learners.literal.boxes import agreement, discount_rows
from rulekit.learners.training import learning_problem
from tests.learners.literal.test_box_search import mixed

LEARNER = BoxSearchClassifier(
    theta=1.0, n_clauses=2, n_perturbations=0, label_noise=1.0, positive_label="ill", random_state=0
)


def problem_of(X, y, form="dnf"):
    bins = Binarizer().fit(X, y).transform(X)
    table = bins.with_labels(y == "ill", np.ones(len(y)))
    return learning_problem(table, columns_of(X), form=form, constraints=Constraints())


def test_a_row_of_the_wrong_class_is_discounted_most():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(200), "b": rng.random(200)})
    y = np.where(X.a > 0.5, "ill", "well")
    odd = int(np.argmax(X.a))
    y[odd] = "well"
    problem = problem_of(X, y)
    weight = discount_rows(problem, 1.0, 0).table.weight
    assert problem.columns["a"][weight.argmin()] == X.a[odd]
    assert weight.min() < 0.2
    assert np.median(weight) > 0.9
    half = discount_rows(problem, 0.5, 0).table.weight
    assert half == pytest.approx(0.5 + 0.5 * weight)


@pytest.mark.parametrize("label_noise", [0.0, 1.0])
def test_the_path_holds_the_rule_that_is_fitted(label_noise):
    X, y = mixed(n=120)
    learner = clone(LEARNER).set_params(label_noise=label_noise)
    entry, alone = learner.path(X, y).entry(1.0, 2), learner.fit(X, y)
    assert entry.rule_set == alone.rule_set_
    assert entry.objective(1.0) == pytest.approx(alone.objective_)


def test_rows_count_in_full_in_figures_and_without_a_forest():
    X, y = mixed()
    model = clone(LEARNER).set_params(n_clauses=1).fit(X, y)
    wrong = int((model.predict(X) != y).sum())
    assert model.training_error_ == pytest.approx(wrong / len(y))
    assert model.objective_ < wrong + model.theta * model.n_conditions_  # discounted
    proof = certify(model, X, y)
    assert proof.objective == pytest.approx(wrong + model.theta * model.n_conditions_)
    X = pd.DataFrame({"same": np.ones(12)})
    y = np.array(["ill", "well"] * 6)
    assert agreement(problem_of(X, y), 0).tolist() == [1.0] * 12
