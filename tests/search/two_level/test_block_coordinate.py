"""Block coordinate descent against its plain twin, and what it promises."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.binning import BinnedTable
from rulekit.search.two_level.hamming import alternating, block_coordinate, row_owners, set_cover
from tests.reference.alternating import alternating as plain_alternating
from tests.reference.alternating import row_owner
from tests.reference.block_coordinate import block_coordinate as plain_block_coordinate
from tests.reference.block_coordinate import hamming_objective
from tests.search.two_level.test_hamming import as_sets, learner, out_of_time
from tests.strategies.two_level import planted_task, two_level_tasks

updates = st.sampled_from(["greedy", "cyclic", "random"])
inits = st.sampled_from(["set_cover", "random", "zero"])
sizes = st.integers(1, 4)


@given(two_level_tasks(disable=True), sizes)
def test_clauses_equal_the_plain_twins(task, n_clauses):
    A, y, weight = task.problem.table.values, task.y, task.weight

    def value(clauses):
        return hamming_objective(A, y, weight, clauses, task.theta, task.disable_cost or 0.0)

    start = as_sets(set_cover(task, n_clauses))
    expected = plain_block_coordinate(A, y, start, learner(task), value)
    assert as_sets(block_coordinate(task, n_clauses)) == expected
    found = alternating(task, n_clauses)
    assert as_sets(found) == plain_alternating(A, y, weight, start, learner(task), value)
    assert found.value == pytest.approx(value(as_sets(found)), abs=1e-9)


@given(two_level_tasks(disable=True), sizes, updates, inits)
def test_the_objective_never_rises(task, n_clauses, update, init):
    found = block_coordinate(task, n_clauses, update=update, init=init)
    objectives = [step["objective"] for step in found.history]
    assert all(np.diff(objectives) < 0)
    assert found.value == objectives[-1]


@given(two_level_tasks())
def test_one_clause_equals_set_covering(task):
    for found in (block_coordinate(task, 1), alternating(task, 1)):
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


@pytest.mark.parametrize("update", ["greedy", "cyclic", "random", None])
def test_a_time_limit_keeps_the_best_rule_so_far(update):
    task = planted_task(noise=0.2)
    slow = out_of_time(task)
    object.__setattr__(slow, "allowed", 2)
    found = block_coordinate(slow, 2, update=update) if update else alternating(slow, 2)
    np.testing.assert_array_equal(found.chosen, set_cover(task, 2).chosen)
    assert found.history[-1]["stopped"] == "time limit"


def test_an_unknown_update_is_refused():
    with pytest.raises(ValueError, match=r"`update` must be one of .*'cyclic'"):
        block_coordinate(planted_task(), 2, update="fast")


def test_random_updates_need_a_generator():
    with pytest.raises(ValueError, match="`update='random'` needs a random generator"):
        block_coordinate(replace(planted_task(), rng=None), 2, update="random")


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
    found = row_owners(task.problem.table, task.y, task.weight, counts)
    expected = [
        row_owner(task.problem.table.values, task.y, task.weight, clauses, i)
        for i in range(len(task.y))
    ]
    assert [None if r < 0 else int(r) for r in found] == expected


@given(two_level_tasks(), sizes, st.sampled_from(["set_cover", "random", "zero"]))
def test_the_best_rule_met_is_returned(task, n_clauses, init):
    found = alternating(task, n_clauses, init=init)
    assert found.value == pytest.approx(min(s["objective"] for s in found.history), abs=1e-8)


def test_equally_near_rows_go_to_the_first_clause():
    A = np.array([[True, False], [True, False], [False, True]])
    y = np.array([False, False, True])
    owners = row_owners(BinnedTable.of_matrix(A), y, np.ones(3), np.array([[1, 1], [1, 1], [0, 0]]))
    assert owners.tolist() == [0, 0, -1]


def test_a_planted_rule_is_found():
    found = alternating(planted_task(noise=0.0), 2)
    assert sorted(map(sorted, as_sets(found))) == [[0, 1], [2, 3, 4]]
