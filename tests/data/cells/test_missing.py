"""Where "None" and "NA" are levels."""

import pytest

from rulekit.data.cells.missing import is_level


@pytest.mark.parametrize(
    ("word", "others", "among_numbers", "level"),
    [
        ("None", ["Minor", "Severe"], (), True),
        ("None", ["Minor", "Severe"], ("None",), False),
        ("None", ["Yes", "no"], (), False),
        ("None", [f"name {k}" for k in range(51)], (), False),
        ("None", [], (), False),
        ("NA", ["DE", "FR"], (), True),
        ("NA", ["DE", "FR", "GBR"], (), False),
        ("NA", ["DE"], (), False),
        ("NA", ["DE", "FR"], ("None", "NA"), False),
    ],
)
def test_a_word_is_a_level_where_other_values_make_it_likelier(word, others, among_numbers, level):
    assert is_level(word, others, among_numbers) == level
