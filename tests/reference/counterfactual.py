"""The smallest change by trying every combination of values beside every threshold."""

from itertools import product

import numpy as np

NEAR = 1e-10


def choices(rule, feature, value, erase):
    """Values beside every threshold, every named level and one more."""
    named = []
    for clause in rule.clauses:
        for literal in clause.literals:
            if literal.feature == feature:
                found = literal.value if isinstance(literal.value, tuple) else (literal.value,)
                named += [v for v in found if v is not None]
    kinds = {type(v) for v in [*named, value] if v is not None}
    if bool in kinds:
        others = [True, False]
    elif str in kinds:
        others = [*named, "something else"]
    else:
        steps = [max(abs(v), 1.0) * NEAR for v in named]
        others = [w for v, s in zip(named, steps, strict=True) for w in (v, v - s, v + s)]
    erased = [None] if erase else []
    return [value, *(v for v in dict.fromkeys([*others, *erased]) if v != value)]


def cost(old, new, scale):
    if old is None or new is None or isinstance(new, (str, bool)):
        return 1.0
    return abs(new - old) / scale


def smallest_change(rule, row, scales, immutable=()):
    """Return (columns changed, total cost) of the best row with another answer, or None."""
    for erase in (False, True):
        values = [
            [row[f]] if f in immutable else choices(rule, f, row[f], erase) for f in rule.features
        ]
        best = None
        for made in product(*values):
            columns = {
                f: np.array([v], dtype=float if isinstance(v, float) else object)
                for f, v in zip(rule.features, made, strict=True)
            }
            moved = [
                f
                for f, v in zip(rule.features, made, strict=True)
                if v is not row[f] and v != row[f]
            ]
            total = sum(
                cost(row[f], v, scales[f])
                for f, v in zip(rule.features, made, strict=True)
                if f in moved
            )
            now = {
                f: np.array([row[f]], dtype=columns[f].dtype if row[f] is not None else object)
                for f in rule.features
            }
            if moved and rule.predict(columns)[0] != rule.predict(now)[0]:
                key = (len(moved), total)
                best = key if best is None else min(best, key)
        if best is not None:
            return best
    return None
