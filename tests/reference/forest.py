"""A forest over cells, tree by tree and node by node, in plain Python and exact fractions."""

from fractions import Fraction

import numpy as np

MASK = 2**64 - 1


class Draws:
    """Splitmix64 (Steele, Lea and Flood, 2014)."""

    def __init__(self, seed):
        self.state = seed & MASK

    def below(self, m):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 11) % m


def votes(codes, ordered, classes, weight, n_trees, seed, min_leaf, most_rows=None):
    """Average the class shares in the leaves of rows that a tree was not grown on."""
    codes, classes = np.asarray(codes), np.asarray(classes)
    weight = [Fraction(w) for w in np.asarray(weight, dtype=float)]
    known = [i for i, w in enumerate(weight) if w > 0]
    draws, n = Draws(seed), len(codes)
    result, requested = np.zeros((n, 1 + max(classes[i] for i in known))), np.zeros(n)
    features = list(range(codes.shape[1]))
    for tree in range(n_trees):
        times = [0] * n
        for _ in range(min(len(known), most_rows or len(known))):
            times[known[draws.below(len(known))]] += 1
        mass = _Mass(times, weight, classes, result.shape[1])
        for leaf in _leaves(codes, ordered, mass, features, tree % 2, min_leaf, draws):
            total = mass(leaf)
            for i in leaf:
                if not times[i]:
                    result[i] += [float(m / sum(total)) for m in total]
                    requested[i] += 1
    with np.errstate(invalid="ignore"):
        return result / requested[:, None]


class _Mass:
    """Weigh rows by class, as often as a tree has drawn them."""

    def __init__(self, times, weight, classes, n_classes):
        self.times, self.weight, self.classes, self.n_classes = times, weight, classes, n_classes

    def __call__(self, rows):
        total = [Fraction(0)] * self.n_classes
        for i in rows:
            if self.times[i]:  # the class of a row of weight 0 is not read
                total[self.classes[i]] += self.weight[i] * self.times[i]
        return total


def _leaves(codes, ordered, mass, features, random, min_leaf, draws):
    """Split nodes, the last one first, into leaves; those that ask nobody are left out."""
    nodes = [list(range(len(codes)))]
    while nodes:
        node = nodes.pop()
        own = [i for i in node if mass.times[i]]
        if len(own) == len(node):
            continue
        split = None
        if len(own) >= 2 * min_leaf and sum(m > 0 for m in mass(own)) > 1:
            split = _split(codes, ordered, own, mass, features, random, min_leaf, draws)
        if split is None:
            yield node
            continue
        left = [i for i in node if _goes_left(codes[i], ordered, split)]
        nodes += [left, [i for i in node if i not in set(left)]]


def _goes_left(row, ordered, split):
    f, cell = split
    return row[f] <= cell if ordered[f] else row[f] == cell


def _split(codes, ordered, own, mass, features, random, min_leaf, draws):
    """Look at so many columns that differ, and on until a split is found."""
    p, tried, left = len(features), 0, len(features)
    best = (-1.0, None)
    while left and (tried < max(1, int(np.sqrt(p))) or best[1] is None):
        k = draws.below(left)
        left -= 1
        features[k], features[left] = features[left], features[k]
        f = features[left]
        met = sorted({int(codes[i, f]) for i in own})
        if len(met) < 2:
            continue
        tried += 1
        cells = met
        if random and ordered[f]:
            drawn = met[0] + draws.below(met[-1] - met[0])
            cells = [max(k for k in met if k <= drawn)]
        elif random:
            cells = [met[draws.below(len(met))]]
        for cell in cells:
            one = [i for i in own if _goes_left(codes[i], ordered, (f, cell))]
            other = [i for i in own if i not in set(one)]
            if min(len(one), len(other)) < min_leaf:
                continue
            sides = [[float(m) for m in mass(side)] for side in (one, other)]
            purity = sum(sum(m * m for m in side) / sum(side) for side in sides)
            if purity > best[0]:
                best = (purity, (f, cell))
    return best[1]
