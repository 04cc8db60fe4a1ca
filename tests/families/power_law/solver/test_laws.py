"""Exponents to coordinates: products, scales, and when two structures are the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rulekit.exceptions import SolverError
from rulekit.families.power_law.solver.laws import (
    PowerTable,
    canonical,
    distinct,
    n_exponents,
    shifts_for,
)
from tests.reference import power_laws as reference

STRUCTURES = arrays(np.int8, (4, 3, 4), elements=st.sampled_from((0, 0, 0, -2, -1, 1, 3)))


@pytest.fixture(scope="module")
def positive():
    return np.random.default_rng(0).uniform(0.2, 2.0, (17, 4))


@given(STRUCTURES)
def test_a_power_law_is_the_product_of_its_factors(structures):
    X = np.random.default_rng(1).uniform(0.2, 2.0, (5, 4))
    laws = structures.reshape(-1, 4)
    result = PowerTable(X).raw(laws)
    expected = [[reference.power_law(row, law) for row in X] for law in laws]
    np.testing.assert_allclose(result, expected, rtol=1e-12)


def test_scaled_power_laws_are_invertible_and_constant_for_constants(positive):
    rows = np.array([[1, 0, 0, 0], [0, -3, 2, 0], [1, 1, 1, -1]], dtype=np.int8)
    table = PowerTable(positive)
    laws = table.laws(rows)
    np.testing.assert_allclose(laws.values.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(laws.values.std(axis=1), 1)
    back = laws.values * laws.scale[:, None] + laws.mean[:, None]
    np.testing.assert_allclose(back, table.raw(rows))
    X = positive.copy()
    X[:, 1] = 0.7
    laws = PowerTable(X).laws(np.array([[0, 2, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]], dtype=np.int8))
    assert np.isinf(laws.scale).tolist() == [True, True, False]
    assert not laws.values[:2].any()


@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_features_that_are_not_positive_and_finite_are_refused(value, positive):
    X = positive.copy()
    X[3, 2] = value
    with pytest.raises(SolverError, match="need positive, finite features"):
        PowerTable(X)


@given(STRUCTURES, st.permutations(range(3)))
def test_the_order_of_power_laws_does_not_matter(structures, order):
    np.testing.assert_array_equal(canonical(structures), canonical(structures[:, list(order)]))


@given(STRUCTURES)
def test_the_canonical_form_is_canonical_and_never_longer(structures):
    once = canonical(structures)
    np.testing.assert_array_equal(once, canonical(once))
    assert (n_exponents(once) <= n_exponents(structures)).all()


def test_canonical_laws_and_constants_are_recognized():
    one = np.zeros((3, 2, 3), dtype=np.int8)
    one[:, 0] = [[1, -1, 0], [-1, 1, 0], [2, -2, 0]]
    result = canonical(one)
    assert (result == result[0]).all()
    assert distinct(result).tolist() == [0]
    two = np.zeros((2, 2, 2), dtype=np.int8)
    two[0], two[1] = [[1, 0], [0, 1]], [[2, 0], [0, 1]]
    assert len(distinct(canonical(two))) == 2
    shift = shifts_for(np.array([0.5, 0.0, -3.0, -2.0]), np.array([2.0, 4.0, 1.0, -2.0]))
    assert shift.tolist() == [0.0, -4.0, -7.0, -3.0]
