"""Logistic fits by kernels against plain NumPy."""

import numpy as np
import pytest

from rulekit.families.scorecard.solver.fit_kernels import line_through
from tests.reference.points import line, loss
from tests.strategies.points import planted


def test_a_line_through_given_logits_is_the_one_of_least_loss():
    problem = planted()
    logits = np.random.default_rng(0).normal(size=problem.codes.shape[1])
    slope, intercept, _ = line(logits, problem.weights)
    assert problem.line(logits) == pytest.approx((slope, intercept), abs=1e-5)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
def test_loss_equals_the_line_and_is_minimal_from_any_start(scale):
    rng = np.random.default_rng(1)
    values, weights = rng.normal(0, scale, (80, 1)), rng.uniform(0, 3, (80, 2))
    for start in ([0.0, 0.0], [9.0 / scale, -4.0], [-30.0 / scale, 20.0]):
        found = np.array(start)
        cost = line_through(values, weights, found)
        assert cost == pytest.approx(loss(values[:, 0] * found[0] + found[1], weights), rel=1e-12)
        assert cost == pytest.approx(line(values[:, 0], weights)[2], rel=1e-9)


def test_separated_classes_have_a_loss_near_zero():
    values = np.repeat([[0.0], [1.0]], 30, axis=0)
    found = np.zeros(2)
    weights = np.repeat([[0.0, 1.0], [1.0, 0.0]], 30, axis=0)
    assert 0 <= line_through(values, weights, found) < 1e-6
    assert np.isfinite(found).all()
