"""Rule lists the slow way: every row, every class and every change looked at one by one."""

from itertools import combinations_with_replacement, product

import numpy as np

from rulekit.search.rule_lists.search import RuleList
from tests.reference.boxes import choices, literals_of, violations_of


def answer_of(problem, rules, i):
    """Class that the first clause gives which row i does not violate."""
    for r in range(len(rules)):
        if violations_of(problem, rules.boxes, r, i) == 0:
            return rules.labels[r]
    return rules.default


def loss_of(problem, rules):
    """Weight of the rows whose answer is not their class."""
    wrong = (answer_of(problem, rules, i) != problem.y[i] for i in range(len(problem.y)))
    return sum(w for w, is_wrong in zip(problem.weight, wrong, strict=True) if is_wrong)


def objective_of(problem, rules, theta):
    """Loss plus the price of the conditions."""
    return loss_of(problem, rules) + theta * literals_of(problem, rules.boxes)


def list_of(problem, boxes, labels, default):
    """Make a list of boxes, each an array of shape (p, 3)."""
    parts = np.array(boxes, np.int64).reshape(len(boxes), problem.n_features, 3)
    return RuleList(parts, tuple(labels), default)


def relabelled(problem, rules):
    """Every list of the same boxes."""
    K = range(int(problem.y.max()) + 1)
    for labels in product(K, repeat=len(rules)):
        for default in K:
            yield list_of(problem, list(rules.boxes), labels, default)


def small_boxes(problem):
    """Every box on at most two features."""
    p = problem.n_features
    whole = np.stack([np.zeros(p, np.int64), problem.n_bins - 1, np.ones(p, np.int64)], axis=1)
    for f, g in combinations_with_replacement(range(p), 2):
        for on_f, on_g in product(choices(problem, f), choices(problem, g)):
            box = whole.copy()
            box[f] = on_f
            if f != g:
                box[g] = on_g
            yield box


def changed(problem, rules):
    """Every list that another choice on one feature of one clause makes."""
    boxes = list(rules.boxes)
    for r, f in np.ndindex(len(rules), problem.n_features):
        for choice in choices(problem, f):
            box = boxes[r].copy()
            box[f] = choice
            yield list_of(problem, [*boxes[:r], box, *boxes[r + 1 :]], rules.labels, rules.default)


def rearranged(problem, rules):
    """Every list with a clause less, and with two neighbours exchanged, under any classes."""
    boxes = list(rules.boxes)
    for r in range(len(rules)):
        rest, labels = boxes[:r] + boxes[r + 1 :], rules.labels[:r] + rules.labels[r + 1 :]
        yield from relabelled(problem, list_of(problem, rest, labels, rules.default))
    for r in range(len(rules) - 1):
        order = [*boxes[:r], boxes[r + 1], boxes[r], *boxes[r + 2 :]]
        yield from relabelled(problem, list_of(problem, order, rules.labels, rules.default))


def extended(problem, rules):
    """Every list with a clause more, on at most two features, at any place, of any class."""
    boxes = list(rules.boxes)
    for box in small_boxes(problem):
        for r, label in product(range(len(rules) + 1), range(int(problem.y.max()) + 1)):
            yield list_of(
                problem,
                [*boxes[:r], box, *boxes[r:]],
                (*rules.labels[:r], label, *rules.labels[r:]),
                rules.default,
            )
