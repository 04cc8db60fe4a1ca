"""Differences between two rules in words."""

import pandas as pd
import pytest

from rulekit.export import from_text
from rulekit.style.phrases import Wording
from ui.models.side_by_side import difference

X = pd.DataFrame({"age": [30.0, 52.0, 60.0, 70.0], "town": ["a", "b", "a", "b"]})
Y = pd.Series(["well", "ill", "well", "ill"])
FIRST = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")


def result(second, wording=None):
    return difference(FIRST, from_text(second), X, Y, wording or Wording())


def test_the_same_rule_is_reported_as_the_same():
    sentences, clauses = result("1. IF age > 50 THEN ill\nOTHERWISE well")
    assert sentences == [
        "The two rules have the same clauses.",
        "Both predict the same for all 4 learning rows.",
    ]
    assert clauses == ""


def test_moved_threshold_has_the_column_label_and_unit():
    words = Wording(names={"age": "Age"}, units={"age": "years"})
    sentences, clauses = result("1. IF age > 65 THEN ill\nOTHERWISE well", words)
    assert sentences == [
        "1 clause in both with other thresholds.",
        "From the first to the second, Age > 50 years becomes > 65 years.",
        "The second predicts 2 of 4 learning rows differently (2 become well): the first is "
        "correct for 1 of them, the second for 1.",
    ]
    assert clauses == "- Age > 50 years\n+ Age > 65 years"


def test_clauses_of_one_rule_only_are_listed_with_their_sign():
    sentences, clauses = result(
        '1. IF age > 50 THEN ill\n2. IF town = "a" THEN ill\nOTHERWISE well'
    )
    assert sentences[0] == "1 clause in both, 1 clause in the second only."
    assert "predicts 1 of 4 learning rows differently (1 becomes ill)" in sentences[-1]
    assert clauses == "  age > 50\n+ town is 'a'"


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        ("OTHERWISE well", "1 clause in the first only."),
        (
            "1. IF age > 50 THEN ill\nOTHERWISE ill",
            "Rows without a matching clause get another prediction",
        ),
    ],
)
def test_other_differences_are_reported(second, sentence):
    assert sentence in " ".join(result(second)[0])
