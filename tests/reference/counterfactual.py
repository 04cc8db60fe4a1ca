"""The smallest change by trying every combination of values beside every threshold."""

from itertools import product

import numpy as np

NEAR = 1e-10


def choices(rule, feature, value, erase):
    """Values beside every threshold, every named level and one more."""
    named = []
    for clause in rule.clauses:
        for literal in (test for c in clause.conditions for test in c.tests):
            if literal.feature == feature:
                result = literal.value if isinstance(literal.value, tuple) else (literal.value,)
                named += [v for v in result if v is not None]
    kinds = {type(v) for v in [*named, value] if v is not None}
    if bool in kinds:
        others = [True, False]
    elif str in kinds:
        others = [*named, "something else"]
    elif not kinds:
        others = [0.0]  # nothing is known of the column: any value stands for all
    else:
        steps = [max(abs(v), 1.0) * NEAR for v in named]
        others = [w for v, s in zip(named, steps, strict=True) for w in (v, v - s, v + s)]
    erased = [None] if erase else []
    return [value, *(v for v in dict.fromkeys([*others, *erased]) if v != value)]


def cost(old, new, scale):
    if old is None or new is None or isinstance(new, (str, bool)):
        return 1.0
    return abs(new - old) / scale


def column(values):
    """A column as rules read it."""
    numeric = all(v is None or (isinstance(v, float)) for v in values)
    if numeric and any(v is not None for v in values):
        return np.array([np.nan if v is None else v for v in values])
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def smallest_change(rule, row, scales):
    """Return (columns changed, total cost) of the best row with another answer, or None."""
    features = rule.features
    for erase in (False, True) if features else ():
        values = [choices(rule, f, row[f], erase) for f in features]
        rows = list(product(*values))
        columns = {f: column([made[k] for made in rows]) for k, f in enumerate(features)}
        answers = rule.predict(columns)
        results = []
        for made, answer in zip(rows, answers, strict=True):
            moved = [
                k for k, f in enumerate(features) if made[k] is not row[f] and made[k] != row[f]
            ]
            if answer != answers[0]:  # the first row is the one given
                costs = [cost(row[features[k]], made[k], scales[features[k]]) for k in moved]
                results.append((len(moved), sum(costs)))
        if results:
            return min(results)
    return None
