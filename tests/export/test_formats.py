"""Every export means what the rule means, whatever columns, levels and labels are called."""

import ast
import csv
import html
import io
import re
import zipfile
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rulekit import BoxSearchClassifier, ExportError, export
from rulekit.export import (
    FORMATS,
    clause_numbers,
    from_json,
    from_text,
    to_dmn,
    to_html,
    to_javascript,
    to_json,
    to_latex,
    to_markdown,
    to_pmml,
    to_python,
    to_report,
    to_sql,
    to_text,
    to_xlsx,
    verify_export,
)
from rulekit.export.documents.latex import SPECIAL, escape_latex
from rulekit.rules import Clause, ColumnSchema, Literal, PointsSplit, RuleSet, Schema, make_cases
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit
from tests.explain.tables import (
    PLAIN,
    FakeModel,
    cases,
    dnf,
    hostile_cases,
    linear_rules,
    patients,
    points_rules,
    rule_sets,
)
from tests.export.readers import from_html, from_markdown
from tests.strategies.power_laws import rows, split_rules

CHECKED = [name for name, form in FORMATS.items() if form.run and not form.program]
ALLOWED_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "h1", "p", "ol", "li", "span", "code", "b")
}

DRAWN = {
    "literals": cases(),
    "sums": linear_rules(),
    "points": hostile_cases(),
    "power laws": st.tuples(split_rules(), rows()),
}
EACH = [pytest.param(k, marks=pytest.mark.slow if k != "literals" else ()) for k in DRAWN]


@pytest.mark.parametrize("kind", EACH)
@pytest.mark.parametrize("format", CHECKED)
@given(data=st.data())
def test_running_the_export_gives_every_label(format, kind, data):
    rule, columns = data.draw(DRAWN[kind])
    verification = verify_export(rule, columns, format)
    assert verification.ok, (verification.sentence, verification.text)
    assert verification.n_rows == len(next(iter(columns.values())))
    assert verification.n_probes > 0 or kind != "sums"


@pytest.mark.parametrize("read", [lambda r: from_text(to_text(r)), lambda r: from_json(to_json(r))])
@given(
    points_rules({"age": "number", "town": "text"}, max_clauses=0),
    linear_rules(),
    split_rules(),
    cases(),
)
def test_rule_read_back_is_the_same(read, points, sums, powers, literals):
    for rule in (points, sums[0], powers):
        assert read(rule) == rule
    assert from_json(to_json(literals[0])) == literals[0]


@pytest.mark.parametrize("format", CHECKED)
@given(cases())
def test_counts_beside_clauses_do_not_prevent_checking(format, case):
    rule, columns = case
    numbers = clause_numbers(rule, columns, rule.predict(columns))
    verification = verify_export(rule, columns, format, numbers=numbers)
    assert verification.ok, (verification.sentence, verification.text)
    if format == "text":
        assert verification.text.count("training row") == rule.n_clauses


@given(st.text(max_size=12), st.text(max_size=12), st.text(max_size=12), st.data())
def test_any_name_level_and_label_survive_every_format(name, level, label, data):
    assume(name != "other" and label != "other")
    rule = RuleSet((Clause((Literal(name, "==", level),)),), (label,), "dnf", "other")
    columns = {name: np.array([level, "else", None], dtype=object)}
    format = data.draw(st.sampled_from(sorted(CHECKED)))
    nameless = not name and format in ("sql", "duckdb", "scoring")
    in_sql = format in ("sql", "sqlite", "duckdb", "scoring")
    if nameless or ("\0" in name + level + label and in_sql):
        with pytest.raises(ExportError, match=r"it contains a NUL|without a name"):
            verify_export(rule, columns, format)
    else:
        assert verify_export(rule, columns, format).ok


@pytest.mark.parametrize(
    ("write", "read"), [(to_markdown, from_markdown), (to_html, from_html)], ids=["md", "html"]
)
@given(rule=rule_sets(PLAIN))
def test_markdown_and_html_show_the_text_form(write, read, rule):
    assert from_text(read(write(rule))) == from_text(to_text(rule))


class TagCollector(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


@given(cases(), st.text(max_size=20))
def test_page_contains_known_tags_only_and_makes_no_requests(case, title):
    collector = TagCollector()
    collector.feed(to_html(case[0], title=title))
    assert set(collector.tags) <= ALLOWED_TAGS
    known = {"lang", "charset", "name", "content", "http-equiv", "class"}
    assert set(collector.attributes) <= known


@given(st.text())
def test_latex_text_is_ours_to_undo(text):
    written = escape_latex(text)
    assert not re.search(r"[\n\r\x00]", written)
    commands = sorted(SPECIAL.values(), key=len, reverse=True)
    plain = re.sub("|".join(map(re.escape, commands)), "", written)
    assert not set(plain) & set("\\{}$&#_%~^<>|\"`'")


@given(cases() | hostile_cases())
def test_latex_rows_have_as_many_cells_as_the_table_has_columns(case):
    rule, columns = case
    numbers = clause_numbers(rule, columns, rule.predict(columns))
    for line in to_latex(rule).splitlines():
        if line.endswith(r"\\"):
            assert len(re.findall(r"(?<!\\)&", line)) == 2
            assert line.count("$") % 2 == line.count(r"\$") % 2
    for line in to_latex(rule, numbers=numbers).splitlines():
        if line.endswith(r"\\"):
            assert len(re.findall(r"(?<!\\)&", line)) == 3


@given(cases())
def test_python_source_has_no_imports_and_quotes_column_names(case):
    tree = ast.parse(to_python(case[0]))
    assert not any(isinstance(n, (ast.Import, ast.ImportFrom)) for n in ast.walk(tree))
    known = re.compile(r"x\d+|row|rows|value|missing|predict_row|float|CASES|answer|shows")
    assert all(known.fullmatch(n.id) for n in ast.walk(tree) if isinstance(n, ast.Name))


def test_numbers_keep_their_value_and_absent_columns_are_named():
    module = {}
    exec(to_python(patients()[0]), module)
    with pytest.raises(KeyError, match="colour"):
        module["predict_row"]({"glucose": 1, "age": 2})
    clause = Clause((Literal("x", "in", (np.inf, 5e-324)), Literal("y", "!=", -np.inf)))
    columns = {"x": np.array([np.inf, 5e-324, 0.0]), "y": np.array([0.0, 1.0, -np.inf])}
    for format in ("text", "python", "sqlite", "duckdb"):
        assert verify_export(RuleSet((clause,), (1,), "dnf", 0), columns, format).ok
    tests = (Literal("age", ">", 60), Literal("town", "==", "Bonn", missing=True))
    text = to_latex(dnf(PointsSplit(tests, (3, 2), 4, False)))
    assert r"points $< 4$ of ($3$ if age $>$ $60$, $2$ if town" in text
    law = PowerLaw(1.0, (Factor("mass"), Factor("height", -2, floor=0.1)))
    text = to_latex(dnf(PowerLawSplit((law,), 27.0, inside=False)))
    assert r"$\frac{\mbox{mass}}{\max(\mbox{height}, 0.1)^{2}} > 27$" in text


SPREADSHEETS = ("csv", "tsv", "xls", "xlsx", "ods")
SHEETS = {n for n, f in FORMATS.items() if f.suffix.rpartition(".")[2] in SPREADSHEETS}
FORMULAS = ("=cmd()", "+1", "-1", "@sum", "\t=1", "\r=1", "\n=1", "a\r=cmd()", "b\n=1", "c\r\n=1")


def rows_of(text):
    """Every row as a spreadsheet sees it, a carriage return that is not quoted ending a line."""
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("name", sorted(SHEETS - {"xlsx"}))  # see test_workbook.py
@given(st.sampled_from(FORMULAS), st.sampled_from(FORMULAS), st.sampled_from(FORMULAS))
def test_no_cell_that_a_spreadsheet_opens_is_a_formula(name, column, level, label):
    rule = RuleSet((Clause((Literal(column, "==", level),)),), (label,), "dnf", f"{label} not")
    rows = rows_of(FORMATS[name].write(rule))
    n = len(make_cases(rule)) - 1 if name == "cases" else rule.n_clauses
    assert len(rows) == n + 2
    cells = [cell for row in rows for cell in row]
    assert not [c for c in cells if c.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))]
    assert sum(label in cell for cell in cells) >= 2


def test_files_of_formats_have_unique_names_known_by_suffix():
    sheets = ("csv", "tab-separated", "sheet", "excel")
    assert {n for n, f in FORMATS.items() if any(word in f.mime for word in sheets)} == SHEETS
    suffixes = [form.suffix for form in FORMATS.values()]
    assert len(set(suffixes)) == len(suffixes)
    assert len({form.name for form in FORMATS.values()}) == len(suffixes)
    writers = {name for name in export.__all__ if name.startswith("to_")} - {"to_frame"}
    entered = {getattr(form.write, "func", form.write).__name__ for form in FORMATS.values()}
    assert entered == writers
    for form in FORMATS.values():
        assert (form.run is None) == form.how.endswith("."), form.name


@pytest.mark.parametrize("write", [to_text, to_markdown, to_html, to_latex, to_python, to_sql])
def test_model_is_written_as_its_rule_or_refused(write):
    rule, _ = patients()
    assert write(FakeModel(rule)) == write(rule)
    with pytest.raises(ExportError, match="got object without `rule_set_`"):
        write(object())
    with pytest.raises(ExportError, match=r"predicts \(1, 2\)"):
        write(RuleSet((), (), "dnf", (1, 2)))


def test_verification_counts_differing_rows_of_runnable_formats():
    rule, frame = patients()
    model = FakeModel(rule, answers=np.array(["ill", "ill", "well", "well"], dtype=object))
    verification = verify_export(model, frame, "json")
    assert (verification.n_equal, verification.n_rows, verification.ok) == (3, 4, False)
    assert verification.sentence.startswith("Not the same: 3/4 rows give the same class")
    rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    verification = verify_export(rule, {"age": np.array([10.0])}, "duckdb")
    assert (verification.n_rows, verification.n_probes, verification.ok) == (1, 8, True)
    with pytest.raises(ValueError, match=r"`format` must be one of .*got 'latex'"):
        verify_export(patients()[0], patients()[1], "latex")


@pytest.mark.parametrize("format", CHECKED)
def test_truth_values_can_be_summed(format):
    columns = {"age": np.array([3.0, 9.0, 7.0]), "ill": np.array([True, False, None], dtype=object)}
    rule = dnf(LinearSplit((("age", 0.5), ("ill", -1.25)), "<=", 3.0))
    assert verify_export(rule, columns, format).ok


def test_names_of_conditions_are_in_comments_and_notes():
    condition = Literal("glucose", ">", 126.5)
    texts = {str(condition): "high\n*/ `sugar`", "age > 60": "old"}
    rule = replace(dnf(condition), schema=Schema((ColumnSchema("glucose", "number"),), texts=texts))
    means = "'high\\n*/ `sugar`' means glucose > 126.5"
    for format in ("text", "python", "sql", "scoring"):
        verification = verify_export(rule, {"glucose": np.array([100.0, 150.0, np.nan])}, format)
        assert verification.ok
        assert any(line.endswith(means) for line in verification.text.splitlines()), format
    assert f"\n// {means}\n" in to_javascript(rule)
    assert to_latex(rule).startswith(f"% {means}\n")
    assert f"``{means}``" in to_markdown(rule)
    assert means in html.unescape(to_html(rule))
    assert "old" not in to_sql(rule)


def test_documents_and_exchange_formats_describe_the_columns():
    X = pd.DataFrame({"<t>": ["red", "blue"] * 30, "x": np.arange(60.0)})
    model = BoxSearchClassifier(theta=0.1).fit(X, (X["<t>"] == "red") & (X["x"] > 30))
    assert set(model.rule_set_.features) == {"<t>", "x"}
    texts = [to_pmml(model), to_dmn(model), to_html(model), to_report(model, (X, model.predict(X)))]
    texts = [*map(html.unescape, texts), to_markdown(model)]
    with zipfile.ZipFile(io.BytesIO(to_xlsx(model))) as book:
        texts.append(html.unescape(book.read("xl/sharedStrings.xml").decode()))
    for text in texts:
        assert "'<t>': level, one of 'blue', 'red'; never missing" in text
        assert "'x': whole number, 0 to 59; never missing" in text
