"""The exact single clause, and all clauses near it, against brute force."""

from itertools import combinations, product

import numpy as np
import pytest

from rulekit.search.clause_generation.exact_clause import (
    ClauseLimits,
    ClauseSearch,
)
from tests.reference.exact_clause import near_best_by_force, search_plainly

K = 4


def instance(seed):
    """Three features of four bins, some of them empty; every third with real weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 28))
    codes = rng.integers(0, K, size=(n, 3))
    if seed % 3 == 0:
        codes[codes == 2] = 1
    weight = [None, rng.integers(1, 4, n).astype(float), 2 * rng.random(n)][seed % 3]
    return codes, rng.random(n) < 0.5, weight, (0.01, 0.3, 1.0, 1.7)[seed % 4]


def literals_of(codes):
    names = [(f, s, c) for f in range(3) for s in (0, 1) for c in range(1, K)]
    holds = np.array([(codes[:, f] >= c) == (s == 0) for f, s, c in names]).T
    return holds, [2 * f + s for f, s, _ in names]


def best_of_all_boxes(codes, y, weight, theta):
    weight = np.ones(len(y)) if weight is None else weight
    best = 0.0
    for box in product([(low, high) for low in range(K) for high in range(low, K)], repeat=3):
        parts = [(codes[:, f] >= a) & (codes[:, f] <= b) for f, (a, b) in enumerate(box)]
        inside = np.all(parts, axis=0)
        size = sum((a > 0) + (b < K - 1) for a, b in box)
        best = max(best, weight[inside & y].sum() - weight[inside & ~y].sum() - theta * size)
    return best


def task_of(seed, incumbent=0.0, **limits):
    codes, y, weight, theta = instance(seed)
    holds, slots = literals_of(codes)
    weight = np.ones(len(y)) if weight is None else weight
    return ClauseSearch(holds, y, theta, slots, weight, incumbent, ClauseLimits(**limits))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 240, 40))
def test_the_value_of_the_twin_is_the_best_of_all_boxes(first):
    for seed in range(first, first + 40):
        codes, y, weight, theta = instance(seed)
        result = search_plainly(task_of(seed))
        assert result.proved
        assert result.upper == result.value
        best = best_of_all_boxes(codes, y, weight, theta)
        assert result.value == pytest.approx(best, abs=1e-9), seed


@pytest.mark.parametrize("first", range(0, 240, 40))
def test_search_makes_the_same_tests_as_its_twin(first):
    for seed in range(first, first + 40):
        assert task_of(seed).find_best() == search_plainly(task_of(seed)), seed


@pytest.mark.parametrize("seed", range(6))
def test_search_equals_its_twin_on_many_words_and_weights(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, K, size=(300, 3))
    y = (codes[:, 0] > 1) & (codes[:, 1] < 2) ^ (rng.random(300) < 0.2)
    weight = [np.ones(300), rng.integers(0, 5, 300).astype(float), rng.random(300)][seed % 3]
    holds, slots = literals_of(codes)
    task = ClauseSearch(holds, y, 1.5, slots, weight)
    assert task.find_best() == search_plainly(task)
    assert search_plainly(task).chosen


@pytest.mark.parametrize("search", [search_plainly, ClauseSearch.find_best])
@pytest.mark.parametrize("tests", [1, 15, 40, 90])
def test_a_search_that_ends_early_still_bounds_what_there_is(search, tests):
    cut_short = 0
    for seed in range(60):
        result, best = search(task_of(seed, max_tests=tests)), search_plainly(task_of(seed)).value
        assert result.value <= best <= result.upper + 1e-9
        cut_short += not result.proved
    assert cut_short > 0


@pytest.mark.parametrize("seed", range(30))
def test_the_clause_has_its_stated_value(seed):
    codes, y, weight, theta = instance(seed)
    holds, _ = literals_of(codes)
    clause = task_of(seed).find_best()
    weight = np.ones(len(y)) if weight is None else weight
    if clause.chosen is None:
        assert clause.value == 0.0
        return
    inside = holds[:, list(clause.chosen)].all(axis=1)
    value = weight[inside & y].sum() - weight[inside & ~y].sum() - theta * len(clause.chosen)
    assert value == pytest.approx(clause.value, abs=1e-9)


def test_proved_incumbents_are_kept_and_free_literals_refused():
    best = task_of(1).find_best()
    again = task_of(1, best.value).find_best()
    assert (again.chosen, again.proved, again.value) == (None, True, best.value)
    assert again.n_tests <= best.n_tests
    assert not task_of(1, max_tests=best.n_tests // 2).find_best().proved
    with pytest.raises(ValueError, match="`theta` must be positive"):
        ClauseSearch(np.ones((2, 1), bool), np.array([True, False]), 0.0).find_best()


LIMITS = (1, 2, 3)


def list_near(holds, y, theta, margin, *, max_conditions, most=10_000, **rows):
    return ClauseSearch(holds, y, theta, **rows).list_near_best(margin, max_conditions, most)


def near_instance(seed):
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
    holds, y, theta, margin, slots, weight = near_instance(seed)
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
    holds, y, theta, margin, slots, weight = near_instance(seed)
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
    near_best = list_near(holds, y, 0.1, 50.0, max_conditions=5, limits=ClauseLimits(max_tests=50))
    assert not near_best.complete
    assert near_best.n_tests <= 50
    stopped = ClauseLimits(should_stop=lambda: True)
    assert not list_near(holds, y, 0.1, 5.0, max_conditions=5, limits=stopped).complete


def test_unreachable_incumbent_leaves_only_clauses_near_it():
    holds, y, theta, _, slots, weight = near_instance(8)
    every = list_near(holds, y, theta, 100.0, max_conditions=3, slots=slots, weight=weight)
    near_best = list_near(
        holds, y, theta, 1.0, max_conditions=3, slots=slots, weight=weight,
        incumbent=every.values[0] + 0.5,
    )  # fmt: skip
    near = [v for v in every.values if v >= every.values[0] - 0.5 - 1e-9]
    assert list(near_best.values) == pytest.approx(near)


def test_the_list_does_not_depend_on_the_order_of_rows():
    holds, y, theta, margin, slots, weight = near_instance(5)
    turned = np.random.default_rng(1).permutation(len(y))
    requested = {"max_conditions": 3, "slots": slots}
    one = list_near(holds, y, theta, margin, weight=weight, **requested)
    other = list_near(holds[turned], y[turned], theta, margin, weight=weight[turned], **requested)
    assert one == other
