"""Edits of a scorecard; undo and redo."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.export import from_json, to_json
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet, scorecard_of
from ui.rule_numbers import Cases
from ui.rules import editor
from ui.rules.editor import Versions, obstacle, versions_of
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
    error = None if cut else 0.1
    return {"setting": setting, "rule_json": to_json(rule), "error": error}


@given(st.lists(st.one_of(st.integers(0, 3), st.sampled_from(["undo", "redo", "learned"]))))
def test_edits_undo_and_redo_select_the_rule_of_a_plain_list(actions):
    versions = Versions((version(0),))
    undone, done = [], [0]
    for action in actions:
        if action == "undo":
            versions = versions.select(versions.index - 1)
            if len(done) > 1:
                undone.append(done.pop())
        elif action == "redo":
            versions = versions.select(versions.index + 1)
            if undone:
                done.append(undone.pop())
        elif action == "learned":
            versions = versions.select(0)
            while len(done) > 1:
                undone.append(done.pop())
        else:
            versions = versions.append(version(action))
            if action != done[-1]:
                done, undone = [*done, action], []
        expected = rule_at(done[-1]).predict(X)
        assert from_json(versions.current["rule_json"]).predict(X).tolist() == expected.tolist()
        assert versions.current["error"] == version(done[-1])["error"]
    assert len(versions.items) == len(done) + len(undone)


@pytest.mark.parametrize("other", [{"rule_json": "{}"}, {"setting": {"learner": "tree"}}])
def test_rule_selected_elsewhere_begins_new_versions(other):
    kept = Versions((version(0), version(1)), 1)
    state = AppState(**kept.current, edits=kept.items, edit=1)
    assert versions_of(state) == kept
    begun = versions_of(replace(state, **other))
    assert (len(begun.items), begun.index) == (1, 0)
