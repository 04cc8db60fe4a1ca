"""The short two-level program against the printed one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.lp import solve_lp
from rulekit.search.one_level.problem import CoverProblem
from rulekit.search.two_level.relaxation import two_level_program, two_level_table
from tests.engines import ENGINES, solved_by
from tests.reference import two_level as reference
from tests.strategies.covers import threshold_table


@pytest.fixture(params=ENGINES, autouse=True)
def engine(request):
    with solved_by(request.param):
        yield request.param


def small(seed):
    """A table of a few thresholds and levels, some values missing, as a problem."""
    A, y, binned = threshold_table(seed, n=30, features=2, cuts=3, levels=2, missing=0.1)
    return A, y, CoverProblem(binned, y)


@pytest.mark.parametrize("n_clauses", [1, 2, 3])
@given(seed=st.integers(0, 10_000), theta=st.sampled_from([0.3, 1.5, 2.5, 4.0]))
@pytest.mark.slow
def test_one_clause_with_chains_equals_the_printed_relaxation(n_clauses, seed, theta):
    A, y, problem = small(seed)
    weight = np.random.default_rng(seed).choice([1.0, 2.0], len(y))
    problem.weight = weight
    value = solve_lp(two_level_program(two_level_table(problem, theta), n_clauses, 1)).value
    price = theta + problem.perturbation
    printed = reference.printed_relaxation(A, y, weight, n_clauses, price)
    assert value == pytest.approx(printed, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("n_clauses", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_one_clause_for_all_equals_distinct_clauses(seed, n_clauses):
    table = two_level_table(small(seed)[2], 2.5)
    one, all_of_them = (
        solve_lp(two_level_program(table, n_clauses, copies)).value for copies in (1, n_clauses)
    )
    assert one == pytest.approx(all_of_them, rel=1e-7)


def test_forbidden_columns_drop_out_and_a_disabling_one_is_added():
    A, _, problem = small(1)
    problem.allowed = np.arange(A.shape[1]) % 2 == 0
    table = two_level_table(problem, 1.0, disable_cost=0.5)
    assert table.columns.tolist() == [*np.flatnonzero(problem.allowed), -1]
    assert table.A[:, -1].all()
    assert table.price[-1] == pytest.approx(0.5, abs=1e-6)
    held = np.concatenate([g.columns for g in table.groups])
    assert sorted(held) == list(range(len(table.columns)))
