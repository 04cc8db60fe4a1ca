"""Random binned tables for the searches over boxes and rule lists, empty bins and gaps included."""

import numpy as np
from hypothesis import strategies as st

from rulekit.search.box_search.problem import ERRORS, BoxPrices, BoxRows, whole_box
from rulekit.search.rule_lists.search import RuleList

HAMMING = BoxPrices(1.0, 1.0, 0.0)
PRICES = (BoxPrices(), HAMMING, BoxPrices(0.3, 0.3, 0.1))


def box_rows(codes, n_bins, y, weight=None, prices=ERRORS, *may, reads=None, **named):
    """Build a `BoxRows`; by default each feature is a column, and everything is allowed."""
    n_bins = np.asarray(n_bins, dtype=np.int64)
    p, most = len(n_bins), int(n_bins.max(initial=1))
    shapes = {"may_start": (p, most), "may_end": (p, most), "may_test_missing": (p,)}
    given = dict(zip(shapes, may, strict=False)) | named
    allowed = [
        np.broadcast_to(True if given.get(name) is None else given[name], shape)
        for name, shape in shapes.items()
    ]
    if reads is None:
        bins = np.tile(np.arange(most + 1), (p, 1))
        reads = {"column": np.arange(p), "bins": bins, "n_cells": n_bins + 1}
    weight = np.ones(len(codes)) if weight is None else weight
    return BoxRows(
        codes, n_bins, y, weight, prices, *allowed, **reads, condition_of={}, n_conditions=0
    )


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
        flags = [rng.random((p, n_bins.max())) < 0.8, rng.random((p, 1)) < 0.8, rng.random(p) < 0.8]
    return box_rows(
        codes, n_bins, rng.random(n) < 0.5, weight, draw(st.sampled_from(prices)), *flags
    )


@st.composite
def boxes_for(draw, problem, max_clauses=3):
    k, p = draw(st.integers(0, max_clauses)), problem.n_features
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    a = rng.integers(0, problem.n_bins, size=(k, p))
    b = rng.integers(0, problem.n_bins, size=(k, p))
    absent = (rng.random((k, p)) < 0.5) | ~problem.has_missing
    return np.stack([np.minimum(a, b), np.maximum(a, b), absent], axis=2)


def single_conditions(problem):
    """List every box of one condition that a problem allows."""
    whole, lacks = whole_box(problem.n_bins), problem.has_missing
    results = []
    for f, n in enumerate(problem.n_bins.tolist()):
        runs = [(b, n - 1) for b in range(1, n) if problem.may_start[f, b]]
        runs += [(0, b) for b in range(n - 1) if problem.may_end[f, b]]
        places = [(low, high, absent) for low, high in runs for absent in {False, bool(lacks[f])}]
        if lacks[f] and problem.may_test_missing[f]:
            places += [(0, n - 1, False), (1, 0, True)]
        for low, high, absent in places:
            box = whole.copy()
            box[0, f] = low, high, absent
            results.append(box)
    return results


@st.composite
def list_problems(draw, max_rows=14, max_features=3, max_bins=4, max_classes=4):
    p = draw(st.integers(1, max_features))
    n_bins = np.array(draw(st.lists(st.integers(1, max_bins), min_size=p, max_size=p)))
    n, K = draw(st.integers(1, max_rows)), draw(st.integers(2, max_classes))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    codes = rng.integers(0, n_bins + draw(st.booleans()), size=(n, p))
    weight = rng.choice([0.5, 1.0, 2.0], size=n) if draw(st.booleans()) else np.ones(n)
    share = 0.8 if draw(st.booleans()) else 1.0
    may = [rng.random((p, n_bins.max())) < share for _ in range(2)]
    y = rng.integers(0, K, n)
    return box_rows(codes, n_bins, y, weight, ERRORS, *may, rng.random(p) < share)


@st.composite
def lists_for(draw, problem, max_clauses=3):
    k, p = draw(st.integers(0, max_clauses)), problem.n_features
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    low = np.where(rng.random((k, p)) < 0.5, 0, rng.integers(0, problem.n_bins, size=(k, p)))
    last = problem.n_bins - 1
    high = np.where(rng.random((k, p)) < 0.5, last, rng.integers(low, last + 1))
    for r, f in np.ndindex(k, p):  # only ends that may be
        if not problem.may_start[f, low[r, f]]:
            low[r, f] = 0
        if not problem.may_end[f, high[r, f]]:
            high[r, f] = last[f]
    whole = (low == 0) & (high == last)
    absent = (rng.random((k, p)) < 0.5) | ~problem.has_missing | whole
    K = int(problem.y.max()) + 1
    labels = tuple(rng.integers(0, K, k).tolist())
    return RuleList(np.stack([low, high, absent], axis=2), labels, int(rng.integers(K)))
