"""Machine code of the scans of splits against their NumPy twins: the same results, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from rulekit.solvers import band_scan, impurity, structures
from rulekit.solvers.genetic import StructureSettings, genetic_search
from rulekit.solvers.genetic_weights import GeneticLevel
from rulekit.solvers.impurity import ClassMass
from rulekit.solvers.power_laws import PowerTable, canonical
from rulekit.solvers.split_beam import SplitTask, beam_search
from rulekit.solvers.split_search import POLISHED, LowerLevel
from tests.turns import Room

pytest.importorskip("numba")


@pytest.fixture(scope="module")
def machine():
    assert impurity.MACHINE.wait()
    return impurity.MACHINE.ready()


@pytest.fixture
def answers(machine, monkeypatch):
    """Ask once for each pattern of who answers; True is machine code, False its twin."""

    def ask(question, *patterns):
        found = []
        for turns in patterns or ((True,), (False,)):
            room = Room(machine, turns)
            monkeypatch.setattr(impurity, "MACHINE", room)
            monkeypatch.setattr(structures, "MACHINE", room)
            found.append(bits(question()))
            assert room.asked or not any(turns)
        return found

    return ask


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
    mass = ClassMass(codes.astype(np.int64), None, n_classes)
    for array in (values, along, low, high, mass.label, mass.total):  # as after a memory map
        array.flags.writeable = bool(n % 2)
    return values, along, (low, high), mass


@given(problem=problems())
@settings(deadline=None)
def test_machine_code_finds_the_cut_of_its_twin(machine, problem):
    values, _, _, mass = problem
    alike(machine, lambda: impurity.best_cut(values, mass))


@given(problem=problems(), endless=st.booleans())
@settings(deadline=None)
def test_machine_code_takes_the_step_of_its_twin(machine, problem, endless):
    values, along, _, mass = problem
    if endless:  # as where nothing could be cut before
        values = np.where(np.arange(6)[:, None] == 2, -np.inf, values)
    alike(machine, lambda: impurity.best_step(values, along, mass))


@given(problem=problems())
@settings(deadline=None)
def test_machine_code_takes_the_step_of_a_band_of_its_twin(machine, problem):
    values, along, band, mass = problem
    alike(machine, lambda: band_scan.best_band_step(values, along, band, mass))


@given(problem=problems(), plan=st.tuples(st.integers(1, 5), st.integers(0, 4)), data=st.data())
@settings(deadline=None)
def test_machine_code_finds_the_interval_of_its_twin(machine, problem, plan, data):
    values, _, _, mass = problem
    inside = data.draw(st.sampled_from((None, *range(mass.n_classes))))
    alike(machine, lambda: band_scan.best_interval(values, mass, *plan, inside))


@given(problem=problems(), size=st.integers(1, 3), modulus=st.booleans())
@settings(deadline=None)
def test_machine_code_finds_the_impurities_of_its_twin_for_the_genetic_level(
    machine, problem, size, modulus
):
    values, along, _, mass = problem
    laws = np.stack([values, along, values * along], axis=1)[:, :size]
    rng = np.random.default_rng(len(mass.codes))
    people = rounded(rng, (len(laws), 5, size + 1 + modulus), 1)
    level = GeneticLevel(None, mass, rng)
    found = []
    for turn in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(impurity, "MACHINE", Room(machine, (turn,)))
            found.append(level._worth(laws, people, modulus))
    assert found[0].shape == (6, 5)
    assert found[0].tobytes() == found[1].tobytes()


def alike(machine, question):
    """Compare the answers of machine code and twin."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(impurity, "MACHINE", Room(machine, (True,)))
        fast = bits(question())
        patch.setattr(impurity, "MACHINE", Room(machine, (False,)))
        assert fast == bits(question())


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


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("modulus", [False, True])
def test_a_descent_is_the_same_whoever_answers_and_if_both_take_turns(answers, n_classes, modulus):
    X, codes = overlapping(n_classes)
    mass = ClassMass(codes, None, n_classes)
    patterns = (True,), (False,), (True, False, False)
    fast, plain, mixed = answers(lambda: descended(X, mass, modulus), *patterns)
    assert fast == plain == mixed


def test_the_paper_s_search_is_the_same_whoever_answers(answers):
    X, codes = overlapping(2, n=90)
    task = SplitTask(X, ClassMass(codes, None, 2))
    few = StructureSettings(population=8, generations=2)

    def search():
        return genetic_search(task, np.random.default_rng(0), settings=few)

    patterns = (True,), (False,), (True, False, False)
    fast, plain, mixed = answers(search, *patterns)
    assert fast == plain == mixed


def test_rows_with_weights_are_left_to_numpy(monkeypatch):
    room = Room(None, (True,))
    monkeypatch.setattr(impurity, "MACHINE", room)
    X, codes = overlapping(2)
    mass = ClassMass(codes, np.linspace(0.5, 2.0, len(codes)), 2)
    assert impurity.best_cut(X.T.copy(), mass).impurity.shape == (4,)
    assert room.asked == 0


def test_its_constants_are_those_of_the_twins(machine):
    for name in ("TINY", "EQUAL", "INFINITE", "FLIP"):
        assert getattr(machine, name) == getattr(impurity, name)
    assert machine.COARSE == structures.COARSE


def found_split():
    """Write the split of a small table in full."""
    X, codes = overlapping(2, n=120, d=5)
    task = SplitTask(X, ClassMass(codes, None, 2), max_exponents=3)
    found = beam_search(task, np.random.default_rng(0))
    numbers = [*found.weights, found.low, found.high, found.impurity]
    return found.exponents.tolist(), [float(number).hex() for number in numbers]


def test_the_split_depends_neither_on_the_threads_of_blas_nor_on_searches_beside_it(machine):
    found = []
    for threads in (1, 4):
        with threadpool_limits(threads):
            found.append(found_split())
    found += Parallel(n_jobs=2, prefer="threads")(delayed(found_split)() for _ in range(2))
    assert all(other == found[0] for other in found)
