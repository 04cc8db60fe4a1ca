"""DMN: valid by its schema, and an engine of FEEL answers as `predict` does on every row."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from rulekit.exceptions import ExportError
from rulekit.export.exchange.dmn import CASES, NAMESPACE, feel, to_dmn, to_dmn_cases, variables
from rulekit.rules import LinearSplit, Literal
from tests.explain.tables import dnf
from tests.export.jobs import drawn, of_readings, of_samples
from tests.export.outside import differing, needed
from tests.export.test_golden import rules

IN = {"d": NAMESPACE, "t": CASES["xmlns"]}
ENGINE = Path(__file__).parents[1] / "feel_engine.mjs"
FEELIN = Path(sys.prefix) / "feel" / "node_modules" / "feelin" / "dist" / "index.esm.js"


def parsed(rule):
    return etree.fromstring(to_dmn(rule).encode())


def read_cases(rule):
    """Read a file of test cases back: the inputs of each by name, and its answer."""
    for case in etree.fromstring(to_dmn_cases(rule).encode()).iterfind("t:testCase", IN):
        nodes = case.iterfind("t:inputNode", IN)
        yield {n.get("name"): value(n) for n in nodes}, value(case.find(".//t:expected", IN))


def value(node):
    """Read a value by its type; a missing one is None."""
    (cell,) = node
    kind = cell.get(f"{{{CASES['xmlns:xsi']}}}type")
    assert (kind is None) == (cell.get(f"{{{CASES['xmlns:xsi']}}}nil") == "true")
    read = {"xsd:string": str, "xsd:boolean": "true".__eq__, "xsd:decimal": float}
    return None if kind is None else read[kind](cell.text or "")


def cells(parent, path):
    return [cell.findtext("d:text", namespaces=IN) for cell in parent.iterfind(path, IN)]


def table(rule):
    """Read a decision table back: its inputs, and each line's cells and answer."""
    (result,) = parsed(rule).iterfind(".//d:decisionTable", IN)
    assert result.get("hitPolicy") == "FIRST"
    rows = result.iterfind("d:rule", IN)
    parts = ((cells(row, "d:inputEntry"), cells(row, "d:outputEntry")[0]) for row in rows)
    lines = [{"entries": entries, "output": output} for entries, output in parts]
    return {"inputs": cells(result, "d:input/d:inputExpression"), "rules": lines}


@pytest.mark.slow
def test_engine_matches_the_rule_on_tables_and_hostile_rules():
    node = needed(shutil.which("node"), "install Node to run FEEL, Debian's `nodejs`")
    folder = FEELIN.parents[3]
    needed(FEELIN.exists(), f"run `npm install --prefix {folder} feelin@4.6.0` to run FEEL")
    jobs = [*of_samples(100), *drawn(), *list(of_readings())[::3]]
    given, expected = [], []
    for job in jobs:
        called = variables(job.rule.features)
        names = [called[f] for f in job.columns]
        tested = list(read_cases(job.rule))
        cases = [row for row, _ in tested]
        expected.append([answer for _, answer in tested])
        rows = [dict(zip(names, row, strict=True)) for row in job.rows]
        given.append((table(job.rule), [*rows, *cases]))
    run = {"capture_output": True, "text": True, "timeout": 300, "check": True}
    done = subprocess.run([node, ENGINE, FEELIN], input=json.dumps(given), **run)
    results = json.loads(done.stdout)
    assert not differing(jobs, [r[: job.n] for job, r in zip(jobs, results, strict=True)])
    assert [r[job.n :] for job, r in zip(jobs, results, strict=True)] == expected
    assert sum(job.n for job in jobs) > 10_000
    assert sum(map(len, expected)) > 500


@pytest.mark.parametrize(
    ("condition", "cell"),
    [
        (Literal("x", ">", 5), "> 5"),
        (Literal("x", "<=", 0.25, True), "null, <= 0.25"),
        (Literal("x", "==", "a"), '"a"'),
        (Literal("x", "in", ("a", "b"), True), 'null, "a", "b"'),
        (Literal("x", "!=", "a"), '? != null and ? != "a"'),
        (Literal("x", "!=", True, True), "? = null or ? != true"),
        (Literal("x", "missing"), "null"),
        (Literal("x", "not-missing"), "? != null"),
    ],
)
def test_a_test_of_a_column_is_a_cell_below_it(condition, cell):
    result = table(dnf(condition))
    assert result["inputs"] == ["x"]
    assert [line["entries"] for line in result["rules"]] == [[cell], ["-"]]
    assert [line["output"] for line in result["rules"]] == ['"ill"', '"well"']


def test_two_tests_of_a_column_are_one_cell_and_a_sum_is_an_input():
    split = LinearSplit((("x", 0.5), ("y", -2.0)), ">", 3.0)
    result = table(dnf(Literal("x", ">", 1), Literal("x", "<=", 9, True), split))
    total = "if x = null or y = null then null else 0.5 * x - 2 * y"
    assert result["inputs"] == ["x", total]
    both = "(? != null and ? > 1) and (? = null or ? <= 9)"
    assert result["rules"][0]["entries"] == [both, "> 3"]
    assert len(table(rules()["cnf"])["rules"]) == 2  # a line for all clauses, and the default


def test_names_that_feel_could_misread_become_labels():
    names = ("age", "x > 5", "date", "column_2", "größe", "Null")
    assert variables(names) == {
        "age": "age",
        "x > 5": "column_2_",
        "date": "column_3",
        "column_2": "column_2",
        "größe": "größe",
        "Null": "column_6",
    }
    root = parsed(dnf(Literal("x > 5", ">", 1)))
    assert root.find(".//d:inputData", IN).get("label") == "x > 5"
    assert root.find(".//d:input", IN).get("label") == "x > 5"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e22, "1" + "0" * 22), (1e-7, "0.0000001"), (-2.5, "-2.5"), (3.0, "3"), (7, "7")],
)
def test_a_number_is_written_without_an_exponent(value, text):
    assert feel(value) == text
    assert float(text) == value


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (dnf(Literal("x", "==", np.inf)), "infinity, which FEEL cannot express"),
        (dnf(Literal("x", "==", "a\0")), "control character"),
        (dnf(Literal("x", "in", ("a", 1))), "'x' is compared with text and with numbers"),
        (dnf(Literal("x", ">", 1), default=0), "predicts number and text"),
    ],
)
def test_conditions_beyond_dmn_are_refused(rule, message):
    with pytest.raises(ExportError, match=message):
        to_dmn(rule)
