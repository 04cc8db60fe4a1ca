"""Screening: nothing is removed that a best clause needs, and every removal can be checked."""

from dataclasses import replace

import numpy as np
import pytest

from rulekit.search.columns.candidates import priced
from rulekit.search.screening.bounds import (
    steepest_clause,
)
from rulekit.search.screening.proved_cover import best_columns, best_conditions
from rulekit.search.screening.screen import (
    BASIC,
    COUNTING,
    ENHANCED,
    TESTS,
    screen,
    screen_table,
)
from tests.reference import screening as reference
from tests.strategies.covers import labelled
from tests.strategies.screening import N_INSTANCES, lp_bounds, solved_instances, tied_table

EVERYTHING = ("simple", "consecutive", "chain", "across", "duality basic", "duality enhanced")
VARIANTS = (COUNTING, BASIC, ENHANCED, ("across",), EVERYTHING)


@pytest.mark.slow
@pytest.mark.parametrize("in_sequence", [False, True], ids=["side by side", "in sequence"])
@pytest.mark.parametrize("tests", VARIANTS, ids=" ".join)
def test_the_best_clause_costs_the_same_without_what_was_removed(tests, in_sequence):
    removed = 0
    for theta, cells, _, y, weight, _, costs in solved_instances():
        found = screen(priced(cells, y, theta, weight), tests, in_sequence=in_sequence)
        d = cells.shape[1]
        removed += found.removed.sum()
        kept = reference.least_cost(costs, d, found.removed)
        assert kept == pytest.approx(reference.least_cost(costs, d), abs=1e-6)
    assert removed > N_INSTANCES


@pytest.mark.slow
def test_fixing_by_reduced_costs_keeps_the_best_clause():
    for theta, cells, _, y, weight, _, costs in solved_instances():
        problem = priced(cells, y, theta, weight)
        found = screen(problem, (*COUNTING, "duality given"), bounds=lp_bounds(problem))
        d = cells.shape[1]
        kept = reference.least_cost(costs, d, found.removed)
        assert kept == pytest.approx(reference.least_cost(costs, d), abs=1e-6)


@pytest.mark.slow
def test_cells_and_matrix_are_screened_alike():
    for theta, cells, matrix, y, weight, _, _ in solved_instances()[::5]:
        for tests in VARIANTS:
            one = screen(priced(cells, y, theta, weight), tests)
            other = screen(priced(matrix, y, theta, weight), tests)
            assert (one.removed == other.removed).all()


def test_no_column_is_removed_twice_in_sequence():
    for theta, cells, _, y, weight, _, _ in solved_instances()[::5]:
        problem = priced(cells, y, theta, weight)
        turn = screen(problem, ("simple", "chain", "across"), in_sequence=True)
        seen = np.zeros(cells.shape[1], dtype=int)
        for outcome in turn.outcomes:
            seen += outcome.removed
        assert seen.max(initial=0) <= 1


def test_a_clause_over_what_is_left_costs_the_same_over_all_columns():
    _, matrix, y, weight, _ = tied_table(3)
    found = screen(priced(matrix, y, 0.1, weight), COUNTING)
    small = found.restricted()
    clause = steepest_clause(small)
    assert found.problem.cost(found.kept[clause]) == pytest.approx(small.cost(clause))


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


def test_a_test_that_is_not_there_is_named():
    _, matrix, y, weight, _ = tied_table(1)
    problem = priced(matrix, y, 1.0, weight)
    with pytest.raises(ValueError, match=r"must be some of simple, .*; got 'magic'"):
        screen(problem, ("magic",))
    with pytest.raises(ValueError, match="needs `bounds`"):
        screen(problem, ("duality given",))
    assert set(EVERYTHING) == set(TESTS)


@pytest.mark.parametrize("form", ["cnf", "dnf"])
def test_a_table_is_screened_in_the_orientation_of_its_rule(form):
    _, matrix, y, weight, _ = tied_table(3)
    table, none = labelled(matrix.A, y, weight), np.zeros(matrix.shape[1], int)
    table = replace(table, given=replace(table.conditions, chain=none - 1, place=none))
    rule = table if form == "cnf" else table.opposite
    expected = screen(priced(matrix, y, 0.1, weight), ("simple",))
    found = screen_table(rule, form, 0.1, ("simple",))
    assert found.removed.tolist() == expected.removed.tolist()
    assert found.problem.price == pytest.approx(expected.problem.price)
    best = best_conditions(rule, form, 0.1, screening=None)
    assert best.cost == pytest.approx(best_columns(priced(matrix, y, 0.1, weight)).cost)
