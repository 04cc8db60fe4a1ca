"""The two-level problem as printed: objectives row by row, (4.14) in full, all rules, distances."""

from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog


def hamming_cost(A, y, weight, chosen, theta):
    """Objective (3.10), row by row and clause by clause."""
    cost = theta * int(np.sum(chosen))
    for i in range(len(y)):
        hits = [sum(bool(A[i, j]) for j in np.flatnonzero(clause)) for clause in chosen]
        cost += weight[i] * (sum(h == 0 for h in hits) if y[i] else min(hits))
    return cost


def error_cost(A, y, weight, chosen, theta):
    """Objective (3.7), row by row."""
    cost = theta * int(np.sum(chosen))
    for i in range(len(y)):
        answer = all(any(A[i, j] for j in np.flatnonzero(clause)) for clause in chosen)
        cost += weight[i] * (answer != y[i])
    return cost


def best_error_cost(A, y, weight, n_clauses, theta):
    """Least (3.7) over all rules; for a handful of columns."""
    clauses = list(product([False, True], repeat=A.shape[1]))
    return min(
        error_cost(A, y, weight, np.array(rule), theta)
        for rule in product(clauses, repeat=n_clauses)
    )


def printed_relaxation(A, y, weight, n_clauses, price):
    """Optimal value of (4.14) relaxed, as printed, with `beta >= w` for every column."""
    n, d = A.shape
    R, Z = n_clauses, np.flatnonzero(~y)
    n_w, n_beta = R * d, R * len(Z)
    size = n_w + n_beta + n
    rows, rhs = [], []

    def add(entries, bound):
        row = np.zeros(size)
        for k, v in entries:
            row[k] += v
        rows.append(row)
        rhs.append(bound)

    for i in np.flatnonzero(y):
        for r in range(R):  # 1 - A_i @ w_r <= psi_i
            hits = [(r * d + j, -1.0) for j in np.flatnonzero(A[i])]
            add([*hits, (n_w + n_beta + i, -1.0)], -1.0)
    for q, i in enumerate(Z):
        betas = [(n_w + r * len(Z) + q, 1.0) for r in range(R)]
        add([*betas, (n_w + n_beta + i, -1.0)], R - 1.0)
        for r in range(R):
            for j in np.flatnonzero(A[i]):  # w_rj <= beta_ir
                add([(r * d + j, 1.0), (n_w + r * len(Z) + q, -1.0)], 0.0)
    c = np.concatenate([np.tile(price, R), np.zeros(n_beta), weight])
    bounds = [(0, 1)] * n_w + [(0, None)] * (n_beta + n)
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = linprog(
        c, A_ub=np.array(rows), b_ub=np.array(rhs), bounds=bounds, method="highs", options=tight
    )
    assert result.status == 0
    return result.fun


def relaxed_errors(A, y, w):
    """psi of (4.14) at fractional clauses w: shape (n,)."""
    psi = []
    for row, described in zip(A, y, strict=True):
        if described:
            psi.append(max([0.0, *(1.0 - row @ clause for clause in w)]))
        else:
            beta = [max([0.0, *(clause[row])]) for clause in w]
            psi.append(max(0.0, sum(beta) - (len(w) - 1)))
    return np.array(psi)


def cnf_answer(a, w):
    """Equation (3.8) for one row: a (d,) bool, w (d, R) bool."""
    return bool(np.all(np.any(a[:, None] & w, axis=0)))


def distance(a, w, y):
    """Fewest entries of w to negate so that the row is answered with y."""
    cells = [(j, r) for j in range(w.shape[0]) for r in range(w.shape[1])]
    for n_flips in range(len(cells) + 1):
        for flips in combinations(cells, n_flips):
            other = w.copy()
            for j, r in flips:
                other[j, r] = ~other[j, r]
            if cnf_answer(a, other) == y:
                return n_flips
    return None
