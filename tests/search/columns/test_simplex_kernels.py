"""The compiled simplex method, by `solve_small_dual`, against the solver of large programs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.columns.candidates import compact_program
from rulekit.search.columns.generated_dual import solve_small_dual
from rulekit.search.columns.rounding import default_perturbation
from rulekit.search.lp import solve_lp
from tests.strategies.covers import small_dual


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 30))
def test_values_and_clauses_are_those_of_the_compact_program(seed, g, d):
    P, c, m = small_dual(seed, g, d)
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
