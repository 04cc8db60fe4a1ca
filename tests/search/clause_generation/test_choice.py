"""The master, the local search and the integer program over a pool of clauses."""

from itertools import combinations

import numpy as np
import pytest

from rulekit.search.box_search.problem import Boxes, BoxProblem
from rulekit.search.clause_generation import choice
from rulekit.search.clause_generation.choice import (
    choose_clauses,
    improve_by_program,
    useful_clauses,
)
from rulekit.search.clause_generation.master import ClauseMaster, ClausePool
from rulekit.search.lp import solve_lp
from tests.engines import solved_by


def random_clauses(rng, n_bins, k):
    a, b = rng.integers(0, n_bins, size=(2, k, len(n_bins)))
    whole = rng.random((k, len(n_bins))) < 0.4
    low, high = np.minimum(a, b), np.maximum(a, b)
    return Boxes(
        np.where(whole, 0, low), np.where(whole, n_bins - 1, high), np.ones(whole.shape, bool)
    )


def random_pool(seed, k=14, noise=0.1):
    rng = np.random.default_rng(seed)
    n_bins = np.array([4, 4, 3])
    codes = rng.integers(0, n_bins, size=(60, 3))
    y = (codes[:, 0] > 1) ^ (codes[:, 1] == 2) ^ (rng.random(60) < noise)
    problem = BoxProblem(codes, n_bins, y, rng.choice([1.0, 2.0], 60))
    pool = ClausePool(problem, 0.7, 0.4)
    pool.add(random_clauses(rng, n_bins, k))
    return pool


def best_of_all(pool):
    k = len(pool)
    subsets = (c for size in range(k + 1) for c in combinations(range(k), size))
    return min(pool.objective(list(c)) for c in subsets)


def test_pool_keeps_the_cheapest_of_equal_clauses():
    pool, rng = random_pool(0), np.random.default_rng(1)
    problem = pool.problem
    for _ in range(3):
        pool.add(random_clauses(rng, problem.n_bins, 40))
    boxes = pool.boxes_of(range(len(pool)))
    held = boxes.fired(problem.codes, problem.n_bins).T
    np.testing.assert_array_equal(pool.held, held[:, problem.y])
    size = boxes.literals(problem.n_bins, problem.has_missing).sum(axis=1)
    cost = held[:, ~problem.y] @ problem.weight[~problem.y] + 0.7 + 0.4 * size
    np.testing.assert_allclose(pool.cost, cost)
    assert len(np.unique(pool.held, axis=0)) == len(pool)


@pytest.mark.parametrize("seed", range(5))
def test_a_warm_master_has_the_value_of_a_cold_one_after_each_growth(seed):
    pool, rng = random_pool(seed, k=3), np.random.default_rng(seed)
    master = ClauseMaster(pool)
    for _ in range(6):
        answer, cold = master.solve(), solve_lp(ClauseMaster(pool)._program())
        assert answer.value == pytest.approx(-cold.value, abs=1e-8)
        assert (pool.reduced_costs(answer.mu) >= -1e-8).all()
        used = pool.described_weight @ np.clip(1 - answer.z @ pool.held, 0, None)
        assert used + answer.z @ pool.cost == pytest.approx(answer.value, abs=1e-7)
        pool.add(random_clauses(rng, pool.problem.n_bins, 8))


@pytest.mark.parametrize("seed", range(5))
def test_without_highspy_master_and_program_answer_the_same(seed):
    pool = random_pool(seed)
    fast = ClauseMaster(pool).solve()
    rule = improve_by_program(pool, fast, [], 5.0)
    with solved_by("scipy"):
        slow = ClauseMaster(pool).solve()
        other = improve_by_program(pool, slow, [], 5.0)
    assert slow.value == pytest.approx(fast.value, abs=1e-8)
    assert pool.objective(other) == pytest.approx(pool.objective(rule))


@pytest.mark.parametrize("seed", range(12))
def test_the_program_finds_the_best_choice_and_never_a_dearer_one(seed):
    pool = random_pool(seed)
    answer = ClauseMaster(pool).solve()
    chosen = choose_clauses(pool, answer, n_perturbations=0)
    better = improve_by_program(pool, answer, chosen, 5.0)
    assert pool.objective(better) == pytest.approx(best_of_all(pool))
    assert pool.objective(better) <= pool.objective(chosen)
    assert improve_by_program(pool, answer, better, 5.0) == better


@pytest.mark.parametrize("seed", range(12))
def test_chosen_rule_is_locally_optimal_and_perturbations_help(seed):
    pool = random_pool(seed, k=30)
    answer = ClauseMaster(pool).solve()
    plain, perturbed = (choose_clauses(pool, answer, n_perturbations=n) for n in (0, 30))
    value = pool.objective(plain)
    for out in (None, *plain):
        rest = [k for k in plain if k != out]
        for into in (None, *range(len(pool))):
            changed = sorted({*rest} | ({into} - {None}))
            assert pool.objective(changed) >= value - 1e-9
    assert answer.value - 1e-9 <= pool.objective(perturbed) <= value
    assert choose_clauses(pool, answer, n_perturbations=30) == perturbed


def test_more_useful_clauses_get_more_perturbations(monkeypatch):
    perturbed, perturb = [], choice._perturbed
    monkeypatch.setattr(
        choice, "_perturbed", lambda *args: perturbed.append(args[1]) or perturb(*args)
    )
    pool = random_pool(6, k=400, noise=0.5)
    answer = ClauseMaster(pool).solve()
    for requested in (0, 2, 30):
        perturbed.clear()
        choose_clauses(pool, answer, n_perturbations=requested)
        assert len(perturbed) == (max(requested, perturbed[0] // 4) if requested else 0)


@pytest.mark.parametrize("seed", range(12))
def test_a_cheaper_rule_has_useful_clauses_only(seed):
    pool = random_pool(seed, k=10)
    answer = ClauseMaster(pool).solve()
    value = best_of_all(pool) + 0.5
    useful = set(useful_clauses(pool, answer, value).tolist())
    for size in range(4):
        for chosen in combinations(range(len(pool)), size):
            if pool.objective(list(chosen)) < value - 1e-6:
                assert useful >= set(chosen)


@pytest.mark.parametrize("seed", range(8))
def test_a_rule_to_start_from_is_never_made_dearer(seed):
    pool = random_pool(seed, k=30)
    answer = ClauseMaster(pool).solve()
    best = choose_clauses(pool, answer)
    pool.add(random_clauses(np.random.default_rng(seed), pool.problem.n_bins, 20))
    wider = answer.beside(len(pool))
    assert len(wider.z) == len(pool)
    assert wider.z.sum() == answer.z.sum()
    again = choose_clauses(pool, wider, start=best)
    assert pool.objective(again) <= pool.objective(best)
