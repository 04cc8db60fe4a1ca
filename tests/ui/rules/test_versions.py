"""Versions of an edited rule: undo and redo select what a plain list of versions holds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.export import from_json, to_json
from rulekit.rules import Clause, Literal, RuleSet
from ui.rules.versions import Versions, versions_of
from ui.state import AppState

X = {"a": np.array([0.0, 1.0, 2.0, 3.0, np.nan])}


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
            versions = versions.at(versions.index - 1)
            if len(done) > 1:
                undone.append(done.pop())
        elif action == "redo":
            versions = versions.at(versions.index + 1)
            if undone:
                done.append(undone.pop())
        elif action == "learned":
            versions = versions.at(0)
            while len(done) > 1:
                undone.append(done.pop())
        else:
            versions = versions.added(version(action))
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
