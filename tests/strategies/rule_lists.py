"""Random binned tables of several classes for the search over rule lists, and random lists."""

import numpy as np
from hypothesis import strategies as st

from rulekit.search.box_search.problem import ERRORS
from rulekit.search.rule_lists.search import RuleList
from tests.strategies.boxes import box_rows


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
    return RuleList(low, high, absent, labels, int(rng.integers(K)))
