"""Presenter mode names values and their limits as the data does."""

from rulekit.style.phrases import Wording
from tests.pages.test_explain import KINDS
from ui.explain.cards import limits


def test_values_and_limits_have_the_units_of_the_data():
    rule, words = KINDS["literals"], Wording(units={"amount": "EUR"}, spoken=True)
    assert limits(rule, "amount", words) == ["the limits are 3000 EUR and 9000 EUR"]
    assert limits(rule, "age", words) == ["the limit is 25"]
    assert limits(rule, "employment", words) == ["the rule checks for permanent, unemployed"]
    assert limits(rule, "savings", words) == []
    assert limits(KINDS["points"], "employment", words) == limits(rule, "employment", words)
