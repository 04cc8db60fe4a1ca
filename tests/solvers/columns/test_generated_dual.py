"""Rows that no generated column tells apart as one variable: groups, shares, and the optimum."""

import numpy as np
import pytest

from rulekit.solvers.columns import compact_program
from rulekit.solvers.columns.generated_dual import CHUNK, GeneratedDual
from rulekit.solvers.lp import solve_lp


@pytest.mark.parametrize("parts", [(5,), (2, 3), (1, CHUNK + 3, 2)])
def test_groups_are_the_distinct_rows_of_the_columns_and_the_optimum_is_that_of_all_rows(parts):
    rng = np.random.default_rng(len(parts))
    P, m = rng.random((60, sum(parts))) < 0.3, rng.choice([0.0, 1.0, 2.5], 60)
    P[30:] = P[:30]
    price = rng.uniform(1.0, 9.0, sum(parts))
    program, start = GeneratedDual(m), 0
    for size in parts:
        program.add(P[:, start : start + size], price[start : start + size])
        start += size
    groups = program.groups
    _, inverse = np.unique(P, axis=0, return_inverse=True)
    assert len(groups.first) == inverse.max() + 1 <= 30
    np.testing.assert_array_equal(P[groups.first][groups.of], P)
    np.testing.assert_array_equal(groups.weight, [m[groups.of == k].sum() for k in set(groups.of)])
    found = program.solve()
    mu = groups.shared(found.x)
    assert ((mu >= 0) & (mu <= m + 1e-12)).all()
    assert (mu @ P <= price + 1e-9).all()
    whole = solve_lp(compact_program(P.astype(float), m, price))
    assert mu.sum() == pytest.approx(whole.value)
    np.testing.assert_allclose(price @ -found.duals + m @ np.maximum(0, 1 + P @ found.duals),
                               whole.value)  # fmt: skip
