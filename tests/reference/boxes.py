"""Boxes the slow way: every row, every clause and every interval looked at one by one."""

from itertools import product

import numpy as np


def violations_of(problem, boxes, r, i):
    """Count the features of clause r that row i violates."""
    count = 0
    for f in range(problem.n_features):
        code, (low, high, absent) = problem.codes[i, f], boxes[r, f]
        count += not (absent if code == problem.n_bins[f] else low <= code <= high)
    return count


def loss_of(problem, boxes):
    """Price all wrong rows by the definition in `descent_kernels`."""
    prices, total = problem.prices, 0.0
    for i in range(problem.n_rows):
        v = [violations_of(problem, boxes, r, i) for r in range(len(boxes))]
        holding = sum(count == 0 for count in v)
        if problem.y[i]:
            cost = 0.0 if holding else 1.0 + (prices.miss * (min(v) - 1) if v else 0.0)
        else:
            cost = 1.0 + prices.overlap * (holding - 1) if holding else 0.0
            cost += prices.near * sum(count == 1 for count in v)
        total += problem.weight[i] * cost
    return total


def literals_of(problem, boxes):
    """Count literals by looking at what each clause accepts of each feature."""
    count = 0
    for r in range(len(boxes)):
        for f in range(problem.n_features):
            last = problem.n_bins[f] - 1
            low, high, absent = boxes[r, f]
            if low > high:
                count += 1
            elif low == 0 and high == last:
                count += bool(not absent and problem.has_missing[f])
            else:
                count += int(low > 0) + int(high < last)
    return count


def choices(problem, f):
    """Every (low, high, absent) that a clause may accept of feature f."""
    last = int(problem.n_bins[f]) - 1
    lacks = problem.has_missing[f]
    for low, high in product(range(last + 1), repeat=2):
        if low > high:
            continue
        if low > 0 and not problem.may_start[f, low]:
            continue
        if high < last and not problem.may_end[f, high]:
            continue
        whole = low == 0 and high == last
        yield low, high, True
        if lacks and (not whole or problem.may_test_missing[f]):
            yield low, high, False
    if lacks and problem.may_test_missing[f]:
        yield 1, 0, True


def best_start(problem, boxes, theta):
    """Try every box on one or two features as a further clause; return the lowest objective."""
    last, p = problem.n_bins - 1, problem.n_features
    best = None
    for f, g in product(range(p), repeat=2):
        if f >= g and p > 1:
            continue
        for on_f, on_g in product(choices(problem, f), choices(problem, g)):
            box = np.stack([np.zeros(p, int), last, np.ones(p, int)], axis=1)
            box[f] = on_f
            if g != f:
                box[g] = on_g
            more = np.concatenate([boxes, box[None]])
            value = loss_of(problem, more) + theta * literals_of(problem, more)
            best = value if best is None else min(best, value)
    return best
