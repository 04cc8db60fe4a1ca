"""The report: complete, closed off from the network, and plain."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from rulekit.export import Review, clause_numbers, to_html, to_report, to_text
from rulekit.export.documents.report import MEANINGS
from rulekit.learners import BoxSearchClassifier
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from rulekit.rules.analysis.verification import FAULTS, NOTES
from rulekit.style.palette import outcome_colours
from rulekit.style.phrases import Wording
from tests.explain.tables import cases, patients
from tests.export.readers import Cells

LABELS = ["ill", "well", "ill", "well"]


def test_report_contains_the_rule_its_figures_and_single_cases():
    rule, frame = patients()
    record = {"random_state": 0, "run": {"sizes": [2, 4], "costs": None}, "notes": []}
    test = frame[:2].set_axis(["Row 17, Ada", "Row 20"])
    text = to_report(rule, (frame, LABELS), (test, LABELS[:2]), record=record)
    assert "The rule is right for 3 of 4 training cases (75.0 %) and 1 of 2 test cases" in text
    assert "glucose 141 &gt; 126.5" in text
    assert "wrong: it was &#x27;well&#x27;" in text
    assert "<th>random state</th><td>0</td>" in text
    assert "<th>run</th><td>sizes: 2, 4</td>" in text
    assert "<th>notes</th>" not in text
    assert "<b>Row 17, Ada</b>" in text
    assert "<b>Row 0</b>" in to_report(rule, (frame, LABELS))
    assert "truly" not in text


def test_the_report_counts_cases_and_clauses_in_outcome_colours():
    rule, frame = patients()
    reviews = [
        Review("Row 2", "ill", "disagree", "sugar <was> measured after a meal"),
        Review("Row 7", "well", "agree"),
    ]
    text = to_report(rule, (frame, LABELS), reviews=reviews)
    assert "2 cases looked at: 1 agree and 1 disagree." in text
    assert (
        "<tr><td>Row 2</td><td>ill</td><td>disagree</td>"
        "<td>sugar &lt;was&gt; measured after a meal</td></tr>"
    ) in text
    assert "Verdicts on single cases" not in to_report(rule, (frame, LABELS))
    truth = np.array(LABELS, dtype=object)
    look = outcome_colours(["ill", "well"])
    page = Cells(to_report(rule, (frame, LABELS), wording=Wording(clause="line", colours=look)))
    fired, predicted = rule.clauses_fired(frame), rule.predict(frame)
    for k, label in enumerate(rule.labels):
        held = fired[:, k] & ~fired[:, :k].any(axis=1)
        right = (truth[held] == label).sum()
        assert f"Line {k + 1}: {label}, {right} of {held.sum()} correct" in page.text
    rest = ~fired.any(axis=1)
    right = (truth[rest] == "well").sum()
    assert f"No line holds: well, {right} of {rest.sum()} correct" in page.text
    heads, *answers = page.tables[0]
    assert heads == ["", "ill", "well"]
    for row, label in zip(answers, ["ill", "well"], strict=True):
        counts = [str(((truth == label) & (predicted == other)).sum()) for other in ["ill", "well"]]
        assert row == [label, *counts]
    assert page.colours[: rule.n_clauses] == [look["ill"]] * rule.n_clauses
    assert page.colours[-1] == look["well"]


def test_points_of_bins_have_their_share_of_rows_and_rate():
    given = (Literal("glucose", ">", 126.5), Literal("glucose", ">", 150.0))
    rule = RuleSet((Clause((PointsSplit(given, (3, 2), 3),)),), ("ill",), "dnf", "well")
    frame = pd.DataFrame({"glucose": [100.0, 130.0, 130.0, 160.0, 120.0]})
    words = Wording(clause="line", colours=outcome_colours(["ill", "well"]))
    training = frame, ["well", "ill", "well", "ill", "well"]
    page = Cells(to_report(rule, training, wording=words))
    assert page.tables[2] == [
        ["if this holds", "points", "of training rows", "of these, ill"],
        ["glucose: up to 126.5", "0", "40.0 %", "0.0 %"],
        ["glucose: up to 150", "3", "40.0 %", "50.0 %"],
        ["glucose: above 150", "5", "20.0 %", "100.0 %"],
    ]
    assert "Points by value" not in to_report(patients()[0], (patients()[1], LABELS))


def test_only_unambiguous_display_names_are_used():
    rule, frame = patients()
    words = Wording({"glucose": "fasting <sugar>"}, clause="line")
    text = to_report(rule, (frame, LABELS), wording=words)
    rule_part = text.split("<h2>The rule</h2>")[1].split("<h2>")[0]
    assert "fasting &lt;sugar&gt;" in rule_part
    assert "fasting &lt;sugar&gt; is the column “glucose”" in rule_part
    assert "glucose" not in rule_part.replace("the column “glucose”", "")
    text = to_report(replace(rule, clauses=rule.clauses[:1] * 2), (frame, LABELS), wording=words)
    assert "glucose" not in text.split("<h2>Checked for every possible case</h2>")[1]
    words = Wording(dict.fromkeys(rule.features, "value"), clause="line")
    rule_part = to_report(rule, (frame, LABELS), wording=words).split("<h2>")[1]
    assert all(feature in rule_part for feature in rule.features) or len(rule.features) < 2


def test_report_is_closed_small_and_without_jargon():
    rule, frame = patients()
    text = to_report(rule, (frame, LABELS), wording=Wording(colours={"ill": '"><script>'}))
    assert "<script" not in text
    text = to_report(rule, (frame, LABELS))
    assert "default-src 'none'" in text
    assert not re.search(r"<script|https?:|src=|href=|@import|url\(", text)
    many = pd.concat([frame] * 500, ignore_index=True)
    assert len(to_report(rule, (many, LABELS * 500))) < 100_000
    for form in (rule, rule.negate()):
        text = to_report(form, (frame, LABELS))
        assert not re.search(r"clause|literal|DNF|CNF|theta", text)
    _, frame = patients()
    text = to_report(RuleSet((), (), "dnf", "well"), (frame, LABELS))
    assert "Every row is predicted well" in text


@pytest.mark.slow
@given(cases())
def test_no_name_level_or_label_becomes_markup(case):
    rule, columns = case
    frame = pd.DataFrame(columns)
    answers = rule.predict(columns)
    text = to_report(rule, (frame, answers), title="<i>", record={"<script>": "</pre>"})
    assert not re.search(r"<(script|i|table;|b>no)", text.replace("<b>Row", ""))
    assert "</pre>" not in text


def test_rows_and_records_that_do_not_fit_are_refused():
    rule, frame = patients()
    with pytest.raises(ValueError, match="`record` must be at most 200000 characters"):
        to_report(rule, (frame, LABELS), record={"rows": ["x" * 100] * 3000})
    rule = RuleSet((), (), "dnf", "no")
    with pytest.raises(TypeError, match=r"`training` must be a pair \(X, y\).*, got DataFrame"):
        to_report(rule, pd.DataFrame({"a": [1.0]}))


def test_clauses_and_bands_count_the_rows_that_they_decide():
    rule, frame = patients()
    matched = clause_numbers(rule, frame, LABELS)
    assert [(k.n, k.n_right) for k in matched] == [(2, 2), (1, 0)]
    turned = clause_numbers(rule.negate(), frame, LABELS, "test")
    assert [(k.n, k.n_right) for k in turned] == [(2, 2), (1, 0)]
    assert turned[0].sentence.startswith("decides 2 test rows, right for 2 (100 %")
    assert "right for 0 (0 %" in to_html(rule, numbers=matched)
    numbers = clause_numbers(rule, frame.assign(glucose=np.nan), LABELS)
    assert numbers[0].sentence == "decides no training row"
    tests = (Literal("age", ">", 60), Literal("town", "==", "Ulm"), Literal("sport", "==", True))
    bands = tuple(Clause((PointsSplit(tests, (3, 2, -1), total),)) for total in (4, 2))
    rule = RuleSet(bands, ("high", "middle"), "dnf", "low")
    columns = {"age": np.array([70.0, 70.0, 50.0]), "sport": np.array([True] * 3, dtype=object)}
    columns["town"] = np.array(["Ulm", "Köln", "Ulm"], dtype=object)
    high, middle = clause_numbers(rule, columns, ["high", "middle", "low"])
    assert (high.n, high.n_right, middle.n, middle.n_right) == (1, 1, 1, 1)
    assert "decides 1 training row, right for 1" in to_text(rule, numbers=(high, middle))


def test_report_states_checks_and_monotonic_constraints():
    masked = Clause((Literal("age", ">", 60),))
    rule = RuleSet((Clause((Literal("age", ">", 50),)), masked), ("ill",) * 2, "dnf", "well")
    _, frame = patients()
    text = to_report(rule, (frame, LABELS))
    assert "<td>Line 2 never decides: line 1 takes all of its cases.</td><td>The line has" in text
    clean = to_report(replace(rule, clauses=rule.clauses[:1], labels=("ill",)), (frame, LABELS))
    assert "never decides" not in clean
    assert "no part can go" in clean
    assert set(MEANINGS) == {*FAULTS, *NOTES}
    X = pd.DataFrame({"wage": [1.0, 2.0, 3.0, 4.0], "age": [5.0, 6.0, 5.0, 6.0]})
    y = ["no", "no", "yes", "yes"]
    limits = {"directions": {"wage": ">"}, "towards": "yes"}
    model = BoxSearchClassifier(theta=0.1, constraints=limits).fit(X, y)
    text = to_report(model, (X, y), wording=Wording(names={"wage": "Wage <EUR>"}))
    assert "If only Wage &lt;EUR&gt; rises, the prediction may change to yes" in text
    assert "holds for every possible row" in text
    assert "may turn to" not in to_report(model.rule_set_, (X, y))
