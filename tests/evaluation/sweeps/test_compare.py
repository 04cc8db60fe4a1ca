"""Learners compared: on the same folds, in turns, within a budget, the same whoever works."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import (
    BoxSearchClassifier,
    Costs,
    OneLevelRuleClassifier,
    compare_learners,
    load_sample,
)
from rulekit.data import make_folds
from rulekit.evaluation import Comparison, Family, SweepStore, sweep
from rulekit.evaluation.sweeps import compare
from rulekit.evaluation.sweeps.baselines import baselines
from tests.evaluation.learners import SharedStump, Sized, Stump, noisy_table

THETAS = {"theta": [-0.5, 0.0, 0.5, 2.0]}
STUMPS = {"first": (Stump(), THETAS), "second": (SharedStump(column=1), THETAS)}


@pytest.fixture(scope="module")
def table():
    return noisy_table()


def timeless(found):
    return found.result.table.drop(columns="seconds")


def searcher(**more):
    grid = {"n_clauses": [1, 2], "theta": [2.0, 8.0]}
    learner = BoxSearchClassifier(random_state=0)
    return Family("search", learner, grid, whole_front=True, **more)


@pytest.fixture(scope="module")
def credit():
    X, y = load_sample("credit").xy()
    return X.iloc[:300], y.iloc[:300]


@pytest.mark.slow
def test_two_rule_learners_share_a_front_with_their_own_figures(credit):
    one = OneLevelRuleClassifier(random_state=0)
    family = Family("one clause", one, {"theta": [2.0, 8.0]})
    comparison = compare_learners(*credit, learners=[searcher(), family], cv=3)
    own = sweep(one, *credit, grid=family.grid, cv=3)
    points = comparison.points().set_index("setting")
    assert points["learner"].tolist() == ["search"] * 4 + ["one clause"] * 2
    assert points.loc[4:, "test_error"].tolist() == own.summary["test_error"].tolist()
    assert comparison.result.folds_digest == own.folds_digest
    assert comparison.is_complete
    assert set(comparison.result.front()["learner"]) <= {"search", "one clause"}
    assert comparison.result.suggest()["default"] in points.index


@pytest.mark.slow
def test_rules_references_and_kept_models_share_costs(credit):
    costs = Costs(miss=5, false_alarm=1, positive="high")
    comparison = compare_learners(
        *credit, learners=[searcher(keep_models=True)], cv=3, references=True, costs=costs
    )
    weights = {"high": 5.0, "low": 1.0}
    for number, model in comparison.models.items():
        by_weight = clone(searcher().estimator).set_params(
            class_weight=weights, **comparison.settings[number]
        )
        assert model.rule_set_ == by_weight.fit(*credit).rule_set_
    lines = comparison.references.set_index("name")["test_cost_per_100"]
    high = 100 * (credit[1] == "high").mean()
    assert lines["cheapest answer"] == pytest.approx(min(5 * high, 100 - high), rel=0.02)
    assert (comparison.points()["test_cost_per_100"] < lines["cheapest answer"]).any()


@pytest.mark.slow
def test_same_seed_gives_the_same_table_with_any_workers(table):
    one = compare_learners(*table, learners=STUMPS, cv=4)
    pd.testing.assert_frame_equal(
        timeless(one), timeless(compare_learners(*table, learners=STUMPS, cv=4))
    )
    two = compare_learners(*table, learners=STUMPS, cv=4, n_jobs=2)
    pd.testing.assert_frame_equal(timeless(one), timeless(two))
    other = compare_learners(*table, learners=STUMPS, cv=4, random_state=1)
    assert not timeless(one)["test_error"].equals(timeless(other)["test_error"])


@pytest.fixture
def fit_a_second(monkeypatch):
    """Advance a fake clock by one second for each fit."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(compare, "time", SimpleNamespace(monotonic=lambda: clock.now))

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


def test_when_the_budget_is_over_most_points_are_whole(table, fit_a_second):
    many = {"many": (Stump(), {"theta": np.linspace(-1, 1, 60).tolist()})}
    comparison = compare_learners(
        *table, learners=many, cv=4, budget_seconds=30, on_progress=fit_a_second
    )
    assert len(comparison.finished) == 30
    assert comparison.points()["setting"].tolist() == [0, 7, 15, 22, 30, 44, 59]
    assert len(comparison.points(whole=False)) == 9


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


def test_points_of_a_short_budget_are_found_in_the_store_again(table, tmp_path, fit_a_second):
    learners = {"sized": (Sized(time_limit=9.0), {"max_conditions": [1, 2]})}
    how = {"learners": learners, "cv": 4, "budget_seconds": 5, "store": tmp_path / "store"}
    comparison = compare_learners(*table, **how, on_progress=fit_a_second)
    assert len(comparison.finished) == 5
    stored = compare_learners(*table, **how, only_stored=True)
    pd.testing.assert_frame_equal(timeless(stored), timeless(comparison))


def test_a_budget_shows_the_grid_coarsely_first_and_changes_no_figure(table):
    order = []
    prices = np.linspace(-1, 1, 9).tolist()
    learners = {"stump": (Stump(), {"theta": prices})}
    reported = compare_learners(
        *table,
        learners=learners,
        cv=3,
        budget_seconds=600,
        on_progress=lambda p: order.append(p.row),
    )
    begun = list(dict.fromkeys(row["theta"] for row in order if row is not None))
    assert begun[:3] == [prices[4], prices[8], prices[0]]
    plain = compare_learners(*table, learners=learners, cv=3)
    pd.testing.assert_frame_equal(timeless(reported), timeless(plain))


@pytest.mark.slow
def test_no_single_fit_has_more_time_than_its_part_of_the_budget(credit):
    result = compare_learners(
        *credit, learners=[searcher(keep_models=True)], cv=2, budget_seconds=300
    )
    assert {model.time_limit for model in result.models.values()} == {
        100
    }  # two folds, and all rows
    assert searcher().estimator.time_limit is None


def test_a_stop_ends_between_fits_and_what_is_there_is_given(table):
    seen = []
    comparison = compare_learners(
        *table,
        learners=STUMPS,
        cv=4,
        on_progress=lambda p: seen.append(p),
        should_stop=lambda: len(seen) >= 3,
    )
    assert len(comparison.finished) == 3
    assert comparison.progress == {"first": (3, 16), "second": (0, 16)}
    assert len(comparison.points()) == 0
    assert len(comparison.points(whole=False)) == 3


def test_progress_reports_each_fit_and_each_family(table):
    seen = []
    comparison = compare_learners(*table, learners=STUMPS, cv=4, on_progress=seen.append)
    assert [p.family for p in seen if p.row is None] == ["first", "second"]
    assert [len(p.found.finished) for p in seen if p.row is not None] == list(range(1, 33))
    assert seen[-1].found.progress == comparison.progress == {"first": (16, 16), "second": (16, 16)}
    assert {row["learner"] for row in comparison.finished if row["setting"] >= 4} == {"second"}


def test_error_raised_by_progress_ends_the_comparison(table):
    def refuse(progress):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        compare_learners(*table, learners=STUMPS, cv=4, on_progress=refuse)


@pytest.mark.slow
def test_stored_settings_are_not_fitted_again(credit, tmp_path):
    place = tmp_path / "sweep.sqlite"
    one = compare_learners(*credit, learners=[searcher()], cv=3, store=place)
    seen = []
    two = compare_learners(
        *credit, learners=[searcher()], cv=3, store=place, on_progress=seen.append
    )
    assert all(p.row["from_store"] for p in seen if p.row is not None)
    assert {p.stage for p in seen} == {"search"}
    pd.testing.assert_frame_equal(one.result.table, two.result.table)
    with SweepStore(place) as store:
        read = compare_learners(*credit, learners=[searcher()], cv=3, store=store, only_stored=True)
    pd.testing.assert_frame_equal(one.result.table, read.result.table)
    assert not read.models


def test_nothing_stored_is_nothing_found(table, tmp_path):
    comparison = compare_learners(*table, learners=STUMPS, store=tmp_path / "new", only_stored=True)
    assert comparison.finished == ()
    assert comparison.points().empty


@pytest.mark.slow
def test_reference_models_are_measured_on_the_same_folds(table):
    comparison = compare_learners(*table, learners=STUMPS, cv=3, references=True)
    X, y = table
    (own,) = baselines(X, y, cv=make_folds(y, 3), only=["majority"]).values()
    reported = comparison.references.set_index("name").loc["majority", "test_error"]
    assert reported == own.summary.loc[0, "test_error"]
    assert {"tree", "random forest"} <= set(comparison.references["name"])


def test_weights_of_rows_count_in_fits_and_errors(table):
    X, y = table
    weight = np.where(y == 1, 3.0, 1.0)
    comparison = compare_learners(X, y, learners=STUMPS, cv=4, sample_weight=weight)
    own = sweep(Stump(), X, y, grid=THETAS, cv=4, sample_weight=weight)
    assert comparison.points()["test_error"].tolist()[:4] == own.summary["test_error"].tolist()
    assert comparison.folds_digest == own.folds_digest


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"learners": {}}, "at least one learner"),
        ({"budget_seconds": 0}, "must be positive"),
        ({"only_stored": True}, "needs a `store`"),
    ],
)
def test_a_wrong_question_is_answered_by_a_sentence(table, wrong, words):
    with pytest.raises(ValueError, match=words):
        compare_learners(*table, **({"learners": STUMPS} | wrong))


def row(setting, fold, error=0.5):
    return {
        "setting": setting,
        "learner": "stump",
        "theta": float(setting),
        "fold": fold,
        "test_error": error,
        "done": 1,
    }


def family(name="stump", n=3):
    return Family(name, Stump(), {"theta": [float(k) for k in range(n)]})


def test_points_are_whole_unless_requested_otherwise():
    result = Comparison((family(),), 2, "", tuple(row(*pair) for pair in ((0, 0), (0, 1), (1, 0))))
    assert result.points()["setting"].tolist() == [0]
    assert result.points(whole=False)["setting"].tolist() == [0, 1]
    assert result.progress == {"stump": (3, 6)}
    assert not result.is_complete


def test_nothing_found_has_no_points():
    comparison = Comparison((family(),), 2, "")
    assert comparison.points().empty
    assert comparison.n_fits == 6


@pytest.mark.slow
def test_added_results_keep_figures_models_and_learner():
    X, y = noisy_table()
    one = compare_learners(X, y, learners={"a": (Stump(), {"theta": [0.0, 0.5]})}, cv=3)
    two = compare_learners(
        X, y, learners={"b": (Stump(column=1), {"theta": [0.1]})}, cv=3, references=True
    )
    both = one.join(two, one)
    assert both.progress == {"a": (12, 12), "b": (3, 3)}
    points = both.points()
    assert points["setting"].tolist() == [0, 1, 2, 3, 4]
    assert points["learner"].tolist() == ["a", "a", "b", "a", "a"]
    assert points["test_error"].tolist()[2] == two.points()["test_error"].tolist()[0]
    assert both.settings[2] == {"theta": 0.1}
    assert both.result.model(2).column == 1
    assert both.references is two.references
    assert both.is_complete


def test_models_of_all_rows_are_numbered_with_their_settings():
    one = Comparison((family(),), 2, "x", models={1: "mine"})
    two = Comparison((family("other", 2),), 2, "x", models={0: "yours"})
    both = one.join(two)
    assert both.models == {1: "mine", 3: "yours"}


def test_other_rows_or_folds_are_not_put_on_one_curve():
    X, y = noisy_table()
    stump = {"a": (Stump(), {"theta": [0.0]})}
    one = compare_learners(X, y, learners=stump, cv=3)
    for other in (
        compare_learners(X, y, learners=stump, cv=4),
        compare_learners(X[:-1], y[:-1], learners=stump, cv=3),
        compare_learners(X, y, learners=stump, cv=3, random_state=1),
    ):
        with pytest.raises(ValueError, match="comparison 1 differs"):
            one.join(other)


def test_estimates_of_a_forest_are_columns_of_the_points():
    rows = tuple(row(k, fold) for k in (0, 1) for fold in (0, 1))
    one = Comparison((family(n=2),), 2, "x", rows, estimates={1: (0.25, 3.0)})
    assert one.points()["forest_loss"].tolist()[1] == 0.25
    assert one.points()["forest_loss"].isna().tolist() == [True, False]
    assert one.join(one).estimates == {1: (0.25, 3.0), 3: (0.25, 3.0)}
    assert "forest_loss" not in Comparison((family(n=2),), 2, "x", rows).points()


def test_a_family_without_a_whole_setting_is_missed():
    rows = (row(0, 0), row(0, 1), {**row(3, 0), "learner": "other"})
    comparison = Comparison((family(), family("other")), 2, "x", rows)
    assert comparison.missed == ("other",)
    assert Comparison((family(),), 2, "x").missed == ("stump",)
