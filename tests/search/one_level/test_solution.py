"""Learned clauses beside the best of all subsets, and arguments that do not fit."""

import numpy as np
import pytest
from hypothesis import given

from rulekit.search.one_level.problem import CoverProblem
from tests.engines import ENGINES, solved_by
from tests.reference import one_level as reference
from tests.strategies.covers import cover_problems


@pytest.fixture(params=[*ENGINES, "compiled"], autouse=True)
def engine(request):
    with solved_by(request.param):
        yield request.param


@given(cover_problems())
def test_bound_and_cost_enclose_the_best_subset(problem):
    A, y, rows, theta = problem
    best = reference.best_clause_cost(A, y, rows, theta)
    learned = CoverProblem(A, y).learn(rows, theta)
    assert learned.bound - 1e-9 <= best <= learned.cost + 1e-9


@given(cover_problems(max_columns=4, max_rows=6))
def test_printed_integer_program_has_the_value_of_the_best_subset(problem):
    A, y, rows, theta = problem
    best = reference.best_clause_cost(A, y, rows, theta)
    assert reference.exact_cost(A, y, rows, theta) == pytest.approx(best, abs=1e-6)


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
