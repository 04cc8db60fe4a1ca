"""Generators of small two-level problems."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.strategies.covers import cover_problem

THETAS = (0.01, 0.3, 0.7, 1.0, 2.0)


@dataclass
class Task:
    """One table, whose negated conditions are the columns, and a price of a condition."""

    solver: Any
    theta: float
    may_disable: bool = False

    def __post_init__(self):
        self.table = self.solver.table
        self.A, self.y, self.weight = ~self.table.values, ~self.table.y, self.table.weight

    def learn(self, kept):
        rows = np.where(kept, self.weight, 0.0)
        return self.solver.learn(rows, self.theta, may_disable=self.may_disable)

    def run(self, method, n_clauses, learn=None):
        return method(self.table, learn or self.learn, self.theta, n_clauses)


@st.composite
def binary_tables(draw, max_columns=6, max_rows=12):
    """A binary table, the rows to cover, and whole weights."""
    d = draw(st.integers(1, max_columns))
    n = draw(st.integers(2, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = rng.random((n, d)) < rng.uniform(0.2, 0.8)
    y = rng.random(n) < rng.uniform(0.2, 0.8)
    return A, y, rng.integers(1, 4, n).astype(float)


@st.composite
def two_level_tasks(draw, disable=False, **sizes):
    """A table with its price of a column; `disable` offers to switch clauses off."""
    A, y, weight = draw(binary_tables(**sizes))
    theta = draw(st.sampled_from(THETAS))
    may_disable = disable and draw(st.booleans())
    return Task(cover_problem(A, y, weight), theta, may_disable)


def planted_task(seed=0, n=120, d=14, theta=0.5, noise=0.08, **settings):
    """A table whose rows follow a CNF of two clauses, but for some noise."""
    rng = np.random.default_rng(seed)
    A = rng.random((n, d)) < 0.5
    y = (A[:, 0] | A[:, 1]) & (A[:, 2] | A[:, 3] | A[:, 4])
    y ^= rng.random(n) < noise
    return Task(cover_problem(A, y), theta, **settings)
