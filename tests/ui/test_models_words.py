"""Sentences and estimates of the Models page that need no page."""

from dataclasses import replace

import pytest

from ui.jobs import Job
from ui.learners import RunSpec
from ui.models_points import outcome_of
from ui.models_progress import cancelled_words
from ui.prices import price_words


def job(done, total):
    found = Job("Sweep", "owner", "")
    found._begin()
    found.report(done=done, total=total)
    return found


def test_a_run_cancelled_at_its_reference_models_is_not_called_partial():
    said = cancelled_words(job(900, 900))
    assert "partial" not in said
    assert "All 900 fits are done" in said
    assert "reference models" in said


@pytest.mark.parametrize(("done", "words"), [(0, "no fit finished"), (7, "partial: 7 of 900")])
def test_a_run_cancelled_earlier_says_how_far_it_came(done, words):
    assert words in cancelled_words(job(done, 900))


def row(setting, error, literals, fold=0, **more):
    return {
        "setting": setting,
        "learner": "TwoLevelRuleClassifier",
        "method": "search",
        "fold": fold,
        "test_error": error,
        "train_error": error,
        "n_literals": literals,
        "n_clauses_used": 1.0,
        "objective": 1.0,
        "seconds": 0.1,
        **more,
    }


def test_the_reason_of_a_suggestion_speaks_the_words_of_the_page():
    spec = RunSpec(thetas=(1.0, 2.0), clauses=(1, 1), against=False, robust=False, doubting=False)
    rows = [row(k, 0.1 + 0.1 * k, 3 - k, fold) for k in (0, 1) for fold in (0, 1)]
    reason = outcome_of(rows, spec).suggestion["reason"]
    assert "Box search, θ 1, at most 1 clause (10.0 % with 3 conditions)" in reason
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
    reason = outcome_of(rows, spec).suggestion["reason"]
    assert "An empty rule, Box search, θ 4, at most 1 clause, which gives every row" in reason
    assert "learner =" not in reason


def test_the_f1_of_a_rule_against_the_class_is_that_of_the_class():
    spec = RunSpec(thetas=(1.0,), clauses=(1, 1), robust=False, doubting=False)
    counts = {"test_tp": 6.0, "test_fp": 1.0, "test_fn": 2.0, "test_tn": 3.0, "test_f1": 0.8}
    points = outcome_of([row(0, 0.25, 1, **counts), row(1, 0.25, 1, **counts)], spec).points
    assert points.loc[0, "one_minus_f1"] == pytest.approx(1 - 0.8)
    assert points.loc[1, "one_minus_f1"] == pytest.approx(1 - 2 * 3 / (2 * 3 + 2 + 1))
    assert points["series"].tolist() == ["Box search", "Box search, against"]


def test_a_price_is_explained_in_rows():
    assert price_words(2.0, 400).startswith(
        "Each condition must save at least 2 misclassified training rows (of 400, 0.5 %)."
    )
    assert "1 misclassified training row (" in price_words(1.0, 400)


@pytest.mark.parametrize(("draft", "said"), [("First pass", True), ("", False)])
def test_a_run_says_that_its_first_pass_stays_if_it_stands_and_only_then(draft, said):
    found = job(7, 900)
    found.report(standing=replace(outcome_of([], RunSpec()), draft=draft))
    assert ("The points of the first pass stay." in cancelled_words(found)) is said
