"""The one-level problem: against linprog, the printed program and all subsets of columns."""

import pickle
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import SolverError, TimeLimitError
from rulekit.search.columns.priced_columns import PERTURBATION, default_perturbation, round_clause
from rulekit.search.lp import solve_lp
from rulekit.search.one_level import problem as cover_program
from rulekit.search.one_level.problem import ThetaPath, Vertex
from tests.engines import ENGINES, only_highspy, solved_by
from tests.reference import one_level as reference
from tests.strategies.covers import (
    cover_problem,
    cover_problems,
    sub_problems,
    threshold_table,
)

THETAS = tuple(a * 10.0**b for b in range(-4, 2) for a in (1, 2, 5))


@pytest.fixture(params=[*ENGINES, "compiled"], autouse=True)
def engine(request):
    with solved_by(request.param):
        yield request.param


@pytest.fixture(scope="module")
def table():
    return threshold_table(7, n=120, features=5, cuts=6, levels=3)


@pytest.mark.slow
def test_perturbation_moves_no_optimum_by_more_than_two_millionths(table):
    A, y, binned = table
    problem = cover_problem(binned, y)
    for rows, theta in sub_problems(y, 2, 30):
        solution = problem.solve(rows, theta)
        plain, _ = reference.compact_value(A, y, rows, theta, 0.0)
        w, P = solution.w, A[y].astype(float)
        own = (theta + rows[~y] @ A[~y]) @ w + rows[y] @ np.maximum(0.0, 1.0 - P @ w)
        assert plain - 1e-9 <= own <= plain + 2e-6 * max(1.0, w.sum())


@pytest.mark.slow
@given(cover_problems())
def test_the_compact_and_the_printed_program_agree(problem):
    A, y, rows, theta = problem
    printed = reference.printed_value(A, y, rows, theta)
    assert cover_problem(A, y).solve(rows, theta).value == pytest.approx(printed, abs=1e-5)
    assert solve_lp(reference.printed_program(A, y, rows, theta)).value == pytest.approx(
        printed, abs=1e-9
    )


@given(cover_problems(), st.randoms())
def test_the_order_of_rows_changes_no_bit(problem, random):
    A, y, rows, theta = problem
    order = np.array(random.sample(range(len(y)), len(y)))
    one = cover_problem(A, y, rows).solve(None, theta)
    two = cover_problem(A[order], y[order], rows[order]).solve(None, theta)
    np.testing.assert_array_equal(one.w, two.w)
    assert one.value == two.value


def test_order_of_columns_and_repeated_rows_keep_the_answer(table):
    A, y, _ = table
    order = np.random.default_rng(4).permutation(A.shape[1])
    eps = default_perturbation(A.shape[1])
    one = cover_problem(A, y, perturbation=eps)
    two = cover_problem(A[:, order], y, perturbation=eps[order])
    for rows, theta in sub_problems(y, 5, 15):
        expected, result = one.solve(rows, theta), two.solve(rows, theta)
        np.testing.assert_allclose(result.w, expected.w[order], atol=1e-12)
    doubled = np.concatenate([np.arange(len(y)), np.flatnonzero(y)])
    one = cover_problem(A, y, np.where(y, 2.0, 1.0)).solve(None, 0.5)
    two = cover_problem(A[doubled], y[doubled]).solve(None, 0.5)
    np.testing.assert_array_equal(one.w, two.w)
    assert one.value == pytest.approx(two.value)


@pytest.mark.slow
def test_solve_order_memory_and_threads_do_not_change_a_bit(table, engine):
    _, y, binned = table
    requested = [(rows, theta) for rows, _ in sub_problems(y, 6, 4) for theta in THETAS]
    forgetful = cover_problem(binned, y)
    forgetful.remember = False
    expected = [forgetful.solve(*question) for question in requested]
    assert forgetful.n_solved == len(requested)
    backwards = cover_problem(binned, y)
    result = [backwards.solve(*question) for question in requested[::-1]][::-1]
    if engine != "linprog":  # SciPy tells no basis, and so no interval of theta
        assert backwards.n_solved < len(requested) / 2
    shared, together = cover_problem(binned, y), [None] * len(requested)

    def work(start):
        for k in range(start, len(requested), 3):
            together[k] = shared.solve(*requested[k])

    threads = [threading.Thread(target=work, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, two, three in zip(expected, result, together, strict=True):
        np.testing.assert_array_equal(one.w, two.w)
        np.testing.assert_array_equal(one.w, three.w)
        assert one.value == two.value == three.value


@pytest.mark.slow
@given(cover_problems())
def test_clauses_pay_only_below_theta_max(problem):
    A, y, rows, _ = problem
    top = reference.theta_max(A, y, rows)
    assert reference.best_clause_cost(A, y, rows, top) == pytest.approx(rows[y].sum())
    if top > 0:
        assert reference.best_clause_cost(A, y, rows, 0.99 * top) < rows[y].sum()
        assert cover_problem(A, y).learn(rows, 0.99 * top).selected.any()
    assert not cover_problem(A, y).learn(rows, top + 1e-5).selected.any()


@pytest.mark.slow
@given(cover_problems())
def test_disabling_is_one_more_column_that_is_always_true(problem):
    A, y, rows, theta = problem
    cover = cover_problem(A, y)
    always = rows[~y].sum()
    best = reference.best_clause_cost(A, y, rows, theta)
    learned = cover.learn(rows, theta, may_disable=True)
    assert learned.cost <= always + 1e-9
    assert learned.bound <= min(best, always) + 1e-9
    assert not (learned.disabled and learned.selected.any())
    relaxed = cover.solve(rows, theta, may_disable=True)
    assert 0.0 <= relaxed.disabled <= 1.0
    assert relaxed.value <= min(best, always) + 1e-5


def test_rounding_keeps_a_binary_clause(table):
    A, y, binned = table
    problem = cover_problem(binned, y)
    w = np.zeros(A.shape[1])
    w[[0, 1, 2]] = 1.0
    for rounding in ("redundancy", "threshold", "random"):
        task = problem.sub_problem(None, 1.0)
        np.testing.assert_array_equal(round_clause(task, w, rounding), w > 0)


def test_problems_may_lack_rows_time_and_survive_pickling(table):
    _, y, binned = table
    problem = cover_problem(binned, y)
    expected = problem.solve(None, 0.2)
    copy = pickle.loads(pickle.dumps(problem))
    copy.remember = False
    np.testing.assert_array_equal(copy.solve(None, 0.2).w, expected.w)
    nothing = cover_problem(np.zeros((0, 2), dtype=bool), np.zeros(0, dtype=bool))
    assert nothing.learn(None, 1.0).cost == 0.0
    columnless = cover_problem(np.zeros((3, 0), dtype=bool), np.ones(3, dtype=bool))
    assert columnless.learn(None, 1.0).cost == 3.0
    A, y, _ = threshold_table(1, n=700, features=10, cuts=10)
    problem = cover_problem(A, y)
    problem.deadline = time.monotonic() - 1.0
    with pytest.raises(TimeLimitError, match=r"not solved within .* raise `time_limit`"):
        problem.solve(np.where(y, 1.0, 0.1), 0.01)


@given(st.integers(0, 10_000))
def test_weighted_rows_are_solved_as_linprog_does(seed):
    A, y, binned = threshold_table(seed, n=50, features=3, cuts=4)
    rows = np.random.default_rng(seed).exponential(1.0, len(y))
    problem = cover_problem(binned, y, rows)
    expected, _ = reference.compact_value(A, y, rows, 0.3, problem.perturbation)
    assert problem.solve(None, 0.3).value == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.slow
@only_highspy
def test_skipped_theta_interval_has_the_solved_clause(table):
    _, y, binned = table
    problem = cover_problem(binned, y)
    for rows, _ in sub_problems(y, 8, 6):
        for theta in (1e-4, 1e-2, 1.0):
            problem.solve(rows, theta)
    for path in problem._paths.values():
        for piece in path.pieces:
            assert piece.lower < piece.upper
    fresh = cover_problem(binned, y)
    fresh.remember = False
    for rows, _ in sub_problems(y, 8, 6):
        for theta in np.geomspace(1e-4, 2.0, 7):
            before = problem.n_solved
            solution = problem.solve(rows, theta)
            if problem.n_solved == before:
                np.testing.assert_array_equal(solution.w, fresh.solve(rows, theta).w)
    assert problem.n_calls - problem.n_solved > 10


@pytest.mark.slow
@only_highspy
def test_all_engines_end_in_the_same_vertex(table):
    _, y, binned = table
    fast = cover_problem(binned, y)
    plain = cover_problem(binned, y)
    for rows, theta in sub_problems(y, 9, 15):
        result = fast.solve(rows, theta).w
        for engine in ("linprog", "compiled"):
            plain._paths.clear()
            with solved_by(engine):
                np.testing.assert_array_equal(result, plain.solve(rows, theta).w)


def answers(A, y, questions):
    """Solve each question anew, and say in which interval of theta each answer stands."""
    # drawn as learners draw them: evenly spread ones cancel in sums of four
    prices = PERTURBATION * (0.5 + 0.5 * np.random.default_rng(0).random(A.shape[1]))
    problem = cover_problem(A, y, perturbation=prices)
    problem.remember = False
    results = [problem.solve(*question) for question in questions]
    return results, [path.pieces for path in problem._paths.values()]


@pytest.mark.slow
def test_identical_rows_share_a_variable_and_the_vertex_is_unchanged(monkeypatch):
    A, y, _ = threshold_table(17, n=300, features=4, cuts=12)
    questions = [(rows, theta) for rows, _ in sub_problems(y, 11, 4) for theta in (0.02, 0.5, 3.0)]
    monkeypatch.setattr(cover_program, "FEW", A.shape[1])
    with solved_by("linprog"):  # all columns at once, from nothing
        whole, _ = answers(A, y, questions)
    monkeypatch.setattr(cover_program, "FEW", 3)
    merged, intervals = answers(A, y, questions)
    for expected, result in zip(whole, merged, strict=True):
        np.testing.assert_array_equal(result.w, expected.w)
        assert result.value == expected.value
    assert sum(result.w.any() for result in whole) > 5
    # the intervals that groups of rows give are right: in the middle of each stands its clause
    rest = [rows for rows, theta in questions if theta == 3.0]
    monkeypatch.undo()
    for rows, pieces in zip(rest, intervals, strict=True):
        for piece in pieces:
            if len(piece.columns) and piece.lower > 0:
                result, _ = answers(A, y, [(rows, (piece.lower + piece.upper) / 2)])
                np.testing.assert_array_equal(np.flatnonzero(result[0].w), piece.columns)


def test_differing_primal_and_dual_values_are_an_error(monkeypatch, table):
    A, y, _ = table
    monkeypatch.setattr(cover_program, "snap_weights", lambda w, P: w / 2)
    with pytest.raises(SolverError, match="must agree to 1e-7"):
        cover_problem(A, y).solve(None, 0.1)


def test_paths_reuse_clauses_that_are_proved_between_two_prices():
    bounds = (0.75, 1.5), (3.0, 3.0)
    path = ThetaPath([Vertex(np.array([k]), np.ones(1), *each) for k, each in enumerate(bounds)])
    assert path.get_vertex(0.75).columns.tolist() == [0]
    assert path.get_vertex(1.5).columns.tolist() == [0]
    assert path.get_vertex(3.0).columns.tolist() == [1]
    assert path.get_vertex(1.6) is None
    assert path.get_vertex(2.9) is None
    A, y = np.ones((4, 1), dtype=bool), np.array([True, True, True, False])
    problem = cover_problem(A, y, perturbation=np.zeros(1))
    solution = problem._solve_program(problem.sub_problem(None, 2.5))
    assert not len(solution.columns)
    assert solution.lower == 2.0
    assert solution.upper == np.inf


@given(cover_problems())
def test_bound_and_cost_enclose_the_best_subset(problem):
    A, y, rows, theta = problem
    best = reference.best_clause_cost(A, y, rows, theta)
    learned = cover_problem(A, y).learn(rows, theta)
    assert learned.bound - 1e-9 <= best <= learned.cost + 1e-9
