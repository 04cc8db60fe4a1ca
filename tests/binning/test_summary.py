"""What became of each column, with counts."""

import math

import numpy as np
import pandas as pd
import pytest

from rulekit.binning import Binarizer, candidate_summary
from rulekit.exceptions import DataError

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0, 4.0, np.nan, 6.0],
        "colour": ["red", "red", "blue", "green", "blue", "red"],
        "same": ["x"] * 6,
    }
)
Y = ["a", "a", "b", "b", "b", None]


def summaries(later=FRAME, y=None):
    binarizer = Binarizer(thresholds={"size": [2, 4]}).fit(FRAME)
    return {s.name: s for s in candidate_summary(binarizer, later, y)}


def test_bins_ascend_and_missing_values_are_last():
    cells = summaries()["size"].cells
    assert [(c.name, c.n) for c in cells] == [
        ("<= 2", 2),
        ("> 2 to 4", 2),
        ("> 4", 1),
        ("missing", 1),
    ]
    assert (cells[1].low, cells[1].high) == (2, 4)


def test_every_row_is_counted_once_in_each_column():
    assert {sum(c.n for c in s.cells) for s in summaries().values()} == {6}


def test_columns_keep_table_order_and_count_their_conditions():
    found = [(s.name, s.kind, s.n_conditions) for s in summaries().values()]
    assert found == [("size", "ordered", 10), ("colour", "levels", 6), ("same", "nothing", 0)]


def test_shares_count_all_rows_of_a_bin_with_a_class():
    low, _, high, _ = summaries(y=Y)["size"].cells
    assert (low.share("a"), low.share("b")) == (1.0, 0.0)
    assert (high.n, high.counts) == (1, {"a": 0, "b": 0})


def test_an_empty_bin_has_no_share():
    cells = summaries(FRAME.iloc[:2], Y[:2])["size"].cells
    assert math.isnan(cells[2].share("a"))


def test_levels_that_were_not_there_in_training_are_distinguished():
    later = pd.DataFrame({"size": [1.0], "colour": ["violet"], "same": ["x"]})
    assert [(c.name, c.n) for c in summaries(later)["colour"].cells] == [
        ("blue", 0),
        ("green", 0),
        ("red", 0),
        ("not seen in training", 1),
    ]


def test_rare_levels_are_counted_together():
    frame = pd.DataFrame({"x": ["a"] * 9 + ["b"] * 5 + list("cde") * 2})
    (found,) = candidate_summary(Binarizer(max_levels=3).fit(frame), frame)
    assert [(c.name, c.n) for c in found.cells] == [("a", 9), ("b", 5), ("3 rare levels", 6)]


def test_classes_of_another_length_are_refused():
    with pytest.raises(DataError, match="6 expected, 1 given"):
        summaries(y=["a"])
