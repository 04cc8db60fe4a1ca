"""Screening, slowly: all subsets of columns, all pairs of thresholds, one row after another."""

import numpy as np


def costs_of_all_subsets(A, y, weight, theta):
    """Cost of every clause, shape (2**d,); bit j of the index says whether it holds column j."""
    d = A.shape[1]
    subsets = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    wrong = subsets @ (weight[~y] @ A[~y] + theta)
    missed = (subsets @ A[y].T.astype(int) == 0) @ weight[y]
    return wrong + missed


def least_cost(costs, d, removed=None):
    """Least cost of the clauses without removed columns."""
    if removed is None:
        return costs.min()
    barred = sum(1 << int(j) for j in np.flatnonzero(removed))
    return costs[(np.arange(2**d) & barred) == 0].min()


def weights_of(A, y, weight):
    """P_j and Z_j of every column, by loops."""
    n, d = A.shape
    worth, wrong = [0.0] * d, [0.0] * d
    for j in range(d):
        for i in range(n):
            if A[i, j] and y[i]:
                worth[j] += weight[i]
            elif A[i, j]:
                wrong[j] += weight[i]
    return np.array(worth), np.array(wrong)


def simple(A, y, weight, theta):
    """Columns that cost as much as they cover."""
    worth, wrong = weights_of(A, y, weight)
    return theta + wrong >= worth


def pairs(A, y, weight, chains, neighbours=False):
    """The wider column of a pair goes if it gains no more right rows than wrong ones."""
    worth, wrong = weights_of(A, y, weight)
    removed = np.zeros(A.shape[1], dtype=bool)
    for chain in chains:
        for b in range(1, len(chain)):
            for a in [b - 1] if neighbours else range(b):
                i, j = chain[a], chain[b]
                if wrong[j] - wrong[i] >= worth[j] - worth[i]:
                    removed[j] = True
    return removed


def pairs_as_printed(A, y, weight, chains):
    """The paper's sentence: never the narrower j if the wider one gains more than it costs."""
    worth, wrong = weights_of(A, y, weight)
    removed = np.zeros(A.shape[1], dtype=bool)
    for chain in chains:
        for b in range(1, len(chain)):
            for a in range(b):
                i, j = chain[a], chain[b]
                if worth[j] - worth[i] > wrong[j] - wrong[i]:
                    removed[i] = True
    return removed


def greedy_rows(A, y, weight):
    """The paper's heuristic for the dual: rows one after another, all or nothing."""
    _, wrong = weights_of(A, y, weight)
    rows = np.flatnonzero(y & (weight > 0))
    mu = np.zeros(len(rows))
    used = np.zeros(A.shape[1])
    for k, i in enumerate(rows):
        if all(used[j] + weight[i] <= wrong[j] for j in np.flatnonzero(A[i])):
            used += weight[i] * A[i]
            mu[k] = weight[i]
    return mu


def floors(A, y, weight, theta, mu):
    """Formula (7) for every column."""
    _, wrong = weights_of(A, y, weight)
    rows = np.flatnonzero(y & (weight > 0))
    answer = []
    for j in range(A.shape[1]):
        outside = sum(value for value, i in zip(mu, rows, strict=True) if not A[i, j])
        answer.append(theta + wrong[j] + outside)
    return np.array(answer)


def cost(A, y, weight, theta, clause):
    """Cost of one clause, row by row."""
    total = theta * len(clause)
    for i in range(len(y)):
        hits = sum(bool(A[i, j]) for j in clause)
        total += weight[i] * ((hits == 0) if y[i] else hits)
    return total


def greedy_columns(A, y, weight, theta):
    """The paper's basic heuristic: columns by falling P - Z, each if it lowers the cost."""
    worth, wrong = weights_of(A, y, weight)
    clause = []
    for j in np.argsort(wrong - worth, kind="stable"):
        if cost(A, y, weight, theta, [*clause, j]) < cost(A, y, weight, theta, clause) - 1e-12:
            clause.append(int(j))
    return clause


def steepest_columns(A, y, weight, theta, n):
    """The enhanced heuristic: the column that lowers the cost most, n times at most."""
    clause = []
    for _ in range(n):
        now = cost(A, y, weight, theta, clause)
        after = [cost(A, y, weight, theta, [*clause, j]) for j in range(A.shape[1])]
        if not after or min(after) >= now - 1e-9:
            break
        clause.append(int(np.argmin(np.round(after, 9))))
    return clause


def certificate_holds(j, found, A, y, weight, theta, bounds=None):
    """Check one removal by its numbers alone."""
    a = A[:, j]
    price, worth = theta + weight[~y] @ a[~y], weight[y] @ a[y]
    if not (np.isclose(price, found["price"]) and np.isclose(worth, found["worth"])):
        return False
    if found["test"] == "simple":
        return price >= worth
    if found["test"] == "pairs":
        b = A[:, found["by"]]
        return price - theta - weight[~y] @ b[~y] >= weight[y] @ (a & ~b)[y] - 1e-12
    rows = y & (weight > 0)
    mu, slack = bounds.mu, 1e-9
    dual = (mu >= 0).all() and (mu <= weight[rows] + slack).all()
    dual &= (mu @ A[rows] <= theta + weight[~y] @ A[~y] + slack).all()
    known = cost(A, y, weight, theta, bounds.clause.tolist())
    floor = price + mu @ ~a[rows]
    return bool(dual) and np.isclose(floor, found["floor"]) and floor > known
