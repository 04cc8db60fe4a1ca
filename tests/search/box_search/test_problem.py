"""Ends of intervals: a box accepts the rows that its conditions of the table accept."""

import numpy as np
import pandas as pd
import pytest

from rulekit import Binarizer
from rulekit.search.box_search.problem import Axes, BoxRows, evaluate_boxes, join_ends


def labelled(X, y):
    return Binarizer().fit(X, y).transform(X).with_labels(y, np.ones(len(y)))


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


@pytest.mark.parametrize("opposite", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_each_end_of_a_box_accepts_the_rows_its_condition_does(missing, opposite):
    X, y = mixed(missing)
    dnf = labelled(X, y).opposite if opposite else labelled(X, y)
    boxes = BoxRows.from_table(dnf)
    assert boxes.condition_of
    # the rows of the search are merged and sorted, so that rows are compared by number and class
    for end, j in boxes.condition_of.items():
        box = join_ends(boxes.n_bins, [end])
        assert np.flatnonzero(boxes.find_conditions(box)[0]).tolist() == [j]
        held = evaluate_boxes(box, boxes.codes, boxes.n_bins)[:, 0]
        for side in (False, True):
            expected = dnf.values[:, j] & (dnf.y == side)
            assert boxes.weight[held & (boxes.y == side)].sum() == expected.sum()


def test_axes_follow_levels_and_forbidden_opposites():
    X, y = mixed(missing=False)
    axes = Axes(labelled(X, y))
    assert len(axes.n_bins) == 1 + 1 + 1 + 3
    assert axes.are_complete
    X, y = mixed(missing=True)
    table = labelled(X, y)
    accepting = [j for j, lit in enumerate(table.literals) if lit.feature != "age" or lit.missing]
    assert Axes(table).are_complete
    assert not Axes(table.take_columns(np.array(accepting))).are_complete
