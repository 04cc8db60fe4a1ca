"""Small problems of points."""

import numpy as np

from rulekit.families.scorecard.solver.search import FINITE, PointsProblem, class_masses


def cuts_of(codes, y, most=2, weight=None):
    """Every cut of every source, upwards."""
    source = [f for f in range(codes.shape[1]) for _ in range(codes[:, f].max())]
    spans = [[c, 99, 0, 0] for f in range(codes.shape[1]) for c in range(1, codes[:, f].max() + 1)]
    spans = np.minimum(spans, (codes.max(axis=0) + 1)[source][:, None])
    masses = class_masses(y, np.ones(len(y)) if weight is None else weight, FINITE)
    return PointsProblem(
        np.ascontiguousarray(codes.T.astype(np.int32)),
        codes.max(axis=0) + 1,
        np.array(source),
        np.ascontiguousarray(spans),
        np.tile([-most, most], (len(source), 1)),
        masses,
        masses,
    )


def planted(seed=0, n=60, p=3, cells=3, **more):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, cells, (n, p))
    logit = codes @ rng.integers(-2, 3, p) * 0.8
    return cuts_of(codes, rng.random(n) < 1 / (1 + np.exp(logit.mean() - logit)), **more)
