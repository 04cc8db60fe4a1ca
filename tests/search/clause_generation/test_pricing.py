"""Pricing by boxes against the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.search.box_search.problem import ERRORS, no_boxes
from rulekit.search.box_search.search import Descent
from rulekit.search.clause_generation import column_generation as module
from rulekit.search.clause_generation.column_generation import BoxPricing
from tests.reference.box_moves import best_intervals
from tests.strategies.boxes import box_problems, box_rows


@pytest.fixture(autouse=True, params=["few columns", "many columns"])
def pricing_of_some_first(request):
    """Of four columns some are many, where one is."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "many columns":
            patch.setattr(module, "MANY_COLUMNS", 1)
            patch.setattr(module, "LIFTED", 1)
        yield


def reduced_cost(pricing, boxes, weight):
    """By the definition: prices, plus the other class, minus the dual prices of the rows held."""
    problem = pricing.problem
    held = boxes.evaluate(problem.codes, problem.n_bins)
    size = boxes.literals(problem.n_bins, problem.has_missing).sum(axis=1)
    saved = np.where(problem.y, weight, -weight) @ held
    return pricing.clause_price + pricing.literal_price * size - saved


@st.composite
def priced(draw):
    problem = draw(box_problems(max_rows=25, max_features=4, prices=(ERRORS,)))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    mu = np.asarray(problem.weight) * rng.choice([0.0, 0.3, 1.0, rng.random()], problem.n_rows)
    weight = np.where(problem.y, mu, problem.weight)
    return problem.reweight(weight), draw(st.sampled_from([0.01, 0.3, 1.0]))


@settings(deadline=None)
@given(priced(), st.integers(1, 20))
def test_reduced_costs_equal_the_clauses_and_are_sorted(given_problem, batch):
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


@pytest.mark.slow
@settings(deadline=None)
@given(priced())
def test_no_single_interval_beats_what_pricing_returns(given_problem):
    problem, price = given_problem
    pricing = BoxPricing(problem, 0.1, price)
    weight = np.asarray(problem.weight)
    _, cost = pricing.price(weight[problem.y], no_boxes(problem.n_features), 5)
    H = np.zeros((problem.n_features, 1 + problem.n_bins.max()))
    for row, s in zip(problem.codes, np.where(problem.y, weight, -weight), strict=True):
        H[np.arange(problem.n_features), row] += s
    best = best_intervals(problem, np.arange(problem.n_features), H, price)[0].max()
    assert min([0.0, *cost]) <= 0.1 - best + 1e-6


def test_all_columns_are_priced_if_promising_ones_find_too_little(monkeypatch):
    """Alone the first column saves most; only the other two together make the clause that pays."""
    monkeypatch.setattr(module, "MANY_COLUMNS", 1)
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (200, 3))
    y = codes[:, 1] & codes[:, 2] == 1
    codes[:, 0] = np.where(rng.random(200) < 0.8, y, ~y)
    problem = box_rows(codes, np.array([2, 2, 2]), y)
    descent = Descent(problem)
    assert descent.features_of(descent.choose_alone(1.0)[0], 1).tolist() == [0]
    boxes, cost = BoxPricing(problem, 1.0, 1.0).price(problem.weight[problem.y], no_boxes(3), 15)
    assert boxes.literals(problem.n_bins, problem.has_missing)[0].tolist() == [0, 1, 1]
    assert cost[0] == 3 - y.sum()
