"""One page that answers: its logic in Node is the rule's, whatever names, levels and texts are."""

import csv
import html
import io
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit import DataError, ExportError, RuleClassifier, ScorecardClassifier, load_sample
from rulekit.data.columns.conform import conform
from rulekit.data.options import MISSING
from rulekit.export import to_app
from rulekit.rules import ColumnSchema, Literal, RuleSet, Schema
from tests.explain.tables import dnf
from tests.export.jobs import drawn, of_readings, of_samples
from tests.export.outside import run_in_node
from tests.export.test_golden import rules


def script_of(page):
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    return script


def run(*scripts):
    """Run each script with an expression in Node, all in one program; return their values."""
    each = (f"(() => {{ {text}\nreturn {value}; }})()" for text, value in scripts)
    return run_in_node(f"process.stdout.write(JSON.stringify([{','.join(each)}]))")


def as_csv(names, rows):
    file = io.StringIO(newline="")
    csv.writer(file).writerows([names, *rows])
    return file.getvalue()


@pytest.mark.slow
def test_files_of_hostile_rows_are_scored_as_the_rule_predicts():
    scripts, expected, n = [], [], 0
    for job in [*of_samples(), *drawn(), *of_readings()]:
        # what a file cannot distinguish from a missing value is one
        rows = [[None if str(v).strip() in MISSING else v for v in row] for row in job.rows]
        columns = {}
        for k, (name, column) in enumerate(job.columns.items()):
            cells = [row[k] for row in rows]
            columns[name] = np.array(cells, dtype=float if column.dtype == float else object)
        text = as_csv(["not read", *job.columns], [[k, *row] for k, row in enumerate(rows)])
        results = f"scoreCsv({json.dumps(text)}).results.map((r) => [r.answer, r.index, r.error])"
        scripts.append((script_of(to_app(job.rule)), results))
        expected.append((job, columns, rows))
    for (job, columns, rows), result in zip(expected, run(*scripts), strict=True):
        decided = job.rule.as_dnf
        labels = [*decided.labels[: decided.n_clauses], decided.default]
        answers = job.rule.predict(columns).tolist()
        assert len(result) == len(rows)
        for row, answer, (scored, index, error) in zip(rows, answers, result, strict=True):
            if error is None:
                n += 1
                assert (scored, labels[index]) == (answer, answer), (job.name, row)
            else:
                assert not np.isfinite([v for v in row if isinstance(v, float)]).all(), error
    assert n > 20_000


@pytest.mark.slow
@pytest.mark.parametrize("mark", [",", ";", "|"])
def test_delimiter_is_the_one_that_separates_the_columns(mark):
    rule = dnf(Literal("; DROP TABLE t; --", ">", 1), Literal("a|b|c|d", ">", 1))
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=mark).writerows([[*rule.features, "x"], [2, 2, ""], [2, 0, ""]])
    results = f"scoreCsv({json.dumps(file.getvalue())}).results.map((r) => r.answer)"
    assert run((script_of(to_app(rule)), results)) == [["ill", "well"]]


NUMBERS = ["1", "1.5", ".5", "5.", "-2", "+3", "1e3", "1E-2", "1,5", "1,234", "12,34", "1.234,5"]
NUMBERS += ["abc", "1_000", "0x10", "inf", "1e999", "\u0663", "1 2"]
TEXTS = {
    ColumnSchema("x", "number"): NUMBERS,
    ColumnSchema("x", "whole number", decimal=","): NUMBERS,
    ColumnSchema("x", "number", unit="kg", percent=True): ["5 kg", "5kg", "7 %", "kg", "5 lb", "6"],
    ColumnSchema("x", "truth value"): ["true", "FALSE", "1", "0.0", "yes", "constructor", "2"],
    ColumnSchema("x", "level", levels=("1", "04", "red")): ["1", "1.0", "4", "04", "4.0", " red"],
    ColumnSchema("x", "level", levels=("1.0", "1", "2.50")): ["1", "1.0", "2.5", "2.50", "01"],
    ColumnSchema("x", "level", levels=("False", "True")): ["true", "1", "no", "FALSE"],
    ColumnSchema("x", "level", levels=("NA", "SE")): ["NA", "na", "SE", "None"],
    ColumnSchema("x", "words"): ["Paid LATE", " a ", "=1"],
}


@pytest.mark.slow
def test_cells_are_read_as_conform_reads_them_or_refused():
    scripts = []
    for column, texts in TEXTS.items():
        rule = replace(dnf(Literal("x", "missing")), schema=Schema((column,)))
        read = (
            f"((c) => {json.dumps(texts)}.map((text) => {{ try {{ return [readCell(text, c, "
            "decimalMark([text], c))]; } catch { return null; } }))(APP.columns[0])"
        )
        scripts.append((script_of(to_app(rule)), read))
    n_refused = 0
    for (column, texts), result in zip(TEXTS.items(), run(*scripts), strict=True):
        for text, cell in zip(texts, result, strict=True):
            try:
                (value,) = conform({"x": [text]}, Schema((column,)))[0]["x"]
            except DataError:
                value = None
            if cell is None:
                n_refused += 1
                assert value is None or value != value or column.kind != "level", (column, text)
            else:
                assert cell == [value] or (cell == [None] and text in MISSING), (column, text)
    assert n_refused > 20


@pytest.mark.slow
def test_single_changes_give_the_other_answer_and_stay_near():
    X, y = load_sample("credit").xy("risk")
    for model in [RuleClassifier(max_conditions=4).fit(X, y), ScorecardClassifier().fit(X, y)]:
        rule = model.rule_set_
        rows = X[[*rule.features]].iloc[:60]
        given = json.dumps(json.loads(rows.to_json(orient="records")))
        changes = "changes(row, predictRow(row)).map((t) => [t.column.name, t.value, t.answer])"
        (result,) = run((script_of(to_app(model)), f"{given}.map((row) => {changes})"))
        n = 0
        for k, turns in enumerate(result):
            for name, value, answer in turns:
                n += 1
                changed = rows.iloc[[k]].astype(object)
                changed[name] = value
                assert rule.predict(changed.infer_objects())[0] == answer != rule.predict(rows)[k]
        assert n > 20
    turn = 'changes({ age: 40 }, "well").map((t) => t.value)'
    assert run((script_of(to_app(dnf(Literal("age", ">", 50.25)))), turn)) == [[50.3]]


@pytest.mark.slow
def test_a_saved_file_has_answers_reasons_and_no_formula():
    rule = RuleSet(dnf(Literal("x", ">", 1)).clauses, ("=cmd()",), "dnf", "well")
    text = 'x;prediction\r\n2,5;"a;""b"""\r\n\r\nabc;c\r\n;\r\n1'
    (result,) = run((script_of(to_app(rule)), f"scoreCsv({json.dumps(text)}).text"))
    assert result.split("\r\n") == [
        "x;prediction;prediction (rule);reason",
        '2,5;"a;""b""";\'=cmd();Line 1',
        'abc;c;;"not read: x: ""abc"" is not a number"',
        ";;well;No line holds",
        "1;;not read: 1 cells, but 2 columns",
        "",
    ]
    failed = 'try { scoreCsv("y\\n1") } catch (error) { return error.message; }'
    (message,) = run((f"{script_of(to_app(rule))}\n{failed}", "0"))
    assert message == 'The file must have one column "x". Its columns are: y.'


HOSTILE = "</script><script>alert(1)</script><!--\u2028'\"${x}"


@pytest.mark.parametrize("name", [*rules(), "hostile"])
def test_page_is_small_allows_nothing_outside_and_escapes_what_it_shows(name):
    test = Literal(HOSTILE, "in", (HOSTILE, "b"), missing=True)
    rule = {**rules(), "hostile": dnf(test, label=HOSTILE)}[name]
    page = to_app(rule, title=HOSTILE, date="<b>today")
    assert len(page) < 100_000
    assert page.count("<script") == page.count("</script") == 1
    assert not re.search(r"https?:|src=|href=\"|@import|url\(|style=\"|\bon\w+=\"", page)
    policy = html.unescape(re.search(r'Policy" content="(.*?)">', page)[1])
    assert policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; script-src")
    assert "unsafe" not in policy
    assert "&lt;b&gt;today" in page


def test_page_counts_the_rows_of_clauses_and_the_errors():
    rule = dnf(Literal("x", ">", 1))
    X, y = pd.DataFrame({"x": [0.0, 2.0, 3.0, 4.0]}), ["ill", "ill", "well", "ill"]
    page = to_app(rule, (X, y), (X[1:2], y[1:2]))
    assert "Line 1: ill, 2 of 3 correct" in page
    assert "No line holds: well, 0 of 1 correct" in page
    assert "actual well, predicted ill: 1" in page
    assert "2 of 4 are predicted correctly (50 %). The rule was learned from these rows" in page
    assert "1 of 1 are predicted correctly (100 %). The rule was not learned" in page


def test_column_of_texts_and_numbers_is_refused():
    with pytest.raises(ExportError, match="'x' is compared with text and with numbers"):
        to_app(dnf(Literal("x", "in", ("a", 1))))
