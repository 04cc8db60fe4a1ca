"""Choosing among settings: what is averaged with what, and how settings are scored on folds."""

import numpy as np
import pytest

from rulekit import Costs
from rulekit.data import make_folds
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.learners import OneLevelRuleClassifier
from rulekit.learners.choice import Loss, fold_scores, neighbourhoods, smoothed, summary_of
from rulekit.learners.training import read_training_table
from tests.learners.tables import mixed_table

LEARNER = OneLevelRuleClassifier(positive_label="yes")
SETTINGS = [{"theta": 1.0}, {"theta": 4.0}, {"theta": 1e6}]


def slow_smooth(scores, settings, setting, grid):
    """Average over the 3 x 3 neighbours in price and clauses, one that is not there replaced."""
    total = 0.0
    for step_theta, weight_theta in ((-1, 0.25), (0, 0.5), (1, 0.25)):
        for step_clauses, weight_clauses in ((-1, 0.25), (0, 0.5), (1, 0.25)):
            near = dict(setting)
            for key, step in (("theta", step_theta), ("n_clauses", step_clauses)):
                at = grid[key].index(setting[key]) + step
                near[key] = grid[key][min(max(at, 0), len(grid[key]) - 1)]
            total += weight_theta * weight_clauses * scores[settings.index(near)]
    return total


def test_scores_are_smoothed_as_the_slow_twin_does():
    rng = np.random.default_rng(0)
    grid = {"theta": [0.1, 1.0, 3.0, 9.0], "n_clauses": [1, 2, 5], "kind": ["a", "b"]}
    settings = settings_of(grid)
    scores = rng.random(len(settings))
    order = rng.permutation(len(settings))
    axes = neighbourhoods([settings[i] for i in order], [""] * len(order))
    found = smoothed(scores[order], axes)
    for place, i in enumerate(order):
        assert found[place] == pytest.approx(slow_smooth(scores, settings, settings[i], grid))


@pytest.fixture(scope="module")
def scored():
    X, y = mixed_table(n=120)
    weight = np.random.default_rng(1).integers(1, 4, 120).astype(float)
    table = read_training_table(OneLevelRuleClassifier(), X, y, weight)
    folds = make_folds(y, 3)
    loss = Loss(y, table.sample_weight)
    return X, y, weight, folds, fold_scores(LEARNER, table, SETTINGS, folds, loss)


@pytest.mark.slow
def test_a_fold_scores_as_a_fit_and_a_prediction_by_hand_do(scored):
    X, y, weight, folds, scores = scored
    for k, (train, test) in enumerate(folds):
        for i, setting in enumerate(SETTINGS):
            model = OneLevelRuleClassifier(positive_label="yes", **setting)
            if setting["theta"] == 1e6:
                with pytest.warns(match="no condition"):
                    model.fit(X.iloc[train], y[train], weight[train])
            else:
                model.fit(X.iloc[train], y[train], weight[train])
            wrong = model.predict(X.iloc[test]) != y[test]
            error = weight[test][wrong].sum() / weight[test].sum()
            assert scores[k, i] == pytest.approx([error, model.n_conditions_, model.n_rules_])


def test_the_summary_of_scores_has_means_and_standard_errors(scored):
    summary = summary_of(SETTINGS, scored[-1])
    errors = scored[-1][:, :, 0]
    assert summary["theta"].tolist() == [1.0, 4.0, 1e6]
    np.testing.assert_allclose(summary["test_error"], errors.mean(axis=0))
    np.testing.assert_allclose(summary["test_error_se"], errors.std(axis=0, ddof=1) / np.sqrt(3))
    assert summary["folds"].tolist() == [3, 3, 3]


def test_under_costs_a_fold_scores_what_its_wrong_answers_cost(scored):
    X, y, weight, folds, plain = scored
    table = read_training_table(OneLevelRuleClassifier(), X, y, weight)
    loss = Loss(y, weight, Costs(5, 2, "EUR").settled(["no", "yes"]))
    scores = fold_scores(LEARNER, table, SETTINGS[:1], folds, loss)
    for (train, test), found in zip(folds, scores[:, 0], strict=True):
        model = OneLevelRuleClassifier(positive_label="yes", **SETTINGS[0])
        shown = model.fit(X.iloc[train], y[train], weight[train]).predict(X.iloc[test])
        missed, alarm = ((y[test] == c) & (shown != c) for c in ("yes", "no"))
        cost = (5 * weight[test][missed].sum() + 2 * weight[test][alarm].sum()) * 100
        assert found[0] == pytest.approx(cost / weight[test].sum())
    np.testing.assert_allclose(scores[:, 0, 1:], plain[:, 0, 1:])


def test_a_fold_that_is_stopped_leaves_its_other_settings_out():
    X, y = mixed_table(n=120)
    table = read_training_table(OneLevelRuleClassifier(), X, y, None)
    answers = iter([False, True])
    stops = [None, lambda: next(answers)]
    loss = Loss(y, table.sample_weight)
    scores = fold_scores(LEARNER, table, SETTINGS, make_folds(y, 2), loss, stops=stops)
    assert np.isfinite(scores[0]).all()
    assert np.isfinite(scores[1, 0]).all()
    assert np.isnan(scores[1, 1:]).all()
    assert summary_of(SETTINGS, scores)["folds"].tolist() == [2, 1, 1]


Y = np.array(["yes", "no", "no", "yes"], dtype=object)
WEIGHT = np.array([1.0, 2.0, 3.0, 4.0])
ANSWERS = np.array(["no", "yes", "no", "yes"], dtype=object)


def test_plain_losses_are_weighted_shares_with_a_fixed_price():
    loss = Loss(Y, WEIGHT)
    assert loss.of(np.arange(4), ANSWERS) == pytest.approx(3 / 10)
    assert loss.of(np.array([0, 3]), ANSWERS[[0, 3]]) == pytest.approx(1 / 5)
    assert (loss.measure, loss.price, loss.text(0.1234)) == ("test_error", 0.002, "12.3 %")


def test_costs_are_reported_per_100_cases_with_proportional_price():
    loss = Loss(Y, WEIGHT, Costs(5, 2, "EUR").settled(["no", "yes"]))
    assert loss.of(np.arange(4), ANSWERS) == pytest.approx(100 * (1 * 5 + 2 * 2) / 10)
    assert (loss.measure, loss.text(12.34)) == ("test_cost_per_100", "12.3 EUR a 100 cases")
    assert loss.price == pytest.approx(0.2 * (5 * 5 + 5 * 2) / 10)
