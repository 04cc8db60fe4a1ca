"""Presenter mode in the units of the data; the list of cases and what it says."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rulekit.rules import Clause, Literal, RuleSet
from rulekit.style.phrases import Wording
from tests.pages.test_explain import KINDS
from ui.explain.cards import choose_listed, count_alike, limits, similar
from ui.rule_numbers import ANSWER, ROW, TRUTH, Cases
from ui.state import AppState


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
        (1, 2, "1 case."),
        (2, 2, "2 cases."),
        (2, 2000, "2 cases. Showing 57 of 2,000 features; the search covers all."),
    ],
)
def test_cases_and_features_of_the_list_are_counted(monkeypatch, n_rows, n_features, words):
    captions = []
    fake = SimpleNamespace(session_state={}, query_params={}, caption=captions.append)
    monkeypatch.setattr("ui.explain.cards.st", fake)
    monkeypatch.setattr("ui.explain.cards.pick_row", lambda *args, **named: None)
    cells = {ROW: 1, TRUTH: "ill", ANSWER: "well"} | {f"x{k}": 0 for k in range(n_features)}
    choose_listed(pd.DataFrame(cells, index=range(n_rows)), n_rows)
    assert captions == [f"{words} The prediction is wrong for {n_rows} of those listed."]


def test_tests_of_a_scorecard_are_counted_as_conditions_alike(monkeypatch):
    monkeypatch.setattr("ui.explain.cards.st.dataframe", lambda table, **_: shown.append(table))
    case, shown = SimpleNamespace(row=0, label="high", agreement=0.75, values={}), []
    explanation, train = SimpleNamespace(similar=lambda n: [case]), pd.DataFrame(index=[4])
    similar(explanation, KINDS["points"], {}, SimpleNamespace(X=train), AppState())
    assert shown[0]["conditions alike"].tolist() == ["3 of 4"]


def test_past_cases_with_the_same_answers_to_all_conditions_are_counted():
    first = Clause((Literal("age", ">", 50.0), Literal("town", "==", "a")))
    rule = RuleSet((first, Clause((Literal("age", ">", 80.0),))), ("ill", "ill"), "dnf", "well")
    ages, towns = [20.0, 60.0, 60.0, 90.0, 70.0], np.array(["a", "b", "b", "b", "b"], dtype=object)
    train = Cases(
        "training", pd.DataFrame(), np.array(["well", "ill", "well", "ill", "well"], dtype=object),
        {"age": np.array(ages), "town": towns},
    )  # fmt: skip
    words = "with the same answer to each question of the rule"
    for k, sentence in (
        (1, f"Of 3 past cases {words}, 2 were well."),
        (0, f"Of 1 past case {words}, 1 was well."),
        (3, f"Of 1 past case {words}, 1 was ill."),
    ):
        row = {name: cells[[k]] for name, cells in train.columns.items()}
        assert count_alike(rule, row, train) == sentence
    row = {"age": np.array([90.0]), "town": np.array(["a"], dtype=object)}
    assert count_alike(rule, row, train) == f"No past case has{words.removeprefix('with')}."
