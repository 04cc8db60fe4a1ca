"""One vertex: prices that differ, and weights written as the fractions they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.columns.rounding import PERTURBATION, default_perturbation, snap_weights


def test_weights_are_recomputed_only_if_their_rows_fix_them():
    w = np.array([1e-7, 0.5 + 1e-12, 1.0 - 1e-11, 1 / 3])
    np.testing.assert_array_equal(snap_weights(w)[2], 1.0)
    assert snap_weights(w)[0] > 0
    P = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    scale = np.array([1.0, 0.9973, 1.0])
    exact = np.linalg.solve(P * scale, np.ones(3))
    noisy = exact + np.array([3e-11, -2e-11, 1e-11])
    np.testing.assert_allclose(snap_weights(noisy, P * scale), exact, atol=1e-15)
    w = np.array([0.3141592653589793, 0.27182818284590454])
    np.testing.assert_array_equal(snap_weights(w, np.ones((1, 2))), w)


@pytest.mark.parametrize("d", [1, 2, 500])
def test_prices_rise_by_distinct_amounts_up_to_a_millionth(d):
    added = default_perturbation(d)
    assert (added >= 0.5 * PERTURBATION).all()
    assert (added < PERTURBATION).all()
    assert np.diff(np.sort(added)).min(initial=1.0) > PERTURBATION / (10 * d)
    np.testing.assert_array_equal(default_perturbation(d + 1)[:d], added)


@given(st.integers(1, 240), st.integers(1, 240), st.floats(-5e-11, 5e-11))
def test_small_fractions_are_exact_despite_solver_noise(a, b, noise):
    weight = min(a, b) / max(a, b)
    assert snap_weights(np.array([weight + noise]))[0] == pytest.approx(weight, abs=1e-16)
