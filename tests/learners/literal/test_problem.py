"""The table of boxes: what a box accepts is what its columns of the learner's table say."""

import numpy as np
import pandas as pd
import pytest

from rulekit import Binarizer, Constraints
from rulekit.data import columns_of
from rulekit.learners.literal.problem import binary_problem, box_table
from rulekit.search.box_search.problem import ERRORS, Boxes


def table_of(X, y):
    bins = Binarizer().fit(X, y).transform(X)
    problem = binary_problem(
        bins, columns_of(X), y, np.ones(len(y)), form="dnf", constraints=Constraints()
    )
    return box_table(problem, ERRORS), problem


def mixed(missing, n=80):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "flag": rng.integers(0, 2, n).astype(float),
            "age": rng.normal(size=n).round(1),
            "two": rng.choice(["u", "v"], n).astype(object),
            "three": rng.choice(["u", "v", "w"], n).astype(object),
        }
    )
    if missing:
        for j, name in enumerate(X):
            X.loc[X.index[j :: 7 + j], name] = np.nan if X[name].dtype == float else None
    return X, rng.random(n) < 0.5


@pytest.mark.parametrize("missing", [False, True])
def test_each_end_of_a_box_accepts_the_rows_its_column_does(missing):
    X, y = mixed(missing)
    boxes, problem = table_of(X, y)
    p = boxes.n_features
    assert boxes.column_of
    # the rows of the search are merged and sorted, so that rows are compared by number and class
    for (f, kind, k, accepts), j in boxes.column_of.items():
        low, high = np.zeros((1, p), int), boxes.n_bins[None] - 1
        if kind == "low":
            low[0, f] = k
        elif kind == "high":
            high[0, f] = k
        elif k == 1:
            low[0, f], high[0, f] = 1, 0
        absent = np.ones((1, p), bool)
        absent[0, f] = accepts
        box = Boxes(low, high, absent)
        assert np.flatnonzero(boxes.chosen(box)[0]).tolist() == [j]
        held = box.fired(boxes.codes, boxes.n_bins)[:, 0]
        for side in (False, True):
            expected = problem.table.values[:, j] & (problem.table.y == side)
            assert boxes.weight[held & (boxes.y == side)].sum() == expected.sum()


def test_a_column_of_two_levels_is_one_feature():
    X, y = mixed(missing=False)
    boxes, _ = table_of(X, y)
    assert boxes.n_features == 1 + 1 + 1 + 3
