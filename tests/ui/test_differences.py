"""Two rules compared in words."""

import pandas as pd

from rulekit.export import from_text
from rulekit.style.phrases import Wording
from ui.differences import difference

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
