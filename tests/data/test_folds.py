"""Folds: seeded, stratified, grouped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, StratifiedKFold

from rulekit.data import make_folds
from rulekit.exceptions import DataError


@given(st.integers(2, 6), st.integers(0, 3), st.lists(st.integers(0, 20), min_size=1, max_size=3))
def test_every_row_is_tested_once_and_classes_are_even(n_folds, seed, extra):
    y = np.repeat(np.arange(len(extra)), n_folds + np.array(extra))
    folds = make_folds(y, n_folds, random_state=seed)
    tested = np.concatenate([test for _, test in folds])
    assert sorted(tested) == list(range(len(y)))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(y)))
    for label in set(y):
        counts = [int((y[test] == label).sum()) for _, test in folds]
        assert max(counts) - min(counts) <= 1


def test_as_many_folds_as_rows_leave_out_each_row_in_turn():
    folds = make_folds(["a"] * 7 + ["b"] * 2, 9)
    assert [test.tolist() for _, test in folds] == [[k] for k in range(9)]
    assert all(len(train) == 8 for train, _ in folds)


def test_rows_sorted_by_class_are_shuffled():
    y = np.repeat(["a", "b"], 50)
    (_, first), *_ = make_folds(y, 10)
    assert np.ptp(first) > 50
    assert not np.array_equal(first[:5], np.arange(5))


def test_a_seed_fixes_the_folds_and_another_changes_them():
    y = np.repeat(["a", "b"], 50)
    first, again, other = (make_folds(y, 5, random_state=s) for s in (1, 1, 2))
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a[1], b[1]) for a, b in zip(first, other, strict=True))


def test_folds_are_scikit_learns():
    y = np.random.default_rng(0).integers(0, 2, 97)
    theirs = StratifiedKFold(10, shuffle=True, random_state=3).split(np.zeros((97, 1)), y)
    for (train, test), (their_train, their_test) in zip(
        make_folds(y, 10, random_state=3), theirs, strict=True
    ):
        np.testing.assert_array_equal(train, their_train)
        np.testing.assert_array_equal(test, their_test)


def test_how_classes_are_written_does_not_matter():
    y = np.random.default_rng(0).integers(0, 2, 60)
    named = np.array(["no", "yes"], dtype=object)[y]
    for (_, one), (_, two) in zip(make_folds(y, 5), make_folds(named, 5), strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_group_is_never_on_both_sides():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 12, 120).astype(str).astype(object)
    y = rng.integers(0, 2, 120)
    folds = make_folds(y, 4, groups=groups)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(120))
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])


def test_splitters_and_pairs_of_positions_are_taken():
    y = [0, 1, 0, 1]
    assert len(make_folds(y, KFold(2))) == 2
    mask = np.array([True, True, False, False])
    ((train, test),) = make_folds(y, [(mask, [3, 2])])
    assert (train.tolist(), test.tolist()) == ([0, 1], [2, 3])


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (
            lambda: make_folds(["a"] * 9 + ["b"] * 3, 5),
            DataError,
            "class 'b' has 3 rows for 5 folds. Take `cv=3` or fewer",
        ),
        (lambda: make_folds(["a"] * 9 + ["b"], 5), DataError, "Leave this class out"),
        (lambda: make_folds(["a", None, "b"], 2), DataError, "`y` misses some"),
        (
            lambda: make_folds([0, 1] * 5, 4, groups=[1, 2] * 5),
            DataError,
            "2 groups do not fill 4 folds",
        ),
        (lambda: make_folds([0, 1], 1), ValueError, "at least 2 folds, got 1"),
        (lambda: make_folds([0, 1], "ten"), ValueError, "`cv` must be a number of folds"),
        (lambda: make_folds([0, 1], True), ValueError, "`cv` must be a number of folds"),
        (lambda: make_folds([[0], [1]], 2), ValueError, "must be one-dimensional"),
        (lambda: make_folds([0, 1], 2, groups=[1]), ValueError, "one group a row"),
        (lambda: make_folds([0, 1], [([0], [2])]), ValueError, "between 0 and 1; fold 1"),
        (lambda: make_folds([0, 1], [([0], [0])]), ValueError, "rows it is trained on"),
        (lambda: make_folds([0, 1], [([0], [])]), ValueError, "no training rows or no test rows"),
        (lambda: make_folds([0, 1], [3]), ValueError, "two arrays of positions"),
    ],
)
def test_what_cannot_be_split_is_said(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()
