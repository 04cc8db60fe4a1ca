"""Clauses proved by an integer program, and arguments that do not fit."""

import numpy as np
import pytest
from hypothesis import given

from rulekit.search.lp import solve_milp
from rulekit.search.one_level.problem import CoverProblem
from tests.engines import ENGINES, solved_by
from tests.reference import one_level as reference
from tests.strategies.covers import cover_problems


@pytest.fixture(params=[*ENGINES, "compiled"], autouse=True)
def engine(request):
    with solved_by(request.param):
        yield request.param


@given(cover_problems())
def test_exact_clause_is_the_best_subset_and_relaxations_are_below(problem):
    A, y, rows, theta = problem
    cover = CoverProblem(A, y)
    exact, best = cover.exact(rows, theta), reference.best_clause_cost(A, y, rows, theta)
    assert exact.proved
    assert exact.cost == pytest.approx(best, abs=1e-9)
    assert exact.cost == pytest.approx(
        reference.clause_cost(A, y, rows, exact.selected, theta), abs=1e-9
    )
    learned = cover.learn(rows, theta)
    assert learned.bound - 1e-9 <= exact.cost <= learned.cost + 1e-9


@given(cover_problems(max_columns=4, max_rows=6))
def test_printed_integer_program_is_solved_by_the_exact_clause(problem):
    A, y, rows, theta = problem
    printed = solve_milp(reference.printed_program(A, y, rows, theta))
    best = reference.best_clause_cost(A, y, rows, theta)
    assert printed.value == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": np.zeros(3, dtype=bool)}, "`A` must have two dimensions"),
        ({"y": np.zeros(2, dtype=bool)}, r"`y` must have shape \(4,\).* its shape is \(2,\)"),
        ({"weight": np.ones(3)}, r"`weight` must have shape \(4,\)"),
        ({"perturbation": np.ones(3)}, r"`perturbation` must have shape \(2,\)"),
    ],
)
def test_arguments_that_do_not_fit_are_named(change, message):
    good = {"A": np.ones((4, 2), dtype=bool), "y": np.ones(4, dtype=bool)}
    with pytest.raises(ValueError, match=message):
        CoverProblem(**(good | change))
