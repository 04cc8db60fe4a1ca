"""Levels that differ in case and spaces alone."""

import pandas as pd

from rulekit.data.cells.levels import find_variants, merge_variants
from rulekit.data.cells.texts import encode_series


def test_the_most_frequent_spelling_stands_for_its_variants():
    counts = {"yes": 2, "Yes": 5, "YES": 1, "not  sick": 1, "Not sick": 3, "no": 9}
    assert find_variants(counts) == [("Yes", "yes", "YES"), ("Not sick", "not  sick")]


def test_variants_are_merged_and_gaps_are_kept():
    column = encode_series(pd.Series(["a", "A", None, "a", "b"], name="v"))
    merged, spelling = merge_variants(column)
    assert spelling == {"A": "a"}
    assert [None if k < 0 else merged.texts[int(k)].as_py() for k in merged.codes] == [
        *("a", "a", None, "a", "b")
    ]
