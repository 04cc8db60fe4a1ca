"""Rows that no generated column tells apart as one variable: groups, shares, and the optimum."""

import numpy as np
import pytest

from rulekit.search.columns import generated_dual, rounding_kernels
from rulekit.search.columns.generated_dual import CHUNK, GeneratedDual, solve_small_dual
from rulekit.search.lp import solve_lp
from rulekit.search.screening.bounds import compact_program
from tests.engines import ENGINES, solved_by
from tests.strategies.covers import small_dual


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
    solve = generated_dual.solve_lp

    def kept(lp, *, time_limit, start):
        started.append((lp, start))
        return solve(lp, time_limit=time_limit, start=start)

    monkeypatch.setattr(generated_dual, "solve_lp", kept)
    assert program.solve().value == pytest.approx(result.value)
    ((lp, start),) = started
    assert start.basic.sum() + start.basic_rows.sum() == len(lp.lower)
    x = np.where(start.at_upper, lp.x_upper, 0.0)
    tight, free = np.flatnonzero(~start.basic_rows), np.flatnonzero(start.basic)
    matrix = lp.A
    x[free] = 0.0
    x[free] = np.linalg.solve(matrix[np.ix_(tight, free)], lp.upper[tight] - matrix[tight] @ x)
    assert ((x >= -1e-9) & (x <= lp.x_upper + 1e-9)).all()
    parent = coarse.of[program.groups.first]
    np.testing.assert_allclose(np.bincount(parent, x), result.x, atol=1e-9)


def test_an_answer_that_is_not_optimal_is_refused(monkeypatch):
    P, c, m = small_dual(1, 30, 20)
    assert solve_small_dual(P, c, m) is not None
    with monkeypatch.context() as patch:
        patch.setattr(rounding_kernels, "optimise", lambda *_: rounding_kernels.OPTIMAL)
        assert solve_small_dual(P, c, m) is None
    monkeypatch.setattr(generated_dual, "MOST", 0)
    assert solve_small_dual(P, c, m) is None


def test_a_time_limit_that_has_passed_is_reported():
    P, c, m = small_dual(1, 30, 20)
    assert solve_small_dual(P, c, m, time_limit=-1.0).status == "time limit"
