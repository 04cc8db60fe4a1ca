"""The search for points against all cards of small tables, and what must not change its answer."""

import math
from dataclasses import replace

import numpy as np
import pytest

from rulekit.families.scorecard.solver.search import FINITE, SMOOTHED, PointsPath, class_masses
from tests.reference.points import best_loss, holds, line
from tests.strategies.points import cuts_of, planted


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_no_card_of_a_small_table_costs_less(seed, size):
    problem = planted(seed)
    cards = PointsPath(problem, beam=4, tries=6).cards(size)
    least = min(best_loss(problem, k) for k in range(1, size + 1))
    assert cards[-1].loss == pytest.approx(least, rel=1e-7)


def test_cards_have_costs_and_descending_sizes():
    problem = planted(n=200, p=5, most=5)
    cards = PointsPath(problem).cards(6)
    assert [len(card.chosen) for card in cards] == list(range(7))
    for card, before in zip(cards[1:], cards, strict=False):
        totals = holds(problem)[:, card.chosen] @ np.array(card.points)
        slope, intercept, loss = line(totals, problem.weights)
        assert (card.slope, card.intercept) == pytest.approx((slope, intercept), rel=1e-4)
        assert card.loss == pytest.approx(loss, rel=1e-9)
        assert card.loss < before.loss
        assert math.gcd(*card.points) == 1
        assert all(0 < abs(p) <= 5 for p in card.points)


def test_cards_grow_by_useful_candidates_only():
    grown, at_once = PointsPath(planted(p=5)), PointsPath(planted(p=5))
    assert grown.cards(2) == at_once.cards(5)[:3]
    assert grown.cards(5) == at_once.cards(5)
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (200, 2))
    problem = cuts_of(np.c_[codes, codes], codes.sum(axis=1) + rng.normal(size=200) > 2)
    cards = PointsPath(problem).cards(6)
    assert set(cards[-1].chosen) == {0, 1, 2, 3}
    cards = PointsPath(planted(p=1)).cards(9)
    assert len(cards[-1].chosen) <= 2
    requested = iter([False, False, True])
    assert len(PointsPath(planted()).cards(5, lambda: next(requested))) == 2


def test_rows_bring_cells_weights_and_odds_in_any_order():
    problem = planted(n=300, p=4, most=5)
    rows = np.random.default_rng(1).permutation(300)
    assert PointsPath(problem.take_rows(rows)).cards(5) == PointsPath(problem).cards(5)
    problem = planted()
    result = problem.odds(0.5, -1.0, {0: 2, 3: -1})
    x = holds(problem)
    assert result.tolist() == (-1.0 + 0.5 * 2 * x[:, 0] - 0.5 * x[:, 3]).tolist()
    problem = planted()
    some = problem.take_rows(np.array([5, 1]))
    assert holds(some).tolist() == holds(problem)[[5, 1]].tolist()
    assert some.weights.tolist() == problem.weights[[5, 1]].tolist()


def test_allowed_sides_and_required_conditions_hold():
    problem = planted(1, n=200, most=3)
    free = PointsPath(problem).cards(4)[-1]
    assert {p > 0 for p in free.points} == {True, False}
    up = replace(problem, limits=np.maximum(problem.limits, 0))
    assert all(p > 0 for card in PointsPath(up).cards(4) for p in card.points)
    none = replace(problem, limits=0 * problem.limits)
    assert len(PointsPath(none).cards(4)) == 1
    constraints = (frozenset([3]), frozenset([0, 1]))
    problem = replace(planted(2), required=constraints)
    assert PointsPath(problem).cards(1) == ()
    cards = PointsPath(problem).cards(3)
    assert len(cards[0].chosen) == 2
    assert all(constraint & set(card.chosen) for card in cards for constraint in constraints)
    assert cards[0].loss == pytest.approx(best_loss(problem, 2), rel=1e-7)


def test_some_rows_of_each_class_count_for_the_other():
    y = np.arange(50) < 20
    weight = np.where(y, 1.5, 1.0) * (50 / 60)
    for moved, sum_of_moved in ((FINITE, 0.1 * 25 / 26), (SMOOTHED, 3 * 25 / 31)):
        result = class_masses(y, weight, moved)
        assert result.sum(axis=1) == pytest.approx(weight)
        assert result[y, 1].sum() == pytest.approx(sum_of_moved)
        assert result[~y, 0].sum() == pytest.approx(sum_of_moved)
        orders = [np.random.default_rng(k).permutation(50) for k in range(5)]
        assert len({float(result[rows, 0].cumsum()[-1]) for rows in orders}) == 1
    one, other = class_masses(y, np.where(y, 1e-3, 1.0), SMOOTHED)[0]
    assert one > other  # also of a class of little weight, less than half is moved


def test_the_search_prefers_no_condition_of_few_rows_of_one_class():
    """Ten rows of one class alone beside a condition that holds in more of it, and in others."""
    rows = np.arange(120)
    y, few, many = rows < 60, rows < 10, (rows < 36) | (rows >= 104)
    plain = cuts_of(np.c_[few, many].astype(int), y)
    moved = replace(plain, weights=class_masses(y, np.ones(120), SMOOTHED))
    assert PointsPath(plain).cards(1)[-1].chosen == (0,)
    card = PointsPath(moved).cards(1)[-1]
    assert card.chosen == (1,)
    slope, intercept, loss = line(holds(plain)[:, 1] * card.points[0], plain.masses)
    assert (card.slope, card.intercept) == pytest.approx((slope, intercept), rel=1e-4)
    assert card.loss == pytest.approx(loss, rel=1e-9)
