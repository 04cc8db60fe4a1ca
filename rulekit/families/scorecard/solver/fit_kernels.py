"""Kernels that fit: the logistic loss, by Newton's steps, over a few columns of numbers.

`exp` and `log` are series, so that a fit ends in the same bits on every processor.
"""

import numpy as np
from numba import types as nb

from rulekit._sums import LN2_HIGH, LN2_LOW, LOG2E
from rulekit.search.machine_code import machine_code

STEPS, HALVINGS = 40, 30  # of Newton's method
ENOUGH = 1e-11  # a step that promises less than this share of the loss is the last
RIDGE = 1e-9  # of a diagonal, so that conditions that are alike share their weight
POWERS = np.ldexp(1.0, np.arange(-1022, 1024))
INVERSE_FACTORIALS = np.array([1.0 / np.prod(np.arange(1.0, k + 1.0)) for k in range(14)])
ODD = np.array([1.0 / (2 * i + 1) for i in range(17)])
F1, F2 = nb.float64[::1], nb.float64[:, ::1]


@machine_code()
def copy(values, target):  # type: ignore[no-untyped-def]
    """Copy numbers by a plain loop: NumPy's assignment takes a second to compile."""
    for s in range(len(target)):
        target[s] = values[s]


@machine_code()
def _exp(x):  # type: ignore[no-untyped-def]
    x = min(max(x, -700.0), 700.0)
    whole = np.rint(x * LOG2E)
    rest = (x - whole * LN2_HIGH) - whole * LN2_LOW
    found = INVERSE_FACTORIALS[13]
    for k in range(12, -1, -1):
        found = found * rest + INVERSE_FACTORIALS[k]
    return found * POWERS[np.int64(whole) + 1022]


@machine_code(inline=True)
def _log1p(z):  # type: ignore[no-untyped-def]
    """Logarithm of ``1 + z`` for z from 0 to 1."""
    s = z / (2.0 + z)
    square, found = s * s, 0.0
    for i in range(16, -1, -1):
        found = found * square + ODD[i]
    return 2.0 * s * found


@machine_code()
def chance_of(logit):  # type: ignore[no-untyped-def]
    """Turn a logit into a probability."""
    z = _exp(-abs(logit))
    return 1.0 / (1.0 + z) if logit >= 0 else z / (1.0 + z)


@machine_code(inline=True)
def _loss(logit, yes, no):  # type: ignore[no-untyped-def]
    tail = _log1p(_exp(-abs(logit)))
    return yes * (tail - min(logit, 0.0)) + no * (tail + max(logit, 0.0))


@machine_code(inline=True)
def _solved(A, b):  # type: ignore[no-untyped-def]
    """Solve a positive definite system in place; `b` becomes the solution."""
    m = len(b)
    for i in range(m):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = np.sqrt(max(total, 1e-300)) if i == j else total / A[j, j]
    for i in range(m):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            b[i] -= A[k, i] * b[k]
        b[i] /= A[i, i]


@machine_code()
def _value(design, mass, beta):  # type: ignore[no-untyped-def]
    m, total = design.shape[1], 0.0
    for t in range(len(mass)):
        logit = beta[m]
        for s in range(m):
            logit += design[t, s] * beta[s]
        total += _loss(logit, mass[t, 0], mass[t, 1])
    return total


@machine_code(inline=True)
def _derivatives(design, mass, beta, gradient, hessian):  # type: ignore[no-untyped-def]
    """Write the loss's derivatives, downhill, at `beta`; its last part is the intercept's."""
    m = design.shape[1]
    for s in range(m + 1):
        gradient[s] = 0.0
        for u in range(m + 1):
            hessian[s, u] = 0.0
    for t in range(len(mass)):
        logit = beta[m]
        for s in range(m):
            logit += design[t, s] * beta[s]
        chance, both = chance_of(logit), mass[t, 0] + mass[t, 1]
        r, q = mass[t, 0] - both * chance, both * chance * (1.0 - chance)
        gradient[m] += r
        hessian[m, m] += q
        for s in range(m):
            x = design[t, s]
            if x:
                gradient[s] += r * x
                hessian[m, s] += q * x
                for u in range(s + 1):
                    hessian[s, u] += q * x * design[t, u]
    for s in range(m + 1):
        hessian[s, s] += RIDGE * (hessian[s, s] + hessian[m, m])


@machine_code()
def fitted(design, mass, beta, hessian):  # type: ignore[no-untyped-def]
    """Descend on the logistic loss from `beta`, by Newton's steps; return the loss."""
    m = design.shape[1] + 1
    step, factor, trial = np.zeros(m), np.zeros((m, m)), np.zeros(m)
    promised = np.zeros(m)
    loss = _value(design, mass, beta)
    for _ in range(STEPS):
        _derivatives(design, mass, beta, step, hessian)
        copy(step, promised)
        for s in range(m):
            copy(hessian[s], factor[s])
        _solved(factor, step)
        gain = 0.0
        for s in range(m):
            gain += promised[s] * step[s]
        if gain <= ENOUGH * loss:
            break
        better = False
        for _ in range(HALVINGS):
            for s in range(m):
                trial[s] = beta[s] + step[s]
            value = _value(design, mass, trial)
            if value < loss:
                better = True
                break
            for s in range(m):
                step[s] *= 0.5
        if not better:
            break
        copy(trial, beta)
        loss = value
    return loss


@machine_code(nb.float64(F2, F2, F1))
def line_through(values, weights, line):  # type: ignore[no-untyped-def]
    """Fit slope and intercept of a logit over one value a row; return the loss."""
    return fitted(values, weights, line, np.zeros((2, 2)))
