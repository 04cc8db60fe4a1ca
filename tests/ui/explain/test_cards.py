"""Presenter mode in the units of the data; the list of cases and what it says."""

from types import SimpleNamespace

import pandas as pd
import pytest

from rulekit.style.phrases import Wording
from tests.pages.test_explain import KINDS
from ui.explain.cards import choose_listed, limits
from ui.rule_numbers import ANSWER, ROW, TRUTH


def test_values_and_limits_have_the_units_of_the_data():
    rule, words = KINDS["literals"], Wording(units={"amount": "EUR"}, spoken=True)
    assert limits(rule, "amount", words) == ["the limits are 3000 EUR and 9000 EUR"]
    assert limits(rule, "age", words) == ["the limit is 25"]
    assert limits(rule, "employment", words) == ["the rule checks for permanent, unemployed"]
    assert limits(rule, "savings", words) == []
    assert limits(KINDS["points"], "employment", words) == limits(rule, "employment", words)


@pytest.mark.parametrize(
    ("n_rows", "n_features", "words"),
    [
        (1, 2, "1 case. The prediction is wrong for 1 of those listed."),
        (2, 2, "2 cases. The prediction is wrong for 2 of those listed."),
        (
            2,
            2000,
            "2 cases. Showing 57 of 2,000 features; the search covers all. The prediction is wrong "
            "for 2 of those listed.",
        ),
    ],
)
def test_cases_and_features_of_the_list_are_counted(monkeypatch, n_rows, n_features, words):
    captions = []
    fake = SimpleNamespace(session_state={}, query_params={}, caption=captions.append)
    monkeypatch.setattr("ui.explain.cards.st", fake)
    monkeypatch.setattr("ui.explain.cards.pick_row", lambda *args, **named: None)
    cells = {ROW: 1, TRUTH: "ill", ANSWER: "well"} | {f"x{k}": 0 for k in range(n_features)}
    choose_listed(pd.DataFrame(cells, index=range(n_rows)), n_rows)
    assert captions == [words]
