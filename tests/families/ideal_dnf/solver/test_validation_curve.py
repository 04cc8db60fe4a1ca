"""The number of columns: the smallest that is nearly as good, counted in whole rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.ideal_dnf.solver.row_types import packed, type_codes, type_counts
from rulekit.families.ideal_dnf.solver.validation_curve import ValidationCurve, validation_curve
from tests.reference import types as plain


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
