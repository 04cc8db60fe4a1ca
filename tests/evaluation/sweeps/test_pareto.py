"""The front: the quick answer is the definition's, and its staircase says the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.evaluation import pareto_front
from rulekit.evaluation.sweeps.result import front_steps
from tests.reference import pareto as reference

COORDINATE = st.one_of(
    st.integers(0, 4).map(float), st.sampled_from([float("nan"), float("inf"), -float("inf"), 0.1])
)
POINTS = st.lists(st.tuples(COORDINATE, COORDINATE), max_size=12)


@given(POINTS)
def test_front_equals_its_definition(points):
    x, y = [p[0] for p in points], [p[1] for p in points]
    assert pareto_front(x, y).tolist() == reference.pareto_front(x, y)


@given(POINTS, st.randoms(use_true_random=False))
def test_the_front_does_not_depend_on_the_order_of_points(points, random):
    shuffled = list(points)
    random.shuffle(shuffled)
    chosen = pareto_front([p[0] for p in points], [p[1] for p in points])
    again = pareto_front([p[0] for p in shuffled], [p[1] for p in shuffled])
    assert sorted(p for p, c in zip(points, chosen, strict=True) if c) == sorted(
        p for p, c in zip(shuffled, again, strict=True) if c
    )


def test_equal_points_are_on_the_front_together():
    assert pareto_front([1, 1], [2, 2]).tolist() == [True, True]


def test_point_with_nan_is_not_on_the_front_and_dominates_none():
    assert pareto_front([0, 1], [np.nan, 1]).tolist() == [False, True]


def test_coordinates_of_two_lengths_are_refused():
    with pytest.raises(ValueError, match=r"one length; their shapes are \(2,\) and \(1,\)"):
        pareto_front([1, 2], [1])


@given(POINTS)
def test_the_staircase_never_rises(points):
    finite = [p for p in points if np.isfinite(p).all()]
    x, y = front_steps([p[0] for p in finite], [p[1] for p in finite])
    assert (np.diff(x) >= 0).all()
    assert (np.diff(y) <= 0).all()
    assert bool(len(x)) == bool(finite)
