"""Machine code of the box search against its NumPy twin: the same rules to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.solvers import box_kernel, box_moves, box_visits
from rulekit.solvers.box_archive import Archive
from rulekit.solvers.box_problem import HAMMING, BoxPrices, BoxProblem
from rulekit.solvers.box_search import SearchPlan, search
from rulekit.solvers.box_visits import Visits
from tests.reference.boxes import loss_of
from tests.strategies_boxes import box_problems, boxes_for
from tests.turns import Room

pytest.importorskip("numba")
THETAS = (0.07, 0.1, 0.5, 1.0, 2.0, 3.3)


@pytest.fixture(scope="module")
def machine():
    room = box_visits.MACHINE
    assert room.wait()
    return room.ready()


@pytest.fixture
def answering(machine, monkeypatch):
    """Let machine code answer the visits for which `turns` is true, NumPy the others."""
    return lambda *turns: monkeypatch.setattr(box_visits, "MACHINE", Room(machine, turns))


@st.composite
def real_weights(draw, problem):
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    scale = draw(st.sampled_from((1e-6, 1.0, 1e7)))
    return problem.reweighted(scale * rng.gamma(1.0, size=problem.n_rows))


def bits(archive):
    return [
        (e.n_clauses, e.n_literals, e.loss.hex(), *(a.tobytes() for a in _arrays(e.boxes)))
        for e in archive.entries
    ]


def _arrays(boxes):
    return boxes.low, boxes.high, boxes.absent


def found(problem, plan, seed=0):
    return bits(search(problem, plan, np.random.default_rng(seed)))


def hard_problem(prices, missing, n=400, p=12, bins=9, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, bins + missing, size=(n, p))
    y = ((codes[:, 0] > 4) & (codes[:, 1] < 3)) | (codes[:, 2] == bins - 1) | (codes[:, 3] == bins)
    flags = (rng.random((p, bins)) < 0.8, rng.random((p, 1)) < 0.8, rng.random(p) < 0.8)
    return BoxProblem(
        codes, np.full(p, bins), y ^ (rng.random(n) < 0.1), rng.gamma(1.0, size=n), prices, *flags
    )


@given(st.data())
@settings(deadline=None)
def test_a_visit_by_machine_code_finds_what_the_visit_by_numpy_finds(machine, data):
    problem = data.draw(box_problems(max_rows=30, max_features=5))
    if data.draw(st.booleans()):
        problem = data.draw(real_weights(problem))
    start = data.draw(boxes_for(problem))
    theta = data.draw(st.sampled_from(THETAS)) * float(problem.weight.mean())
    n_clauses = max(start.n_clauses, data.draw(st.integers(1, 3)))
    undisturbed = data.draw(st.booleans())
    results = []
    for turn in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(box_visits, "MACHINE", Room(machine, [turn]))
            archive = Archive(problem)
            visits = Visits(problem, archive, n_clauses)
            visits.visit(start, n_clauses, theta, undisturbed=undisturbed)
            results.append(bits(archive))
    assert results[0] == results[1]


@pytest.mark.parametrize("missing", [0, 1])
@pytest.mark.parametrize("prices", [BoxPrices(), HAMMING, BoxPrices(0.3, 0.3, 0.1)])
def test_a_search_ends_at_the_same_bits_whoever_answers_and_whenever_that_changes(
    answering, prices, missing
):
    problem, plan = hard_problem(prices, missing), SearchPlan(THETAS, 4, 2)
    answering(False)
    by_numpy = found(problem, plan)
    for turns in ([True], [False, False, True], [True, False]):
        answering(*turns)
        assert found(problem, plan) == by_numpy


def test_machine_code_knows_many_bins(answering):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 600, size=(300, 3))
    problem = BoxProblem(codes, np.full(3, 600), codes[:, 0] + codes[:, 1] > 700)
    answering(False)
    by_numpy = found(problem, SearchPlan((1.0, 4.0), 3, 1))
    answering(True)
    assert found(problem, SearchPlan((1.0, 4.0), 3, 1)) == by_numpy


def test_archived_losses_are_those_of_a_row_by_row_count(answering):
    problem = hard_problem(BoxPrices(0.3, 0.3, 0.1), 1, n=120)
    answering(True)
    archive = search(problem, SearchPlan(THETAS, 3, 1), np.random.default_rng(0))
    for entry in archive.entries:
        assert entry.loss == pytest.approx(loss_of(problem, entry.boxes), rel=1e-12)


def test_a_table_without_columns_is_left_to_numpy(answering):
    answering(True)
    problem = BoxProblem(np.zeros((3, 0), int), np.zeros(0, int), np.array([True, False, True]))
    archive = search(problem, SearchPlan((0.5,), 2, 1), np.random.default_rng(0))
    assert archive.answer(2, 0.5).loss == 1.0  # the clause without conditions misses the one row


def test_both_call_the_same_gain_an_improvement(machine):
    assert machine.TIE == box_kernel.TIE
    assert machine.IMPROVEMENT == box_moves.IMPROVEMENT
