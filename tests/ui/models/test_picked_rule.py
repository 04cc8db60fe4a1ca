"""What stands beside the selected rule."""

from types import SimpleNamespace

import pandas as pd

from rulekit.rules import Clause, Literal, RuleSet
from ui.models.picked_rule import constant_words

Y = pd.Series(["healthy"] * 12 + ["tumor"] * 28)
STATE = SimpleNamespace(training=(pd.DataFrame({"a": range(40)}), Y))


def test_a_constant_rule_is_named_as_such_with_its_error():
    words = "No rule found beats always predicting {} ({} of training rows wrong)."
    assert constant_words(RuleSet((), (), "dnf", "tumor"), STATE) == words.format("tumor", "30.0 %")
    always = RuleSet((Clause(()),), ("healthy",), "dnf", "tumor")
    assert constant_words(always, STATE) == words.format("healthy", "70.0 %")


def test_the_error_of_the_most_frequent_outcome_is_beside_a_rule():
    rule = RuleSet((Clause((Literal("a", ">", 5.0),)),), ("healthy",), "dnf", "tumor")
    words = "Always predicting tumor: 30.0 % of training rows wrong."
    assert constant_words(rule, STATE) == words
