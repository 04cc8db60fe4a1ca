"""Sweeps: one table whatever the workers, the order and the store; told as it comes; stoppable."""

from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, cross_val_score
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
from rulekit.evaluation import SweepStore, sweep
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.evaluation.sweeps.sweep import Measuring
from rulekit.exceptions import DataError
from tests.evaluation.learners import SharedStump, Stump, gate, noisy_table

GRID = {"theta": [-0.5, 0.0, 0.5, 2.0], "column": [0, 1]}
TWO = [{"theta": [0.0]}, {"theta": [0.0], "column": [1]}]


def timeless(result):
    return result.table.drop(columns="seconds")


def assert_same(one, two):
    pd.testing.assert_frame_equal(timeless(one), timeless(two))


@pytest.fixture(scope="module")
def table():
    return noisy_table()


@pytest.fixture(scope="module")
def plain(table):
    return sweep(Stump(), *table, grid=GRID, cv=4)


def test_errors_equal_scikit_learns_cross_validation(table, plain):
    X, y = table
    for number, setting in enumerate(plain.settings):
        scores = cross_val_score(Stump(**setting), X, y, cv=make_folds(y, 4))
        rows = plain.table[plain.table["setting"] == number]
        np.testing.assert_allclose(rows["test_error"], 1 - scores)


def test_rows_have_setting_fold_and_rule(plain):
    row = plain.table.iloc[5]
    assert (row["setting"], row["fold"], row["theta"], row["column"]) == (1, 1, -0.5, 1)
    assert row["learner"] == "Stump"
    assert row["rule"].clauses[0].literals[0].feature == "x1"


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


def test_learners_without_costs_learn_from_weighted_rows(table):
    X, y = table
    tree = DecisionTreeClassifier(random_state=0)
    result = sweep(tree, X, y, grid={"max_leaf_nodes": [3]}, cv=3, costs=COSTS)
    for row, (train, test) in zip(result.table.to_dict("records"), make_folds(y, 3), strict=True):
        grown = clone(tree).set_params(max_leaf_nodes=3)
        shown = grown.fit(X[train], y[train], np.where(y[train] == 1, 5, 2)).predict(X[test])
        assert row["test_error"] == pytest.approx((shown != y[test]).mean())
        assert row["test_cost_per_100"] == pytest.approx(cost_by_hand(shown, y[test]))


def test_learners_are_compared_by_the_same_costs_or_not_at_all(table):
    X, y = table
    learner = OneLevelRuleClassifier(costs=Costs(9, 1))
    with pytest.raises(
        ValueError, match=r"OneLevelRuleClassifier has .* instead of .* Set its `costs`"
    ):
        sweep(learner, X, y, grid={"theta": [1.0]}, cv=3, costs=COSTS)
    weighted = OneLevelRuleClassifier(class_weight="balanced")
    with pytest.raises(ValueError, match="`costs` and `class_weight` both"):
        sweep(weighted, X, y, grid={"theta": [1.0]}, cv=3, costs=COSTS)


def test_a_store_keeps_the_fits_of_other_costs_apart(table, tmp_path):
    tree = DecisionTreeClassifier(random_state=0)
    with SweepStore(tmp_path / "s.sqlite") as store:
        how = {"grid": {"max_leaf_nodes": [3]}, "cv": 3, "store": store}
        dear = sweep(tree, *table, costs=COSTS, **how)
        plain = sweep(tree, *table, **how)
        assert "test_cost_per_100" not in plain.table
        assert_same(sweep(tree, *table, costs=COSTS, only_stored=True, **how), dear)
        other = sweep(tree, *table, costs=Costs(50, 20), only_stored=True, **how)
        assert not len(other.table)


def test_learners_that_share_their_preparation_give_the_same_table(table, plain):
    shared = sweep(SharedStump(), *table, grid=GRID, cv=4)
    pd.testing.assert_frame_equal(
        timeless(shared).drop(columns="learner"), timeless(plain).drop(columns="learner")
    )


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Stump(), SharedStump()])
def test_two_processes_give_the_same_table_and_report_each_fit(table, learner):
    reported = []
    with ThreadPoolExecutor(1) as pool:  # a dashboard's job is no main thread either
        job = pool.submit(
            sweep, learner, *table, grid=GRID, cv=4, n_jobs=2, on_result=reported.append
        )
        result = job.result()
    assert_same(result, sweep(learner, *table, grid=GRID, cv=4))
    assert sorted(row["done"] for row in reported) == list(range(1, 33))
    assert {row["total"] for row in reported} == {32}


def test_threads_give_the_same_table(table, plain):
    with joblib.parallel_config("threading", n_jobs=3):
        assert_same(sweep(Stump(), *table, grid=GRID, cv=4), plain)


def test_the_order_of_the_grid_changes_numbers_only(table, plain):
    turned = {name: values[::-1] for name, values in reversed(GRID.items())}
    keys = ["theta", "column", "fold"]
    one = timeless(sweep(Stump(), *table, grid=turned, cv=4)).sort_values(keys)
    two = timeless(plain).sort_values(keys)
    columns = [c for c in two.columns if c != "setting"]
    pd.testing.assert_frame_equal(
        one[columns].reset_index(drop=True), two[columns].reset_index(drop=True)
    )


@pytest.mark.slow
def test_results_of_another_process_arrive_before_the_sweep_ends(table, tmp_path):
    journal = tmp_path / "journal"
    journal.mkdir()
    gate(journal).write_text("16")  # two of four tasks
    sweep(
        SharedStump(journal=str(journal)),
        *table,
        grid={"theta": np.linspace(-1, 1, 8).tolist()},
        cv=4,
        n_jobs=2,
        on_result=lambda row: gate(journal).unlink(missing_ok=True),
    )
    assert len(list(journal.iterdir())) == 32


def test_stopped_sweep_keeps_finished_fits_and_is_incomplete(table):
    reported = []
    result = sweep(
        SharedStump(), *table, grid=GRID, cv=4, on_result=reported.append,
        should_stop=lambda: len(reported) >= 6,
    )  # fmt: skip
    assert len(result.table) == 6
    assert not result.complete
    assert result.summary["folds"].max() <= 4


@pytest.mark.slow
def test_stop_reaches_other_processes_within_a_task(table, tmp_path):
    journal = tmp_path / "journal"
    journal.mkdir()
    result = sweep(
        SharedStump(pause=0.1, journal=str(journal)), *table, cv=2, n_jobs=2,
        grid={"theta": np.linspace(-1, 1, 200).tolist()},
        should_stop=lambda: any(journal.iterdir()),
    )  # fmt: skip
    assert 0 < len(result.table) == len(list(journal.iterdir())) < 200


def test_a_sweep_stopped_at_once_has_an_empty_table(table):
    result = sweep(Stump(), *table, grid=GRID, cv=4, should_stop=lambda: True)
    assert result.table.empty
    assert result.summary.empty
    assert not result.complete


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_error_raised_by_a_callback_ends_the_sweep(table, n_jobs):
    def broken(row):
        raise KeyError("the listener's own mistake")

    with pytest.raises(KeyError, match="the listener's own mistake"):
        sweep(SharedStump(), *table, grid=GRID, cv=4, n_jobs=n_jobs, on_result=broken)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_failed_fit_names_its_setting_and_fold(table, n_jobs):
    with pytest.raises(ValueError, match="the planted failure") as caught:
        sweep(Stump(fail_at=0.5), *table, grid=GRID, cv=4, n_jobs=n_jobs)
    assert "with the setting {'theta': 0.5" in caught.value.__notes__[0]


def test_weights_reach_fits_and_errors(table):
    X, y = table
    weight = np.where(y == 1, 3.0, 1.0)
    result = sweep(Stump(), X, y, grid={"theta": [2.0]}, cv=4, sample_weight=weight)
    share = weight[y == 1].sum() / weight.sum()
    assert result.summary["test_error"].iloc[0] == pytest.approx(share, abs=0.01)
    assert result.table["objective"].min() > 2.0


def test_rows_are_distinguished_by_place_not_by_index(table):
    X, y = table
    frame = pd.DataFrame(X, index=np.zeros(len(X), dtype=int))
    assert_same(
        sweep(Stump(), frame, pd.Series(y, index=range(5, 5 + len(y))), grid=GRID, cv=4),
        sweep(Stump(), X, y, grid=GRID, cv=4),
    )


def test_folds_may_be_any_splitter(table):
    result = sweep(Stump(), *table, grid={"theta": [0.0]}, cv=KFold(3))
    assert result.n_folds == 3


def test_three_classes_have_errors_but_no_positive_class():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    result = sweep(tree, X, y, grid={"max_leaf_nodes": [3]}, cv=3)
    assert result.summary["test_error"].iloc[0] < 0.2
    assert result.table[["test_tp", "test_auc", "n_conditions"]].isna().all(axis=None)


def cut_short(learner, table, store):
    """Sweep, and stop after three folds of eight."""
    reported = []
    return sweep(
        learner, *table, grid=TWO, cv=4, store=store, on_result=reported.append,
        should_stop=lambda: len(reported) == 3,
    )  # fmt: skip


def test_finished_folds_are_not_computed_again(table, tmp_path):
    learner = Stump(journal=str(tmp_path))
    with SweepStore(tmp_path / "store.sqlite") as store:
        assert not cut_short(learner, table, store).complete
        again = []
        second = sweep(learner, *table, grid=TWO, cv=4, store=store, on_result=again.append)
    assert second.complete
    assert_same(second, sweep(learner, *table, grid=TWO, cv=4))
    assert [row["from_store"] for row in again[:3]] == [True] * 3
    assert len(list(tmp_path.glob("0.*"))) == 8 + 8


def test_stored_results_are_available_without_fits(table, tmp_path):
    learner = Stump(journal=str(tmp_path))
    with SweepStore(tmp_path / "store.sqlite") as store:
        stopped = cut_short(learner, table, store)
        fits = len(list(tmp_path.glob("0.*")))
        kept = []
        sweep_result = sweep(
            learner, *table, grid=TWO, cv=4, store=store, only_stored=True, on_result=kept.append
        )
        nothing = sweep(learner, *table, grid={"theta": [1.0]}, cv=4, store=store, only_stored=True)
    assert len(list(tmp_path.glob("0.*"))) == fits
    assert_same(sweep_result, stopped)
    assert not sweep_result.complete
    assert [row["from_store"] for row in kept] == [True] * 3
    assert len(nothing.table) == 0


def test_reading_what_is_stored_needs_a_store(table):
    with pytest.raises(ValueError, match="`only_stored` needs a `store`"):
        sweep(Stump(), *table, grid={"theta": [0.0]}, only_stored=True)


def test_a_store_does_not_answer_for_other_rows_folds_or_parameters(table, tmp_path):
    X, y = table
    with SweepStore(tmp_path / "store.sqlite") as store:
        for run in [
            (Stump(), X, y, 4, 0),
            (Stump(), X + 1, y, 4, 0),
            (Stump(), X, 1 - y, 4, 0),
            (Stump(), X, y, 4, 1),
            (Stump(column=2), X, y, 4, 0),
        ]:
            learner, rows, labels, cv, seed = run
            fresh = []
            sweep(
                learner, rows, labels, grid={"theta": [0.0]}, cv=cv, random_state=seed,
                store=store, on_result=fresh.append,
            )  # fmt: skip
            assert not any(row["from_store"] for row in fresh)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"grid": {"price": [1]}}, "varies 'price', which the learner does not have"),
        ({"y": [0, 1]}, r"one class a row \(120\); its shape is \(2,\)"),
        ({"sample_weight": [1.0]}, r"one weight a row \(120\); its shape is \(1,\)"),
    ],
)
def test_input_that_does_not_fit_is_refused_in_a_sentence(table, change, sentence):
    X, y = table
    with pytest.raises(ValueError, match=sentence):
        sweep(Stump(), **{"X": X, "y": y, "grid": GRID, "cv": 4} | change)


def test_a_class_with_fewer_rows_than_folds_is_refused(table):
    X, y = table
    y = np.where(np.arange(len(y)) < 3, 7, y)
    with pytest.raises(DataError, match="class '7' has 3 rows for 4 folds"):
        sweep(Stump(), X, y, grid=GRID, cv=4)


@pytest.mark.slow
def test_tree_size_equals_its_rule_if_paths_repeat_splits():
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 3, (240, 2))
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


def test_an_empty_rule_is_a_point_of_the_curve_like_any_other(planted):
    grid = {"n_clauses": [1], "theta": [0.05, 1.0, 50.0]}
    sweep_result = sweep(TwoLevelRuleClassifier(), *planted, grid=grid, cv=3)
    assert sweep_result.summary["n_conditions"].iloc[-1] == 0
    assert sweep_result.setting(sweep_result.suggest()["default"])["theta"] < 50.0


SEARCH = BoxSearchClassifier(n_perturbations=0, random_state=0)


@pytest.mark.slow
def test_rules_for_and_against_a_class_count_the_same_class(planted):
    X, y = planted
    labels = sorted(set(y))
    sweep_result = sweep(SEARCH, X, y, grid={"positive_label": labels}, cv=3)
    rows = sweep_result.table
    assert {r.labels[0] for r in rows["rule"] if r.labels} == set(labels)
    positives = rows["test_tp"] + rows["test_fn"]
    by_fold = positives.groupby(rows["fold"])
    assert (by_fold.nunique() == 1).all()
    assert by_fold.first().sum() == (y == labels[-1]).sum()


def test_chance_without_a_seed_is_drawn_once_for_a_fold(planted):
    X, y = planted
    learner = clone(SEARCH).set_params(random_state=None)
    settings = [{"n_clauses": 3, "theta": t} for t in (0.05, 0.2, 0.5, 1.0)]
    models = list(fit_settings(learner, X, y, settings))
    losses = [m.objective_ - m.theta * m.n_conditions_ for m in models]
    assert losses == sorted(losses)  # as of one archive


def test_equal_rules_of_a_fold_are_measured_once(planted, monkeypatch):
    calls = []
    measure = Measuring._errors
    monkeypatch.setattr(Measuring, "_errors", lambda *a: calls.append(a) or measure(*a))
    grid = {"n_clauses": [1, 2], "theta": [0.01, 0.5, 1.0, 50.0]}
    sweep_result = sweep(SEARCH, *planted, grid=grid, cv=3)
    pairs = zip(sweep_result.table["fold"], sweep_result.table["rule"], strict=True)
    different = {(fold, repr(rule)) for fold, rule in pairs}
    assert len(different) < len(sweep_result.table)
    assert len(calls) == len(different)
