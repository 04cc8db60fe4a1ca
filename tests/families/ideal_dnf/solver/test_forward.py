"""Columns selected one after the other by the ideal formula of all of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.ideal_dnf.solver.forward import ForwardSets


def impurity(columns, chosen, described, weight):
    """Sum c0 c1 / (c0 + c1) over the types, in plain loops."""
    total = 0.0
    for answers in product((False, True), repeat=len(chosen)):
        rows = np.ones(len(described), dtype=bool)
        for column, answer in zip(chosen, answers, strict=True):
            rows &= columns[column] == answer
        ones, zeros = (weight[rows & (described == c)].sum() for c in (True, False))
        if ones + zeros:
            total += ones * zeros / (ones + zeros)
    return total


def table(seed, n=60, d=6):
    rng = np.random.default_rng(seed)
    columns = rng.random((d, n)) < 0.5
    described = (columns[0] & columns[1] | columns[2]) ^ (rng.random(n) < 0.1)
    return columns, described, rng.choice([1.0, 0.3, 0.7], n)


@given(st.integers(0, 2**16), st.booleans())
def test_each_set_is_the_best_step_or_exchange_from_the_one_before(seed, weighted):
    columns, described, weight = table(seed)
    weight = weight if weighted else np.ones(len(described))
    sets = ForwardSets(columns, described, weight if weighted else None).list_sets(4)
    before = impurity(columns, (), described, weight)
    for k, chosen in enumerate(sets, start=1):
        assert len(set(chosen)) == len(chosen) == k
        last = sets[k - 2] if k > 1 else ()
        steps = [
            impurity(columns, (*last, j), described, weight)
            for j in range(len(columns))
            if j not in last
        ]
        now = impurity(columns, chosen, described, weight)
        assert now <= min(steps) * (1 + 1e-9) < before
        before = now


def test_longer_requests_continue_shorter_ones():
    columns, described, _ = table(1)
    sets = ForwardSets(columns, described)
    assert (
        sets.list_sets(2)
        == ForwardSets(columns, described).list_sets(4)[:2]
        == sets.list_sets(4)[:2]
    )


def test_an_exchange_corrects_an_early_column():
    a, b = np.array(list(product((0, 1), repeat=2)) * 25, dtype=bool).T
    described = a & b
    near = described.copy()
    near[:3] ^= True  # alone the best, beside `a` and `b` of no use
    sets = ForwardSets(np.array([near, a, b]), described).list_sets(3)
    assert sets[0] == (0,)
    assert set(sets[1]) == {1, 2}
    assert len(sets) == 2


@pytest.mark.parametrize("columns", [np.zeros((0, 4), bool), np.ones((2, 4), bool)])
def test_columns_that_do_not_help_are_not_selected(columns):
    assert ForwardSets(columns, np.array([True, False] * 2)).list_sets(3) == []
