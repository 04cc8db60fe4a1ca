"""The best clause with proof: the optimum of all subsets, whatever was screened before."""

import time

import numpy as np
import pytest

from rulekit.exceptions import SolverError
from rulekit.search.columns.priced_columns import price_columns
from rulekit.search.lp import LPSolution
from rulekit.search.screening import proved_cover
from rulekit.search.screening.proved_cover import best_columns, merge_rows, relax
from rulekit.search.screening.screen import list_unproved
from tests.reference import one_level
from tests.reference import screening as reference
from tests.strategies.covers import binned_matrix, chained, threshold_table
from tests.strategies.screening import LAMBDAS, tied_table

pytestmark = pytest.mark.usefixtures("engine")  # both, see `tests.engines`


@pytest.mark.slow
@pytest.mark.parametrize("screening", [None, "counting", "duality"])
def test_it_costs_what_the_best_of_all_subsets_costs(screening):
    for seed in range(120):
        cells, matrix, y, weight, _ = tied_table(seed, features=3, cuts=2, weighted=seed % 2 == 0)
        theta = 1.0 / LAMBDAS[seed % len(LAMBDAS)]
        columns = best_columns(price_columns(cells, y, theta, weight), screening=screening)
        costs = reference.costs_of_all_subsets(matrix, y, weight, theta)
        assert columns.proved
        assert columns.cost == pytest.approx(costs.min(), abs=1e-6)
        assert columns.bound <= costs.min() + 1e-9
        own = reference.cost(matrix, y, weight, theta, columns.columns.tolist())
        assert own == pytest.approx(columns.cost)


def fractional(n=9):
    """Rows in a circle, each covered by two columns: the relaxation takes half of each column."""
    A = np.zeros((n, n), dtype=bool)
    A[np.arange(n), np.arange(n)] = A[np.arange(n), (np.arange(n) + 1) % n] = True
    return chained(binned_matrix(A)), np.ones(n, dtype=bool)


def test_bounds_close_by_the_program_and_remain_without_time():
    columns, y = fractional()
    result = best_columns(price_columns(columns, y, 0.1))
    assert result.relaxation.lower == pytest.approx(0.45)
    assert (result.cost, result.bound, result.proved) == (pytest.approx(0.5), result.cost, True)
    assert result.n_left == 9
    result = best_columns(price_columns(columns, y, 1.0))  # whole costs: 4.5 is rounded up
    assert (result.cost, result.proved, result.n_left) == (5.0, True, 0)
    result = best_columns(price_columns(columns, y, 0.1), deadline=time.monotonic() - 1.0)
    assert not result.proved
    assert result.bound <= 0.45 <= result.cost


def test_columns_left_out_are_bounded_by_reduced_costs(monkeypatch):
    monkeypatch.setattr(proved_cover, "FIRST", 3)
    monkeypatch.setattr(proved_cover, "GROWTH", 2)
    for seed in range(40):
        _, y, binned = threshold_table(seed, n=60, features=3, cuts=4)
        problem = price_columns(chained(binned), y, 0.01)
        whole = best_columns(problem, screening="duality")
        part = best_columns(problem, screening=None)
        assert part.cost == pytest.approx(whole.cost, abs=1e-6)
        assert part.proved


@pytest.mark.parametrize("limit", ["MAX_CELLS", "MAX_MERGED"])
def test_a_program_too_large_for_memory_is_cut_and_reported_as_weaker(monkeypatch, limit):
    columns, y = fractional()
    monkeypatch.setattr(proved_cover, limit, 9)
    result = best_columns(price_columns(columns, y, 0.1))
    assert not result.proved
    assert result.bound == pytest.approx(0.45)
    assert result.cost >= result.bound


def test_few_columns_are_generated_and_removals_certified():
    A, y, binned = threshold_table(3, n=120, features=5, cuts=8)
    columns = best_columns(price_columns(chained(binned), y, 0.01))
    assert columns.screening.removed.mean() > 0.5
    assert list_unproved(columns.screening, lambda j: A[:, j], y, 0.01) == []
    A, y, binned = threshold_table(1, n=400, features=10, cuts=40)
    relaxed = relax(price_columns(chained(binned), y, 0.01))
    assert relaxed.n_generated < A.shape[1] / 4
    value, _ = one_level.compact_value(A, y, np.ones(len(y)), 0.01, 0.0)
    assert relaxed.lower == pytest.approx(value, abs=1e-6)


def test_equal_rows_are_merged_with_their_weights():
    A = np.array([[1, 0], [0, 1], [1, 0], [0, 0]], dtype=bool)
    weight = np.array([1.0, 2.0, 4.0, 8.0])
    problem = price_columns(chained(binned_matrix(A)), np.ones(4, bool), 1.0, weight)
    merged, sums = merge_rows(problem)
    rows = dict(zip(map(tuple, merged.tolist()), sums.tolist(), strict=True))
    assert rows == {(True, False): 5.0, (False, True): 2.0, (False, False): 8.0}
    none = price_columns(chained(binned_matrix(A[:, :0])), np.ones(4, bool), 1.0, weight)
    assert merge_rows(none)[1].tolist() == [15.0]


def test_a_solver_that_fails_is_named(monkeypatch):
    def broken(*args, **kwargs):
        return LPSolution(message="no memory")

    monkeypatch.setattr(proved_cover, "solve_milp", broken)
    columns, y = fractional()
    with pytest.raises(SolverError, match=r"ended with 'error' \(no memory\)"):
        best_columns(price_columns(columns, y, 0.1))


def problems(n=40):
    for seed in range(n):
        weighted = seed % 2 == 0
        cells, matrix, y, weight, _ = tied_table(seed, n=60, features=4, cuts=6, weighted=weighted)
        yield price_columns(cells, y, 1.0 / LAMBDAS[seed % 7], weight), matrix, y, weight


@pytest.mark.slow
def test_the_value_is_that_of_the_whole_program_by_a_true_bound():
    for problem, A, y, weight in problems():
        relaxed = relax(problem)
        value, _ = one_level.compact_value(A, y, weight, problem.theta, 0.0)
        assert relaxed.solved
        assert relaxed.lower == pytest.approx(value, abs=1e-6)
        w = np.zeros(A.shape[1])
        w[relaxed.columns] = relaxed.weights
        open_rows = np.maximum(0.0, 1.0 - A[y & (weight > 0)] @ w)
        assert problem.price @ w + problem.m @ open_rows == pytest.approx(value, abs=1e-6)
    for problem, _, _, _ in problems():
        mu = relax(problem).mu
        assert (mu >= 0).all()
        assert (mu <= problem.m).all()
        assert (problem.P.sums(mu) <= problem.price).all()


def test_prices_of_nothing_and_empty_tables_have_a_bound():
    for seed in range(20):
        cells, matrix, y, weight, _ = tied_table(seed)
        problem = price_columns(cells, y, 0.0, weight)
        relaxed = relax(problem)
        value, _ = one_level.compact_value(matrix, y, weight, 0.0, 0.0)
        assert relaxed.lower == pytest.approx(value, abs=1e-6)
        bound = best_columns(problem, deadline=time.monotonic() - 1.0).bound
        assert not np.signbit(bound)  # rounded up from just below 0, it would be shown as -0
    y = np.array([True, True, False])
    none = price_columns(chained(binned_matrix(np.zeros((3, 0), dtype=bool))), y, 1.0)
    assert relax(none).lower == 2.0
    nobody = price_columns(
        chained(binned_matrix(np.ones((3, 1), dtype=bool))), np.zeros(3, bool), 1.0
    )
    assert relax(nobody).lower == 0.0
    dear = price_columns(chained(binned_matrix(np.ones((3, 1), dtype=bool))), y, 5.0)
    assert relax(dear).lower == 2.0
    assert len(relax(dear).columns) == 0


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_after_any_round_no_clause_costs_less_than_the_bound(rounds, monkeypatch):
    better = 0
    for seed in range(60):
        cells, matrix, y, weight, _ = tied_table(seed, features=3, cuts=2, weighted=seed % 2 == 0)
        problem = price_columns(cells, y, 1.0 / LAMBDAS[seed % 7], weight)
        over = iter([False] * rounds + [True] * 99)
        monkeypatch.setattr(proved_cover, "_is_over", lambda deadline, over=over: next(over))
        relaxed = relax(problem)
        costs = reference.costs_of_all_subsets(matrix, y, weight, problem.theta)
        assert relaxed.lower <= costs.min() + 1e-9
        better += relaxed.lower > relaxed.mu.sum() + 1e-6
    assert better or rounds > 1
