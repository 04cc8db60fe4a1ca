"""What is read off a finished sweep: averages, fronts, suggestions, joins, the final model."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data.groups import GROUP_MEASURES
from rulekit.evaluation import (
    Comparison,
    LearnerGrid,
    compare_learners,
    pareto_front,
    suggest,
    sweep,
)
from rulekit.evaluation.sweeps.result import fit_setting
from tests.evaluation.learners import Stump, noisy_table
from tests.reference import pareto as reference


def result_of(points, n_folds=4, settings=None):
    """A result with given (error, spread over folds, literals) for each setting."""
    settings = settings or [{"theta": float(i)} for i in range(len(points))]
    turns = np.resize([-1.0, 1.0], n_folds)
    rows = [
        {
            "setting": i, "learner": "Made", **settings[i], "fold": fold,
            "test_error": error + spread * turns[fold], "train_error": error / 2,
            "n_conditions": literals, "n_clauses_used": 1.0,
        }
        for i, (error, spread, literals) in enumerate(points)
        for fold in range(n_folds)
    ]  # fmt: skip
    family = LearnerGrid("Made", None, [{k: [v] for k, v in one.items()} for one in settings])
    return Comparison((family,), n_folds, "folds", tuple(rows))


def with_rows(result, change):
    """The result with changed rows; those of which nothing is left are dropped."""
    return replace(result, finished=tuple(filter(None, map(change, result.finished))))


POINTS = st.lists(
    st.tuples(st.sampled_from([0.1, 0.2, 0.3]), st.just(0.02), st.integers(0, 4)),
    min_size=1,
    max_size=8,
)


def test_the_summary_has_means_errors_and_clause_counts():
    row = result_of([(0.3, 0.1, 2)]).summary.iloc[0]
    assert row["test_error"] == pytest.approx(0.3)
    spread = np.std([0.2, 0.4, 0.2, 0.4], ddof=1)
    assert row["test_error_se"] == pytest.approx(spread / np.sqrt(4))
    assert (row["train_error"], row["n_conditions"], row["folds"]) == (0.15, 2.0, 4)
    assert np.isnan(result_of([(0.3, 0.1, 2)], n_folds=1).summary["test_error_se"].iloc[0])
    rows = [
        {"setting": 0, "learner": "Made", "fold": f, "n_clauses": 5, "n_clauses_used": 2 + f}
        for f in range(2)
    ]
    family = LearnerGrid("Made", None, {"n_clauses": [5]})
    row = Comparison((family,), 2, "folds", tuple(rows)).summary.iloc[0]
    assert (row["n_clauses"], row["n_clauses_used"]) == (5, 2.5)


def test_small_whole_neighbours_win():
    result = result_of([(0.3, 0.0, 2), (0.1, 0.0, 1)])
    partial = with_rows(result, lambda row: row if 0 in (row["setting"], row["fold"]) else {})
    assert partial.front()["setting"].tolist() == [0]
    assert partial.suggest()["best"] == 0
    assert result_of([(0.2, 0.0, 3), (0.2, 0.0, 2), (0.2, 0.0, 2)]).suggest()["best"] == 1
    result = result_of([(0.2, 0.0, 3), (0.2 + 1e-15, 0.0, 2)])
    assert result.suggest()["best"] == 1
    points = [(0.30, 0.0, 2), (0.20, 0.0, 2), (0.30, 0.0, 2)]
    kinds = [{"theta": float(i), "robustness": 0.1 * i} for i in range(3)]
    lone = result_of([*points, (0.21, 0.0, 2)], settings=[*kinds, {"theta": 9.0}])
    assert lone.suggest()["default"] == 1
    assert result_of([*points, (0.21, 0.0, 2)]).suggest()["default"] == 3
    errors = [0.30, 0.20, 0.30, 0.24, 0.21, 0.21, 0.24]
    result = result_of([(e, 0.05, 7.0 - i) for i, e in enumerate(errors)])
    gaps = ("gap", *(f"gap_{measure}" for measure in GROUP_MEASURES))
    assert suggest(result.summary.assign(**dict.fromkeys(gaps, np.arange(7.0)))) == suggest(result)
    result = result_of([(0.2, 0.0, 2), (0.3, 0.0, 1), (0.4, 0.0, 3)])
    turned = with_rows(result, lambda row: row | {"test_auc": 1 - row["test_error"]})
    assert turned.front(y="test_auc")["setting"].tolist() == [1, 0]  # from left to right
    with pytest.raises(ValueError, match=r"no measure 'accuracy'; it has .*test_error"):
        result_of([(0.3, 0.0, 1)]).front(y="accuracy")


@pytest.mark.slow
@given(POINTS)
def test_simplest_is_no_larger_than_best_and_within_one_error(points):
    result = result_of(points)
    chosen = result.suggest()
    rows = result.summary.set_index("setting")
    best, simple = rows.loc[chosen["best"]], rows.loc[chosen["simplest_within_1se"]]
    assert best["test_error"] == rows["test_error"].min()
    assert simple["n_conditions"] <= best["n_conditions"]
    assert simple["test_error"] <= best["test_error"] + best["test_error_se"] + 1e-12


def test_default_is_best_among_neighbours_with_a_reason():
    # setting 1 is a lucky dip between two bad ones; 4 and 5 are good, and so are those beside them
    errors = [0.30, 0.20, 0.30, 0.24, 0.21, 0.21, 0.24]
    chosen = result_of([(e, 0.05, 7.0 - i) for i, e in enumerate(errors)]).suggest()
    assert (chosen["best"], chosen["default"], chosen["simplest_within_1se"]) == (1, 5, 5)
    assert chosen["reason"] == (
        "Selected: price of a condition 5 (21.0 % with 2.0 conditions). It has the lowest test "
        "error, averaged with similar settings, at a penalty of 0.2 points for each condition."
    )


def test_settings_are_reported_in_words_and_what_is_at_rest_is_not():
    at_rest = {"robustness": 0.0, "label_noise": 0.0}
    kinds = [
        {"positive_label": "ill", "n_clauses": 1, "theta": 2.5, **at_rest},
        {"rule__max_conditions": 3, "robustness": 0.1, "method": "lp"},
    ]
    result = result_of([(0.2, 0.0, 2), (0.3, 0.0, 2)], settings=kinds)
    shown = "Selected: for ill, at most 1 clause, price of a condition 2.5 ("
    assert shown in result.suggest()["reason"]
    result = result_of([(0.3, 0.0, 2), (0.2, 0.0, 2)], settings=kinds)
    shown = "Selected: at most 3 conditions, robustness 0.1, method = lp ("
    assert shown in result.suggest()["reason"]


def test_a_literal_must_earn_its_price_in_the_measure_s_unit():
    two = [{"method": name} for name in "ab"]
    for gain, taken in ((0.0039, 0), (0.0041, 1)):
        result = result_of([(0.2, 0.0, 2), (0.2 - gain, 0.0, 4)], settings=two)
        assert result.suggest()["default"] == taken
    for name, scale, better in (("test_cost_per_100", 500.0, -1), ("test_auc", 1.0, 1)):
        for gain, taken in ((0.0039, 0), (0.0041, 1)):
            result = result_of([(0.2, 0.0, 2), (0.2, 0.0, 4)], settings=two)
            values = [scale, scale * (1.0 + better * gain)]
            result = with_rows(result, lambda row: row | {name: values[row["setting"]]})  # noqa: B023
            assert result.suggest(y=name)["default"] == taken, (name, gain)


def test_an_empty_rule_is_the_default_only_if_all_are_empty():
    chosen = result_of([(0.34, 0.02, 0), (0.34, 0.02, 2)]).suggest()
    assert chosen["simplest_within_1se"] == 0
    assert chosen["default"] == 1
    assert "An empty rule (price of a condition 0), which predicts one class" in chosen["reason"]
    chosen = result_of([(0.34, 0.02, 0)]).suggest()
    assert chosen["default"] == 0
    assert chosen["reason"].startswith("Selected: ")
    empty = with_rows(result_of([(0.3, 0.0, 1)]), lambda row: {})
    with pytest.raises(ValueError, match=r"No setting has a 'test_error' yet, so none can"):
        empty.suggest()


def test_a_summary_with_sizes_and_models_is_enough():
    result = result_of([(0.30, 0.05, 7), (0.20, 0.05, 6), (0.30, 0.05, 5), (0.21, 0.05, 2)])
    assert suggest(result.summary) == suggest(result) == result.suggest()
    rows = result_of([(0.3, 0.0, 1)]).summary.drop(columns=["n_conditions", "folds"])
    with pytest.raises(ValueError, match=r"folds, n_conditions are missing, as in"):
        suggest(rows)
    X, y = noisy_table()
    result = sweep(Stump(column=1), X, y, grid={"theta": [0.0, 2.0]}, cv=4)
    model = fit_setting(Stump(column=1), result.setting(1), X, y)
    assert (model.theta, model.column, model.n_conditions_) == (2.0, 1, 0)
    assert fit_setting(Stump(), {}, X, y, np.full(len(y), 5.0)).objective_ == 5.0
    with pytest.raises(ValueError, match=r"Setting 2 does not exist\. Use a number from 0 to 1"):
        result_of([(0.3, 0.0, 1)] * 2).setting(2)


def test_settings_that_are_whole_numbers_stay_whole_in_the_table():
    settings = [{"n_clauses": 2, "theta": 1}, {"n_clauses": 3, "theta": 0.5}]
    rows = [{"setting": k, "learner": "A", "fold": 0, **s} for k, s in enumerate(settings)]
    grids = [{k: [v] for k, v in setting.items()} for setting in [*settings, {"other": 0}]]
    table = Comparison((LearnerGrid("A", None, grids),), 1, "", tuple(rows)).table
    assert table["n_clauses"].dtype == int
    assert table["theta"].dtype == float
    assert table["other"].tolist() == [None, None]


COORDINATE = st.one_of(
    st.integers(0, 4).map(float), st.sampled_from([float("nan"), float("inf"), -float("inf"), 0.1])
)
PAIRS = st.lists(st.tuples(COORDINATE, COORDINATE), max_size=12)


@given(PAIRS)
def test_front_equals_its_definition(points):
    x, y = [p[0] for p in points], [p[1] for p in points]
    assert pareto_front(x, y).tolist() == reference.pareto_front(x, y)


def row(setting, fold, error=0.5):
    named = {"setting": setting, "learner": "stump", "theta": float(setting)}
    return named | {"fold": fold, "test_error": error, "done": 1}


def family(name="stump", n=3):
    return LearnerGrid(name, Stump(), {"theta": [float(k) for k in range(n)]})


def test_points_are_whole_and_absent_ones_missed():
    result = Comparison((family(),), 2, "", tuple(row(*pair) for pair in ((0, 0), (0, 1), (1, 0))))
    assert result.points()["setting"].tolist() == [0]
    assert result.summary["setting"].tolist() == [0, 1]
    assert result.progress == {"stump": (3, 6)}
    assert not result.is_complete
    comparison = Comparison((family(),), 2, "")
    assert comparison.points().empty
    assert comparison.n_fits == 6
    rows = (row(0, 0), row(0, 1), {**row(3, 0), "learner": "other"})
    comparison = Comparison((family(), family("other")), 2, "x", rows)
    assert comparison.missed == ("other",)
    assert Comparison((family(),), 2, "x").missed == ("stump",)


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
    assert both.model(2).column == 1
    assert both.references is two.references
    assert both.is_complete


def test_models_and_estimates_join_their_settings_on_one_curve():
    one = Comparison((family(),), 2, "x", models={1: "mine"})
    both = one.join(Comparison((family("other", 2),), 2, "x", models={0: "yours"}))
    assert both.models == {1: "mine", 3: "yours"}
    rows = tuple(row(k, fold) for k in (0, 1) for fold in (0, 1))
    one = Comparison((family(n=2),), 2, "x", rows, estimates={1: (0.25, 3.0)})
    assert one.points()["forest_loss"].tolist()[1] == 0.25
    assert one.points()["forest_loss"].isna().tolist() == [True, False]
    assert one.join(one).estimates == {1: (0.25, 3.0), 3: (0.25, 3.0)}
    assert "forest_loss" not in Comparison((family(n=2),), 2, "x", rows).points()
    with pytest.raises(ValueError, match=r"one length; their shapes are \(2,\) and \(1,\)"):
        pareto_front([1, 2], [1])


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
