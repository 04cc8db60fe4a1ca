"""The one-level problem, slowly: linprog on the compact program, and all subsets tried."""

from itertools import product

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from rulekit.search.lp import LinearProgram, solve_milp


def clause_cost(A, y, rows, chosen, theta):
    """Objective (2.1) of one clause, row by row."""
    cost = theta * sum(chosen)
    for i in range(len(y)):
        hits = sum(bool(A[i, j]) and bool(chosen[j]) for j in range(A.shape[1]))
        cost += rows[i] * (max(0, 1 - hits) if y[i] else hits)
    return cost


def best_clause_cost(A, y, rows, theta):
    """Least cost over all subsets of columns."""
    d = A.shape[1]
    return min(clause_cost(A, y, rows, c, theta) for c in product([False, True], repeat=d))


def compact_value(A, y, rows, theta, perturbation):
    """Optimal value and point of the compact program, by linprog."""
    P, m = A[y].astype(float), rows[y]
    c = theta + rows[~y] @ A[~y] + perturbation
    g, d = P.shape
    rows = {"A_ub": -np.hstack([P, np.eye(g)]), "b_ub": -np.ones(g)}
    result = linprog(np.concatenate([c, m]), **rows, bounds=[(0, 1)] * d + [(0, None)] * g)
    assert result.status == 0
    return result.fun, result.x[:d]


def theta_max(A, y, rows):
    """Price from which on no column is worth having in a single clause."""
    return max(0.0, *(rows[y & a].sum() - rows[~y & a].sum() for a in A.T))


def printed_program(A, y, weight, theta):
    """(2.1)-(2.4) as printed: a variable and a row for every row; variables w (d) then xi (n)."""
    n, d = A.shape
    matrix = sparse.csr_array(np.hstack([A.astype(float), np.diag(np.where(y, 1.0, -1.0))]))
    rows = np.where(y, 1.0, 0.0), np.where(y, np.inf, 0.0)
    columns = np.zeros(d + n), np.repeat([1.0, np.inf], [d, n]), np.arange(d + n) < d
    return LinearProgram(np.append(np.full(d, float(theta)), weight), matrix, *rows, *columns)


def exact_cost(A, y, weight, theta, time_limit=None):
    """Cost of the best clause, by the printed integer program."""
    answer = solve_milp(printed_program(A, y, weight, theta), time_limit=time_limit)
    assert answer.status == "optimal"
    return answer.value


def printed_value(A, y, rows, theta):
    """Optimal value of (2.1)-(2.3) with one variable and one row for every row, by linprog."""
    n, d = A.shape
    covered = np.hstack([A[y].astype(float), np.eye(n)[y]])
    equal = np.hstack([A[~y].astype(float), -np.eye(n)[~y]])
    result = linprog(
        np.concatenate([np.full(d, theta), rows]),
        A_ub=-covered if y.any() else None,
        b_ub=-np.ones(y.sum()) if y.any() else None,
        A_eq=equal if (~y).any() else None,
        b_eq=np.zeros((~y).sum()) if (~y).any() else None,
        bounds=[(0, 1)] * d + [(0, None)] * n,
        method="highs",
    )
    assert result.status == 0
    return result.fun
