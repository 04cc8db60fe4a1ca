"""Few columns for a plane, and its place."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.hyperplane.solver.few_columns import (
    column_sets,
    least_wrong,
    places,
    standardise,
)


def two_of_five(seed=0, n=120):
    rng = np.random.default_rng(seed)
    Z = standardise(rng.normal(size=(n, 5)))
    return Z, np.where(Z[:, 1] - Z[:, 3] + 0.2 * rng.normal(size=n) > 0, 1.0, -1.0)


@given(st.lists(st.tuples(st.integers(-5, 5), st.sampled_from([-2.0, -1.0, 1.0])), min_size=2))
def test_least_wrong_is_the_best_of_all_bounds(rows):
    values, signed = np.array(rows, dtype=float).T
    bounds = (np.unique(values)[:-1] + np.unique(values)[1:]) / 2
    wrong = [
        signed[(values <= b) & (signed > 0)].sum() - signed[(values > b) & (signed < 0)].sum()
        for b in bounds
    ]
    assert least_wrong(values, signed) == min(wrong, default=np.inf)
    near = places(values, signed)
    if wrong:
        assert near[0] in bounds[np.array(wrong) == min(wrong)]
        assert set(near) <= set(bounds)


def test_informative_columns_come_first_by_weighted_rows():
    Z, signed = two_of_five()
    assert column_sets(Z, signed, 2)[0] == (1, 3)
    assert column_sets(Z, signed, 1)[0] in ((1,), (3,))
    for size in range(1, 7):
        sets = column_sets(Z, signed, size)
        assert set(sets) <= set(combinations(range(5), min(size, 5)))
        assert len(set(sets)) == len(sets)
    Z, signed = two_of_five(1)
    twice = np.concatenate([Z, Z[:40]]), np.concatenate([signed, signed[:40]])
    heavy = signed * np.where(np.arange(len(signed)) < 40, 2.0, 1.0)
    assert column_sets(Z, heavy, 2) == column_sets(*twice, 2)
    Z, signed = two_of_five(2)
    both = np.column_stack([Z, Z[:, 1], np.zeros(len(Z))])
    assert all(len(s) == 3 for s in column_sets(standardise(both), signed, 3))
