"""Rows that a forest would decide otherwise count less in a search.

A row that lies among rows of the other class is more often noise than a case to build a condition
on. A random forest says so of each row by the trees that were grown without it.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rulekit.learners.forest import votes
from rulekit.learners.judge import MOST_ROWS, cell_table
from rulekit.learners.literal.problems.binary_problem import BinaryProblem

N_TREES = 100


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
        The forest sees the cells of the columns that it has conditions on.
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
    if not len(problem.cells.source) or (y == y[0]).all():
        return np.ones(len(y))
    kept = f"agreement {seed} {classes is None}".encode()
    if kept not in problem.memory:
        cells = problem.cells
        used = np.unique(cells.source).tolist()
        table = cell_table(cells.codes, problem.encodings, used)
        shares = votes(table, y, problem.weight, N_TREES, seed, MOST_ROWS)
        problem.memory[kept] = np.nan_to_num(shares[np.arange(len(y)), y], nan=1.0)
    found: NDArray[np.float64] = problem.memory[kept]
    return found
