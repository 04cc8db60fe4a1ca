"""Rules and cells in words; protected attributes, recognised by words of a column's name."""

import pandas as pd
import pytest

from rulekit import Clause, Literal, RuleSet, from_text
from rulekit.style.phrases import Wording
from ui.words import difference, find_fixed_columns, looks_protected, rule_words, value_words


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("2024-03-01 00:00:00", "2024-03-01"),
        (pd.Timestamp("2024-03-01"), "2024-03-01"),
        ("2024-03-01 12:30:00", "2024-03-01 12:30:00"),
        ("1 day 00:00:00", "1 day 00:00:00"),
        (-5.660217, "-5.660217"),  # above the limit
        (-5.660218, "-5.660218"),
        (1 / 3, "0.333333"),
    ],
)
def test_cells_are_written_without_needless_parts(cell, words):
    assert value_words(cell, (-5.660218, 3.0)) == words


def test_only_whole_words_of_a_name_are_protected():
    names = ["age", "Age_in_years", "applicantSex", "race/region", "SEX", "ETHNICITY"]
    assert all(map(looks_protected, names))
    assert not any(map(looks_protected, ["mileage", "sexy_index", "racecourse", "wage", "", 3]))


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


X = pd.DataFrame({"age": [30.0, 52.0, 60.0, 70.0], "town": ["a", "b", "a", "b"]})
OUTCOMES = pd.Series(["well", "ill", "well", "ill"])
FIRST = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")


def result(second, wording=None):
    return difference(FIRST, from_text(second), X, OUTCOMES, wording or Wording())


def test_moved_threshold_has_the_column_label_and_unit():
    words = Wording(names={"age": "Age"}, units={"age": "years"})
    sentences, clauses = result("1. IF age > 65 THEN ill\nOTHERWISE well", words)
    assert "Age > 50 years becomes > 65 years." in sentences[1]
    assert "predicts 2 of 4 training rows differently (2 become well)" in sentences[-1]
    assert clauses == "- Age > 50 years\n+ Age > 65 years"
    sentences, clauses = result("1. IF age > 50 THEN ill\nOTHERWISE well")
    assert sentences[-1] == "Both predict the same for all 4 training rows."
    assert clauses == ""


def test_clauses_of_one_rule_only_are_listed_with_their_sign():
    sentences, clauses = result(
        '1. IF age > 50 THEN ill\n2. IF town = "a" THEN ill\nOTHERWISE well'
    )
    assert sentences[0] == "1 clause in both, 1 clause in the second only."
    assert "predicts 1 of 4 training rows differently (1 becomes ill)" in sentences[-1]
    assert clauses == "  age > 50\n+ town is 'a'"
