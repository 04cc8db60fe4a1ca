"""Folds: seeded, stratified, grouped."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, StratifiedKFold

from rulekit.data import hold_out, make_folds
from rulekit.data.folds import (
    _dealt,
    _exchange_groups,
    _one_for_the_test,
    equal_rows,
    group_splitter,
    join_groups,
)
from rulekit.exceptions import DataError


@given(st.integers(2, 9), st.integers(0, 3), st.lists(st.integers(0, 20), min_size=1, max_size=3))
def test_folds_are_scikit_learns(n_folds, seed, extra):
    y = np.repeat(np.arange(len(extra)), n_folds + np.array(extra))
    y = np.random.default_rng(seed).permutation(y)
    assume(len(y) > n_folds)
    theirs = StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(y[:, None], y)
    for ours, pair in zip(make_folds(y, n_folds, random_state=seed), theirs, strict=True):
        for part, expected in zip(ours, pair, strict=True):
            np.testing.assert_array_equal(part, expected)


def test_rows_and_groups_are_left_out_as_asked():
    folds = make_folds(["a"] * 7 + ["b"] * 2, 9)
    assert [test.tolist() for _, test in folds] == [[k] for k in range(9)]
    assert all(len(train) == 8 for train, _ in folds)
    y = np.random.default_rng(0).integers(0, 2, 60)
    named = np.array(["no", "yes"], dtype=object)[y]
    for (_, one), (_, two) in zip(make_folds(y, 5), make_folds(named, 5), strict=True):
        np.testing.assert_array_equal(one, two)
    train, test = hold_out([0, 1] * 5, 0.3, groups=[1] * 7 + [2] * 3)
    assert (len(train), len(test)) == (7, 3)
    with pytest.raises(DataError, match="needs two groups; all rows are of one"):
        hold_out([0, 1] * 5, 0.3, groups=[1] * 10)
    y = [0, 1, 0, 1]
    assert len(make_folds(y, KFold(2))) == 2
    mask = np.array([True, True, False, False])
    ((train, test),) = make_folds(y, [(mask, [3, 2])])
    assert (train.tolist(), test.tolist()) == ([0, 1], [2, 3])


@given(st.lists(st.integers(1, 9), min_size=25, max_size=60), st.integers(0, 3))
def test_group_folds_have_similar_sizes_and_classes(sizes, seed):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)).astype(str).astype(object)
    y = rng.integers(0, 2, len(groups))
    y[:10] = [0, 1] * 5
    folds = make_folds(y, 5, groups=groups, random_state=seed)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(len(y)))
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])
        assert abs(len(test) - len(y) / 5) <= 2 * max(sizes)
        assert abs(y[test].mean() - y.mean()) <= 2 * max(sizes) / len(test)


SIZES = st.lists(st.integers(1, 6), min_size=20, max_size=60)


@given(SIZES, st.sampled_from([0.1, 0.3, 0.5]), st.integers(0, 3))
def test_held_out_groups_have_the_requested_rows_and_classes(sizes, share, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    y = np.random.default_rng(seed).integers(0, 2, len(groups))
    train, test = hold_out(y, share, groups=groups, random_state=seed)
    assert sorted([*train, *test]) == list(range(len(y)))
    assert not set(groups[train]) & set(groups[test])
    assert abs(len(test) - share * len(y)) <= 2 * max(sizes)
    assert abs(y[test].sum() - share * y.sum()) <= 2 * max(sizes)


def test_another_seed_deals_groups_into_other_parts():
    y, groups = np.arange(200) % 2, np.arange(200) // 2
    (_, one), (_, same), (_, other) = (
        hold_out(y, 0.3, groups=groups, random_state=seed) for seed in (0, 0, 1)
    )
    assert one.tolist() == same.tolist() != other.tolist()
    groups = np.repeat(np.arange(30), 4)
    y = np.tile([0, 1], 60)
    one, same, other = (make_folds(y, 5, groups=groups, random_state=s) for s in (0, 0, 1))
    assert [t.tolist() for _, t in one] == [t.tolist() for _, t in same]
    assert [t.tolist() for _, t in one] != [t.tolist() for _, t in other]


@pytest.mark.parametrize("share", [0.01, 0.95])
def test_a_side_with_fewer_rows_than_classes_is_refused(share):
    with pytest.raises(DataError, match=r"at least 3 rows each, one per class"):
        hold_out([0, 1, 2] * 5, share)


@pytest.mark.parametrize("share", [float("nan"), 1.0, -0.1])
def test_invalid_share_is_refused(share):
    for seed in ("x", -1, 1.5, 2**32):
        with pytest.raises(ValueError, match="`random_state` must be None or a whole number"):
            hold_out([0, 1] * 5, 0.3, random_state=seed)
    with pytest.raises(DataError, match="has no rows to split"):
        make_folds([])
    with pytest.raises(ValueError, match="below 1; got 'x'"):
        hold_out([0, 1] * 5, "x")
    with pytest.raises(ValueError, match="`share` must be at least 0 and below 1"):
        hold_out([0, 1] * 5, share)


@given(
    st.lists(
        st.tuples(st.sampled_from([1.0, 2.0, None]), st.sampled_from(["x", "y", None])),
        min_size=1,
        max_size=30,
    )
)
def test_rows_share_a_number_only_if_all_cells_are_equal(rows):
    frame = pd.DataFrame(rows, columns=["a", "b"])
    numbers = equal_rows(frame)
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            assert (numbers[i] == numbers[j]) == (one == other)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25))
def test_joined_groups_keep_rows_of_both_groupings_together(pairs):
    one, other = (np.array(part) for part in zip(*pairs, strict=True))
    numbers = join_groups(one, other)
    linked = [{k} for k in range(len(pairs))]  # the slow way: join until nothing changes
    for i in range(len(pairs)):
        for j in range(i):
            if one[i] == one[j] or other[i] == other[j]:
                both = linked[i] | linked[j]
                for k in both:
                    linked[k] = both
    for i in range(len(pairs)):
        assert {j for j in range(len(pairs)) if numbers[j] == numbers[i]} == linked[i]


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (
            lambda: make_folds(["a"] * 9 + ["b"] * 3, 5),
            DataError,
            "class 'b' has 3 rows for 5 folds. Take `cv=3` or fewer",
        ),
        (lambda: make_folds(["a"] * 9 + ["b"], 5), DataError, "Leave this class out"),
        (lambda: make_folds(["a", None, "b"], 2), DataError, "some are missing in `y`"),
        (lambda: make_folds([0, 1] * 5, 4, groups=[1, 2] * 5), DataError, "2 groups do not fill 4"),
        (lambda: make_folds([0, 1], 1), ValueError, "at least 2 folds, got 1"),
        (lambda: make_folds([0, 1], "ten"), ValueError, "`cv` must be a number of folds"),
        (lambda: make_folds([0, 1], True), ValueError, "`cv` must be a number of folds"),
        (lambda: make_folds([[0], [1]], 2), ValueError, "must be one-dimensional"),
        (lambda: make_folds([0, 1], 2, groups=[1]), ValueError, "one group a row"),
        (lambda: make_folds([0, 1], [([0], [2])]), ValueError, "between 0 and 1; fold 1"),
        (lambda: make_folds([0, 1], [([0], [0])]), ValueError, "training rows among its test rows"),
        (lambda: make_folds([0, 1], [([0], [])]), ValueError, "no training rows or no test rows"),
        (lambda: make_folds([0, 1], [3]), ValueError, "two arrays of positions"),
    ],
)
def test_unsplittable_tables_are_reported(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=2, max_size=40),
    st.integers(0, 3),
)
def test_splitter_keeps_groups_whole_and_all_classes_in_training(rows, seed):
    groups, y = np.array(rows).T
    splitter = group_splitter(y, groups, random_state=seed)
    of_class = [len(np.unique(groups[y == label])) for label in np.unique(y)]
    if splitter is None:
        assert min(of_class) <= 2
        return
    folds = list(splitter.split())
    assert 2 <= len(folds) <= min(5, len(np.unique(groups)))
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(len(y)))
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])
        assert set(y[train]) == set(y)


def test_test_parts_leave_all_classes_or_are_refused():
    assert group_splitter(["no"] * 5 + ["yes"], range(6)) is None
    assert group_splitter(["no"] * 5 + ["yes"] * 2, list("abcdefg")).get_n_splits() > 1
    assert group_splitter(["no"] * 4 + ["yes"] * 4, list("aaaabbbb")) is None
    assert group_splitter(["no", "yes"] * 4, ["a"] * 8) is None
    y = ["no"] * 4 + ["yes"] * 8
    with pytest.raises(DataError, match=r"each of the 2 groups has all rows of a class\. Set"):
        hold_out(y, 0.3, groups=y)
    groups = np.repeat(["a", "b", "c", "d"], [12, 6, 6, 4])
    y = np.repeat(["no", "yes", "no", "maybe", "no", "yes", "no"], [9, 3, 3, 3, 4, 2, 4])
    for seed in range(5):
        train, test = hold_out(y, 0.2, groups=groups, random_state=seed)
        assert set(y[train]) == set(y)
        assert len(test) == 6
    groups = np.repeat(["a", "b", "c"], [60, 25, 6])
    y = np.repeat(["no", "yes", "no", "yes"], [30, 30, 25, 6])
    assert _one_for_the_test(*(pd.factorize(v)[0] for v in (y, groups)), 0.3) == 1
    assert _one_for_the_test(*(pd.factorize(v)[0] for v in (y, groups)), 0.05) == 2


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=2, max_size=30),
    st.sampled_from([0.1, 0.3, 0.5, 0.9]),
)
def test_two_groups_fill_both_parts_unless_each_has_a_class_for_itself(rows, share):
    groups, y = np.array(rows).T
    alone = {g for g in groups if set(y[groups != g]) < set(y)}
    if len(set(groups)) < 2 or alone == set(groups):
        return
    train, test = hold_out(y, share, groups=groups)
    assert len(train)
    assert len(test)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=2, max_size=40),
    st.sampled_from([0.1, 0.3, 0.5]),
    st.integers(0, 3),
)
def test_exchanges_keep_the_size_of_the_test_and_training_classes(rows, share, seed):
    names, labels = np.array(rows).T
    groups, y = pd.factorize(names)[0], pd.factorize(labels)[0]
    assume(groups.max() > 0)
    dealt = _dealt(y, groups, np.array([1 - share, share]), seed) == 1
    assume(dealt.any())
    result = _exchange_groups(dealt, y, groups, share)
    assert result.any()
    assert not set(groups[result]) & set(groups[~result])
    assert set(y[~dealt]) <= set(y[~result])
    assert abs(result.mean() - share) <= abs(dealt.mean() - share) + 1e-12
    if set(y[~dealt]) == set(y):
        np.testing.assert_array_equal(result, dealt)


@given(
    st.lists(st.integers(0, 8), min_size=8, max_size=40), st.integers(2, 4), st.floats(0.05, 0.9)
)
def test_time_splits_train_on_earlier_rows(times, cv, share):
    times = np.array(times)
    labels = np.array(["no", "yes"] * len(times))[: len(times)]
    assume(len(set(times)) > 1)
    later = {t: (times >= t).mean() for t in np.unique(times)[1:]}
    nearest = min(abs(s - share) for s in later.values())
    first = next(t for t, s in later.items() if abs(s - share) <= nearest + 1e-9)
    if len(set(labels[times < first])) == 2:
        train, test = hold_out(labels, share, time=times)
        assert sorted([*train, *test]) == list(range(len(times)))
        assert times[train].max() < times[test].min()
        assert abs(len(test) / len(times) - share) <= nearest + 1e-9
    try:
        folds = make_folds(labels, cv, time=times)
    except DataError:
        return
    assert len(folds) == cv
    for train, test in folds:
        assert times[train].max() < times[test].min()
        assert len(set(labels[train])) == 2
        assert sorted([*train, *test]) == [i for i, t in enumerate(times) if t <= times[test].max()]
    tested = np.concatenate([test for _, test in folds])
    assert sorted([*tested, *folds[0][0]]) == list(range(len(times)))


def test_dates_split_like_numbers_of_their_days():
    labels, days = ["no", "yes"] * 6, np.random.default_rng(0).permutation(12)
    dates = pd.Series(pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(days, "D"))
    for by_date, by_number in zip(
        make_folds(labels, 3, time=dates), make_folds(labels, 3, time=days), strict=True
    ):
        assert all(map(np.array_equal, by_date, by_number))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"time": [1, 2, None, 4]}, DataError, "1 of 4 have none"),
        ({"time": [1, 1, 1, 1]}, DataError, "needs two times"),
        ({"time": [1, 2]}, ValueError, "one value a row"),
        ({"time": [1, 2, 3, 4], "groups": [1, 1, 2, 2]}, ValueError, "`groups` or by `time`"),
    ],
)
def test_wrong_times_are_rejected(given, error, message):
    for split in (hold_out, make_folds):
        with pytest.raises(error, match=message):
            split(["no", "yes", "no", "yes"], 0.5 if split is hold_out else 2, **given)


def test_too_few_times_or_classes_are_named():
    with pytest.raises(DataError, match="need as many later dates"):
        make_folds(["no", "yes"] * 3, 5, time=[1, 1, 2, 2, 3, 3])
    with pytest.raises(DataError, match="two classes before"):
        make_folds(["no", "no", "yes", "yes"], 2, time=[1, 2, 3, 4])
    with pytest.raises(ValueError, match="`cv` must be at least 2 folds"):
        make_folds(["no", "yes"], [([0], [1])], time=[1, 2])
    with pytest.raises(DataError, match="before the test rows have no 'yes'"):
        hold_out(["no", "no", "yes", "yes"], 0.5, time=[1, 2, 3, 4])
