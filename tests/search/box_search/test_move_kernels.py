"""What a search keeps from move to move: counts that agree with a count anew, cells and bins."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.box_search import descent_kernels
from rulekit.search.box_search.problem import BoxPrices
from rulekit.search.box_search.search import Descent, SearchPlan, search_rows
from tests.strategies.boxes import box_problems, box_rows, boxes_for


@given(st.data())
def test_violations_and_matching_clauses_equal_a_recount(data):
    problem = data.draw(box_problems(max_rows=30, max_features=5))
    start = data.draw(boxes_for(problem))
    theta, k = data.draw(st.sampled_from((0.1, 1.0))), len(start)
    descent = Descent(problem, max(1, k))
    arrays, work = (descent._table, descent._work, descent._log), descent._work
    work.box[:k, :, :3] = start
    for task in (descent_kernels.RECORD, descent_kernels.DESCEND):
        k = descent_kernels.visit(*arrays, task, k, theta, np.uint64(7))
        rows = descent._table.rows
        box = work.box[:k]
        inside = (rows >= box[:, None, :, 0]) & (rows <= box[:, None, :, 1])
        accepted = np.where(rows == problem.n_bins, box[:, None, :, 2] == 1, inside)
        violations = (~accepted & (box[:, None, :, 3] > 0)).sum(axis=2)
        np.testing.assert_array_equal(work.v[:k], violations)
        np.testing.assert_array_equal(work.held, (violations == 0).sum(axis=0))


def of_levels(prices, missing, n=300, seed=0):
    """Make a problem in which three features read one column of cells, and one another."""
    rng = np.random.default_rng(seed)
    cells = np.column_stack([rng.integers(0, 4, n), rng.integers(0, 6 - 1 + missing, n)])
    bins = np.zeros((4, 6), np.int64)
    for level in range(3):
        bins[level, :4] = np.arange(4) == level
    bins[3] = np.arange(6)
    reads = {"column": np.array([0, 0, 0, 1]), "bins": bins, "n_cells": np.array([4, 6])}
    y = ((cells[:, 0] == 1) & (cells[:, 1] > 2)) ^ (rng.random(n) < 0.1)
    n_bins, weight = np.array([2, 2, 2, 5]), rng.gamma(1.0, size=n)
    reported = box_rows(cells, n_bins, y, weight, prices, reads=reads)
    codes = np.column_stack([bins[:3, cells[:, 0]].T, bins[3, cells[:, 1]]])
    return reported, box_rows(codes, n_bins, y, weight, prices)


@given(st.sampled_from([BoxPrices(), BoxPrices(1, 1, 0), BoxPrices(0.3, 0.3, 0.1)]), st.booleans())
def test_features_sharing_a_column_are_searched_independently(prices, missing):
    plan = SearchPlan((0.1, 1.0, 4.0), 3, 2)
    results = [
        [
            (e.n_clauses, e.n_conditions, e.loss.hex(), e.boxes[:, :, 0].tobytes())
            for e in search_rows(problem, plan, np.random.default_rng(0)).entries
        ]
        for problem in of_levels(prices, missing)
    ]
    assert results[0] == results[1]
