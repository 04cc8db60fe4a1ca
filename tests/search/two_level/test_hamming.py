"""What the methods in turn share: clauses learned once, and a rule on the way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import TimeLimitError
from rulekit.search.columns.clause_selection import hamming_cost
from rulekit.search.two_level.hamming import (
    TwoLevelTask,
    check_n_clauses,
    initial_clauses,
    set_cover,
)
from tests.reference.block_coordinate import hamming_objective
from tests.reference.set_cover import set_cover as plain_set_cover
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


sizes = st.integers(1, 4)


def learner(task):
    """Learn clauses as sets of columns, from one flag a row, for the plain twins."""

    def learn(kept):
        clause = task.learn(np.array(kept, dtype=bool))
        return None if clause.disabled else frozenset(np.flatnonzero(clause.selected).tolist())

    return learn


def as_sets(selection):
    return [
        None if off else frozenset(np.flatnonzero(row).tolist())
        for row, off in zip(selection.chosen, selection.disabled, strict=True)
    ]


@given(two_level_tasks(disable=True), sizes)
def test_clauses_equal_the_plain_twin(task, n_clauses):
    found = set_cover(task, n_clauses)
    assert as_sets(found) == plain_set_cover(
        task.problem.table.values.tolist(), learner(task), n_clauses
    )


@given(two_level_tasks(disable=True), sizes)
def test_the_value_is_the_hamming_objective(task, n_clauses):
    found = set_cover(task, n_clauses)
    expected = hamming_objective(
        task.problem.table.values,
        task.y,
        task.weight,
        as_sets(found),
        task.theta,
        task.disable_cost or 0.0,
    )
    assert found.value == pytest.approx(expected, abs=1e-9)


@given(two_level_tasks(), sizes)
def test_more_clauses_begin_with_the_same_clauses(task, n_clauses):
    short, long = set_cover(task, n_clauses), set_cover(task, n_clauses + 1)
    np.testing.assert_array_equal(long.chosen[:n_clauses], short.chosen)


def test_after_an_empty_clause_all_clauses_are_empty():
    task = planted_task(theta=500.0)
    found = set_cover(task, 3)
    assert not found.chosen.any()
    assert not found.disabled.any()
    assert task.problem.counters.n_calls == 1


def test_a_planted_rule_is_found():
    found = set_cover(planted_task(noise=0.0), 2)
    assert sorted(map(sorted, as_sets(found))) == [[0, 1], [2, 3, 4]]


def test_no_clause_is_refused():
    with pytest.raises(ValueError, match="`n_clauses` must be at least 1, got 0"):
        set_cover(planted_task(), 0)


def test_an_unknown_start_is_refused():
    with pytest.raises(ValueError, match=r"`init` must be one of .*'zero'"):
        initial_clauses(planted_task(), 2, "best")


def test_a_random_start_needs_a_generator():
    task = planted_task()
    task = TwoLevelTask(task.problem, 1.0)
    with pytest.raises(ValueError, match="random start needs a random generator"):
        initial_clauses(task, 2, "random")


class RunsOutAfter(TwoLevelTask):
    """A task whose time is up after some clauses."""

    allowed = 1

    def learn(self, kept):
        if len(self.memory) >= self.allowed:
            raise TimeLimitError("time is up")
        return super().learn(kept)


def out_of_time(task):
    return RunsOutAfter(task.problem, task.theta, rng=task.rng)


def test_a_time_limit_leaves_the_later_clauses_off():
    task = planted_task()
    found = set_cover(out_of_time(task), 3)
    assert found.disabled.tolist() == [False, True, True]
    np.testing.assert_array_equal(found.chosen[0], set_cover(task, 1).chosen[0])
    assert found.history[-1]["stopped"] == "time limit"


@pytest.mark.parametrize("init", ["set_cover", "random"])
def test_start_out_of_time_is_marked(init):
    _, history = initial_clauses(out_of_time(planted_task()), 3, init)
    assert history[-1]["stopped"] == "time limit"
