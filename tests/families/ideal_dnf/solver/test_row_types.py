"""Counting by type: against one row at a time."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.feature_selection import chi2, f_classif, mutual_info_classif

from rulekit.families.ideal_dnf.solver import row_types
from rulekit.families.ideal_dnf.solver.row_types import (
    Contingency,
    ForwardSets,
    ValidationCurve,
    contingency,
    least_errors,
    list_first,
    majority,
    pack_bits,
    type_codes,
    type_counts,
    unpack_bits,
    validation_curve,
    weigh_contingency,
)
from tests.reference import types as plain


@st.composite
def boolean_tables(draw, max_rows=200, max_columns=6):
    n, k = draw(st.integers(1, max_rows)), draw(st.integers(0, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    return rng.random((n, k)) < 0.4, rng.random(n) < 0.5, rng.random(n) < 0.3


def words_of(B):
    words = np.array([pack_bits(column) for column in B.T], dtype=np.uint64)
    return words.reshape(B.shape[1], -(-len(B) // 64))


@given(boolean_tables())
def test_bits_columns_and_types_are_counted_as_by_hand(table):
    B, y, _ = table
    for column, words in zip([*B.T, y], [*words_of(B), pack_bits(y)], strict=True):
        np.testing.assert_array_equal(unpack_bits(words, len(y)), column)
    B, y, within = table
    result = contingency(words_of(B), pack_bits(y), pack_bits(within))
    assert (result.n, result.positives) == (within.sum(), (within & y).sum())
    np.testing.assert_array_equal(result.ones, B[within].sum(axis=0))
    np.testing.assert_array_equal(result.ones_positive, B[within & y].sum(axis=0))
    k = B.shape[1]
    counts = type_counts(type_codes(words_of(B), len(y)), k, y)
    result = plain.counters(B, y)
    for code, row in enumerate(np.array(np.unravel_index(range(2**k), (2,) * k)).T if k else [()]):
        assert counts[code].tolist() == result.get(tuple(bool(v) for v in row), [0, 0])
        assert majority(counts)[code] == plain.says_yes(result, row)
    assert least_errors(counts) == plain.least_errors(result)


@given(boolean_tables(), st.sampled_from([(1.0, 1.0), (2.0, 3.0)]))
def test_class_weights_count_a_row_of_the_class_so_often(table, weights):
    B, y, within = table
    whole = contingency(words_of(B), pack_bits(y), pack_bits(within))
    by_class = whole if weights == (1.0, 1.0) else whole.weight(*weights)
    by_row = weigh_contingency(words_of(B), y, within, np.where(y, weights[1], weights[0]))
    assert (by_class.n, by_class.positives) == (by_row.n, by_row.positives)
    np.testing.assert_allclose(by_class.ones, by_row.ones)
    np.testing.assert_allclose(by_class.ones_positive, by_row.ones_positive)


@given(boolean_tables())
def test_histogram_contains_those_of_fewer_columns(table):
    B, y, part = table
    counts = type_counts(type_codes(words_of(B), len(y)), B.shape[1], y, part)
    for k, first in enumerate(list_first(counts)[1:], start=1):
        fewer = type_counts(type_codes(words_of(B)[:k], len(y)), k, y, part)
        np.testing.assert_array_equal(first, fewer)


def test_complements_count_the_other_rows():
    y = np.array([1, 1, 0, 0, 0], dtype=bool)
    B = np.array([[1, 1, 1, 0, 0]], dtype=bool).T
    every = pack_bits(np.ones(5, dtype=bool))
    straight = contingency(words_of(B), pack_bits(y), every)
    turned = contingency(words_of(~B), pack_bits(y), every)
    flipped = straight.flip(np.array([True]))
    assert flipped.ones.tolist() == turned.ones.tolist()
    assert flipped.ones_positive.tolist() == turned.ones_positive.tolist()


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_the_last_word_is_padded_with_rows_that_do_not_count(n):
    assert np.bitwise_count(pack_bits(np.ones(n, dtype=bool))).sum() == n


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
    phi2 = row_types.compute_phi_squared(counted(kept, y))
    np.testing.assert_allclose((len(y) - 2) * phi2 / (1 - phi2), expected, rtol=1e-9)


@given(tables())
def test_scores_equal_those_of_scikit_learn_and_of_complements(table):
    B, y = table
    kept = B[:, usable(B)]
    assume(kept.shape[1])
    counts = counted(kept, y)
    for result, expected in (
        (row_types.chi_square(counts), chi2(kept.astype(np.int64), y)[0]),
        (
            row_types.mutual_information(counts),
            mutual_info_classif(kept, y, discrete_features=True),
        ),
    ):
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-12)
    straight, turned = counted(kept, y), counted(~kept, y)
    for score in (row_types.compute_phi_squared, row_types.mutual_information):
        np.testing.assert_allclose(score(straight), score(turned), rtol=1e-12, atol=1e-15)


def test_scored_columns_are_chosen_within_tolerance():
    y = np.array([0, 0, 1, 1], dtype=bool)
    B = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 0, 0]], dtype=bool)
    counts = counted(B, y)
    for score in row_types._MEASURES.values():
        assert np.isnan(score(counts)[0])
    for ranking in row_types.rankings(counts, 3):
        assert sorted(ranking.tolist()) == [1, 2]
    y = np.array([0, 0, 1, 1, 1], dtype=bool)
    B = np.repeat(y[:, None], 3, axis=1)
    for ranking in row_types.rankings(counted(B, y), 2):
        assert ranking.tolist() == [0, 1]
    B = np.array([[1, 0], [0, 1], [1, 1]], dtype=bool)
    counts = counted(B, np.zeros(3, dtype=bool))
    for ranking in row_types.rankings(counts, 2):
        assert ranking.tolist() == [0, 1]
    assert curve(178, 180).smallest_sufficient(0.01, 10) == 2
    assert curve(179, 180).smallest_sufficient(0.01, 10) == 1
    assert curve(178, 180, 180).smallest_sufficient(0.0, 10) == 2
    assert curve(150, 160, 200).smallest_sufficient(0.01, 2) == 2
    table = ValidationCurve(np.array([[7, 9, 9]]), np.zeros((1, 3)), 10)
    assert table.best_ranking(1) == 1
    empty = validation_curve([[list_first(np.array([[[3, 4]], [[1, 2]]]))]])
    assert empty.max_columns == 0
    assert empty.smallest_sufficient(0.01, 10) == 0


@pytest.mark.parametrize("n", [10**9, 4 * 10**9])
def test_columns_of_very_many_rows_are_compared_to_the_row(n):
    ones = np.array([n // 2, n // 2])
    counts = Contingency(n, n // 2, ones, np.array([n // 4, n // 4 + 1]))
    result = row_types.compute_phi_squared(counts)
    assert result[0] == 0.0
    assert result[1] == pytest.approx((4 / n) ** 2, rel=1e-9)


def curve(*right, n=200):
    return ValidationCurve(np.array(right).reshape(len(right), -1), np.zeros(1), n)


@given(st.integers(0, 2**16), st.integers(1, 5))
def test_curve_equals_separate_counts_for_each_number_of_columns(seed, k):
    rng = np.random.default_rng(seed)
    B, y, judges = rng.random((80, k)) < 0.5, rng.random(80) < 0.5, rng.random(80) < 0.3
    words = np.array([pack_bits(c) for c in B.T])
    counts = type_counts(type_codes(words, 80), k, y, judges)
    result = validation_curve([[list_first(counts)]])
    for first in range(1, k + 1):
        known = plain.counters(B[~judges, :first], y[~judges])
        predicted = [plain.says_yes(known, row) for row in B[judges, :first]]
        assert result.right[first - 1, 0] == (np.array(predicted, dtype=bool) == y[judges]).sum()
        assert result.errors[first - 1, 0] == plain.least_errors(known)
    assert result.n_held_out == judges.sum()


@pytest.mark.parametrize("tolerance", [0.01, 0.07, 0.29])
def test_a_share_is_the_decimal_that_is_written(tolerance):
    n = 10_000
    loss = round(tolerance * n)
    assert curve(9000 - loss, 9000, n=n).smallest_sufficient(tolerance, 2) == 2
    assert curve(9001 - loss, 9000, n=n).smallest_sufficient(tolerance, 2) == 1


def impurity(columns, chosen, described, weight):
    """Sum c0 c1 / (c0 + c1) over the types, in plain loops."""
    total = 0.0
    for answers in product((False, True), repeat=len(chosen)):
        rows = np.ones(len(described), dtype=bool)
        for column, answer in zip(chosen, answers, strict=True):
            rows &= columns[column] == answer
        ones, zeros = (weight[rows & (described == c)].sum() for c in (True, False))
        if ones + zeros:
            total += ones * zeros / (ones + zeros)
    return total


def drawn(seed, n=60, d=6):
    rng = np.random.default_rng(seed)
    columns = rng.random((d, n)) < 0.5
    described = (columns[0] & columns[1] | columns[2]) ^ (rng.random(n) < 0.1)
    return columns, described, rng.choice([1.0, 0.3, 0.7], n)


@given(st.integers(0, 2**16), st.booleans())
def test_each_set_is_the_best_step_or_exchange_from_the_one_before(seed, weighted):
    columns, described, weight = drawn(seed)
    weight = weight if weighted else np.ones(len(described))
    sets = ForwardSets(columns, described, weight if weighted else None).list_sets(4)
    before = impurity(columns, (), described, weight)
    for k, chosen in enumerate(sets, start=1):
        assert len(set(chosen)) == len(chosen) == k
        last = sets[k - 2] if k > 1 else ()
        rest = set(range(len(columns))) - set(last)
        steps = [impurity(columns, (*last, j), described, weight) for j in rest]
        now = impurity(columns, chosen, described, weight)
        assert now <= min(steps) * (1 + 1e-9) < before
        before = now


def test_longer_requests_continue_shorter_ones():
    columns, described, _ = drawn(1)
    sets = ForwardSets(columns, described)
    longer = ForwardSets(columns, described).list_sets(4)
    assert sets.list_sets(2) == longer[:2] == sets.list_sets(4)[:2]


def test_an_exchange_corrects_an_early_column():
    a, b = np.array(list(product((0, 1), repeat=2)) * 25, dtype=bool).T
    described = a & b
    near = described.copy()
    near[:3] ^= True  # alone the best, beside `a` and `b` of no use
    sets = ForwardSets(np.array([near, a, b]), described).list_sets(3)
    assert sets[0] == (0,)
    assert set(sets[1]) == {1, 2}
    assert len(sets) == 2


@pytest.mark.parametrize("columns", [np.zeros((0, 4), bool), np.ones((2, 4), bool)])
def test_columns_that_do_not_help_are_not_selected(columns):
    assert ForwardSets(columns, np.array([True, False] * 2)).list_sets(3) == []
