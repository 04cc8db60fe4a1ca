"""Kernels of the search for points against plain NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from rulekit.families.scorecard.solver.card_kernels import line_through
from rulekit.families.scorecard.solver.search import PointsPath
from tests.reference.points import holds, line, loss
from tests.strategies.points import cuts_of, planted


def free_fit(x, weights):
    """Fit weights that are not whole."""
    X = np.column_stack([x, np.ones(len(x))]).astype(float)
    result = minimize(lambda b: loss(X @ b, weights), np.zeros(X.shape[1]), tol=1e-12)
    return X @ result.x, result.fun


def test_gains_and_lines_are_those_of_newton_and_least_loss():
    problem = planted(n=150, p=4)
    x, (yes, no) = holds(problem), problem.weights.T
    both, p = yes + no, yes.sum() / problem.weights.sum()
    pull = x.T @ (yes - both * p)
    own = p * (1 - p) * (x.T @ both)
    curvature = own - own**2 / (p * (1 - p) * both.sum())
    assert problem.gains(()) == pytest.approx(pull**2 / (2 * curvature), rel=1e-6)
    problem = planted()
    logits = np.random.default_rng(0).normal(size=problem.codes.shape[1])
    slope, intercept, _ = line(logits, problem.weights)
    assert problem.line(logits)[:2] == pytest.approx((slope, intercept), abs=1e-5)


def test_gain_with_others_refits_intercept_and_one_factor():
    problem = planted(n=150, p=4)
    x, (yes, no) = holds(problem), problem.weights.T
    logits, _ = free_fit(x[:, [0, 3]], problem.weights)
    p = 1 / (1 + np.exp(-logits))
    q = (yes + no) * p * (1 - p)
    expected = []
    for j in range(len(problem.source)):
        X = np.column_stack([np.ones(len(x)), logits, x[:, j]])
        curve = (X * q[:, None]).T @ X
        left = curve[2, 2] - curve[2, :2] @ np.linalg.solve(curve[:2, :2], curve[:2, 2])
        expected.append((x[:, j] @ (yes - (yes + no) * p)) ** 2 / (2 * left))
    result = problem.gains((0, 3))
    assert result == pytest.approx(expected, rel=1e-3, abs=1e-6)
    assert result[[0, 3]] == pytest.approx(0.0, abs=1e-9)


def test_points_cost_at_least_free_weights_and_polishing_helps():
    problem = planted(n=150, p=4, most=5)
    chosen = (0, 2, 5, 7)
    rough, fine = (problem.settle(chosen, np.inf, polish) for polish in (False, True))
    _, free = free_fit(holds(problem)[:, chosen], problem.weights)
    assert free <= fine[3] <= rough[3]
    assert fine[3] <= free + 0.5
    totals = holds(problem)[:, chosen] @ np.array(fine[0])
    assert fine[1:] == pytest.approx(line(totals, problem.weights), rel=1e-5)


def test_lines_are_finite_and_searches_end():
    problem = planted(n=150)
    *_, cost = problem.settle((0, 2), np.inf, False)
    _, free = free_fit(holds(problem)[:, (0, 2)], problem.weights)
    assert problem.settle((0, 2), free - 0.01, False)[3] == np.inf
    assert problem.settle((0, 2), cost + 0.01, False)[3] == cost
    codes = np.repeat([[0, 0], [1, 1]], 50, axis=0)
    problem = cuts_of(codes, np.arange(100) >= 50)
    points, slope, intercept, cost = problem.settle((0,), np.inf, True)
    assert points == (1,)
    assert (slope, intercept) == pytest.approx((2 * np.log(509), -np.log(509)), rel=1e-4)
    assert 0 < cost < 2
    values = np.repeat([[0.0], [1.0]], 30, axis=0)
    result = np.zeros(2)
    weights = np.repeat([[0.0, 1.0], [1.0, 0.0]], 30, axis=0)
    assert 0 <= line_through(values, weights, result) < 1e-6
    assert np.isfinite(result).all()


def test_twenty_conditions_exceed_a_table_of_bits():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (300, 25))
    problem = cuts_of(codes, codes[:, :20].sum(axis=1) + rng.normal(size=300) > 10, most=3)
    chosen = tuple(range(20))
    points, *fitted = problem.settle(chosen, np.inf, False)
    totals = holds(problem)[:, chosen] @ np.array(points)
    assert fitted == pytest.approx(line(totals, problem.weights), rel=1e-4)
    assert len(PointsPath(problem, 1, 2).cards(12)[-1].chosen) == 12


@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
def test_loss_equals_the_line_and_is_minimal_from_any_start(scale):
    rng = np.random.default_rng(1)
    values, weights = rng.normal(0, scale, (80, 1)), rng.uniform(0, 3, (80, 2))
    for start in ([0.0, 0.0], [9.0 / scale, -4.0], [-30.0 / scale, 20.0]):
        result = np.array(start)
        cost = line_through(values, weights, result)
        assert cost == pytest.approx(loss(values[:, 0] * result[0] + result[1], weights), rel=1e-12)
        assert cost == pytest.approx(line(values[:, 0], weights)[2], rel=1e-9)


def test_conditions_of_two_runs_hold_in_both():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 4, (300, 3))
    outside = (codes != 1).sum(axis=1)
    problem = cuts_of(codes, outside + rng.normal(size=300) > 2, most=3)
    spans = np.tile([0, 1, 2, 4], (3, 1))
    problem = replace(problem, source=np.arange(3), spans=spans, limits=problem.limits[:3])
    points, *fitted = problem.settle((0, 1, 2), np.inf, False)
    assert fitted == pytest.approx(line((codes != 1) @ np.array(points), problem.weights), rel=1e-4)
