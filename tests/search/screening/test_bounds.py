"""Cheap bounds: points of the dual program that hold as they stand, and clauses."""

import numpy as np
import pytest

from rulekit.search.columns.priced_columns import price_columns
from rulekit.search.screening.bounds import feasible, greedy_bounds, steepest_clause
from rulekit.search.screening.proved_cover import relax
from tests.reference import screening as reference
from tests.strategies.screening import solved_instances


@pytest.mark.slow
def test_the_enhanced_heuristic_takes_the_steepest_column_three_times():
    for theta, cells, matrix, y, weight, _, _ in solved_instances()[::5]:
        problem = price_columns(cells, y, theta, weight)
        expected = reference.steepest_columns(matrix, y, weight, theta, 3)
        assert problem.cost(steepest_clause(problem, 3)) == pytest.approx(
            reference.cost(matrix, y, weight, theta, expected)
        )


def test_slightly_infeasible_duals_are_repaired_else_scaled():
    for theta, cells, _, y, weight, _, _ in solved_instances()[::30]:
        problem = price_columns(cells, y, theta, weight)
        mu = relax(problem).mu
        for excess in (1e-9, 0.3):
            repaired = feasible(problem, mu + excess)
            assert (problem.P.sums(repaired) <= problem.price).all()
        near = feasible(problem, np.minimum(mu + 1e-12, problem.m))
        assert near.sum() >= mu.sum() - 1e-6


@pytest.mark.parametrize("enhanced", [False, True])
def test_both_heuristics_bound_the_best_clause_from_both_sides(enhanced):
    for theta, cells, _, y, weight, _, costs in solved_instances()[::5]:
        result = greedy_bounds(price_columns(cells, y, theta, weight), enhanced=enhanced)
        assert result.lower <= costs.min() + 1e-9
        assert result.upper >= costs.min() - 1e-9
