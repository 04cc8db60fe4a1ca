"""The votes of a forest are those of its plain twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.learners.forest_loss import MIN_LEAF, votes
from tests.reference import forest as plain


@st.composite
def tables(draw):
    """Few rows and cells, three classes at most, weights of which some are 0."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, p = draw(st.integers(2, 40)), draw(st.integers(1, 5))
    codes = rng.integers(0, draw(st.integers(1, 6)), (n, p))
    classes = rng.integers(0, draw(st.integers(1, 3)), n)
    weight = rng.integers(0, 5, n) / 4
    weight[0] = 1.0
    return (codes, rng.random(p) < 0.6), classes, weight


@given(tables(), st.integers(0, 2**31), st.sampled_from([None, 7]))
def test_votes_equal_the_plain_twin(table, seed, most):
    cells, classes, weight = table
    shares = votes(*cells, classes, weight, 6, seed, most)
    twin = plain.votes(*cells, classes, weight, 6, seed, MIN_LEAF, most)
    assert shares == pytest.approx(twin, abs=1e-12, nan_ok=True)
