"""Block coordinate descent against its plain twin, and what it promises."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.two_level.block_coordinate import block_coordinate
from rulekit.search.two_level.set_cover import set_cover
from tests.reference.block_coordinate import block_coordinate as plain_block_coordinate
from tests.reference.block_coordinate import hamming_objective
from tests.search.two_level.test_set_cover import as_sets, learner, out_of_time
from tests.strategies.two_level import planted_task, two_level_tasks

updates = st.sampled_from(["greedy", "cyclic", "random"])
inits = st.sampled_from(["set_cover", "random", "zero"])
sizes = st.integers(1, 4)


@given(two_level_tasks(disable=True), sizes)
def test_greedy_clauses_equal_the_plain_twin(task, n_clauses):
    def value(clauses):
        cost = task.disable_cost or 0.0
        return hamming_objective(
            task.problem.table.values, task.y, task.weight, clauses, task.theta, cost
        )

    start = as_sets(set_cover(task, n_clauses))
    expected = plain_block_coordinate(
        task.problem.table.values, task.y, start, learner(task), value
    )
    assert as_sets(block_coordinate(task, n_clauses)) == expected


@given(two_level_tasks(disable=True), sizes, updates, inits)
def test_the_objective_never_rises(task, n_clauses, update, init):
    found = block_coordinate(task, n_clauses, update=update, init=init)
    objectives = [step["objective"] for step in found.history]
    assert all(np.diff(objectives) < 0)
    assert found.value == objectives[-1]


@given(two_level_tasks())
def test_one_clause_equals_set_covering(task):
    found = block_coordinate(task, 1)
    np.testing.assert_array_equal(found.chosen, set_cover(task, 1).chosen)


@given(two_level_tasks(), sizes, st.sampled_from(["cyclic", "random"]))
def test_no_clause_can_be_improved_after_both_methods(task, n_clauses, update):
    found = block_coordinate(task, n_clauses, update=update)
    held = [(task.problem.table.values & row).any(axis=1) for row in found.chosen]
    for r in range(n_clauses):
        others = [h for k, h in enumerate(held) if k != r]
        clause = task.learn(task.y | np.all(others, axis=0) if others else task.y | True)
        changed = [
            frozenset(np.flatnonzero(clause.selected)) if k == r else c
            for k, c in enumerate(as_sets(found))
        ]
        value = hamming_objective(
            task.problem.table.values, task.y, task.weight, changed, task.theta
        )
        assert value >= found.value - 1e-9


def test_no_step_returns_the_start():
    task = planted_task(noise=0.2)
    found = block_coordinate(task, 3, max_iter=0)
    np.testing.assert_array_equal(found.chosen, set_cover(task, 3).chosen)


def test_the_same_generator_gives_the_same_rule():
    tasks = [planted_task(seed=3, noise=0.2) for _ in range(2)]
    first, second = (block_coordinate(t, 3, update="random", init="random") for t in tasks)
    np.testing.assert_array_equal(first.chosen, second.chosen)


@pytest.mark.parametrize("update", ["greedy", "cyclic", "random"])
def test_a_time_limit_keeps_the_best_rule_so_far(update):
    slow = out_of_time(planted_task())
    object.__setattr__(slow, "allowed", 2)
    found = block_coordinate(slow, 2, update=update)
    np.testing.assert_array_equal(found.chosen, set_cover(planted_task(), 2).chosen)
    assert found.history[-1]["stopped"] == "time limit"


def test_an_unknown_update_is_refused():
    with pytest.raises(ValueError, match=r"`update` must be one of .*'cyclic'"):
        block_coordinate(planted_task(), 2, update="fast")


def test_random_updates_need_a_generator():
    with pytest.raises(ValueError, match="`update='random'` needs a random generator"):
        block_coordinate(replace(planted_task(), rng=None), 2, update="random")
