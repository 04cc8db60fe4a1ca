"""The lower level: weights for given power laws, against a fine grid of directions."""

import numpy as np
import pytest

from rulekit.families.power_law.solver.laws import PowerTable
from rulekit.families.power_law.solver.split_search import (
    FINISHED,
    REFINED,
    LowerLevel,
    center_cuts,
)
from rulekit.families.power_law.solver.split_task import ClassMass, Cuts
from tests.reference import power_laws as reference


def clouds(seed, n=160, d=4):
    """Two classes that overlap, separated best along a bent line."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.2, 2.0, (n, d))
    score = X[:, 0] ** 2 + X[:, 1] - 1.2 / X[:, 2] + 0.6 * rng.normal(size=n)
    return PowerTable(X), ClassMass((score > np.median(score)).astype(np.int64), None, 2)


def random_structures(n, d, n_laws, seed):
    rng = np.random.default_rng(seed)
    made = np.zeros((n, 3, d), dtype=np.int8)
    for structure in made:
        for law in structure[:n_laws]:
            law[rng.integers(d)] = rng.choice([-3, -2, -1, 1, 2, 3])
            law[rng.integers(d)] = rng.choice([-3, -2, -1, 1, 2, 3])
    return made


def left_of(splits, table):
    total = np.zeros((len(splits), table.n_rows))
    for k in range(splits.structures.shape[1]):
        total += splits.weights[:, [k]] * table.raw(splits.structures[:, k])
    return (total >= splits.low[:, None]) & (total <= splits.high[:, None])


@pytest.mark.parametrize("modulus", [False, True])
def test_every_split_has_its_stated_value(modulus):
    table, mass = clouds(0)
    lower = LowerLevel(table, mass)
    structures = random_structures(40, 4, 3, 1)
    structures[:10, 2] = 0
    structures[:3, 1] = 0
    screening = lower.screen(structures, modulus)
    better = lower.improve(screening, modulus, REFINED, np.random.default_rng(0))
    for splits in (screening, better):
        worth = mass.compute_impurity(left_of(splits, table))
        np.testing.assert_allclose(worth, splits.impurity, atol=1e-9)
    assert (better.impurity <= screening.impurity + 1e-12).all()


@pytest.mark.slow
def test_two_power_laws_are_nearly_as_good_as_a_fine_grid():
    gaps = []
    for seed in range(3):
        table, mass = clouds(seed)
        lower = LowerLevel(table, mass)
        structures = random_structures(4, 4, 2, seed)
        screening = lower.screen(structures, False)
        screening = lower.improve(screening, False, FINISHED, np.random.default_rng(0))
        for k, structure in enumerate(structures):
            laws = table.laws(structure[:2]).values
            gaps.append(screening.impurity[k] - reference.best_direction_on_grid(laws, mass.codes))
    assert np.mean(gaps) <= 0.001
    assert max(gaps) <= 0.005


def laws(*exponents):
    structure = np.zeros((1, 3, 3), dtype=np.int8)
    structure[0, : len(exponents)] = exponents
    return structure


def separated(score, structure, n, modulus):
    """Impurity of the best split of rows drawn at random, classes told apart by a score."""
    X = np.random.default_rng(4).uniform(0.2, 2.0, (n, 3))
    lower = LowerLevel(PowerTable(X), ClassMass(score(*X.T).astype(np.int64), None, 2))
    screened = lower.screen(structure, modulus)
    return lower.improve(screened, modulus, FINISHED, np.random.default_rng(0)).impurity[0]


def test_classes_beside_a_plane_and_between_are_separated():
    plane, structure = lambda a, b, c: a * b - 0.7 / c > 0.3, laws([1, 1, 0], [0, 0, -1])
    assert separated(plane, structure, 300, False) == pytest.approx(0.0, abs=1e-12)
    between, structure = lambda a, b, c: np.abs(a + b - 2.0) < 0.1, laws([1, 0, 0], [0, 1, 0])
    assert separated(between, structure, 400, True) == pytest.approx(0.0, abs=1e-12)
    assert separated(between, structure, 400, False) > 0.05


def test_three_classes_are_split_as_well_as_two_of_them_can_be():
    rng = np.random.default_rng(2)
    X = rng.uniform(0.2, 2.0, (300, 2))
    codes = np.digitize(X[:, 0] * X[:, 1], [0.7, 1.6]).astype(np.int64)
    table, mass = PowerTable(X), ClassMass(codes, None, 3)
    structure = np.zeros((1, 2, 2), dtype=np.int8)
    structure[0, 0] = [1, 1]
    screening = LowerLevel(table, mass).screen(structure, False)
    value = X[:, 0] * X[:, 1]
    assert screening.impurity[0] == pytest.approx(reference.best_cut(value, codes), abs=1e-9)


def test_rescaling_a_feature_changes_no_impurity():
    rng = np.random.default_rng(7)
    X, codes = rng.uniform(0.2, 2.0, (120, 3)), rng.integers(0, 2, 120)
    structures = random_structures(10, 3, 2, 0)
    scales = np.array([100.0, 1e-3, 7.0])
    results = [
        LowerLevel(PowerTable(Z), ClassMass(codes, None, 2)).screen(structures, False).impurity
        for Z in (X, X * scales)
    ]
    np.testing.assert_allclose(*results, atol=1e-9)


def test_laws_that_cancel_give_no_split_and_bands_are_centred():
    table, mass = clouds(2)
    structures = random_structures(1, 4, 3, 0)
    structures[:, 1] = structures[:, 0]
    structures[:, 2] = 0
    screening = LowerLevel(table, mass).screen(structures, True)
    worth = mass.compute_impurity(left_of(screening, table))
    np.testing.assert_allclose(worth, screening.impurity, atol=1e-12)
    assert screening.high[0] == np.inf  # two power laws are one, which has no band here
    values = np.array([[0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0]])
    mass = ClassMass(np.array([0, 1, 1, 0]), None, 2)
    ends = np.array([1.0, 4.0]), np.array([2.0 + 1e-13, 5.0])
    made = center_cuts(values, Cuts(np.array([0.2, 0.2]), *ends), mass)
    assert made.low.tolist() == [0.5, -np.inf]
    assert made.high.tolist() == [2.5, np.inf]  # the second band holds no row
    assert made.impurity.tolist() == [0.0, 0.5]
