"""Levels that are the same in another spelling."""

import pytest

from rulekit.data.cells.levels import find_variants, match_level, spelling_of


def test_the_most_frequent_spelling_stands_for_its_variants():
    counts = {"yes": 2, "Yes": 5, "YES": 1, "not  sick": 1, "Not sick": 3, "no": 9}
    assert find_variants(counts) == [("Yes", "yes", "YES"), ("Not sick", "not  sick")]
    assert spelling_of(counts) == {"yes": "Yes", "YES": "Yes", "not  sick": "Not sick"}


@pytest.mark.parametrize(
    ("label", "levels", "level"),
    [
        ("1", [0, 1], 1),
        ("1.0", [0, 1], 1),
        ("true", [False, True], True),
        ("TRUE", [0, 1], 1),
        ("1", [False, True], True),
        (" Sick ", ["sick", "well"], "sick"),
        ("YES", ["Yes", "yes"], None),
        ("Yes", ["Yes", "yes"], "Yes"),
        ("sik", ["sick", "well"], None),
        ("2", [0, 1], None),
        ("None", ["None", "Minor"], "None"),
    ],
)
def test_a_label_means_the_one_level_of_its_meaning(label, levels, level):
    assert match_level(label, levels) == level
