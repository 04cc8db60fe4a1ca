"""A rule written as text: what is read, what is refused, and the same figures as any rule."""

from dataclasses import replace

import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from rulekit.exceptions import DataError, ExportError
from rulekit.export import from_json, from_text, to_json, to_text
from rulekit.rules import Clause, Literal, RuleSet
from tests.pages.driving import opened, text
from ui.picked import OWN, get_own
from ui.rules.own_rule import read_own
from ui.state import AppState

STATE = AppState(table=load_sample("credit"))
FIRST = from_text("IF income <= 25000 THEN high\nOTHERWISE low")


@pytest.mark.parametrize(
    ("words", "full"),
    [
        ("IF income < 3 THEN high", "1. IF income < 3 THEN high\nOTHERWISE low"),
        ("IF income < 3 THEN low", "1. IF income < 3 THEN low\nOTHERWISE high"),
        ("IF income < 3 THEN high\nOTHERWISE high",) * 2,
        ("IF age > 60 AND income >= 3 THEN low\nIF age <= 20 THEN high\nOTHERWISE low",) * 2,
    ],
)
def test_rule_is_read_without_numbers_and_its_other_outcome(words, full):
    assert read_own(words, STATE) == from_text(full)


def test_last_line_differs_from_a_column_of_its_name():
    frame = pd.DataFrame({"OTHERWISE": [1.5, 2.5, 4.5, 5.5] * 10, "y": ["a", "b"] * 20})
    table = Table.from_frame(frame).with_roles({"y": "target"}, positive_label="a")
    clause = Clause((Literal("OTHERWISE", ">", 3),))
    whole = RuleSet((clause,), ("b",), "dnf", "a")
    first_line = to_text(whole).splitlines()[1]
    assert "OTHERWISE" in first_line
    assert read_own(first_line, AppState(table=table)) == whole


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ("IF incom < 3 THEN high", DataError, "column 'incom', .* Did you mean 'income'?"),
        ("IF zzz < 3 THEN high", DataError, "Choose one of the features on Data"),
        ("IF income < 3 THEN risky", DataError, "'risky' is no outcome. Use 'high' and 'low'"),
        ('IF housing = "castle" THEN high', DataError, "'housing' has no level 'castle'. It has '"),
        ("IF income << 3 THEN high", ExportError, "Line 1 of the rule needs"),
        ("", ExportError, "holds no rule"),
    ],
)
def test_rule_that_does_not_fit_the_table_is_refused_with_a_hint(words, error, message):
    with pytest.raises(error, match=message):
        read_own(words, STATE)


@pytest.mark.slow
def test_own_rule_is_used_compared_and_undone(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))
    before = replace(STATE, setting={"edited": "made"}, rule_json=to_json(FIRST))
    app = opened("rules", state=before)
    app.text_area(key="own_rule").set_value("IF incom < 3 THEN high").run()
    app.button(key="take_own").click().run()
    assert "Did you mean 'income'?" in text(app)
    app.text_area(key="own_rule").set_value("IF age > 60 THEN low").run()
    app.button(key="take_own").click().run()
    state = app.session_state["app"]
    X, y = state.training
    assert state.setting == {"edited": OWN}
    old, new = (X["income"] <= 25000), ~(X["age"] > 60)
    right = [((rule == (y == "high")) & (old != new)).sum() for rule in (old, new)]
    words = text(app)
    assert f"The second predicts {(old != new).sum()} of {len(y)} training rows" in words
    assert f"the first is correct for {right[0]} of them, the second for {right[1]}." in words
    assert "Your own rule" in words
    app.button(key="improve_own").click().run()
    improved = app.session_state["app"].model.rule_set_
    assert improved.n_conditions in (2, 3)
    assert (improved.predict(X) == y).sum() > (new == (y == "high")).sum()
    app.button(key="undo_edit").click().run()
    app.button(key="undo_edit").click().run()
    state = app.session_state["app"]
    assert state.model.rule_set_ == FIRST
    assert get_own(state).rule_set_ == from_json(state.edits[1]["rule_json"])
    assert get_own(replace(state, outcomes={"high": "risky"})) is None  # it predicts others
