"""The compact one-level problem, the rounding of its clauses, and its dual program."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit._sums import grid_unit, round_to_grid
from rulekit.search.columns import priced_columns, rounding_kernels
from rulekit.search.columns.priced_columns import (
    CHUNK,
    PERTURBATION,
    GeneratedDual,
    default_perturbation,
    price_columns,
    redundancy_groups,
    round_clause,
    round_without_redundancy,
    snap_weights,
    solve_small_dual,
)
from rulekit.search.lp import solve_lp, solve_milp
from rulekit.search.screening.proved_cover import best_columns
from rulekit.search.screening.screen import compact_program
from tests.engines import ENGINES, solved_by
from tests.reference import one_level as reference
from tests.reference.one_level import best_clause_cost, clause_cost
from tests.strategies.covers import (
    binned_matrix,
    chained,
    cover_problem,
    cover_problems,
    rounding_task,
    small_dual,
    sub_problems,
    threshold_table,
)
from tests.strategies.screening import tied_table


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_order_of_addition_does_not_matter_on_the_grid(values, random):
    unit = grid_unit(sum(values))
    snapped = round_to_grid(np.array(values), unit)
    again = snapped.tolist()
    random.shuffle(again)
    assert sum(again) == snapped.sum()
    assert np.abs(snapped - values).max() <= unit / 2
    assert (round_to_grid(np.array(values), unit, down=True) <= np.array(values)).all()


def test_rows_that_cost_nothing_are_left_out():
    cells, _, y, _, _ = tied_table(4)
    weight = np.where(np.arange(len(y)) % 2 == 0, 0.0, 1.0)
    problem = price_columns(cells, y, 1.0, weight)
    assert problem.P.shape[0] == (y & (weight > 0)).sum()
    assert problem.m.tolist() == [1.0] * problem.P.shape[0]


@pytest.mark.slow
@given(cover_problems())
def test_compact_program_matches_the_printed_one(problem):
    A, y, rows, theta = problem
    folded = price_columns(chained(binned_matrix(A)), y, theta, rows)
    program = compact_program(folded.P.values.astype(float), folded.m, folded.price)
    printed = reference.printed_value(A, y, rows, theta)
    assert solve_lp(program).value == pytest.approx(printed, abs=1e-8)
    best = reference.best_clause_cost(A, y, rows, theta)
    assert solve_milp(program).value == pytest.approx(best, abs=1e-6)


def test_weights_are_recomputed_only_if_their_rows_fix_them():
    w = np.array([1e-7, 0.5 + 1e-12, 1.0 - 1e-11, 1 / 3])
    np.testing.assert_array_equal(snap_weights(w)[2], 1.0)
    assert snap_weights(w)[0] > 0
    P = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    scale = np.array([1.0, 0.9973, 1.0])
    exact = np.linalg.solve(P * scale, np.ones(3))
    noisy = exact + np.array([3e-11, -2e-11, 1e-11])
    np.testing.assert_allclose(snap_weights(noisy, P * scale), exact, atol=1e-15)
    w = np.array([0.3141592653589793, 0.27182818284590454])
    np.testing.assert_array_equal(snap_weights(w, np.ones((1, 2))), w)


@pytest.mark.parametrize("d", [1, 2, 500])
def test_prices_rise_by_distinct_amounts_up_to_a_millionth(d):
    added = default_perturbation(d)
    assert (added >= 0.5 * PERTURBATION).all()
    assert (added < PERTURBATION).all()
    assert np.diff(np.sort(added)).min(initial=1.0) > PERTURBATION / (10 * d)
    np.testing.assert_array_equal(default_perturbation(d + 1)[:d], added)


@given(st.integers(1, 240), st.integers(1, 240), st.floats(-5e-11, 5e-11))
def test_small_fractions_are_exact_despite_solver_noise(a, b, noise):
    weight = min(a, b) / max(a, b)
    assert snap_weights(np.array([weight + noise]))[0] == pytest.approx(weight, abs=1e-16)


@given(cover_problems())
def test_rounded_clause_costs_between_best_and_empty(problem):
    A, y, rows, theta = problem
    task = rounding_task(A, y, rows, theta)
    cost = task.cost(np.flatnonzero(round_without_redundancy(task, np.full(A.shape[1], 0.3))))
    assert cost >= best_clause_cost(A, y, rows, theta) - 1e-9
    assert cost <= rows[y].sum() + 1e-9


@given(st.integers(0, 10_000))
def test_clauses_have_no_redundant_or_always_true_pair(seed):
    A, y, binned = threshold_table(seed, n=60, features=3, cuts=5)
    w = np.random.default_rng(seed).random(A.shape[1])
    chosen = round_without_redundancy(rounding_task(A, y, np.ones(len(y)), 0.01, binned), w)
    for feature in range(3):
        low = chosen & (binned.feature == feature) & (binned.side < 0)
        high = chosen & (binned.feature == feature) & (binned.side > 0)
        assert low.sum() <= 1
        assert high.sum() <= 1
        if low.any() and high.any():
            assert binned.rank[low] < binned.rank[high]


def test_features_are_groups_and_ties_go_to_the_first():
    A = np.array([[True, True, True], [False, False, False]])
    task = rounding_task(A, np.array([True, False]), np.ones(2), 0.1)
    np.testing.assert_array_equal(
        round_without_redundancy(task, np.array([0.2, 0.2, 0.2])), [True, False, False]
    )
    task = rounding_task(np.ones((1, 1), dtype=bool), np.array([True]), np.ones(1), 1.0)
    assert not round_without_redundancy(task, np.array([0.5])).any()
    task = rounding_task(np.ones((2, 2), dtype=bool), np.ones(2, dtype=bool), np.ones(2), 0.1)
    barred = replace(task, wrong=np.array([np.inf, 0.4]))
    np.testing.assert_array_equal(
        round_without_redundancy(barred, np.array([0.0, 0.4])), [False, True]
    )
    A = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1]], dtype=bool)
    binned = binned_matrix(A, np.zeros(4, int))
    groups = redundancy_groups(binned, np.ones(3, dtype=bool))
    assert [g.single.tolist() for g in groups] == [[0, 1, 2], [3]]
    A, y, binned = threshold_table(2, n=60, features=2, cuts=3, levels=2)
    first, second, *levels = redundancy_groups(binned, y)
    for feature, group in ((0, first), (1, second)):
        np.testing.assert_array_equal(group.columns, np.flatnonzero(binned.feature == feature))
        for a, low in enumerate(group.low):
            for b, high in enumerate(group.high):
                assert group.pairs[a, b] == (not (A[:, low] | A[:, high]).all())
        assert not group.overlap
    assert sorted(np.concatenate([g.single for g in levels])) == [12, 13, 14, 15]
    A = np.array([[True, True], [False, True], [True, False]])
    binned = binned_matrix(A, np.zeros(2, int), np.array([-1, 1]), np.array([0, 1]))
    y = np.array([True, True, False])
    assert redundancy_groups(binned, y)[0].overlap
    assert not redundancy_groups(binned, ~y)[0].overlap


def test_random_rounding_repeats_with_its_seed():
    A, y, binned = threshold_table(3)
    task = rounding_task(A, y, np.ones(len(y)), 0.5, binned)
    w = np.full(A.shape[1], 0.1)
    first = round_clause(task, w, "random", np.random.default_rng(5))
    np.testing.assert_array_equal(first, round_clause(task, w, "random", np.random.default_rng(5)))
    draws = np.random.default_rng(5).random((10, len(w))) < w
    costs = [task.cost(np.flatnonzero(draw)) for draw in (first, *draws)]
    assert costs[0] == pytest.approx(min(costs[1:]))


@pytest.mark.slow
def test_rounding_is_near_the_exact_optimum():
    A, y, binned = threshold_table(11, n=150, features=5, cuts=6)
    problem = cover_problem(binned, y)
    ratios, against_threshold = [], []
    for rows, theta in sub_problems(y, 3, 40):
        relaxed = problem.solve(rows, theta)
        if relaxed.is_binary:
            continue
        exact = best_columns(price_columns(chained(binned), y, theta, rows))
        assert exact.proved
        task = problem.sub_problem(rows, theta)
        rounded, plain = (
            clause_cost(A, y, rows, round_clause(task, relaxed.w, how), theta)
            for how in ("redundancy", "threshold")
        )
        ratios.append(rounded / exact.cost)
        against_threshold.append(rounded / plain)
    assert len(ratios) >= 10
    assert np.mean(ratios) <= 1.12
    assert np.mean(against_threshold) < 0.8


@pytest.mark.parametrize("parts", [(5,), (2, 3), (1, CHUNK + 3, 2)])
@pytest.mark.parametrize("on_the_way", [False, True])
@pytest.mark.parametrize("solver", ENGINES)
def test_groups_are_distinct_rows_and_the_optimum_is_unchanged(parts, on_the_way, solver):
    rng = np.random.default_rng(len(parts))
    P, m = rng.random((60, sum(parts))) < 0.3, rng.choice([0.0, 1.0, 2.5], 60)
    P[30:] = P[:30]
    price = rng.uniform(1.0, 9.0, sum(parts))
    program, start = GeneratedDual(m), 0
    for size in parts:
        program.add(P[:, start : start + size], price[start : start + size])
        start += size
        if on_the_way:
            with solved_by(solver):
                program.solve()
    groups = program.groups
    _, inverse = np.unique(P, axis=0, return_inverse=True)
    assert len(groups.first) == inverse.max() + 1 <= 30
    np.testing.assert_array_equal(P[groups.first][groups.of], P)
    np.testing.assert_array_equal(groups.weight, [m[groups.of == k].sum() for k in set(groups.of)])
    with solved_by(solver):
        solution = program.solve()
    mu = groups.share_weights(solution.x)
    assert ((mu >= 0) & (mu <= m + 1e-12)).all()
    assert (mu @ P <= price + 1e-9).all()
    whole = solve_lp(compact_program(P.astype(float), m, price))
    assert mu.sum() == pytest.approx(whole.value)
    np.testing.assert_allclose(price @ -solution.duals + m @ np.maximum(0, 1 + P @ solution.duals),
                               whole.value)  # fmt: skip


def test_the_next_solution_begins_at_the_vertex_of_the_last_one(monkeypatch):
    """Of rows that new columns tell apart, those of a group have together what it had."""
    rng = np.random.default_rng(3)
    P, m = rng.random((80, 12)) < 0.4, rng.choice([0.0, 1.0, 2.5], 80)
    program = GeneratedDual(m)
    program.add(P[:, :4], rng.uniform(5.0, 20.0, 4))
    result, coarse = program.solve(), program.groups
    program.add(P[:, 4:], np.full(8, 1e6))  # so dear that the optimum stays
    started = []
    solve = priced_columns.solve_lp

    def kept(lp, *, time_limit, start):
        started.append((lp, start))
        return solve(lp, time_limit=time_limit, start=start)

    monkeypatch.setattr(priced_columns, "solve_lp", kept)
    assert program.solve().value == pytest.approx(result.value)
    ((lp, start),) = started
    assert start.basic.sum() + start.basic_rows.sum() == len(lp.lower)
    x = np.where(start.at_upper, lp.x_upper, 0.0)
    tight, free = np.flatnonzero(~start.basic_rows), np.flatnonzero(start.basic)
    matrix = lp.A
    x[free] = 0.0
    x[free] = np.linalg.solve(matrix[np.ix_(tight, free)], lp.upper[tight] - matrix[tight] @ x)
    assert ((x >= -1e-9) & (x <= lp.x_upper + 1e-9)).all()
    np.testing.assert_allclose(np.bincount(coarse.of[program.groups.first], x), result.x, atol=1e-9)


def test_an_answer_that_is_not_optimal_is_refused(monkeypatch):
    P, c, m = small_dual(1, 30, 20)
    assert solve_small_dual(P, c, m) is not None
    with monkeypatch.context() as patch:
        patch.setattr(rounding_kernels, "optimise", lambda *_: rounding_kernels.OPTIMAL)
        assert solve_small_dual(P, c, m) is None
    monkeypatch.setattr(priced_columns, "MOST", 0)
    assert solve_small_dual(P, c, m) is None


def test_a_time_limit_that_has_passed_is_reported():
    P, c, m = small_dual(1, 30, 20)
    assert solve_small_dual(P, c, m, time_limit=-1.0).status == "time limit"
