"""What is compared on the training rows: settings, folds, and what a constant answer does."""

import time
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import Constraints, Costs, DataError, RuleClassifier
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.learners import BoxSearchClassifier, search_grid
from rulekit.learners.base import Paths
from rulekit.learners.choice import Loss
from rulekit.learners.forest_kernels import votes
from rulekit.learners.inner_choice import (
    TRUST,
    ForestLoss,
    Form,
    InnerComparison,
    _take_cheaper_constant,
    calibrate_votes,
    compare_losses,
    estimate_losses,
    form_of_rules,
    inner_folds,
    simplest,
)
from rulekit.learners.training import read_training_table
from tests.learners.tables import mixed_table


def test_grids_grow_with_rows_and_hold_requirements():
    small, large = (search_grid(["b"] * n + ["a"] * n) for n in (50, 500))
    assert small["positive_label"] == ["a", "b"]
    assert small["label_noise"] == [0.0, 1.0]
    assert [10 * t for t in small["theta"]] == pytest.approx(large["theta"])
    assert settings_of(large, BoxSearchClassifier())
    X, y = mixed_table(n=60)
    for constraints, price in ((None, 60.0), ({"required": ["age"]}, None)):
        learner = BoxSearchClassifier(constraints=constraints)
        empty = form_of_rules(learner, learner._read(X, y, None)).empty
        assert (empty and empty["theta"]) == price


@pytest.mark.slow
def test_classes_of_few_rows_have_as_many_folds():
    X = pd.DataFrame({"a": np.arange(24.0)})
    model = RuleClassifier(positive_label=True).fit(X, np.arange(24) > 20)
    assert model.choice_.table["folds"].tolist() == [3] * 180
    assert model.rule_set_.n_conditions == 1
    X, y = pd.DataFrame({"a": np.arange(20.0)}), ["n"] * 19 + ["y"]
    table = BoxSearchClassifier()._read(X, y, None)
    with pytest.raises(DataError, match=r"class 'y' has a single row\. Leave this class out"):
        inner_folds(5, table, 0)


@pytest.mark.slow
def test_weights_determine_the_constant_and_its_cost():
    X, y = mixed_table(n=90)
    learner = BoxSearchClassifier(max_conditions=1)
    table = learner._read(X, y, None)
    weight = np.where(y == "yes", 1000.0, 1.0)
    form = Form("rule", learner, table, ({"theta": 1e9},))
    result = InnerComparison([form], table, inner_folds(3, table, 0), Loss(y, weight)).choose()
    wrong = (y == "no").sum() / weight.sum()
    assert result.constant_error == pytest.approx(wrong, rel=0.1), "folds differ by a row"
    assert (result.setting, result.default) == ({"theta": 1e9}, 0)


@pytest.mark.parametrize(("constant", "is_empty"), [(0.1 + 0.2, True), (0.3 + 1e-9, False)])
def test_a_constant_that_costs_the_same_but_for_rounding_is_selected(constant, is_empty):
    X, y = mixed_table(n=60)
    learner = BoxSearchClassifier()
    table = learner._read(X, y, None)
    form, loss = form_of_rules(learner, table), Loss(y, np.ones(60), Costs(1, 1, positive="yes"))
    choice = replace(simplest(form, table, loss), error=0.3, constant_error=constant)
    result = _take_cheaper_constant(choice, [form], np.full(5, constant), loss)
    assert (result.setting == form.empty) == is_empty
    assert result.setting in (form.empty, choice.setting)


@pytest.mark.parametrize("costs", [None, Costs(3, 1, positive="yes")])
def test_paired_losses_are_those_of_rules_learned_on_each_fold(costs):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 9, (90, 3)).astype(float), columns=list("abc"))
    y = np.where(X.a + X.b + rng.integers(0, 6, 90) > 10, "yes", "no")
    pair = [BoxSearchClassifier(max_conditions=k, theta=0.1, random_state=0) for k in (1, 3)]
    weight = np.where(np.arange(90) < 30, 2.0, 1.0)
    table = pair[0]._read(X, y, None)
    folds = inner_folds(3, table, 0)
    losses, noise, scores = compare_losses(pair, table, folds, Loss(y, weight, costs))
    each = np.zeros((2, 90))
    for train, test in folds:
        for k, learner in enumerate(pair):
            answers = learner.fit(X.iloc[train], y[train]).predict(X.iloc[test])
            price = np.where(y[test] == "yes", 300, 100) if costs else 1
            each[k, test] = price * (answers != y[test])
    assert losses == pytest.approx((each * weight).sum(axis=1) / weight.sum())
    assert losses[0] != losses[1]
    d = each[1] - each[0]
    d = d - d @ weight / weight.sum()
    assert noise == pytest.approx(np.sqrt(((weight * d) ** 2).sum()) / weight.sum())
    assert scores.loss.shape == (3, 1)
    repeated, again, _ = compare_losses(pair, table, [*folds, *folds], Loss(y, weight, costs))
    assert repeated == pytest.approx(losses)
    assert again == pytest.approx(noise)


SEARCH = BoxSearchClassifier(n_perturbations=0, random_state=0)


def planted(n=300, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, 6)).round(3), columns=list("abcdef"))
    true = np.where(X.a > 0.5, "ill", "well")
    return X, np.where(rng.random(n) < noise, np.where(true == "ill", "well", "ill"), true), true


def read(X, y, weight=None, **how):
    return read_training_table(clone(SEARCH), X, y, weight, **how)


@pytest.mark.parametrize("costs", [None, Costs(miss=5, false_alarm=1, positive="yes")])
def test_losses_are_those_counted_row_by_row(costs, monkeypatch):
    X, y = mixed_table(seed=3, n=60)
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    shares = np.random.default_rng(2).dirichlet((1, 1), len(y))
    shares[5] = np.nan  # a row that every tree has drawn
    monkeypatch.setattr("rulekit.learners.forest_kernels.votes", lambda *_: shares)
    table = read(X, y, weight)
    heavy = table.weights(None if costs else {"yes": 3.0})
    forest = ForestLoss.from_table(table, Loss(table.y, heavy, costs), SEARCH, 0)
    predicted = np.random.default_rng(4).permutation(table.y)
    shares = calibrate_votes(shares, table.codes, weight)  # as errors cost unequally
    expected = 0.0
    for i, label in enumerate(table.y):
        for k, other in enumerate(table.classes):
            own = float(label == other)
            share = own if i == 5 else (1 - TRUST) * own + TRUST * shares[i, k]
            if costs is None:
                price = 3.0 if other == "yes" else 1.0
            else:
                price = 500.0 if other == "yes" else 100.0
            expected += weight[i] * share * price * (predicted[i] != other)
    each = weight * np.where(table.y == "yes", 1.0 if costs else 3.0, 1.0)
    assert forest.loss(predicted) == pytest.approx(expected / each.sum())


def test_each_setting_is_scored_by_its_rule_of_all_rows():
    X, y, _ = planted(n=120)
    table = read(X, y)
    forest = ForestLoss.from_table(table, Loss(table.y, table.weights(None)), SEARCH, 0)
    settings = [{"theta": t, "n_clauses": c} for t in (0.5, 3.0, 200.0) for c in (1, 3)]
    paths = Paths(SEARCH, table)
    losses = forest.losses(paths, settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = [clone(SEARCH).set_params(**s).fit(X, y) for s in settings]
    assert losses[:, 0].tolist() == [forest.loss(m.predict(X)) for m in alone]
    assert losses[:, 1].tolist() == [m.rule_set_.n_conditions for m in alone]
    assert estimate_losses(alone, SEARCH, X, y).tolist() == losses.tolist()
    late = forest.losses(paths, settings, until=time.time() - 1)
    assert np.isnan(late[1:]).all()
    assert np.isfinite(late[0]).all()


@pytest.mark.slow
def test_three_classes_are_estimated_and_named_in_the_reason():
    X, _, true = planted(n=150)
    result = RuleClassifier(cv=2).fit(X, np.where(X.b > 0.7, "odd", true)).choice_
    assert result.table["forest_loss"].between(0, 1).all()
    figure = f"({100 * result.table['forest_loss'][result.default]:.1f} %)"
    assert f"a random forest's estimate for the rule on all rows {figure}" in result.reason


def test_calibrated_votes_are_monotonic_and_keep_class_shares():
    rng = np.random.default_rng(0)
    codes = (rng.random(400) < 0.25).astype(int)
    votes = np.clip(0.5 + 0.2 * (codes - 0.5) + rng.normal(0, 0.1, 400), 0.01, 0.99)
    shares = np.column_stack([1 - votes, votes])
    shares[:5] = np.nan
    probabilities = calibrate_votes(shares, codes, np.ones(400))
    assert np.isnan(probabilities[:5]).all()
    assert (np.diff(probabilities[5:][np.argsort(votes[5:]), 1]) >= -1e-12).all()
    assert probabilities[5:, 1].mean() == pytest.approx(codes[5:].mean(), abs=0.01)
    assert votes[5:].mean() > 0.4  # what it was before


def test_forests_vote_on_allowed_and_informative_rows():
    codes = np.random.default_rng(0).integers(0, 10, (400, 6))
    classes = (codes[:, 0] + codes[:, 1] > 9).astype(int)
    weight = np.r_[np.ones(200), np.zeros(200)]
    shares = votes(codes, np.ones(6, bool), np.r_[classes[:200], 1 - classes[200:]], weight, 60, 1)
    assert shares.sum(axis=1) == pytest.approx(np.ones(400))
    assert (shares.argmax(axis=1) == classes)[200:].mean() > 0.85
    assert (shares.argmax(axis=1) == classes)[:200].mean() > 0.85
    nothing = np.zeros((3, 0), int), np.zeros(0, bool)
    assert np.isnan(votes(*nothing, np.array([0, 1, 0]), np.ones(3), 5, 0)).all()
    alone = votes(np.zeros((3, 1), int), np.ones(1, bool), np.zeros(3, int), np.ones(3), 9, 0)
    assert np.nan_to_num(alone, nan=1.0).tolist() == [[1.0]] * 3
    X, y, true = planted()
    table = read(X, y)
    forest = ForestLoss.from_table(table, Loss(table.y, table.weights(None)), SEARCH, 0)
    noise = (y != true).mean()  # of the training rows, which y itself gets all right
    assert noise > 0.2
    assert forest.loss(y) > noise
    assert abs(forest.loss(true) - forest.loss(y)) < noise / 4
    assert forest.loss(np.where(true == "ill", "well", "ill")) > 0.6
    X, y, true = planted(noise=0.0)
    table = read(X, y)
    loss = Loss(table.y, table.weights(None))
    barred = clone(SEARCH).set_params(constraints=Constraints(forbidden=("a",)))
    assert ForestLoss.from_table(table, loss, SEARCH, 0).loss(true) < 0.15
    assert ForestLoss.from_table(table, loss, barred, 0).loss(true) > 0.3
