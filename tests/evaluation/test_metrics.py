"""Measures: compared with scikit-learn's, and at the places where they are not defined."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.metrics import brier_score_loss

from rulekit import Costs
from rulekit.evaluation import brier_score, metrics, reliability

ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("ab"), st.sampled_from([0.5, 1.0, 2.0])),
    min_size=1,
    max_size=12,
)


def parts(rows):
    y, predicted, weight = zip(*rows, strict=True)
    return list(y), list(predicted), list(weight)


@given(ROWS)
def test_the_error_is_one_minus_scikit_learns_accuracy(rows):
    y, predicted, weight = parts(rows)
    expected = 1 - sk.accuracy_score(y, predicted, sample_weight=weight)
    assert metrics.error_rate(y, predicted, weight) == pytest.approx(expected)


@given(ROWS)
def test_balanced_error_is_one_minus_balanced_accuracy(rows):
    y, predicted, weight = parts(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of classes that are predicted only
        expected = 1 - sk.balanced_accuracy_score(y, predicted, sample_weight=weight)
    assert metrics.balanced_error_rate(y, predicted, weight) == pytest.approx(expected)


@given(ROWS)
def test_f1_from_the_counts_is_scikit_learns(rows):
    y, predicted, weight = parts(rows)
    ours = metrics.f1_score(metrics.confusion_counts(y, predicted, "b", weight))
    if "b" not in y + predicted:
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(sk.f1_score(y, predicted, pos_label="b", sample_weight=weight))


@given(ROWS)
def test_the_four_counts_sum_to_the_weight_of_all_rows(rows):
    y, predicted, weight = parts(rows)
    assert sum(metrics.confusion_counts(y, predicted, "b", weight).values()) == sum(weight)


@given(ROWS)
def test_a_row_twice_counts_as_weight_two(rows):
    y, predicted, _ = parts(rows)
    ones = np.ones(len(y))
    ones[0] = 2
    assert metrics.error_rate([y[0], *y], [predicted[0], *predicted]) == pytest.approx(
        metrics.error_rate(y, predicted, ones)
    )


@given(ROWS)
def test_area_of_binary_predictions_is_one_minus_balanced_error(rows):
    y, predicted, weight = parts(rows)
    area = metrics.area_under_roc(y, [s == "b" for s in predicted], "b", weight)
    if len(set(y)) == 1:
        assert math.isnan(area)
    else:
        assert area == pytest.approx(1 - metrics.balanced_error_rate(y, predicted, weight))


@given(ROWS, st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=12, max_size=12))
def test_area_with_ties_and_weights_equals_scikit_learn(rows, scores):
    y, _, weight = parts(rows)
    scores = scores[: len(y)]
    if len(set(y)) == 2:
        expected = sk.roc_auc_score([c == "b" for c in y], scores, sample_weight=weight)
        assert metrics.area_under_roc(y, scores, "b", weight) == pytest.approx(expected)


def test_rows_without_weight_have_no_error_rate():
    assert math.isnan(metrics.error_rate([1, 0], [1, 1], [0, 0]))


def test_text_is_compared_with_objects_of_text():
    predicted = np.array(["yes", "no"], dtype=object)
    assert metrics.error_rate(np.array(["yes", "yes"]), predicted) == 0.5


def test_a_missed_positive_may_cost_more_than_a_false_alarm():
    costs = Costs(miss=7, false_alarm=1)
    assert metrics.cost_per_100([1, 0, 0, 0], [0, 1, 0, 0], costs) == 200
    assert metrics.cost_per_100([1, 0, 0, 0], [0, 1, 0, 0], costs, [1, 1, 2, 4]) == 100
    assert metrics.cost_per_100([1, 0, 0, 0], [0, 1, 0, 0], costs, positive=0) == 200
    assert metrics.cost_per_100([1, 1, 0], [0, 1, 0], costs, positive=0) == pytest.approx(100 / 3)
    assert metrics.cost_per_100([1, 1, 0], [1, 1, 0], costs) == 0


PREDICTED = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.7, 0.95, 1.0]),
              st.sampled_from([0.0, 1.0, 2.5])),
    min_size=1,
).filter(lambda rows: any(w for _, _, w in rows))  # fmt: skip


@given(PREDICTED)
def test_each_weighted_row_is_in_one_tenth_and_means_match(rows):
    true, chance, weight = map(np.array, zip(*rows, strict=True))
    table = reliability(true, chance, weight)
    assert table["weight"].sum() == pytest.approx(weight.sum())
    assert table["weight"] @ table["share"] == pytest.approx(weight @ true)
    assert table["weight"] @ table["stated"] == pytest.approx(weight @ chance)
    for row in table.to_dict("records"):
        last = row["high"] == 1.0
        own = (chance >= row["low"] - 1e-9) & (last | (chance < row["high"] - 1e-9)) & (weight > 0)
        assert row["rows"] == own.sum() > 0
        assert row["share"] == pytest.approx(np.average(true[own], weights=weight[own]))
        assert row["low95"] <= row["share"] + 1e-9
        assert row["share"] <= row["high95"] + 1e-9


@given(PREDICTED)
def test_brier_score_equals_scikit_learn(rows):
    true, chance, weight = map(np.array, zip(*rows, strict=True))
    expected = brier_score_loss(true, chance, sample_weight=weight)
    assert brier_score(true, chance, weight) == pytest.approx(expected)


def test_non_probabilities_are_refused():
    with pytest.raises(ValueError, match="must hold a probability, from 0 to 1"):
        reliability([True], [1.5])
    with pytest.raises(ValueError, match="must hold a probability, from 0 to 1"):
        brier_score([True], [0.5, 0.5])


def test_rows_without_weight_have_no_score():
    assert np.isnan(brier_score([True], [0.5], [0.0]))
