"""The problem of points: how weight is split, and its parts against plain NumPy."""

import numpy as np
import pytest

from rulekit.families.scorecard.solver.problem import class_masses
from tests.reference.points import holds
from tests.strategies.points import planted


def test_a_tenth_of_a_row_of_each_class_counts_for_the_other():
    y = np.arange(50) < 20
    weight = np.where(y, 1.5, 1.0) * (50 / 60)
    found = class_masses(y, weight)
    assert found.sum(axis=1) == pytest.approx(weight)
    assert found[y, 1].sum() == pytest.approx(0.1 * 25 / 26)
    assert found[~y, 0].sum() == pytest.approx(0.1 * 25 / 26)
    orders = [np.random.default_rng(k).permutation(50) for k in range(5)]
    assert len({float(found[rows, 0].cumsum()[-1]) for rows in orders}) == 1


def test_odds_equal_the_sum_of_points_of_true_conditions():
    problem = planted()
    found = problem.odds(0.5, -1.0, {0: 2, 3: -1})
    x = holds(problem)
    assert found.tolist() == (-1.0 + 0.5 * 2 * x[:, 0] - 0.5 * x[:, 3]).tolist()


def test_rows_that_are_kept_bring_their_cells_and_weights():
    problem = planted()
    some = problem.of_rows(np.array([5, 1]))
    assert holds(some).tolist() == holds(problem)[[5, 1]].tolist()
    assert some.weights.tolist() == problem.weights[[5, 1]].tolist()
