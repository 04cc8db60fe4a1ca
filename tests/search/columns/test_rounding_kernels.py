"""The compiled sweep against the plain one, and the cost it returns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.columns import rounding_kernels as kernel
from rulekit.search.columns.priced_columns import (
    default_perturbation,
    round_without_redundancy,
    solve_small_dual,
)
from rulekit.search.lp import solve_lp
from rulekit.search.screening.screen import compact_program
from tests.reference import rounding as reference
from tests.strategies.covers import rounding_task, small_dual, threshold_table


@pytest.mark.slow
@given(
    seed=st.integers(0, 10_000),
    theta=st.sampled_from([0.01, 0.4, 1.0]),
    missing=st.sampled_from([0.0, 0.2]),
)
def test_sweep_equals_plain_reference(seed, theta, missing):
    A, y, binned = threshold_table(seed, n=40, features=3, cuts=4, levels=3, missing=missing)
    rng = np.random.default_rng(seed)
    rows = rng.choice([0.0, 0.5, 1.0, 2.0], len(y))
    w = np.where(rng.random(A.shape[1]) < 0.4, rng.choice([1 / 3, 0.5, 2 / 3], A.shape[1]), 0.0)
    fast = round_without_redundancy(rounding_task(A, y, rows, theta, binned), w)
    slow = reference.round_without_redundancy(A, y, rows, w, theta, binned)
    np.testing.assert_array_equal(fast, slow)


@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.2]))
def test_cost_returned_is_the_cost_of_the_columns(seed, missing):
    A, y, binned = threshold_table(seed, n=30, features=3, cuts=3, levels=2, missing=missing)
    rng = np.random.default_rng(seed)
    task = rounding_task(A, y, rng.choice([0.0, 0.5, 2.0], len(y)), 0.3, binned)
    n, d, n_groups = len(task.m), A.shape[1], len(task.layout.start) - 1
    rooms = [np.zeros(size) for size in (d, n, n, task.layout.n_cells.max() + 1, d)]
    room = kernel.WorkArrays(task.m, task.price, *rooms, np.zeros(n_groups, np.int64))
    w = np.where(rng.random(d) < 0.5, rng.choice([1 / 3, 0.5], d), 0.0)
    cost = kernel.round_clause(task.layout, room, np.arange(n_groups), 1, w)
    assert set(w) <= {0.0, 1.0}
    assert cost == pytest.approx(task.cost(np.flatnonzero(w > 0.5)))


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 30))
def test_values_and_clauses_are_those_of_the_compact_program(seed, g, d):
    P, c, m = small_dual(seed, g, d)
    solution = solve_small_dual(P, c, m)
    whole = solve_lp(compact_program(P.astype(float), m, c))
    assert solution.value == pytest.approx(whole.value, rel=1e-9)
    np.testing.assert_allclose(-solution.duals, whole.x[:d], atol=1e-9)
    assert ((solution.x >= 0) & (solution.x <= m)).all()
    assert (solution.x @ P <= c + 1e-9).all()
    assert solution.basic_x.sum() + solution.basic_rows.sum() == d


def test_whole_clauses_that_cover_rows_once_do_not_cycle():
    """Every row is covered by exactly two of these columns, so that many bases are one vertex."""
    i, j = np.triu_indices(12, 1)
    P = (np.arange(12) == i[:, None]) | (np.arange(12) == j[:, None])
    c = 4.0 + default_perturbation(12)
    solution = solve_small_dual(P, c, np.ones(len(P)))
    whole = solve_lp(compact_program(P.astype(float), np.ones(len(P)), c))
    assert solution.value == pytest.approx(whole.value, rel=1e-9)
