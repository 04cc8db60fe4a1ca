"""One vertex: what makes the answer of a linear program a function of the problem alone.

Optimal clauses are often not unique. A fixed perturbation of the prices makes them so, and
weights are written as the small fractions they are, so that two solves give the same bits.
"""

import numpy as np
from numpy.typing import NDArray

from rulekit.search.small_matrices import solved

Floats = NDArray[np.float64]

PERTURBATION = 1e-6
ALWAYS_PERTURBATION = 0.75e-6  # of the column that is always true
SNAP = 1e-8  # what is nearer to a whole number than this is one
NOISE = 1e-10  # of a weight, as solvers return it
DENOMINATORS = np.arange(2.0, 241.0)


def default_perturbation(d: int) -> Floats:
    """Spread d values over [0.5e-6, 1e-6), all different, the same for every call."""
    # multiples of the golden ratio fall into the largest gap left: any d of them stay well apart
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    return PERTURBATION * (0.5 + 0.5 * np.mod(golden * np.arange(1, d + 1), 1.0))


def snapped(w: Floats, P: Floats | None = None) -> Floats:
    """Write weights so that two solves that end in the same vertex give the same bits.

    Shapes: w (d,), P (g, d); result (d,).
    """
    w = np.clip(w, 0.0, 1.0)
    whole = np.round(w)
    w = np.where(np.abs(w - whole) < SNAP, whole, w)
    fractional = np.flatnonzero(w != whole)
    if len(fractional) == 0:
        return w
    parts = w[fractional][:, None] * DENOMINATORS
    exact = np.abs(parts - np.round(parts)) < DENOMINATORS * NOISE
    if exact.any(axis=1).all():
        which = exact.argmax(axis=1)
        rows = np.arange(len(fractional))
        w[fractional] = np.round(parts[rows, which]) / DENOMINATORS[which]
    elif P is not None:
        _recompute(w, P)
    return w


def _recompute(w: Floats, P: Floats) -> None:
    """Solve for the weights of the support from the rows that are covered exactly once."""
    support = np.flatnonzero(w)
    cover = P[:, support] @ w[support]
    tight = np.flatnonzero(np.abs(cover - 1.0) < SNAP)
    if len(tight) < len(support):
        return
    again = solved(P[None, tight][:, :, support], np.ones((1, len(tight), 1)))[0, :, 0]
    # Taken only where these rows fix every weight, and fix it to the answer but for noise.
    if np.abs(again - w[support]).max() < SNAP:
        w[support] = again
