"""Boxes on one side of a plane: exact faces, exact sides, and the closed form."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rulekit.families.hyperplane.solver.half_space import HalfSpace, Region
from rulekit.families.hyperplane.solver.hypercubes import (
    CRITERIA,
    carry_on,
    extract_boxes,
    few_boxes,
    peel,
    point_corner,
    water_fill,
)
from tests.reference import hypercubes as reference
from tests.strategies.half_spaces import half_of, planes, random_plane, scale_of

COVERING = ("peel", "point_lp")
TINY = 1e-12


@pytest.mark.parametrize("criterion", CRITERIA)
@given(planes())
@pytest.mark.slow
def test_boxes_are_disjoint_and_on_their_side_of_a_random_plane(criterion, plane):
    X, w, gamma, above = plane
    half = half_of(X, w, gamma, above)
    V = half.orient(X)
    boxes = extract_boxes(half, V, criterion=criterion, max_depth=6)
    pairs = list(zip(boxes.lower.tolist(), boxes.upper.tolist(), strict=True))
    for k, (lower, upper) in enumerate(pairs):
        beyond = reference.exact_value(half.weights.tolist(), upper) - half.cap
        assert beyond <= TINY * scale_of(half)
        assert half.value(np.array(upper)) <= half.cap
        assert not any(reference.share_a_point((lower, upper), other) for other in pairs[:k])
    assert not boxes.members(V[~half.contains(V)]).any()
    inside = boxes.members(V[half.contains(V)])
    assert inside.sum(axis=1).max(initial=0) <= 1
    np.testing.assert_array_equal(inside.sum(axis=0), boxes.n_points)


@pytest.mark.parametrize("criterion", COVERING)
@given(planes(max_features=6))
def test_every_point_of_the_side_is_covered_when_the_depth_allows(criterion, plane):
    X, w, gamma, above = plane
    half = half_of(X, w, gamma, above)
    boxes = extract_boxes(half, half.orient(X), criterion=criterion, max_depth=10**6)
    assert boxes.n_points.sum() == boxes.n_total


@given(planes(max_features=5), st.sampled_from(["peel", "volume_paper"]))
def test_extraction_is_algorithm_4_1(plane, criterion):
    X, w, gamma, above = plane
    half = half_of(X, w, gamma, above)
    V = half.orient(X)
    points, counts = np.unique(V[half.contains(V)], axis=0, return_counts=True)

    def choose(lower, upper, some, many):
        region = Region(half, np.array(lower), np.array(upper))
        return CRITERIA[criterion](region, np.array(some), np.array(many)).tolist()

    widths = (half.high - half.low).tolist()
    lower = [-math.inf] * half.n_features
    expected = reference.extract(
        (half.weights.tolist(), widths), choose, lower, half.high.tolist(),
        points.tolist(), counts.tolist(), 0, 5,
    )  # fmt: skip
    boxes = extract_boxes(half, V, criterion=criterion, max_depth=5)
    reported = zip(
        boxes.lower.tolist(), boxes.upper.tolist(), boxes.n_points.tolist(),
        boxes.depth.tolist(), strict=True,
    )  # fmt: skip
    assert sorted(reported) == sorted(expected)


def test_greatest_box_is_the_whole_region_on_one_side():
    w, high = np.array([1.0, -2.0]), np.array([3.0, 1.0])
    half = HalfSpace.from_plane(w, 9.0, np.zeros(2), high, above=False)
    rows = np.array([[3.0, 0.0], [0.0, 1.0]])
    for criterion in CRITERIA:
        boxes = extract_boxes(half, half.orient(rows), criterion=criterion)
        assert len(boxes) == 1
        np.testing.assert_array_equal(boxes.upper[0], half.high)
        assert boxes.coverage == 1.0


def test_boxes_cover_edges_and_need_points_and_weights():
    X = np.array([[a, b] for a in (0.0, 1.0, 2.0) for b in (0.0, 1.0, 2.0)])
    for above in (False, True):
        half = half_of(X, np.array([1.0, -1.0]), 0.5, above)
        V = half.orient(X)
        boxes = extract_boxes(half, V)
        assert boxes.members(V[half.contains(V)]).any(axis=1).all()
    X, w, gamma = random_plane(3, 3, m=200)
    half = half_of(X, w, gamma, above=False)
    boxes = extract_boxes(half, half.orient(X))
    assert sorted(boxes.n_points, reverse=True) == boxes.n_points.tolist()
    kept = boxes.drop_small(min_points=3, max_boxes=2)
    assert len(kept) == 2
    assert kept.coverage == boxes.n_points[:2].sum() / boxes.n_total
    rows = np.arange(6.0).reshape(3, 2)
    for above, n in ((False, 1), (True, 0)):
        half = half_of(rows, np.zeros(2), 1.0, above)
        assert len(extract_boxes(half, half.orient(rows))) == n


@pytest.mark.slow
@given(planes(max_features=5), st.sampled_from(COVERING))
def test_extraction_carried_on_ends_in_a_box_that_holds_the_point(plane, criterion):
    X, w, gamma, above = plane
    half = half_of(X, w, gamma, above)
    V = half.orient(X)
    learned, asked = V[::2], V[1::2]
    boxes = extract_boxes(half, learned, criterion=criterion)
    for v in asked[half.contains(asked)][:5]:
        lower, upper, depth = carry_on(half, learned, v, criterion=criterion)
        assert reference.in_box(lower, upper, v)
        assert half.value(upper) <= half.cap
        held = boxes.members(v[None, :])[0]
        if held.any():
            np.testing.assert_array_equal(lower, boxes.lower[held][0])
            np.testing.assert_array_equal(upper, boxes.upper[held][0])
            assert depth == boxes.depth[held][0]


def n_faces(boxes):
    half = boxes.half
    return int((boxes.lower >= half.low).sum() + (boxes.upper < half.high).sum())


@given(planes(max_features=4), st.integers(0, 10**6), st.sampled_from([1, 2, 5, None]))
def test_few_boxes_are_disjoint_on_their_side_and_worth_as_much(plane, seed, most):
    X, w, gamma, above = plane
    half, rng = half_of(X, w, gamma, above), np.random.default_rng(seed)
    V = half.orient(X)
    worth = rng.choice([-1.0, 1.0, 2.0], len(X))
    every = extract_boxes(half, V[worth > 0], max_depth=6)
    few = few_boxes(every, V, worth, most)
    assert len(few) <= (most or len(every))
    pairs = list(zip(few.lower.tolist(), few.upper.tolist(), strict=True))
    for k, pair in enumerate(pairs):
        assert half.value(np.array(pair[1])) <= half.cap
        assert not any(reference.share_a_point(pair, other) for other in pairs[:k])
    gains = np.sort([worth[inside].sum() for inside in every.members(V).T])[::-1][:most]
    inside = few.members(V)
    assert worth[inside.any(axis=1)].sum() >= gains[gains > 0].sum()
    np.testing.assert_array_equal(few.n_points, inside[worth > 0].sum(axis=0))
    assert (np.diff(few.n_points) <= 0).all()
    assert n_faces(few) <= n_faces(every)


def test_a_face_between_boxes_goes_with_the_box_behind_it():
    V = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 0.0]])
    boxes = extract_boxes(half_of(V, np.array([1.0, 1.0]), 2.0, above=False), V)
    assert n_faces(boxes) == 3
    behind = few_boxes(boxes, V, np.array([-1.0, -1.0, 1.0, 1.0]), None)
    assert len(behind) == 1
    assert n_faces(behind) < n_faces(boxes)


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
@pytest.mark.usefixtures("engine")
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

    least = excess(region.to_unit(point_corner(region, points, counts)))
    rng = np.random.default_rng(0)
    for _ in range(200):
        other = np.maximum(rng.random(half.n_features), unit.min(axis=0))
        if weights @ other <= 1.0:
            assert least <= excess(other) + 1e-6
