"""The votes of a forest are those of its plain twin, on the columns that differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.learners.forest_kernels import MIN_LEAF, forest_columns, votes
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


def test_equal_columns_are_one_to_the_forest():
    codes = np.array([[0, 0, 1], [1, 1, 0], [2, 2, 1]], dtype=np.uint8)

    class Cut:
        cuts = np.zeros(2)

    class Levels:
        cuts = None

    result, ordered = forest_columns(codes, (Cut(), Cut(), Levels()), [0, 1, 2])
    assert result.tolist() == [[0, 1], [1, 0], [2, 1]]
    assert ordered.tolist() == [True, False]


def test_indistinguishable_class_gets_its_share_of_votes():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (500, 3))
    classes = (rng.random(500) < 0.3).astype(int)
    shares = votes(codes, np.zeros(3, bool), classes, np.ones(500), 80, 2)
    assert shares[:, 1].mean() == pytest.approx(classes.mean(), abs=0.03)
    # out of bag: a row's own class is no more likely than that of the others
    assert abs(shares[classes == 1, 1].mean() - shares[classes == 0, 1].mean()) < 0.05
