"""Random tables of thresholds for screening, small and full of ties, as a matrix and as cells."""

from functools import cache

import numpy as np

from rulekit.binning import BinnedTable, Conditions
from rulekit.search.screening.proved_cover import relax
from rulekit.search.screening.screen import Bounds, steepest_clause
from tests.reference.screening import costs_of_all_subsets

LAMBDAS = (0.2, 0.5, 1.0, 3.0, 10.0, 100.0, 1000.0)
N_INSTANCES = 600
WEIGHTS = (0.5, 1.0, 1.0, 2.0, 0.0)


def tied_table(seed, n=24, features=2, cuts=3, weighted=False):
    """Return cells, the same as a matrix, labels, weights, and chains (narrowest column first)."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, n + 1))
    codes = rng.integers(0, cuts + 1, (n, features))
    copied = rng.random(features) < 0.3
    codes[:, copied] = codes[:, :1]  # equal columns across features
    y = (codes[:, 0] > rng.integers(0, cuts + 1)) ^ (rng.random(n) < rng.choice([0.1, 0.3, 0.5]))
    weight = rng.choice(WEIGHTS, n) if weighted else np.ones(n)
    source, spans, chain, place, chains = [], [], [], [], []
    for f in range(features):
        ends = np.arange(1, cuts + 1)
        first = len(source)
        chains.append([first + k for k in range(cuts)])
        chains.append([first + cuts + k for k in reversed(range(cuts))])
        source += [f] * (2 * cuts)
        spans += [(0, int(e), 0, 0) for e in ends]
        spans += [(int(e), cuts + 1, 0, 0) for e in ends]
        chain += [2 * f] * cuts + [2 * f + 1] * cuts
        place += [*range(cuts), *reversed(range(cuts))]
    none, chained = np.zeros(len(source), int), (np.array(chain), np.array(place))
    runs = np.full(features, cuts + 1), np.array(source), np.array(spans)
    conditions = Conditions(*runs, none, none, (), *chained)
    cells = BinnedTable(np.asfortranarray(codes.astype(np.uint8)), (), conditions)
    return cells, cells.values, y, weight, chains


@cache
def solved_instances():
    """Return price, cells, matrix, labels, weights, chains and all costs of small tied tables."""
    results = []
    for seed in range(N_INSTANCES):
        theta = 1.0 / LAMBDAS[seed % len(LAMBDAS)]
        features, cuts = ((2, 3), (3, 2), (1, 5), (2, 2))[seed % 4]
        table = tied_table(seed, features=features, cuts=cuts, weighted=seed % 3 == 0)
        _, matrix, y, weight, _ = table
        results.append((theta, *table, costs_of_all_subsets(matrix, y, weight, theta)))
    return results


def lp_bounds(problem):
    """The optimum of the linear program, and the best clause a greedy choice finds."""
    relaxed = relax(problem)
    clause = steepest_clause(problem)
    return Bounds(relaxed.mu, float(relaxed.mu.sum()), clause, problem.cost(clause))
