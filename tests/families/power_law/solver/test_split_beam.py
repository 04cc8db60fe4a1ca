"""The upper level: the fewest exponents that reach the impurity asked for."""

from itertools import product

import numpy as np
import pytest

from rulekit.families.power_law.solver.laws import PowerTable
from rulekit.families.power_law.solver.split_beam import (
    beam_search,
    likely_features,
    likely_pairs,
    likely_structures,
    pair_structures,
)
from rulekit.families.power_law.solver.split_search import LowerLevel
from rulekit.families.power_law.solver.split_task import ClassMass, SplitTask, target_impurity
from tests.reference import power_laws as reference


def searched(X, codes, **settings):
    mass = ClassMass(codes.astype(np.int64), None, int(codes.max()) + 1)
    return beam_search(SplitTask(X, mass, **settings), np.random.default_rng(0))


def planted(d=5, n=240, seed=0):
    X = np.random.default_rng(seed).uniform(0.3, 2.0, (n, d))
    return X, X[:, 1] ** 2 / X[:, 3]


@pytest.mark.slow
def test_planted_laws_and_bands_are_found():
    X, law = planted()
    rule = searched(X, (law > 1.1).astype(int))
    assert (rule.n_exponents, rule.modulus) == (2, False)
    assert np.abs(rule.exponents).tolist() == [[0, 2, 0, 1, 0]]
    assert rule.impurity == pytest.approx(0.0, abs=1e-12)
    assert searched(X, (np.abs(law - 1.1) < 0.3).astype(int)).modulus
    assert not searched(X, (law > 1.1).astype(int)).modulus
    assert not searched(X, (np.abs(law - 1.1) < 0.3).astype(int), modulus=False).modulus


def test_splits_have_their_value_for_any_number_of_classes():
    rng = np.random.default_rng(3)
    X = rng.uniform(0.3, 2.0, (150, 4))
    codes = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=150) > 1.2).astype(int)
    rule = searched(X, codes, max_exponents=4)
    total = sum(
        w * np.array([reference.power_law(row, law) for row in X])
        for w, law in zip(rule.weights, rule.exponents, strict=True)
    )
    left = (total >= rule.low) & (total <= rule.high)
    assert reference.impurity(left, codes) == pytest.approx(rule.impurity, abs=1e-9)
    codes = np.repeat([0, 1, 2], (30, 50, 70))
    splits = [np.isin(codes, np.flatnonzero(side)) for side in product((0, 1), repeat=3)]
    best = min(reference.impurity(s, codes) for s in splits if 0 < s.sum() < 150)
    mass = ClassMass(codes.astype(np.int64), None, 3)
    assert target_impurity(mass, 0.05) == pytest.approx(best + 0.05)


def test_searches_end_when_pure_stopped_or_without_features():
    X, law = planted()
    rule = searched(X, (law > 1.1).astype(int), modulus=False)
    assert [step["n_exponents"] for step in rule.history] == [1, 2]
    assert rule.history[0]["impurity"] > 0.05 >= rule.history[1]["impurity"]
    assert searched(np.ones((10, 2)), np.arange(10) % 2) is None
    task = SplitTask(X, ClassMass((law > 1.1).astype(np.int64), None, 2), modulus=False)
    box = beam_search(task, np.random.default_rng(0), lambda: True)
    assert box.n_exponents == 1


@pytest.mark.slow
def test_noise_ends_the_search_instead_of_growing_the_split():
    rng = np.random.default_rng(0)
    X, codes = rng.uniform(0.3, 2.0, (150, 3)), rng.integers(0, 2, 150)
    rule = searched(X, codes, max_exponents=12)
    assert rule.n_exponents <= 8


@pytest.mark.slow
def test_jointly_relevant_pair_is_found_among_many_features():
    rng = np.random.default_rng(1)
    X = rng.uniform(0.0, 1.0, (200, 60))
    codes = np.arange(200) % 2
    X[codes == 1, 41] = 1.0 - X[codes == 1, 17] + 0.01 * rng.random(100)
    mass = ClassMass(codes.astype(np.int64), None, 2)
    assert likely_pairs(X + 1, mass, True)[0].tolist() == [17, 41]
    rule = searched(X + 1, codes)
    assert set(np.flatnonzero(rule.exponents.any(axis=0))) == {17, 41}


@pytest.mark.parametrize("modulus", [False, True])
def test_pairs_are_ranked_as_by_eigenvalues_of_each_block(modulus):
    rng = np.random.default_rng(5)
    X, codes = rng.normal(size=(80, 6)) @ rng.normal(size=(6, 6)), rng.integers(0, 2, 80)
    best, pair = np.inf, None
    for i in range(6):
        for j in range(i + 1, 6):
            worth = min(_block_worth(X[:, [i, j]], codes == k, modulus) for k in (0, 1))
            if worth < best:
                best, pair = worth, [i, j]
    mass = ClassMass(codes.astype(np.int64), None, 2)
    assert likely_pairs(X, mass, modulus)[0].tolist() == pair


def _block_worth(Z, own, modulus):
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    mean = Z[own].mean(axis=0)
    inside = np.cov(Z[own].T, bias=True)
    if modulus:
        away = Z[~own] - mean
        return np.linalg.eigvals(np.linalg.solve(away.T @ away / len(away), inside)).real.min()
    within = own.mean() * inside + (1 - own.mean()) * np.cov(Z[~own].T, bias=True)
    delta = mean - Z[~own].mean(axis=0)
    return -delta @ np.linalg.solve(within, delta)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [((50, 50), 0.05), ((10, 200), 0.1 * (1 - (10 / 210) ** 2 - (200 / 210) ** 2))],
)
def test_a_rare_class_lowers_the_impurity_to_reach(counts, expected):
    mass = ClassMass(np.repeat([0, 1], counts).astype(np.int64), None, 2)
    assert target_impurity(mass, 0.05) == pytest.approx(expected)


def planted_pair(d):
    """A ratio of columns 4 and 9 decides; alone, neither says much."""
    X = np.random.default_rng(0).uniform(0.5, 2.0, (400, d))
    return X, ClassMass((X[:, 4] / X[:, 9] > 1.0).astype(np.int64), None, 2)


def test_features_of_a_planted_pair_are_kept_among_many():
    X, mass = planted_pair(120)
    kept = likely_features(X, mass, 20, np.random.default_rng(0))
    assert {4, 9} <= set(kept.tolist())
    assert len(kept) <= 60
    kept = likely_features(X[:, :20], mass, 20, np.random.default_rng(0))
    assert kept.tolist() == list(range(20))


def test_best_structures_are_among_the_likely_ones():
    X, mass = planted_pair(12)
    structures = pair_structures(likely_pairs(X, mass, False, 30), (-2, -1, 1, 2), 2, 12)
    table = PowerTable(X, 2)
    for modulus in (False, True):
        worth = LowerLevel(table, mass).screen(structures, modulus).impurity
        kept = likely_structures(table, mass, structures, modulus, 40)
        assert worth[kept].min() == worth.min()
        assert len(kept) <= (1 + modulus) * 2 * 40
    assert len(likely_structures(table, mass, structures[:30], True, 40)) == 30
