"""Pricing by boxes: machine code against NumPy, and both against the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.solvers.box_kernel import IntervalSearch
from rulekit.solvers.box_pricing import KERNEL, BoxPricing, improve_plainly
from rulekit.solvers.box_problem import ERRORS, BoxProblem, no_boxes
from rulekit.solvers.compiled import _wanted as machine_code_is_wanted
from tests.strategies_boxes import box_problems, boxes_for


@pytest.fixture(scope="module")
def compiled():
    """Wait until the compiled kernel is there."""
    if not machine_code_is_wanted():
        pytest.skip("Numba is not installed, or switched off")
    assert KERNEL.wait()


def reduced_cost(pricing, boxes, weight):
    """By the definition: prices, plus the other class, minus the dual prices of the rows held."""
    problem = pricing.problem
    held = boxes.fired(problem.codes, problem.n_bins)
    size = boxes.literals(problem.n_bins, problem.has_missing).sum(axis=1)
    saved = np.where(problem.y, weight, -weight) @ held
    return pricing.clause_price + pricing.literal_price * size - saved


@st.composite
def priced(draw):
    problem = draw(box_problems(max_rows=25, max_features=4, prices=(ERRORS,)))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    mu = np.asarray(problem.weight) * rng.choice([0.0, 0.3, 1.0, rng.random()], problem.n_rows)
    weight = np.where(problem.y, mu, problem.weight)
    return problem.reweighted(weight), draw(st.sampled_from([0.01, 0.3, 1.0]))


@pytest.mark.usefixtures("compiled")
@settings(deadline=None, max_examples=300)
@given(st.data())
def test_machine_code_reaches_the_same_clauses_and_savings_to_the_bit(data):
    problem, price = data.draw(priced())
    starts = data.draw(boxes_for(problem, max_clauses=8))
    fast, fast_saved = BoxPricing(problem, 0.5, price).improve(problem, starts)
    slow, slow_saved = improve_plainly(problem, starts, price)
    for part in ("low", "high", "absent"):
        np.testing.assert_array_equal(getattr(fast, part), getattr(slow, part))
    np.testing.assert_array_equal(fast_saved, slow_saved)


@pytest.mark.usefixtures("compiled")
def test_machine_code_is_made_once_for_all_tables():
    """Compiling again for other types of the same arrays would cost seconds at the first use."""
    rng = np.random.default_rng(0)
    for missing in (0, 1):
        codes = rng.integers(0, 3 + missing, size=(30, 2))
        problem = BoxProblem(codes, np.array([3, 3]), codes[:, 0] > 1)
        pricing = BoxPricing(problem, 0.5, 0.1)
        pricing.price(problem.weight[problem.y], no_boxes(2), 5)
    assert len(KERNEL.ready().improve.signatures) == 1


@settings(deadline=None, max_examples=100)
@given(priced(), st.integers(1, 20))
def test_reduced_costs_are_those_of_the_clauses_and_rise(given_problem, batch):
    problem, price = given_problem
    pricing = BoxPricing(problem, 0.5, price)
    weight = np.asarray(problem.weight)
    boxes, cost = pricing.price(weight[problem.y], no_boxes(problem.n_features), batch)
    assert len(cost) == boxes.n_clauses <= batch
    np.testing.assert_allclose(cost, reduced_cost(pricing, boxes, weight), atol=1e-9)
    assert (np.diff(cost) >= 0).all()
    assert (cost < 0).all()
    rows = np.hstack([boxes.low, boxes.high, boxes.absent])
    assert len(np.unique(rows, axis=0)) == len(rows)


@settings(deadline=None, max_examples=60)
@given(priced())
def test_no_single_interval_beats_what_pricing_returns(given_problem):
    problem, price = given_problem
    pricing = BoxPricing(problem, 0.1, price)
    weight = np.asarray(problem.weight)
    _, cost = pricing.price(weight[problem.y], no_boxes(problem.n_features), 5)
    H = np.zeros((problem.n_features, problem.width))
    for row, s in zip(problem.codes, np.where(problem.y, weight, -weight), strict=True):
        H[np.arange(problem.n_features), row] += s
    best = IntervalSearch(problem).best(H, price).value.max()
    assert min([0.0, *cost]) <= 0.1 - best + 1e-6
