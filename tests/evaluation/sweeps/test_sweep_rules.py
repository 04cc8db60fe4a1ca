"""Sweeps of the two-level learner: no rule depends on workers, order, sharing or a store."""

import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit.data import load_sample
from rulekit.evaluation import SweepStore, sweep
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.evaluation.sweeps.result import fit_setting
from rulekit.evaluation.sweeps.sweep import Measuring
from rulekit.exceptions import EmptyRuleWarning
from rulekit.families import PowerLawTreeClassifier
from rulekit.learners import BoxSearchClassifier, TwoLevelRuleClassifier

GRID = [
    {"method": ["alternating", "set_cover"], "n_clauses": [1, 3], "theta": [0.05, 1.0, 50.0]},
    {"form": ["cnf"], "theta": [1.0], "rounding": ["threshold"]},
]
KEYS = ["method", "n_clauses", "form", "rounding", "theta", "fold"]


class OneByOne:
    """Hides that settings can be fitted together."""

    @property
    def fit_many(self):
        raise AttributeError("not offered")


class Alone(OneByOne, TwoLevelRuleClassifier):
    """The same learner, fitted one setting at a time."""


@pytest.fixture(scope="module")
def table():
    X, y = load_sample("planted_dnf").xy("label")
    return X[:200], y[:200]


@pytest.fixture(scope="module")
def plain(table):
    return sweep(TwoLevelRuleClassifier(), *table, grid=GRID, cv=3)


def same(one, two):
    left, right = (r.table.drop(columns=["seconds", "learner"]) for r in (one, two))
    pd.testing.assert_frame_equal(left, right)


@pytest.mark.slow
def test_threads_find_the_same_rules(table, plain):
    with joblib.parallel_config("threading", n_jobs=3):
        same(sweep(TwoLevelRuleClassifier(), *table, grid=GRID, cv=3), plain)


@pytest.mark.slow
def test_fitting_one_setting_at_a_time_finds_the_same_rules(table, plain):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRuleWarning)
        same(sweep(Alone(), *table, grid=GRID, cv=3), plain)


@pytest.mark.slow
def test_a_reversed_grid_finds_the_same_rules(table, plain):
    backwards = [{k: v[::-1] for k, v in part.items()} for part in GRID[::-1]]
    turned = sweep(TwoLevelRuleClassifier(), *table, grid=backwards, cv=3).table
    columns = [*KEYS, "test_error", "train_error", "n_conditions", "objective", "rule"]
    left, right = (
        t[columns].astype(dict.fromkeys(KEYS, str)).sort_values(KEYS).reset_index(drop=True)
        for t in (turned, plain.table)
    )
    pd.testing.assert_frame_equal(left, right)


@pytest.mark.slow
def test_a_sweep_that_was_stopped_and_resumed_finds_the_same_rules(table, plain, tmp_path):
    with SweepStore(tmp_path / "store.sqlite") as store:
        reported = []
        settings = {"grid": GRID, "cv": 3, "store": store, "on_result": reported.append}
        first = sweep(
            TwoLevelRuleClassifier(), *table, **settings, should_stop=lambda: len(reported) > 9
        )
        assert not first.complete
        same(sweep(TwoLevelRuleClassifier(), *table, **settings), plain)
    assert sum(row["from_store"] for row in reported) == len(first.table)


def test_a_rule_of_a_fold_predicts_what_was_measured(table, plain):
    X, y = table
    row = plain.table.iloc[4]
    model = fit_setting(TwoLevelRuleClassifier(), plain.setting(int(row["setting"])), X, y)
    assert type(row["rule"]) is type(model.rule_set_)
    assert row["n_conditions"] == row["rule"].n_conditions


@pytest.mark.slow
def test_tree_size_equals_its_rule_if_paths_repeat_splits():
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 3, (240, 2))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] * X[:, 1], [3.0, 5.0])]
    tree = PowerLawTreeClassifier(max_power_laws=1)
    alone = tree.fit(X, y)
    assert alone.n_conditions_ < alone.rule_set_.n_conditions
    found = sweep(tree, X, y, grid={"max_power_laws": [1]}, cv=2).table
    assert found["n_conditions"].tolist() == [rule.n_conditions for rule in found["rule"]]


def test_an_empty_rule_is_a_point_of_the_curve_like_any_other(plain):
    dear = plain.summary[(plain.summary["theta"] == 50.0) & (plain.summary["n_clauses"] == 1)]
    assert (dear["n_conditions"] == 0).all()
    assert plain.setting(plain.suggest()["default"])["theta"] < 50.0


SEARCH = BoxSearchClassifier(n_perturbations=0, random_state=0)
SEARCH_GRID = {
    "robustness": [0.0, 0.3],
    "positive_label": ["yes", "no"],
    "max_conditions": [None, 3],
    "n_clauses": [1, 6],
    "theta": [0.05, 50.0],
}


class SearchAlone(OneByOne, BoxSearchClassifier):
    """The box search, fitted one setting at a time."""


@pytest.mark.slow
def test_one_search_gives_the_models_of_single_fits(table):
    X, y = table
    labels = sorted(set(y))
    grid = SEARCH_GRID | {"positive_label": labels}
    settings = settings_of(grid)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRuleWarning)
        for setting, many in zip(settings, SEARCH.fit_many(X, y, settings), strict=True):
            alone = fit_setting(SEARCH, setting, X, y)
            ours, theirs = vars(many), vars(alone)
            assert set(ours) == set(theirs)
            for name in set(ours) - {"binarizer_", "classes_", "feature_names_in_", "_shares"}:
                assert ours[name] == theirs[name], (setting, name)
            np.testing.assert_array_equal(many.predict_proba(X), alone.predict_proba(X))


@pytest.mark.slow
def test_a_sweep_by_one_search_a_fold_is_the_sweep_by_single_fits(table):
    X, y = table
    grid = {"positive_label": sorted(set(y)), "n_clauses": [1, 3], "theta": [0.05, 1.0]}
    alone = SearchAlone(n_perturbations=0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRuleWarning)
        same(sweep(alone, X, y, grid=grid, cv=2), sweep(SEARCH, X, y, grid=grid, cv=2))


@pytest.mark.slow
def test_rules_for_and_against_a_class_count_the_same_class(table):
    X, y = table
    labels = sorted(set(y))
    found = sweep(SEARCH, X, y, grid={"positive_label": labels}, cv=3)
    rows = found.table
    assert {r.labels[0] for r in rows["rule"] if r.labels} == set(labels)
    positives = rows["test_tp"] + rows["test_fn"]
    by_fold = positives.groupby(rows["fold"])
    assert (by_fold.nunique() == 1).all()
    assert by_fold.first().sum() == (y == labels[-1]).sum()


def test_chance_without_a_seed_is_drawn_once_for_a_fold(table):
    X, y = table
    learner = clone(SEARCH).set_params(random_state=None)
    settings = [{"n_clauses": 3, "theta": t} for t in (0.05, 0.2, 0.5, 1.0)]
    models = list(learner.fit_many(X, y, settings))
    losses = [m.objective_ - m.theta * m.n_conditions_ for m in models]
    assert losses == sorted(losses)  # as of one archive


def test_equal_rules_of_a_fold_are_measured_once(table, monkeypatch):
    calls = []
    measure = Measuring._errors
    monkeypatch.setattr(Measuring, "_errors", lambda *a: calls.append(a) or measure(*a))
    grid = {"n_clauses": [1, 2], "theta": [0.01, 0.5, 1.0, 50.0]}
    found = sweep(SEARCH, *table, grid=grid, cv=3)
    pairs = zip(found.table["fold"], found.table["rule"], strict=True)
    different = {(fold, repr(rule)) for fold, rule in pairs}
    assert len(different) < len(found.table)
    assert len(calls) == len(different)
