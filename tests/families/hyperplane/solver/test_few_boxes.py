"""Few boxes of few faces from those that cover one side of a plane."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.hyperplane.solver.few_boxes import few_boxes
from rulekit.families.hyperplane.solver.half_space import HalfSpace
from rulekit.families.hyperplane.solver.hypercubes import extract_boxes
from tests.reference import hypercubes as reference
from tests.strategies.half_spaces import half_of, planes


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
    half = HalfSpace.from_plane(
        np.array([1.0, 1.0]), 2.0, V.min(axis=0), V.max(axis=0), above=False
    )
    boxes = extract_boxes(half, V)
    assert n_faces(boxes) == 3
    behind = few_boxes(boxes, V, np.array([-1.0, -1.0, 1.0, 1.0]), None)
    assert len(behind) == 1
    assert n_faces(behind) < n_faces(boxes)
