"""What is read off a finished sweep: averages, fronts, suggestions, joins, the final model."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.evaluation import fit_setting, summarise, sweep
from rulekit.evaluation.result import SweepResult, table_of
from tests.evaluation.learners import Stump, noisy_table


def result_of(points, n_folds=4):
    """A result with given (error, spread over folds, literals) for each setting."""
    turns = np.resize([-1.0, 1.0], n_folds)
    rows = [
        {
            "setting": i, "learner": "Made", "theta": float(i), "fold": fold,
            "test_error": error + spread * turns[fold], "train_error": error / 2,
            "n_literals": literals, "n_clauses_used": 1.0,
        }
        for i, (error, spread, literals) in enumerate(points)
        for fold in range(n_folds)
    ]  # fmt: skip
    settings = tuple({"theta": float(i)} for i in range(len(points)))
    models = (Stump(),) * len(points)
    return SweepResult(table_of(rows, ["theta"]), settings, models, n_folds, True, "folds")


POINTS = st.lists(
    st.tuples(st.sampled_from([0.1, 0.2, 0.3]), st.just(0.02), st.integers(0, 4)),
    min_size=1,
    max_size=8,
)


def test_the_summary_holds_means_and_standard_errors_over_folds():
    row = result_of([(0.3, 0.1, 2)]).summary.iloc[0]
    assert row["test_error"] == pytest.approx(0.3)
    spread = np.std([0.2, 0.4, 0.2, 0.4], ddof=1)
    assert row["test_error_se"] == pytest.approx(spread / np.sqrt(4))
    assert (row["train_error"], row["n_literals"], row["folds"]) == (0.15, 2.0, 4)


def test_a_single_fold_has_no_standard_error():
    assert np.isnan(result_of([(0.3, 0.1, 2)], n_folds=1).summary["test_error_se"].iloc[0])


def test_the_summary_of_streamed_rows_is_that_of_the_table():
    told = []
    result = sweep(Stump(), *noisy_table(), grid={"theta": [0.0, 1.0]}, cv=4, on_result=told.append)
    pd.testing.assert_frame_equal(summarise(told), result.summary)


def test_the_number_of_clauses_asked_for_stands_beside_the_number_found():
    rows = [
        {"setting": 0, "learner": "Made", "fold": f, "n_clauses": 5, "n_clauses_used": 2 + f}
        for f in range(2)
    ]
    row = summarise(rows).iloc[0]
    assert (row["n_clauses"], row["n_clauses_used"]) == (5, 2.5)


@given(POINTS)
def test_no_setting_beats_one_on_the_front(points):
    result = result_of(points)
    front = result.front()
    for _, chosen in front.iterrows():
        better = (result.summary["n_literals"] <= chosen["n_literals"]) & (
            result.summary["test_error"] < chosen["test_error"]
        )
        assert not better.any()
    assert front["n_literals"].is_monotonic_increasing


def test_a_measure_where_large_is_good_has_its_own_front():
    result = result_of([(0.3, 0.0, 1), (0.2, 0.0, 2), (0.4, 0.0, 3)])
    table = result.table.assign(test_auc=1 - result.table["test_error"])
    turned = SweepResult(table, result.settings, result.estimators, 4, True, "folds")
    assert turned.front(y="test_auc")["setting"].tolist() == [0, 1]


def test_only_settings_with_the_most_finished_folds_compete():
    result = result_of([(0.3, 0.0, 2), (0.1, 0.0, 1)])
    part = result.table[(result.table["setting"] == 0) | (result.table["fold"] == 0)]
    partial = SweepResult(part, result.settings, result.estimators, 4, False, "folds")
    assert partial.front()["setting"].tolist() == [0]
    assert partial.suggest()["best"] == 0


def test_an_unknown_measure_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no measure 'accuracy'; it has .*test_error"):
        result_of([(0.3, 0.0, 1)]).front(y="accuracy")


@given(POINTS)
def test_the_simplest_is_never_larger_than_the_best_and_at_most_one_error_worse(points):
    result = result_of(points)
    chosen = result.suggest()
    rows = result.summary.set_index("setting")
    best, simple = rows.loc[chosen["best"]], rows.loc[chosen["simplest_within_1se"]]
    assert best["test_error"] == rows["test_error"].min()
    assert simple["n_literals"] <= best["n_literals"]
    assert simple["test_error"] <= best["test_error"] + best["test_error_se"] + 1e-12


def test_of_equally_good_settings_the_one_with_fewer_literals_is_best():
    assert result_of([(0.2, 0.0, 3), (0.2, 0.0, 2), (0.2, 0.0, 2)]).suggest()["best"] == 1


def test_the_default_is_the_simplest_within_one_standard_error_and_says_why():
    chosen = result_of([(0.20, 0.05, 6), (0.21, 0.05, 2), (0.30, 0.05, 1)]).suggest()
    assert (chosen["best"], chosen["simplest_within_1se"], chosen["default"]) == (0, 1, 1)
    assert chosen["reason"] == (
        "Of the settings tried, theta = 0.0 has the best mean test error (20.0 % with 6.0 "
        "literals); theta = 1.0 is within one standard error of it and simplest (21.0 % with 2.0 "
        "literals), so it is the default."
    )


def test_an_empty_rule_is_not_the_default_even_when_nothing_is_better():
    chosen = result_of([(0.34, 0.02, 0), (0.34, 0.02, 2)]).suggest()
    assert chosen["simplest_within_1se"] == 0
    assert chosen["default"] == 1
    assert "that is an empty rule, which gives every row the same answer" in chosen["reason"]


def test_where_every_rule_is_empty_the_empty_rule_is_the_default():
    chosen = result_of([(0.34, 0.02, 0)]).suggest()
    assert chosen["default"] == 0
    assert "none within one standard error of it is simpler" in chosen["reason"]


def test_nothing_finished_means_nothing_to_suggest():
    result = result_of([(0.3, 0.0, 1)])
    empty = SweepResult(result.table[:0], result.settings, result.estimators, 4, False, "folds")
    with pytest.raises(ValueError, match=r"no setting has a 'test_error' yet\. Sweep on"):
        empty.suggest()


def test_results_of_the_same_folds_join_and_are_numbered_on():
    X, y = noisy_table()
    one = sweep(Stump(), X, y, grid={"theta": [0.0, 0.5]}, cv=4)
    two = sweep(Stump(column=1), X, y, grid={"column": [1]}, cv=4)
    both = one.join(two)
    assert both.summary["setting"].tolist() == [0, 1, 2]
    assert both.setting(2) == {"column": 1}
    assert both.summary["theta"].tolist() == [0.0, 0.5, None]
    assert both.model(2).get_params()["column"] == 1
    np.testing.assert_array_equal(both.summary["test_error"][:2], one.summary["test_error"])


def test_results_of_other_folds_do_not_join():
    X, y = noisy_table()
    one = sweep(Stump(), X, y, grid={"theta": [0.0]}, cv=4)
    two = sweep(Stump(), X, y, grid={"theta": [0.0]}, cv=4, random_state=1)
    with pytest.raises(ValueError, match="result 1 to be joined is not"):
        one.join(two)


def test_the_cost_of_wrong_answers_is_a_measure_like_the_others():
    X, y = noisy_table()
    result = sweep(Stump(), X, y, grid={"theta": [-1.0, 0.0, 2.0]}, cv=4)
    equal = result.with_cost(1, 1).summary
    np.testing.assert_allclose(equal["test_cost"], equal["test_error"])
    assert "test_cost_se" in equal
    dear = result.with_cost(false_positive=0, false_negative=1)
    assert dear.suggest(y="test_cost")["best"] == 0


def test_the_model_of_a_setting_is_fitted_on_the_rows_given():
    X, y = noisy_table()
    result = sweep(Stump(column=1), X, y, grid={"theta": [0.0, 2.0]}, cv=4)
    model = fit_setting(Stump(column=1), result.setting(1), X, y)
    assert (model.theta, model.column, model.n_literals_) == (2.0, 1, 0)
    weighted = fit_setting(Stump(), {}, X, y, np.full(len(y), 5.0))
    assert weighted.objective_ == 5.0


def test_a_number_that_is_no_setting_is_refused():
    with pytest.raises(ValueError, match="numbered 0 to 1; there is none 2"):
        result_of([(0.3, 0.0, 1)] * 2).setting(2)
