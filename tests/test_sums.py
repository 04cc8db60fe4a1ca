"""Sums that are exact, functions of additions and multiplications only, and small matrices."""

import math

import numpy as np
import pytest
from scipy import linalg

from rulekit._sums import addable, exp, log2, narrowest, power, solve_systems


def test_addable_numbers_have_the_same_sum_in_every_order():
    rng = np.random.default_rng(0)
    values = addable(rng.lognormal(0, 3, 1001) * rng.choice([-1.0, 1.0], 1001))
    exact = math.fsum(values)
    for order in (values, values[::-1], rng.permutation(values)):
        assert sum(order.tolist()) == exact


def test_addable_numbers_are_within_rounding_of_their_sum():
    values = np.random.default_rng(1).lognormal(0, 3, 1000)
    assert np.abs(addable(values) - values).max() <= np.spacing(values.sum())
    whole = np.arange(1000.0)
    assert (addable(whole) == whole).all()
    assert addable(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]


def test_exp_and_log2_are_right_to_the_last_bits():
    x = np.random.default_rng(2).uniform(-40.0, 40.0, 20_000)
    np.testing.assert_allclose(exp(x), np.exp(x), rtol=1e-15)
    u = np.random.default_rng(3).random(20_000)
    np.testing.assert_allclose(log2(u), np.log2(u), rtol=1e-15, atol=1e-15)
    whole = np.arange(-60, 60)
    assert (log2(2.0**whole) == whole).all()
    assert log2(np.zeros(1))[0] == -np.inf


@pytest.mark.parametrize("exponent", [1 / 21, 0.5, 1 / 3])
def test_a_power_is_right_to_the_last_bits_and_zero_at_zero(exponent):
    u = np.append(np.random.default_rng(4).random(1000), [0.0, 1.0])
    np.testing.assert_allclose(power(u, exponent), u**exponent, rtol=1e-15)


def test_consistent_overdetermined_equations_are_solved():
    rng = np.random.default_rng(0)
    A, x = rng.standard_normal((50, 7, 4)), rng.standard_normal((50, 4, 2))
    A[:, 0] = 0.0  # an equation that says nothing comes first
    np.testing.assert_allclose(solve_systems(A, np.einsum("kmn,knr->kmr", A, x)), x, atol=1e-11)


@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_the_narrowest_direction_has_the_least_generalised_eigenvalue(p):
    rng = np.random.default_rng(p)
    own, around = (np.einsum("kan,kbn->kab", B, B) for B in rng.standard_normal((2, 40, p, 2 * p)))
    given = own.copy()
    w, share = narrowest(own, around)
    assert (own == given).all()
    least = [linalg.eigh(a, b, eigvals_only=True)[0] for a, b in zip(own, around, strict=True)]
    np.testing.assert_allclose(share, least, rtol=1e-9)
    np.testing.assert_allclose(np.einsum("ka,kab,kb->k", w, own, w), least, rtol=1e-9)
    np.testing.assert_allclose(np.einsum("ka,kab,kb->k", w, around, w), 1.0, rtol=1e-9)


def test_uncorrelated_columns_of_equal_spread_have_a_narrowest_direction():
    w, share = narrowest(np.array([np.eye(2), np.diag([4.0, 1.0])]), np.array([np.eye(2)] * 2))
    assert np.abs(w).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert share.tolist() == [1.0, 1.0]
