"""The most promising features, pairs of them, and structures, mainly from second moments."""

# For every 2 x 2 block at once: how far apart class means are (a cut), or how narrow one class is
# where the rest is wide (a band). Pairs that differ in neither, as in an exclusive or, are not
# seen.

import numpy as np

from rulekit.families.power_law.solver.laws import Bools, Exponents, Floats, Ints, PowerTable
from rulekit.families.power_law.solver.split_search import MAX_TARGETS, LowerLevel
from rulekit.families.power_law.solver.split_task import ClassMass, sample_rows
from rulekit.families.power_law.solver.structures import RIDGE, Moments

N_PAIRS = 16
FEATURE_ROWS = 500


def likely_structures(
    table: PowerTable, mass: ClassMass, structures: Exponents, modulus: bool, most: int
) -> Ints:
    """Return the places of the structures that promise most, of each number of power laws."""
    sizes, selected = structures.any(axis=2).sum(axis=1), [np.zeros(0, dtype=np.int64)]
    order = np.argsort(-mass.total, kind="stable")[:MAX_TARGETS].tolist()
    for size in np.unique(sizes).tolist():
        places = np.flatnonzero(sizes == size)
        if len(places) <= most:
            selected.append(places)
            continue
        moments = Moments(table, structures[places, :size], mass)
        # of two classes one tells how far apart they are; a band may open on one side, too
        scores = [[moments.discriminant(k)[1] for k in order[: mass.n_classes - 1]]]
        if modulus:
            scores.append([moments.narrow(k)[1] for k in order])
        for worth in scores:
            selected.append(places[np.argsort(np.min(worth, axis=0), kind="stable")[:most]])
    return np.unique(np.concatenate(selected))


def likely_features(X: Floats, mass: ClassMass, most: int, rng: np.random.Generator) -> Ints:
    """Return the features worth keeping of many: the best alone, and those of likely pairs."""
    if X.shape[1] <= most:
        return np.arange(X.shape[1])
    if len(X) > FEATURE_ROWS:
        rows, mass = sample_rows(mass, FEATURE_ROWS, rng)
        X = X[rows]
    varying = np.flatnonzero(np.ptp(X, axis=0) > 0)
    X, selected = X[:, varying], []
    singles = np.eye(len(varying), dtype=np.int8)[:, None]
    lower = LowerLevel(PowerTable(X, 1), mass)
    for modulus in (False, True):
        order = np.argsort(lower.screen(singles, modulus).impurity, kind="stable")
        selected += [order[: most // 2], likely_pairs(X, mass, modulus, most // 2).ravel()]
    return varying[np.unique(np.concatenate(selected))]


def likely_pairs(X: Floats, mass: ClassMass, modulus: bool, n_pairs: int = N_PAIRS) -> Ints:
    """Return the pairs of features that promise most, shape (q, 2): O(n d^2)."""
    weight = np.ones(mass.n_rows) if mass.weight is None else mass.weight
    Z = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-300)
    best = np.full((X.shape[1], X.shape[1]), np.inf)
    for k in np.argsort(-mass.total, kind="stable")[:MAX_TARGETS]:
        in_class = mass.codes == k
        mean, inside = _moments(Z[in_class], weight[in_class], None)
        if modulus:
            _, rest = _moments(Z[~in_class], weight[~in_class], mean)
            badness = _smallest_ratio(inside, rest)
        else:
            other, rest = _moments(Z[~in_class], weight[~in_class], None)
            share = float(weight[in_class].sum() / weight.sum())
            within = share * inside + (1 - share) * rest
            badness = -_distance(mean - other, within)
        best = np.minimum(best, badness)
    i, j = np.triu_indices(X.shape[1], 1)
    order = np.argsort(best[i, j], kind="stable")[:n_pairs]
    return np.column_stack([i[order], j[order]])


def pair_structures(
    pairs: Ints, exponents: tuple[int, ...], max_power_laws: int, n_features: int
) -> Exponents:
    """Make every structure of one exponent for each of two features."""
    choices = [(a, b) for a in exponents for b in exponents]
    kinds = 1 + (max_power_laws > 1)
    structures = np.zeros(
        (len(pairs), len(choices), kinds, max_power_laws, n_features), dtype=np.int8
    )
    each = np.arange(len(pairs))
    for c, (a, b) in enumerate(choices):
        structures[each, c, 0, 0, pairs[:, 0]] = a
        structures[each, c, 0, 0, pairs[:, 1]] = b
        if kinds == 2:
            structures[each, c, 1, 0, pairs[:, 0]] = a
            structures[each, c, 1, 1, pairs[:, 1]] = b
    return structures.reshape(-1, max_power_laws, n_features)


def _moments(Z: Floats, weight: Floats, centre: Floats | None) -> tuple[Floats, Floats]:
    """Weighted mean, and second moments around it or around another point."""
    mean = np.average(Z, axis=0, weights=weight)
    away = Z - (mean if centre is None else centre)
    second = np.einsum("ni,nj->ij", away * weight[:, None], away) / weight.sum()
    return mean, second + RIDGE * np.eye(Z.shape[1])


def _distance(delta: Floats, within: Floats) -> Floats:
    """Mahalanobis distance of two means in every pair of features: shape (d, d)."""
    variance = np.diag(within)
    det = np.maximum(np.outer(variance, variance) - within * within, RIDGE * RIDGE)
    square = np.outer(delta**2, variance)  # delta_i^2 times the variance of j
    distance = (square + square.T - 2 * np.outer(delta, delta) * within) / det
    return np.where(_off_diagonal(len(variance)), distance, 0.0)


def _smallest_ratio(inside: Floats, rest: Floats) -> Floats:
    """Smallest eigenvalue of `inside` relative to `rest` in every 2 x 2 block: shape (d, d)."""
    a, c = np.diag(inside), np.diag(rest)
    det_inside = np.maximum(np.outer(a, a) - inside * inside, 0.0)
    det_rest = np.maximum(np.outer(c, c) - rest * rest, RIDGE * RIDGE)
    trace = (np.outer(a, c) + np.outer(c, a) - 2 * inside * rest) / det_rest
    det = det_inside / det_rest
    half = 0.5 * trace
    root = np.sqrt(np.maximum(half * half - det, 0.0))
    return np.where(_off_diagonal(len(a)), det / np.maximum(half + root, 1e-300), np.inf)


def _off_diagonal(d: int) -> Bools:
    return np.asarray(~np.eye(d, dtype=bool))
