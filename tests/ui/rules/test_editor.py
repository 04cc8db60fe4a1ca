"""Edits of a scorecard; undo and redo; a rule written as text and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import DataError, ExportError, RuleError, Table, load_sample
from rulekit.export import from_json, from_text, to_json, to_text
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet, scorecard_of
from tests.pages.driving import opened, text
from ui.picked import OWN, get_own
from ui.rule_numbers import Cases
from ui.rules import editor
from ui.rules.editor import append_version, obstacle, read_own, versions_of
from ui.state import AppState

TESTS = (Literal("age", ">", 60.0), Literal("bp", ">", 140.0))
CARD = RuleSet(
    tuple(Clause((PointsSplit(TESTS, (3, 2), t),)) for t in (5, 2)), ("ill", "watch"), "dnf", "well"
)
X = {"a": np.array([0.0, 1.0, 2.0, 3.0, np.nan])}


@pytest.fixture
def train():
    columns = {"age": np.array([70.0, 50.0]), "bp": np.array([150.0, 120.0])}
    return Cases("training", None, np.array(["ill", "well"]), columns)


def written(monkeypatch, change, totals, pressed=True):
    requested = iter(totals)
    st = editor.st
    monkeypatch.setattr(st, "data_editor", lambda rows, **_: change(rows))
    monkeypatch.setattr(st, "number_input", lambda *_, value, **__: next(requested) or value)
    monkeypatch.setattr(st, "button", lambda *_, **__: pressed)


def test_points_apply_once_scored_if_totals_can_be_reached(monkeypatch, train):
    written(monkeypatch, lambda rows: rows.assign(points=[4, 1]), [None, 4])
    assert obstacle(CARD) == ""
    edited = editor.edit_card(CARD, train, None, AppState())
    assert [(s.points, s.total) for s in scorecard_of(edited)] == [((4, 1), 5), ((4, 1), 4)]
    assert edited.labels == CARD.labels
    written(monkeypatch, lambda rows: rows, [9, None])
    with pytest.raises(RuleError, match="no row can reach 9"):
        editor.edit_card(CARD, train, None, AppState())


def test_change_of_error_is_shown_before_the_card_changes(monkeypatch, train):
    shown = []
    monkeypatch.setattr(editor.st, "info", shown.append)
    written(monkeypatch, lambda rows: rows, [None, None], pressed=False)
    assert editor.edit_card(CARD, train, None, AppState()) is None
    assert not shown
    written(monkeypatch, lambda rows: rows.assign(points=[-1, -2]), [-1, -2], pressed=False)
    assert editor.edit_card(CARD, train, train, AppState()) is None
    (sentences,) = shown
    plain = sentences.replace("\\", "").replace("\u2060", "")
    assert plain.count("2 of 2 training rows change their prediction; wrong: 0.0 % → 100.0 %") == 2


def rule_at(cut):
    return RuleSet((Clause((Literal("a", ">", float(cut)),)),), ("yes",), "dnf", "no")


def version(cut):
    rule = rule_at(cut)
    setting = {"edited": "by hand"} if cut else {"learner": "search"}
    return {"setting": setting, "rule_json": to_json(rule), "error": None if cut else 0.1}


@given(st.lists(st.one_of(st.integers(0, 3), st.sampled_from(["undo", "redo", "learned"]))))
def test_edits_undo_and_redo_select_the_rule_of_a_plain_list(actions):
    items, index = (version(0),), 0
    undone, done = [], [0]
    for action in actions:
        if action == "undo":
            index = max(index - 1, 0)
            if len(done) > 1:
                undone.append(done.pop())
        elif action == "redo":
            index = min(index + 1, len(items) - 1)
            if undone:
                done.append(undone.pop())
        elif action == "learned":
            index = 0
            while len(done) > 1:
                undone.append(done.pop())
        else:
            items, index = append_version((items, index), version(action))
            if action != done[-1]:
                done, undone = [*done, action], []
        expected = rule_at(done[-1]).predict(X)
        assert from_json(items[index]["rule_json"]).predict(X).tolist() == expected.tolist()
        assert items[index]["error"] == version(done[-1])["error"]
    assert len(items) == len(done) + len(undone)


@pytest.mark.parametrize("other", [{"rule_json": "{}"}, {"setting": {"learner": "tree"}}])
def test_rule_selected_elsewhere_begins_new_versions(other):
    kept = version(0), version(1)
    state = AppState(**kept[1], edits=kept, edit=1)
    assert versions_of(state) == (kept, 1)
    begun = versions_of(replace(state, **other))
    assert (len(begun[0]), begun[1]) == (1, 0)


STATE = AppState(table=load_sample("credit"))
FIRST = from_text("IF income <= 25000 THEN high\nOTHERWISE low")


@pytest.mark.parametrize(
    ("words", "full"),
    [
        ("IF income < 3 THEN high", "1. IF income < 3 THEN high\nOTHERWISE low"),
        ("IF income < 3 THEN low", "1. IF income < 3 THEN low\nOTHERWISE high"),
        ("IF income < 3 THEN high\nOTHERWISE high",) * 2,
        (
            'if housing=="own" and age≥"60" then low\notherwise high',
            'IF housing = "own" AND age >= 60 THEN low\nOTHERWISE high',
        ),
        ("IF age > 60 AND income >= 3 THEN low\nIF age <= 20 THEN high\nOTHERWISE low",) * 2,
    ],
)
def test_rule_is_read_without_numbers_and_its_other_outcome(words, full):
    assert read_own(words, STATE) == from_text(full)


def test_last_line_differs_from_a_column_of_its_name():
    frame = pd.DataFrame({"OTHERWISE": [1.5, 2.5, 4.5, 5.5] * 10, "y": ["a", "b"] * 20})
    table = Table.from_frame(frame).with_roles({"y": "target"}, positive_label="a")
    whole = RuleSet((Clause((Literal("OTHERWISE", ">", 3),)),), ("b",), "dnf", "a")
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
        ("", DataError, "There is no rule"),
        ("IF housing > 3 THEN high", DataError, "'housing' holds words; it cannot be compared"),
        ("IF housing = 3 THEN high", DataError, "'housing' holds words; it cannot be compared"),
        ('IF age = "old" THEN high', DataError, "'age' holds numbers; it cannot be compared"),
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
    (age,) = state.model.rule_set_.schema.columns
    assert (age.low, age.high) == (X["age"].min(), X["age"].max())
    assert state.model.rule_set_.schema.classes == ("high", "low")
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
