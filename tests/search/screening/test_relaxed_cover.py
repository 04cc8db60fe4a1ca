"""Column generation: the value of the whole linear program, and a bound that needs no solver."""

import time

import numpy as np
import pytest

from rulekit.exceptions import SolverError
from rulekit.search.columns.candidates import priced
from rulekit.search.lp import LPSolution
from rulekit.search.screening import relaxed_cover
from rulekit.search.screening.relaxed_cover import relax
from tests.engines import ENGINES, solved_by
from tests.reference import one_level as reference
from tests.reference import screening
from tests.reference.candidates import MatrixColumns
from tests.strategies.covers import threshold_table
from tests.strategies.screening import LAMBDAS, tied_table


@pytest.fixture(params=ENGINES, autouse=True)
def engine(request):
    with solved_by(request.param):
        yield request.param


def problems(n=40):
    for seed in range(n):
        weighted = seed % 2 == 0
        cells, matrix, y, weight, _ = tied_table(seed, n=60, features=4, cuts=6, weighted=weighted)
        yield priced(cells, y, 1.0 / LAMBDAS[seed % 7], weight), matrix.A, y, weight


@pytest.mark.slow
def test_value_equals_the_whole_program():
    for problem, A, y, weight in problems():
        found = relax(problem)
        value, _ = reference.compact_value(A, y, weight, problem.theta, 0.0)
        assert found.solved
        assert found.lower == pytest.approx(value, abs=1e-6)
        w = np.zeros(A.shape[1])
        w[found.columns] = found.weights
        open_rows = np.maximum(0.0, 1.0 - A[y & (weight > 0)] @ w)
        assert problem.price @ w + problem.m @ open_rows == pytest.approx(value, abs=1e-6)


@pytest.mark.slow
def test_the_bound_overdraws_no_column():
    for problem, _, _, _ in problems():
        mu = relax(problem).mu
        assert (mu >= 0).all()
        assert (mu <= problem.m).all()
        assert (problem.P.sums(mu) <= problem.price).all()


def test_few_columns_are_generated():
    A, y, binned = threshold_table(1, n=400, features=10, cuts=40)
    found = relax(priced(MatrixColumns.of(A, binned), y, 0.01))
    assert found.n_generated < A.shape[1] / 4
    value, _ = reference.compact_value(A, y, np.ones(len(y)), 0.01, 0.0)
    assert found.lower == pytest.approx(value, abs=1e-6)


def test_a_price_of_nothing_leaves_a_bound():
    for seed in range(20):
        cells, matrix, y, weight, _ = tied_table(seed)
        problem = priced(cells, y, 0.0, weight)
        found = relax(problem)
        value, _ = reference.compact_value(matrix.A, y, weight, 0.0, 0.0)
        assert found.lower == pytest.approx(value, abs=1e-6)


def test_without_columns_or_rows_every_row_is_left_at_its_weight():
    y = np.array([True, True, False])
    none = priced(MatrixColumns.of(np.zeros((3, 0), dtype=bool)), y, 1.0)
    assert relax(none).lower == 2.0
    nobody = priced(MatrixColumns.of(np.ones((3, 1), dtype=bool)), np.zeros(3, bool), 1.0)
    assert relax(nobody).lower == 0.0
    dear = priced(MatrixColumns.of(np.ones((3, 1), dtype=bool)), y, 5.0)
    assert relax(dear).lower == 2.0
    assert len(relax(dear).columns) == 0


@pytest.mark.parametrize("how", ["deadline", "should_stop"])
def test_stopped_early_it_still_bounds(how):
    cells, matrix, y, weight, _ = tied_table(9, n=60, features=4, cuts=6)
    problem = priced(cells, y, 0.01, weight)
    asked = []

    def stop():
        asked.append(1)
        return len(asked) > 1

    end = {"deadline": time.monotonic() - 1} if how == "deadline" else {"should_stop": stop}
    found = relax(problem, **end)
    value, _ = reference.compact_value(matrix.A, y, weight, 0.01, 0.0)
    assert found.lower <= value + 1e-9
    if how == "deadline":
        assert not found.solved


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_after_any_round_no_clause_costs_less_than_the_bound(rounds):
    better = 0
    for seed in range(60):
        weighted = seed % 2 == 0
        cells, matrix, y, weight, _ = tied_table(seed, features=3, cuts=2, weighted=weighted)
        problem = priced(cells, y, 1.0 / LAMBDAS[seed % 7], weight)
        asked = []

        def stop(asked=asked):
            asked.append(1)
            return len(asked) > rounds

        found = relax(problem, should_stop=stop)
        costs = screening.costs_of_all_subsets(matrix.A, y, weight, problem.theta)
        assert found.lower <= costs.min() + 1e-9
        better += found.lower > found.mu.sum() + 1e-6
    assert better or rounds > 1


def test_a_solver_that_fails_is_named(monkeypatch):
    class Broken(relaxed_cover.GeneratedDual):
        def solve(self, time_limit=None):
            return LPSolution(None, None, None, None, "error", None, "no memory")

    monkeypatch.setattr(relaxed_cover, "GeneratedDual", Broken)
    problem = next(problems())[0]
    with pytest.raises(SolverError, match=r"ended with 'error' \(no memory\)"):
        relax(problem)
