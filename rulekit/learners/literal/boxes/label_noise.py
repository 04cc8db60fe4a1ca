"""Lower weights for rows whose class the forest votes against.

A row that lies among rows of the other class is more often noise than a case to build a condition
on. The out-of-bag votes of a random forest estimate this for each row.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rulekit.learners.forest.votes import votes
from rulekit.learners.forest_loss import MOST_ROWS, forest_columns
from rulekit.learners.literal.problems.binary_problem import BinaryProblem

N_TREES = 100


def discounted(
    problem: BinaryProblem, label_noise: float, seed: int, classes: NDArray[np.intp] | None = None
) -> BinaryProblem:
    """Weight rows by the forest's agreement with their class.

    Shapes: classes (n,).
    """
    key = repr(("label_noise", label_noise, seed, classes is None)).encode()
    if key not in problem.memory:
        agreed = agreement(problem, seed, classes)
        weight = problem.weight * (1.0 - label_noise * (1.0 - agreed))
        problem.memory[key] = replace(problem, weight=weight, memory={})
    found: BinaryProblem = problem.memory[key]
    return found


def agreement(
    problem: BinaryProblem, seed: int, classes: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Return the forest's out-of-bag vote share for each row's own class.

    Shapes: classes (n,); result (n,).
    """
    y = problem.y.astype(int) if classes is None else classes
    if not len(problem.cells.source) or (y == y[0]).all():
        return np.ones(len(y))
    kept = f"agreement {seed} {classes is None}".encode()
    if kept not in problem.memory:
        cells = problem.cells
        used = np.unique(cells.source).tolist()
        columns, ordered = forest_columns(cells.codes, problem.encodings, used)
        shares = votes(columns, ordered, y, problem.weight, N_TREES, seed, MOST_ROWS)
        problem.memory[kept] = np.nan_to_num(shares[np.arange(len(y)), y], nan=1.0)
    found: NDArray[np.float64] = problem.memory[kept]
    return found
