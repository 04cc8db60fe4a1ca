"""Scores from 2×2 counts: against scikit-learn on the columns themselves."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.feature_selection import chi2, f_classif, mutual_info_classif

from rulekit.families.ideal_dnf.solver import relevance
from rulekit.families.ideal_dnf.solver.relevance import ValidationCurve, validation_curve
from rulekit.families.ideal_dnf.solver.row_types import Contingency, packed, type_codes, type_counts
from tests.reference import types as plain


@st.composite
def tables(draw, max_rows=400, max_columns=8):
    n, d = draw(st.integers(8, max_rows)), draw(st.integers(1, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    y = rng.random(n) < draw(st.floats(0.2, 0.8))
    noise = rng.random((n, d)) < rng.uniform(0.05, 0.6, d)
    B = y[:, None] ^ noise
    assume(0 < y.sum() < n)
    return B, y


def counted(B, y):
    return Contingency(len(y), int(y.sum()), B.sum(axis=0), B[y].sum(axis=0))


def usable(B):
    return B.any(axis=0) & ~B.all(axis=0)


@given(tables())
def test_squared_correlation_gives_the_f_of_scikit_learn(table):
    B, y = table
    kept = B[:, usable(B)]
    assume(kept.shape[1] and not any((c == y).all() or (c != y).all() for c in kept.T))
    expected = f_classif(kept.astype(np.float64), y)[0]
    phi2 = relevance.squared_correlation(counted(kept, y))
    np.testing.assert_allclose((len(y) - 2) * phi2 / (1 - phi2), expected, rtol=1e-9)


@given(tables())
def test_chi_square_equals_scikit_learn(table):
    B, y = table
    kept = B[:, usable(B)]
    assume(kept.shape[1])
    expected = chi2(kept.astype(np.int64), y)[0]
    found = relevance.chi_square(counted(kept, y))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@given(tables())
def test_mutual_information_equals_scikit_learn_for_discrete_features(table):
    B, y = table
    kept = B[:, usable(B)]
    assume(kept.shape[1])
    expected = mutual_info_classif(kept, y, discrete_features=True)
    found = relevance.mutual_information(counted(kept, y))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@given(tables())
def test_column_and_complement_have_equal_scores(table):
    B, y = table
    kept = B[:, usable(B)]
    assume(kept.shape[1])
    straight, turned = counted(kept, y), counted(~kept, y)
    for score in (relevance.squared_correlation, relevance.mutual_information):
        np.testing.assert_allclose(score(straight), score(turned), rtol=1e-12, atol=1e-15)


def test_constant_columns_have_no_score_and_no_place():
    y = np.array([0, 0, 1, 1], dtype=bool)
    B = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 0, 0]], dtype=bool)
    counts = counted(B, y)
    for score in relevance._MEASURES.values():
        assert np.isnan(score(counts)[0])
    for ranking in relevance.rankings(counts, relevance.SCORES, 3):
        assert sorted(ranking.tolist()) == [1, 2]


def test_first_of_equal_columns_comes_first():
    y = np.array([0, 0, 1, 1, 1], dtype=bool)
    B = np.repeat(y[:, None], 3, axis=1)
    for ranking in relevance.rankings(counted(B, y), relevance.SCORES, 2):
        assert ranking.tolist() == [0, 1]


def test_column_equal_to_the_class_ranks_first_with_infinite_f():
    rng = np.random.default_rng(0)
    y = rng.random(50) < 0.5
    B = np.column_stack([rng.random(50) < 0.5, y])
    counts = counted(B, y)
    assert relevance.squared_correlation(counts)[1] == 1.0
    assert relevance.rankings(counts, ["f"], 1)[0].tolist() == [1]


def test_one_class_alone_leaves_the_order_of_the_columns():
    B = np.array([[1, 0], [0, 1], [1, 1]], dtype=bool)
    counts = counted(B, np.zeros(3, dtype=bool))
    for ranking in relevance.rankings(counts, relevance.SCORES, 2):
        assert ranking.tolist() == [0, 1]


@pytest.mark.parametrize("n", [10**9, 4 * 10**9])
def test_columns_of_very_many_rows_are_compared_to_the_row(n):
    ones = np.array([n // 2, n // 2])
    counts = Contingency(n, n // 2, ones, np.array([n // 4, n // 4 + 1]))
    found = relevance.squared_correlation(counts)
    assert found[0] == 0.0
    assert found[1] == pytest.approx((4 / n) ** 2, rel=1e-9)


def curve(*right, n=200):
    return ValidationCurve(np.array(right).reshape(len(right), -1), np.zeros(1), n)


@given(st.integers(0, 2**16), st.integers(1, 5))
def test_curve_equals_separate_counts_for_each_number_of_columns(seed, k):
    rng = np.random.default_rng(seed)
    B, y, judges = rng.random((80, k)) < 0.5, rng.random(80) < 0.5, rng.random(80) < 0.3
    words = np.array([packed(c) for c in B.T])
    found = validation_curve([type_counts(type_codes(words, 80), k, y, judges)])
    for first in range(1, k + 1):
        known = plain.counters(B[~judges, :first], y[~judges])
        predicted = [plain.says_yes(known, row) for row in B[judges, :first]]
        assert found.right[first - 1, 0] == (np.array(predicted, dtype=bool) == y[judges]).sum()
        assert found.errors[first - 1, 0] == plain.least_errors(known)
    assert found.n_held_out == judges.sum()


def test_a_loss_of_exactly_the_tolerance_is_too_much():
    assert curve(178, 180).smallest_sufficient(0.01, 10) == 2
    assert curve(179, 180).smallest_sufficient(0.01, 10) == 1


def test_without_tolerance_the_smallest_of_the_best_is_taken():
    assert curve(178, 180, 180).smallest_sufficient(0.0, 10) == 2


def test_only_as_many_columns_as_allowed_are_compared():
    assert curve(150, 160, 200).smallest_sufficient(0.01, 2) == 2


def test_first_of_equally_good_rankings_is_taken():
    table = ValidationCurve(np.array([[7, 9, 9]]), np.zeros((1, 3)), 10)
    assert table.best_ranking(1) == 1


def test_without_columns_there_is_nothing_to_choose():
    empty = validation_curve([np.array([[[3, 4]], [[1, 2]]])])
    assert empty.max_columns == 0
    assert empty.smallest_sufficient(0.01, 10) == 0


@pytest.mark.parametrize("tolerance", [0.01, 0.07, 0.29])
def test_a_share_is_the_decimal_that_is_written(tolerance):
    n = 10_000
    loss = round(tolerance * n)
    assert curve(9000 - loss, 9000, n=n).smallest_sufficient(tolerance, 2) == 2
    assert curve(9001 - loss, 9000, n=n).smallest_sufficient(tolerance, 2) == 1
