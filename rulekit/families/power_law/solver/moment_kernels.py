"""First and second moments of the power laws of many structures, without keeping these.

Sums are taken in one order, so that every processor finds the same bits. A power law is brought to
mean 0 and standard deviation 1 first, as `PowerTable.laws` does; a constant one is 0 throughout.

Legend, beside that of `structures`::

    powers   (2 L + 1, d, n) every feature to the power of -L to L
    weight   (n,) what a row counts        inside  (n,) the same in one class, 0 elsewhere
    mean, mu  (P, p) mean over all rows, and in the class     second, own  (P, p, p) mean products
"""

import numpy as np
from numba import types

from rulekit.search.machine_code import machine_code

FLAT = 1e-12  # as in `laws`

F1, F2, F3 = types.float64[::1], types.float64[:, ::1], types.float64[:, :, ::1]
R1 = types.Array(types.float64, 1, "C", readonly=True)
R3 = types.Array(types.float64, 3, "C", readonly=True)
E3 = types.Array(types.int8, 3, "C", readonly=True)
MOMENTS = types.Tuple((F2, F3, F2, F3))  # type: ignore[no-untyped-call]


@machine_code(ieee=True)
def _dot(a, b):  # type: ignore[no-untyped-def]
    """Sum products in four strands, which a processor adds side by side."""
    one = two = three = four = 0.0
    whole = len(a) - len(a) % 4
    for i in range(0, whole, 4):
        one += a[i] * b[i]
        two += a[i + 1] * b[i + 1]
        three += a[i + 2] * b[i + 2]
        four += a[i + 3] * b[i + 3]
    for i in range(whole, len(a)):
        one += a[i] * b[i]
    return (one + two) + (three + four)


@machine_code(ieee=True)
def _write_law(powers, exponents, law, ones):  # type: ignore[no-untyped-def]
    """Multiply out a power law, centred and scaled."""
    largest, n, first = len(powers) // 2, len(law), True
    for f in range(len(exponents)):
        if exponents[f] != 0:
            power = powers[exponents[f] + largest, f]
            for i in range(n):
                law[i] = power[i] if first else law[i] * power[i]
            first = False
    if first:
        for i in range(n):
            law[i] = 1.0
    mean = _dot(law, ones) / n
    for i in range(n):
        law[i] -= mean
    spread = np.sqrt(_dot(law, law) / n)
    if not (spread > FLAT * abs(mean) and np.isfinite(spread)):
        for i in range(n):
            law[i] = 0.0
        return
    for i in range(n):
        law[i] /= spread


@machine_code(MOMENTS(R3, E3, R1, R1), ieee=True)
def moments(powers, structures, weight, inside):  # type: ignore[no-untyped-def]
    """Find the moments of each structure, over all rows and in the class."""
    P, p = structures.shape[:2]
    n = powers.shape[2]
    mean, second = np.zeros((P, p)), np.zeros((P, p, p))
    mu, own = np.zeros((P, p)), np.zeros((P, p, p))
    ones, laws, weighed, within = np.ones(n), np.empty((p, n)), np.empty(n), np.empty(n)
    whole, part = _dot(weight, ones), _dot(inside, ones)
    for r in range(P):
        for a in range(p):
            law = laws[a]
            _write_law(powers, structures[r, a], law, ones)
            for i in range(n):
                weighed[i], within[i] = weight[i] * law[i], inside[i] * law[i]
            mean[r, a], mu[r, a] = _dot(weighed, ones) / whole, _dot(within, ones) / part
            for b in range(a + 1):
                second[r, a, b] = second[r, b, a] = _dot(weighed, laws[b]) / whole
                own[r, a, b] = own[r, b, a] = _dot(within, laws[b]) / part
    return mean, second, mu, own
