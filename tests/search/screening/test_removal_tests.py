"""The tests that remove columns: as their slow twins, and why they are no sharper."""

import numpy as np
import pytest

from rulekit.search.columns.candidates import priced
from rulekit.search.screening.bounds import (
    Bounds,
    greedy_dual,
    sorted_clause,
)
from rulekit.search.screening.removal_tests import chains_of, duality_test
from rulekit.search.screening.screen import screen
from tests.reference import screening as reference
from tests.reference.candidates import MatrixColumns
from tests.strategies.screening import N_INSTANCES, lp_bounds, solved_instances, tied_table


def test_the_pairwise_test_as_printed_loses_the_best_clause():
    lost = 0
    for theta, _, matrix, y, weight, chains, costs in solved_instances():
        removed = reference.pairs_as_printed(matrix.A, y, weight, chains)
        d = matrix.shape[1]
        worse = reference.least_cost(costs, d, removed) - reference.least_cost(costs, d)
        lost += worse > 1e-6 * max(1.0, theta)
    assert lost > N_INSTANCES / 100


@pytest.mark.slow
def test_a_known_cost_without_its_wrong_rows_loses_the_best_clause():
    lost = 0
    for theta, cells, _, y, weight, _, costs in solved_instances():
        problem = priced(cells, y, theta, weight)
        clause = sorted_clause(problem)
        too_low = problem.cost(clause) - problem.wrong[clause].sum()
        mu = greedy_dual(problem)
        removed = duality_test(problem, Bounds(mu, float(mu.sum()), clause, too_low)).removed
        d = cells.shape[1]
        lost += reference.least_cost(costs, d, removed) > reference.least_cost(costs, d) + 1e-6
    assert lost > N_INSTANCES / 100


@pytest.mark.slow
def test_a_floor_that_only_equals_the_known_cost_removes_nothing():
    lost = 0
    for theta, cells, _, y, weight, _, costs in solved_instances():
        problem = priced(cells, y, theta, weight)
        found = duality_test(problem, lp_bounds(problem))
        d = cells.shape[1]
        equal = found.floor >= found.bounds.upper - 1e-9
        lost += reference.least_cost(costs, d, equal) > reference.least_cost(costs, d) + 1e-6
    assert lost > N_INSTANCES / 100


@pytest.mark.slow
def test_the_tests_do_what_their_slow_twins_do():
    for theta, cells, matrix, y, weight, chains, _ in solved_instances()[::2]:
        problem = priced(cells, y, theta, weight)
        A, d = matrix.A, matrix.shape[1]
        found = screen(problem, ("simple", "consecutive", "chain", "duality basic"))
        simple, neighbours, chain, duality = (o.removed for o in found.outcomes)
        assert (simple == reference.simple(A, y, weight, theta)).all()
        assert (neighbours == reference.pairs(A, y, weight, chains, neighbours=True)).all()
        assert (chain == reference.pairs(A, y, weight, chains)).all()
        mu = reference.greedy_rows(A, y, weight)
        known = reference.greedy_columns(A, y, weight, theta)
        upper = reference.cost(A, y, weight, theta, known)
        assert found.outcomes[-1].bounds.mu.tolist() == mu.tolist()
        assert sorted(known) == sorted(found.outcomes[-1].bounds.clause.tolist())
        floor = reference.floors(A, y, weight, theta, mu)
        assert found.outcomes[-1].floor == pytest.approx(floor)
        near = np.abs(floor - upper) < 1e-8
        assert ((duality == (floor > upper)) | near).all()
        assert len(simple) == d


def test_one_of_equal_columns_is_kept():
    A = np.tile([[True], [True], [False]], 4)
    y = np.array([True, True, False])
    found = screen(priced(MatrixColumns.of(A), y, 0.5), ("simple", "across"))
    assert found.removed.tolist() == [False, True, True, True]
    assert found.outcomes[1].by.tolist() == [-1, 0, 0, 0]


def test_chains_run_from_the_narrowest_column():
    cells, matrix, y, weight, chains = tied_table(2)
    found = [chain.tolist() for chain in chains_of(priced(cells, y, 1.0, weight))]
    assert found == chains
    for chain in chains:
        assert (np.diff(matrix.A[:, chain].astype(int), axis=1) >= 0).all()
