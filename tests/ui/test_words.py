"""Cells in words; protected attributes, recognised by whole words of a column's name."""

import pandas as pd
import pytest

from rulekit.rules import Clause, Literal, RuleSet
from ui.words import fixed_columns, looks_protected, value_words


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("2024-03-01 00:00:00", "2024-03-01"),
        (pd.Timestamp("2024-03-01"), "2024-03-01"),
        ("2024-03-01 12:30:00", "2024-03-01 12:30:00"),
        ("1 day 00:00:00", "1 day 00:00:00"),
    ],
)
def test_dates_without_time_of_day_are_days(cell, words):
    assert value_words(cell) == words


@pytest.mark.parametrize(
    "name", ["age", "Age_in_years", "applicantSex", "race/region", "SEX", "ETHNICITY"]
)
def test_a_word_of_the_name_is_enough(name):
    assert looks_protected(name)


@pytest.mark.parametrize("name", ["mileage", "sexy_index", "racecourse", "wage", "", 3])
def test_part_of_a_word_is_not(name):
    assert not looks_protected(name)


def test_only_columns_of_the_rule_are_left_alone():
    tests = (Literal("age", ">", 40), Literal("wage", "<=", 3), Literal("sex", "==", "f"))
    rule = RuleSet((Clause(tests),), ("yes",), "dnf", "no")
    assert sorted(fixed_columns(rule)) == ["age", "sex"]
