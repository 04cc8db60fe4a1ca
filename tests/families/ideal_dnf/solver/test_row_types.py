"""Counting by type: against one row at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.ideal_dnf.solver.row_types import (
    contingency,
    least_errors,
    majority,
    packed,
    type_codes,
    type_counts,
    unpacked,
    weighted_contingency,
    without_last,
)
from tests.reference import types as plain


@st.composite
def boolean_tables(draw, max_rows=200, max_columns=6):
    n, k = draw(st.integers(1, max_rows)), draw(st.integers(0, max_columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    return rng.random((n, k)) < 0.4, rng.random(n) < 0.5, rng.random(n) < 0.3


def words_of(B):
    return np.array([packed(column) for column in B.T], dtype=np.uint64).reshape(
        B.shape[1], -(-len(B) // 64)
    )


@given(boolean_tables())
def test_bits_read_back_as_they_were_packed(table):
    B, y, _ = table
    for column, words in zip([*B.T, y], [*words_of(B), packed(y)], strict=True):
        np.testing.assert_array_equal(unpacked(words, len(y)), column)


@given(boolean_tables())
def test_columns_are_counted_as_by_hand(table):
    B, y, within = table
    found = contingency(words_of(B), packed(y), packed(within))
    assert (found.n, found.positives) == (within.sum(), (within & y).sum())
    np.testing.assert_array_equal(found.ones, B[within].sum(axis=0))
    np.testing.assert_array_equal(found.ones_positive, B[within & y].sum(axis=0))


@given(boolean_tables())
def test_weights_of_one_count_rows(table):
    B, y, within = table
    whole = contingency(words_of(B), packed(y), packed(within))
    weighted = weighted_contingency(words_of(B), y, within, np.ones(len(y)))
    assert (whole.n, whole.positives) == (weighted.n, weighted.positives)
    np.testing.assert_array_equal(whole.ones, weighted.ones)
    np.testing.assert_array_equal(whole.ones_positive, weighted.ones_positive)


@given(boolean_tables())
def test_class_weights_count_a_row_of_the_class_so_often(table):
    B, y, within = table
    by_class = contingency(words_of(B), packed(y), packed(within)).weighted(2.0, 3.0)
    by_row = weighted_contingency(words_of(B), y, within, np.where(y, 3.0, 2.0))
    assert (by_class.n, by_class.positives) == (by_row.n, by_row.positives)
    np.testing.assert_allclose(by_class.ones, by_row.ones)
    np.testing.assert_allclose(by_class.ones_positive, by_row.ones_positive)


@given(boolean_tables())
def test_types_are_counted_as_by_a_dictionary(table):
    B, y, _ = table
    k = B.shape[1]
    counts = type_counts(type_codes(words_of(B), len(y)), k, y)
    found = plain.counters(B, y)
    for code, row in enumerate(np.array(np.unravel_index(range(2**k), (2,) * k)).T if k else [()]):
        assert counts[code].tolist() == found.get(tuple(bool(v) for v in row), [0, 0])
        assert majority(counts)[code] == plain.says_yes(found, row)
    assert least_errors(counts) == plain.least_errors(found)


@given(boolean_tables())
def test_histogram_contains_those_of_fewer_columns(table):
    B, y, part = table
    counts = type_counts(type_codes(words_of(B), len(y)), B.shape[1], y, part)
    for k in range(B.shape[1] - 1, -1, -1):
        counts = without_last(counts)
        fewer = type_counts(type_codes(words_of(B)[:k], len(y)), k, y, part)
        np.testing.assert_array_equal(counts, fewer)


@given(boolean_tables())
def test_both_parts_together_are_all_rows(table):
    B, y, part = table
    codes = type_codes(words_of(B), len(y))
    apart = type_counts(codes, B.shape[1], y, part)
    np.testing.assert_array_equal(apart.sum(axis=0), type_counts(codes, B.shape[1], y))


def test_complements_count_the_other_rows():
    y = np.array([1, 1, 0, 0, 0], dtype=bool)
    B = np.array([[1, 1, 1, 0, 0]], dtype=bool).T
    every = packed(np.ones(5, dtype=bool))
    straight = contingency(words_of(B), packed(y), every)
    turned = contingency(words_of(~B), packed(y), every)
    flipped = straight.flipped(np.array([True]))
    assert flipped.ones.tolist() == turned.ones.tolist()
    assert flipped.ones_positive.tolist() == turned.ones_positive.tolist()


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_the_last_word_is_padded_with_rows_that_do_not_count(n):
    assert np.bitwise_count(packed(np.ones(n, dtype=bool))).sum() == n
