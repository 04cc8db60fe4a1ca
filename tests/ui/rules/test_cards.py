"""The views "Operating points" and "Probabilities" of Rules: a picked point becomes the rule."""

import json

import numpy as np
import pandas as pd
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates

from rulekit import Clause, Literal, RuleSet, load_sample
from rulekit.evaluation import brier_score, operating_points
from rulekit.rules import RuleCheck
from tests.pages.driving import on_tab, opened, routed, text
from ui.learners.offered import RunSpec
from ui.rule_numbers import Cases
from ui.rules.cards import alarms
from ui.state import AppState

QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False, costs=(5.0, 1.0), cost_unit="EUR")


@pytest.fixture
def on_rules(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path))
    setting = {"learner": "alternating", "theta": 2.0, "n_clauses": 3}

    def on(tab, setting=setting):
        state = AppState(table=load_sample("credit"), setting=setting, run_settings=QUICK.to_dict())
        return on_tab(opened("rules", state=state), tab)

    with routed():
        yield on


def test_a_rule_without_errors_is_questioned_for_any_number_of_columns(monkeypatch):
    warnings = []
    monkeypatch.setattr("ui.rules.cards.st.warning", warnings.append)
    monkeypatch.setattr("ui.rules.cards.app_state", AppState)
    rule = RuleSet((Clause((Literal("a", ">", 0.5), Literal("b", ">", 0.5))),), (1,), "dnf", 0)
    columns = {"a": np.arange(2.0), "b": np.arange(2.0)}
    alarms(rule, Cases("training", pd.DataFrame(columns), np.array([0, 1], dtype=object), columns))
    reads = "whether it reads what contains the outcome or is known only after it: a, b."
    assert [words.endswith(reads) for words in warnings] == [True]


@pytest.mark.slow
def test_no_more_is_called_free_of_faults_than_was_checked(on_rules, monkeypatch):
    checked = RuleCheck((), tuple("abcdef"))
    monkeypatch.setattr("ui.rules.cards.verify_rule", lambda *_, **__: checked)
    app = on_rules("Checks")
    assert "No fault found in what was checked." in [info.value for info in app.info]
    assert "Not checked: 6 questions" in [one.label for one in app.expander]


def points_shown(app):
    (table,) = [t.value for t in app.dataframe if "false positive rate" in t.value]
    return table


@pytest.mark.slow
def test_clauses_are_listed_one_after_another_with_their_costs(on_rules):
    app = on_rules("Operating points")
    state = app.session_state["app"]
    X, y = state.training
    points = operating_points(state.model, X, y, costs=QUICK.error_costs(["high", "low"]))
    table = points_shown(app)
    assert table["clauses on"].iloc[0] == "none"
    (shown,) = [t.proto.columns for t in app.dataframe if "false positive rate" in t.value]
    words = 'Rows that are "high", of those predicted "high".'
    assert json.loads(shown)["precision"]["help"] == words
    assert table["cost a 100"].tolist() == [f"{v:.4g}" for v in points["cost_per_100"]]
    recall = [f"{100 * v:.1f} %" for v in points["found"]]
    assert table["recall (true positive rate)"].tolist() == recall


@pytest.mark.slow
@pytest.mark.parametrize("by", ["clauses", "chances"])
def test_picked_point_is_the_current_rule_and_others_remain(on_rules, by):
    app = on_rules("Operating points")
    app.segmented_control(key="operating_by").set_value(by).run()
    before, learned = points_shown(app), app.session_state["app"].model
    assert len(before) > 2
    X, y = app.session_state["app"].training
    app = pick(app, 1)
    state = app.session_state["app"]
    assert "edited" in state.setting
    said = (state.model.predict(X) == "high").mean()
    told = points_shown(app)
    assert told.equals(before)
    assert told["predicted"].iloc[1] == f"{100 * said:.1f} %"
    if by == "clauses":
        assert said == operating_points(learned, X, y)["called_positive"].iloc[1]


@pytest.mark.slow
def test_probabilities_are_of_the_outcome_that_the_page_describes(on_rules):
    setting = {"learner": "search", "max_conditions": 4, "describes": "other"}
    app = on_rules("Operating points", setting)
    app.segmented_control(key="operating_by").set_value("chances").run()
    table, state = points_shown(app), app.session_state["app"]
    assert state.model.positive_label_ == "low"
    assert (table.columns[0], table.iloc[0, 0]) == ("probability of high above", "any")
    X, _ = state.training
    high = state.model.predict_proba(X)[:, state.model.classes_.tolist().index("high")]
    for cut, shown in table.iloc[1:, :2].to_numpy():
        share = (high > float(cut.removesuffix(" %")) / 100 + 5e-4).mean()
        assert shown == f"{100 * share:.1f} %"


def pick(app, place):
    """Mark a row of the table of points, as a browser reports it."""
    (table,) = [t for t in app.dataframe if "false positive rate" in t.value]
    states = WidgetStates()
    state = states.widgets.add()
    state.id = table.proto.id
    marked = {"rows": [place], "columns": [], "cells": [[place, table.value.columns[0]]]}
    state.string_value = json.dumps({"selection": marked})
    app.session_state["operating_by"] = app.segmented_control(key="operating_by").value
    app = app._run(states)
    return on_tab(app, "Operating points")


@pytest.mark.slow
def test_probabilities_are_held_against_what_came_true(on_rules):
    app = on_rules("Probabilities")
    state = app.session_state["app"]
    X, y = state.training
    chance = state.model.predict_proba(X)[:, list(state.model.classes_).index("high")]
    true = (y == "high").to_numpy()
    words, score = text(app), f"{brier_score(true, chance):.3f}"
    assert f"{score}; always predicting {100 * true.mean():.1f} %" in words
    (table,) = [t.value for t in app.dataframe if "observed" in t.value]
    assert table["rows"].sum() == len(y)
    assert np.isclose(chance.mean(), true.mean(), atol=0.03)
    assert "which flatters it" in words
    assert "At the given costs, predicting high is cheaper from 16.7 % on." in words
