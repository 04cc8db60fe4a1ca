"""All clauses at once: the short program against the printed one, rounding, and the exact rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.exceptions import TimeLimitError
from rulekit.solvers import two_level_lp
from rulekit.solvers.clause_selection import ClauseSelection
from rulekit.solvers.objectives import error_cost
from rulekit.solvers.one_level import CoverProblem
from rulekit.solvers.two_level_lp import relax, solve_two_level_exact, solve_two_level_lp
from rulekit.solvers.two_level_program import two_level_table
from tests.reference import two_level as reference
from tests.strategies_lp import cover_problems, threshold_table


def small(seed, **changes):
    """A table of a few thresholds and levels, some values missing, as a problem."""
    A, y, structure = threshold_table(seed, n=30, features=2, cuts=3, levels=2, missing=0.1)
    return A, y, CoverProblem(A, y, structure=structure, **changes)


@pytest.mark.parametrize("n_clauses", [1, 2, 3])
@settings(max_examples=12)
@given(seed=st.integers(0, 10_000), theta=st.sampled_from([0.3, 1.5, 2.5, 4.0]))
def test_one_clause_with_chains_has_the_value_of_the_printed_relaxation(n_clauses, seed, theta):
    A, y, problem = small(seed)
    weight = np.random.default_rng(seed).choice([1.0, 2.0], len(y))
    problem.weight = weight
    value = relax(two_level_table(problem, theta), n_clauses).value
    price = theta + problem.perturbation
    printed = reference.printed_relaxation(A, y, weight, n_clauses, price)
    assert value == pytest.approx(printed, rel=1e-7, abs=1e-8)


@settings(max_examples=20)
@given(cover_problems(max_columns=3, max_rows=7), st.integers(1, 2))
def test_the_exact_rule_is_the_best_of_all_rules_and_proved(problem, n_clauses):
    A, y, weight, theta = problem
    found = solve_two_level_exact(CoverProblem(A, y, weight), theta, n_clauses)
    best = reference.best_error_cost(A, y, weight, n_clauses, theta)
    assert found.proved
    assert found.value == pytest.approx(best, abs=1e-5)
    assert found.lower_bound == found.value
    assert found.value == pytest.approx(error_cost(A, y, weight, found.chosen, theta))


@settings(max_examples=25)
@given(cover_problems(), st.integers(1, 3))
def test_the_rounded_rule_costs_what_it_says_and_no_less_than_its_bound(problem, n_clauses):
    A, y, weight, theta = problem
    found = solve_two_level_lp(CoverProblem(A, y, weight), theta, n_clauses)
    assert found.chosen.shape == (n_clauses, A.shape[1])
    assert found.value == pytest.approx(
        reference.error_cost(A, y, weight, found.chosen, theta), abs=1e-9
    )
    assert found.lower_bound <= found.value + 1e-9


def test_both_engines_give_the_same_rule():
    rules = []
    for engine in ("auto", "scipy"):
        _, _, problem = small(4, engine=engine)
        rules.append(solve_two_level_lp(problem, 0.5, 2).chosen)
    np.testing.assert_array_equal(*rules)


@pytest.mark.parametrize("solve", [solve_two_level_lp, solve_two_level_exact])
def test_masks_of_columns_are_respected(solve):
    A, y, structure = threshold_table(1, n=20, features=2, cuts=2)
    problem = CoverProblem(A, y, structure=structure)
    free = solve(problem, 0.5, 2).chosen.any(axis=0)
    problem.allowed = ~free
    problem.required = np.arange(len(free)) == np.flatnonzero(~free)[0]
    rule = solve(problem, 0.5, 2)
    assert not rule.chosen[:, free].any()
    assert rule.chosen[:, problem.required].all()


def test_a_clause_that_cannot_help_is_disabled_where_that_is_free():
    A = np.array([[True], [True], [False], [False]])
    problem = CoverProblem(A, np.array([True, True, False, False]))
    rule = solve_two_level_exact(problem, 1.5, 3, disable_cost=0.0)
    assert rule.disabled.sum() == 2
    assert rule.value == 1.5


def test_an_exact_rule_out_of_time_is_the_start_with_a_bound_below_it():
    A, y, structure = threshold_table(0, n=150, features=4, cuts=6)
    problem = CoverProblem(A, y, structure=structure)
    rounded = solve_two_level_lp(problem, 1.0, 2)
    start = ClauseSelection(rounded.chosen, rounded.disabled, rounded.value)
    found = solve_two_level_exact(problem, 1.0, 2, time_limit=0.01, start=start)
    assert not found.proved
    assert found.value <= start.value
    assert found.lower_bound is None or found.lower_bound <= found.value


def test_a_table_too_large_for_the_exact_method_is_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(two_level_lp, "MAX_ENTRIES", 100)
    _, _, problem = small(0)
    with pytest.raises(ValueError, match=r"up to 100 entries .* Use `method='alternating'`"):
        solve_two_level_exact(problem, 1.0, 2)


def test_a_relaxation_out_of_time_says_so():
    A, y, structure = threshold_table(0, n=600, features=12, cuts=10)
    problem = CoverProblem(A, y, structure=structure, time_limit=1e-3)
    with pytest.raises(TimeLimitError, match=r"two-level linear program was not solved within"):
        solve_two_level_lp(problem, 2.0, 3)


@pytest.mark.parametrize("solve", [solve_two_level_lp, solve_two_level_exact])
def test_a_rule_needs_a_clause(solve):
    _, _, problem = small(0)
    with pytest.raises(ValueError, match="`n_clauses` must be at least 1, got 0"):
        solve(problem, 1.0, 0)


def test_disabled_clauses_are_on_offer_to_the_relaxation_too():
    A = np.zeros((4, 1), dtype=bool)
    problem = CoverProblem(A, np.ones(4, dtype=bool))
    rule = solve_two_level_lp(problem, 1.0, 2, disable_cost=0.0)
    assert rule.disabled.all()
    assert rule.value == 0.0
