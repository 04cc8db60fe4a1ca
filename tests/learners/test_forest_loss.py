"""A forest judges rules of all rows: counted by hand, deaf to noise, not kept waiting for."""

import time
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import BoxSearchClassifier, Constraints, Costs, RuleClassifier
from rulekit.learners.base import Paths
from rulekit.learners.choice import Loss
from rulekit.learners.forest_loss import (
    TRUST,
    ForestLoss,
    calibrate_votes,
    estimate_losses,
    forest_columns,
    votes,
)
from rulekit.learners.training import read_training_table
from tests.learners.tables import mixed_table

SEARCH = BoxSearchClassifier(n_perturbations=0, random_state=0)


def planted(n=300, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, 6)).round(3), columns=list("abcdef"))
    true = np.where(X.a > 0.5, "ill", "well")
    turned = rng.random(n) < noise
    return X, np.where(turned, np.where(true == "ill", "well", "ill"), true), true


def read(X, y, weight=None, **how):
    return read_training_table(clone(SEARCH), X, y, weight, **how)


@pytest.mark.parametrize("costs", [None, Costs(miss=5, false_alarm=1, positive="yes")])
def test_losses_are_those_counted_row_by_row(costs, monkeypatch):
    X, y = mixed_table(seed=3, n=60)
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    shares = np.random.default_rng(2).dirichlet((1, 1), len(y))
    shares[5] = np.nan  # a row that every tree has drawn
    monkeypatch.setattr("rulekit.learners.forest_loss.votes", lambda *_: shares)
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
    y = np.where(X.b > 0.7, "odd", true)
    result = RuleClassifier(cv=2).fit(X, y).choice_
    assert result.table["forest_loss"].between(0, 1).all()
    figure = f"({100 * result.table['forest_loss'][result.default]:.1f} %)"
    assert f"a random forest's estimate for the rule on all rows {figure}" in result.reason


def test_equal_columns_are_one_to_the_forest():
    codes = np.array([[0, 0, 1], [1, 1, 0], [2, 2, 1]], dtype=np.uint8)

    class Cut:
        cuts = np.zeros(2)

    class Levels:
        cuts = None

    result, ordered = forest_columns(codes, (Cut(), Cut(), Levels()), [0, 1, 2])
    assert result.tolist() == [[0, 1], [1, 0], [2, 1]]
    assert ordered.tolist() == [True, False]


def test_calibrated_votes_are_monotonic_and_keep_class_shares():
    rng = np.random.default_rng(0)
    codes = (rng.random(400) < 0.25).astype(int)
    votes = np.clip(0.5 + 0.2 * (codes - 0.5) + rng.normal(0, 0.1, 400), 0.01, 0.99)
    shares = np.column_stack([1 - votes, votes])
    shares[:5] = np.nan
    probabilities = calibrate_votes(shares, codes, np.ones(400))
    assert np.isnan(probabilities[:5]).all()
    order = np.argsort(votes[5:])
    assert (np.diff(probabilities[5:][order, 1]) >= -1e-12).all()
    assert probabilities[5:, 1].mean() == pytest.approx(codes[5:].mean(), abs=0.01)
    assert votes[5:].mean() > 0.4  # what it was before


def test_forests_vote_on_allowed_and_informative_rows():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 10, (400, 6))
    classes = (codes[:, 0] + codes[:, 1] > 9).astype(int)
    weight = np.r_[np.ones(200), np.zeros(200)]
    wrong_where_unread = np.r_[classes[:200], 1 - classes[200:]]
    shares = votes(codes, np.ones(6, bool), wrong_where_unread, weight, 60, 1)
    assert shares.sum(axis=1) == pytest.approx(np.ones(400))
    assert (shares.argmax(axis=1) == classes)[200:].mean() > 0.85
    assert (shares.argmax(axis=1) == classes)[:200].mean() > 0.85
    nothing = np.zeros((3, 0), int), np.zeros(0, bool)
    assert np.isnan(votes(*nothing, np.array([0, 1, 0]), np.ones(3), 5, 0)).all()
    one_cell = np.zeros((3, 1), int), np.ones(1, bool)
    alone = votes(*one_cell, np.zeros(3, int), np.ones(3), 9, 0)
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


def test_indistinguishable_class_gets_its_share_of_votes():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (500, 3))
    classes = (rng.random(500) < 0.3).astype(int)
    shares = votes(codes, np.zeros(3, bool), classes, np.ones(500), 80, 2)
    assert shares[:, 1].mean() == pytest.approx(classes.mean(), abs=0.03)
    # out of bag: a row's own class is no more likely than that of the others
    assert abs(shares[classes == 1, 1].mean() - shares[classes == 0, 1].mean()) < 0.05
