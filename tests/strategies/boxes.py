"""Random binned tables for the box search, empty bins and missing values included."""

import numpy as np
from hypothesis import strategies as st

from rulekit.search.box_search.problem import Boxes, BoxPrices, BoxRows

PRICES = (BoxPrices(), BoxPrices(1.0, 1.0, 0.0), BoxPrices(0.3, 0.3, 0.1))


@st.composite
def box_problems(draw, max_rows=14, max_features=3, max_bins=4, prices=PRICES):
    p = draw(st.integers(1, max_features))
    n_bins = np.array(draw(st.lists(st.integers(1, max_bins), min_size=p, max_size=p)))
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    missing = draw(st.booleans())
    codes = rng.integers(0, n_bins + missing, size=(n, p))
    weight = rng.choice([0.5, 1.0, 2.0], size=n) if draw(st.booleans()) else None
    flags = [None] * 3
    if draw(st.booleans()):
        flags = [
            rng.random((p, n_bins.max())) < 0.8,
            rng.random((p, 1)) < 0.8,
            rng.random(p) < 0.8,
        ]
    return BoxRows(
        codes,
        n_bins,
        rng.random(n) < 0.5,
        weight,
        draw(st.sampled_from(prices)),
        *flags,
    )


@st.composite
def boxes_for(draw, problem, max_clauses=3):
    k, p = draw(st.integers(0, max_clauses)), problem.n_features
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    a = rng.integers(0, problem.n_bins, size=(k, p))
    b = rng.integers(0, problem.n_bins, size=(k, p))
    absent = (rng.random((k, p)) < 0.5) | ~problem.has_missing
    return Boxes(np.minimum(a, b), np.maximum(a, b), absent)
