"""Learners compared on the same folds: any workers, in turns, within a budget, resumed."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from rulekit import BoxSearchClassifier, Costs, OneLevelRuleClassifier, load_sample
from rulekit.data import make_folds
from rulekit.evaluation import LearnerGrid, SweepStore, compare_learners, sweep
from rulekit.evaluation.sweeps import compare
from rulekit.evaluation.sweeps.baselines import reference_learners
from tests.evaluation.learners import SharedStump, Sized, Stump, gate, noisy_table

GRID = {"theta": [-0.5, 0.0, 0.5, 2.0], "column": [0, 1]}
TWO = [{"theta": [0.0]}, {"theta": [0.0], "column": [1]}]
THETAS = {"theta": [-0.5, 0.0, 0.5, 2.0]}
STUMPS = {"first": (Stump(), THETAS), "second": (SharedStump(column=1), THETAS)}


def timeless(result):
    return result.table.drop(columns="seconds")


def assert_same(one, two):
    pd.testing.assert_frame_equal(timeless(one), timeless(two))


class Listener(list):
    """Keeps the progress of fits."""

    def __call__(self, progress):
        if progress.row is not None:
            self.append(progress)


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
    row = plain.table.iloc[5]
    assert (row["setting"], row["fold"], row["theta"], row["column"]) == (1, 1, -0.5, 1)
    assert row["learner"] == "Stump"
    assert row["rule"].clauses[0].literals[0].feature == "x1"


def test_rows_are_told_by_place_in_any_number_of_threads(table, plain):
    shared = timeless(sweep(SharedStump(), *table, grid=GRID, cv=4)).drop(columns="learner")
    pd.testing.assert_frame_equal(shared, timeless(plain).drop(columns="learner"))
    with joblib.parallel_config("threading", n_jobs=3):
        assert_same(sweep(Stump(), *table, grid=GRID, cv=4), plain)
    X, y = table
    frame = pd.DataFrame(X, index=np.zeros(len(X), dtype=int))
    labels = pd.Series(y, index=range(5, 5 + len(y)))
    assert_same(sweep(Stump(), frame, labels, grid=GRID, cv=4), plain)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [Stump(), SharedStump()])
def test_two_processes_give_the_same_table_and_report_each_fit(table, learner):
    how, reported = {"grid": GRID, "cv": 4}, Listener()
    with ThreadPoolExecutor(1) as pool:  # a dashboard's job is no main thread either
        job = pool.submit(sweep, learner, *table, **how, n_jobs=2, on_progress=reported)
        result = job.result()
    assert_same(result, sweep(learner, *table, **how))
    assert len({(p.row["setting"], p.row["fold"]) for p in reported}) == len(reported) == 32


@pytest.mark.slow
def test_results_of_another_process_arrive_before_the_sweep_ends(table, tmp_path):
    journal = tmp_path / "journal"
    journal.mkdir()
    gate(journal).write_text("16")  # two of four tasks
    how = {"n_jobs": 2, "on_progress": lambda progress: gate(journal).unlink(missing_ok=True)}
    grid = {"theta": np.linspace(-1, 1, 8).tolist()}
    sweep(SharedStump(journal=str(journal)), *table, grid=grid, cv=4, **how)
    assert len(list(journal.iterdir())) == 32


@pytest.mark.slow
def test_stop_and_end_of_the_budget_reach_other_processes(table, tmp_path):
    journal, grid = tmp_path / "journal", {"theta": np.linspace(-1, 1, 20).tolist()}
    journal.mkdir()
    learner = SharedStump(pause=0.05, journal=str(journal))
    stop = {"should_stop": lambda: any(journal.iterdir())}
    stopped = sweep(learner, *table, cv=8, n_jobs=2, grid=grid, **stop)
    assert 0 < len(stopped.table) == len(list(journal.iterdir())) < 160  # begun folds are finished
    limited = sweep(learner, *table, cv=2, n_jobs=2, grid=grid, budget_seconds=0.5)
    assert 2 <= len(limited.table) < 40


def test_a_stop_ends_between_fits_and_keeps_what_is_finished(table):
    seen = Listener()
    how = {"on_progress": seen, "should_stop": lambda: len(seen) >= 3}
    comparison = compare_learners(*table, learners=STUMPS, cv=4, **how)
    assert comparison.progress == {"first": (3, 16), "second": (0, 16)}
    assert len(comparison.finished) == len(comparison.summary) == 3
    assert len(comparison.points()) == 0
    assert not comparison.is_complete
    at_once = sweep(Stump(), *table, grid=GRID, cv=4, should_stop=lambda: True)
    assert at_once.table.empty
    assert at_once.summary.empty


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_error_raised_by_a_callback_ends_the_comparison(table, n_jobs):
    def broken(progress):
        raise KeyError("the listener's own mistake")

    with pytest.raises(KeyError, match="the listener's own mistake"):
        compare_learners(*table, learners=STUMPS, cv=4, n_jobs=n_jobs, on_progress=broken)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_failed_fit_names_its_setting_and_fold(table, n_jobs):
    with pytest.raises(ValueError, match="the planted failure") as caught:
        sweep(Stump(fail_at=0.5), *table, grid=GRID, cv=4, n_jobs=n_jobs)
    assert "with the setting {'theta': 0.5" in caught.value.__notes__[0]


def test_three_classes_have_errors_but_no_positive_class():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    result = sweep(tree, X, y, grid={"max_leaf_nodes": [3]}, cv=KFold(3, shuffle=True))
    assert result.n_folds == 3
    assert result.summary["test_error"].iloc[0] < 0.2
    assert result.table[["test_tp", "test_auc", "n_conditions"]].isna().all(axis=None)


def test_finished_folds_are_stored_and_not_computed_again(table, tmp_path):
    learner, seen, again, kept = Stump(journal=str(tmp_path)), Listener(), Listener(), Listener()
    how = {"grid": TWO, "cv": 4, "store": tmp_path / "store.sqlite"}
    stopped = sweep(learner, *table, **how, on_progress=seen, should_stop=lambda: len(seen) == 3)
    fits = len(list(tmp_path.glob("0.*")))
    read = sweep(learner, *table, **how, only_stored=True, on_progress=kept)
    other = how | {"grid": {"theta": [1.0]}}
    assert not sweep(learner, *table, **other, only_stored=True).finished
    assert len(list(tmp_path.glob("0.*"))) == fits
    assert_same(read, stopped)
    assert [p.from_store for p in kept] == [True] * 3
    second = sweep(learner, *table, **how, on_progress=again)
    assert len(list(tmp_path.glob("0.*"))) == 8
    assert [p.from_store for p in again] == [True] * 3 + [False] * 5
    assert second.is_complete
    assert_same(second, sweep(Stump(), *table, grid=TWO, cv=4))


def test_a_store_does_not_answer_for_other_rows_folds_or_parameters(table, tmp_path):
    X, y = table
    with SweepStore(tmp_path / "store.sqlite") as store:
        for learner, rows, labels, more in [
            (Stump(), X, y, {}),
            (Stump(), X + 1, y, {}),
            (Stump(), X, 1 - y, {}),
            (Stump(), X, y, {"random_state": 1}),
            (Stump(), X, y, {"costs": Costs(5, 2)}),
            (Stump(), X, y, {"costs": Costs(50, 20)}),
            (Stump(column=2), X, y, {}),
        ]:
            how = {"grid": {"theta": [0.0]}, "cv": 4, "store": store, **more}
            assert not sweep(learner, rows, labels, **how, only_stored=True).finished
            fresh = sweep(learner, rows, labels, **how)
            assert_same(sweep(learner, rows, labels, **how, only_stored=True), fresh)


def searcher(**more):
    grid = {"n_clauses": [1, 2], "theta": [2.0, 8.0]}
    learner = BoxSearchClassifier(random_state=0)
    return LearnerGrid("search", learner, grid, whole_front=True, **more)


@pytest.fixture(scope="module")
def credit():
    X, y = load_sample("credit").xy()
    return X.iloc[:300], y.iloc[:300]


@pytest.mark.slow
def test_two_rule_learners_share_a_front_with_their_own_figures(credit):
    one = OneLevelRuleClassifier(random_state=0)
    family = LearnerGrid("one clause", one, {"theta": [2.0, 8.0]})
    comparison = compare_learners(*credit, learners=[searcher(), family], cv=3)
    own = sweep(one, *credit, grid=family.grid, cv=3)
    points = comparison.points().set_index("setting")
    assert points["learner"].tolist() == ["search"] * 4 + ["one clause"] * 2
    assert points.loc[4:, "test_error"].tolist() == own.summary["test_error"].tolist()
    assert comparison.folds_digest == own.folds_digest
    assert comparison.is_complete
    assert set(comparison.front()["learner"]) <= {"search", "one clause"}
    assert comparison.suggest()["default"] in points.index


@pytest.mark.slow
def test_rules_references_and_kept_models_share_costs(credit):
    costs = Costs(miss=5, false_alarm=1, positive="high")
    comparison = compare_learners(
        *credit, learners=[searcher(keep_models=True)], cv=3, references=True, costs=costs
    )
    weights = {"high": 5.0, "low": 1.0}
    for number, model in comparison.models.items():
        setting = comparison.settings[number] | {"class_weight": weights}
        by_weight = clone(searcher().estimator).set_params(**setting)
        assert model.rule_set_ == by_weight.fit(*credit).rule_set_
    lines = comparison.references.set_index("name")["test_cost_per_100"]
    high = 100 * (credit[1] == "high").mean()
    assert lines["cheapest answer"] == pytest.approx(min(5 * high, 100 - high), rel=0.02)
    assert (comparison.points()["test_cost_per_100"] < lines["cheapest answer"]).any()


@pytest.mark.slow
def test_same_seed_gives_the_same_table_with_any_workers(table):
    one = compare_learners(*table, learners=STUMPS, cv=4)
    assert_same(one, compare_learners(*table, learners=STUMPS, cv=4))
    assert_same(one, compare_learners(*table, learners=STUMPS, cv=4, n_jobs=2))
    other = compare_learners(*table, learners=STUMPS, cv=4, random_state=1)
    assert not timeless(one)["test_error"].equals(timeless(other)["test_error"])


@pytest.fixture
def fit_a_second(monkeypatch):
    """Advance a fake clock by one second for each fit."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(compare, "time", SimpleNamespace(time=lambda: clock.now))

    def passed(progress):
        clock.now += progress.row is not None

    return passed


def test_time_left_by_one_learner_goes_to_the_next(table, fit_a_second):
    few = {"few": (Stump(), {"theta": [0.0, 0.5]})}
    many = {"many": (Stump(), {"theta": np.linspace(-1, 1, 60).tolist()})}
    more = {"more": (Stump(column=1), {"theta": np.linspace(-1, 1, 60).tolist()})}
    comparison = compare_learners(
        *table, learners=few | many | more, cv=4, budget_seconds=60, on_progress=fit_a_second
    )
    assert comparison.progress == {"few": (8, 8), "many": (26, 240), "more": (26, 240)}
    assert not comparison.is_complete


def test_budgets_pass_on_and_leave_most_points_whole(table, fit_a_second, tmp_path):
    many = {"many": (Stump(), {"theta": np.linspace(-1, 1, 60).tolist()})}
    comparison = compare_learners(
        *table, learners=many, cv=4, budget_seconds=30, on_progress=fit_a_second
    )
    assert len(comparison.finished) == 30
    assert comparison.points()["setting"].tolist() == [0, 7, 15, 22, 30, 44, 59]
    assert len(comparison.summary) == 9
    learners = {"sized": (Sized(time_limit=9.0), {"max_conditions": [1, 2]})}
    how = {"learners": learners, "cv": 4, "budget_seconds": 5, "store": tmp_path / "store"}
    comparison = compare_learners(*table, **how, on_progress=fit_a_second)
    assert len(comparison.finished) == 5
    assert_same(compare_learners(*table, **how, only_stored=True), comparison)


def test_each_learner_has_a_point_within_any_budget(table, fit_a_second):
    prices = {"theta": [-1.0, 0.0, 1.0]}
    learners = {
        "sized": (Sized(), {"max_conditions": [3, 1, 2], **prices}),
        "priced": (SharedStump(column=1), prices),
    }
    comparison = compare_learners(
        *table, learners=learners, cv=4, budget_seconds=2, on_progress=fit_a_second
    )
    points = comparison.points()
    assert points["learner"].tolist() == ["sized", "priced"]
    assert points["theta"].tolist() == [0.0, 0.0]
    assert comparison.settings[points["setting"].iloc[0]]["max_conditions"] == 1


def test_a_budget_shows_the_grid_coarsely_first_and_changes_no_figure(table):
    order = []
    prices = np.linspace(-1, 1, 9).tolist()
    learners = {"stump": (Stump(), {"theta": prices})}
    how = {"budget_seconds": 600, "on_progress": lambda progress: order.append(progress.row)}
    reported = compare_learners(*table, learners=learners, cv=3, **how)
    begun = list(dict.fromkeys(row["theta"] for row in order if row is not None))
    assert begun[:3] == [prices[4], prices[8], prices[0]]
    assert_same(reported, compare_learners(*table, learners=learners, cv=3))


@pytest.mark.slow
def test_no_single_fit_has_more_time_than_its_part_of_the_budget(credit):
    result = compare_learners(
        *credit, learners=[searcher(keep_models=True)], cv=2, budget_seconds=300
    )
    limits = {model.time_limit for model in result.models.values()}
    assert limits == {100}  # two folds, and all rows
    assert searcher().estimator.time_limit is None


def test_progress_counts_each_fit_and_nothing_stored_is_nothing(table, tmp_path):
    seen = []
    comparison = compare_learners(*table, learners=STUMPS, cv=4, on_progress=seen.append)
    ends = [(p.family, len(p.found.finished)) for p in seen if p.row is None]
    assert ends == [("first", 16), ("second", 32)]
    assert [p.row for p in seen if p.row is not None] == list(comparison.finished)
    assert comparison.progress == {"first": (16, 16), "second": (16, 16)}
    assert {row["learner"] for row in comparison.finished if row["setting"] >= 4} == {"second"}
    comparison = compare_learners(*table, learners=STUMPS, store=tmp_path / "new", only_stored=True)
    assert comparison.finished == ()
    assert comparison.points().empty


@pytest.mark.slow
def test_stored_settings_are_not_fitted_again(credit, tmp_path):
    place = tmp_path / "sweep.sqlite"
    one = compare_learners(*credit, learners=[searcher()], cv=3, store=place)
    seen = []
    two = compare_learners(
        *credit, learners=[searcher()], cv=3, store=place, on_progress=seen.append
    )
    assert all(p.from_store for p in seen if p.row is not None)
    assert {p.family for p in seen} == {"search"}
    pd.testing.assert_frame_equal(one.table, two.table)
    with SweepStore(place) as store:
        read = compare_learners(*credit, learners=[searcher()], cv=3, store=store, only_stored=True)
    pd.testing.assert_frame_equal(one.table, read.table)
    assert not read.models


@pytest.mark.slow
def test_reference_models_are_measured_on_the_same_folds(table):
    comparison = compare_learners(*table, learners=STUMPS, cv=3, references=True)
    majority = [f for f in reference_learners() if f.name == "majority"]
    own = compare_learners(*table, learners=majority, cv=3)
    reported = comparison.references.set_index("name").loc["majority", "test_error"]
    assert reported == own.summary.loc[0, "test_error"]
    assert {"tree", "random forest"} <= set(comparison.references["name"])


def test_weights_of_rows_count_in_fits_and_errors(table):
    X, y = table
    weight = np.where(y == 1, 3.0, 1.0)
    comparison = compare_learners(X, y, learners=STUMPS, cv=4, sample_weight=weight)
    own = sweep(Stump(), X, y, grid=THETAS, cv=4, sample_weight=weight)
    assert comparison.points()["test_error"].tolist()[:4] == own.summary["test_error"].tolist()
    share = weight[y == 1].sum() / weight.sum()
    assert comparison.summary["test_error"].iloc[3] == pytest.approx(share, abs=0.01)
    assert comparison.table["objective"].min() >= 0.5
    assert comparison.folds_digest == own.folds_digest


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"learners": {}}, "at least one learner"),
        ({"budget_seconds": 0}, "'budget_seconds' parameter of compare_learners must be a float"),
        ({"only_stored": True}, "needs a `store`"),
        ({"learners": {"a": (Stump(), {"price": [1]})}}, "varies 'price', which the learner does"),
        ({"y": [0, 1]}, r"one class a row \(120\); its shape is \(2,\)"),
        ({"sample_weight": [1.0]}, r"one weight a row \(120\); its shape is \(1,\)"),
    ],
)
def test_a_wrong_question_is_answered_by_a_sentence(table, wrong, words):
    with pytest.raises(ValueError, match=words):
        compare_learners(**({"X": table[0], "y": table[1], "learners": STUMPS} | wrong))
