"""Counts of a table's Boolean columns."""

import numpy as np
import pytest

from rulekit.families.ideal_dnf.packed_counts import PackedCounts, list_questions, lower_median


@pytest.mark.parametrize(
    ("values", "cut"),
    [([1, 2, 3, 4], 2), ([1, 2, 3], 2), ([1, 3, 3, 3], 1), ([5, 5], 5), ([], None)],
)
def test_cut_leaves_values_on_both_sides_if_possible(values, cut):
    assert lower_median(np.array(values, dtype=float)) == cut


def test_columns_of_one_value_are_never_selected():
    described = np.array([True, False] * 10)
    columns = {"one": np.ones(20), "same": described.astype(float)}
    every = np.ones(20, dtype=bool)
    questions = [q for column in columns.items() for q in list_questions(*column, every)]
    counts = PackedCounts(questions, described, ~every)
    assert counts.forward(None).list_sets(2) == [(len(questions) - 1,)]
