"""Groups of rows: values, bins said in words, gaps; what cannot be grouped is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.data import row_groups
from rulekit.exceptions import DataError


def holds(label, value):
    """Read a bin's words back and say whether a value is in it."""
    if label == "missing":
        return bool(pd.isna(value))
    for words, meets in (
        ("over ", lambda v, low, high: low < v <= high),
        ("at most ", lambda v, high: v <= high),
        ("more than ", lambda v, low: v > low),
    ):
        if label.startswith(words):
            ends = label.replace("over ", "").replace("at most ", "").replace("more than ", "")
            return not pd.isna(value) and meets(value, *map(float, ends.split(", ")))
    return not pd.isna(value) and float(label) == value


@given(
    st.lists(
        st.one_of(st.none(), st.sampled_from((0.0, 1.0, 7.0)), st.integers(-30, 30)),
        min_size=2,
        max_size=80,
    ),
    st.integers(2, 6),
)
def test_every_number_is_in_the_group_whose_words_it_meets(values, bins):
    column = np.array([np.nan if v is None else v for v in values], dtype=float)
    try:
        groups = row_groups(column, "x", bins=bins)
    except DataError:
        assert len({str(v) for v in column}) == 1
        return
    assert len(groups.codes) == len(column)
    assert sorted(set(groups.codes.tolist())) == list(range(len(groups.labels)))
    for value, label in zip(column, groups.of_rows, strict=True):
        assert [name for name in groups.labels if holds(name, value)] == [label]


def test_numbers_and_values_become_groups_of_rows():
    groups = row_groups(np.arange(1000.0), "x", bins=4)
    assert np.bincount(groups.codes).tolist() == [250, 250, 250, 250]
    skewed = np.r_[np.full(900, 50.0), np.arange(40)]
    assert len(row_groups(skewed, "x").labels) == 2
    text = pd.Series(["b", None, "a", "b"], dtype="category")
    assert row_groups(text, "t").of_rows.tolist() == ["b", "missing", "a", "b"]
    assert row_groups(text, "t").labels == ("a", "b", "missing")
    assert row_groups([True, None, False], "t").labels == ("False", "True", "missing")
    assert row_groups([3, 1, 2, 1], "t").labels == ("1", "2", "3")
    assert row_groups(["missing", None], "t").labels == ("missing", "no value")


@pytest.mark.parametrize(
    ("values", "bins", "expected"),
    [
        (["a"] * 5, 4, r"by 'town' all 5 rows are in group 'a'\. Choose a column with two"),
        ([], 4, r"by 'town' there is no row"),
        ([f"t{k}" for k in range(1000)], 4, r"at most 50 .* column 'town' has 1,000 different"),
        (["a", "b"], [3.0], r"Cuts need a column of numbers, but 'town' holds text"),
        ([1, 2], 1, r"`bins` must be a whole number of bins from 2 to 50.*got 1"),
        ([1, 2], ["x"], r"list of finite cuts; got \['x'\]"),
        ([1, 2], [np.nan], r"list of finite cuts; got \[nan\]"),
    ],
)
def test_ungroupable_columns_are_refused_in_words(values, bins, expected):
    with pytest.raises(ValueError, match=expected):
        row_groups(values, "town", bins=bins)
