"""Set covering, block coordinate descent and alternation against their plain twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import hamming_cost
from rulekit.search.one_level.problem import LearnedClause
from rulekit.search.two_level.hamming import (
    alternating,
    block_coordinate,
    row_owners,
    set_cover,
    weigh_clauses,
)
from tests.reference import two_level_methods as slow
from tests.strategies.covers import binned_matrix
from tests.strategies.two_level import planted_task, two_level_tasks


def test_equal_questions_are_answered_once_before_the_deadline():
    task = planted_task()
    kept = task.y | (np.arange(len(task.y)) % 2 == 0)
    assert task.learn(kept) is task.learn(kept.copy())
    assert task.solver.n_calls == 1
    task.learn(~kept)
    assert task.solver.n_calls == 2
    task = planted_task()
    task.learn(task.y)
    task.solver.deadline = 0.0
    with pytest.raises(TimeLimitError, match="raise `time_limit`"):
        task.learn(task.y)


@given(two_level_tasks(disable=True))
def test_a_rule_weighs_what_its_columns_weigh(task):
    learned, d = task.learn(task.y | (np.arange(len(task.y)) % 2 == 0)), task.A.shape[1]
    clauses = [LearnedClause.empty(d), LearnedClause.empty(d, disabled=True), learned]
    rule = weigh_clauses(task.table, task.theta, clauses).selection([])
    A = np.hstack([task.A, np.ones((len(task.y), 1), bool)])  # of a disabled clause
    chosen = np.array([np.append(clause.selected, clause.disabled) for clause in clauses])
    expected = hamming_cost(A, task.y, task.weight, chosen, 0.0)
    assert rule.value == pytest.approx(expected + task.theta * rule.chosen.sum())


sizes = st.integers(1, 4)


def learner(task):
    """Learn clauses as sets of columns, from one flag a row, for the plain twins."""

    def learn(kept):
        clause = task.learn(np.array(kept, dtype=bool))
        return None if clause.disabled else frozenset(np.flatnonzero(clause.selected).tolist())

    return learn


def as_sets(selection):
    return [frozenset(np.flatnonzero(row).tolist()) for row in selection.chosen]


def enabled(clauses):
    return [clause for clause in clauses if clause is not None]


@given(two_level_tasks(disable=True), sizes)
def test_clauses_equal_the_plain_twin(task, n_clauses):
    plain = slow.set_cover(task.A.tolist(), learner(task), n_clauses)
    assert as_sets(task.run(set_cover, n_clauses)) == enabled(plain)


def test_clauses_after_an_empty_one_or_the_time_limit_are_off():
    task = planted_task(theta=500.0)
    solution = task.run(set_cover, 3)
    assert not solution.chosen.any()
    assert len(solution.chosen) == 3
    assert task.solver.n_calls == 1
    task = planted_task()
    solution = task.run(set_cover, 3, out_of_time(task))
    assert len(solution.chosen) == 1
    np.testing.assert_array_equal(solution.chosen[0], task.run(set_cover, 1).chosen[0])
    assert solution.history[-1]["stopped"] == "time limit"


def out_of_time(task, allowed=1):
    """Learn clauses until the time is up after some of them."""
    rest = iter(range(allowed))

    def learn(kept):
        if next(rest, None) is None:
            raise TimeLimitError("time is up")
        return task.learn(kept)

    return learn


@given(two_level_tasks(disable=True), sizes)
def test_clauses_equal_the_plain_twins(task, n_clauses):
    A, y, weight = task.A, task.y, task.weight

    def value(clauses):
        return slow.hamming_objective(A, y, weight, clauses, task.theta)

    start = slow.set_cover(A.tolist(), learner(task), n_clauses)
    expected = slow.block_coordinate(A, y, start, learner(task), value)
    assert as_sets(task.run(block_coordinate, n_clauses)) == enabled(expected)
    expected = slow.alternating(A, y, weight, start, learner(task), value)
    solution = task.run(alternating, n_clauses)
    assert as_sets(solution) == enabled(expected)
    assert solution.value == pytest.approx(value(expected), abs=1e-9)


@given(two_level_tasks(disable=True), sizes)
def test_the_objective_never_rises(task, n_clauses):
    solution = task.run(block_coordinate, n_clauses)
    objectives = [step["objective"] for step in solution.history]
    assert all(np.diff(objectives) < 0)
    assert solution.value == objectives[-1]


@given(two_level_tasks())
def test_one_clause_equals_set_covering(task):
    for method in (block_coordinate, alternating):
        np.testing.assert_array_equal(task.run(method, 1).chosen, task.run(set_cover, 1).chosen)


@pytest.mark.parametrize("method", [block_coordinate, alternating])
def test_a_time_limit_keeps_the_best_rule_so_far(method):
    task = planted_task(noise=0.2)
    result = task.run(method, 2, out_of_time(task, 2))
    np.testing.assert_array_equal(result.chosen, task.run(set_cover, 2).chosen)
    assert result.history[-1]["stopped"] == "time limit"


@given(two_level_tasks(disable=True), st.integers(1, 4), st.integers(0, 99))
def test_rows_are_assigned_like_in_the_plain_twin(task, n_clauses, seed):
    rng = np.random.default_rng(seed)
    clauses = [
        frozenset(np.flatnonzero(rng.random(task.A.shape[1]) < 0.4).tolist())
        for _ in range(n_clauses)
    ]
    counts = np.array([[sum(row[j] for j in c) for c in clauses] for row in task.A])
    result = row_owners(task.table, counts)
    expected = [slow.row_owner(task.A, task.y, task.weight, clauses, i) for i in range(len(task.y))]
    assert [None if r < 0 else int(r) for r in result] == expected


@given(two_level_tasks(), sizes)
def test_the_best_rule_met_is_returned(task, n_clauses):
    solution = task.run(alternating, n_clauses)
    assert solution.value == pytest.approx(min(s["objective"] for s in solution.history), abs=1e-8)


def test_equally_near_rows_go_to_the_first_clause():
    A = np.array([[True, False], [True, False], [False, True]])
    table = binned_matrix(A).with_labels(np.array([False, False, True]), np.ones(3)).opposite
    assert row_owners(table, np.array([[1, 1], [1, 1], [0, 0]])).tolist() == [0, 0, -1]
