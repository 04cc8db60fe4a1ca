"""Sums that are exact, and functions of additions and multiplications only."""

import math

import numpy as np
import pytest

from rulekit._sums import addable, exp, log2, power


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
