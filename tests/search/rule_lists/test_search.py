import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.box_search.search import SearchPlan
from rulekit.search.rule_lists.search import ListArchive, ListSearch, RuleList
from tests.reference import rule_lists as slow
from tests.strategies.boxes import box_rows, list_problems, lists_for, single_conditions

MOST = 3
CLOSE = 1e-5  # moves that gain less are not made


@given(data=st.data())
def test_no_move_of_the_slow_twin_improves_what_a_visit_ends_with(data):
    problem = data.draw(list_problems(max_rows=8, max_features=2, max_bins=3, max_classes=3))
    start = data.draw(lists_for(problem, 2))
    theta = data.draw(st.sampled_from([0.01, 0.3, 1.0]))
    archive = ListArchive(problem)
    search = ListSearch(problem)
    search.visit(archive, search.make_state(start), theta, MOST)
    entry = archive.answer(MOST, theta)
    rules, value = entry.boxes, entry.objective(theta)
    assert value <= slow.objective_of(problem, start, theta)
    moves = [slow.changed, slow.rearranged, slow.relabelled]
    moves += [slow.extended] if len(rules) < MOST else []
    for move in moves:
        for other in move(problem, rules):
            assert slow.objective_of(problem, other, theta) >= value - CLOSE


@given(data=st.data())
def test_entries_are_consistent_and_cost_no_more_than_constants(data):
    problem = data.draw(list_problems())
    plan = SearchPlan([0.05, 0.5, 2.0], MOST, n_perturbations=1)
    archive = ListSearch(problem).run(plan, np.random.default_rng(0))
    constant = problem.weight.sum() - np.bincount(problem.y, problem.weight).max()
    for entry in archive.entries:
        assert entry.loss == slow.loss_of(problem, entry.boxes)
        assert entry.n_conditions == slow.literals_of(problem, entry.boxes.boxes)
        assert entry.n_clauses == len(entry.boxes) <= MOST
    for theta in plan.thetas:
        assert archive.answer(MOST, theta).objective(theta) <= constant
    again = ListSearch(problem).run(plan, np.random.default_rng(0))
    assert [(e.n_clauses, e.n_conditions, e.loss) for e in again.entries] == [
        (e.n_clauses, e.n_conditions, e.loss) for e in archive.entries
    ]


@given(problem=list_problems())
def test_the_best_single_condition_is_offered(problem):
    archive = ListArchive(problem)
    ListSearch(problem).offer_conditions(archive)
    n_classes = int(problem.y.max()) + 1
    losses = [
        slow.loss_of(problem, RuleList(box, (label,), default))
        for box in single_conditions(problem)
        for label in range(n_classes)
        for default in range(n_classes)
    ]
    if losses and min(losses) < archive.entries[0].loss - 1e-9:  # else none is worth having
        assert archive.entries[-1].n_conditions == 1
        assert archive.entries[-1].loss == pytest.approx(min(losses), abs=1e-9)


def planted(n=400):
    """Four classes by a list: below a clause the conditions of those above need not be said."""
    codes = np.random.default_rng(0).integers(0, 6, (n, 6))
    y = np.full(n, 3)
    y[codes[:, 2] >= 4] = 0
    y[(codes[:, 1] <= 2) & (codes[:, 4] >= 3)] = 2
    y[codes[:, 0] == 5] = 1
    return box_rows(codes, np.full(6, 6), y)


def test_planted_lists_are_found_and_stopped_searches_keep_theirs():
    archive = ListSearch(planted()).run(
        SearchPlan([0.5, 2.0, 8.0, 30.0], 6, 0), np.random.default_rng(0)
    )
    entry = archive.answer(6, 0.5)
    assert (entry.loss, entry.n_clauses, entry.n_conditions) == (0.0, 3, 4)
    requested = iter([False, True])
    archive = ListSearch(planted()).run(
        SearchPlan([80.0, 2.0], 6, 0), np.random.default_rng(0), lambda: next(requested)
    )
    assert 0 < archive.answer(6, 2.0).loss < archive.entries[0].loss


def test_equal_rows_of_one_class_are_merged_in_an_order_of_their_own():
    rows = [([0, 1], 2, 1.0), ([1, 0], 0, 0.5), ([0, 1], 2, 3.0), ([0, 1], 1, 2.0)]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):
        codes, y, weight = (np.array(part) for part in zip(*(rows[k] for k in order), strict=True))
        problem = box_rows(codes, np.array([2, 2]), y, weight)
        assert problem.codes.tolist() == [[0, 1], [0, 1], [1, 0]]
        assert problem.y.tolist() == [1, 2, 0]
        assert problem.weight.tolist() == [2.0, 4.0, 0.5]
        assert ListArchive(problem).entries[0].boxes.default == 2
