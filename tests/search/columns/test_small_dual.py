"""The compiled simplex method for small programs, against the solver of large ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.columns import compact_program, simplex_kernels, small_dual
from rulekit.search.columns.rounding import default_perturbation
from rulekit.search.columns.small_dual import solve_small_dual
from rulekit.search.lp import solve_lp


def drawn(seed, g, d):
    """Draw distinct rows, whole weights and prices without ties."""
    rng = np.random.default_rng(seed)
    P = np.unique(rng.random((g, d)) < rng.uniform(0.1, 0.9), axis=0)
    m = rng.integers(1, 4, len(P)).astype(float)
    return P, rng.integers(0, 2 * g // 3 + 1, d) + 0.01 + default_perturbation(d), m


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 30))
def test_values_and_clauses_are_those_of_the_compact_program(seed, g, d):
    P, c, m = drawn(seed, g, d)
    found = solve_small_dual(P, c, m)
    whole = solve_lp(compact_program(P.astype(float), m, c))
    assert found.value == pytest.approx(whole.value, rel=1e-9)
    np.testing.assert_allclose(-found.duals, whole.x[:d], atol=1e-9)
    assert ((found.x >= 0) & (found.x <= m)).all()
    assert (found.x @ P <= c + 1e-9).all()
    assert found.basic_x.sum() + found.basic_rows.sum() == d


def test_whole_clauses_that_cover_rows_once_do_not_cycle():
    """Every row is covered by exactly two of these columns, so that many bases are one vertex."""
    i, j = np.triu_indices(12, 1)
    P = (np.arange(12) == i[:, None]) | (np.arange(12) == j[:, None])
    c = 4.0 + default_perturbation(12)
    found = solve_small_dual(P, c, np.ones(len(P)))
    whole = solve_lp(compact_program(P.astype(float), np.ones(len(P)), c))
    assert found.value == pytest.approx(whole.value, rel=1e-9)


def test_an_answer_that_is_not_optimal_is_refused(monkeypatch):
    P, c, m = drawn(1, 30, 20)
    assert solve_small_dual(P, c, m) is not None
    with monkeypatch.context() as patch:
        patch.setattr(simplex_kernels, "optimise", lambda *_: simplex_kernels.OPTIMAL)
        assert solve_small_dual(P, c, m) is None
    monkeypatch.setattr(small_dual, "MOST", 0)
    assert solve_small_dual(P, c, m) is None


def test_a_time_limit_that_has_passed_is_reported():
    P, c, m = drawn(1, 30, 20)
    assert solve_small_dual(P, c, m, time_limit=-1.0).status == "time limit"
