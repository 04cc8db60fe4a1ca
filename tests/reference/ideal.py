"""The ideal DNF the plain way: one row and one column at a time, as the paper tells it."""

import numpy as np
from sklearn.feature_selection import chi2, f_classif, mutual_info_classif

from tests.reference.types import counters, says_yes


def booleans(X, rows):
    """Chop each column of numbers at the lower middle value of some rows: (n, d)."""
    columns = []
    for values in X.T:
        ordered = sorted(values[rows])
        cut = ordered[(len(ordered) - 1) // 2]
        if cut == ordered[-1]:
            cut = max(v for v in ordered if v < cut)
        columns.append([v > cut for v in values])
    return np.array(columns, dtype=bool).T


def learn(X, y, judges, max_variables=10):
    """Learn from numbers without gaps, every column of more than two values in both parts.

    Returns the chosen columns, the number of their ranking (F, mutual information, chi-square), the
    held-out rows that each k gets right, and the counters.
    """
    B = booleans(X, ~judges)
    train, held = B[~judges], B[judges]
    scores = [
        f_classif(train.astype(float), y[~judges])[0],
        mutual_info_classif(train, y[~judges], discrete_features=True),
        np.maximum(chi2(train, y[~judges])[0], chi2(~train, y[~judges])[0]),
    ]
    ranked = [sorted(range(X.shape[1]), key=lambda j: (-score[j], j)) for score in scores]
    best = []
    for k in range(1, min(max_variables, X.shape[1]) + 1):
        results = []
        for place, order in enumerate(ranked):
            known = counters(train[:, order[:k]], y[~judges])
            right = sum(
                says_yes(known, row) == label
                for row, label in zip(held[:, order[:k]], y[judges], strict=True)
            )
            results.append((right, -place))
        best.append(max(results))
    top = max(right for right, _ in best)
    n = int(judges.sum())
    k = next(k for k, (right, _) in enumerate(best, 1) if 100 * (top - right) < n or right == top)
    place = -best[k - 1][1]
    chosen = ranked[place][:k]
    types = counters(booleans(X, slice(None))[:, chosen], y)
    return chosen, place, [right for right, _ in best], types
