"""One vertex: what makes the answer of a linear program a function of the problem alone.

Optimal clauses are often not unique. A fixed perturbation of the prices makes them so, and
weights are written as the small fractions they are, so that two solves give the same bits.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PERTURBATION = 1e-6
ALWAYS_PERTURBATION = 0.75e-6  # of the column that is always true
SNAP = 1e-6  # what is nearer to a whole number than this is one
DENOMINATORS = np.arange(2.0, 241.0)


def default_perturbation(d: int) -> Floats:
    """Spread d values over [0.5e-6, 1e-6), all different, the same for every call."""
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    return PERTURBATION * (0.5 + 0.5 * np.mod(golden * np.arange(1, d + 1), 1.0))


def snapped(w: Floats) -> Floats:
    """Write weights as the fractions they are, so that two solves give the same bits."""
    w = np.clip(w, 0.0, 1.0)
    whole = np.round(w)
    w = np.where(np.abs(w - whole) < SNAP, whole, w)
    for k in np.flatnonzero(w != np.round(w)):
        parts = w[k] * DENOMINATORS
        nearest = np.round(parts)
        exact = np.flatnonzero(np.abs(parts - nearest) < DENOMINATORS * 1e-10)
        if len(exact):
            w[k] = nearest[exact[0]] / DENOMINATORS[exact[0]]
        else:
            w[k] = np.round(w[k] * 2.0**34) / 2.0**34
    return w
