"""All clauses near the best against every set of literals."""

from itertools import combinations

import numpy as np
import pytest

from rulekit.search.clause_generation.exact_clause import ClauseLimits, clause_task, list_near_best
from tests.reference.exact_clause import near_best_by_force

LIMITS = (1, 2, 3)


def list_near(holds, y, theta, margin, *, max_conditions, most=10_000, **rows):
    return list_near_best(clause_task(holds, y, theta, **rows), margin, max_conditions, most)


def instance(seed):
    """Up to ten literals, nested ones of one slot, over rows of equal, whole and real weights."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 40)), int(rng.integers(1, 4))
    codes = rng.integers(0, 4, size=(n, k))
    names = [(f, side, c) for f in range(k) for side in (0, 1) for c in (1, 2, 3)]
    names = [names[i] for i in sorted(rng.permutation(len(names))[:10])]
    holds = np.array([(codes[:, f] >= c) == (side == 0) for f, side, c in names]).T
    weight = [np.ones(n), rng.integers(0, 4, n).astype(float), 2 * rng.random(n)][seed % 3]
    theta, margin = (0.0, 0.01, 0.5, 1.0)[seed % 4], (0.0, 0.5, 2.0, 5.0, 100.0)[seed % 5]
    y = (codes[:, 0] > 1) ^ (rng.random(n) < rng.choice([0.1, 0.5]))
    return holds, y, theta, margin, [2 * f + side for f, side, _ in names], weight


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 40))
def test_every_clause_of_the_margin_is_listed_and_no_other(first):
    for seed in range(first, first + 40):
        assert_listed(seed)


def assert_listed(seed):
    holds, y, theta, margin, slots, weight = instance(seed)
    limit = LIMITS[seed % 3]
    near_best = list_near(holds, y, theta, margin, max_conditions=limit, slots=slots, weight=weight)
    wanted = near_best_by_force(holds, y, theta, margin, limit, weight)
    assert near_best.complete
    assert near_best.margin == margin
    assert set(near_best.clauses) == set(wanted)
    assert len(set(near_best.clauses)) == len(near_best.clauses)
    assert near_best.values == pytest.approx([wanted[c] for c in near_best.clauses], abs=1e-8)
    assert list(near_best.values) == sorted(near_best.values, reverse=True)


@pytest.mark.parametrize("seed", range(40))
def test_any_clause_of_the_margin_is_a_listed_one_with_idle_literals(seed):
    holds, y, theta, margin, slots, weight = instance(seed)
    result = list_near(holds, y, theta, margin, max_conditions=3, slots=slots, weight=weight)
    listed = [set(c) for c in result.clauses]
    best = max(0.0, *result.values[:1], 0.0)
    for size in range(4):
        for columns in combinations(range(holds.shape[1]), size):
            inside = holds[:, list(columns)].all(axis=1)
            value = weight[inside & y].sum() - weight[inside & ~y].sum() - theta * size
            # what loses all its literals that do not pay may hold nowhere: the empty rule
            near = value >= best - margin + 1e-8 and value > 1e-8
            assert not near or any(c <= set(columns) for c in listed)


@pytest.mark.parametrize("seed", range(12))
def test_margin_shrinks_if_there_is_no_room_and_stays_complete(seed):
    rng = np.random.default_rng(seed)
    holds, weight = rng.random((60, 12)) < 0.7, rng.random(60)
    y = holds[:, :3].all(axis=1) ^ (rng.random(60) < 0.2)
    requested = {"max_conditions": 3, "weight": weight}
    every = list_near(holds, y, 0.1, 12.0, **requested)
    room = len(every.clauses) // 3
    few = list_near(holds, y, 0.1, 12.0, **requested, most=room)
    assert room > 3
    assert few.complete
    assert room // 3 <= len(few.clauses) <= room
    assert few.clauses == every.clauses[: len(few.clauses)]
    assert few.margin < 12.0
    inside = [v for v in every.values if v > every.values[0] - few.margin + 1e-7]
    assert len(inside) == len(few.clauses)


def test_lists_without_room_or_time_are_marked():
    holds = np.repeat(np.array([[True], [True], [False], [False]]), 9, axis=1)
    near_best = list_near(
        holds, np.array([True, True, False, False]), 0.1, 1.0, max_conditions=2, most=4
    )
    assert not near_best.complete
    assert set(near_best.clauses) < {(j,) for j in range(9)}
    rng = np.random.default_rng(0)
    holds, y = rng.random((200, 40)) < 0.5, rng.random(200) < 0.5
    limits = ClauseLimits(max_tests=50)
    near_best = list_near(holds, y, 0.1, 50.0, max_conditions=5, limits=limits)
    assert not near_best.complete
    assert near_best.n_tests <= 50
    stopped = ClauseLimits(should_stop=lambda: True)
    assert not list_near(holds, y, 0.1, 5.0, max_conditions=5, limits=stopped).complete


def test_unreachable_incumbent_leaves_only_clauses_near_it():
    holds, y, theta, _, slots, weight = instance(8)
    every = list_near(holds, y, theta, 100.0, max_conditions=3, slots=slots, weight=weight)
    near_best = list_near(
        holds, y, theta, 1.0, max_conditions=3, slots=slots, weight=weight,
        incumbent=every.values[0] + 0.5,
    )  # fmt: skip
    near = [v for v in every.values if v >= every.values[0] - 0.5 - 1e-9]
    assert list(near_best.values) == pytest.approx(near)


def test_the_list_does_not_depend_on_the_order_of_rows():
    holds, y, theta, margin, slots, weight = instance(5)
    turned = np.random.default_rng(1).permutation(len(y))
    requested = {"max_conditions": 3, "slots": slots}
    one = list_near(holds, y, theta, margin, weight=weight, **requested)
    other = list_near(holds[turned], y[turned], theta, margin, weight=weight[turned], **requested)
    assert one == other
