"""The dual simplex method for bounded variables, on a table of all coefficients.

::

    maximise  sum(mu)    subject to  s = c - P.T @ mu >= 0,  0 <= mu <= m

Every basic variable is written as ``value[k] - table[k] @ (change of the others)``; the others are
at a bound, and `slope` is by how much the objective grows with each. It starts with all mu at their
upper bounds. The basic variable that violates its bounds most leaves; the others turn to their
other bounds in the order in which their slopes reach zero, as long as this one stays outside its
bounds, and the first one that would bring it back enters.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from rulekit.search.machine_code import machine_code, record

TOLERANCE = 1e-10
SMALL = 1e-9  # no pivot is smaller
OPTIMAL, UNFINISHED, FAILED = range(3)
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Tableau(NamedTuple):
    """A basis; variables are numbered, first mu, then s."""

    table: Floats  # (d, g)
    value: Floats  # (d,), of basic variables
    slope: Floats  # (g,), of the others
    tilted: Floats  # (g,), the same for an objective without ties
    cap: Floats  # (g + d,), upper bounds
    weight: Floats  # (d,), reference weights of the basic variables (Devex)
    basic: Ints  # (d,)
    other: Ints  # (g,)
    at_upper: Bools  # (g,)


F1, I1, B1 = (kind[::1] for kind in (types.float64, types.int64, types.boolean))
F2 = types.float64[:, ::1]
TABLEAU = record(Tableau, F2, F1, F1, F1, F1, F1, I1, I1, B1)


@machine_code(inline=True)
def _leaving(t):  # type: ignore[no-untyped-def]
    """Return the basic variable farthest outside its bounds, weighted; -1 if all are inside."""
    best, found = 0.0, -1
    for k in range(len(t.value)):
        outside = max(-t.value[k], t.value[k] - t.cap[t.basic[k]])
        if outside > TOLERANCE:
            score = outside * outside / t.weight[k]
            if score > best:
                best, found = score, k
    return found


@machine_code(inline=True)
def _entering(t, k, sign, violation):  # type: ignore[no-untyped-def]
    """Turn variables to their other bounds; return the one that enters, -1 if there is none.

    Sign is that of the needed change of basic variable k.
    """
    row = t.table[k]
    while True:
        best, size, found = np.inf, 0.0, -1
        for j in range(len(row)):
            a = sign * row[j] if t.at_upper[j] else -sign * row[j]
            if a > SMALL and abs(t.tilted[j]) < best * a:
                best, size, found = abs(t.tilted[j]) / a, a, j
        if found < 0:
            return -1
        cap = t.cap[t.other[found]]
        if violation - size * cap <= TOLERANCE:
            return found
        violation -= size * cap
        change = -cap if t.at_upper[found] else cap
        t.at_upper[found] = not t.at_upper[found]
        for i in range(len(t.value)):
            t.value[i] -= t.table[i, found] * change


@machine_code(inline=True)
def _exchange(t, k, j, goal):  # type: ignore[no-untyped-def]
    """Make variable j basic in place of variable k, which moves to its bound `goal`."""
    table, row, pivot = t.table, t.table[k], t.table[k, j]
    change = (t.value[k] - goal) / pivot
    start = t.cap[t.other[j]] if t.at_upper[j] else 0.0
    rate, tilted = t.slope[j] / pivot, t.tilted[j] / pivot
    for c in range(len(row)):
        t.slope[c] -= rate * row[c]
        t.tilted[c] -= tilted * row[c]
        row[c] /= pivot
    t.slope[j], t.tilted[j], row[j] = -rate, -tilted, 1.0 / pivot
    for i in range(len(t.value)):
        factor = table[i, j]
        if i == k or factor == 0.0:
            continue
        t.value[i] -= factor * change
        t.weight[i] = max(t.weight[i], (factor / pivot) ** 2 * t.weight[k])
        other = table[i]
        for c in range(len(row)):
            other[c] -= factor * row[c]
        other[j] = -factor / pivot
    t.value[k] = start + change
    t.weight[k] = max(t.weight[k] / (pivot * pivot), 1.0)
    t.basic[k], t.other[j] = t.other[j], t.basic[k]
    t.at_upper[j] = goal > 0.0


@machine_code(types.int64(TABLEAU, types.int64))
def optimise(t, most):  # type: ignore[no-untyped-def]
    """Exchange variables until all are within their bounds; return how it ended."""
    for _ in range(most):
        k = _leaving(t)
        if k < 0:
            return OPTIMAL
        low = t.value[k] < 0.0
        goal = 0.0 if low else t.cap[t.basic[k]]
        j = _entering(t, k, 1.0 if low else -1.0, abs(t.value[k] - goal))
        if j < 0:
            return FAILED
        _exchange(t, k, j, goal)
    return UNFINISHED
