"""The one-level problem: against linprog, the printed program and all subsets of columns."""

import pickle
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.rounding import default_perturbation
from rulekit.search.lp import solve_lp
from rulekit.search.one_level.problem import CoverProblem
from tests.engines import ENGINES, solved_by
from tests.reference import one_level as reference
from tests.strategies.covers import cover_problems, labelled, sub_problems, threshold_table

THETAS = tuple(a * 10.0**b for b in range(-4, 2) for a in (1, 2, 5))


@pytest.fixture(params=[*ENGINES, "compiled"], autouse=True)
def engine(request):
    with solved_by(request.param):
        yield request.param


@pytest.fixture(scope="module")
def table():
    return threshold_table(7, n=120, features=5, cuts=6, levels=3)


@pytest.mark.slow
def test_every_program_of_a_sweep_has_the_value_linprog_finds(table):
    A, y, binned = table
    problem = CoverProblem(binned, y)
    for rows, theta in sub_problems(y, 1, 60):
        value = problem.solve(rows, theta).value
        expected, _ = reference.compact_value(A, y, rows, theta, problem.perturbation)
        assert value == pytest.approx(expected, rel=1e-7, abs=1e-9)


@pytest.mark.slow
def test_perturbation_moves_no_optimum_by_more_than_two_millionths(table):
    A, y, binned = table
    problem = CoverProblem(binned, y)
    for rows, theta in sub_problems(y, 2, 30):
        found = problem.solve(rows, theta)
        plain, _ = reference.compact_value(A, y, rows, theta, 0.0)
        w, P = found.w, A[y].astype(float)
        own = (theta + rows[~y] @ A[~y]) @ w + rows[y] @ np.maximum(0.0, 1.0 - P @ w)
        assert plain - 1e-9 <= own <= plain + 2e-6 * max(1.0, w.sum())


@pytest.mark.slow
@given(cover_problems())
def test_the_compact_and_the_printed_program_agree(problem):
    A, y, rows, theta = problem
    printed = reference.printed_value(A, y, rows, theta)
    assert CoverProblem(A, y).solve(rows, theta).value == pytest.approx(printed, abs=1e-5)
    assert solve_lp(reference.printed_program(A, y, rows, theta)).value == pytest.approx(
        printed, abs=1e-9
    )


@given(cover_problems(), st.randoms())
def test_the_order_of_rows_changes_no_bit(problem, random):
    A, y, rows, theta = problem
    order = np.array(random.sample(range(len(y)), len(y)))
    one = CoverProblem(A, y, rows).solve(None, theta)
    two = CoverProblem(A[order], y[order], rows[order]).solve(None, theta)
    np.testing.assert_array_equal(one.w, two.w)
    assert one.value == two.value


def test_the_order_of_columns_only_permutes_the_answer(table):
    A, y, _ = table
    order = np.random.default_rng(4).permutation(A.shape[1])
    eps = default_perturbation(A.shape[1])
    one = CoverProblem(A, y, perturbation=eps)
    two = CoverProblem(A[:, order], y, perturbation=eps[order])
    for rows, theta in sub_problems(y, 5, 15):
        expected, found = one.solve(rows, theta), two.solve(rows, theta)
        np.testing.assert_allclose(found.w, expected.w[order], atol=1e-12)


@pytest.mark.slow
def test_solve_order_memory_and_threads_do_not_change_a_bit(table, engine):
    _, y, binned = table
    requested = [(rows, theta) for rows, _ in sub_problems(y, 6, 4) for theta in THETAS]
    forgetful = CoverProblem(binned, y)
    forgetful.remember = False
    expected = [forgetful.solve(*question) for question in requested]
    assert forgetful.counters.n_solved == len(requested)
    backwards = CoverProblem(binned, y)
    found = [backwards.solve(*question) for question in requested[::-1]][::-1]
    if engine != "scipy":  # SciPy tells no basis, and so no interval of theta
        assert backwards.counters.n_solved < len(requested) / 2
    shared, together = CoverProblem(binned, y), [None] * len(requested)

    def work(start):
        for k in range(start, len(requested), 3):
            together[k] = shared.solve(*requested[k])

    threads = [threading.Thread(target=work, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, two, three in zip(expected, found, together, strict=True):
        np.testing.assert_array_equal(one.w, two.w)
        np.testing.assert_array_equal(one.w, three.w)
        assert one.value == two.value == three.value


def test_a_row_twice_is_a_row_of_weight_two(table):
    A, y, _ = table
    doubled = np.concatenate([np.arange(len(y)), np.flatnonzero(y)])
    weight = np.where(y, 2.0, 1.0)
    one = CoverProblem(A, y, weight).solve(None, 0.5)
    two = CoverProblem(A[doubled], y[doubled]).solve(None, 0.5)
    np.testing.assert_array_equal(one.w, two.w)
    assert one.value == pytest.approx(two.value)


@pytest.mark.slow
@given(cover_problems())
def test_clauses_pay_only_below_theta_max(problem):
    A, y, rows, _ = problem
    top = reference.theta_max(A, y, rows)
    above = reference.best_clause_cost(A, y, rows, top)
    assert above == pytest.approx(rows[y].sum())
    if top > 0:
        assert reference.best_clause_cost(A, y, rows, 0.99 * top) < rows[y].sum()
        assert CoverProblem(A, y).learn(rows, 0.99 * top).selected.any()
    assert not CoverProblem(A, y).learn(rows, top + 1e-5).selected.any()


def test_forbidden_columns_stay_out_and_required_ones_in(table):
    A, y, binned = table
    problem = CoverProblem(binned, y)
    free = problem.learn(None, 0.5).selected
    problem.allowed = ~free
    problem.required = np.arange(A.shape[1]) == np.flatnonzero(~free)[0]
    clause = problem.learn(None, 0.5)
    assert not clause.selected[free].any()
    assert clause.selected[problem.required].all()
    relaxed = problem.solve(None, 0.5)
    assert relaxed.w[problem.required] == 1.0
    assert relaxed.w[free].sum() == 0.0


@pytest.mark.slow
@given(cover_problems(), st.sampled_from([0.0, 0.3]))
def test_disabling_is_one_more_column_that_is_always_true(problem, price):
    A, y, rows, theta = problem
    cover = CoverProblem(A, y)
    always = price + rows[~y].sum()
    best = reference.best_clause_cost(A, y, rows, theta)
    learned = cover.learn(rows, theta, disable_cost=price)
    assert learned.cost <= always + 1e-9
    assert learned.bound <= min(best, always) + 1e-9
    assert not (learned.disabled and learned.selected.any())
    relaxed = cover.solve(rows, theta, disable_cost=price)
    assert 0.0 <= relaxed.disabled <= 1.0
    assert relaxed.value <= min(best, always) + 1e-5


def test_rounding_keeps_a_binary_clause(table):
    A, y, binned = table
    problem = CoverProblem(binned, y)
    w = np.zeros(A.shape[1])
    w[[0, 1, 2]] = 1.0
    for rounding in ("redundancy", "threshold", "random"):
        task = problem.task(problem.sub_problem(None, 1.0))
        np.testing.assert_array_equal(problem.rounded(task, w, rounding), w > 0)


@pytest.mark.parametrize("rounding", ["threshold", "random"])
def test_the_other_roundings_are_on_offer(table, rounding):
    A, y, binned = table
    problem = CoverProblem(binned, y)
    rng = np.random.default_rng(0)
    rows = np.where(y, 1.0, 0.3)
    clause = problem.learn(rows, 0.1, rounding, rng=rng)
    assert clause.cost == pytest.approx(reference.clause_cost(A, y, rows, clause.selected, 0.1))


def test_a_problem_survives_pickling(table):
    _, y, binned = table
    problem = CoverProblem(binned, y)
    expected = problem.solve(None, 0.2)
    copy = pickle.loads(pickle.dumps(problem))
    copy.remember = False
    np.testing.assert_array_equal(copy.solve(None, 0.2).w, expected.w)


def test_rows_or_columns_may_be_lacking():
    nothing = CoverProblem(np.zeros((0, 2), dtype=bool), np.zeros(0, dtype=bool))
    assert nothing.learn(None, 1.0).cost == 0.0
    columnless = CoverProblem(np.zeros((3, 0), dtype=bool), np.ones(3, dtype=bool))
    assert columnless.learn(None, 1.0).cost == 3.0


def test_questions_that_make_no_sense_are_named(table):
    A, y, _ = table
    problem = CoverProblem(A, y)
    with pytest.raises(ValueError, match=r"`theta` must be a finite number of at least 0, got -1"):
        problem.solve(None, -1)
    with pytest.raises(ValueError, match=r"`rows` must hold one weight for each of the 120 rows"):
        problem.solve(np.ones(3), 1.0)
    with pytest.raises(ValueError, match=r"`rounding` must be one of .* got 'up'"):
        problem.learn(None, 1.0, "up")


def test_a_deadline_that_has_passed_ends_a_solve():
    A, y, _ = threshold_table(1, n=700, features=10, cuts=10)
    problem = CoverProblem(A, y)
    problem.deadline = time.monotonic() - 1.0
    with pytest.raises(TimeLimitError, match=r"not solved within .* raise `time_limit`"):
        problem.solve(np.where(y, 1.0, 0.1), 0.01)


@given(st.integers(0, 10_000))
def test_weighted_rows_are_solved_as_linprog_does(seed):
    A, y, binned = threshold_table(seed, n=50, features=3, cuts=4)
    rows = np.random.default_rng(seed).exponential(1.0, len(y))
    problem = CoverProblem(binned, y, rows)
    expected, _ = reference.compact_value(A, y, rows, 0.3, problem.perturbation)
    assert problem.solve(None, 0.3).value == pytest.approx(expected, rel=1e-7, abs=1e-9)


@given(cover_problems())
def test_a_dnf_has_the_clause_of_its_mirrored_cnf(problem):
    A, y, rows, theta = problem
    mirrored = labelled(A, y, rows).opposite
    one = CoverProblem(A, y, rows).learn(None, theta)
    other = CoverProblem(mirrored, form="dnf").learn(None, theta)
    assert (one.selected == other.selected).all()
    assert (one.cost, one.bound) == (other.cost, other.bound)


def test_a_matrix_needs_labels():
    with pytest.raises(ValueError, match=r"`y` must have shape \(3,\)"):
        CoverProblem(np.ones((3, 2), dtype=bool))
