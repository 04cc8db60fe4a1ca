"""Set covering, block coordinate descent and alternation against their plain twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import hamming_cost
from rulekit.search.two_level.hamming import (
    TwoLevelTask,
    alternating,
    block_coordinate,
    row_owners,
    set_cover,
)
from tests.reference import two_level_methods as slow
from tests.strategies.covers import binned_matrix
from tests.strategies.two_level import planted_task, two_level_tasks


def test_equal_questions_are_answered_once_before_the_deadline():
    task = planted_task()
    kept = task.problem.y | (np.arange(len(task.problem.y)) % 2 == 0)
    assert task.learn(kept) is task.learn(kept.copy())
    assert task.problem.n_calls == 1
    task.learn(~kept)
    assert task.problem.n_calls == 2
    task = planted_task()
    task.learn(task.problem.y)
    task.problem.deadline = 0.0
    with pytest.raises(TimeLimitError, match="raise `time_limit`"):
        task.learn(task.problem.y)


@given(two_level_tasks(disable=True))
def test_a_rule_weighs_what_its_columns_weigh(task):
    learned = task.learn(task.problem.y | (np.arange(len(task.problem.y)) % 2 == 0))
    clauses = [task.make_empty_clause(), task.make_empty_clause(disabled=True), learned]
    rule = task.iterate(clauses).selection([])
    always = np.ones((len(task.problem.y), 1), bool)  # the column of a disabled clause
    A = np.hstack([task.problem.table.values, always])
    chosen = np.array([np.append(clause.selected, clause.disabled) for clause in clauses])
    expected = (
        hamming_cost(A, task.problem.y, task.problem.weight, chosen, 0.0)
        + task.theta * rule.chosen.sum()
    )
    assert rule.value == pytest.approx(expected)


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
    rows = task.problem.table.values.tolist()
    plain = slow.set_cover(rows, learner(task), n_clauses)
    assert as_sets(set_cover(task, n_clauses)) == enabled(plain)


def test_clauses_after_an_empty_one_or_the_time_limit_are_off():
    task = planted_task(theta=500.0)
    solution = set_cover(task, 3)
    assert not solution.chosen.any()
    assert len(solution.chosen) == 3
    assert task.problem.n_calls == 1
    task = planted_task()
    solution = set_cover(out_of_time(task), 3)
    assert len(solution.chosen) == 1
    np.testing.assert_array_equal(solution.chosen[0], set_cover(task, 1).chosen[0])
    assert solution.history[-1]["stopped"] == "time limit"


class RunsOutAfter(TwoLevelTask):
    """A task whose time is up after some clauses."""

    allowed = 1

    def learn(self, kept):
        if len(self.memory) >= self.allowed:
            raise TimeLimitError("time is up")
        return super().learn(kept)


def out_of_time(task):
    return RunsOutAfter(task.problem, task.theta, rng=task.rng)


@given(two_level_tasks(disable=True), sizes)
def test_clauses_equal_the_plain_twins(task, n_clauses):
    A, y, weight = task.problem.table.values, task.problem.y, task.problem.weight

    def value(clauses):
        return slow.hamming_objective(A, y, weight, clauses, task.theta)

    start = slow.set_cover(A.tolist(), learner(task), n_clauses)
    expected = slow.block_coordinate(A, y, start, learner(task), value)
    assert as_sets(block_coordinate(task, n_clauses)) == enabled(expected)
    expected = slow.alternating(A, y, weight, start, learner(task), value)
    solution = alternating(task, n_clauses)
    assert as_sets(solution) == enabled(expected)
    assert solution.value == pytest.approx(value(expected), abs=1e-9)


@given(two_level_tasks(disable=True), sizes)
def test_the_objective_never_rises(task, n_clauses):
    solution = block_coordinate(task, n_clauses)
    objectives = [step["objective"] for step in solution.history]
    assert all(np.diff(objectives) < 0)
    assert solution.value == objectives[-1]


@given(two_level_tasks())
def test_one_clause_equals_set_covering(task):
    for result in (block_coordinate(task, 1), alternating(task, 1)):
        np.testing.assert_array_equal(result.chosen, set_cover(task, 1).chosen)


@pytest.mark.parametrize("method", [block_coordinate, alternating])
def test_a_time_limit_keeps_the_best_rule_so_far(method):
    task = planted_task(noise=0.2)
    slow = out_of_time(task)
    object.__setattr__(slow, "allowed", 2)
    result = method(slow, 2)
    np.testing.assert_array_equal(result.chosen, set_cover(task, 2).chosen)
    assert result.history[-1]["stopped"] == "time limit"


@given(two_level_tasks(disable=True), st.integers(1, 4), st.integers(0, 99))
def test_rows_are_assigned_like_in_the_plain_twin(task, n_clauses, seed):
    rng = np.random.default_rng(seed)
    clauses = [
        frozenset(np.flatnonzero(rng.random(task.problem.table.values.shape[1]) < 0.4).tolist())
        for _ in range(n_clauses)
    ]
    counts = np.array(
        [[sum(row[j] for j in c) for c in clauses] for row in task.problem.table.values]
    )
    result = row_owners(task.problem.table, task.problem.y, task.problem.weight, counts)
    expected = [
        slow.row_owner(task.problem.table.values, task.problem.y, task.problem.weight, clauses, i)
        for i in range(len(task.problem.y))
    ]
    assert [None if r < 0 else int(r) for r in result] == expected


@given(two_level_tasks(), sizes)
def test_the_best_rule_met_is_returned(task, n_clauses):
    solution = alternating(task, n_clauses)
    assert solution.value == pytest.approx(min(s["objective"] for s in solution.history), abs=1e-8)


def test_equally_near_rows_go_to_the_first_clause():
    A = np.array([[True, False], [True, False], [False, True]])
    y = np.array([False, False, True])
    owners = row_owners(binned_matrix(A), y, np.ones(3), np.array([[1, 1], [1, 1], [0, 0]]))
    assert owners.tolist() == [0, 0, -1]
