"""Fits of a fold: what is measured, with costs and weights, and each rule once."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from rulekit import (
    BoxSearchClassifier,
    Costs,
    OneLevelRuleClassifier,
    PowerLawTreeClassifier,
    TwoLevelRuleClassifier,
    load_sample,
)
from rulekit.data import make_folds
from rulekit.evaluation import sweep
from rulekit.evaluation.sweeps.fits import FoldMeasures
from rulekit.evaluation.sweeps.result import fit_settings
from tests.evaluation.learners import noisy_table


@pytest.fixture(scope="module")
def table():
    return noisy_table()


COSTS = Costs(miss=5, false_alarm=2, unit="EUR")


def cost_by_hand(shown, y):
    each = [
        {(1, 0): 5, (0, 1): 2}.get(pair, 0) for pair in zip(y.tolist(), shown.tolist(), strict=True)
    ]
    return 100 * sum(each) / len(each)


@pytest.mark.parametrize("positive", [None, 1, 0])
def test_costs_are_measured_for_either_described_class(table, positive):
    X, y = table
    costs = COSTS if positive is None else Costs(5, 2, positive=1)
    learner = OneLevelRuleClassifier(theta=0.5, positive_label=positive, random_state=0)
    grid = {"positive_label": [1, 0]}
    result = sweep(learner, X, y, grid=grid, cv=3, costs=costs).table
    weights = {1: 5.0, 0: 2.0}
    folds = make_folds(y, 3)
    for row in result.to_dict("records"):
        train, test = folds[row["fold"]]
        by_weight = clone(learner).set_params(
            positive_label=row["positive_label"], class_weight=weights
        )
        model = by_weight.fit(X[train], y[train])
        assert row["rule"] == model.rule_set_
        cost = cost_by_hand(model.predict(X[test]), y[test])
        assert row["test_cost_per_100"] == pytest.approx(cost)
    own = sweep(learner.set_params(costs=costs), X, y, grid=grid, cv=3)
    pd.testing.assert_series_equal(
        own.table["test_cost_per_100"], result["test_cost_per_100"], check_names=False
    )
    assert "test_cost_per_100_se" in own.summary


def test_learners_without_costs_compare_by_the_same_costs_or_none(table):
    X, y = table
    tree = DecisionTreeClassifier(random_state=0)
    result = sweep(tree, X, y, grid={"max_leaf_nodes": [3]}, cv=3, costs=COSTS)
    for row, (train, test) in zip(result.table.to_dict("records"), make_folds(y, 3), strict=True):
        grown = clone(tree).set_params(max_leaf_nodes=3)
        shown = grown.fit(X[train], y[train], np.where(y[train] == 1, 5, 2)).predict(X[test])
        assert row["test_error"] == pytest.approx((shown != y[test]).mean())
        assert row["test_cost_per_100"] == pytest.approx(cost_by_hand(shown, y[test]))
    learner = OneLevelRuleClassifier(costs=Costs(9, 1))
    with pytest.raises(
        ValueError, match=r"OneLevelRuleClassifier has .* instead of .* Set its `costs`"
    ):
        sweep(learner, X, y, grid={"theta": [1.0]}, cv=3, costs=COSTS)
    weighted = OneLevelRuleClassifier(class_weight="balanced")
    with pytest.raises(ValueError, match="`costs` and `class_weight` both"):
        sweep(weighted, X, y, grid={"theta": [1.0]}, cv=3, costs=COSTS)


@pytest.mark.slow
def test_tree_size_equals_its_rule_if_paths_repeat_splits():
    X = np.random.default_rng(0).uniform(1, 3, (240, 2))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] * X[:, 1], [3.0, 5.0])]
    tree = PowerLawTreeClassifier(max_power_laws=1)
    alone = tree.fit(X, y)
    assert alone.n_conditions_ < alone.rule_set_.n_conditions
    result = sweep(tree, X, y, grid={"max_power_laws": [1]}, cv=2).table
    assert result["n_conditions"].tolist() == [rule.n_conditions for rule in result["rule"]]


@pytest.fixture(scope="module")
def planted():
    X, y = load_sample("planted_dnf").xy("label")
    return X[:200], y[:200]


def test_empty_rules_are_points_and_chance_is_drawn_once(planted):
    grid = {"n_clauses": [1], "theta": [0.05, 1.0, 50.0]}
    sweep_result = sweep(TwoLevelRuleClassifier(), *planted, grid=grid, cv=3)
    assert sweep_result.summary["n_conditions"].iloc[-1] == 0
    assert sweep_result.setting(sweep_result.suggest()["default"])["theta"] < 50.0
    X, y = planted
    learner = clone(SEARCH).set_params(random_state=None)
    settings = [{"n_clauses": 3, "theta": t} for t in (0.05, 0.2, 0.5, 1.0)]
    models = list(fit_settings(learner, X, y, settings))
    losses = [m.objective_ - m.theta * m.n_conditions_ for m in models]
    assert losses == sorted(losses)  # as of one archive


SEARCH = BoxSearchClassifier(n_perturbations=0, random_state=0)


@pytest.mark.slow
def test_rules_for_and_against_a_class_count_the_same_class(planted):
    X, y = planted
    labels = sorted(set(y))
    rows = sweep(SEARCH, X, y, grid={"positive_label": labels}, cv=3).table
    assert {r.labels[0] for r in rows["rule"] if r.labels} == set(labels)
    positives = rows["test_tp"] + rows["test_fn"]
    by_fold = positives.groupby(rows["fold"])
    assert (by_fold.nunique() == 1).all()
    assert by_fold.first().sum() == (y == labels[-1]).sum()


def test_equal_rules_of_a_fold_are_measured_once(planted, monkeypatch):
    calls = []
    measure = FoldMeasures._errors
    monkeypatch.setattr(FoldMeasures, "_errors", lambda *a: calls.append(a) or measure(*a))
    grid = {"n_clauses": [1, 2], "theta": [0.01, 0.5, 1.0, 50.0]}
    sweep_result = sweep(SEARCH, *planted, grid=grid, cv=3)
    pairs = zip(sweep_result.table["fold"], sweep_result.table["rule"], strict=True)
    different = {(fold, repr(rule)) for fold, rule in pairs}
    assert len(different) < len(sweep_result.table)
    assert len(calls) == len(different)
