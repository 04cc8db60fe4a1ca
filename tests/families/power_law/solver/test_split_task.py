"""Splits of many rows: looked for on a part, brought to their end on all."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families import PowerLawTreeClassifier
from rulekit.families.power_law.solver import split_beam
from rulekit.families.power_law.solver.split_beam import beam_search
from rulekit.families.power_law.solver.split_task import THIN, ClassMass, SplitTask, sample_rows


def crowd(n=6000, share=0.5, seed=0):
    """Make rows in which the product of two columns tells a class of some share, nearly."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.4, 2.0, (n, 5))
    score = X[:, 1] * X[:, 3] + 0.1 * rng.normal(size=n)
    return X, (score > np.quantile(score, 1 - share)).astype(np.int64)


@given(st.lists(st.integers(1, 900), min_size=2, max_size=4), st.integers(10, 2000), st.booleans())
def test_a_sample_keeps_the_shares_of_the_classes(sizes, most, weighted):
    codes = np.repeat(np.arange(len(sizes)), sizes).astype(np.int64)
    weight = np.linspace(1.0, 2.0, len(codes)) if weighted else None
    mass = ClassMass(codes, weight, len(sizes))
    rows, part = sample_rows(mass, most, np.random.default_rng(0))
    assert len(set(rows.tolist())) == len(rows)
    np.testing.assert_array_equal(part.codes, codes[rows])
    got = np.bincount(part.codes, minlength=len(sizes))
    fair = np.round(np.array(sizes) * min(1.0, most / len(codes)))
    assert (got >= np.minimum(sizes, THIN)).all()
    assert (got <= np.maximum(fair, np.minimum(sizes, THIN))).all()
    if weight is None and (got == fair).all():
        assert part.weight is None
    elif weight is None:
        np.testing.assert_allclose(part.total, sizes)


@pytest.mark.slow
def test_large_tables_find_the_same_law_on_a_part():
    X, codes = crowd()
    mass = ClassMass(codes, None, 2)
    task = SplitTask(X, mass, tau=0.15)
    box = beam_search(task, np.random.default_rng(0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(split_beam, "SEARCHED_ROWS", len(X))
        slow = beam_search(task, np.random.default_rng(0))
    assert box.n_exponents == slow.n_exponents == 2
    for split in (box, slow):
        assert np.flatnonzero(split.exponents.any(axis=0)).tolist() == [1, 3]
    assert abs(box.impurity - slow.impurity) < 0.002
    total = sum(
        w * np.prod(X ** row.astype(float), axis=1)
        for w, row in zip(box.weights, box.exponents, strict=True)
    )
    left = (total >= box.low) & (total <= box.high)
    np.testing.assert_allclose(mass.compute_impurity(left[None])[0], box.impurity, atol=1e-9)


@pytest.mark.slow
def test_a_rare_class_is_not_lost_in_a_part_of_the_rows():
    X, codes = crowd(9000, share=0.01)
    tree = PowerLawTreeClassifier(max_depth=0, max_exponents=3).fit(X, codes)
    predicted = tree.predict(X)
    assert (predicted[codes == 1] == 1).mean() > 0.6
    assert set(tree.rule_set_.features) == {"x1", "x3"}


@pytest.mark.slow
def test_part_depends_on_the_seed_and_levels_are_shared():
    X, codes = crowd(3000)
    mass, memo = ClassMass(codes, None, 2), {}
    tasks, rng = [SplitTask(X, mass, tau=tau) for tau in (0.2, 0.1)], np.random.default_rng
    shared = [beam_search(task, rng(1), memo=memo) for task in tasks]
    alone = [beam_search(task, rng(1)) for task in tasks]
    for one, other in zip(shared, alone, strict=True):
        for name in [f.name for f in dataclasses.fields(one)]:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
