"""One side of a plane, in the very arithmetic that decides."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.hyperplane.solver.half_space import HalfSpace, Region, plane_values
from tests.reference import hypercubes as reference
from tests.strategies.half_spaces import half_of, planes


def test_the_plane_belongs_to_the_lower_side_alone():
    w, low, high = np.array([1.0, 1.0]), np.zeros(2), np.full(2, 4.0)
    on_it = np.array([[1.0, 2.0]])
    lower = HalfSpace.of_plane(w, 3.0, low, high, above=False)
    upper = HalfSpace.of_plane(w, 3.0, low, high, above=True)
    assert lower.contains(lower.oriented(on_it)).all()
    assert not upper.contains(upper.oriented(on_it)).any()


def test_sums_are_taken_from_left_to_right():
    X = np.array([[1e16, 1.0, -1e16], [1.0, 1e16, -1e16]])
    expected = [reference.value([1.0, 1.0, 1.0], row) for row in X.tolist()]
    assert plane_values(X, np.ones(3)).tolist() == expected


@given(planes(max_features=6), st.integers(0, 10**6))
def test_corner_mapped_back_stays_on_its_side_in_doubles(plane, seed):
    X, w, gamma, above = plane
    half = half_of(X, w, gamma, above)
    V = half.oriented(X)
    region, floor = Region.whole(half), V[half.contains(V)].min(axis=0)
    y = (
        np.random.default_rng(seed).random(half.n_features) * 1.5
    )  # some beyond the plane, some at 1
    corner = region.to_faces(np.minimum(y, 1.0), floor)
    assert half.value(corner) <= half.cap
    assert (corner >= floor).all()
    assert (corner <= np.maximum(region.upper, floor)).all()


def test_unweighted_features_are_dropped_and_negative_ones_turned():
    half = HalfSpace.of_plane(
        np.array([0.0, -2.0, 1.0]), 1.0, np.zeros(3), np.array([9.0, 3.0, 4.0]), above=False
    )
    assert half.columns.tolist() == [1, 2]
    assert half.weights.tolist() == [2.0, 1.0]
    assert (half.low.tolist(), half.high.tolist()) == ([-3.0, 0.0], [0.0, 4.0])
    assert half.oriented(np.array([[7.0, 1.0, 2.0]])).tolist() == [[-1.0, 2.0]]
    assert half.order.tolist() == [0, 1]
