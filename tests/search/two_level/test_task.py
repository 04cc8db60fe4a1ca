"""What the methods in turn share: clauses learned once, and a rule on the way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import hamming_cost
from rulekit.search.two_level.task import check_n_clauses
from tests.strategies.two_level import planted_task, two_level_tasks


def test_equal_questions_are_answered_once():
    task = planted_task()
    kept = task.y | (np.arange(len(task.y)) % 2 == 0)
    assert task.learn(kept) is task.learn(kept.copy())
    assert task.problem.counters.n_calls == 1
    task.learn(~kept)
    assert task.problem.counters.n_calls == 2


@given(two_level_tasks(disable=True), st.integers(0, 2))
def test_replaced_clause_gives_the_weights_of_a_new_rule(task, r):
    learned = task.learn(task.y | (np.arange(len(task.y)) % 2 == 0))
    clauses = [task.empty_clause(), task.disabled_clause(), learned]
    other = task.learn(np.ones(len(task.y), dtype=bool))
    replaced = task.iterate(clauses).replaced(task, r, other)
    clauses[r] = other
    anew = task.iterate(clauses)
    np.testing.assert_array_equal(replaced.counts, anew.counts)
    assert replaced.value == anew.value
    rule = anew.selection([])
    expected = hamming_cost(
        task.problem.table.values, task.y, task.weight, rule.chosen, task.theta,
        disabled=rule.disabled, disable_cost=task.disable_cost or 0.0,
    )  # fmt: skip
    assert rule.value == pytest.approx(expected)


def test_after_the_deadline_not_even_a_known_clause_is_given():
    task = planted_task()
    task.learn(task.y)
    task.problem.deadline = 0.0
    with pytest.raises(TimeLimitError, match="raise `time_limit`"):
        task.learn(task.y)


def test_a_rule_needs_a_clause():
    check_n_clauses(1)
    with pytest.raises(ValueError, match="`n_clauses` must be at least 1, got 0"):
        check_n_clauses(0)
