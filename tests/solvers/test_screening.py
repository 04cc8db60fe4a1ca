"""Screening: nothing is removed that a best clause needs, and every removal can be checked."""

import dataclasses

import numpy as np
import pytest

from rulekit.solvers.candidates import MatrixColumns, priced
from rulekit.solvers.relaxed_cover import relax
from rulekit.solvers.screening import BASIC, COUNTING, ENHANCED, TESTS, screen
from rulekit.solvers.screening_bounds import (
    Bounds,
    greedy_dual,
    sorted_clause,
    steepest_clause,
)
from rulekit.solvers.screening_check import unproved
from rulekit.solvers.screening_tests import chains_of, duality_test
from tests.reference import screening as reference
from tests.strategies_screening import LAMBDAS, tied_table

N_INSTANCES = 600
EVERYTHING = ("simple", "consecutive", "chain", "across", "duality basic", "duality enhanced")
VARIANTS = (COUNTING, BASIC, ENHANCED, ("across",), EVERYTHING)


def instances(n=N_INSTANCES):
    """Small tables with heavy ties, each with a price; a third of them weighted."""
    for seed in range(n):
        theta = 1.0 / LAMBDAS[seed % len(LAMBDAS)]
        features, cuts = ((2, 3), (3, 2), (1, 5), (2, 2))[seed % 4]
        yield theta, tied_table(seed, features=features, cuts=cuts, weighted=seed % 3 == 0)


@pytest.fixture(scope="module")
def solved():
    """Every instance with the cost of all its clauses."""
    found = []
    for theta, (cells, matrix, y, weight, chains) in instances():
        costs = reference.costs_of_all_subsets(matrix.A, y, weight, theta)
        found.append((theta, cells, matrix, y, weight, chains, costs))
    return found


def lp_bounds(problem):
    """The optimum of the linear program, and the best clause a greedy choice finds."""
    found = relax(problem)
    clause = steepest_clause(problem)
    return Bounds(found.mu, float(found.mu.sum()), clause, problem.cost(clause))


def column_of(A):
    return lambda j: A[:, j]


@pytest.mark.parametrize("in_sequence", [False, True], ids=["side by side", "in sequence"])
@pytest.mark.parametrize("tests", VARIANTS, ids=" ".join)
def test_the_best_clause_costs_the_same_without_what_was_removed(solved, tests, in_sequence):
    removed = 0
    for theta, cells, _, y, weight, _, costs in solved:
        found = screen(priced(cells, y, theta, weight), tests, in_sequence=in_sequence)
        d = cells.shape[1]
        removed += found.removed.sum()
        kept = reference.least_cost(costs, d, found.removed)
        assert kept == pytest.approx(reference.least_cost(costs, d), abs=1e-6)
    assert removed > len(solved)


def test_fixing_by_reduced_costs_keeps_the_best_clause(solved):
    for theta, cells, _, y, weight, _, costs in solved:
        problem = priced(cells, y, theta, weight)
        found = screen(problem, (*COUNTING, "duality given"), bounds=lp_bounds(problem))
        d = cells.shape[1]
        kept = reference.least_cost(costs, d, found.removed)
        assert kept == pytest.approx(reference.least_cost(costs, d), abs=1e-6)


@pytest.mark.parametrize("in_sequence", [False, True], ids=["side by side", "in sequence"])
def test_every_certificate_holds(solved, in_sequence):
    for theta, cells, matrix, y, weight, _, _ in solved[::3]:
        problem = priced(cells, y, theta, weight)
        tests = (*EVERYTHING, "duality given")
        found = screen(problem, tests, in_sequence=in_sequence, bounds=lp_bounds(problem))
        assert unproved(found, column_of(matrix.A), y, theta, weight) == []


def test_every_certificate_holds_by_its_printed_numbers_alone(solved):
    checked = set()
    for theta, cells, matrix, y, weight, _, _ in solved[::3]:
        found = screen(priced(cells, y, theta, weight), ENHANCED)
        bounds = found.outcomes[-1].bounds
        for j in np.flatnonzero(found.removed):
            why = found.removal(int(j))
            checked.add(why.test)
            assert reference.certificate_holds(why, matrix.A, y, weight, theta, bounds)
        assert all(found.removal(int(j)) is None for j in found.kept)
    assert checked == {"simple", "pairs", "duality"}


def test_the_checker_refuses_certificates_that_were_tampered_with(solved):
    refused = {"simple": 0, "pairs": 0, "duality": 0}
    for theta, cells, matrix, y, weight, _, _ in solved[:60]:
        found = screen(priced(cells, y, theta, weight), ENHANCED)
        for k, outcome in enumerate(found.outcomes):
            kept = np.flatnonzero(~outcome.removed)
            if not len(kept):
                continue
            wrong = outcome.removed.copy()
            wrong[kept[0]] = True
            forged = dataclasses.replace(outcome, removed=wrong)
            outcomes = (*found.outcomes[:k], forged, *found.outcomes[k + 1 :])
            told = unproved(
                dataclasses.replace(found, outcomes=outcomes), column_of(matrix.A), y, theta, weight
            )
            assert (outcome.test, int(kept[0])) in told
            refused[outcome.test] += 1
    assert min(refused.values()) > 10


def test_the_checker_refuses_values_that_overdraw_a_column():
    _, matrix, y, weight, _ = tied_table(5, cuts=3)
    found = screen(priced(matrix, y, 0.1, weight), ENHANCED)
    outcome = found.outcomes[-1]
    assert outcome.removed.any()
    too_much = dataclasses.replace(outcome.bounds, mu=np.ones_like(outcome.bounds.mu))
    forged = dataclasses.replace(found, outcomes=(dataclasses.replace(outcome, bounds=too_much),))
    told = unproved(forged, column_of(matrix.A), y, 0.1, weight)
    assert len(told) == outcome.removed.sum()


def test_exchanges_that_lead_in_a_circle_prove_nothing():
    A = np.array([[True, True], [True, True], [False, False]])
    y = np.array([True, True, False])
    found = screen(priced(MatrixColumns.of(A), y, 0.5), ("across",))
    assert found.removed.tolist() == [False, True]
    both = dataclasses.replace(found.outcomes[0], removed=np.ones(2, bool), by=np.array([1, 0]))
    forged = dataclasses.replace(found, outcomes=(both,))
    assert unproved(forged, column_of(A), y, 0.5) == [("pairs", 0), ("pairs", 1)]


def test_the_pairwise_test_as_printed_loses_the_best_clause(solved):
    lost = 0
    for theta, _, matrix, y, weight, chains, costs in solved:
        removed = reference.pairs_as_printed(matrix.A, y, weight, chains)
        d = matrix.shape[1]
        worse = reference.least_cost(costs, d, removed) - reference.least_cost(costs, d)
        lost += worse > 1e-6 * max(1.0, theta)
    assert lost > N_INSTANCES / 100


def test_a_known_cost_without_its_wrong_rows_loses_the_best_clause(solved):
    lost = 0
    for theta, cells, _, y, weight, _, costs in solved:
        problem = priced(cells, y, theta, weight)
        clause = sorted_clause(problem)
        too_low = problem.cost(clause) - problem.wrong[clause].sum()
        mu = greedy_dual(problem)
        removed = duality_test(problem, Bounds(mu, float(mu.sum()), clause, too_low)).removed
        d = cells.shape[1]
        lost += reference.least_cost(costs, d, removed) > reference.least_cost(costs, d) + 1e-6
    assert lost > N_INSTANCES / 100


def test_a_floor_that_only_equals_the_known_cost_removes_nothing(solved):
    lost = 0
    for theta, cells, _, y, weight, _, costs in solved:
        problem = priced(cells, y, theta, weight)
        found = duality_test(problem, lp_bounds(problem))
        d = cells.shape[1]
        equal = found.floor >= found.bounds.upper - 1e-9
        lost += reference.least_cost(costs, d, equal) > reference.least_cost(costs, d) + 1e-6
    assert lost > N_INSTANCES / 100


def test_the_tests_do_what_their_slow_twins_do(solved):
    for theta, cells, matrix, y, weight, chains, _ in solved[::2]:
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


def test_the_enhanced_heuristic_takes_the_steepest_column_three_times(solved):
    for theta, cells, matrix, y, weight, _, _ in solved[::5]:
        problem = priced(cells, y, theta, weight)
        expected = reference.steepest_columns(matrix.A, y, weight, theta, 3)
        assert problem.cost(steepest_clause(problem, 3)) == pytest.approx(
            reference.cost(matrix.A, y, weight, theta, expected)
        )


def test_drawing_columns_up_to_their_price_bounds_no_less(solved):
    better = 0
    for theta, cells, _, y, weight, _, costs in solved[::5]:
        problem = priced(cells, y, theta, weight)
        plain, partial = greedy_dual(problem).sum(), greedy_dual(problem, partial=True).sum()
        assert partial <= costs.min() + 1e-9
        assert (cells.take_rows(y & (weight > 0)).sums(greedy_dual(problem, partial=True)) <=
                problem.price + 1e-12).all()  # fmt: skip
        better += partial > plain + 1e-9
    assert better > 10


def test_cells_and_matrix_are_screened_alike(solved):
    for theta, cells, matrix, y, weight, _, _ in solved[::5]:
        for tests in VARIANTS:
            one = screen(priced(cells, y, theta, weight), tests)
            other = screen(priced(matrix, y, theta, weight), tests)
            assert (one.removed == other.removed).all()


def test_of_equal_columns_one_is_kept():
    A = np.tile([[True], [True], [False]], 4)
    y = np.array([True, True, False])
    found = screen(priced(MatrixColumns.of(A), y, 0.5), ("simple", "across"))
    assert found.removed.tolist() == [False, True, True, True]
    assert found.outcomes[1].by.tolist() == [-1, 0, 0, 0]


def test_in_sequence_no_column_is_removed_twice(solved):
    for theta, cells, _, y, weight, _, _ in solved[::5]:
        problem = priced(cells, y, theta, weight)
        turn = screen(problem, ("simple", "chain", "across"), in_sequence=True)
        seen = np.zeros(cells.shape[1], dtype=int)
        for outcome in turn.outcomes:
            seen += outcome.removed
        assert seen.max(initial=0) <= 1


def test_what_is_left_out_is_lifted_back():
    _, matrix, y, weight, _ = tied_table(3)
    found = screen(priced(matrix, y, 0.1, weight), COUNTING)
    small = found.restricted()
    clause = steepest_clause(small)
    assert found.problem.cost(found.lifted(clause)) == pytest.approx(small.cost(clause))


def test_misses_may_cost_more_than_false_alarms():
    _, matrix, y, _, _ = tied_table(11, n=24)
    dear = priced(matrix, y, 0.1, miss_cost=3.0, false_alarm_cost=0.5)
    weight = np.where(y, 3.0, 0.5)
    assert dear.price == pytest.approx(priced(matrix, y, 0.1, weight).price)
    assert dear.worth == pytest.approx(priced(matrix, y, 0.1, weight).worth)
    found = screen(dear, ENHANCED)
    costs = reference.costs_of_all_subsets(matrix.A, y, weight, 0.1)
    kept = reference.least_cost(costs, matrix.shape[1], found.removed)
    assert kept == pytest.approx(costs.min())


def test_chains_run_from_the_narrowest_column():
    cells, matrix, y, weight, chains = tied_table(2)
    found = [chain.tolist() for chain in chains_of(priced(cells, y, 1.0, weight))]
    assert found == chains
    for chain in chains:
        assert (np.diff(matrix.A[:, chain].astype(int), axis=1) >= 0).all()


def test_a_test_that_is_not_there_is_named():
    _, matrix, y, weight, _ = tied_table(1)
    problem = priced(matrix, y, 1.0, weight)
    with pytest.raises(ValueError, match=r"must be some of simple, .*; got 'magic'"):
        screen(problem, ("magic",))
    with pytest.raises(ValueError, match="needs `bounds`"):
        screen(problem, ("duality given",))
    assert set(EVERYTHING) == set(TESTS)
