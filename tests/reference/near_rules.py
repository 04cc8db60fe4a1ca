"""All rules near the best, by trying every set of clauses: what `alternatives` should list."""

from itertools import combinations

import numpy as np

from rulekit.rules import Clause, RuleSet, simplify

TIE = 1e-9


def near_rules_by_force(holds, y, weight, theta, margin, max_clauses, max_conditions, best):
    """Return the cost of each rule within the margin of `best` without superfluous parts."""
    clauses = [
        c for size in range(max_conditions + 1) for c in combinations(range(holds.shape[1]), size)
    ]
    inside = {c: holds[:, list(c)].all(axis=1) for c in clauses}

    def cost(rule):
        held = np.zeros(len(y), bool)
        for clause in rule:
            held |= inside[clause]
        return weight[held != y].sum() + theta * sum(map(len, rule))

    results = {}
    for n in range(max_clauses + 1):
        for rule in combinations(clauses, n):
            if sum(map(len, rule)) > max_conditions:
                continue
            own = cost(rule)
            shorter = [cost(rule[:r] + rule[r + 1 :]) for r in range(n)]
            for r, clause in enumerate(rule):
                for j in clause:
                    left = tuple(k for k in clause if k != j)
                    shorter.append(cost((*rule[:r], left, *rule[r + 1 :])))
            if all(own < other - TIE for other in shorter):
                results[rule] = own
    best = min([best, *results.values()])
    return {rule: own for rule, own in results.items() if own <= best + margin + TIE}


def written(rule, literals, label, default):
    """Write a set of clauses as a rule."""
    clauses = tuple(Clause(tuple(literals[j] for j in c)) for c in rule)
    return simplify(RuleSet(clauses, (label,) * len(clauses), "dnf", default))
