"""Well-known learners take any table, stand on the same folds, and say how large they are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import Costs, compare_learners
from rulekit.evaluation.sweeps.baselines import reference_learners
from tests.evaluation.learners import noisy_table

REFERENCES = {family.name: family for family in reference_learners()}


def model_of(name):
    return clone(REFERENCES[name].estimator)


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
    learners = [family for name, family in REFERENCES.items() if name != "random forest"]
    points = compare_learners(*mixed, learners=learners, cv=3).points()
    errors = points.groupby("learner")["test_error"].min()
    assert set(errors.index) == {family.name for family in learners}
    assert max(errors["tree"], errors["logistic regression"]) < errors["majority"] - 0.1
    sizes = points.set_index("learner")["n_conditions"]
    assert sizes["tree"].iloc[0] == 1
    assert sizes["majority"] == 0


def test_baselines_take_weights_new_values_and_the_same_table(mixed):
    X, y = mixed
    forest = model_of("random forest")
    forest.learner.set_params(n_estimators=10)
    assert (forest.fit(X, y).predict(X) == y).mean() > 0.9
    assert forest.n_conditions_ is None
    model = model_of("tree")
    model.fit(X, y)
    assert len(model.predict(X.assign(town="Atlantis"))) == len(X)
    assert len(model.predict(X.assign(town=np.nan, smoker="perhaps"))) == len(X)
    weight = np.where(y == "ill", 100.0, 1.0)
    model = model_of("majority")
    assert set(model.fit(X, y, weight).predict(X)) == {"ill"}


def test_under_costs_the_answer_that_costs_least_is_the_constant_one():
    y = np.repeat(["a", "b", "c"], [60, 30, 12])
    X = pd.DataFrame({"x": np.arange(len(y)) % 7})
    pairs = {("a", "b"): 1, ("a", "c"): 1, ("b", "a"): 1, ("b", "c"): 9}
    costs = Costs(matrix=pairs | {("c", "a"): 40, ("c", "b"): 2})
    result = compare_learners(X, y, learners=reference_learners(costs)[:1], cv=3, costs=costs)
    each = {
        shown: 100 * np.mean([pairs.get((t, shown), costs.matrix.get((t, shown), 0)) for t in y])
        for shown in "abc"
    }
    assert min(each, key=each.get) == "b"
    assert result.summary["test_cost_per_100"].tolist() == [pytest.approx(each["b"])]
    assert result.summary["n_conditions"].tolist() == [0]
