"""Well-known learners take any table, stand on the same folds, and say how large they are."""

import numpy as np
import pandas as pd
import pytest

from rulekit import Costs
from rulekit.evaluation import sweep
from rulekit.evaluation.sweeps.baselines import baseline_models, baselines
from tests.evaluation.learners import Stump, noisy_table

QUICK = ["majority", "logistic regression", "tree", "gradient boosting"]


@pytest.fixture(scope="module")
def mixed():
    X, y = noisy_table(90)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.loc[::7, "a"] = np.nan
    frame["town"] = np.where(np.arange(90) % 3 == 0, "Ulm", "Bonn").astype(object)
    frame.loc[::5, "town"] = None
    frame["smoker"] = pd.Series(np.arange(90) % 2 == 0).astype(object)
    frame.loc[3, "smoker"] = None
    frame["nothing"] = np.nan
    return frame, np.where(y == 1, "ill", "well")


@pytest.mark.slow
def test_every_baseline_takes_text_truth_values_and_missing_ones(mixed):
    references = baselines(*mixed, cv=3, only=QUICK)
    assert list(references) == QUICK
    errors = {name: r.summary["test_error"].min() for name, r in references.items()}
    assert max(errors["tree"], errors["logistic regression"]) < errors["majority"] - 0.1


def test_a_baseline_joins_a_sweep_of_the_same_folds():
    X, y = noisy_table()
    rules = sweep(Stump(), X, y, grid={"theta": [0.0]}, cv=4)
    both = rules.join(*baselines(X, y, cv=4, only=["majority"]).values())
    assert both.summary["learner"].tolist() == ["Stump", "majority"]


def test_a_forest_takes_the_same_table(mixed):
    X, y = mixed
    forest, grid = baseline_models()["random forest"]
    assert grid == {}
    forest.learner.set_params(n_estimators=10)
    assert (forest.fit(X, y).predict(X) == y).mean() > 0.9
    assert forest.n_conditions_ is None


@pytest.mark.slow
def test_a_tree_of_two_leaves_has_one_literal_and_the_majority_none(mixed):
    references = baselines(*mixed, cv=3, only=["majority", "tree"])
    assert references["tree"].summary["n_conditions"].iloc[0] == 1
    assert references["majority"].summary["n_conditions"].tolist() == [0]
    assert references["majority"].summary["learner"].tolist() == ["majority"]


def test_under_costs_the_answer_that_costs_least_is_the_constant_one():
    y = np.repeat(["a", "b", "c"], [60, 30, 12])
    X = pd.DataFrame({"x": np.arange(len(y)) % 7})
    pairs = {("a", "b"): 1, ("a", "c"): 1, ("b", "a"): 1, ("b", "c"): 9}
    costs = Costs(matrix=pairs | {("c", "a"): 40, ("c", "b"): 2})
    result = baselines(X, y, cv=3, only=["cheapest answer"], costs=costs)["cheapest answer"]
    each = {
        shown: 100 * np.mean([pairs.get((t, shown), costs.matrix.get((t, shown), 0)) for t in y])
        for shown in "abc"
    }
    assert min(each, key=each.get) == "b"
    assert result.summary["test_cost_per_100"].tolist() == [pytest.approx(each["b"])]
    assert result.summary["n_conditions"].tolist() == [0]


def test_a_value_never_seen_in_training_does_not_stop_a_baseline(mixed):
    X, y = mixed
    model, _ = baseline_models()["tree"]
    model.fit(X, y)
    assert len(model.predict(X.assign(town="Atlantis"))) == len(X)
    assert len(model.predict(X.assign(town=np.nan, smoker="perhaps"))) == len(X)


def test_weights_reach_a_baseline(mixed):
    X, y = mixed
    weight = np.where(y == "ill", 100.0, 1.0)
    model, _ = baseline_models()["majority"]
    assert set(model.fit(X, y, weight).predict(X)) == {"ill"}


def test_a_baseline_that_is_not_there_is_named(mixed):
    with pytest.raises(ValueError, match="no baseline 'svm'; there are majority, logistic"):
        baselines(*mixed, only=["svm"])
