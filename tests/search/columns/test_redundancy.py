"""Groups of columns that make each other redundant inside one clause."""

import numpy as np
import pytest

from rulekit.search.columns.cell_sets import CellSets, ColumnStructure, redundancy_groups
from tests.strategies.covers import threshold_table


def groups_of(A, y, structure=None):
    """Group the columns of a matrix, those of one source by the cells they share."""
    feature = None if structure is None else structure.feature
    return redundancy_groups(CellSets.of_matrix(A, feature), y, structure)


def test_levels_that_equal_or_complement_one_another_are_one_group():
    A = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1]], dtype=bool)
    structure = ColumnStructure(np.zeros(4, int), np.zeros(4, int), np.zeros(4, int))
    groups = groups_of(A, np.ones(3, dtype=bool), structure)
    assert [g.single.tolist() for g in groups] == [[0, 1, 2], [3]]


def test_structure_must_describe_every_column_alike():
    with pytest.raises(ValueError, match="one entry a column; their lengths are 2, 2 and 1"):
        ColumnStructure(np.zeros(2, int), np.zeros(2, int), np.zeros(1, int))


def test_thresholds_of_a_number_are_a_group_with_gaps_between_pairs():
    A, y, structure = threshold_table(2, n=60, features=2, cuts=3, levels=2)
    first, second, *levels = groups_of(A, y, structure)
    for feature, group in ((0, first), (1, second)):
        np.testing.assert_array_equal(group.columns, np.flatnonzero(structure.feature == feature))
        for a, low in enumerate(group.low):
            for b, high in enumerate(group.high):
                assert group.pairs[a, b] == (not (A[:, low] | A[:, high]).all())
        assert not group.overlap
        np.testing.assert_array_equal(group.columns[group.low_at], group.low)
        np.testing.assert_array_equal(group.columns[group.high_at], group.high)
    assert sorted(np.concatenate([g.single for g in levels])) == [12, 13, 14, 15]


def test_missing_as_high_makes_both_sides_true():
    A = np.array([[True, True], [False, True], [True, False]])
    structure = ColumnStructure(np.zeros(2, int), np.array([-1, 1]), np.array([0, 1]))
    y = np.array([True, True, False])
    assert groups_of(A, y, structure)[0].overlap
    assert not groups_of(A, ~y, structure)[0].overlap


def test_without_structure_every_column_is_its_own_group():
    groups = groups_of(np.ones((2, 3), dtype=bool), np.ones(2, dtype=bool))
    assert [g.single.tolist() for g in groups] == [[0], [1], [2]]
    assert not any(g.has_pairs for g in groups)
