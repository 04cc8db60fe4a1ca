"""The exact single clause against brute force."""

from itertools import product

import numpy as np
import pytest

from rulekit.search.clause_generation.exact_clause import ClauseLimits, best_clause, clause_task
from tests.reference.exact_clause import search_plainly

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
    intervals = [(low, high) for low in range(K) for high in range(low, K)]
    for box in product(intervals, repeat=3):
        parts = [(codes[:, f] >= a) & (codes[:, f] <= b) for f, (a, b) in enumerate(box)]
        inside = np.all(parts, axis=0)
        size = sum((a > 0) + (b < K - 1) for a, b in box)
        best = max(best, weight[inside & y].sum() - weight[inside & ~y].sum() - theta * size)
    return best


def task_of(seed, incumbent=0.0, **limits):
    codes, y, weight, theta = instance(seed)
    holds, slots = literals_of(codes)
    weight = np.ones(len(y)) if weight is None else weight
    return clause_task(holds, y, theta, slots, weight, incumbent, ClauseLimits(**limits))


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
        assert best_clause(task_of(seed)) == search_plainly(task_of(seed)), seed


@pytest.mark.parametrize("seed", range(6))
def test_search_equals_its_twin_on_many_words_and_weights(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, K, size=(300, 3))
    y = (codes[:, 0] > 1) & (codes[:, 1] < 2) ^ (rng.random(300) < 0.2)
    weight = [np.ones(300), rng.integers(0, 5, 300).astype(float), rng.random(300)][seed % 3]
    holds, slots = literals_of(codes)
    task = clause_task(holds, y, 1.5, slots, weight)
    assert best_clause(task) == search_plainly(task)
    assert search_plainly(task).chosen


@pytest.mark.parametrize("search", [search_plainly, best_clause])
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
    clause = best_clause(task_of(seed))
    weight = np.ones(len(y)) if weight is None else weight
    if clause.chosen is None:
        assert clause.value == 0.0
        return
    inside = holds[:, list(clause.chosen)].all(axis=1)
    value = weight[inside & y].sum() - weight[inside & ~y].sum() - theta * len(clause.chosen)
    assert value == pytest.approx(clause.value, abs=1e-9)


def test_proved_incumbents_are_kept_and_free_literals_refused():
    best = best_clause(task_of(1))
    again = best_clause(task_of(1, best.value))
    assert (again.chosen, again.proved, again.value) == (None, True, best.value)
    assert again.n_tests <= best.n_tests
    assert not best_clause(task_of(1, max_tests=best.n_tests // 2)).proved
    with pytest.raises(ValueError, match="`theta` must be positive"):
        best_clause(clause_task(np.ones((2, 1), bool), np.array([True, False]), 0.0))
