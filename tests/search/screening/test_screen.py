"""Screening: no best clause is lost, bounds are bounds, and forged certificates are refused."""

import dataclasses

import numpy as np
import pytest

from rulekit.search.columns.priced_columns import price_columns, price_table
from rulekit.search.screening.proved_cover import best_columns, relax
from rulekit.search.screening.screen import (
    BASIC,
    COUNTING,
    ENHANCED,
    TESTS,
    Bounds,
    Outcome,
    Screening,
    build_greedy_clause,
    duality_test,
    feasible,
    greedy_bounds,
    greedy_dual,
    list_unproved,
    order_chains,
    screen,
    steepest_clause,
)
from tests.reference import screening as reference
from tests.strategies.covers import binned_matrix, chained, labelled
from tests.strategies.screening import N_INSTANCES, lp_bounds, solved_instances, tied_table

EVERYTHING = ("simple", "consecutive", "chain", "duality basic", "duality enhanced")
VARIANTS = (COUNTING, BASIC, ENHANCED, EVERYTHING)


@pytest.mark.slow
@pytest.mark.parametrize("tests", [*VARIANTS, (*COUNTING, "duality given")], ids=" ".join)
def test_the_best_clause_costs_the_same_without_what_was_removed(tests):
    removed = 0
    for theta, cells, _, y, weight, _, costs in solved_instances():
        problem = price_columns(cells, y, theta, weight)
        screening = screen(problem, tests, lp_bounds(problem) if "duality given" in tests else None)
        d = cells.shape[1]
        removed += screening.removed.sum()
        kept = reference.least_cost(costs, d, screening.removed)
        assert kept == pytest.approx(reference.least_cost(costs, d), abs=1e-6)
    assert removed > N_INSTANCES


def test_what_is_left_and_its_opposite_cost_the_same():
    cells, _, y, weight, _ = tied_table(3)
    screening = screen(price_columns(cells, y, 0.1, weight), COUNTING)
    small = screening.problem.take_columns(screening.kept)
    clause = steepest_clause(small)
    assert screening.problem.cost(screening.kept[clause]) == pytest.approx(small.cost(clause))
    cells, matrix, y, weight, _ = tied_table(3)
    table = chained(labelled(matrix, y, weight))
    expected = screen(price_columns(cells, y, 0.1, weight), ("simple",))
    priced = price_table(table.opposite, 0.1)
    screening = screen(priced, ("simple",))
    assert screening.removed.tolist() == expected.removed.tolist()
    assert screening.problem.price == pytest.approx(expected.problem.price)
    best = best_columns(priced, screening=None)
    assert best.cost == pytest.approx(best_columns(price_columns(cells, y, 0.1, weight)).cost)
    assert set(EVERYTHING) == set(TESTS)


def pairs_as_printed(problem, *table):
    return reference.pairs_as_printed(*table)


def duality_of_a_cost_without_wrong_rows(problem, *_):
    clause, mu = build_greedy_clause(problem), greedy_dual(problem)
    too_low = problem.cost(clause) - problem.wrong[clause].sum()
    return duality_test(problem, Bounds(mu, float(mu.sum()), clause, too_low)).removed


def duality_of_ties(problem, *_):
    result = duality_test(problem, lp_bounds(problem))
    return result.floor >= result.bounds.upper - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    "remove", [pairs_as_printed, duality_of_a_cost_without_wrong_rows, duality_of_ties]
)
def test_each_unsafe_test_loses_the_best_clause(remove):
    lost = 0
    for theta, cells, matrix, y, weight, chains, costs in solved_instances():
        removed = remove(price_columns(cells, y, theta, weight), matrix, y, weight, chains)
        d = matrix.shape[1]
        worse = reference.least_cost(costs, d, removed) - reference.least_cost(costs, d)
        lost += worse > 1e-6 * max(1.0, theta)
    assert lost > N_INSTANCES / 100


@pytest.mark.slow
def test_the_tests_do_what_their_slow_twins_do():
    for theta, cells, matrix, y, weight, chains, _ in solved_instances()[::2]:
        problem = price_columns(cells, y, theta, weight)
        A, d = matrix, matrix.shape[1]
        screening = screen(problem, ("simple", "consecutive", "chain", "duality basic"))
        simple, neighbours, chain, duality = (o.removed for o in screening.outcomes)
        assert (simple == reference.simple(A, y, weight, theta)).all()
        assert (neighbours == reference.pairs(A, y, weight, chains, neighbours=True)).all()
        assert (chain == reference.pairs(A, y, weight, chains)).all()
        mu = reference.greedy_rows(A, y, weight)
        known = reference.greedy_columns(A, y, weight, theta)
        upper = reference.cost(A, y, weight, theta, known)
        assert screening.outcomes[-1].bounds.mu.tolist() == mu.tolist()
        assert sorted(known) == sorted(screening.outcomes[-1].bounds.clause.tolist())
        floor = reference.floors(A, y, weight, theta, mu)
        assert screening.outcomes[-1].floor == pytest.approx(floor)
        assert ((duality == (floor > upper)) | (np.abs(floor - upper) < 1e-8)).all()
        assert len(simple) == d


def test_chains_run_from_the_narrowest_column():
    cells, matrix, y, weight, chains = tied_table(2)
    order, chain = order_chains(price_columns(cells, y, 1.0, weight))
    assert order.tolist() == [j for columns in chains for j in columns]
    assert chain.tolist() == [k for k, columns in enumerate(chains) for _ in columns]
    for chain in chains:
        assert (np.diff(matrix[:, chain].astype(int), axis=1) >= 0).all()


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
            assert (problem.P.sums(feasible(problem, mu + excess)) <= problem.price).all()
        assert feasible(problem, np.minimum(mu + 1e-12, problem.m)).sum() >= mu.sum() - 1e-6


@pytest.mark.parametrize("enhanced", [False, True])
def test_both_heuristics_bound_the_best_clause_from_both_sides(enhanced):
    for theta, cells, _, y, weight, _, costs in solved_instances()[::5]:
        result = greedy_bounds(price_columns(cells, y, theta, weight), enhanced=enhanced)
        assert result.lower <= costs.min() + 1e-9
        assert result.upper >= costs.min() - 1e-9


def column_of(A):
    return lambda j: A[:, j]


@pytest.mark.slow
def test_every_certificate_holds_also_by_its_printed_numbers():
    for theta, cells, matrix, y, weight, _, _ in solved_instances()[::3]:
        problem = price_columns(cells, y, theta, weight)
        screening = screen(problem, (*TESTS, "duality given"), lp_bounds(problem))
        assert list_unproved(screening, column_of(matrix), y, theta, weight) == []
    checked = set()
    for theta, cells, matrix, y, weight, _, _ in solved_instances()[::3]:
        screening = screen(price_columns(cells, y, theta, weight), ENHANCED)
        bounds = screening.outcomes[-1].bounds
        for j in np.flatnonzero(screening.removed):
            why = screening.removal(int(j))
            checked.add(why["test"])
            assert reference.certificate_holds(j, why, matrix, y, weight, theta, bounds)
    assert checked == {"simple", "pairs", "duality"}


def test_the_checker_refuses_certificates_that_were_tampered_with():
    refused = {"simple": 0, "pairs": 0, "duality": 0}
    for theta, cells, matrix, y, weight, _, _ in solved_instances()[:60]:
        result = screen(price_columns(cells, y, theta, weight), ENHANCED)
        for k, outcome in enumerate(result.outcomes):
            kept = np.flatnonzero(~outcome.removed)
            if not len(kept):
                continue
            wrong = outcome.removed.copy()
            wrong[kept[0]] = True
            forged = dataclasses.replace(outcome, removed=wrong)
            outcomes = (*result.outcomes[:k], forged, *result.outcomes[k + 1 :])
            assert (outcome.test, int(kept[0])) in list_unproved(
                dataclasses.replace(result, outcomes=outcomes), column_of(matrix), y, theta, weight
            )
            refused[outcome.test] += 1
    assert min(refused.values()) > 10


def test_values_that_overdraw_or_circle_prove_nothing():
    cells, matrix, y, weight, _ = tied_table(5, cuts=3)
    result = screen(price_columns(cells, y, 0.1, weight), ENHANCED)
    outcome = result.outcomes[-1]
    assert outcome.removed.any()
    too_much = dataclasses.replace(outcome.bounds, mu=np.ones_like(outcome.bounds.mu))
    forged = dataclasses.replace(result, outcomes=(dataclasses.replace(outcome, bounds=too_much),))
    assert len(list_unproved(forged, column_of(matrix), y, 0.1, weight)) == outcome.removed.sum()
    A = np.array([[True, True], [True, True], [False, False]])
    y = np.array([True, True, False])
    both = Outcome("pairs", np.ones(2, bool), np.array([1, 0]), np.zeros(0))
    forged = Screening(price_columns(chained(binned_matrix(A)), y, 0.5), (both,))
    assert list_unproved(forged, column_of(A), y, 0.5) == [("pairs", 0), ("pairs", 1)]
