"""Branch and bound from a dual point: the least cost of all subsets, from any feasible point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.screening import cover_kernels as kernel


def searched(A, m, mu, price, value, most=10**9):
    """Search the whole tree; say what was found, and how many rows were looked at."""
    g, d = A.shape
    column, row = np.nonzero(A.T)
    start = np.searchsorted(column, np.arange(d + 1)).astype(np.int64)
    cover = kernel.Cover(start, row.astype(np.int64), m, mu, price, price - mu @ A)
    lists, numbers = np.zeros((d + 2, d), np.int64), np.zeros((d + 2, d))
    at = kernel.Branches(
        np.zeros(d + 2, np.int64),
        lists,
        numbers,
        numbers.copy(),
        np.zeros(d + 2, np.int64),
        np.zeros(g, np.int64),
        np.zeros(g, np.int64),
    )
    at.live[0], at.n_live[0] = np.arange(d), d
    counts, best = np.zeros(3, np.int64), np.zeros(d + 2, np.int64)
    limits = np.array([mu.sum(), value, 1e-9, most])
    cost = kernel.search(cover, at, limits, counts, best)
    return cost, best[: counts[kernel.SIZE]], counts


def costs_of_all_subsets(A, m, price):
    """Cost of every clause, by its definition."""
    subsets = (np.arange(2 ** A.shape[1])[:, None] >> np.arange(A.shape[1])) & 1
    return subsets @ price + (subsets @ A.T.astype(int) == 0) @ m


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.5, 1.0]))
def test_the_clause_costs_what_the_best_of_all_subsets_costs(seed, tightness):
    rng = np.random.default_rng(seed)
    g, d = rng.integers(1, 30), rng.integers(1, 9)
    A = rng.random((g, d)) < rng.choice([0.2, 0.5])
    m = rng.choice([1.0, 0.375, 2.5], g) * rng.integers(1, 4, g)
    price = rng.uniform(0.05, 0.8) * (m @ A) * rng.uniform(0.3, 1.2, d) + 0.01
    # any point that overdraws no column: raised row by row as far as prices let it
    mu = np.zeros(g)
    for i in rng.permutation(g):
        room = min([m[i], *(price[j] - mu @ A[:, j] for j in np.flatnonzero(A[i]))])
        mu[i] = tightness * max(0.0, room)
    costs = costs_of_all_subsets(A, m, price)
    cost, columns, counts = searched(A, m, mu, price, float(m.sum()))
    assert counts[kernel.VISITS] >= 0
    assert cost == pytest.approx(costs.min(), abs=1e-7)
    assert cost == pytest.approx(costs[sum(1 << int(j) for j in columns)], abs=1e-7)
    known, _, counts = searched(A, m, mu, price, float(costs.min()))
    assert (known, counts[kernel.FOUND]) == (costs.min(), 0)  # nothing is better than the best


def test_stopped_search_is_marked():
    A, m = np.eye(4, dtype=bool), np.ones(4)
    cost, _, counts = searched(A, m, np.zeros(4), np.full(4, 0.5), 4.0, most=0)
    assert counts[kernel.VISITS] < 0
    assert cost == 4.0
