"""All clauses near the best, by trying every set of literals."""

from itertools import combinations

TIE = 1e-9


def near_best_by_force(holds, y, theta, margin, max_conditions, weight):
    """List columns and values of the clauses of the margin in which every literal pays."""

    def worth(columns):
        inside = holds[:, list(columns)].all(axis=1)
        value = weight[inside & y].sum() - weight[inside & ~y].sum() - theta * len(columns)
        return value, bool((weight[inside] > 0).any())

    results = {}
    for size in range(max_conditions + 1):
        for columns in combinations(range(holds.shape[1]), size):
            value, somewhere = worth(columns)
            shorter = [worth(columns[:k] + columns[k + 1 :])[0] for k in range(size)]
            if somewhere and all(value > other + TIE for other in shorter):
                results[columns] = value
    best = max([0.0, *results.values()])
    return {c: value for c, value in results.items() if value >= best - margin - TIE}
