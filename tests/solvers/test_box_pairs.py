"""The start of a new clause: against all boxes on two features, and machine code against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.solvers import box_kernel, box_pairs, box_visits
from rulekit.solvers.box_archive import Archive
from rulekit.solvers.box_moves import Moves
from rulekit.solvers.box_pairs import MOST_PAIR_BINS, PairStart, list_choices
from rulekit.solvers.box_problem import BoxProblem, no_boxes
from rulekit.solvers.box_state import BoxState
from tests.reference.boxes import best_start, choices, literals_of, loss_of
from tests.strategies_boxes import box_problems, boxes_for

THETAS = (0.07, 0.5, 1.0, 2.0)


def started(problem, boxes, theta):
    """Add the clause that the pair start chooses; return the rule."""
    state = BoxState(problem, boxes)
    r = state.add_clause()
    for choice in PairStart(problem, theta).best(state, r):
        state.set_feature(r, *choice)
    return state.boxes


@pytest.fixture(scope="module")
def machine():
    pytest.importorskip("numba")
    assert box_visits.MACHINE.wait()
    return box_visits.MACHINE.ready()


def started_by_machine(machine, problem, boxes, theta):
    """Add the clause that the machine code chooses; return its bounds."""
    k, theta = boxes.n_clauses, float(theta)
    visits = box_visits._MachineVisits(machine, problem, k + 1)
    for part, values in enumerate((boxes.low, boxes.high, boxes.absent)):
        visits.work.box[:k, :, part] = values
    machine.visit(visits.table, visits.work, visits.log, machine.ENTER, 0, k, theta)
    machine.start_clause(visits.table, visits.work, k, theta)
    return visits.work.box[k, :, :3]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_no_box_on_two_features_beats_the_start(data):
    problem = data.draw(box_problems(max_rows=8, max_features=3, max_bins=3))
    boxes = data.draw(boxes_for(problem, max_clauses=2))
    theta = data.draw(st.sampled_from(THETAS))
    rule = started(problem, boxes, theta)
    value = loss_of(problem, rule) + theta * literals_of(problem, rule)
    assert value == pytest.approx(best_start(problem, boxes, theta), abs=1e-6)


@settings(deadline=None)
@given(box_problems())
def test_the_choices_of_a_feature_are_all_that_may_be_accepted(problem):
    for f in range(problem.n_features):
        listed = list_choices(problem, f)
        ours = zip(listed.low, listed.high, listed.absent, strict=True)
        plain = list(choices(problem, f))
        if not problem.has_missing[f]:
            plain = [choice for choice in plain if choice[2]]
        assert sorted((int(a), int(b), bool(c)) for a, b, c in ours) == sorted(plain)


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_machine_code_starts_at_the_same_box(machine, data):
    problem = data.draw(box_problems(max_rows=60, max_features=10, max_bins=20))
    if data.draw(st.booleans()):
        rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
        problem = problem.reweighted(rng.gamma(1.0, size=problem.n_rows))
    boxes = data.draw(boxes_for(problem))
    theta = data.draw(st.sampled_from(THETAS)) * float(problem.weight.mean())
    by_numpy = started(problem, boxes, theta)
    by_machine = started_by_machine(machine, problem, boxes, theta)
    for part, name in enumerate(("low", "high", "absent")):
        np.testing.assert_array_equal(by_machine[:, part], getattr(by_numpy, name)[-1])


def corner(bins, inside):
    """Describe the corner of a square grid; few rows there, so that no half of it pays."""
    codes = np.array([[a, b] for a in range(bins) for b in range(bins)])
    described = (codes < 2).all(axis=1)
    weight = np.where(described, inside, 1.0)
    return BoxProblem(codes, np.full(2, bins), described, weight)


def test_two_conditions_that_pay_only_together_are_found():
    state = BoxState(problem := corner(8, 1.0), no_boxes(2))
    moves = Moves(problem, Archive(problem), 0.5)
    r = state.add_clause()
    assert sorted(moves.pairs.best(state, r)) == [(0, 0, 1, True), (1, 0, 1, True)]


def test_a_feature_of_many_bins_starts_a_clause_alone(machine):
    wide = corner(MOST_PAIR_BINS + 1, 5.0)
    start = started(wide, no_boxes(2), 0.5)
    assert literals_of(wide, start) == 1
    by_machine = started_by_machine(machine, wide, no_boxes(2), 0.5)
    np.testing.assert_array_equal(by_machine[:, 1], start.high[0])


def test_both_try_the_same_pairs(machine):
    from rulekit.solvers import box_machine_pairs

    assert box_machine_pairs.TIE == box_kernel.TIE
    assert box_machine_pairs.CANDIDATES == box_pairs.CANDIDATES
    assert box_machine_pairs.MOST_PAIR_BINS == box_pairs.MOST_PAIR_BINS
