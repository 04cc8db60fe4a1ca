"""Random planes and the side of one within the range of a table."""

import numpy as np
from hypothesis import strategies as st

from rulekit.families.hyperplane.solver.half_space import HalfSpace


def random_plane(seed, n, m=60, whole=False):
    """A plane through the middle of a random table, with weights of either sign and some zeros."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (m, n)).astype(float) if whole else rng.normal(size=(m, n))
    X *= 10.0 ** rng.integers(-3, 4, n)
    w = rng.normal(size=n) / np.ptp(X, axis=0)
    w[rng.random(n) < 0.2] = 0.0
    if not w.any():
        w[0] = 1.0
    return X, w, float(np.median(X @ w))


def half_of(X, w, gamma, above):
    return HalfSpace.from_plane(w, gamma, X.min(axis=0), X.max(axis=0), above=above)


def scale_of(half):
    """What values of a half-space are measured against."""
    reach = np.maximum(np.abs(half.low), np.abs(half.high))
    return max(float((half.weights * reach).sum()), abs(half.cap), float(np.finfo(float).tiny))


@st.composite
def planes(draw, max_features=20):
    n = draw(st.integers(1, max_features))
    X, w, gamma = random_plane(draw(st.integers(0, 10**6)), n, whole=draw(st.booleans()))
    return X, w, gamma, draw(st.booleans())
