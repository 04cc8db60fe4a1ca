"""Starts and descents of clauses against their NumPy twin, to the last bit, and the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.box_search import descent_kernels
from rulekit.search.box_search.descent_kernels import MOST_PAIR_BINS
from rulekit.search.box_search.problem import ERRORS, BoxPrices, whole_box
from rulekit.search.box_search.search import Archive, Descent, SearchPlan, search_rows
from tests.reference import box_moves
from tests.reference.box_moves import Moves, improve_each, search_by_numpy
from tests.reference.boxes import best_start, choices, literals_of, loss_of
from tests.strategies.boxes import HAMMING, box_problems, box_rows, boxes_for

NONE = np.zeros((0, 2, 3), np.int64)
THETAS = (0.07, 0.1, 0.5, 1.0, 2.0, 3.3)


def start_box(problem, boxes, theta):
    """Add the clause that the kernel chooses; return the rule."""
    k, theta = len(boxes), float(theta)
    descent = Descent(problem, k + 1)
    data, box = (descent._table, descent._work), descent._work.box
    box[:k, :, :3] = boxes
    descent_kernels.visit(*data, descent._log, descent_kernels.RECORD, k, theta, np.uint64(0))
    descent_kernels.start_clause(*data, descent._pair_buffers, k, theta)
    return box[:, :, :3].copy()


@given(st.data())
def test_no_box_on_two_features_beats_the_start(data):
    problem = data.draw(box_problems(max_rows=8, max_features=3, max_bins=3, prices=(ERRORS,)))
    boxes = data.draw(boxes_for(problem, max_clauses=2))
    theta = data.draw(st.sampled_from(THETAS))
    rule = start_box(problem, boxes, theta)
    value = loss_of(problem, rule) + theta * literals_of(problem, rule)
    assert value == pytest.approx(best_start(problem, boxes, theta), abs=1e-6)


@pytest.mark.slow
@given(st.data())
def test_the_start_is_the_box_of_the_twin(data):
    problem = data.draw(box_problems(max_rows=60, max_features=10, max_bins=20))
    if data.draw(st.booleans()):
        rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
        problem = problem.reweight(rng.gamma(1.0, size=problem.n_rows))
    boxes = data.draw(boxes_for(problem))
    theta = data.draw(st.sampled_from(THETAS)) * float(problem.weight.mean())
    state = box_moves.BoxState(problem, boxes).with_clause()
    twin = box_moves.start_box(state, len(boxes), theta).boxes
    np.testing.assert_array_equal(start_box(problem, boxes, theta), twin)


def corner(bins, inside):
    """Describe the corner of a square grid; few rows there, so that no half of it pays."""
    codes = np.array([[a, b] for a in range(bins) for b in range(bins)])
    described = (codes < 2).all(axis=1)
    return box_rows(codes, np.full(2, bins), described, np.where(described, inside, 1.0))


def test_pairs_that_pay_together_and_wide_features_start_a_clause():
    start = start_box(corner(8, 1.0), NONE, 0.5)
    np.testing.assert_array_equal(start[:, :, :2], [[[0, 1], [0, 1]]])
    wide = corner(MOST_PAIR_BINS + 1, 5.0)
    assert literals_of(wide, start_box(wide, NONE, 0.5)) == 1


def test_both_versions_try_the_same_pairs_and_accept_the_same_gains():
    for name in ("CANDIDATES", "MOST_PAIR_BINS"):
        assert getattr(descent_kernels, name) == getattr(box_moves, name)
    for name in ("TIE", "IMPROVEMENT"):
        assert getattr(descent_kernels.moves, name) == getattr(box_moves, name)


@st.composite
def real_weights(draw, problem):
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    weight = draw(st.sampled_from((1e-6, 1.0, 1e7))) * rng.gamma(1.0, size=problem.n_rows)
    return problem.reweight(weight * draw(st.sampled_from((1.0, rng.random(len(weight)) < 0.5))))


def bits(archive):
    return [(e.n_clauses, e.n_conditions, e.loss.hex(), e.boxes.tobytes()) for e in archive.entries]


def hard_problem(prices, missing, n=400, p=12, bins=9, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, bins + missing, size=(n, p))
    y = ((codes[:, 0] > 4) & (codes[:, 1] < 3)) | (codes[:, 2] == bins - 1) | (codes[:, 3] == bins)
    flags = (rng.random((p, bins)) < 0.8, rng.random((p, 1)) < 0.8, rng.random(p) < 0.8)
    return box_rows(
        codes, np.full(p, bins), y ^ (rng.random(n) < 0.1), rng.gamma(1.0, size=n), prices, *flags
    )


@pytest.mark.slow
@given(st.data())
def test_a_visit_finds_what_the_visit_by_numpy_finds(data):
    problem = data.draw(box_problems(max_rows=30, max_features=5))
    if data.draw(st.booleans()):
        problem = data.draw(real_weights(problem))
    start = data.draw(boxes_for(problem))
    theta = data.draw(st.sampled_from(THETAS)) * float(problem.weight.mean())
    n_clauses = max(len(start), data.draw(st.integers(1, 3)))
    undisturbed = data.draw(st.booleans())
    ours, numpys = Archive(problem), Archive(problem)
    Descent(problem, n_clauses).visit(ours, start, n_clauses, theta, undisturbed=undisturbed)
    Moves(problem, numpys, theta).visit(start, n_clauses, undisturbed=undisturbed)
    assert bits(ours) == bits(numpys)


@pytest.mark.parametrize("missing", [0, 1])
@pytest.mark.parametrize("prices", [BoxPrices(), HAMMING, BoxPrices(0.3, 0.3, 0.1)])
@pytest.mark.slow
def test_a_search_ends_at_the_bits_of_the_search_by_numpy(prices, missing):
    problem, plan = hard_problem(prices, missing), SearchPlan(THETAS, 4, 2)
    ours = search_rows(problem, plan, np.random.default_rng(0))
    assert bits(ours) == bits(search_by_numpy(problem, plan, np.random.default_rng(0)))


def test_tables_of_many_bins_or_no_columns_are_searched():
    codes = np.random.default_rng(0).integers(0, 600, size=(300, 3))
    problem = box_rows(codes, np.full(3, 600), codes[:, 0] + codes[:, 1] > 700)
    plan = SearchPlan((1.0, 4.0), 3, 1)
    ours = search_rows(problem, plan, np.random.default_rng(0))
    assert bits(ours) == bits(search_by_numpy(problem, plan, np.random.default_rng(0)))
    problem = box_rows(np.zeros((3, 0), int), np.zeros(0, int), np.array([True, False, True]))
    archive = search_rows(problem, SearchPlan((0.5,), 2, 1), np.random.default_rng(0))
    assert archive.answer(2, 0.5).loss == 1.0  # the clause without conditions misses the one row


def with_choice(boxes, f, choice):
    """Copy a rule of one clause, with another interval on feature f."""
    other = boxes.copy()
    other[0, f] = choice
    return other


@given(st.data())
def test_descent_never_raises_the_objective_and_ends_at_a_minimum(data):
    problem = data.draw(box_problems())
    start = data.draw(boxes_for(problem, max_clauses=1))
    theta = data.draw(st.sampled_from(THETAS))

    def objective(boxes):
        return loss_of(problem, boxes) + theta * literals_of(problem, boxes)

    archive = Archive(problem)
    Descent(problem).visit(archive, start, 1, theta, undisturbed=False)
    best = archive.answer(1, theta)
    assert best.objective(theta) <= objective(start) + 1e-9
    if best.n_clauses:
        for f in range(problem.n_features):
            for choice in choices(problem, f):
                assert objective(with_choice(best.boxes, f, choice)) >= best.objective(theta) - 2e-6


@given(st.data())
def test_single_feature_choice_is_the_best_interval(data):
    problem = data.draw(box_problems(prices=(ERRORS,)))
    theta = data.draw(st.sampled_from(THETAS))
    p, whole = problem.n_features, whole_box(problem.n_bins)
    saved, alone = Descent(problem).choose_alone(theta)

    def worth(boxes):
        all_missed = problem.weight[problem.y].sum()
        return all_missed - loss_of(problem, boxes) - theta * literals_of(problem, boxes)

    for f in range(p):
        best = max(worth(with_choice(whole, f, choice)) for choice in choices(problem, f))
        assert worth(with_choice(whole, f, alone[0, f])) == pytest.approx(best, abs=1e-6)
        assert saved[f] == pytest.approx(best, abs=1e-6)


@pytest.mark.slow
@given(st.data())
def test_single_clause_improvements_match_numpy(data):
    problem = data.draw(box_problems(max_rows=25, max_features=4, prices=(ERRORS,)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    mu = np.asarray(problem.weight) * rng.choice([0.0, 0.3, 1.0, rng.random()], problem.n_rows)
    problem = problem.reweight(np.where(problem.y, mu, problem.weight))
    price = data.draw(st.sampled_from([0.01, 0.3, 1.0]))
    starts = data.draw(boxes_for(problem, max_clauses=8))
    ours, saved = Descent(problem).improve_each(starts, price)
    numpys, numpys_saved = improve_each(problem, starts, price)
    np.testing.assert_array_equal(ours, numpys)
    np.testing.assert_array_equal(saved, numpys_saved)
