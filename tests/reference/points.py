"""Scorecards by trying all of them: every set of conditions, every points, one line each."""

from itertools import combinations, product

import numpy as np


def holds(problem):
    """Return for each row which condition holds, shape (n, d)."""
    cells = problem.codes[problem.source].T
    a, b, c, d = problem.spans.T
    return ((a <= cells) & (cells < b)) | ((c <= cells) & (cells < d))


def loss(logits, weights):
    """Weigh logits by the logistic loss."""
    yes, no = weights.T
    return float(yes @ np.logaddexp(0.0, -logits) + no @ np.logaddexp(0.0, logits))


def line(totals, weights):
    """Fit a logit that is linear in the total, by Newton's steps; return slope, intercept, loss."""
    X = np.column_stack([totals, np.ones(len(totals))]).astype(float)
    beta, both = np.zeros(2), weights.sum(axis=1)
    for _ in range(100):
        p = 1.0 / (1.0 + np.exp(-X @ beta))
        curve = (X * (both * p * (1 - p))[:, None]).T @ X
        step = np.linalg.lstsq(curve, X.T @ (weights[:, 0] - both * p), rcond=None)[0]
        now = loss(X @ beta, weights)
        while np.abs(step).max() > 1e-12 and loss(X @ (beta + step), weights) > now:
            step = step / 2
        beta = beta + step
        if np.abs(step).max() < 1e-10:
            break
    return float(beta[0]), float(beta[1]), loss(X @ beta, weights)


def best_loss(problem, size):
    """Try every card of a size; return the least loss."""
    x, least = holds(problem), np.inf
    for chosen in combinations(range(len(problem.source)), size):
        if not all(constraint & set(chosen) for constraint in problem.required):
            continue
        ranges = [range(low, high + 1) for low, high in problem.limits[list(chosen)]]
        for points in product(*ranges):
            if all(points):
                slope, _, result = line(x[:, chosen] @ np.array(points), problem.weights)
                least = result if slope > 0 and result < least else least
    return least
