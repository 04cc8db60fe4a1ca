"""Column generation as a learner: its loss, its bound, its prices."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rulekit import (
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    TwoLevelRuleClassifier,
    load_sample,
)
from rulekit.learners.literal import column_generation
from tests.learners.tables import mixed_table


def learner(**settings):
    return ColumnGenerationClassifier(positive_label="yes", **settings)


def priced_loss(model, X, y):
    """Count missed rows, and rows of the other class once for every clause that takes them."""
    taken = model.clauses_fired(X) ^ (model.form == "cnf")
    described = (np.asarray(y) == "yes") ^ (model.form == "cnf")
    missed = (described & ~taken.any(axis=1)).sum()
    return missed + taken[~described].sum() + model.theta * (model.n_conditions_ + model.n_rules_)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("theta", [2.0, 4.0])
def test_objective_is_the_priced_loss_and_bounds_are_below(form, theta):
    X, y = mixed_table()
    model = learner(form=form, theta=theta).fit(X, y)
    assert model.objective_ == pytest.approx(priced_loss(model, X, y))
    assert model.lower_bound_ is not None
    assert model.lower_bound_ <= model.objective_ + 1e-6
    assert model.proved_optimal_ == (model.objective_ <= model.lower_bound_ + 1e-5)


def test_bounds_are_below_every_rule_or_not_claimed():
    X, y = mixed_table()
    bound = learner(theta=2.0).fit(X, y).lower_bound_
    for other_learner in (BoxSearchClassifier, TwoLevelRuleClassifier):
        other = other_learner(theta=2.0, positive_label="yes", random_state=0)
        assert priced_loss(other.fit(X, y), X, y) >= bound - 1e-6
    model = learner(theta=2.0).fit(X, y)
    assert model.history_[-1]["bound"] == "linear program"
    assert model.history_[-1]["lower_bound"] == model.lower_bound_
    model = learner(theta=0.0).fit(X, y)
    assert (model.lower_bound_, model.proved_optimal_) == (None, False)
    model = learner(refine=True).fit(X, y)
    assert (model.lower_bound_, model.proved_optimal_) == (None, None)


def test_no_bound_is_claimed_after_the_last_round(monkeypatch):
    X, y = mixed_table()
    ended = learner(theta=2.0).fit(X, y)
    for name, limit in (("FEW_ROUNDS", 1), ("COLUMN_ROUNDS", 2 * X.shape[1])):
        monkeypatch.setattr(column_generation, name, limit)
    cut = learner(theta=2.0).fit(X, y)
    assert len(cut.history_) == 2 + 1 < len(ended.history_)
    assert cut.lower_bound_ is None
    assert not cut.proved_optimal_
    assert cut.objective_ == pytest.approx(priced_loss(cut, X, y))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")  # on a busy machine
def test_time_limit_keeps_the_rule_without_a_claim_of_optimality():
    X, y = load_sample("breast_cancer").xy("diagnosis")
    model = ColumnGenerationClassifier(theta=0.1, time_limit=0.5)
    with pytest.warns(ConvergenceWarning, match=r"time limit of 0.5 s passed"):
        model.fit(X, y)
    last = model.history_[-1]
    assert last["stopped"] == "time limit"
    assert last.get("bound") != "linear program"
    assert model.lower_bound_ == last.get("lower_bound")
    assert (model.lower_bound_ or 0.0) <= model.objective_
    assert not model.proved_optimal_
