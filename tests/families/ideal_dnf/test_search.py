"""Questions of a table, and the split of rows for the ideal DNF by their numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.ideal_dnf.search import draw_held_out, list_questions, lower_median


def plain_hash(row, seed):
    """Compute the hash in whole numbers of any size."""

    def mix(x):
        x ^= x >> 16
        x = x * 0x7FEB352D % 2**32
        x ^= x >> 15
        x = x * 0x846CA68B % 2**32
        return x ^ (x >> 16)

    return mix(row ^ mix(0x9E3779B9 ^ seed))


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_the_hash_equals_its_plain_formula(seed):
    result = draw_held_out(1000, 0.3, seed)
    assert result.tolist() == [plain_hash(row, seed) < round(0.3 * 2**32) for row in range(1000)]


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5])
def test_requested_share_is_held_out_everywhere(fraction):
    mask = draw_held_out(100_000, fraction, seed=7)
    spread = np.sqrt(fraction * (1 - fraction) / 10_000)
    for part in np.split(mask, 10):
        assert abs(part.mean() - fraction) < 5 * spread


def test_other_seeds_hold_out_other_rows_and_further_rows_change_none():
    first, second = draw_held_out(10_000, 0.3, 1), draw_held_out(10_000, 0.3, 2)
    assert abs((first & second).mean() - 0.09) < 0.02
    np.testing.assert_array_equal(draw_held_out(500, 0.3, 3)[:100], draw_held_out(100, 0.3, 3))


@pytest.mark.parametrize(
    ("values", "cut"),
    [([1, 2, 3, 4], 2), ([1, 2, 3], 2), ([1, 3, 3, 3], 1), ([5, 5], 5), ([], None)],
)
def test_cut_leaves_values_on_both_sides_if_possible(values, cut):
    assert lower_median(np.array(values, dtype=float)) == cut


@given(st.lists(st.sampled_from([np.nan, -1.0, 0.0, 2.0]), max_size=8))
def test_numbers_are_cut_at_the_median_or_compared_if_two(values):
    column = np.array(values, dtype=float)
    questions = list(list_questions("x", column, np.ones(len(column), dtype=bool)))
    gaps, n = bool(np.isnan(column).any()), len(np.unique(column[~np.isnan(column)]))
    ops = [">"] * (n > 2) + ["=="] * (1 + gaps) * (n == 2) + ["missing"] * (gaps and n > 0)
    assert [yes.op for (yes, _), _, _ in questions] == ops
    for (yes, no), _, rows in questions:
        np.testing.assert_array_equal(yes.mask({"x": column}), rows)
        np.testing.assert_array_equal(no.mask({"x": column}), ~rows)
