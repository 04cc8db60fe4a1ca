"""The linear support vector machine as its paper prints it: the primal program, by SciPy."""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog


def primal_value(A, signs, nu, weight=None, ways=None):
    """Optimal value of ``nu e'y + |w|_1`` subject to ``D (A w - e gamma) + y >= e``, (2)."""
    m, n = A.shape
    ways = np.zeros(n) if ways is None else ways
    # w = p - q with p and q not negative; where a weight has a way, one of them is 0
    parts = [(0, 0 if way < 0 else None) for way in ways]
    parts += [(0, 0 if way > 0 else None) for way in ways]
    price = nu * (np.ones(m) if weight is None else weight)
    turned = A * signs[:, None]
    solution = linprog(
        np.concatenate([np.ones(2 * n), [0.0], price]),
        A_ub=-sparse.hstack([np.hstack([turned, -turned, -signs[:, None]]), sparse.eye_array(m)]),
        b_ub=-np.ones(m),
        bounds=parts + [(None, None)] + [(0, None)] * m,
    )
    assert solution.success
    return solution.fun


def objective(plane, A, signs, nu, weight=None):
    """Price a plane by the definition: ``nu`` times the margins missed, and the 1-norm."""
    missed = np.maximum(1.0 - signs * (A @ plane.w - plane.gamma), 0.0)
    counted = missed if weight is None else weight * missed
    return nu * counted.sum() + np.abs(plane.w).sum()
