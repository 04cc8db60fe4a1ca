"""The box search and its archive against row-by-row recomputation."""

import sys
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.search.box_search.problem import BoxPrices, whole_box
from rulekit.search.box_search.search import (
    Archive,
    Descent,
    SearchPlan,
    SingleBox,
    perturb,
    refine_cuts,
    search_rows,
)
from rulekit.search.columns.clause_selection import MovableCuts, hamming_cost
from tests.reference import rule_lists as slow
from tests.reference.boxes import literals_of, loss_of
from tests.strategies.boxes import (
    HAMMING,
    box_problems,
    box_rows,
    list_problems,
    single_conditions,
)
from tests.strategies.covers import binned_matrix

THETAS = (0.1, 0.5, 1.0, 2.0)


def planted(n=300, p=5, bins=6, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, bins, size=(n, p))
    y = ((codes[:, 0] > 2) & (codes[:, 1] < 3)) | (codes[:, 2] == 5)
    return box_rows(codes, np.full(p, bins), y ^ (rng.random(n) < 0.05))


@given(box_problems())
def test_perturbations_force_every_half_line_allowed(problem):
    rng, whole = np.random.default_rng(0), whole_box(problem.n_bins)
    boxes = whole.repeat(2, axis=0)
    results = [perturb(problem, boxes, rng) for _ in range(300)]
    forced = {box.tobytes() for boxes in results for box in boxes} - {whole.tobytes()}
    bounded = [b for b in single_conditions(problem) if (b != whole)[..., :2].any()]
    assert forced == {b.tobytes() for b in bounded if not b[..., 2].all()}
    assert {len(result) for result in results} == {1, 2}
    assert (boxes == whole).all()
    assert not len(perturb(problem, boxes[:0], rng))


@given(box_problems(max_rows=12))
def test_archived_rules_equal_their_entries(problem):
    for entry in search_rows(problem, SearchPlan(THETAS, 3, 1), np.random.default_rng(0)).entries:
        assert entry.loss == pytest.approx(loss_of(problem, entry.boxes), abs=1e-9)
        assert entry.n_conditions == literals_of(problem, entry.boxes)
        assert entry.n_clauses == len(entry.boxes)


@given(box_problems())
def test_the_best_single_condition_is_offered(problem):
    archive, whole = Archive(problem), whole_box(problem.n_bins)
    Descent(problem).offer_conditions(archive)
    losses = [loss_of(problem, boxes) for boxes in single_conditions(problem)]
    if losses and min(losses) < loss_of(problem, whole) - 1e-9:  # else no condition is worth having
        assert archive.entries[-1].n_conditions == 1
        assert archive.entries[-1].loss == pytest.approx(min(losses), abs=1e-9)


def test_the_archive_is_monotone_and_only_improves():
    archive = search_rows(planted(), SearchPlan(THETAS, 4, 2), np.random.default_rng(1))
    for theta in (0.05, 0.3, 1.0, 4.0):
        values = [archive.answer(k, theta).objective(theta) for k in range(5)]
        assert values == sorted(values, reverse=True)
    sizes = [archive.answer(4, theta).n_conditions for theta in (0.01, 0.1, 1.0, 10.0, 1000.0)]
    assert sizes == sorted(sizes, reverse=True)
    problem, best = planted(seed=5), None
    for n_rounds in range(4):
        archive = search_rows(problem, SearchPlan(THETAS, 4, n_rounds), np.random.default_rng(0))
        now = [archive.answer(k, t).objective(t) for k in range(1, 5) for t in THETAS]
        assert best is None or all(n <= b + 1e-9 for n, b in zip(now, best, strict=True))
        best = now


def test_planted_rules_are_found_and_stopped_searches_answer():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, size=(400, 6))
    y = ((codes[:, 0] > 2) & (codes[:, 1] < 3)) | (codes[:, 2] == 5)
    archive = search_rows(box_rows(codes, np.full(6, 6), y), SearchPlan(THETAS, 3, 3), rng)
    answer = archive.answer(3, 0.5)
    assert (answer.loss, answer.n_clauses, answer.n_conditions) == (0.0, 2, 3)
    calls = iter([False] * 3 + [True] * 1000)
    archive = search_rows(
        planted(), SearchPlan(THETAS, 4, 3), np.random.default_rng(0), lambda: next(calls)
    )
    assert archive.answer(4, 1.0).objective(1.0) <= archive.answer(0, 1.0).objective(1.0)


def test_the_hamming_prices_give_the_objective_of_the_two_level_paper():
    problem = planted()
    problem = box_rows(problem.codes, problem.n_bins, problem.y, None, HAMMING)
    archive = search_rows(problem, SearchPlan(THETAS, 3, 1), np.random.default_rng(0))
    literals = [(f, c, s) for f in range(5) for c in range(1, 6) for s in (0, 1)]
    holds = np.array([(problem.codes[:, f] >= c) == (s == 0) for f, c, s in literals]).T
    for entry in archive.entries:
        chosen = np.zeros((entry.n_clauses, len(literals)), bool)
        for r in range(entry.n_clauses):
            low, high, _ = entry.boxes[r].T
            for j, (f, c, s) in enumerate(literals):
                chosen[r, j] = low[f] == c if s == 0 else high[f] + 1 == c
        # a DNF of y is a CNF of not-y over the complement
        value = hamming_cost(~holds, ~problem.y, problem.weight, chosen, theta=0.0)
        if entry.n_clauses and not _repeats_a_feature(entry.boxes):
            assert entry.loss == pytest.approx(value, abs=1e-9)


def _repeats_a_feature(boxes):
    """An interval violated at both ends cannot be: a feature then counts one violation in both."""
    return bool((boxes[:, :, 0] > boxes[:, :, 1]).any())


def test_one_sided_and_forbidden_intervals_never_appear():
    problem = planted()
    start, end = np.array([1, 0, 1, 0, 1], bool), np.array([0, 1, 0, 0, 1], bool)
    may = {"may_start": start[:, None], "may_end": end[:, None]}
    limited = box_rows(problem.codes, problem.n_bins, problem.y, **may)
    for entry in search_rows(limited, SearchPlan(THETAS, 3, 2), np.random.default_rng(0)).entries:
        assert not (entry.boxes[:, ~start, 0] > 0).any()
        assert not (entry.boxes[:, ~end, 1] < 5).any()


def test_the_largest_number_of_cells_is_searched_and_no_more():
    with pytest.raises(ValueError, match=r"at most 65536 cells, .* one has 65537"):
        box_rows(np.array([[4]]), np.array([65_536]), np.array([True]))
    codes = np.array([[65_535], [65_534], [0], [1]])
    problem = box_rows(codes, np.array([65_535]), np.array([True, True, False, False]))
    archive = search_rows(problem, SearchPlan((0.1,), 1, 0), np.random.default_rng(0))
    assert archive.answer(1, 0.1).loss == 0.0


def long_problem(n=3000, p=6, seed=0):
    """Make rows of two planted boxes, with real weights."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 8, size=(n, p))
    y = ((codes[:, 0] > 4) & (codes[:, 1] < 3)) | ((codes[:, 2] > 5) & (codes[:, 3] > 2))
    return codes, np.full(p, 8), y ^ (rng.random(n) < 0.1), rng.gamma(1.0, size=n)


def losses(archive):
    return {(e.n_clauses, e.n_conditions): e.loss for e in archive.entries}


def test_part_keeps_class_weights_in_any_row_order():
    codes, n_bins, y, weight = long_problem()
    problem, order = (
        box_rows(codes, n_bins, y, weight),
        np.random.default_rng(1).permutation(3000),
    )
    part = problem.part(500)
    assert part.n_rows <= 502
    for side in (False, True):
        whole = problem.weight[problem.y == side].sum()
        assert part.weight[part.y == side].sum() == pytest.approx(whole, rel=1e-12)
    twin = box_rows(codes[order], n_bins, y[order], weight[order]).part(500)
    np.testing.assert_array_equal(part.cells, twin.cells)
    np.testing.assert_array_equal(part.weight, twin.weight)


def test_a_search_on_a_part_is_priced_and_settled_on_every_row(monkeypatch):
    problem, plan = box_rows(*long_problem()), SearchPlan((2.0, 20.0, 60.0), 2, 1)
    whole = search_rows(problem, plan, np.random.default_rng(0))
    module = sys.modules[search_rows.__module__]
    monkeypatch.setattr(module, "MANY_ROWS", 1000)
    monkeypatch.setattr(module, "PART_ROWS", 400)
    settled = search_rows(problem, plan, np.random.default_rng(0))
    for entry in settled.entries:
        assert entry.loss == pytest.approx(loss_of(problem, entry.boxes), rel=1e-12)
    for theta in plan.thetas:
        best = whole.answer(2, theta).objective(theta)
        assert settled.answer(2, theta).objective(theta) <= best * 1.01


@pytest.mark.slow
def test_perturbations_of_some_columns_find_rules_of_all(monkeypatch):
    problem, plan = box_rows(*long_problem(n=400, p=12)), SearchPlan((0.05, 0.5, 2.0), 3, 3)
    module = sys.modules[search_rows.__module__]
    before = losses(search_rows(problem, SearchPlan(plan.thetas, 3, 0), np.random.default_rng(0)))
    monkeypatch.setattr(module, "MANY_COLUMNS", 8)
    monkeypatch.setattr(module, "PART_COLUMNS", 5)
    archive = search_rows(problem, plan, np.random.default_rng(0))
    for entry in archive.entries:
        assert entry.boxes.shape[1] == 12
        assert entry.loss == pytest.approx(loss_of(problem, entry.boxes), rel=1e-12)
    after = losses(archive)
    assert all(after[size] <= loss for size, loss in before.items())
    assert any(after.get(size, np.inf) < before.get(size, np.inf) for size in after)


PRICES = st.sampled_from([BoxPrices(), BoxPrices(0.3, 0.3, 0.1), BoxPrices(1.0, 1.0, 0.0)])


def columns_for(values, cuts, ranks):
    """OR columns of a table, "at most" and "greater than" of each cut; clauses refuse gaps."""
    A, feature, side, of = [], [], [], {}
    for f, own in enumerate(cuts):
        for cut in own:
            for s in (-1, 1):
                of[f, s, cut] = len(A)
                holds = values[:, f] <= cut if s < 0 else values[:, f] > cut
                A.append(holds | np.isnan(values[:, f]))  # a clause refuses the missing
                feature.append(f)
                side.append(s)
    return binned_matrix(np.array(A).T, np.array(feature), np.array(side)), MovableCuts(ranks), of


def slow_loss(refused, y, weight, prices):
    """Price every row by itself; `refused[r][f]` are the rows a clause's feature keeps out."""
    total = 0.0
    for i in range(len(y)):
        v = [sum(bool(mask[i]) for mask in clause) for clause in refused]
        if y[i]:
            taken = v.count(0)
            cost = (1 + prices.overlap * (taken - 1) if taken else 0) + prices.near * v.count(1)
        else:
            cost = 1 + prices.miss * (min(v) - 1) if not v.count(0) else 0
        total += weight[i] * cost
    return total


def made(seed, n=24, p=2):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 7, (n, p)).astype(float)
    values[rng.random((n, p)) < 0.1] = np.nan
    y = (values[:, 0] <= 2) | (values[:, 1] > 4) | (rng.random(n) < 0.2)
    weight = rng.choice([1.0, 2.0, 0.5], n)
    ranks = {}
    for f in range(p):
        distinct = np.unique(values[~np.isnan(values[:, f]), f])
        at = np.searchsorted(distinct, np.nan_to_num(values[:, f], nan=distinct[0]))
        ranks[f] = np.where(np.isnan(values[:, f]), -1, at)
    return values, y, weight, ranks


def refusals(values, rule):
    """Rows that each interval ``(low, high]`` of each clause keeps out; None is no end."""
    results = []
    for clause in rule:
        masks = []
        for f, (low, high) in clause.items():
            x = values[:, f]
            inside = (x > (-np.inf if low is None else low)) & (
                x <= (np.inf if high is None else high)
            )
            masks.append(~inside)
        results.append(masks)
    return results


def chosen_of(rule, of, d):
    chosen = np.zeros((len(rule), d), bool)
    for r, clause in enumerate(rule):
        for f, (low, high) in clause.items():
            if low is not None:
                chosen[r, of[f, -1, low]] = True  # the OR column "at most" is refused
            if high is not None:
                chosen[r, of[f, 1, high]] = True
    return chosen


def after(rule, moved, of, ranks, values):
    """The rule with its cuts moved."""
    turned = [dict(clause) for clause in rule]
    for r, clause in enumerate(rule):
        for f, ends in clause.items():
            distinct = np.unique(values[ranks[f] >= 0, f])
            new = list(ends)
            for place, side in ((0, -1), (1, 1)):
                if ends[place] is not None and (r, of[f, side, ends[place]]) in moved:
                    new[place] = distinct[moved[r, of[f, side, ends[place]]]]
            turned[r][f] = tuple(new)
    return turned


RULES = (
    [{0: (2.0, None)}],
    [{0: (1.0, 4.0)}],
    [{0: (1.0, 4.0), 1: (None, 2.0)}, {1: (4.0, None)}],
    [{0: (None, 1.0)}, {0: (4.0, None), 1: (1.0, 4.0)}, {1: (2.0, None)}],
)
CUTS = [(1.0, 2.0, 4.0)] * 2


@given(st.integers(0, 10_000), st.sampled_from(RULES), PRICES)
def test_loss_never_rises_and_equals_the_moved_rule(seed, rule, prices):
    values, y, weight, ranks = made(seed)
    table, movable, of = columns_for(values, CUTS, ranks)
    chosen = chosen_of(rule, of, table.shape[1])
    moved, loss = refine_cuts(table.with_labels(y, weight).opposite, movable, chosen, prices)
    before = slow_loss(refusals(values, rule), y, weight, prices)
    turned = after(rule, moved, of, ranks, values)
    assert loss == pytest.approx(slow_loss(refusals(values, turned), y, weight, prices))
    assert loss <= before + 1e-9


@given(st.integers(0, 10_000), st.sampled_from(RULES[:2]), PRICES)
def test_a_single_interval_is_best_of_all_there_are(seed, rule, prices):
    values, y, weight, ranks = made(seed)
    table, movable, of = columns_for(values, CUTS, ranks)
    chosen = chosen_of(rule, of, table.shape[1])
    _, loss = refine_cuts(table.with_labels(y, weight).opposite, movable, chosen, prices)
    (low, high) = rule[0][0]
    distinct = np.unique(values[ranks[0] >= 0, 0])[:-1]
    ends = product(
        [None] if low is None else [low, *distinct], [None] if high is None else [high, *distinct]
    )
    losses = [
        slow_loss(refusals(values, [{0: end}]), y, weight, prices)
        for end in ends
        if None in end or any(end[0] < value <= end[1] for value in distinct)  # none is empty
    ]
    assert loss == pytest.approx(min(losses))


def test_barred_cuts_stay_and_no_clause_costs_what_it_misses():
    values, y, weight, ranks = made(3)
    table, movable, of = columns_for(values, CUTS, ranks)
    chosen = chosen_of([{0: (4.0, None)}], of, table.shape[1])
    moved, _ = refine_cuts(table.with_labels(y, weight).opposite, movable, chosen)
    (cut,) = moved.items()
    barred = replace(movable, barred=frozenset({(of[0, -1, 4.0], cut[1])}))
    again, _ = refine_cuts(table.with_labels(y, weight).opposite, barred, chosen)
    assert again != moved
    values, y, weight, ranks = made(1)
    table, movable, _ = columns_for(values, CUTS, ranks)
    moved, loss = refine_cuts(
        table.with_labels(y, weight).opposite, movable, np.zeros((0, table.shape[1]), bool)
    )
    assert (moved, loss) == ({}, weight[~y].sum())


CLOSE = 1e-5


def worth(problem, box, savings, theta):
    rules = slow.list_of(problem, [box], (0,), 0)
    inside = [slow.violations_of(problem, rules.boxes, 0, i) == 0 for i in range(len(savings))]
    return savings[inside].sum() - theta * slow.literals_of(problem, rules.boxes)


@given(data=st.data())
def test_search_starts_at_the_best_small_box_and_ends_at_a_minimum(data):
    problem = data.draw(list_problems(max_rows=10, max_bins=3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    theta = data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    single = SingleBox(problem)
    savings = rng.integers(-4, 5, len(problem.y)) / 2.0
    start = single.start_box(savings, theta)
    small = max(worth(problem, box, savings, theta) for box in slow.small_boxes(problem))
    assert abs(worth(problem, start, savings, theta) - small) <= CLOSE
    other = rng.integers(-4, 5, len(problem.y)) / 2.0  # savings change from call to call
    end = single.improve(other, start, theta)
    value = worth(problem, end, other, theta)
    assert value >= worth(problem, start, other, theta)
    for rules in slow.changed(problem, slow.list_of(problem, [end], (0,), 0)):
        assert worth(problem, rules.boxes[0], other, theta) <= value + CLOSE


def test_without_features_the_best_box_is_the_whole():
    problem = box_rows(np.zeros((3, 0), int), np.zeros(0, int), np.array([0, 1, 1]))
    assert SingleBox(problem).start_box(np.ones(len(problem.y)), 0.1).shape == (0, 3)
