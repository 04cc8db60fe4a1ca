"""Shares of the classes among rows like a row, counted row by row as the definition reads."""

import numpy as np

from rulekit.learners.shares import SHRINK


def likeness(rule, columns, i):
    """What a row is told apart by, coarse to fine: nothing, its clause, shortfalls, conditions."""
    row = {name: values[i : i + 1] for name, values in columns.items()}
    flip = rule.form == "cnf"
    met = [[bool(c.mask(row)[0]) != flip for c in clause.conditions] for clause in rule.clauses]
    short = [len(set(c.conditions)) for c in rule.clauses]
    for r, (clause, own) in enumerate(zip(rule.clauses, met, strict=True)):
        short[r] -= len({c for c, holds in zip(clause.conditions, own, strict=True) if holds})
    deciding = [r for r, lacking in enumerate(short) if lacking == 0]
    return [(), tuple(deciding[:1]), tuple(short), tuple(map(tuple, met))]


def shares(rule, train, codes, weight, n_classes, new):
    """Walk down the levels for each new row, over all training rows each time."""
    known = [likeness(rule, train, i) for i in range(len(codes))]
    found = np.zeros((len(next(iter(new.values()))), n_classes))
    for i in range(len(found)):
        share, before = np.full(n_classes, 1 / n_classes), None
        for depth, own in enumerate(likeness(rule, new, i)):
            alike = [k for k, other in enumerate(known) if other[depth] == own]
            if not alike:
                break
            if alike != before:
                rows = np.zeros(n_classes)
                for k in alike:
                    rows[codes[k]] += weight[k]
                shrink = SHRINK if depth else n_classes
                share = (rows + shrink * share) / (rows.sum() + shrink)
            before = alike
        found[i] = share
    return found
