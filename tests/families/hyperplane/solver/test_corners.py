"""The upper corner of a box: closed form, peeling and linear program."""

import numpy as np
import pytest
from hypothesis import assume, given

from rulekit.families.hyperplane.solver.corners import peel, point_corner, water_fill
from rulekit.families.hyperplane.solver.half_space import Region
from tests.engines import ENGINES, solved_by
from tests.reference import hypercubes as reference
from tests.strategies.half_spaces import half_of, planes


@pytest.fixture(params=ENGINES, autouse=True)
def engine(request):
    with solved_by(request.param):
        yield request.param


@given(planes(max_features=5))
def test_peeling_takes_the_steps_of_the_slow_twin(plane):
    X, w, gamma, above = plane
    half = half_of(X, w, gamma, above)
    V = half.orient(X)
    points, counts = np.unique(V[half.contains(V)], axis=0, return_counts=True)
    expected = reference.peel(half.weights.tolist(), half.cap, points.tolist(), counts.tolist())
    assert peel(half, points, counts).tolist() == expected


@pytest.mark.slow
def test_closed_form_equals_bisection_on_a_thousand_problems():
    rng = np.random.default_rng(0)
    for case in range(1000):
        n = int(rng.integers(1, 21))
        weights = np.exp(rng.normal(0, 2, n)) * (rng.random(n) > 0.1)
        bottoms = np.zeros(n)
        if case % 2:
            bottoms = rng.random(n)
            bottoms *= rng.random() / max(weights @ bottoms, 1.0)
        result = water_fill(weights, bottoms)
        expected = reference.water_fill(weights.tolist(), bottoms.tolist())
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-9)


@given(planes(max_features=4))
def test_corner_of_the_linear_program_has_the_least_excess(plane):
    X, w, gamma, above = plane
    half = half_of(X[:25], w, gamma, above)
    V = half.orient(X[:25])
    points, counts = np.unique(V[half.contains(V)], axis=0, return_counts=True)
    region = Region.whole(half)
    weights = region.unit_weights()
    assume(len(points) and weights is not None)
    unit = np.array([region.to_unit(p) for p in points])

    def excess(corner):
        return counts @ np.maximum(0.0, (unit - corner).max(axis=1, initial=0.0))

    result = region.to_unit(point_corner(region, points, counts))
    least = excess(result)
    rng = np.random.default_rng(0)
    for _ in range(200):
        other = np.maximum(rng.random(half.n_features), unit.min(axis=0))
        if weights @ other <= 1.0:
            assert least <= excess(other) + 1e-6
