"""Rows that a forest would decide otherwise count less in a search.

A row that lies among rows of the other class is more often noise than a case to build a condition
on. A random forest says so of each row by the trees that were grown without it.
"""

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from rulekit.learners.literal.binary_problem import BinaryProblem

N_TREES = 100
MIN_LEAF = 2  # rows of a leaf: a share of votes, not a copy of single rows
MOST_ROWS = 20_000  # that one tree is grown on


def discounted(
    problem: BinaryProblem, doubt: float, seed: int, classes: NDArray[np.intp] | None = None
) -> BinaryProblem:
    """Weigh rows by how far a forest agrees with their class.

    Parameters
    ----------
    problem : BinaryProblem
        Its memory keeps the answer.
    doubt : float
        Between 0 and 1. A row whose class has the share p of the votes counts
        ``1 - doubt * (1 - p)`` of its weight.
    seed : int
        Of the forest.
    classes : ndarray of int, shape (n,), optional
        Classes of the rows where there are more than the two of ``problem.y``.

    Returns
    -------
    BinaryProblem
        The same rows and columns with other weights, and a memory of its own.
    """
    key = repr(("doubt", doubt, seed, classes is None)).encode()
    if key not in problem.memory:
        agreed = agreement(problem, seed, classes)
        weight = problem.weight * (1.0 - doubt * (1.0 - agreed))
        problem.memory[key] = replace(problem, weight=weight, memory={})
    found: BinaryProblem = problem.memory[key]
    return found


def agreement(
    problem: BinaryProblem, seed: int, classes: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Share of the votes of a forest, out of bag, for each row's own class.

    Parameters
    ----------
    problem : BinaryProblem
        The forest sees the columns of its table, of which complements and repetitions count once.
    seed : int
        Of the forest. The same on any machine and any number of threads.
    classes : ndarray of int, shape (n,), optional
        As in `discounted`.

    Returns
    -------
    ndarray of float, shape (n,)
        Between 0 and 1. 1 for a row that no tree was grown without, and for all rows where there
        is one class only, or no column.
    """
    y = problem.y.astype(int) if classes is None else classes
    if problem.A.shape[1] == 0 or (y == y[0]).all():
        return np.ones(len(y))
    kept = f"agreement {seed} {classes is None}".encode()
    if kept not in problem.memory:
        table = np.unique(problem.A ^ problem.A[0], axis=1).astype(np.float32)
        forest = RandomForestClassifier(
            N_TREES,
            min_samples_leaf=MIN_LEAF,
            max_samples=min(len(y), MOST_ROWS),
            oob_score=True,
            random_state=seed,
        )
        with warnings.catch_warnings():  # of rows in every tree's sample: told by NaN, too
            warnings.filterwarnings("ignore", "Some inputs do not have OOB", UserWarning)
            forest.fit(table, y, sample_weight=problem.weight)
        own = np.searchsorted(forest.classes_, y)
        votes = forest.oob_decision_function_[np.arange(len(y)), own]
        problem.memory[kept] = np.nan_to_num(votes, nan=1.0)
    found: NDArray[np.float64] = problem.memory[kept]
    return found
