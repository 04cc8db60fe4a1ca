"""A rule of several clauses: its two objectives, counted row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.columns.clause_selection import error_cost, hamming_cost
from tests.reference import two_level
from tests.strategies.covers import cover_problems


@given(cover_problems(), st.integers(1, 3), st.randoms())
def test_both_objectives_are_those_counted_row_by_row(problem, n_clauses, random):
    A, y, weight, theta = problem
    bits = [random.random() < 0.4 for _ in range(n_clauses * A.shape[1])]
    chosen = np.array(bits).reshape(n_clauses, A.shape[1])
    for fast, slow in ((hamming_cost, two_level.hamming_cost), (error_cost, two_level.error_cost)):
        assert fast(A, y, weight, chosen, theta) == pytest.approx(slow(A, y, weight, chosen, theta))


def test_an_empty_rule_without_clauses_is_always_true():
    A, y = np.ones((2, 1), dtype=bool), np.array([True, False])
    assert hamming_cost(A, y, np.ones(2), np.zeros((0, 1), dtype=bool), 0.0) == 1.0
