"""What a run has found, as points with labels and a suggestion in the words of the page."""

import pytest

from rulekit.evaluation import Comparison, Family
from tests.evaluation.learners import Stump
from ui.learners.spec import RunSpec
from ui.models.points import RunResult
from ui.picked import model_key


def row(setting, error, literals, fold=0, **more):
    return {
        "setting": setting,
        "learner": "TwoLevelRuleClassifier",
        "method": "search",
        "fold": fold,
        "test_error": error,
        "train_error": error,
        "n_conditions": literals,
        "n_clauses_used": 1.0,
        "objective": 1.0,
        "seconds": 0.1,
        **more,
    }


def test_the_reason_of_a_suggestion_speaks_the_words_of_the_page():
    spec = RunSpec(thetas=(1.0, 2.0), clauses=(1, 1), against=False, robust=False, doubting=False)
    rows = [row(k, 0.1 + 0.1 * k, 3 - k, fold) for k in (0, 1) for fold in (0, 1)]
    reason = RunResult(tuple(rows), spec).suggestion["reason"]
    assert "A short rule, θ 1, at most 1 clause (10.0 % with 3 conditions)" in reason
    assert "literal" not in reason
    assert "learner =" not in reason
    assert "mean cross-validated error" in reason


def test_a_reason_names_an_empty_rule_in_the_words_of_the_page_too():
    spec = RunSpec(
        thetas=(1.0, 2.0, 3.0, 4.0), clauses=(1, 1), against=False, robust=False, doubting=False
    )
    errors, sizes, wobble = (0.18, 0.185, 0.18, 0.18), (1, 0, 0, 0), (0.0, 0.001, 0.0, 0.001)
    rows = [
        row(k, errors[k] + (fold or -1) * wobble[k], sizes[k], fold)
        for k in range(4)
        for fold in (0, 1)
    ]
    reason = RunResult(tuple(rows), spec).suggestion["reason"]
    assert "An empty rule, A short rule, θ 4, at most 1 clause, which gives every row" in reason
    assert "learner =" not in reason


def test_the_f1_of_a_rule_against_the_class_is_that_of_the_class():
    spec = RunSpec(thetas=(1.0,), clauses=(1, 1), robust=False, doubting=False)
    counts = {"test_tp": 6.0, "test_fp": 1.0, "test_fn": 2.0, "test_tn": 3.0, "test_f1": 0.8}
    points = RunResult((row(0, 0.25, 1, **counts), row(1, 0.25, 1, **counts)), spec).points
    assert points.loc[0, "one_minus_f1"] == pytest.approx(1 - 0.8)
    assert points["series"].tolist() == ["A short rule", "A short rule, against"]


def test_a_comparison_becomes_points_whose_models_are_found_by_their_setting():
    spec = RunSpec(
        learners=("one_level",), thetas=(1.0, 2.0), folds=2, clauses=(1, 1), baselines=False
    )
    rows = tuple(row(k, 0.1 + 0.1 * k, 3 - k, fold) for k in (0, 1) for fold in (0, 1))
    family = Family("One clause", Stump(), {"theta": [1.0, 2.0]})
    whole = RunResult.of(Comparison((family,), 2, "", rows, models={1: "mine"}), spec)
    assert whole.complete
    assert whole.points["theta"].tolist() == [1.0, 2.0]
    assert whole.models == {model_key(whole.settings[1]): "mine"}
    assert whole.number_of(whole.settings[1]) == 1


def test_the_points_of_a_first_pass_are_said_to_be_of_one():
    spec = RunSpec(learners=("one_level",), thetas=(1.0, 2.0), folds=2)
    rows = tuple(row(k, 0.1, 3, fold) for k in (0, 1) for fold in (0, 1))
    family = Family("One clause", Stump(), {"theta": [1.0, 2.0]})
    first = Comparison((family,), 2, "", (), rows, part_of_rows=(50, 1200))
    found = RunResult.of(first, spec)
    assert found.finished == 0
    assert not found.complete
    part = "learned from 50 of the 1,200 rows of a fold"
    assert found.draft == f"First pass, without disturbances, {part}"
    assert len(found.points) == 2
