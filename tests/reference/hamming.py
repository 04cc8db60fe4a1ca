"""The Hamming distance by its definition: flip w until the CNF is right, fewest flips first."""

from itertools import combinations

import numpy as np


def cnf_answer(a, w):
    """Equation (3.8) for one row: a (d,) bool, w (d, R) bool."""
    return bool(np.all(np.any(a[:, None] & w, axis=0)))


def distance(a, w, y):
    """Fewest entries of w to negate so that the row is answered with y."""
    cells = [(j, r) for j in range(w.shape[0]) for r in range(w.shape[1])]
    for n_flips in range(len(cells) + 1):
        for flips in combinations(cells, n_flips):
            other = w.copy()
            for j, r in flips:
                other[j, r] = ~other[j, r]
            if cnf_answer(a, other) == y:
                return n_flips
    return None
