"""The learner to start with: its rule is that of the sweep made by hand, and it says why."""

import re
import warnings
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedStratifiedKFold

from rulekit import Binarizer, RuleClassifier, ScorecardClassifier, suggest, sweep
from rulekit.data import Costs, load_sample, make_folds
from rulekit.evaluation.sweeps.result import fit_setting, fit_settings
from rulekit.exceptions import DataError, DataWarning, EmptyRuleWarning
from rulekit.learners import BoxSearchClassifier, search_grid
from rulekit.learners.choice import Loss
from rulekit.learners.inner_choice import ForestLoss, compare_losses, form_of_rules
from rulekit.learners.shares import temper
from rulekit.learners.training import read_training_table
from tests.learners.tables import mixed_table

QUICK = RuleClassifier(cv=2)
ONE_CLASS = RuleClassifier(cv=2, positive_label="yes")


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed_table(seed=1, n=160)
    return clone(QUICK).fit(X, y), X, y


def wrong(learner, setting, X, y, train, test):
    """Share of the test rows that a learner with a setting gets wrong."""
    model = fit_setting(learner, setting, X.iloc[train], y[train])
    return (model.predict(X.iloc[test]) != y[test]).mean()


@pytest.mark.slow
def test_rule_equals_a_manual_sweep_suggestion_and_fit():
    X, y = load_sample("credit").xy("risk")
    rows = np.random.default_rng(0).permutation(len(y))[:250]
    X, y, seed = X.iloc[rows, :12].reset_index(drop=True), np.asarray(y)[rows], 1
    folds = make_folds(y, RepeatedStratifiedKFold(n_splits=5, n_repeats=1, random_state=seed))
    search = BoxSearchClassifier(max_conditions=8, n_perturbations=0, random_state=seed)
    result = sweep(search, X, y, grid=search_grid(y), cv=folds)
    table = read_training_table(clone(search), X, y, None)
    forest = ForestLoss.from_table(table, Loss(table.y, table.weights(None)), search, seed)
    settings = [result.setting(k) for k in result.summary["setting"]]
    models = list(fit_settings(search, X, y, settings))
    of_forest = {"forest_loss": [forest.loss(m.predict(X)) for m in models]}
    of_forest["forest_conditions"] = [m.rule_set_.n_conditions for m in models]
    output = suggest(result.summary.assign(**of_forest))
    setting = result.setting(output["default"])
    both = [setting | {"refine_thresholds": moves} for moves in (False, True)]
    errors = [np.mean([wrong(search, one, X, y, *fold) for fold in folds]) for one in both]
    by_hand = fit_setting(search, both[int(errors[1] < errors[0])], X, y)
    model = RuleClassifier(random_state=seed).fit(X, y)
    assert model.rule_set_ == by_hand.rule_set_
    calibrated = temper(by_hand.predict_proba(X), model._shares.slope)
    np.testing.assert_allclose(model.predict_proba(X), calibrated)
    chance = model.predict_proba(X)[:, 1]
    expected = np.where(model.predict(X) == model.classes_[1], 1 - chance, chance).mean()
    shown = model.choice_
    assert expected >= shown.error - 1e-9
    assert shown.setting == setting
    numbers = (shown.default, shown.simplest_within_1se, shown.best)
    assert numbers == tuple(output[k] for k in ("default", "simplest_within_1se", "best"))
    assert shown.reason == output["reason"]
    for column in ("test_error", "test_error_se", "n_conditions", "n_clauses_used"):
        np.testing.assert_allclose(shown.table[column], result.summary[column], atol=1e-12)
    np.testing.assert_allclose(shown.table[list(of_forest)], pd.DataFrame(of_forest), atol=1e-12)


@pytest.mark.slow
def test_the_rule_does_not_depend_on_the_number_of_workers(fitted):
    model, X, y = fitted
    with joblib.parallel_config("threading"):
        again = clone(QUICK).set_params(n_jobs=2).fit(X, y)
    assert again.rule_set_ == model.rule_set_
    pd.testing.assert_frame_equal(again.choice_.table, model.choice_.table)


def test_a_rule_and_its_path_name_their_errors_and_parameters(fitted):
    model, X, y = fitted
    search = BoxSearchClassifier(max_conditions=8, n_perturbations=0, random_state=0)
    again = search.set_params(**model.best_params_).fit(X, y)
    assert again.rule_set_ == model.rule_set_
    assert again.positive_label_ == model.positive_label_
    model, _, y = fitted
    folds = make_folds(y, 2)
    wrong = []
    for train, test in folds:
        names, counts = np.unique(y[train], return_counts=True)
        wrong.append((y[test] != names[counts.argmax()]).mean())
    assert model.choice_.constant_error == pytest.approx(np.mean(wrong))
    assert "answer without a rule" not in model.choice_.reason
    model, X, _ = fitted
    assert (model.learner_.predict(X[X.columns[::-1]]) == model.predict(X)).all()
    for labels in (X["bmi"] > 27, (X["bmi"] > 27).astype(int), (X["bmi"] > 27).astype("Int8")):
        model = RuleClassifier(cv=2, max_conditions=1).fit(X[["bmi"]], labels)
        assert model.predict(X).dtype == model.classes_.dtype == model.learner_.predict(X).dtype
        assert model.classes_.dtype.kind == ("b" if labels.dtype == bool else "i")


@pytest.mark.slow
def test_paths_fit_and_classes_given_are_described(fitted):
    _, X, y = fitted
    model = clone(ONE_CLASS).set_params(max_conditions=5, refine=False).fit(X, y)
    setting = model.choice_.setting
    assert model.path_.rule(setting["theta"], setting["n_clauses"]) == model.rule_set_
    sizes = [entry.n_conditions for entry in model.path_]
    assert max(sizes) == 5
    assert model.n_conditions_ <= 5
    model = clone(QUICK).set_params(positive_label="no").fit(X, y)
    assert model.positive_label_ == "no"
    assert set(model.rule_set_.labels) == {"no"}
    assert set(model.choice_.table["positive_label"]) == {"no"}


@pytest.mark.slow
def test_folds_limit_time_and_constants_have_a_reason():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    shown = RuleClassifier(cv=2).fit(X, np.arange(80) % 10 == 0).choice_
    assert shown.constant_error == pytest.approx(0.1)
    assert shown.error >= shown.constant_error
    assert "is wrong in 10.0 % of the same rows, and so no worse" in shown.reason
    X = pd.DataFrame({"a": np.ones(20)})
    with pytest.warns(EmptyRuleWarning, match="no condition and answers 'n' to every row"):
        model = RuleClassifier(cv=2).fit(X, ["n"] * 15 + ["y"] * 5)
    assert model.predict(X).tolist() == ["n"] * 20


@pytest.mark.slow
def test_cuts_are_refined_if_requested_and_better_on_folds():
    a = np.random.default_rng(0).random(120)
    X, y = pd.DataFrame({"a": a}), np.where(a > 0.537, "yes", "no")
    moved, stayed = (RuleClassifier(cv=2, refine=r).fit(X, y) for r in (True, False))
    assert moved.best_params_["refine_thresholds"]
    assert moved.training_error_ == 0 < stayed.training_error_


@pytest.mark.slow
def test_weights_count_in_the_errors_of_the_folds(fitted):
    _, X, y = fitted
    weight = np.where(y == "yes", 3.0, 1.0)
    by_row, by_class = (
        clone(ONE_CLASS).set_params(class_weight=given).fit(X, y, sample_weight=rows)
        for given, rows in ((None, weight), ({"yes": 3.0}, None))
    )
    assert by_row.choice_.constant_error == pytest.approx(by_class.choice_.constant_error)
    share = weight[y == "no"].sum() / weight.sum()
    assert by_row.choice_.constant_error == pytest.approx(min(share, 1 - share), abs=0.01)


@pytest.mark.slow
def test_time_limit_ends_the_comparison_with_a_note(fitted):
    _, X, y = fitted
    with pytest.warns(ConvergenceWarning, match="time limit of 1e-09 s passed before"):
        model = RuleClassifier(cv=2, time_limit=1e-9).fit(X, y)
    assert sorted(model.choice_.table["folds"].unique()) == [0, 2]
    assert model.choice_.table.loc[model.choice_.default, "folds"] == 2
    assert model.best_params_["refine_thresholds"] is False


@pytest.mark.parametrize("forms", [("rule",), ("points",)])
def test_a_class_of_one_row_gets_the_simplest_setting_and_a_warning(forms):
    X = pd.DataFrame({"a": np.arange(20.0)})
    y = np.array(["n"] * 19 + ["y"])
    weight = {"n": 1.0, "y": 10.0}
    with pytest.warns(DataWarning, match=r"'y' has a single row, so .* Add rows of this class"):
        model = RuleClassifier(forms=forms, class_weight=weight).fit(X, y)
    assert model.predict(X)[[0, 19]].tolist() == ["n", "y"]
    assert model.rule_set_.n_conditions == 1
    assert model.choice_.form == forms[0]
    assert "the simplest setting is used" in model.choice_.reason
    assert model.predict_proba(X).shape == (20, 2)
    with pytest.raises(DataError, match="has a single row"):  # gaps are measured on inner folds
        RuleClassifier(forms=forms, groups="a").fit(X, y)


def added_up(n=300):
    """Points of three conditions: an OR of ANDs needs many of them to say the same."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 2, (n, 5)).astype(float), columns=list("abcde"))
    return X, np.where(X[list("abcde")].sum(axis=1) >= 3, "yes", "no")


def either_or(n=300):
    """Two conditions that must differ: no points say so."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 2, (n, 3)).astype(float), columns=list("abc"))
    return X, np.where(X.a != X.b, "yes", "no")


@pytest.mark.slow
@pytest.mark.parametrize(("table", "form"), [(added_up, "points"), (either_or, "rule")])
def test_better_of_two_forms_is_chosen_and_reported(table, form):
    X, y = table()
    both = RuleClassifier(forms=("points", "rule"), cv=2, refine=False).fit(X, y)
    shown = both.choice_
    assert shown.form == form == shown.table.loc[shown.default, "form"]
    of_forms = {f: suggest(rows)["default"] for f, rows in shown.table.groupby("form")}
    assert suggest(shown.table)["default"] == shown.default == of_forms[form]
    rates = [shown.table.loc[of_forms[f], "test_error"] for f in ("rule", "points")]
    assert (rates[0] > rates[1]) == (form == "points")
    words = [f"{f} {100 * e:.1f} %" for f, e in zip(("rule", "points"), rates, strict=True)]
    assert all(w in shown.reason for w in words)
    refine = {"refine": False} if form == "rule" else {}
    alone = RuleClassifier(forms=(form,), cv=2, **refine).fit(X, y)
    assert (alone.rule_set_, alone.best_params_) == (both.rule_set_, both.best_params_)
    assert (both.predict(X) == y).all()


@pytest.mark.slow
def test_points_equal_those_of_the_scorecard_and_its_path():
    X, y = mixed_table()
    model = RuleClassifier(max_conditions=4, forms=("points",), cv=3).fit(X, y)
    card = ScorecardClassifier(**model.best_params_).fit(X, y)
    assert model.rule_set_ == card.rule_set_
    np.testing.assert_array_equal(model.predict_proba(X), card.predict_proba(X))
    rules = {e.n_conditions: e.rule_set for e in model.path_}
    assert (max(rules), rules[model.n_conditions_]) == (4, model.rule_set_)
    assert model.choice_.table["max_conditions"].tolist() == [1, 2, 3, 4]
    limits = {"required": ["town", "flag"]}
    held = RuleClassifier(max_conditions=2, forms=["points"], cv=2, constraints=limits).fit(X, y)
    assert held.choice_.table["max_conditions"].tolist() == [2, 3, 4], "wishes come on top"
    assert {"town", "flag"} <= set(held.rule_set_.features)


@pytest.mark.slow
def test_a_rule_holds_a_required_column_and_its_path_the_sizes_that_can():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    y = np.where(X["a"] + X["b"] > 0, "yes", "no")
    binarizer, required = Binarizer(n_thresholds=3), {"required": ("c",)}
    model = RuleClassifier(cv=2, binarizer=binarizer, constraints=required).fit(X, y)
    assert "c" in model.rule_set_.features
    assert len(model.path_)
    assert all("c" in entry.rule_set.features for entry in model.path_)


@pytest.mark.parametrize("forms", [(), ("rule", "rule"), ("tree",)])
def test_empty_or_unknown_forms_are_rejected(forms):
    X, y = mixed_table()
    with pytest.raises(ValueError, match="must name some of 'rule', 'points', each once"):
        RuleClassifier(forms=forms).fit(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("forms", [("rule",), ("points",)])
def test_under_costs_settings_are_compared_by_what_their_errors_cost(forms):
    X, y = mixed_table(3, n=200, noise=0.15)
    how = {"forms": forms, "cv": 2, "binarizer": Binarizer(n_thresholds=2)}
    if forms == ("rule",):
        how["refine"] = False
    by_cost = RuleClassifier(**how, costs=Costs(4, 1, "EUR", positive="yes")).fit(X, y)
    by_weight = RuleClassifier(**how, class_weight={"yes": 4, "no": 1}).fit(X, y)
    shown, plain = by_cost.choice_, by_weight.choice_
    assert by_cost.rule_set_ == by_weight.rule_set_
    assert (shown.measure, plain.measure) == ("test_cost_per_100", "test_error")
    heavy = 100 * np.where(y == "yes", 4, 1).mean()
    assert shown.error == pytest.approx(heavy * plain.error, rel=0.01)
    assert shown.constant_error == pytest.approx(heavy * plain.constant_error, rel=0.01)
    assert shown.table["test_cost_per_100"].min() < shown.constant_error
    assert "test error" not in shown.reason


@pytest.mark.slow
def test_rule_selected_without_costs_is_kept_if_cheaper(monkeypatch):
    X, y = load_sample("credit").xy("risk")
    X, y = X[["late_payments", "guarantor"]].head(400), y[:400]
    costs = Costs(miss=5, false_alarm=1, positive="high")
    plain = RuleClassifier(max_conditions=2, cv=2).fit(X, y)

    def dear(learner, table, label=None):  # a search that finds nothing where costs are given
        if learner.costs is not None:
            learner.set_params(max_conditions=1, n_clauses=1)
        return only_dear(learner, table, label)

    monkeypatch.setattr("rulekit.families.rule_classifier.form_of_rules", dear)
    result = RuleClassifier(max_conditions=2, cv=2, costs=costs).fit(X, y)
    assert result.rule_set_ == plain.rule_set_
    assert result.best_params_["costs"] is None
    assert result.choice_.reason.startswith("Selected without costs")
    assert result.choice_.table["setting"].iloc[-1] == result.choice_.default


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1, 100])
def test_costs_change_the_rule_only_where_more_than_noise_is_saved(monkeypatch, factor):
    X, y = load_sample("credit").xy("risk")
    X, y = X.head(300), y[:300]

    def noisier(*compared):
        losses, noise, scores = compare_losses(*compared)
        return losses, factor * noise, scores

    monkeypatch.setattr("rulekit.families.rule_classifier.compare_losses", noisier)
    costs = Costs(10, 1, positive="high")
    learner = RuleClassifier(max_conditions=2, cv=2, groups="housing", costs=costs)
    result = learner.fit(X, y)
    selected = result.choice_.table.loc[result.choice_.default]
    assert selected[["gap", "forest_loss", "forest_conditions"]].notna().all()
    without_costs = RuleClassifier(max_conditions=2, cv=2).fit(X, y).rule_set_
    assert (result.rule_set_ == without_costs) == (factor == 100)
    assert result.choice_.reason.startswith("Selected without costs") == (factor == 100)


@pytest.mark.slow
def test_no_rule_costs_more_than_one_answer_on_the_inner_folds():
    constant = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.random((90, 2)), columns=["a", "b"])
        y = np.where(rng.random(90) < 0.4 + 0.2 * (X["a"] > 0.6), "yes", "no")
        learner = RuleClassifier(max_conditions=1, cv=2, costs=Costs(2, 1), random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = learner.fit(X, y)
        constant += result.rule_set_.is_constant
        if not result.rule_set_.is_constant:
            assert result.choice_.error <= result.choice_.constant_error, seed
    assert 0 < constant < 8


def only_dear(learner, table, label=None):
    form = form_of_rules(learner, table, label)
    if learner.costs is None:
        return form
    return replace(form, settings=tuple(s | {"theta": 1e6} for s in form.settings[:2]))


@pytest.mark.slow
def test_cheapest_constant_is_learned_if_rules_cost_more():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(90, 2)), columns=["a", "b"])
    y, costs = np.where(np.arange(90) % 3 == 0, "yes", "no"), Costs(20, 1, positive="yes")
    model = RuleClassifier(max_conditions=2, cv=2, costs=costs)
    with pytest.warns(EmptyRuleWarning, match="answers 'yes' to every row"):
        model.fit(X, y)
    shown = model.choice_
    assert set(model.predict(X)) == {"yes"}
    assert shown.error == shown.constant_error == pytest.approx(200 / 3)
    reason = (
        r"Selected: one answer for every row, which costs 66.7 a 100 .* setting cost ([\d.]+) a"
    )
    assert float(re.match(reason, shown.reason)[1]) >= 66.7
    row = shown.table.loc[shown.default]
    assert (row["n_conditions"], row["theta"]) == (0, shown.setting["theta"])
    search = BoxSearchClassifier(max_conditions=2, random_state=0, costs=costs)
    with pytest.warns(EmptyRuleWarning):
        again = search.set_params(**model.best_params_).fit(X, y)
    assert again.rule_set_ == model.rule_set_


def test_inner_folds_can_be_pairs_of_positions_of_all_rows():
    X, y = mixed_table(seed=3, n=90)
    weight = (np.arange(90) % 9 > 0).astype(float)
    folds = make_folds(y, 3)
    place, kept = np.cumsum(weight > 0) - 1, weight > 0
    without = [tuple(place[part[kept[part]]] for part in fold) for fold in folds]
    with_pairs = RuleClassifier(cv=folds).fit(X, y, sample_weight=weight)
    of_kept = RuleClassifier(cv=without).fit(X[kept], y[kept])
    assert with_pairs.choice_.table.equals(of_kept.choice_.table)
    one, other = (RuleClassifier(cv=cv).fit(X, y).choice_.error for cv in (folds, 3))
    assert one == other
    with pytest.raises(ValueError, match="`cv` gives no folds"):
        RuleClassifier(cv=[]).fit(X, y)
