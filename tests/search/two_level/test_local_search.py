"""Local search: every rule one move away is weighed by its plain twin."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.columns.clause_selection import ClauseSelection, MovableCuts
from rulekit.search.two_level.local_search import local_search
from tests.reference.local_search import cost, neighbours
from tests.strategies.covers import binned_matrix

THETAS = st.sampled_from((0.0, 0.05, 0.5, 1.0, 2.5))


class Problem:
    """One number, cut at some of its values, and some flags; a rule to start from."""

    def __init__(self, seed, n_clauses, theta, whole=True):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 30))
        self.ranks = rng.integers(-1, 9, n)
        values, inverse = np.unique(self.ranks[self.ranks >= 0], return_inverse=True)
        self.ranks[self.ranks >= 0] = inverse
        self.n_values = len(values)
        cuts = [k for k in (1, 3) if k < len(values) - 1]
        present = self.ranks >= 0
        low = [present & (self.ranks <= k) for k in cuts]
        high = [~present | (self.ranks > k) for k in cuts]
        self.A = np.array([*low, *high, *[rng.random(n) < 0.5 for _ in range(3)]]).T
        self.side = np.array([-1] * len(cuts) + [1] * len(cuts) + [0] * 3)
        self.table = binned_matrix(self.A, np.array([0] * 2 * len(cuts) + [1, 2, 3]), self.side)
        self.cuts = MovableCuts({0: self.ranks})
        self.y = rng.random(n) < 0.5
        self.weight = rng.integers(1, 4, n).astype(float) if whole else rng.random(n) + 0.1
        self.theta = theta
        self.start = ClauseSelection(rng.random((n_clauses, self.A.shape[1])) < 0.3, 0.0)

    def search(self, **settings):
        table = self.table.with_labels(self.y, self.weight).opposite
        return local_search(table, self.start, self.theta, self.cuts, **settings)

    def tests(self, selection, moved=()):
        d = self.A.shape[1]
        return [
            tuple(
                ("column", int(j)) if j < d else ("cut", *moved[j - d]) for j in np.flatnonzero(row)
            )
            for row in selection.chosen
        ]

    def cost(self, clauses):
        return cost(clauses, self.A, self.y, self.weight, self.theta, self.side, self.ranks)


problems = st.builds(
    Problem, st.integers(0, 2**32 - 1), st.integers(1, 3), THETAS, whole=st.booleans()
)


@given(problems)
def test_no_move_improves_the_value_of_the_rule_found(problem):
    selection, moved = problem.search()
    clauses = problem.tests(selection, moved)
    assert selection.value == pytest.approx(problem.cost(clauses), abs=1e-8)
    around = neighbours(clauses, problem.A.shape[1], problem.side, problem.n_values)
    assert min(map(problem.cost, around), default=np.inf) >= selection.value - 1e-6
    selection, _ = problem.search()
    objectives = [step["objective"] for step in selection.history]
    assert objectives[0] == pytest.approx(problem.cost(problem.tests(problem.start)), abs=1e-8)
    assert all(np.diff(objectives) < 0)


@pytest.mark.parametrize(
    ("barred", "rank", "value"), [([], 5, 0.5), ([(0, 5)], 4, 1.5)], ids=["free", "barred"]
)
def test_a_cut_moves_to_the_best_value_that_is_not_barred(barred, rank, value):
    ranks = np.arange(10)
    A = np.array([ranks <= 2, ranks > 2]).T
    start = ClauseSelection(np.array([[True, False]]), 0.0)
    table = binned_matrix(A, np.zeros(2, int), np.array([-1, 1]))
    cuts = MovableCuts({0: ranks}, frozenset(barred))
    table = table.with_labels(ranks <= 5, np.ones(10)).opposite
    selection, moved = local_search(table, start, 0.5, cuts)
    assert moved == ((0, rank),)
    assert selection.value == value


def test_past_the_deadline_the_start_is_kept():
    problem = Problem(1, 2, 0.5)
    selection, _ = problem.search(deadline=time.monotonic() - 1.0)
    np.testing.assert_array_equal(selection.chosen, problem.start.chosen)
    assert selection.history[-1]["stopped"] == "time limit"
