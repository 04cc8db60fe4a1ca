"""Paths: one search for each kind of setting, and the same rules as single fits."""

from unittest.mock import Mock

import pytest
from sklearn.base import clone

from rulekit import BoxSearchClassifier, OneLevelRuleClassifier, ScorecardClassifier
from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.learners.literal import box_search, boxes
from rulekit.learners.paths import Paths, identify
from tests.learners.tables import mixed_table

SEARCH = BoxSearchClassifier(n_perturbations=0, random_state=0, positive_label="yes")
GRID = {
    "robustness": [0.0, 0.1],
    "n_clauses": [1, 3, 6],
    "theta": [0.5, 3.0],
    "max_conditions": [None, 2],
    "refine_thresholds": [False, True],
}


def paths_of(learner, **table):
    X, y = mixed_table(**table)
    return Paths(learner, learner._read(X, y, None)), X, y


def test_one_search_answers_all_settings_of_a_kind(monkeypatch):
    search = Mock(side_effect=boxes.search)
    monkeypatch.setattr(boxes, "search", search)
    paths, *_ = paths_of(SEARCH, n=80)
    settings = settings_of(GRID)
    assert len(settings) == 48
    for setting in settings:
        paths.rule(setting)
    assert search.call_count == len(paths.paths) == 4  # two levels, and six clauses beyond five


@pytest.mark.parametrize(
    ("learner", "grid"),
    [
        (SEARCH, {"theta": [0.5, 3.0], "n_clauses": [1, 3], "refine_thresholds": [True]}),
        (ScorecardClassifier(calibration_folds=0), {"max_conditions": [0, 1, 3]}),
        (OneLevelRuleClassifier(), {"theta": [0.5, 3.0]}),
    ],
    ids=["search", "points", "one clause"],
)
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_rule_and_model_of_a_setting_equal_a_single_fit(learner, grid):
    paths, X, y = paths_of(learner, n=80)
    for setting in settings_of(grid):
        alone = clone(learner).set_params(**setting).fit(X, y)
        assert paths.rule(setting) == paths.model(setting).rule_set_ == alone.rule_set_


def test_wrong_values_are_rejected_and_types_distinguished():
    paths, *_ = paths_of(SEARCH, n=40)
    paths.rule({"theta": 1.0})
    with pytest.raises(ValueError, match="'theta' parameter of BoxSearchClassifier must be"):
        paths.model({"theta": -1.0})
    with pytest.raises(ValueError, match="`max_conditions` is read only where `refine` is False"):
        paths.model({"max_conditions": 2, "refine": True})
    assert len(set(identify([{"a": 1, "b": None}, {"b": None, "a": 1}]))) == 1
    assert len(set(identify([{"a": 1}, {"a": 1.0}, {"a": True}, {"a": [1]}, {"a": [1]}]))) == 5


def test_rules_are_learned_when_read_and_cuts_moved_once_a_size(monkeypatch):
    refine, move = Mock(side_effect=box_search.refine_selection), Mock(return_value=({}, 1.0))
    monkeypatch.setattr(box_search, "refine_selection", refine)
    monkeypatch.setattr(box_search, "refine_cuts", move)
    same = [{"theta": 1.0}] * 4
    stops = iter([False, True])
    paths, *_ = paths_of(clone(SEARCH).set_params(refine=True), n=40)
    paths.score(same, lambda rule: [0.0], 1, lambda: next(stops))
    assert refine.call_count == 1
    paths, *_ = paths_of(clone(SEARCH).set_params(refine_thresholds=True), n=40)
    paths.score(same, lambda rule: [0.0], 1)
    assert move.call_count == 1
