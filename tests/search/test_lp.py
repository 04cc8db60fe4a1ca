"""The door to linear programs: both engines, all endings, and the pieces that stay resident."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from rulekit.search.lp import LinearProgram, ResidentProgram, solve_lp, solve_milp
from tests.engines import only_highspy, solved_by

pytestmark = pytest.mark.usefixtures("engine")  # both, see `tests.engines`


def covering(seed, m=12, n=8):
    """Minimise a price of columns so that every row is covered between 1 and 3 times."""
    rng = np.random.default_rng(seed)
    A = (rng.random((m, n)) < 0.5).astype(float)
    A[:, 0] = 1.0
    bounds = np.ones(m), np.full(m, 3.0), np.zeros(n), np.full(n, 2.0)
    return LinearProgram(0.5 + rng.random(n), A, *bounds)


@given(seed=st.integers(0, 10_000))
def test_optimal_value_equals_a_plain_linprog(seed):
    lp = covering(seed)
    answer = solve_lp(lp)
    A, b = np.vstack([-lp.A, lp.A]), np.concatenate([-lp.lower, lp.upper])
    by_hand = linprog(lp.c, A_ub=A, b_ub=b, bounds=[(0, 2)] * len(lp.c))
    assert answer.status == "optimal"
    assert answer.value == pytest.approx(by_hand.fun, abs=1e-9)
    assert answer.bound == answer.value


@given(seed=st.integers(0, 10_000))
def test_duals_price_the_bounds_exactly(seed):
    lp = covering(seed)
    answer = solve_lp(lp)
    reduced = lp.c - lp.A.T @ answer.duals
    priced = np.where(answer.duals > 0, lp.lower, lp.upper) @ answer.duals
    bounds = np.where(reduced > 0, lp.x_lower, lp.x_upper) @ reduced
    assert priced + bounds == pytest.approx(answer.value, abs=1e-8)


@only_highspy
def test_the_basis_has_one_member_for_each_row():
    lp = covering(3)
    with solved_by("highs"):
        answer = solve_lp(lp)
    assert answer.basic_x.sum() + answer.basic_rows.sum() == len(lp.lower)


def test_equations_and_sparse_matrices_are_understood():
    rows = np.array([4.0, -np.inf]), np.array([4.0, 1.0])
    A = sparse.csr_array(np.array([[1.0, 1.0], [1.0, -1.0]]))
    lp = LinearProgram(np.array([1.0, 2.0]), A, *rows, np.zeros(2), np.full(2, np.inf))
    answer = solve_lp(lp)
    np.testing.assert_allclose(answer.x, [2.5, 1.5])
    np.testing.assert_allclose(answer.duals, [1.5, -0.5])


@pytest.mark.parametrize(
    ("c", "row", "status"), [(1.0, (3.0, np.inf), "infeasible"), (-1.0, (0.0, np.inf), "unbounded")]
)
def test_programs_without_an_optimum_have_a_status_and_no_numbers(c, row, status):
    upper = 2.0 if status == "infeasible" else np.inf
    numbers = map(np.array, ([c], [[1.0]], row[:1], row[1:], [0.0], [upper]))
    answer = solve_lp(LinearProgram(*numbers))
    assert answer.status == status
    assert answer.x is None
    assert answer.value is None
    assert answer.message


def test_a_time_limit_ends_a_solve():
    rng = np.random.default_rng(0)
    A = rng.random((500, 500))
    lp = LinearProgram(
        rng.random(500), A, np.ones(500), np.full(500, np.inf), np.zeros(500), np.full(500, np.inf)
    )
    assert solve_lp(lp, time_limit=1e-3).status == "time limit"


@pytest.mark.parametrize(
    ("lower", "upper", "status"),
    [(-1, 1, "optimal"), (0, 0, "optimal"), (0.5, 1, "infeasible"), (-1, -0.5, "infeasible")],
)
def test_a_program_without_variables_is_answered(lower, upper, status):
    none, lower, upper = np.zeros(0), np.array([float(lower)]), np.array([float(upper)])
    solution = solve_lp(LinearProgram(none, np.zeros((1, 0)), lower, upper, none, none))
    assert (solution.status, solution.value) == (status, 0.0 if status == "optimal" else None)


def test_resident_program_matches_a_fresh_one():
    first, second = covering(1), covering(2)
    resident = ResidentProgram(first)
    for part in (0.5, 0.4, 0.9, 0.4):
        upper = part * second.x_upper
        resident.change_column_bounds(first.x_lower, upper)
        fresh = LinearProgram(first.c, first.A, first.lower, first.upper, first.x_lower, upper)
        expected, result = solve_lp(fresh), resident.solve()
        assert result.status == expected.status
        if result.x is not None:
            np.testing.assert_array_equal(result.x, expected.x)
            np.testing.assert_array_equal(result.duals, expected.duals)


def test_threads_get_the_answers_a_single_thread_gets():
    programs = [covering(seed, 40, 30) for seed in range(12)]
    expected = [solve_lp(lp).value for lp in programs]
    result = [None] * len(programs)

    def work(start):
        for k in range(start, len(programs), 3):
            result[k] = solve_lp(programs[k]).value

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert result == expected


def test_integer_programs_are_proved_or_bounded_in_time():
    lp = covering(5)
    answer = solve_milp(lp)
    choices = np.array(np.meshgrid(*[range(3)] * len(lp.c))).reshape(len(lp.c), -1).T
    reached = choices @ lp.A.T
    feasible = ((reached >= 1) & (reached <= 3)).all(axis=1)
    assert answer.status == "optimal"
    assert answer.value == pytest.approx((choices @ lp.c)[feasible].min())
    assert answer.bound == pytest.approx(answer.value)
    lp = covering(0, 200, 300)
    everything = np.zeros(300)
    everything[0] = 1.0
    answer = solve_milp(lp, time_limit=1e-3, incumbent=(everything, float(lp.c[0])))
    assert answer.status == "time limit"
    assert answer.value <= lp.c[0]
    assert answer.bound is None or answer.bound <= answer.value
