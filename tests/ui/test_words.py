"""Rules and cells in words; protected attributes, recognised by words of a column's name."""

import pandas as pd
import pytest

from rulekit.rules import Clause, Literal, RuleSet
from rulekit.style.phrases import Wording
from ui.words import find_fixed_columns, looks_protected, rule_words, value_words


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


def test_lists_begin_with_else_and_only_read_columns_are_fixed():
    tests = (Literal("age", ">", 40), Literal("wage", "<=", 3), Literal("sex", "==", "f"))
    rule = RuleSet((Clause(tests),), ("yes",), "dnf", "no")
    assert sorted(find_fixed_columns(rule)) == ["age", "sex"]
    clauses = [Clause((Literal("age", ">", limit),)) for limit in (60.0, 40.0)]
    for labels, word in ((("a", "a"), "OR IF"), (("a", "b"), "ELSE IF")):
        text = rule_words(RuleSet(tuple(clauses), labels, "dnf", "c"), Wording())
        assert text.splitlines()[2].startswith(word)


@pytest.mark.parametrize("op", ["in", "not-in"])
def test_rule_on_screen_has_every_level(op):
    levels = tuple(f"kind {k}" for k in range(30))
    rule = RuleSet((Clause((Literal("species", op, levels),)),), ("yes",), "dnf", "no")
    assert all(f"'{level}'" in rule_words(rule, Wording()) for level in levels)
