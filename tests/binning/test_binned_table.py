"""Columns as sets of cells: the matrix they stand for, sums over it, and the order of its rows."""

import numpy as np
import pytest

from rulekit.binning import binned_table
from tests.strategies.covers import binned_matrix


@pytest.mark.parametrize("dense", [0, binned_table.DENSE])
@pytest.mark.parametrize("together", [False, True])
def test_a_matrix_read_as_cells_answers_as_itself(together, dense, monkeypatch):
    monkeypatch.setattr(binned_table, "DENSE", dense)
    rng = np.random.default_rng(4)
    A = rng.random((40, 9)) < 0.4
    feature = np.array([3, 0, 3, 3, 7, 0, 0, 7, 3]) if together else None
    cells = binned_matrix(A, feature)
    columns, rows = np.array([8, 1, 4]), np.array([39, 5, 5])
    np.testing.assert_array_equal(cells.values, A)
    np.testing.assert_array_equal(cells.values_of(columns, rows), A[rows][:, columns])
    np.testing.assert_array_equal(cells[rows].values, A[rows])
    np.testing.assert_array_equal(cells.take_columns(columns).values, A[:, columns])
    values, prices = rng.integers(0, 9, (40, 2)), rng.integers(-9, 9, (9, 2))
    np.testing.assert_array_equal(cells.sums(values), A.T @ values)
    np.testing.assert_array_equal(cells.row_sums(prices), A @ prices)
    few = cells[rows].drop_empty_bins()
    assert few.shape[0] <= 2
    for j in range(9):
        assert set(few.values_of([j])[:, 0]) == set(A[rows, j])


def test_rows_are_equal_if_no_column_distinguishes_them():
    A = np.random.default_rng(5).random((50, 4)) < 0.5
    content = binned_matrix(A, np.array([0, 0, 1, 2])).content
    for i in range(50):
        np.testing.assert_array_equal((content == content[i]).all(axis=1), (A[i] == A).all(axis=1))
