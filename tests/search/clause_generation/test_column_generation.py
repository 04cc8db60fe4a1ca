"""Column generation and pricing, against the program over all clauses and by definition."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from rulekit.search.box_search.problem import ERRORS, evaluate_boxes, join_ends
from rulekit.search.box_search.search import Descent
from rulekit.search.clause_generation import column_generation
from rulekit.search.clause_generation.column_generation import (
    ClauseMaster,
    ClausePool,
    GenerationPlan,
    choose_clauses,
    generate_boxes,
    useful_clauses,
)
from rulekit.search.clause_generation.exact_clause import (
    ClauseLimits,
    ClauseSearch,
    half_lines,
)
from tests.engines import solved_by
from tests.reference.box_moves import best_intervals
from tests.reference.boxes import choices
from tests.strategies.boxes import box_problems, box_rows

NONE = np.zeros((0, 3, 3), int)


def small(seed, missing=False):
    rng = np.random.default_rng(seed)
    n_bins = np.array([3, 2, 3])
    codes = rng.integers(0, n_bins + missing, size=(24, 3))
    y = ((codes[:, 0] == 2) | (codes[:, 2] == 0)) ^ (rng.random(24) < 0.2)
    return box_rows(codes, n_bins, y)


def all_clauses(problem):
    for combination in product(*(list(choices(problem, f)) for f in range(problem.n_features))):
        yield np.array([combination], np.int64)


def master_over(pool):
    k, n = len(pool), len(pool.described_weight)
    cost = np.r_[pool.cost, pool.described_weight]
    cover = -np.hstack([pool.held.T.astype(float), np.eye(n)])
    return (
        linprog(cost, A_ub=cover, b_ub=-np.ones(n), bounds=(0, None)).fun
        if k
        else pool.described_weight.sum()
    )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("many", [1, column_generation.MANY_COLUMNS])
def test_a_proved_bound_is_the_value_over_all_clauses(seed, missing, many, monkeypatch):
    monkeypatch.setattr(column_generation, "MANY_COLUMNS", many)
    problem = small(seed, missing)
    rule = generate_boxes(problem, GenerationPlan(0.6, 0.4))
    pool = ClausePool(problem, 0.6, 0.4)
    pool.add(np.concatenate(list(all_clauses(problem))))
    least = master_over(pool)
    assert rule.master_value == pytest.approx(least, abs=1e-6)
    assert least * (1 - 1e-6) <= rule.lower_bound <= least  # what pricing may hide is taken off


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_below_the_rule_and_the_objective_is_its_own(seed):
    problem = small(seed)
    rule = generate_boxes(problem, GenerationPlan(0.6, 0.4))
    fired = evaluate_boxes(rule.boxes, problem.codes, problem.n_bins)
    literals = problem.count_literals(rule.boxes).sum()
    value = problem.weight[problem.y & ~fired.any(axis=1)].sum()
    value += (problem.weight[~problem.y, None] * fired[~problem.y]).sum()
    value += 0.6 * len(rule.boxes) + 0.4 * literals
    assert rule.objective == pytest.approx(value, abs=1e-9)
    assert rule.lower_bound <= rule.objective + 1e-9


def test_generation_claims_bounds_only_with_whole_pricing():
    assert generate_boxes(small(0), GenerationPlan(0.6, 0.4, prove=False)).lower_bound is None
    rule = generate_boxes(small(2), GenerationPlan(0.1, 0.1, should_stop=lambda: True))
    assert rule.lower_bound is None
    limits = ClauseLimits(max_tests=30)
    results = [
        generate_boxes(small(seed), GenerationPlan(0.6, 0.4, exact_limits=limits))
        for seed in range(8)
    ]
    assert any(rule.lower_bound and not rule.solved for rule in results)
    rule = generate_boxes(small(1), GenerationPlan(100.0, 100.0))
    assert len(rule.boxes) == 0
    assert rule.lower_bound == pytest.approx(rule.objective)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("tests", [1, 30, 300])
def test_exact_pricing_cut_short_still_bounds_every_rule(seed, tests):
    problem = small(seed)
    solved = generate_boxes(problem, GenerationPlan(0.6, 0.4))
    cut = generate_boxes(
        problem, GenerationPlan(0.6, 0.4, exact_limits=ClauseLimits(max_tests=tests))
    )
    assert solved.solved
    assert (cut.lower_bound or 0.0) <= solved.lower_bound + 1e-9
    assert cut.solved == (cut.lower_bound == pytest.approx(solved.lower_bound, abs=1e-9))


def test_all_exact_pricings_together_keep_to_their_limit(monkeypatch):
    tried = []

    def counted(search):
        clause = find_best(search)
        tried.append(clause.n_tests)
        return clause

    find_best = ClauseSearch.find_best
    monkeypatch.setattr(ClauseSearch, "find_best", counted)
    monkeypatch.setattr(ClausePool, "price", lambda self, *args: (NONE, np.zeros(0)))
    everything = generate_boxes(small(0), GenerationPlan(0.6, 0.4))
    n_tests, n_searches = sum(tried), len(tried)
    assert everything.solved
    tried.clear()
    cut = generate_boxes(small(0), GenerationPlan(0.6, 0.4, all_tests=n_tests // 2))
    assert not cut.solved
    assert len(tried) < n_searches
    assert cut.objective >= everything.lower_bound


def test_half_lines_join_to_the_box_they_describe():
    problem = small(3, missing=True)
    literals, _ = half_lines(problem)
    rng = np.random.default_rng(0)
    for _ in range(30):
        chosen = [literals[j] for j in rng.choice(len(literals), size=3, replace=False)]
        box = join_ends(problem.n_bins, chosen)
        each = [join_ends(problem.n_bins, [one]) for one in chosen]
        held = [evaluate_boxes(one, problem.codes, problem.n_bins)[:, 0] for one in each]
        np.testing.assert_array_equal(
            evaluate_boxes(box, problem.codes, problem.n_bins)[:, 0], np.all(held, axis=0)
        )


def random_clauses(rng, n_bins, k):
    a, b = rng.integers(0, n_bins, size=(2, k, len(n_bins)))
    whole = rng.random((k, len(n_bins))) < 0.4
    low, high = np.minimum(a, b), np.maximum(a, b)
    low, high = np.where(whole, 0, low), np.where(whole, n_bins - 1, high)
    return np.stack([low, high, np.ones_like(low)], axis=2)


def random_pool(seed, k=14, noise=0.1):
    rng = np.random.default_rng(seed)
    n_bins = np.array([4, 4, 3])
    codes = rng.integers(0, n_bins, size=(60, 3))
    y = (codes[:, 0] > 1) ^ (codes[:, 1] == 2) ^ (rng.random(60) < noise)
    pool = ClausePool(box_rows(codes, n_bins, y, rng.choice([1.0, 2.0], 60)), 0.7, 0.4)
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
    held = evaluate_boxes(boxes, problem.codes, problem.n_bins).T
    np.testing.assert_array_equal(pool.held, held[:, problem.y])
    size = problem.count_literals(boxes).sum(axis=1)
    cost = held[:, ~problem.y] @ problem.weight[~problem.y] + 0.7 + 0.4 * size
    np.testing.assert_allclose(pool.cost, cost)
    assert len(np.unique(pool.held, axis=0)) == len(pool)


@pytest.mark.parametrize("seed", range(5))
def test_a_warm_master_has_the_solution_of_a_cold_linprog(seed):
    pool, rng = random_pool(seed, k=3), np.random.default_rng(seed)
    master = ClauseMaster(pool)
    for _ in range(6):
        answer = master.solve()
        assert answer.value == pytest.approx(master_over(pool), abs=1e-8)
        with solved_by("linprog"):
            cold = ClauseMaster(pool).solve()
        np.testing.assert_array_equal(cold.mu, answer.mu)
        np.testing.assert_array_equal(cold.z, answer.z)
        assert (pool.cost - pool.held @ answer.mu >= -1e-8).all()
        used = pool.described_weight @ np.clip(1 - answer.z @ pool.held, 0, None)
        assert used + answer.z @ pool.cost == pytest.approx(answer.value, abs=1e-7)
        pool.add(random_clauses(rng, pool.problem.n_bins, 8))


@pytest.mark.parametrize("seed", range(12))
def test_chosen_rule_is_locally_optimal_and_perturbations_help(seed):
    pool = random_pool(seed, k=30)
    answer = ClauseMaster(pool).solve()
    plain, perturbed = (choose_clauses(pool, answer, n_perturbations=n) for n in (0, 30))
    value = pool.objective(plain)
    for out in (None, *plain):
        rest = [k for k in plain if k != out]
        for into in (None, *range(len(pool))):
            assert pool.objective(sorted({*rest} | ({into} - {None}))) >= value - 1e-9
    assert answer.value - 1e-9 <= pool.objective(perturbed) <= value
    assert choose_clauses(pool, answer, n_perturbations=30) == perturbed


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
    wider = replace(answer, z=np.pad(answer.z, (0, len(pool) - len(answer.z))))
    assert pool.objective(choose_clauses(pool, wider, start=best)) <= pool.objective(best)


@pytest.fixture(params=["few columns", "many columns"])
def pricing_of_some_first(request):
    """Of four columns some are many, where one is."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "many columns":
            patch.setattr(column_generation, "MANY_COLUMNS", 1)
            patch.setattr(column_generation, "LIFTED", 1)
        yield


def reduced_cost(pricing, boxes, weight):
    """By the definition: prices, plus the other class, minus the dual prices of the rows held."""
    problem = pricing.problem
    held = evaluate_boxes(boxes, problem.codes, problem.n_bins)
    size = problem.count_literals(boxes).sum(axis=1)
    saved = np.where(problem.y, weight, -weight) @ held
    return pricing.clause_price + pricing.literal_price * size - saved


@st.composite
def priced(draw):
    problem = draw(box_problems(max_rows=25, max_features=4, prices=(ERRORS,)))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    mu = np.asarray(problem.weight) * rng.choice([0.0, 0.3, 1.0, rng.random()], problem.n_rows)
    weight = np.where(problem.y, mu, problem.weight)
    return problem.reweight(weight), draw(st.sampled_from([0.01, 0.3, 1.0]))


@pytest.mark.usefixtures("pricing_of_some_first")
@given(priced(), st.integers(1, 20))
def test_reduced_costs_equal_the_clauses_and_are_sorted(given_problem, batch):
    problem, price = given_problem
    pricing = ClausePool(problem, 0.5, price)
    weight = np.asarray(problem.weight)
    boxes, cost = pricing.price(weight[problem.y], np.zeros((0, problem.n_features, 3), int), batch)
    assert len(cost) == len(boxes) <= batch
    np.testing.assert_allclose(cost, reduced_cost(pricing, boxes, weight), atol=1e-9)
    assert (np.diff(cost) >= 0).all()
    assert (cost < 0).all()
    assert len(np.unique(boxes, axis=0)) == len(boxes)


@pytest.mark.slow
@pytest.mark.usefixtures("pricing_of_some_first")
@given(priced())
def test_no_single_interval_beats_what_pricing_returns(given_problem):
    problem, price = given_problem
    pricing = ClausePool(problem, 0.1, price)
    weight = np.asarray(problem.weight)
    _, cost = pricing.price(weight[problem.y], np.zeros((0, problem.n_features, 3), int), 5)
    H = np.zeros((problem.n_features, 1 + problem.n_bins.max()))
    for row, s in zip(problem.codes, np.where(problem.y, weight, -weight), strict=True):
        H[np.arange(problem.n_features), row] += s
    best = best_intervals(problem, np.arange(problem.n_features), H, price)[0].max()
    assert min([0.0, *cost]) <= 0.1 - best + 1e-6


def test_all_columns_are_priced_if_promising_ones_find_too_little(monkeypatch):
    """Alone the first column saves most; only the other two together make the clause that pays."""
    monkeypatch.setattr(column_generation, "MANY_COLUMNS", 1)
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (200, 3))
    y = codes[:, 1] & codes[:, 2] == 1
    codes[:, 0] = np.where(rng.random(200) < 0.8, y, ~y)
    problem = box_rows(codes, np.array([2, 2, 2]), y)
    descent = Descent(problem)
    assert descent.features_of(descent.choose_alone(1.0)[0], 1).tolist() == [0]
    boxes, cost = ClausePool(problem, 1.0, 1.0).price(problem.weight[problem.y], NONE, 15)
    assert problem.count_literals(boxes)[0].tolist() == [0, 1, 1]
    assert cost[0] == 3 - y.sum()
