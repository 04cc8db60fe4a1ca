"""A learner's table: conditions and rows in one order, over which either normal form is read."""

import numpy as np
import pandas as pd
import pytest

from rulekit import Binarizer, Constraints
from rulekit.binning.binned_table import row_order
from rulekit.data import columns_of
from rulekit.learners.literal.problem import learning_problem

WORDS = np.array(["red", "blue", "green", "cold", "warm", "old"])


def everything(seed, n=120):
    """Make a table with every kind of column, two of which are read in several ways."""
    rng = np.random.default_rng(seed)
    hours = pd.to_timedelta(24 * rng.integers(0, 900, n) + rng.integers(0, 24, n), "h")
    X = pd.DataFrame(
        {
            "opened": pd.Timestamp("2024-01-01") + hours,
            "b.": rng.normal(size=n).round(1),
            "b": rng.integers(0, 3, n),
            "level": rng.choice(list("uvwxyz"), n),
            "flag": rng.integers(0, 2, n).astype(float),
            "text": [f"{' '.join(rng.choice(WORDS, 5))} no{i}" for i in range(n)],
        }
    )
    if seed % 2:
        for j, name in enumerate(X):
            X.loc[X.index[j :: 7 + j], name] = None
    return X, rng.integers(0, 3 if seed % 3 == 0 else 2, n), rng.choice([1.0, 2.0], n)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("seed", range(4))
def test_rows_columns_and_sums_equal_the_matrix(form, seed):
    X, y, weight = everything(seed)
    cuts = Binarizer(n_thresholds=(5, None)[seed % 2]).fit(X, y)
    limits_given = (
        Constraints(forbidden=["b"], allow_not_equal=False) if seed % 4 == 0 else Constraints()
    )
    labelled = cuts.transform(X).labelled(y == 1, weight)
    problem = learning_problem(labelled, columns_of(X), form=form, constraints=limits_given)
    matrix = cuts.transform(X)
    place = {literal: j for j, literal in enumerate(matrix.literals)}
    A = matrix.values[:, [place[literal] for literal in problem.table.literals]]
    decided = A ^ (form == "dnf")
    np.testing.assert_array_equal(
        problem.rows, row_order(decided, (y == 1) ^ (form == "dnf"), weight)
    )
    table, A = problem.table, A[problem.rows]
    np.testing.assert_array_equal(table.values, A)
    np.testing.assert_array_equal(table.as_cnf(form).values, decided[problem.rows])
    np.testing.assert_array_equal(table.as_dnf(form).values, ~decided[problem.rows])
    np.testing.assert_array_equal(table.y, (y == 1)[problem.rows])
    np.testing.assert_array_equal(table.weight, weight[problem.rows])
    values = np.arange(len(y), dtype=float)
    np.testing.assert_array_equal(table.sums(values), values @ A)
    chosen = np.random.default_rng(seed).random((3, len(A[0]))) < 2 / len(A[0])
    if form == "dnf":
        held = [any(row[clause].all() for clause in chosen) for row in A]
    else:
        held = [all(row[clause].any() for clause in chosen) for row in A]
    np.testing.assert_array_equal(table.held(chosen, form), held)
