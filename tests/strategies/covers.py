"""Random tables for the solvers: small ones drawn by hypothesis, larger ones from a seed."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from rulekit.binning.binned_table import BinnedTable, Conditions, runs_of
from rulekit.search.columns.priced_columns import (
    PricedColumns,
    default_perturbation,
    redundancy_groups,
    rounding_layout,
)
from rulekit.search.one_level.problem import ClauseSolver


def binned_matrix(A, feature=None, side=None, rank=None):
    """Read a Boolean matrix, shape (n, d); columns of one `feature` share their bins."""
    A = np.asarray(A, dtype=bool)
    names = np.arange(A.shape[1]) if feature is None else np.asarray(feature)
    features, source = np.unique(names, return_inverse=True)
    codes, tables = np.zeros((len(A), len(features)), np.uint32, "F"), []
    for f in range(len(features)):
        cells, row = np.unique(A[:, source == f], axis=0, return_inverse=True)
        codes[:, f] = row.reshape(-1)
        tables.append(cells)
    runs = runs_of(tables)[np.argsort(np.argsort(source, kind="stable"))]
    n_codes, none = np.array([len(table) for table in tables], np.intp), 0 * source
    side, rank = none if side is None else side, none if rank is None else rank
    return BinnedTable(codes, (), Conditions(n_codes, source, runs, side, rank))


def chained(table):
    """Add which thresholds are nested: two chains a feature, the narrowest first."""
    given = table.conditions
    place = np.where(given.side > 0, given.rank.max(initial=0) - given.rank, given.rank)
    chain = np.where(given.side == 0, -1, 2 * given.feature + (given.side > 0))
    parts = {"chain": chain, "place": np.where(given.side == 0, 0, place)}
    return replace(table, given=replace(given, **parts))


def cover_problem(A, y=None, weight=None, perturbation=None):
    """The one-level problems of a Boolean matrix with labels, or of a labelled table."""
    table = A if isinstance(A, BinnedTable) else binned_matrix(A)
    if y is not None:
        table = labelled(table, y, np.ones(len(y)) if weight is None else weight)
    eps = default_perturbation(table.shape[1]) if perturbation is None else perturbation
    return ClauseSolver(table.opposite, eps)


def threshold_table(seed, n=80, features=4, cuts=5, levels=0, missing=0.0):
    """Build a binary table of thresholds and levels; labels follow a rule, a fifth flipped."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((n, features)), 2)
    y = (X[:, 0] > 0.6) | (X[:, 1] <= 0.3)
    y = y ^ (rng.random(n) < 0.2)
    X[rng.random(X.shape) < missing] = np.nan
    columns, parts = [], []
    for f in range(features):
        for k, cut in enumerate(np.linspace(0, 1, cuts + 2)[1:-1]):
            low = X[:, f] <= cut
            columns += [low, ~low | np.isnan(X[:, f])]
            parts += [(f, -1, k), (f, 1, k)]
    category = rng.integers(0, max(levels, 1), n)
    for level in range(levels):
        columns += [category == level, category != level]
        parts += [(features, 0, 0)] * 2
    A = np.array(columns).T
    return A, y, binned_matrix(A, *np.array(parts).T)


@st.composite
def cover_problems(draw, max_columns=6, max_rows=9):
    """A binary table, labels, weights (some zero) and a price."""
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    bits = st.lists(st.booleans(), min_size=n * d, max_size=n * d)
    A = np.array(draw(bits), dtype=bool).reshape(n, d)
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    weight = st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0])
    rows = np.array(draw(st.lists(weight, min_size=n, max_size=n)))
    return A, y, rows, draw(st.sampled_from([0.01, 0.3, 1.0, 2.0]))


def sub_problems(y, seed, n):
    """Rows as the two-level methods ask for them: all of P, some of Z; and a price each."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        share, theta = rng.choice([0.1, 0.4, 0.8, 1.0]), rng.choice([1e-4, 1e-2, 0.1, 1.0, 3.0])
        yield np.where(y | (rng.random(len(y)) < share), 1.0, 0.0), float(theta)


def rounding_task(A, y, rows, theta, binned=None):
    """Fold a table into rows to cover and prices, for rounding."""
    binned = binned_matrix(A) if binned is None else binned
    groups = redundancy_groups(binned, y)
    wrong, P = rows[~y] @ A[~y].astype(float), binned[y]
    return PricedColumns(P, rows[y], wrong, theta, layout=rounding_layout(P, groups))


def small_dual(seed, g, d):
    """Draw distinct rows, prices without ties and whole weights of rows."""
    rng = np.random.default_rng(seed)
    P = np.unique(rng.random((g, d)) < rng.uniform(0.1, 0.9), axis=0)
    m = rng.integers(1, 4, len(P)).astype(float)
    return P, rng.integers(0, 2 * g // 3 + 1, d) + 0.01 + default_perturbation(d), m


def labelled(A, y, weight):
    """Read a Boolean matrix, or a table, as the training matrix of a learner."""
    table = A if isinstance(A, BinnedTable) else binned_matrix(A)
    return table.with_labels(y, weight)
