"""The kernels of splits against their NumPy twins: the same results, bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.power_law.solver import genetic, split_kernels, split_search, split_task
from rulekit.families.power_law.solver.genetic import GeneticLevel, _Evolution, genetic_search
from rulekit.families.power_law.solver.laws import PowerTable, canonical
from rulekit.families.power_law.solver.split_search import POLISHED, RIDGE, LowerLevel, Moments
from rulekit.families.power_law.solver.split_task import ClassMass, SplitTask
from tests.reference import power_law_scans as twin

SCANS = ("best_cut", "best_step", "best_band_step", "best_interval")


@pytest.fixture
def by_numpy(monkeypatch):
    """Replace the kernels by their NumPy twins."""

    def exchange():
        for name in SCANS:
            monkeypatch.setattr(split_search, name, getattr(twin, name))
        monkeypatch.setattr(split_kernels, "project", twin.project)
        monkeypatch.setattr(GeneticLevel, "_worth", worth)

    def worth(self, laws, people, modulus):
        return twin.people_worth(laws, people, self.mass, modulus)

    return exchange


def bits(cuts):
    return [np.asarray(getattr(cuts, part)).tobytes() for part in ("impurity", "low", "high")]


def rounded(rng, shape, digits):
    """Draw numbers, with ties and zeros of both signs where there are few digits."""
    return np.round(rng.normal(size=shape), digits)


@st.composite
def problems(draw):
    """Rows with ties, lines on which some do not move, bands with and without ends."""
    n_classes, rng = draw(st.integers(2, 4)), np.random.default_rng(draw(st.integers(0, 10**6)))
    n, digits = draw(st.integers(n_classes + 1, 70)), st.sampled_from((0, 1, 6))
    values, along = rounded(rng, (6, n), draw(digits)), rounded(rng, (6, n), draw(digits))
    if draw(st.booleans()):
        values[0], along[1] = draw(st.sampled_from((0.0, -0.0, 1e-300, 1e300))), 0.0
    codes = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    low, high = np.sort(rounded(rng, (2, 6), 1), axis=0)
    low[rng.random(6) < 0.3], high[rng.random(6) < 0.3] = -np.inf, np.inf
    weight = rng.uniform(0.1, 3.0, n) if draw(st.booleans()) else None
    mass = ClassMass(codes.astype(np.int64), weight, n_classes)
    for array in (values, along, low, high, mass.label, mass.total, mass.units):  # a memory map's
        array.flags.writeable = bool(n % 2)
    return values, along, (low, high), mass


@given(problem=problems(), endless=st.booleans())
def test_cuts_and_steps_equal_their_twins(problem, endless):
    values, along, band, mass = problem
    assert bits(split_search.best_cut(values, mass)) == bits(twin.best_cut(values, mass))
    requested = values, along, band, mass
    assert bits(split_search.best_band_step(*requested)) == bits(twin.best_band_step(*requested))
    if endless:  # as where nothing could be cut before
        values = np.where(np.arange(6)[:, None] == 2, -np.inf, values)
    requested = values, along, mass
    assert bits(split_search.best_step(*requested)) == bits(twin.best_step(*requested))


@pytest.mark.parametrize("seed", range(4))
def test_rows_on_the_ends_of_a_band_move_at_one_zero(seed):
    rng = np.random.default_rng(seed)  # moving up or down, their time is 0.0 or -0.0
    band = np.full(6, 0.0), np.full(6, 1.0)
    values, along = rng.choice([0.0, 1.0], (6, 12)), rng.choice([-1.0, 1.0], (6, 12))
    mass = ClassMass(np.arange(12) % 2, None, 2)
    requested = values, along, band, mass
    assert bits(split_search.best_band_step(*requested)) == bits(twin.best_band_step(*requested))


@given(problem=problems(), plan=st.tuples(st.integers(1, 5), st.integers(0, 4)), data=st.data())
def test_interval_equals_its_twin(problem, plan, data):
    values, _, _, mass = problem
    inside = data.draw(st.sampled_from((None, *range(mass.n_classes))))
    requested = values, mass, *plan, inside
    assert bits(split_search.best_interval(*requested)) == bits(twin.best_interval(*requested))


@given(problem=problems(), size=st.integers(1, 3), modulus=st.booleans())
def test_genetic_impurities_equal_their_twin(problem, size, modulus):
    values, along, _, mass = problem
    laws = np.stack([values, along, values * along], axis=1)[:, :size]
    rng = np.random.default_rng(len(mass.codes))
    people = rounded(rng, (len(laws), 5, size + 1 + modulus), 1)
    parts = np.ascontiguousarray(laws), np.ascontiguousarray(people[:, 0, :size])
    assert split_kernels.project(*parts).tobytes() == twin.project(*parts).tobytes()
    result = GeneticLevel(None, mass, rng)._worth(laws, people, modulus)
    assert result.shape == (6, 5)
    assert result.tobytes() == twin.people_worth(laws, people, mass, modulus).tobytes()


def overlapping(n_classes, n=150, d=4):
    rng = np.random.default_rng(n_classes)
    X = rng.uniform(0.2, 2.0, (n, d))
    score = X[:, 0] ** 2 + X[:, 1] - 1.2 / X[:, 2] + 0.6 * rng.normal(size=n)
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.digitize(score, edges).astype(np.int64)


def descended(X, mass, modulus):
    rng = np.random.default_rng(3)
    made = np.zeros((4, 3, X.shape[1]), dtype=np.int8)
    for k, structure in enumerate(made):
        for law in structure[: 1 + k % 3]:
            law[rng.integers(len(law))] = rng.choice([-3, -2, -1, 1, 2, 3])
    lower = LowerLevel(PowerTable(X), mass)
    begun = lower.screen(canonical(made), modulus)
    return lower.improve(begun, modulus, POLISHED, np.random.default_rng(0))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("modulus", [False, True])
def test_a_descent_is_the_same_by_kernels_and_by_numpy(by_numpy, n_classes, modulus, weighted):
    X, codes = overlapping(n_classes)
    mass = ClassMass(codes, np.linspace(0.5, 2.0, len(codes)) if weighted else None, n_classes)
    ours = descended(X, mass, modulus)
    by_numpy()
    numpys = descended(X, mass, modulus)
    assert bits(ours) == bits(numpys)
    assert ours.weights.tobytes() == numpys.weights.tobytes()


@pytest.mark.slow
def test_the_paper_s_search_is_the_same_by_kernels_and_by_numpy(by_numpy, monkeypatch):
    X, codes = overlapping(2, n=90)
    task = SplitTask(X, ClassMass(codes, None, 2))
    monkeypatch.setattr(genetic, "MAX_POPULATION", 8)
    monkeypatch.setattr(_Evolution, "generations", 2)

    def search():
        return bits(genetic_search(task, np.random.default_rng(0)))

    ours = search()
    by_numpy()
    assert search() == ours


def test_kernels_and_twins_share_their_constants():
    assert split_kernels.TINY == split_task.TINY
    assert split_kernels.EQUAL == split_task.EQUAL
    assert split_kernels.FLIP == split_search.FLIP
    assert split_kernels.COARSE == twin.COARSE


@pytest.mark.parametrize("size", [1, 2, 3])
def test_moments_are_means_and_mean_products_of_scaled_power_laws(size):
    rng = np.random.default_rng(size)
    table = PowerTable(rng.uniform(0.2, 2.0, (83, 4)))
    structures = rng.integers(-3, 4, (20, size, 4)).astype(np.int8)
    structures[0, 0] = 0  # a power law that is 1 throughout; neighbours share some
    structures[1::2, 0] = structures[::2, 0]
    weight = rng.uniform(0.5, 2.0, 83)
    inside = np.where(rng.random(83) < 0.4, weight, 0.0)
    laws = table.laws(structures.reshape(-1, 4)).values.reshape(20, size, 83)
    result = split_kernels.moments(table.powers, structures, laws[:0], weight, inside)
    given = split_kernels.moments(table.powers, structures, laws, weight, inside)
    assert all(np.array_equal(one, other) for one, other in zip(result, given, strict=True))
    for k, structure in enumerate(structures):
        laws = table.laws(structure).values
        for (mean, second), rows in ((result[:2], weight), (result[2:], inside)):
            np.testing.assert_allclose(mean[k], laws @ rows / rows.sum(), atol=1e-9)
            expected = np.einsum("an,bn,n->ab", laws, laws, rows) / rows.sum()
            np.testing.assert_allclose(second[k], expected, atol=1e-9)
    assert result[0][0, 0] == 0.0


@pytest.mark.parametrize("weighted", [False, True])
def test_directions_are_those_of_the_weighted_scatter(weighted):
    rng = np.random.default_rng(5)
    table = PowerTable(rng.uniform(0.2, 2.0, (90, 4)))
    structures = np.array([[[1, 0, 0, 0], [0, 2, 0, 0]], [[0, 1, -1, 0], [0, 0, 0, 3]]], np.int8)
    codes = np.r_[np.arange(3), rng.integers(0, 3, 87)].astype(np.int64)
    weight = np.where(codes == 1, 4.0, 0.5) if weighted else np.ones(90)
    w, less = Moments(table, structures, ClassMass(codes, weight, 3)).discriminant(1)
    for k, structure in enumerate(structures):
        laws = table.laws(structure).values
        total = np.cov(laws, aweights=weight, bias=True)
        mean, of_class = (np.average(laws, axis=1, weights=v) for v in (weight, codes == 1))
        delta = of_class - mean
        expected = np.linalg.solve(total + RIDGE * np.eye(2), delta)
        np.testing.assert_allclose(w[k], expected, rtol=1e-9)
        assert less[k] == pytest.approx(-delta @ expected, rel=1e-9)
