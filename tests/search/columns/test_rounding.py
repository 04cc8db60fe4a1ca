"""Rounding: against the plain sweep over every combination, and by what it promises."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.columns.priced_columns import price_columns
from rulekit.search.columns.rounding import (
    redundancy_groups,
    round_at_random,
    round_clause,
    round_without_redundancy,
)
from rulekit.search.screening.proved_cover import best_columns
from tests.reference.one_level import best_clause_cost, clause_cost
from tests.strategies.covers import (
    binned_matrix,
    chained,
    cover_problem,
    cover_problems,
    rounding_task,
    solve,
    sub_problems,
    threshold_table,
)


@given(cover_problems())
def test_rounded_clause_costs_between_best_and_empty(problem):
    A, y, rows, theta = problem
    task = rounding_task(A, y, rows, theta)
    chosen = round_without_redundancy(task, np.full(A.shape[1], 0.3))
    cost = task.cost(np.flatnonzero(chosen))
    assert cost >= best_clause_cost(A, y, rows, theta) - 1e-9
    assert cost <= rows[y].sum() + 1e-9


@given(st.integers(0, 10_000))
def test_clauses_have_no_redundant_or_always_true_pair(seed):
    A, y, binned = threshold_table(seed, n=60, features=3, cuts=5)
    w = np.random.default_rng(seed).random(A.shape[1])
    chosen = round_without_redundancy(rounding_task(A, y, np.ones(len(y)), 0.01, binned), w)
    for feature in range(3):
        low = chosen & (binned.feature == feature) & (binned.side < 0)
        high = chosen & (binned.feature == feature) & (binned.side > 0)
        assert low.sum() <= 1
        assert high.sum() <= 1
        if low.any() and high.any():
            assert binned.rank[low] < binned.rank[high]


def test_features_are_groups_and_ties_go_to_the_first():
    A = np.array([[True, True, True], [False, False, False]])
    task = rounding_task(A, np.array([True, False]), np.ones(2), 0.1)
    np.testing.assert_array_equal(
        round_without_redundancy(task, np.array([0.2, 0.2, 0.2])), [True, False, False]
    )
    task = rounding_task(np.ones((1, 1), dtype=bool), np.array([True]), np.ones(1), 1.0)
    assert not round_without_redundancy(task, np.array([0.5])).any()
    task = rounding_task(np.ones((2, 2), dtype=bool), np.ones(2, dtype=bool), np.ones(2), 0.1)
    barred = replace(task, wrong=np.array([np.inf, 0.4]))
    np.testing.assert_array_equal(
        round_without_redundancy(barred, np.array([0.0, 0.4])), [False, True]
    )
    A = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1]], dtype=bool)
    binned = binned_matrix(A, np.zeros(4, int))
    groups = redundancy_groups(binned, np.ones(3, dtype=bool))
    assert [g.single.tolist() for g in groups] == [[0, 1, 2], [3]]
    A, y, binned = threshold_table(2, n=60, features=2, cuts=3, levels=2)
    first, second, *levels = redundancy_groups(binned, y)
    for feature, group in ((0, first), (1, second)):
        np.testing.assert_array_equal(group.columns, np.flatnonzero(binned.feature == feature))
        for a, low in enumerate(group.low):
            for b, high in enumerate(group.high):
                assert group.pairs[a, b] == (not (A[:, low] | A[:, high]).all())
        assert not group.overlap
    assert sorted(np.concatenate([g.single for g in levels])) == [12, 13, 14, 15]
    A = np.array([[True, True], [False, True], [True, False]])
    binned = binned_matrix(A, np.zeros(2, int), np.array([-1, 1]), np.array([0, 1]))
    y = np.array([True, True, False])
    assert redundancy_groups(binned, y)[0].overlap
    assert not redundancy_groups(binned, ~y)[0].overlap


def test_random_rounding_repeats_with_its_seed():
    A, y, binned = threshold_table(3)
    task = rounding_task(A, y, np.ones(len(y)), 0.5, binned)
    w = np.full(A.shape[1], 0.1)
    first = round_at_random(task, w, np.random.default_rng(5))
    again = round_at_random(task, w, np.random.default_rng(5))
    np.testing.assert_array_equal(first, again)
    draws = np.random.default_rng(5).random((10, len(w))) < w
    costs = [task.cost(np.flatnonzero(draw)) for draw in (first, *draws)]
    assert costs[0] == pytest.approx(min(costs[1:]))


@pytest.mark.slow
def test_rounding_is_near_the_exact_optimum():
    A, y, binned = threshold_table(11, n=150, features=5, cuts=6)
    problem = cover_problem(binned, y)
    ratios, against_threshold = [], []
    for rows, theta in sub_problems(y, 3, 40):
        relaxed = solve(problem, rows, theta)
        if relaxed.is_binary:
            continue
        exact = best_columns(price_columns(chained(binned), y, theta, rows))
        assert exact.proved
        task = problem.sub_problem(rows, theta)
        rounded, plain = (
            clause_cost(A, y, rows, round_clause(task, relaxed.w, how), theta)
            for how in ("redundancy", "threshold")
        )
        ratios.append(rounded / exact.cost)
        against_threshold.append(rounded / plain)
    assert len(ratios) >= 10
    assert np.mean(ratios) <= 1.12
    assert np.mean(against_threshold) < 0.8
