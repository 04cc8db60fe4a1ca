"""Names of the outcome's classes, kept by edited rules and notes."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit import Clause, DataError, Literal, RuleSet, Table, from_json, to_json
from ui.data.outcomes import is_code, name_outcomes
from ui.rules.editor import FIELDS, versions_of
from ui.state import AppState
from ui.words import relabel
from ui.workspace import rule_words


@pytest.fixture
def session(monkeypatch):
    """A session that holds an analysis whose target is 0 or 1."""
    frame = pd.DataFrame({"a": np.arange(40), "ill": np.arange(40) % 2, "b": np.arange(40) % 7})
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label=1)
    held = {"app": AppState(table=table)}
    monkeypatch.setattr("ui.state.st.session_state", held)
    monkeypatch.setattr("ui.workspace.st.session_state", held)
    monkeypatch.setattr("ui.workspace.save", lambda: None)
    return held


def test_names_are_kept_tidied_and_an_empty_one_is_taken_back(session):
    name_outcomes({0: " sur\tvived ", 1: "died"})
    assert session["app"].outcomes == {"0": "sur vived", "1": "died"}
    name_outcomes({0: "", 1: "1"})
    state = session["app"]
    assert (state.outcomes, state.positive, state.run_settings) == ({}, 1, {})


@pytest.mark.parametrize("names", [{0: "died", 1: "died"}, {0: "", 1: "0"}])
def test_two_classes_cannot_get_one_name(session, names):
    name_outcomes({0: "survived", 1: ""})
    with pytest.raises(DataError, match="Two classes cannot both be called"):
        name_outcomes(names)
    assert session["app"].outcomes == {"0": "survived"}


def rule(label, default):
    return RuleSet((Clause((Literal("a", ">", 5.0),)),), (label,), "dnf", default)


def test_case_notes_and_rules_follow_the_outcome_names(session):
    session["app"] = AppState(
        table=session["app"].table,
        setting={"edited": "a rule of mine"},
        model="stands for a model",
        rule_json=to_json(rule(1, 0)),
    )
    name_outcomes({0: "survived", 1: "died"})
    state = session["app"]
    assert from_json(state.rule_json) == rule("died", "survived")
    assert state.model is None
    scale = {"base_score": 600.0, "base_odds": 50.0, "points_to_double": 20.0, "label": "survived"}
    version = {name: getattr(state, name) for name in FIELDS}
    session["app"] = replace(state, edits=(version,), own_rule=state.rule_json, scale=scale)
    name_outcomes({0: "alive", 1: "dead"})
    state = session["app"]
    for text in (state.rule_json, state.own_rule, state.edits[0]["rule_json"]):
        assert from_json(text) == rule("dead", "alive")
    assert versions_of(state)[0] == state.edits
    assert state.scale["label"] == "alive"
    notes = {"3": {"answer": "1", "verdict": "agree", "note": "x"}, "4": {"answer": "0"}}
    session["app"] = AppState(table=session["app"].table, case_notes=notes)
    name_outcomes({0: "survived", 1: "died"})
    answers = {k: v["answer"] for k, v in session["app"].case_notes.items()}
    assert answers == {"3": "died", "4": "survived"}
    assert json.dumps(notes)  # and the former ones are as they were
    assert notes["3"]["answer"] == "1"


def test_learned_rule_keeps_its_size_and_error_until_it_is_learned_again(session):
    session["app"] = AppState(
        table=session["app"].table,
        setting={"theta": 2.0},
        model="m",
        rule_json=to_json(rule(1, 0)),
        rule_selected=True,
        error=0.25,
    )
    name_outcomes({0: "survived", 1: "died"})
    state = session["app"]
    assert (state.model, state.setting) == (None, {"theta": 2.0})
    assert from_json(state.rule_json) == rule("died", "survived")
    assert rule_words(state) == "1 condition, 25.0 % wrong in folds"
    assert state.rule_selected
    name_outcomes({0: "survived", 1: None})
    assert session["app"].rule_json is None  # its rows are others
    name_outcomes({0: "survived", 1: "died"})
    state = session["app"]
    session["app"] = replace(state, model="learned again")
    name_outcomes({0: "survived", 1: "died"})
    assert session["app"].model == "learned again"


def test_rest_of_three_classes_is_renamed_with_the_one():
    frame = pd.DataFrame({"a": range(60), "t": [1, 2, 3] * 20})
    table = Table.from_frame(frame).with_roles({"t": "target"}, positive_label=2)
    before, after = AppState(table=table), AppState(table=table, outcomes={"2": "poor"})
    assert relabel(rule("2", "not 2"), before.new_names(after)) == rule("poor", "not poor")


def test_class_that_an_edited_rule_predicts_is_not_left_out(session):
    frame = pd.DataFrame({"a": range(60), "t": ["x", "y", "z"] * 20})
    table, text = Table.from_frame(frame).with_roles({"t": "target"}), to_json(rule("x", "y"))
    versions = tuple({"setting": {}, "rule_json": text, "error": None} for _ in range(2))
    edited = {"setting": {"edited": "mine"}, "rule_json": text, "edits": versions}
    session["app"] = AppState(table=table, every_class=True, **edited)
    for label in ("x", "y"):
        with pytest.raises(DataError, match=f"edited predicts '{label}'. Select a learned rule"):
            name_outcomes({label: None})
    assert session["app"].rule_json == text
    name_outcomes({"z": None})
    state = session["app"]
    assert (state.rule_json, state.edits) == (text, ())  # others may predict the class


def test_costs_stay_with_their_outcomes_when_names_sort_otherwise(session):
    frame = pd.DataFrame({"a": range(60), "t": [1, 2, 3] * 20})
    run = {"costs": (12.0, 13.0, 21.0, 23.0, 31.0, 32.0)}
    table = Table.from_frame(frame).with_roles({"t": "target"})
    session["app"] = AppState(table=table, every_class=True, runs=(run,), run_settings=run)
    name_outcomes({1: "worst", 2: "bad", 3: "fine"})
    matrix, last = session["app"].costs.matrix, session["app"].runs[-1]["costs"]
    assert (matrix["worst", "bad"], matrix["fine", "worst"]) == (12, 31)
    assert last == tuple(matrix.values())


@pytest.mark.parametrize("label", [0, 1, -1, 2.5, True, "0", "x", "Yes", "no"])
def test_values_that_name_no_outcome_are_codes(label):
    assert is_code(label)
    assert not any(map(is_code, ["died", ">50K", "good", "iris 1"]))
