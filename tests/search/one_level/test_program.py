"""The dual of one clause: its vertex, the interval of theta, and what is not an answer."""

import numpy as np
import pytest

from rulekit.binning import BinnedTable
from rulekit.exceptions import SolverError
from rulekit.search.columns.rounding import PERTURBATION
from rulekit.search.lp import solve_lp
from rulekit.search.one_level import problem as cover_program
from rulekit.search.one_level.problem import CoverProblem, CoverProgram, ThetaPath, Vertex
from tests.engines import ENGINES, only_highspy, solved_by
from tests.reference import one_level as reference
from tests.strategies.covers import sub_problems, threshold_table


@pytest.fixture(params=[*ENGINES, "compiled"], autouse=True)
def engine(request):
    with solved_by(request.param):
        yield request.param


@pytest.fixture(scope="module")
def table():
    return threshold_table(7, n=120, features=5, cuts=6, levels=3)


@pytest.mark.slow
@only_highspy
def test_skipped_theta_interval_has_the_solved_clause(table):
    _, y, binned = table
    problem = CoverProblem(binned, y)
    for rows, _ in sub_problems(y, 8, 6):
        for theta in (1e-4, 1e-2, 1.0):
            problem.solve(rows, theta)
    for path in problem._paths.values():
        for piece in path.pieces:
            assert piece.lower < piece.upper
    fresh = CoverProblem(binned, y)
    fresh.remember = False
    for rows, _ in sub_problems(y, 8, 6):
        for theta in np.geomspace(1e-4, 2.0, 7):
            before = problem.counters.n_solved
            found = problem.solve(rows, theta)
            if problem.counters.n_solved == before:
                np.testing.assert_array_equal(found.w, fresh.solve(rows, theta).w)
    assert problem.counters.n_calls - problem.counters.n_solved > 10


@pytest.mark.slow
@only_highspy
def test_all_engines_end_in_the_same_vertex(table):
    _, y, binned = table
    fast = CoverProblem(binned, y)
    plain = CoverProblem(binned, y)
    for rows, theta in sub_problems(y, 9, 15):
        found = fast.solve(rows, theta).w
        for engine in ("scipy", "compiled"):
            plain._paths.clear()
            with solved_by(engine):
                np.testing.assert_array_equal(found, plain.solve(rows, theta).w)


@pytest.mark.slow
@only_highspy
def test_a_program_that_grows_ends_in_the_same_vertex(monkeypatch):
    A, y, _ = threshold_table(13, n=100, features=20, cuts=9)
    found = []
    for limit in (10_000, 7):
        monkeypatch.setattr(cover_program, "FEW", limit)
        problem = CoverProblem(A, y)
        problem.remember = False
        found.append([problem.solve(*question) for question in sub_problems(y, 10, 25)])
    for whole, grown in zip(*found, strict=True):
        np.testing.assert_array_equal(whole.w, grown.w)
        assert whole.value == grown.value


def answers(A, y, questions):
    """Solve each question anew, and say in which interval of theta each answer stands."""
    # drawn as learners draw them: evenly spread ones cancel in sums of four
    prices = PERTURBATION * (0.5 + 0.5 * np.random.default_rng(0).random(A.shape[1]))
    problem = CoverProblem(A, y, perturbation=prices)
    problem.remember = False
    found = [problem.solve(*question) for question in questions]
    return found, [path.pieces for path in problem._paths.values()]


@pytest.mark.slow
def test_identical_rows_share_a_variable_and_the_vertex_is_unchanged(monkeypatch):
    A, y, _ = threshold_table(17, n=300, features=4, cuts=12)
    questions = [(rows, theta) for rows, _ in sub_problems(y, 11, 4) for theta in (0.02, 0.5, 3.0)]
    monkeypatch.setattr(cover_program, "FEW", A.shape[1])
    with solved_by("scipy"):  # all columns at once, from nothing
        whole, _ = answers(A, y, questions)
    monkeypatch.setattr(cover_program, "FEW", 3)
    merged, intervals = answers(A, y, questions)
    for expected, found in zip(whole, merged, strict=True):
        np.testing.assert_array_equal(found.w, expected.w)
        assert found.value == expected.value
    assert sum(found.w.any() for found in whole) > 5
    # the intervals that groups of rows give are right: in the middle of each stands its clause
    rest = [rows for rows, theta in questions if theta == 3.0]
    monkeypatch.undo()
    for rows, pieces in zip(rest, intervals, strict=True):
        for piece in pieces:
            if len(piece.columns) and piece.lower > 0:
                found, _ = answers(A, y, [(rows, (piece.lower + piece.upper) / 2)])
                np.testing.assert_array_equal(np.flatnonzero(found[0].w), piece.columns)


def test_differing_primal_and_dual_values_are_an_error(monkeypatch, table):
    A, y, _ = table
    monkeypatch.setattr(cover_program, "snapped", lambda w, P: w / 2)
    with pytest.raises(SolverError, match="must agree to 1e-7"):
        CoverProblem(A, y).solve(None, 0.1)


def test_a_program_that_fails_is_an_error_with_the_solvers_words(monkeypatch, table):
    A, y, _ = table
    failed = solve_lp(reference.printed_program(A, y, np.ones(len(y)), 1.0), time_limit=1e-9)
    broken = type(failed)(None, None, None, None, "error", None, "numerical trouble")
    monkeypatch.setattr(CoverProgram, "_run", lambda *_: (None, broken))
    with pytest.raises(SolverError, match=r"'error' \(numerical trouble\)"):
        CoverProblem(A, y).solve(None, 0.1)


def vertex(columns, lower, upper):
    return Vertex(np.array(columns), np.ones(len(columns)), lower, upper)


def test_path_reuses_a_clause_only_where_it_is_proved():
    path = ThetaPath()
    path.add(1.0, vertex([0], -0.25, 0.5))
    path.add(3.0, vertex([1], 0.0, 0.0))
    assert path.at(0.75).columns.tolist() == [0]
    assert path.at(1.5).columns.tolist() == [0]
    assert path.at(3.0).columns.tolist() == [1]
    assert path.at(1.6) is None
    assert path.at(2.9) is None


def test_a_clause_optimal_at_two_prices_is_optimal_between_them():
    path = ThetaPath()
    path.add(1.0, vertex([0, 2], 0.0, 0.0))
    path.add(2.0, vertex([0, 2], 0.0, 0.5))
    assert len(path.pieces) == 1
    assert path.at(1.4) is path.at(2.5)
    assert path.at(0.9) is None


def test_clause_is_empty_exactly_from_theta_max_on():
    A, y = np.ones((4, 1), dtype=bool), np.array([True, True, True, False])
    program = CoverProgram(BinnedTable.of_matrix(A[y]))
    found = program.solve(np.array([2.5 + (~y).sum(), np.inf]), np.ones(3))
    assert not len(found.columns)
    assert found.lower == -0.5
    assert found.upper == np.inf
