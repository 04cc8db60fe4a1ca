"""Moving the cuts of a finished rule: never dearer, never longer, and exact for one interval."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.binning import BinnedTable
from rulekit.search.box_search.problem import BoxPrices
from rulekit.search.box_search.threshold_refinement import refined_cuts
from rulekit.search.columns.clause_selection import MovableCuts

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
    table = BinnedTable.of_matrix(np.array(A).T, np.array(feature), np.array(side))
    return table, MovableCuts(ranks), of


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
    found = []
    for clause in rule:
        masks = []
        for f, (low, high) in clause.items():
            x = values[:, f]
            inside = (x > (-np.inf if low is None else low)) & (
                x <= (np.inf if high is None else high)
            )
            masks.append(~inside)
        found.append(masks)
    return found


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


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(RULES), PRICES)
def test_loss_never_rises_and_equals_the_moved_rule(seed, rule, prices):
    values, y, weight, ranks = made(seed)
    table, movable, of = columns_for(values, CUTS, ranks)
    chosen = chosen_of(rule, of, table.shape[1])
    moved, loss = refined_cuts(table.labelled(y, weight), "cnf", movable, chosen, prices)
    before = slow_loss(refusals(values, rule), y, weight, prices)
    turned = after(rule, moved, of, ranks, values)
    assert loss == pytest.approx(slow_loss(refusals(values, turned), y, weight, prices))
    assert loss <= before + 1e-9


@settings(deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(RULES[:2]), PRICES)
def test_a_single_interval_is_best_of_all_there_are(seed, rule, prices):
    values, y, weight, ranks = made(seed)
    table, movable, of = columns_for(values, CUTS, ranks)
    chosen = chosen_of(rule, of, table.shape[1])
    _, loss = refined_cuts(table.labelled(y, weight), "cnf", movable, chosen, prices)
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
    best = min(losses)
    assert loss == pytest.approx(best)


def test_a_barred_cut_is_not_made():
    values, y, weight, ranks = made(3)
    table, movable, of = columns_for(values, CUTS, ranks)
    rule = [{0: (4.0, None)}]
    chosen = chosen_of(rule, of, table.shape[1])
    moved, _ = refined_cuts(table.labelled(y, weight), "cnf", movable, chosen)
    (cut,) = moved.items()
    barred = replace(movable, barred=frozenset({(of[0, -1, 4.0], cut[1])}))
    again, _ = refined_cuts(table.labelled(y, weight), "cnf", barred, chosen)
    assert again != moved


def test_a_rule_without_clauses_costs_what_it_misses():
    values, y, weight, ranks = made(1)
    table, movable, _ = columns_for(values, CUTS, ranks)
    moved, loss = refined_cuts(
        table.labelled(y, weight), "cnf", movable, np.zeros((0, table.shape[1]), bool)
    )
    assert (moved, loss) == ({}, weight[~y].sum())


@given(st.integers(0, 10_000), st.sampled_from(RULES), PRICES)
def test_a_dnf_has_the_cuts_of_its_mirrored_cnf(seed, rule, prices):
    values, y, weight, ranks = made(seed)
    table, movable, of = columns_for(values, CUTS, ranks)
    table, chosen = table.labelled(y, weight), chosen_of(rule, of, table.shape[1])
    one = refined_cuts(table, "cnf", movable, chosen, prices)
    assert one == refined_cuts(table.opposite, "dnf", movable, chosen, prices)
