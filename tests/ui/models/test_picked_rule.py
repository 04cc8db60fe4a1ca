"""The selected rule, and rules side by side."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rulekit import Clause, Literal, RuleSet, load_sample
from rulekit.data.costs import COST
from tests.ui.tasks import Quiet
from ui.learners.spec import CHOSEN, RunSpec
from ui.models.picked_rule import (
    beats_constant,
    constant_words,
    describe_changes,
    find_other_kind,
    measure,
)
from ui.models.points import RunResult
from ui.models.run import quick, work
from ui.state import AppState

Y = pd.Series(["healthy"] * 12 + ["tumor"] * 28)
TABLE = (pd.DataFrame({"a": range(40)}), Y)
STATE = SimpleNamespace(training=TABLE, training_weight=None, error=0.2, spec=RunSpec())
SPEC = quick(RunSpec(folds=3))


def test_a_constant_rule_is_named_as_such_with_its_error():
    words = "No rule found beats always predicting {} ({} of training rows wrong)."
    assert constant_words(RuleSet((), (), "dnf", "tumor"), STATE) == words.format("tumor", "30.0 %")
    always = RuleSet((Clause(()),), ("healthy",), "dnf", "tumor")
    assert constant_words(always, STATE) == words.format("healthy", "70.0 %")


def test_the_error_of_the_most_frequent_outcome_is_beside_a_rule():
    rule = RuleSet((Clause((Literal("a", ">", 5.0),)),), ("healthy",), "dnf", "tumor")
    words = "Always predicting tumor: 30.0 % of training rows wrong."
    assert constant_words(rule, STATE) == words
    worse = SimpleNamespace(**vars(STATE) | {"error": 0.35})
    assert not beats_constant(rule, worse)
    words = "This does not beat always predicting tumor (30.0 % of training rows wrong)."
    assert constant_words(rule, STATE, beats=False) == words
    weight = np.where(Y == "healthy", 3.5, 1.0)  # 42 of 70
    weighted = SimpleNamespace(**vars(worse) | {"training_weight": weight})
    words = "Always predicting healthy: 40.0 % of the weight of training rows wrong."
    assert constant_words(rule, weighted) == words
    assert beats_constant(rule, weighted)
    worse.spec = RunSpec(costs=(5.0, 1.0))
    assert beats_constant(rule, worse)  # costs were minimised, not the number of errors


@pytest.fixture(scope="module")
def state():
    return AppState(table=load_sample("credit"))


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"cost_unit": "EUR"}, "costs"),
        ({"class_weight": "balanced"}, "costs"),
        ({"folds": 5}, "folds"),
        ({"forbidden": ("age",)}, "settings"),
        ({"folds": 5, "costs": (5.0, 1.0)}, "settings"),
    ],
)
def test_the_changed_settings_are_named(state, change, word):
    state = replace(state, run_settings=SPEC.to_dict())
    assert describe_changes(state, replace(SPEC, **change)) == word


@pytest.mark.slow
def test_figures_under_the_same_settings_are_those_of_the_point(state, monkeypatch):
    monkeypatch.setattr("ui.learners.literal.QUICK_SECONDS", 60.0)
    result = RunResult.from_comparison(SPEC, work(SPEC, state)(Quiet()))
    number = next(k for k, s in enumerate(result.settings) if s["max_conditions"] == 3)
    costed = replace(SPEC, costs=(2.0, 2.0))
    selected = replace(state, setting=result.settings[number], run_settings=SPEC.to_dict())
    output = measure(selected, costed, Quiet())
    assert output["test_error"] == pytest.approx(result.points.loc[number, "test_error"])
    assert output[COST] == pytest.approx(200 * output["test_error"])
    assert output["folds"] == 3
    assert "test_error_se" not in output  # three folds are too few
    assert np.isfinite(output).all()


def test_described_outcome_there_and_back_ends_on_the_selected_rule():
    kinds = {}, {"describes": "other"}, {"describes": "other", "label_noise": 1.0}
    settings = [{"learner": "search", "max_conditions": n, **k} for k in kinds for n in (2, 5)]
    selected = {"learner": "search", CHOSEN: 2.0, "n_clauses": 3}
    points = pd.DataFrame({"limit": [2, 5, 2, 5, 2, 5, 5], "test_error": 0.1})
    result = RunResult((*settings, selected), points=points)
    there = find_other_kind(result, selected, "describes", "other")
    assert there == 3
    assert find_other_kind(result, settings[there], "describes", "for") == 6
    assert find_other_kind(result, settings[2], "describes", "for") == 0
    assert find_other_kind(result, settings[2], "label_noise", 1.0) == 4
    assert find_other_kind(result, settings[5], "describes", "for") == 6  # none with less noise
    assert find_other_kind(result, selected, "robustness", 0.1) is None
    points = pd.DataFrame({"limit": 2, "test_error": [0.2, 0.1]})
    twins = RunResult((settings[2], settings[2]), points=points)
    assert find_other_kind(twins, settings[2], "describes", "other") == 1
