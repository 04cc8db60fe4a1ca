"""Redundancy-aware rounding as the paper prints it: every combination tried, row by row."""

import numpy as np

TIE = 1e-9
MAX_SWEEPS = 10


def relaxed_cost(A, y, rows, w, theta):
    """Cost of a clause whose columns may be fractional, objective (2.1)."""
    cover = A.astype(float) @ w
    return float(rows @ np.where(y, np.maximum(0.0, 1.0 - cover), cover) + theta * w.sum())


def groups_of(A, structure):
    """Columns that belong together, as lists ordered by lowest column."""
    groups = {}
    for j in range(A.shape[1]):
        if structure is None:
            key = j
        elif structure.side[j]:
            key = ("threshold", int(structure.feature[j]))
        else:
            pattern = min(A[:, j].tolist(), (~A[:, j]).tolist())
            key = ("level", int(structure.feature[j]), tuple(pattern))
        groups.setdefault(key, []).append(j)
    return sorted(groups.values())


def combinations_of(group, structure):
    """No column, each column alone, and the pairs `x <= a or x > b` with a < b."""
    yield ()
    for j in group:
        yield (j,)
    if structure is None or not structure.side[group[0]]:
        return
    low = [j for j in group if structure.side[j] < 0]
    high = [j for j in group if structure.side[j] > 0]
    for a in low:
        for b in high:
            if structure.rank[a] < structure.rank[b]:
                yield (a, b)


def swept(A, y, rows, w, theta, structure, order):
    """Settle the groups one after the other."""
    w = w.copy()
    groups = groups_of(A, structure)
    for k in order:
        tried = []
        for combination in combinations_of(groups[k], structure):
            w[groups[k]] = 0.0
            w[list(combination)] = 1.0
            tried.append((relaxed_cost(A, y, rows, w, theta), combination))
        lowest = min(cost for cost, _ in tried)
        near = [c for cost, c in tried if cost <= lowest + TIE]
        w[groups[k]] = 0.0
        w[list(min(near, key=lambda c: (len(c), c)))] = 1.0
    return w


def round_without_redundancy(A, y, rows, relaxed, theta, structure):
    """Sweep from the relaxed weights and from nothing, each until it no longer pays."""
    groups = groups_of(A, structure)
    mass = [round(relaxed[g].sum() / TIE) for g in groups]
    order = sorted(range(len(groups)), key=lambda k: (-mass[k], k))
    best = np.zeros(len(relaxed))
    best_cost = relaxed_cost(A, y, rows, best, theta)
    for start in (relaxed, np.zeros(len(relaxed))):
        w = swept(A, y, rows, start, theta, structure, order)
        cost = relaxed_cost(A, y, rows, w, theta)
        for _ in range(MAX_SWEEPS):
            used_first = sorted(order, key=lambda k: not w[groups[k]].any())
            again = swept(A, y, rows, w, theta, structure, used_first)
            again_cost = relaxed_cost(A, y, rows, again, theta)
            if again_cost >= cost - TIE:
                break
            w, cost = again, again_cost
        shorter = cost <= best_cost + TIE and w.sum() < best.sum()
        if cost < best_cost - TIE or shorter:
            best, best_cost = w, cost
    return best > 0.5
