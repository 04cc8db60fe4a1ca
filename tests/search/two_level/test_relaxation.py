"""All clauses at once: the short program against the printed one, rounding, and the exact rule."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import ClauseSelection, error_cost
from rulekit.search.lp import solve_lp
from rulekit.search.two_level import relaxation as two_level_lp
from rulekit.search.two_level.relaxation import (
    solve_two_level_exact,
    solve_two_level_lp,
    two_level_program,
    write_out,
)
from tests.reference import two_level as reference
from tests.strategies.covers import cover_problem, cover_problems, threshold_table

pytestmark = pytest.mark.usefixtures("engine")  # both, see `tests.engines`


def small(seed, weight=None):
    """A table of a few thresholds and levels, some values missing, as a problem."""
    A, y, binned = threshold_table(seed, n=30, features=2, cuts=3, levels=2, missing=0.1)
    return A, y, cover_problem(binned, y, weight)


@pytest.mark.slow
@given(cover_problems(max_columns=3, max_rows=7), st.integers(1, 2))
def test_the_exact_rule_is_the_best_of_all_rules_and_proved(problem, n_clauses):
    A, y, weight, theta = problem
    solution = solve_two_level_exact(cover_problem(A, y, weight), theta, n_clauses)
    best = reference.best_error_cost(A, y, weight, n_clauses, theta)
    assert solution.proved
    assert solution.value == pytest.approx(best, abs=1e-5)
    assert solution.lower_bound == solution.value
    assert solution.value == pytest.approx(error_cost(A, y, weight, solution.chosen, theta))


@pytest.mark.slow
@given(cover_problems(), st.integers(1, 3))
def test_rounded_rule_costs_its_stated_value_above_its_bound(problem, n_clauses):
    A, y, weight, theta = problem
    solution = solve_two_level_lp(cover_problem(A, y, weight), theta, n_clauses)
    assert solution.chosen.shape == (n_clauses, A.shape[1])
    assert solution.value == pytest.approx(
        reference.error_cost(A, y, weight, solution.chosen, theta), abs=1e-9
    )
    assert solution.lower_bound <= solution.value + 1e-9


def test_disabled_clauses_and_timeouts_are_marked():
    A = np.array([[True], [True], [False], [False]])
    problem = cover_problem(A, np.array([True, True, False, False]))
    rule = solve_two_level_exact(problem, 1.5, 3, may_disable=True)
    assert len(rule.chosen) == 1
    assert rule.value == 1.5
    A = np.zeros((4, 1), dtype=bool)
    problem = cover_problem(A, np.ones(4, dtype=bool))
    rule = solve_two_level_lp(problem, 1.0, 2, may_disable=True)
    assert not len(rule.chosen)
    assert rule.value == 0.0
    A, _, problem = small(1)
    (rows, _, _), price, groups = write_out(problem, 1.0, may_disable=True)
    assert rows.shape[1] == A.shape[1] + 1
    assert rows[:, -1].all()
    assert price[-1] == pytest.approx(0.0, abs=1e-6)
    assert groups[-1].columns.tolist() == [A.shape[1]]
    _, y, binned = threshold_table(0, n=150, features=4, cuts=6)
    problem = cover_problem(binned, y)
    rounded = solve_two_level_lp(problem, 1.0, 2)
    start = ClauseSelection(rounded.chosen, rounded.value)
    problem.deadline = time.monotonic() + 0.01
    solution = solve_two_level_exact(problem, 1.0, 2, start)
    assert not solution.proved
    assert solution.value <= start.value
    assert solution.lower_bound is None or solution.lower_bound <= solution.value
    _, y, binned = threshold_table(0, n=600, features=12, cuts=10)
    problem = cover_problem(binned, y)
    problem.deadline = time.monotonic()
    with pytest.raises(TimeLimitError, match=r"two-level linear program was not solved within"):
        solve_two_level_lp(problem, 2.0, 3)


@pytest.mark.slow
def test_a_table_too_large_is_refused_with_a_way_out(monkeypatch):
    A, y, problem = small(0)
    rows = {(*row, label) for row, label in zip(A.tolist(), y.tolist(), strict=True)}
    entries = len(rows) * A.shape[1]
    for solve, name, n in (
        (solve_two_level_exact, "MOST_OF_EXACT", 2 * entries),
        (solve_two_level_lp, "MOST_OF_RELAXED", entries),
    ):
        monkeypatch.setattr(two_level_lp, name, n)
        solve(problem, 1.0, 2)
        monkeypatch.setattr(two_level_lp, name, n - 1)
        with pytest.raises(ValueError, match=rf"has {n:,}\. Use `method='alternating'`"):
            solve(problem, 1.0, 2)


@given(cover_problems(), st.integers(1, 3), st.randoms(use_true_random=False))
def test_covering_a_row_gains_what_its_error_falls_by(problem, n_clauses, random):
    A, y, weight, theta = problem
    rows, price, _ = write_out(cover_problem(A, y, weight), theta)
    w = np.array([[random.choice([0.0, 0.3, 0.5, 1.0]) for _ in price]] * n_clauses)
    w *= np.array([[random.choice([0.5, 1.0])] for _ in w])
    r = random.randrange(n_clauses)
    gain = two_level_lp._gain_of_covering(rows, w, r)
    # the same clauses after one more whole column, true everywhere, is put into clause r
    A, y, weight = rows
    wider = np.hstack([A > 0, np.ones((len(A), 1), dtype=bool)])
    column = (np.arange(n_clauses) == r).astype(float)[:, None]
    before = reference.relaxed_errors(A > 0, y, w)
    after = reference.relaxed_errors(wider, y, np.hstack([w, column]))
    np.testing.assert_allclose(gain, weight * (before - after), atol=1e-12)


@pytest.mark.parametrize("n_clauses", [1, 2, 3])
@given(seed=st.integers(0, 10_000), theta=st.sampled_from([0.3, 1.5, 2.5, 4.0]))
@pytest.mark.slow
def test_one_clause_with_chains_equals_the_printed_relaxation(n_clauses, seed, theta):
    weight = np.random.default_rng(seed).choice([1.0, 2.0], 30)
    A, y, problem = small(seed, weight)
    value = solve_lp(two_level_program(*write_out(problem, theta), n_clauses, 1)).value
    printed = reference.printed_relaxation(A, y, weight, n_clauses, theta + problem.perturbation)
    assert value == pytest.approx(printed, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("n_clauses", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_one_clause_for_all_equals_distinct_clauses(seed, n_clauses):
    parts = *write_out(small(seed)[2], 2.5), n_clauses
    one, all_of_them = (
        solve_lp(two_level_program(*parts, copies)).value for copies in (1, n_clauses)
    )
    assert one == pytest.approx(all_of_them, rel=1e-7)
