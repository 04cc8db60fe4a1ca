"""The paper's two genetic algorithms: operators one by one, and what the searches find."""

import numpy as np
import pytest

from rulekit.families.power_law.solver import genetic
from rulekit.families.power_law.solver.genetic import (
    GeneticLevel,
    Population,
    _Evolution,
    genetic_search,
)
from rulekit.families.power_law.solver.laws import PowerTable, canonical
from rulekit.families.power_law.solver.split_search import FINISHED, LowerLevel, blocks
from rulekit.families.power_law.solver.split_task import ClassMass, SplitTask


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(genetic, "MAX_POPULATION", 30)
    monkeypatch.setattr(_Evolution, "generations", 25)
    monkeypatch.setattr(_Evolution, "patience", 8)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.3, 2.0, (160, 4))
    codes = (X[:, 1] * X[:, 3] + 0.15 * rng.normal(size=160) > 1.2).astype(np.int64)
    return X, ClassMass(codes, None, 2)


def structures(n, seed=1):
    rng = np.random.default_rng(seed)
    made = np.zeros((n, 3, 4), dtype=np.int8)
    for structure in made:
        for row in structure[: rng.integers(1, 4)]:
            row[rng.integers(4)] = rng.choice([-3, -1, 1, 2])
    return canonical(made)


def evolution(problem, **settings):
    X, mass = problem
    task = SplitTask(X, mass)
    run = _Evolution(task, np.arange(4), np.random.default_rng(0), "exact")
    vars(run).update(settings)
    return run


@pytest.mark.parametrize("modulus", [False, True])
def test_found_weights_have_their_stated_value(problem, modulus):
    X, mass = problem
    table = PowerTable(X)
    screening = GeneticLevel(table, mass, np.random.default_rng(0)).screen(structures(12), modulus)
    total = sum(screening.weights[:, [k]] * table.raw(screening.structures[:, k]) for k in range(3))
    left = (total >= screening.low[:, None]) & (total <= screening.high[:, None])
    np.testing.assert_allclose(mass.compute_impurity(left), screening.impurity, atol=1e-9)


def test_the_paper_s_weights_are_nearly_as_good_as_the_exact_ones(problem):
    X, mass = problem
    table, requested = PowerTable(X), structures(15)
    genetic = GeneticLevel(table, mass, np.random.default_rng(0)).screen(requested, False)
    lower = LowerLevel(table, mass)
    exact = lower.improve(lower.screen(requested, False), False, FINISHED, np.random.default_rng(0))
    assert exact.impurity.mean() <= genetic.impurity.mean() <= exact.impurity.mean() + 0.02


def test_a_dipole_is_a_plane_that_separates_its_two_rows(problem):
    X, mass = problem
    level = GeneticLevel(PowerTable(X), mass, np.random.default_rng(0))
    (block,) = [b for b in blocks(level.table, structures(8)) if b.size == 3]
    level.rng = np.random.default_rng(4)
    one, other = level._pairs(len(block.places), 50)
    level.rng = np.random.default_rng(4)  # draws the same pairs again
    people = level._dipoles(block, False)
    assert np.abs(people).max() == pytest.approx(1.0)
    assert (mass.codes[one] != mass.codes[other]).all()
    value = people[:, :, :3] @ block.laws + people[:, :, [3]]
    at_one = np.take_along_axis(value, one[:, :, None], axis=2)
    at_other = np.take_along_axis(value, other[:, :, None], axis=2)
    assert (at_one >= -1e-9).all()
    assert (at_other <= 1e-9).all()


def test_crossover_keeps_the_middle_of_each_pair_and_mutation_the_box(problem):
    X, mass = problem
    level = GeneticLevel(PowerTable(X), mass, np.random.default_rng(0))
    parents = np.random.default_rng(1).uniform(-0.2, 0.2, (3, 50, 4))
    children = level._cross(parents)
    inside = (np.abs(children) < 1).all(axis=2)
    both = inside[:, 0::2] & inside[:, 1::2]
    middle = children[:, 0::2] + children[:, 1::2]
    np.testing.assert_allclose(middle[both], (parents[:, 0::2] + parents[:, 1::2])[both])
    assert not np.array_equal(children, parents)
    mutated = level._mutate(np.random.default_rng(2).uniform(-1, 1, (3, 50, 4)))
    assert np.abs(mutated).max() <= 1.0


def test_weights_evolve_until_their_best_stays(problem, monkeypatch):
    best, keep = [], genetic._fittest
    monkeypatch.setattr(genetic, "_fittest", lambda *a: best.append(keep(*a)[1][0, 0]) or keep(*a))
    level = GeneticLevel(PowerTable(problem[0]), problem[1], np.random.default_rng(0))
    level.population, level.patience = 20, 3
    for seed in range(8):
        best.clear()
        level.screen(structures(1, seed), False)
        moves = np.subtract(best[:-3], best[3:]) > level.progress * np.array(best[:-3])
        assert moves.tolist() == [True] * (len(moves) - 1) + [False]


def test_the_ranking_is_the_paper_s():
    sizes = [2, 1, 1, 3, 1, 1]
    made = np.zeros((6, 3, 4), dtype=np.int8)
    for structure, size in zip(made, sizes, strict=True):
        structure[:size, 0] = np.arange(1, size + 1)
    worth = np.array([0.01, 0.04, 0.03, 0.2, 0.1, 0.03])
    nothing = np.zeros(6)
    modulus = np.array([False, False, True, False, False, False])
    people = Population(worth, nothing, nothing, np.ones((6, 3)), made, modulus)
    assert people.order(0.05).tolist() == [5, 2, 1, 0, 4, 3]


def test_exponents_are_few_unique_and_move_little(problem):
    made, modulus = evolution(problem)._initial()
    size = np.count_nonzero(made, axis=(1, 2))
    assert (size[:8] == 1).all()
    assert (size <= 2).all()
    pairs = zip(made[:8].any(axis=1).argmax(axis=1).tolist(), modulus[:8].tolist(), strict=True)
    assert set(pairs) == {(j, m) for j in range(4) for m in (False, True)}
    run = evolution(problem, rate=0.5, to_zero=0.3)
    made = structures(60, seed=3)
    before = made.astype(int)
    run._mutate(made)
    assert ((np.abs(made - before) <= 2) | (made == 0)).all()
    assert np.abs(made).max() <= 3
    assert not np.array_equal(made, before)
    run = evolution(problem)
    made = np.zeros((30, 3, 4), dtype=np.int8)
    made[:, 0, 0] = 1
    unique, modulus = run._unique(made, np.arange(30) % 2 == 0)
    keys = {(s.tobytes(), bool(m)) for s, m in zip(canonical(unique), modulus, strict=True)}
    assert len(keys) == 30
    assert unique.any(axis=(1, 2)).all()


def test_crossover_exchanges_single_exponents_of_a_pair(problem):
    run = evolution(problem, crossover=1.0)
    made = structures(20, seed=3)
    before = made.copy()
    places = np.arange(20)
    run._cross(made, places)
    pairs = places.reshape(-1, 2)
    for a, b in pairs:
        kept = (made[a] == before[a]) & (made[b] == before[b])
        swapped = (made[a] == before[b]) & (made[b] == before[a])
        assert (kept | swapped).all()
    assert not np.array_equal(made, before)


@pytest.mark.slow
@pytest.mark.parametrize("lower_level", ["exact", "genetic"])
@pytest.mark.usefixtures("small")
def test_a_planted_law_is_found_again(problem, lower_level):
    X, mass = problem
    task = SplitTask(X, mass, tau=0.2)
    solution = genetic_search(task, np.random.default_rng(0), lower_level=lower_level)
    assert solution.impurity <= 0.2
    assert solution.n_exponents == 2
    assert set(np.flatnonzero(solution.exponents.any(axis=0))) == {1, 3}


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_best_never_gets_worse_and_the_seed_decides_everything(problem):
    X, mass = problem
    task = SplitTask(X, mass, tau=0.2)
    runs = [genetic_search(task, np.random.default_rng(2), lower_level="exact") for _ in range(2)]
    ranks = [
        (not s["feasible"], s["n_exponents"] * s["feasible"], s["impurity"])
        for s in runs[0].history
    ]
    assert ranks == sorted(ranks, reverse=True)
    stays = [k for k in range(8, len(ranks)) if ranks[k - 8] == ranks[k] and not ranks[k][0]]
    assert stays == [len(ranks) - 1]  # the end
    assert runs[0].history == runs[1].history
    np.testing.assert_array_equal(runs[0].exponents, runs[1].exponents)


@pytest.mark.usefixtures("small")
def test_a_run_that_is_stopped_returns_the_first_generation(problem):
    X, mass = problem
    solution = genetic_search(
        SplitTask(X, mass), np.random.default_rng(0), lambda: True, lower_level="exact"
    )
    assert len(solution.history) == 1
    assert genetic_search(SplitTask(np.ones((160, 2)), mass), np.random.default_rng(0)) is None
