"""Groups of columns that make each other redundant inside one clause."""

import numpy as np

from rulekit.binning import BinnedTable
from rulekit.search.columns.redundancy import redundancy_groups
from tests.strategies.covers import threshold_table


def test_levels_that_equal_or_complement_one_another_are_one_group():
    A = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1]], dtype=bool)
    binned = BinnedTable.of_matrix(A, np.zeros(4, int))
    groups = redundancy_groups(binned, np.ones(3, dtype=bool))
    assert [g.single.tolist() for g in groups] == [[0, 1, 2], [3]]


def test_thresholds_of_a_number_are_a_group_with_gaps_between_pairs():
    A, y, binned = threshold_table(2, n=60, features=2, cuts=3, levels=2)
    first, second, *levels = redundancy_groups(binned, y)
    for feature, group in ((0, first), (1, second)):
        np.testing.assert_array_equal(group.columns, np.flatnonzero(binned.feature == feature))
        for a, low in enumerate(group.low):
            for b, high in enumerate(group.high):
                assert group.pairs[a, b] == (not (A[:, low] | A[:, high]).all())
        assert not group.overlap
        np.testing.assert_array_equal(group.columns[group.low_at], group.low)
        np.testing.assert_array_equal(group.columns[group.high_at], group.high)
    assert sorted(np.concatenate([g.single for g in levels])) == [12, 13, 14, 15]


def test_missing_as_high_makes_both_sides_true():
    A = np.array([[True, True], [False, True], [True, False]])
    binned = BinnedTable.of_matrix(A, np.zeros(2, int), np.array([-1, 1]), np.array([0, 1]))
    y = np.array([True, True, False])
    assert redundancy_groups(binned, y)[0].overlap
    assert not redundancy_groups(binned, ~y)[0].overlap


def test_a_column_of_a_feature_of_its_own_is_its_own_group():
    groups = redundancy_groups(BinnedTable.of_matrix(np.ones((2, 3), bool)), np.ones(2, dtype=bool))
    assert [g.single.tolist() for g in groups] == [[0], [1], [2]]
    assert not any(g.has_pairs for g in groups)
