"""What is read off a finished sweep: averages, fronts, suggestions, joins, the final model."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data.groups import GROUP_MEASURES
from rulekit.evaluation import pareto_front, suggest, sweep
from rulekit.evaluation.sweeps.result import (
    SweepResult,
    fit_setting,
    front_steps,
    summarise,
    table_of,
)
from tests.evaluation.learners import Stump, noisy_table
from tests.reference import pareto as reference


def result_of(points, n_folds=4):
    """A result with given (error, spread over folds, literals) for each setting."""
    turns = np.resize([-1.0, 1.0], n_folds)
    rows = [
        {
            "setting": i, "learner": "Made", "theta": float(i), "fold": fold,
            "test_error": error + spread * turns[fold], "train_error": error / 2,
            "n_conditions": literals, "n_clauses_used": 1.0,
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
    assert (row["train_error"], row["n_conditions"], row["folds"]) == (0.15, 2.0, 4)


def test_a_single_fold_has_no_standard_error():
    assert np.isnan(result_of([(0.3, 0.1, 2)], n_folds=1).summary["test_error_se"].iloc[0])


def test_summary_of_streamed_rows_equals_that_of_the_table():
    reported = []
    result = sweep(
        Stump(), *noisy_table(), grid={"theta": [0.0, 1.0]}, cv=4, on_result=reported.append
    )
    pd.testing.assert_frame_equal(summarise(reported), result.summary)


def test_the_number_of_clauses_requested_is_beside_the_number_found():
    rows = [
        {"setting": 0, "learner": "Made", "fold": f, "n_clauses": 5, "n_clauses_used": 2 + f}
        for f in range(2)
    ]
    row = summarise(rows).iloc[0]
    assert (row["n_clauses"], row["n_clauses_used"]) == (5, 2.5)


def test_maximised_measure_has_its_own_front():
    result = result_of([(0.2, 0.0, 2), (0.3, 0.0, 1), (0.4, 0.0, 3)])
    table = result.table.assign(test_auc=1 - result.table["test_error"])
    turned = SweepResult(table, result.settings, result.estimators, 4, True, "folds")
    assert turned.front(y="test_auc")["setting"].tolist() == [1, 0]  # from left to right


def test_only_settings_with_the_most_finished_folds_compete():
    result = result_of([(0.3, 0.0, 2), (0.1, 0.0, 1)])
    part = result.table[(result.table["setting"] == 0) | (result.table["fold"] == 0)]
    partial = SweepResult(part, result.settings, result.estimators, 4, False, "folds")
    assert partial.front()["setting"].tolist() == [0]
    assert partial.suggest()["best"] == 0


def test_an_unknown_measure_is_refused_with_the_known_ones():
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


def test_fewer_literals_win_among_equally_good_settings():
    assert result_of([(0.2, 0.0, 3), (0.2, 0.0, 2), (0.2, 0.0, 2)]).suggest()["best"] == 1


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
    kinds = (
        {
            "positive_label": "ill",
            "n_clauses": 1,
            "theta": 2.5,
            "robustness": 0.0,
            "label_noise": 0.0,
        },
        {"rule__max_conditions": 3, "robustness": 0.1, "method": "lp"},
    )
    result = replace(result_of([(0.2, 0.0, 2), (0.3, 0.0, 2)]), settings=kinds)
    assert (
        "Selected: for ill, at most 1 clause, price of a condition 2.5 ("
        in result.suggest()["reason"]
    )
    result = replace(result_of([(0.3, 0.0, 2), (0.2, 0.0, 2)]), settings=kinds)
    shown = "Selected: at most 3 conditions, robustness 0.1, method = lp ("
    assert shown in result.suggest()["reason"]


def test_a_literal_must_earn_two_tenths_of_a_point():
    alone = {"method": ["a", "b"]}
    for gain, taken in ((0.0039, 0), (0.0041, 1)):
        rows = result_of([(0.2, 0.0, 2), (0.2 - gain, 0.0, 4)])
        settings = tuple({"method": name} for name in alone["method"])
        assert replace(rows, settings=settings).suggest()["default"] == taken


def test_a_literal_is_charged_in_the_unit_of_the_measure():
    two = tuple({"method": name} for name in "ab")
    for name, scale, better in (("test_cost_per_100", 500.0, -1), ("test_auc", 1.0, 1)):
        for gain, taken in ((0.0039, 0), (0.0041, 1)):
            result = replace(result_of([(0.2, 0.0, 2), (0.2, 0.0, 4)]), settings=two)
            values = scale * (1.0 + better * gain * result.table["setting"])
            result = replace(result, table=result.table.assign(**{name: values}))
            assert result.suggest(y=name)["default"] == taken, (name, gain)


def test_settings_that_differ_in_more_than_size_are_no_neighbours():
    points = [(0.30, 0.0, 2), (0.20, 0.0, 2), (0.30, 0.0, 2)]
    kinds = tuple({"theta": float(i), "robustness": 0.1 * i} for i in range(3))
    lone = replace(result_of([*points, (0.21, 0.0, 2)]), settings=(*kinds, {"theta": 9.0}))
    assert lone.suggest()["default"] == 1
    assert result_of([*points, (0.21, 0.0, 2)]).suggest()["default"] == 3


def test_an_empty_rule_is_not_the_default_even_when_nothing_is_better():
    chosen = result_of([(0.34, 0.02, 0), (0.34, 0.02, 2)]).suggest()
    assert chosen["simplest_within_1se"] == 0
    assert chosen["default"] == 1
    assert "An empty rule (price of a condition 0), which predicts one class" in chosen["reason"]


def test_empty_rule_is_the_default_if_all_are_empty():
    chosen = result_of([(0.34, 0.02, 0)]).suggest()
    assert chosen["default"] == 0
    assert chosen["reason"].startswith("Selected: ")


def test_the_summary_alone_gives_the_suggestion_of_the_result():
    result = result_of([(0.30, 0.05, 7), (0.20, 0.05, 6), (0.30, 0.05, 5), (0.21, 0.05, 2)])
    assert suggest(result.summary) == suggest(result) == result.suggest()


def test_gaps_between_groups_are_no_parameters_of_a_setting():
    errors = [0.30, 0.20, 0.30, 0.24, 0.21, 0.21, 0.24]
    result = result_of([(e, 0.05, 7.0 - i) for i, e in enumerate(errors)])
    gaps = ("gap", *(f"gap_{measure}" for measure in GROUP_MEASURES))
    assert suggest(result.summary.assign(**dict.fromkeys(gaps, np.arange(7.0)))) == suggest(result)


def test_a_table_without_sizes_is_refused_with_what_is_missing():
    rows = result_of([(0.3, 0.0, 1)]).summary.drop(columns=["n_conditions", "folds"])
    with pytest.raises(ValueError, match=r"folds, n_conditions are missing\. `summ"):
        suggest(rows)


def test_errors_alike_but_for_rounding_are_a_tie():
    result = result_of([(0.2, 0.0, 3), (0.2 + 1e-15, 0.0, 2)])
    assert result.suggest()["best"] == 1


def test_nothing_finished_means_nothing_to_suggest():
    result = result_of([(0.3, 0.0, 1)])
    empty = SweepResult(result.table[:0], result.settings, result.estimators, 4, False, "folds")
    with pytest.raises(ValueError, match=r"No setting has a 'test_error' yet, so none can"):
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
    with pytest.raises(ValueError, match="result 1 differs"):
        one.join(two)


def test_the_model_of_a_setting_is_fitted_on_the_rows_given():
    X, y = noisy_table()
    result = sweep(Stump(column=1), X, y, grid={"theta": [0.0, 2.0]}, cv=4)
    model = fit_setting(Stump(column=1), result.setting(1), X, y)
    assert (model.theta, model.column, model.n_conditions_) == (2.0, 1, 0)
    weighted = fit_setting(Stump(), {}, X, y, np.full(len(y), 5.0))
    assert weighted.objective_ == 5.0


def test_a_number_that_is_no_setting_is_refused():
    with pytest.raises(ValueError, match=r"Setting 2 does not exist\. Use a number from 0 to 1"):
        result_of([(0.3, 0.0, 1)] * 2).setting(2)


def test_settings_that_are_whole_numbers_stay_whole_in_the_table():
    settings = [{"n_clauses": 2, "theta": 1}, {"n_clauses": 3, "theta": 0.5}]
    rows = [
        {"setting": k, "learner": "A", "fold": 0, "rule": "", **setting}
        for k, setting in enumerate(settings)
    ]
    table = table_of(rows)
    assert table["n_clauses"].dtype == int
    assert table["theta"].dtype == float
    assert table_of(rows, ["other"])["other"].tolist() == [None, None]


COORDINATE = st.one_of(
    st.integers(0, 4).map(float), st.sampled_from([float("nan"), float("inf"), -float("inf"), 0.1])
)
PAIRS = st.lists(st.tuples(COORDINATE, COORDINATE), max_size=12)


@given(PAIRS)
def test_front_equals_its_definition(points):
    x, y = [p[0] for p in points], [p[1] for p in points]
    assert pareto_front(x, y).tolist() == reference.pareto_front(x, y)


def test_coordinates_of_two_lengths_are_refused():
    with pytest.raises(ValueError, match=r"one length; their shapes are \(2,\) and \(1,\)"):
        pareto_front([1, 2], [1])


@given(PAIRS)
def test_the_staircase_never_rises(points):
    finite = [p for p in points if np.isfinite(p).all()]
    x, y = front_steps([p[0] for p in finite], [p[1] for p in finite])
    assert (np.diff(x) >= 0).all()
    assert (np.diff(y) <= 0).all()
    assert bool(len(x)) == bool(finite)
