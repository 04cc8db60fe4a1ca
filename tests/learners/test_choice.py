"""Choosing among settings: what is averaged with what, and how settings are scored on folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import Costs, RuleClassifier, group_metrics
from rulekit.data import make_folds, row_groups
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.exceptions import DataError, EmptyRuleWarning
from rulekit.learners import BoxSearchClassifier, OneLevelRuleClassifier, choice
from rulekit.learners.choice import FoldPaths, Loss, fold_scores, suggestion
from rulekit.learners.inner_choice import inner_folds
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


def test_losses_are_smoothed_shares_or_costs_with_a_price():
    rng = np.random.default_rng(0)
    grid = {"theta": [0.1, 1.0, 3.0, 9.0], "n_clauses": [1, 2, 5], "kind": ["a", "b"]}
    settings = settings_of(grid)
    scores = rng.random(len(settings))
    order = rng.permutation(len(settings))
    axes = choice.neighbourhoods([settings[i] for i in order], [""] * len(order))
    result = choice.smooth_scores(scores[order], axes)
    for place, i in enumerate(order):
        assert result[place] == pytest.approx(slow_smooth(scores, settings, settings[i], grid))
    loss = Loss(Y, WEIGHT)
    assert loss.compute(np.arange(4), ANSWERS) == pytest.approx(3 / 10)
    assert loss.compute(np.array([0, 3]), ANSWERS[[0, 3]]) == pytest.approx(1 / 5)
    assert (loss.measure, loss.price, loss.text(0.1234)) == ("test_error", 0.002, "12.3 %")
    loss = Loss(Y, WEIGHT, Costs(5, 2, "EUR").to_matrix(["no", "yes"]))
    assert loss.compute(np.arange(4), ANSWERS) == pytest.approx(100 * (1 * 5 + 2 * 2) / 10)
    assert (loss.measure, loss.text(12.34)) == ("test_cost_per_100", "12.3 EUR a 100 cases")
    assert loss.price == pytest.approx(0.2 * (5 * 5 + 5 * 2) / 10)


def scores_of(table, settings, folds, loss, **how):
    """Score settings of the learner on folds."""
    return fold_scores([FoldPaths(LEARNER, fold) for fold in folds], table, settings, loss, **how)


@pytest.fixture(scope="module")
def scored():
    X, y = mixed_table(n=120)
    weight = np.random.default_rng(1).integers(1, 4, 120).astype(float)
    table = read_training_table(OneLevelRuleClassifier(), X, y, weight)
    folds = make_folds(y, 3)
    return X, y, weight, folds, scores_of(table, SETTINGS, folds, Loss(y, table.sample_weight))


@pytest.mark.slow
def test_scores_and_their_summary_are_those_by_hand(scored):
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
            assert scores.loss[k, i] == pytest.approx(error)
            assert scores.values[k, i, 1:].tolist() == [model.n_conditions_, model.n_rules_]
    summary = scored[-1].summary(SETTINGS)
    errors = scored[-1].loss
    assert summary["theta"].tolist() == [1.0, 4.0, 1e6]
    np.testing.assert_allclose(summary["test_error"], errors.mean(axis=0))
    np.testing.assert_allclose(summary["test_error_se"], errors.std(axis=0, ddof=1) / np.sqrt(3))
    assert summary["folds"].tolist() == [3, 3, 3]


def test_under_costs_a_fold_scores_what_its_wrong_answers_cost(scored):
    X, y, weight, folds, plain = scored
    table = read_training_table(OneLevelRuleClassifier(), X, y, weight)
    loss = Loss(y, weight, Costs(5, 2, "EUR").to_matrix(["no", "yes"]))
    scores = scores_of(table, SETTINGS[:1], folds, loss)
    for (train, test), result in zip(folds, scores.loss[:, 0], strict=True):
        model = OneLevelRuleClassifier(positive_label="yes", **SETTINGS[0])
        shown = model.fit(X.iloc[train], y[train], weight[train]).predict(X.iloc[test])
        missed, alarm = ((y[test] == c) & (shown != c) for c in ("yes", "no"))
        cost = (5 * weight[test][missed].sum() + 2 * weight[test][alarm].sum()) * 100
        assert result == pytest.approx(cost / weight[test].sum())
    np.testing.assert_allclose(scores.values[:, 0, 1], plain.values[:, 0, 1])


def test_a_fold_that_is_stopped_leaves_its_other_settings_out():
    X, y = mixed_table(n=120)
    table = read_training_table(OneLevelRuleClassifier(), X, y, None)
    answers = iter([False, True])
    stops = [None, lambda: next(answers)]
    scores = scores_of(table, SETTINGS, make_folds(y, 2), Loss(y, table.sample_weight), stops=stops)
    for k in range(3):
        assert np.isfinite(scores.values[:, :, k]).tolist() == [[True] * 3, [True, False, False]]
    assert scores.summary(SETTINGS)["folds"].tolist() == [2, 1, 1]


Y = np.array(["yes", "no", "no", "yes"], dtype=object)
WEIGHT = np.array([1.0, 2.0, 3.0, 4.0])
ANSWERS = np.array(["no", "yes", "no", "yes"], dtype=object)


def table(seed=0, n=400):
    """Two groups of which one is told from its income far less well than by its savings."""
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n)
    good = rng.random(n) < 0.5
    income = rng.normal(size=n) + np.where(sex == "m", 2.0 * good + 0.8, 0.4 * good)
    savings = rng.normal(size=n) + 1.3 * good
    X = pd.DataFrame({"sex": sex, "income": income.round(1), "savings": savings.round(1)})
    return X, np.where(good, "good", "bad")


@pytest.fixture(scope="module")
def measured():
    X, y = table()
    learner = RuleClassifier(max_conditions=3, cv=3, groups="sex", positive_label="good")
    return X, y, learner.fit(X, y)


@pytest.mark.slow
def test_gaps_are_those_of_left_out_rows_on_an_undominated_curve(measured):
    X, y, model = measured
    compared = model.choice_.table
    folds = inner_folds(3, read_training_table(RuleClassifier(), X, y, None), 0)
    for number in (0, 7, 40, 100):
        row = compared.loc[number]
        names = ("robustness", "label_noise", "positive_label", "n_clauses", "theta")
        setting = {name: row[name] for name in names} | {"n_clauses": int(row["n_clauses"])}
        learner = BoxSearchClassifier(max_conditions=3, n_perturbations=0, random_state=0)
        learner.set_params(**setting)
        answers = np.empty(len(y), dtype=object)
        for train, test in folds:
            answers[test] = learner.fit(X.iloc[train], y[train]).predict(X.iloc[test])
        counted = group_metrics(Told(answers), X, y, "sex", positive="good")
        for measure, gap in counted.gaps.items():
            assert row[f"gap_{measure}"] == pytest.approx(gap.size)
        widest = max(counted.gaps[m].size for m in ("found", "false_alarms"))
        assert row["gap"] == pytest.approx(widest)
    result = measured[2].choice_
    curve, every = result.gap_curve(), result.table
    assert curve["gap"].is_monotonic_increasing
    assert (curve["test_error"].diff().dropna() < 0).all()
    for row in every.itertuples():
        as_fair = curve["gap"] <= row.gap + 1e-9
        assert (as_fair & (curve["test_error"] <= row.test_error + 1e-9)).any()
    for row in curve.itertuples():
        beaten = (every["gap"] < row.gap - 1e-9) & (every["test_error"] <= row.test_error + 1e-9)
        assert not beaten.any()
    plain = RuleClassifier(max_conditions=3, cv=3, positive_label="good").fit(X, y)
    assert plain.rule_set_ == model.rule_set_
    assert plain.choice_.reason == model.choice_.reason


class Told:
    def __init__(self, answers):
        self.answers = answers

    def predict(self, X):
        return self.answers


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0.2, {"found": 0.15, "called_positive": 0.5}])
def test_selected_setting_keeps_the_gap_and_is_the_suggested_one(measured, limit):
    X, y, free = measured
    model = clone(free).set_params(max_gap=limit).fit(X, y)
    result = model.choice_
    limits = limit if isinstance(limit, dict) else {"found": limit, "false_alarms": limit}
    everything = result.table
    kept = everything
    for measure, most in limits.items():
        kept = kept[kept[f"gap_{measure}"] <= most + 1e-12]
    assert result.default in set(kept["setting"])
    assert 0 < len(kept) < len(everything)
    message = f"{len(kept)} of {len(everything)} settings keep the gap"
    settings = dict(enumerate(everything[list(result.setting)].to_dict("records")))
    passed = 0
    if "would have been taken" in result.reason:
        passed = int(result.reason.split(" Of these ")[1].split()[0])
    for _ in range(passed):  # what they learn from all rows breaks the limit
        kept = kept[kept["setting"] != suggestion(kept, settings, "test_error")["default"]]
    assert result.default == suggestion(kept, settings, "test_error")["default"]
    own = group_metrics(model, X, y, "sex", positive="good").gaps
    assert all(own[measure].size <= most + 1e-12 for measure, most in limits.items())
    assert message in result.reason
    assert free.choice_.error <= result.error + 0.02


@pytest.mark.slow
def test_gap_kept_only_by_constants_gives_an_explained_empty_rule():
    X = pd.DataFrame({"sex": ["f"] * 250 + ["m"] * 250})  # whose one rule is worth little
    y = np.array(["bad"] * 130 + ["good"] * 120 + ["bad"] * 70 + ["good"] * 180)
    model = RuleClassifier(max_conditions=2, cv=2, groups="sex", max_gap=0.0)
    with pytest.warns(EmptyRuleWarning, match="worth its price within `max_gap`"):
        model.fit(X, y)
    assert model.rule_set_.is_constant
    assert "Only rules without conditions" in model.choice_.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parameters", "error", "expected"),
    [
        ({"groups": "town"}, DataError, "`groups` names column 'town', which the table does not"),
        ({"groups": "sex", "max_gap": 1.0}, ValueError, "'max_gap' parameter of RuleClassifier"),
        ({"groups": "sex", "max_gap": {"odds": 0.1}}, ValueError, "got 'odds': 0.1"),
        ({"groups": "sex", "max_gap": {"error": 2}}, ValueError, "got 'error': 2"),
        ({"groups": "sex", "max_gap": {}}, ValueError, "`max_gap` is empty"),
        ({"groups": "sex", "max_gap": {"found": 0.1}}, ValueError, "counted for one class"),
        ({"groups": "alike"}, DataError, "all 400 rows are in group '1'"),
        ({"groups": "own"}, DataError, "'own', which holds too many different texts"),
        ({"groups": "rare", "max_gap": 0.1}, DataError, "fewer than two have that many positives"),
        (
            {"groups": "far", "max_gap": {"error": 0.0}},
            DataError,
            r"allows a gap of 0 in 'error' .* but no rule satisfies it.*the closest has 0\.",
        ),
    ],
)
def test_unsupported_constraints_are_refused_in_words(parameters, error, expected):
    X, y = table()
    X["alike"], X["own"] = 1, [f"k{k}" for k in range(len(X))]
    X["rare"] = ["x"] * 10 + ["y"] * 390
    X["far"] = np.where(np.arange(400) % 3, (y == "good").astype(str), "none")
    X["income"], X["savings"] = np.random.default_rng(1).normal(size=(2, 400))
    if parameters.get("groups") != "own":
        X = X.drop(columns="own")
    drop = {"far": ["sex"], "rare": ["far"]}.get(parameters.get("groups"), ["far"])
    limits = {"forbidden": ["far"]} if "far" not in drop else None
    model = RuleClassifier(max_conditions=2, cv=2, constraints=limits, **parameters)
    with pytest.raises(error, match=expected):
        model.fit(X.drop(columns=drop), y)


@pytest.mark.parametrize("limit", [0.1, {"called_positive": 0.1}])
def test_only_the_error_gap_can_be_limited_with_three_classes(limit):
    X = pd.DataFrame({"a": np.arange(90.0), "sex": ["f", "m"] * 45})
    model = RuleClassifier(max_conditions=2, cv=2, groups="sex", max_gap=limit)
    with pytest.raises(ValueError, match="With 3 classes `max_gap` can only limit 'error'"):
        model.fit(X, np.repeat(["x", "y", "z"], 30))


@pytest.mark.slow
def test_missing_values_are_a_group_also_of_three_classes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(0, 3, 300), "sex": rng.choice(["f", "m"], 300)})
    y = np.array(["x", "y", "z"])[X["a"].astype(int)]
    model = RuleClassifier(max_conditions=4, cv=2, groups="sex", max_gap={"error": 0.2}).fit(X, y)
    wrong = pd.Series(model.predict(X) != y).groupby(X["sex"]).mean()
    assert abs(wrong["f"] - wrong["m"]) <= 0.2
    assert model.choice_.table["gap_error"].notna().all()
    assert model.choice_.table["gap_found"].isna().all()
    X, y = table()
    X.loc[:99, "sex"] = None
    model = RuleClassifier(max_conditions=2, cv=2, groups="sex", max_gap=0.5).fit(X, y)
    assert model.choice_.table.loc[model.choice_.default, "gap"] <= 0.5
    by_income = RuleClassifier(max_conditions=2, cv=2, groups="income").fit(X, y)
    assert by_income.choice_.table["gap_called_positive"].max() > 0.5
    assert len(row_groups(X["income"], "income").labels) == 4
