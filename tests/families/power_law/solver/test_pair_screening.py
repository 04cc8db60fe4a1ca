"""What promises most: planted features, pairs and structures are among it."""

import numpy as np

from rulekit.families.power_law.solver.laws import PowerTable
from rulekit.families.power_law.solver.pair_screening import (
    likely_features,
    likely_pairs,
    likely_structures,
    pair_structures,
)
from rulekit.families.power_law.solver.split_task import ClassMass

RNG = np.random.default_rng


def planted(d, seed=0, n=400):
    """A ratio of columns 4 and 9 decides; alone, neither says much."""
    X = RNG(seed).uniform(0.5, 2.0, (n, d))
    return X, ClassMass((X[:, 4] / X[:, 9] > 1.0).astype(np.int64), None, 2)


def test_features_of_a_planted_pair_are_kept_among_many():
    X, mass = planted(120)
    kept = likely_features(X, mass, 20, RNG(0))
    assert {4, 9} <= set(kept.tolist())
    assert len(kept) <= 60
    assert likely_features(X[:, :20], mass, 20, RNG(0)).tolist() == list(range(20))


def test_best_structures_are_among_the_likely_ones():
    from rulekit.families.power_law.solver.split_search import LowerLevel

    X, mass = planted(12)
    pairs = likely_pairs(X, mass, False, 30)
    structures = pair_structures(pairs, (-2, -1, 1, 2), 2, 12)
    table = PowerTable(X, 2)
    for modulus in (False, True):
        worth = LowerLevel(table, mass).screen(structures, modulus).impurity
        kept = likely_structures(table, mass, structures, modulus, 40)
        assert worth[kept].min() == worth.min()
        assert len(kept) <= (1 + modulus) * 2 * 40
    assert len(likely_structures(table, mass, structures[:30], True, 40)) == 30
