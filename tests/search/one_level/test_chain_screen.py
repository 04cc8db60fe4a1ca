"""Counting tests inside a linear program: fewer columns, the same vertex."""

import numpy as np
import pytest

from rulekit.search.columns.priced_columns import default_perturbation, find_beaten
from rulekit.search.one_level.problem import _order_chains
from tests.strategies.covers import (
    binned_matrix,
    cover_problem,
    sub_problems,
    threshold_table,
)


def beaten(P, binned, price, worth):
    """Return which columns a narrower one of their chain beats, each by such a one."""
    chains = _order_chains(binned_matrix(P, binned.feature, binned.side, binned.rank))
    columns, by = find_beaten(worth - price, *chains)
    assert (worth[by] - price[by] >= worth[columns] - price[columns]).all()
    assert (P[:, by] <= P[:, columns]).all()
    return np.isin(np.arange(P.shape[1]), columns)


def beaten_slowly(P, binned, price, worth):
    """Compare each threshold with every narrower one of its source and side, on the rows of P."""
    d = P.shape[1]
    answer = np.zeros(d, dtype=bool)
    for j in range(d):
        for i in range(d):
            same = binned.side[i] == binned.side[j] and binned.side[i] != 0
            same &= binned.feature[i] == binned.feature[j]
            narrower = (binned.rank[i] - binned.rank[j]) * binned.side[j] > 0
            if same and narrower and (P[:, i] <= P[:, j]).all():
                answer[j] |= worth[i] - price[i] >= worth[j] - price[j]
    return answer


@pytest.mark.parametrize("seed", range(12))
def test_dominated_columns_equal_an_all_pairs_check(seed):
    A, y, binned = threshold_table(seed, n=40, features=3, cuts=6, levels=3)
    P, m = A[y], np.ones(y.sum())
    price, worth = 0.3 + A[~y].sum(axis=0) + default_perturbation(A.shape[1]), m @ P
    result = beaten(P, binned, price, worth)
    assert (result == beaten_slowly(P, binned, price, worth)).all()
    assert result.any()


def test_thresholds_that_gaps_make_overlap_are_not_compared():
    """Of two variants of a threshold one holds where a value is missing."""
    A, y, _ = threshold_table(3, n=60, features=2, cuts=4, missing=0.3)
    missing = ~(A[:, 0] | A[:, 1])
    low = [A[:, 2 * k] for k in range(4)]
    table = np.array([column | gap for column in low for gap in (False, missing)]).T
    parts = [(0, -1, k) for k in range(4) for _ in range(2)]
    P = table[y]
    binned = binned_matrix(P, *np.array(parts).T)
    price = 0.1 + table[~y].sum(axis=0) + default_perturbation(8)
    result = beaten(P, binned, price, P.sum(axis=0))
    assert not (result & ~beaten_slowly(P, binned, price, P.sum(axis=0))).any()


@pytest.mark.parametrize("seed", range(4))
def test_the_vertex_is_the_same_with_and_without_screening(seed):
    _, y, binned = threshold_table(seed, n=120, features=5, cuts=8, levels=3, missing=0.1)
    one, other = (cover_problem(binned, y) for _ in range(2))
    one.screening, other.screening = True, False
    for rows, theta in sub_problems(y, seed, 25):
        a, b = one.solve(rows, theta), other.solve(rows, theta)
        assert (a.w == b.w).all()
        assert a.value == b.value
