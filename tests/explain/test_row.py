"""Explanations of rows: they agree with the prediction, and say it in words."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import BoxSearchClassifier, DataError, RuleError, from_text
from rulekit.explain import explain
from rulekit.explain.similar import similar_cases, training_rows
from rulekit.rules import (
    Clause,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLaw,
    PowerLawSplit,
    RuleSet,
)
from rulekit.style.phrases import MAX_LISTED, Wording, clause_words
from tests.explain.tables import PLAIN, FakeModel, cases, patients, rule_sets, tables

YOUNG = pd.DataFrame({"glucose": [141.0], "age": [44.0], "colour": ["blue"]})


@given(cases(PLAIN))
def test_prediction_and_fired_clauses_equal_the_rule(case):
    rule, columns = case
    answers, fired = rule.predict(columns), rule.clauses_fired(columns)
    for i, result in enumerate(explain(rule, columns)):
        assert result.prediction == answers[i]
        holds = np.flatnonzero(fired[i] if rule.form == "dnf" else ~fired[i]).tolist()
        decides = holds[0] if holds else rule.n_clauses
        turning = [m.index < decides and m.label != answers[i] for m in result.near_misses]
        assert turning == sorted(turning, reverse=True)  # those that would change the answer first
        if rule.form == "cnf" and not holds:
            holds = list(range(rule.n_clauses))
        assert [c.index for c in result.fired] == holds
        assert all(c.holds for clause in result.fired for c in clause.checks)
        assert all(m.failing for m in result.near_misses)
        assert {*holds, *(m.index for m in result.near_misses)} == set(range(rule.n_clauses))


@given(rule_sets(PLAIN), tables(PLAIN, n=2))
def test_explanation_as_dict_is_standard_json(rule, columns):
    for result in explain(rule, columns, training=columns):
        plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert plain["answer"] == result.prediction


SPOKEN = Wording(spoken=True)
NO_SIGNS = re.compile(r"[<>=≤≥≠±θντ%*^/→'\"]|clause|condition|literal|\bDNF|\bCNF", re.IGNORECASE)
SUMS = (
    LinearSplit((("age", 0.5), ("bmi", -1.0)), "<=", 3.0),
    PowerLawSplit((PowerLaw(2.0, (Factor("age", 2), Factor("bmi", -1, floor=0.1))),), 27.0),
    PowerLawSplit((PowerLaw(1.0, (Factor("age"),)),), 2.0, 1.0, inside=False, missing=True),
    PointsSplit((Literal("age", ">", 0.5), Literal("bmi", "<=", 0.2)), (3, 2), 5),
)


@pytest.mark.slow
@given(cases({"age": "number", "bmi": "number", "smoker": "flag"}), st.sampled_from(SUMS))
def test_plain_words_hold_no_sign_and_no_term_of_logic(case, split):
    rule, columns = case
    names = {rule.default: "well"}
    labels = tuple(names.get(label, "ill") for label in rule.labels)
    clauses = tuple(replace(c, conditions=(*c.conditions, split)) for c in rule.clauses)
    for plain_clauses in (rule.clauses, clauses):
        spoken_rule = RuleSet(plain_clauses, labels, rule.form, "well")
        columns = {"age": columns["age"], "bmi": columns["bmi"], "smoker": columns["smoker"]}
        truth = ["well"] * len(columns["age"])
        for result in explain(spoken_rule, columns, training=(columns, truth), wording=SPOKEN):
            misses = [m.sentence for m in result.near_misses]
            sentences = [result.sentence, *result.supporting, *misses]
            assert not [s for s in sentences if NO_SIGNS.search(s)]
        for clause in spoken_rule.clauses:
            assert not NO_SIGNS.search(clause_words(clause, SPOKEN))


def test_columns_not_read_are_listed_except_the_outcome():
    rule, frame = patients()
    outcome = pd.Series(["ill", "well", "well", "well"], name="outcome")
    whole = frame.assign(outcome=outcome)
    for known in ({"y": outcome}, {"training": (frame, outcome)}):
        assert explain(rule, whole, **known)[0].supporting[-1] == "Not used: zip."
    assert explain(rule, whole)[0].supporting[-1] == "Not used: zip and outcome."
    whole = frame.assign(**{"None": 1.0})
    plain = np.array(["ill", "well", "well", "well"])
    assert explain(rule, whole, plain)[0].supporting[-1] == "Not used: zip and None."
    X = pd.DataFrame({"x": np.arange(60.0), "noise": 1.0 + np.arange(60) % 2})
    y = pd.Series(np.where(X["x"] < 30, "low", "high"), name="noise")
    assert explain(BoxSearchClassifier().fit(X, y), X, y)[0].supporting[-1] == "Not used: noise."


def test_unused_columns_include_those_the_model_has_not_seen():
    _, frame = patients()
    frame = pd.concat([frame] * 20, ignore_index=True)
    model = BoxSearchClassifier().fit(frame[["glucose", "age"]], ["ill", "well"] * 40)
    genes = pd.DataFrame(0.0, frame.index, [f"gene {k}" for k in range(2_000)])
    unread = 2_004 - len(model.rule_set_.features)
    (result, *_) = explain(model, pd.concat([frame, genes], axis=1))
    assert result.supporting[-1].endswith(f" and {unread - MAX_LISTED:,} more.")


def test_similar_cases_agree_on_the_rule_before_they_are_near():
    rule, frame = patients()
    for i, result in enumerate(explain(rule, frame, training=(frame, list("abcd")))):
        first = result.similar(2)[0]
        assert (first.row, first.label, first.agreement, first.distance) == (i, "abcd"[i], 1.0, 0.0)
    rule = RuleSet((Clause((Literal("x", ">", 5),)),), ("a",), "dnf", "b")
    past = training_rows(rule, pd.DataFrame({"x": [4.9, 9.0, 0.0]}))
    for k in range(4):
        assert [c.row for c in similar_cases(rule, past, {"x": 5.1}, k)] == [1, 0, 2][:k]
    near, far = Clause((Literal("age", ">", 45),)), Clause((Literal("age", ">", 90),))
    rule = RuleSet((near, far), ("well", "ill"), "dnf", "well")
    result = explain(rule, YOUNG, training=YOUNG)[0]
    assert [m.index for m in result.near_misses] == [1, 0]
    assert "Closest is clause 2: age is 44 but would have to be above 90" in result.sentence


def test_models_are_explained_by_their_own_columns_or_by_name():
    rule, frame = patients()
    model = FakeModel(rule, classes=["ill", "well", "odd"])
    explanation = explain(model, frame, ["ill", "odd", "ill", "well"])
    assert [e.sentence for e in explanation] == [e.sentence for e in explain(rule, frame)]
    assert explanation[1].hamming_distance == 1

    class Bare:
        rule_set_ = rule

    by_model, by_rule = explain(Bare(), frame), explain(rule, frame)
    assert [e.sentence for e in by_model] == [e.sentence for e in by_rule]
    with pytest.raises(DataError, match="A rule set reads columns by name"):
        explain(Bare(), frame.to_numpy())


def test_unusable_tables_and_options_are_named():
    with pytest.raises(RuleError, match="got object without `rule_set_`"):
        explain(object(), YOUNG)
    rule, _ = patients()
    with pytest.raises(DataError, match="reads column 'age', which the table does not have"):
        explain(rule, YOUNG.drop(columns="age"))
    with pytest.raises(DataError, match="reads columns by name"):
        explain(rule, np.zeros((2, 3)))
    with pytest.raises(DataError, match="`immutable` names 'agee', which is no column"):
        explain(rule, YOUNG, immutable=["agee"])
    rule, frame = patients()
    with pytest.raises(DataError, match="it has 4 rows and 1 labels"):
        explain(rule, frame, training=(frame, ["ill"]))


@pytest.mark.slow
@given(st.text(max_size=30), st.text(max_size=80))
def test_any_column_name_and_level_make_one_line(name, level):
    rule = RuleSet((Clause((Literal(name, "==", level),)),), (level,), "dnf", "other")
    for result in explain(rule, pd.DataFrame({name: [level, "x", None]})):
        assert result.sentence.isprintable()
        assert all(m.sentence.isprintable() for m in result.near_misses)


@pytest.mark.parametrize("condition", ["t >= 9999-12-31", "YEAR OF t > 1", "t < 0001-01-02"])
def test_first_and_last_date_of_the_calendar_are_explained(condition):
    rule = from_text(f"1. IF {condition} THEN a\nOTHERWISE b")
    rows = pd.DataFrame({"t": ["0001-01-01", "9999-12-31", "9999-12-31 23:59:59", "2024-03-01"]})
    cases = explain(rule, rows, training=(rows, rule.predict(rows)))
    assert all(case.counterfactual.prediction != case.prediction for case in cases)
