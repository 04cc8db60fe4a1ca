"""One side of a plane, in the very arithmetic that decides, and few columns for a plane."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.hyperplane.solver.half_space import (
    HalfSpace,
    LPSVMProgram,
    Region,
    column_sets,
    least_wrong,
    places,
    plane_values,
    standardise,
)
from tests.reference import hypercubes as reference
from tests.reference.lp_svm import objective, primal_value
from tests.strategies.half_spaces import half_of, planes

pytestmark = pytest.mark.usefixtures("engine")  # both, see `tests.engines`


@given(planes(max_features=6), st.integers(0, 10**6))
def test_corner_mapped_back_stays_on_its_side_in_doubles(plane, seed):
    X, w, gamma, above = plane
    half = half_of(X, w, gamma, above)
    V = half.orient(X)
    region, floor = Region.whole(half), V[half.contains(V)].min(axis=0)
    y = 1.5 * np.random.default_rng(seed).random(half.n_features)  # some beyond the plane
    corner = region.to_faces(np.minimum(y, 1.0), floor)
    assert half.value(corner) <= half.cap
    assert (corner >= floor).all()
    assert (corner <= np.maximum(region.upper, floor)).all()


def test_half_spaces_turn_features_and_belong_to_the_lower_side():
    w, high = np.array([0.0, -2.0, 1.0]), np.array([9.0, 3.0, 4.0])
    half = HalfSpace.from_plane(w, 1.0, np.zeros(3), high, above=False)
    assert half.columns.tolist() == [1, 2]
    assert half.weights.tolist() == [2.0, 1.0]
    assert (half.low.tolist(), half.high.tolist()) == ([-3.0, 0.0], [0.0, 4.0])
    assert half.orient(np.array([[7.0, 1.0, 2.0]])).tolist() == [[-1.0, 2.0]]
    w, low, high = np.array([1.0, 1.0]), np.zeros(2), np.full(2, 4.0)
    on_it = np.array([[1.0, 2.0]])
    lower = HalfSpace.from_plane(w, 3.0, low, high, above=False)
    upper = HalfSpace.from_plane(w, 3.0, low, high, above=True)
    assert lower.contains(lower.orient(on_it)).all()
    assert not upper.contains(upper.orient(on_it)).any()
    X = np.array([[1e16, 1.0, -1e16], [1.0, 1e16, -1e16]])
    expected = [reference.value([1.0, 1.0, 1.0], row) for row in X.tolist()]
    assert plane_values(X, np.ones(3)).tolist() == expected


def problem(seed, m=60, n=6):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m, n))
    signs = np.where(A[:, 0] - A[:, 1] + rng.normal(size=m) > 0, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    return A, signs, rng.uniform(0.5, 2.0, m)


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 1.0, 10.0]), st.booleans())
def test_the_dual_finds_a_plane_as_good_as_the_primal(seed, nu, weighted):
    A, signs, weight = problem(seed)
    given_weight = weight if weighted else None
    plane = LPSVMProgram(A, signs, given_weight).solve(nu)
    value = primal_value(A, signs, nu, given_weight)
    assert plane.objective == pytest.approx(value, rel=1e-9, abs=1e-9)
    own = objective(plane, A, signs, nu, given_weight)
    assert own == pytest.approx(plane.objective, rel=1e-9, abs=1e-9)


@pytest.mark.slow
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 1.0, 10.0]))
def test_weights_go_the_way_they_must_and_no_worse_than_the_primal_s(seed, nu):
    A, signs, weight = problem(seed)
    ways = np.random.default_rng(seed).integers(-1, 2, A.shape[1]).astype(float)
    plane = LPSVMProgram(A, signs, weight, ways).solve(nu)
    assert (plane.w * ways >= 0.0).all()
    values = primal_value(A, signs, nu, weight, ways), objective(plane, A, signs, nu, weight)
    assert values == pytest.approx([plane.objective] * 2, rel=1e-9, abs=1e-9)


def test_prices_may_be_tried_in_any_order_down_to_no_weight():
    A, signs, _ = problem(2)
    program = LPSVMProgram(A, signs)
    there = [program.solve(nu) for nu in (0.05, 0.5, 5.0)]
    back = [program.solve(nu) for nu in (5.0, 0.5, 0.05)][::-1]
    for one, other in zip(there, back, strict=True):
        np.testing.assert_array_equal(one.w, other.w)
    A, signs, _ = problem(3)
    plane = LPSVMProgram(A, signs).solve(1e-4)
    assert not plane.w.any()


def two_of_five(seed=0, n=120):
    rng = np.random.default_rng(seed)
    Z = standardise(rng.normal(size=(n, 5)))
    return Z, np.where(Z[:, 1] - Z[:, 3] + 0.2 * rng.normal(size=n) > 0, 1.0, -1.0)


@given(st.lists(st.tuples(st.integers(-5, 5), st.sampled_from([-2.0, -1.0, 1.0])), min_size=2))
def test_least_wrong_is_the_best_of_all_bounds(rows):
    values, signed = np.array(rows, dtype=float).T
    bounds = (np.unique(values)[:-1] + np.unique(values)[1:]) / 2
    wrong = [
        signed[(values <= b) & (signed > 0)].sum() - signed[(values > b) & (signed < 0)].sum()
        for b in bounds
    ]
    assert least_wrong(values, signed) == min(wrong, default=np.inf)
    near = places(values, signed)
    if wrong:
        assert near[0] in bounds[np.array(wrong) == min(wrong)]
        assert set(near) <= set(bounds)


def test_informative_columns_come_first_by_weighted_rows():
    Z, signed = two_of_five()
    assert column_sets(Z, signed, 2)[0] == (1, 3)
    assert column_sets(Z, signed, 1)[0] in ((1,), (3,))
    for size in range(1, 7):
        sets = column_sets(Z, signed, size)
        assert set(sets) <= set(combinations(range(5), min(size, 5)))
        assert len(set(sets)) == len(sets)
    Z, signed = two_of_five(1)
    twice = np.concatenate([Z, Z[:40]]), np.concatenate([signed, signed[:40]])
    heavy = signed * np.where(np.arange(len(signed)) < 40, 2.0, 1.0)
    assert column_sets(Z, heavy, 2) == column_sets(*twice, 2)
    Z, signed = two_of_five(2)
    both = np.column_stack([Z, Z[:, 1], np.zeros(len(Z))])
    assert all(len(s) == 3 for s in column_sets(standardise(both), signed, 3))
