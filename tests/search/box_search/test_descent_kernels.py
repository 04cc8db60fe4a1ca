"""The start of a new clause: against all boxes on two features, and against its NumPy twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.search.box_search import descent_kernels
from rulekit.search.box_search.descent_kernels import MOST_PAIR_BINS
from rulekit.search.box_search.problem import ERRORS, Boxes, no_boxes
from rulekit.search.box_search.search import Descent
from tests.reference import box_moves
from tests.reference.boxes import best_start, literals_of, loss_of
from tests.strategies.boxes import box_problems, box_rows, boxes_for

THETAS = (0.07, 0.5, 1.0, 2.0)


def start_box(problem, boxes, theta):
    """Add the clause that the kernel chooses; return the rule."""
    k, theta = boxes.n_clauses, float(theta)
    descent = Descent(problem, k + 1)
    data, box = (descent._table, descent._work), descent._work.box
    for part, values in enumerate((boxes.low, boxes.high, boxes.absent)):
        box[:k, :, part] = values
    descent_kernels.visit(*data, descent._log, descent_kernels.ENTER, k, theta, np.uint64(0))
    descent_kernels.start_clause(*data, descent._pair_buffers, k, theta)
    return Boxes(box[:, :, 0].copy(), box[:, :, 1].copy(), box[:, :, 2].astype(bool))


@settings(deadline=None)
@given(st.data())
def test_no_box_on_two_features_beats_the_start(data):
    problem = data.draw(box_problems(max_rows=8, max_features=3, max_bins=3, prices=(ERRORS,)))
    boxes = data.draw(boxes_for(problem, max_clauses=2))
    theta = data.draw(st.sampled_from(THETAS))
    rule = start_box(problem, boxes, theta)
    value = loss_of(problem, rule) + theta * literals_of(problem, rule)
    assert value == pytest.approx(best_start(problem, boxes, theta), abs=1e-6)


@pytest.mark.slow
@settings(deadline=None)
@given(st.data())
def test_the_start_is_the_box_of_the_twin(data):
    problem = data.draw(box_problems(max_rows=60, max_features=10, max_bins=20))
    if data.draw(st.booleans()):
        rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
        problem = problem.reweight(rng.gamma(1.0, size=problem.n_rows))
    boxes = data.draw(boxes_for(problem))
    theta = data.draw(st.sampled_from(THETAS)) * float(problem.weight.mean())
    state = box_moves.BoxState(problem, boxes).with_clause()
    twin = box_moves.start_box(state, boxes.n_clauses, theta).boxes
    ours = start_box(problem, boxes, theta)
    for pair in zip(box_moves.parts_of(ours), box_moves.parts_of(twin), strict=True):
        np.testing.assert_array_equal(*pair)


def corner(bins, inside):
    """Describe the corner of a square grid; few rows there, so that no half of it pays."""
    codes = np.array([[a, b] for a in range(bins) for b in range(bins)])
    described = (codes < 2).all(axis=1)
    weight = np.where(described, inside, 1.0)
    return box_rows(codes, np.full(2, bins), described, weight)


def test_pairs_that_pay_together_and_wide_features_start_a_clause():
    start = start_box(corner(8, 1.0), no_boxes(2), 0.5)
    np.testing.assert_array_equal(start.low, [[0, 0]])
    np.testing.assert_array_equal(start.high, [[1, 1]])
    wide = corner(MOST_PAIR_BINS + 1, 5.0)
    assert literals_of(wide, start_box(wide, no_boxes(2), 0.5)) == 1


def test_both_versions_try_the_same_pairs_and_accept_the_same_gains():
    for name in ("TIE", "CANDIDATES", "MOST_PAIR_BINS"):
        assert getattr(descent_kernels, name) == getattr(box_moves, name)
    assert descent_kernels.IMPROVEMENT == box_moves.IMPROVEMENT
