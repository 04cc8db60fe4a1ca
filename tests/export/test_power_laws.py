"""Power-law splits in every export: read back, executed, and run as SQL, row by row."""

import sqlite3

import numpy as np
import pytest
from hypothesis import given

from rulekit import from_json, to_json, to_python, to_sql, to_text, verify_export
from rulekit.exceptions import ExportError
from rulekit.export import from_text, to_html, to_latex, to_markdown, to_report
from rulekit.rules import Clause, Factor, Literal, PowerLaw, PowerLawSplit, RuleSet
from tests.strategies.power_laws import rows, split_rules, splits

FORMATS = ("text", "json", "python", "sql", "sqlite", "duckdb")


def bmi_rule():
    ratio = PowerLaw(1.0, (Factor("mass"), Factor("height", -2, floor=0.1)))
    age = PowerLaw(-0.031, (Factor("age", 2, shift=-3.0, floor=-2.5),))
    split = PowerLawSplit((ratio, age), 27.0, inside=False)
    return RuleSet((Clause((split, Literal("age", ">", 20.0))),), ("heavy",), "dnf", "light")


@pytest.mark.slow
@given(split_rules())
def test_the_text_is_read_back_as_the_same_rule(rule):
    assert from_text(to_text(rule)) == rule


@pytest.mark.slow
@given(split_rules())
def test_json_is_read_back_as_the_same_rule(rule):
    assert from_json(to_json(rule)) == rule


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
@given(rule=split_rules(), columns=rows())
def test_every_format_predicts_rows_and_limits_like_the_rule(format, rule, columns):
    if format == "duckdb":
        pytest.importorskip("duckdb")
    checked = verify_export(rule, columns, format)
    assert checked.ok, checked.sentence


def test_the_text_shows_a_formula_in_brackets():
    line = to_text(bmi_rule()).splitlines()[1]
    assert line == (
        "1. IF [mass / max(height, 0.1)^2 - 0.031 * (max(age, -2.5) + 3)^2 > 27] AND age > 20 "
        "THEN heavy"
    )


def test_a_column_called_like_a_function_or_an_operator_is_quoted():
    law = PowerLaw(2.0, (Factor("max"), Factor("a - b", 2), Factor("x^2", -1, floor=0.5)))
    rule = RuleSet((Clause((PowerLawSplit((law,), 1.0, 0.5),)),), ("yes",), "dnf", "no")
    text = to_text(rule)
    assert '[0.5 <= 2 * "max" * "a - b"^2 / max("x^2", 0.5) <= 1]' in text
    assert from_text(text) == rule


@pytest.mark.parametrize(
    "body",
    ["[a^2 * b <= ]", "[a^2 / <= 3]", "[a^2 <= 3", "[max(a) <= 3]", "[(a * 2) <= 3]", "[<= 3]"],
)
def test_a_damaged_formula_is_named_with_its_line(body):
    with pytest.raises(ExportError, match=r"Line 1 of the rule needs .* at character"):
        from_text(f"1. IF {body} THEN yes\nOTHERWISE no")


def test_a_divisor_without_a_floor_is_named_with_its_line():
    with pytest.raises(ExportError, match="Line 1 of the rule: Column 'b' has the exponent -1"):
        from_text("1. IF [a / b <= 3] THEN yes\nOTHERWISE no")


def test_whole_numbers_in_a_database_are_not_divided_as_such():
    text = to_sql(bmi_rule(), table="people")
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE people (mass INTEGER, height INTEGER, age INTEGER)")
        connection.execute("INSERT INTO people VALUES (199, 2, 21), (100, 2, 21)")
        found = [row[-1] for row in connection.execute(text)]
    connection.close()
    columns = {"mass": [199.0, 100.0], "height": [2.0, 2.0], "age": [21.0, 21.0]}
    columns = {name: np.array(values) for name, values in columns.items()}
    assert found == bmi_rule().predict(columns).tolist()


def test_latex_typesets_the_formula():
    text = to_latex(bmi_rule())
    assert r"\frac{\mbox{mass}}{\max(\mbox{height}, 0.1)^{2}} - 0.031 \cdot" in text
    assert "> 27$ and age" in text


def test_python_needs_no_library():
    module = {}
    exec(to_python(bmi_rule()), module)
    people = [{"mass": 190, "height": 2, "age": 21}, {"mass": None, "height": 2, "age": 30}]
    assert "import" not in to_python(bmi_rule()).split('"""')[2]
    columns = {name: np.array([float(people[0][name])]) for name in people[0]}
    assert module["predict"](people) == [*bmi_rule().predict(columns), "light"]


def test_markdown_html_and_the_report_show_it():
    columns = {"mass": np.array([190.0]), "height": np.array([2.0]), "age": np.array([21.0])}
    assert "`[mass / max(height, 0.1)^2" in to_markdown(bmi_rule())
    assert "<code>[mass / max(height, 0.1)^2" in to_html(bmi_rule())
    assert "mass / max(height, 0.1)^2" in to_report(bmi_rule(), (columns, ["heavy"]))


@given(splits(), rows(min_rows=1, max_rows=1))
def test_sum_meets_a_bound_at_a_crossing(split, columns):
    row = {name: float(values[0]) for name, values in columns.items()}
    if any(np.isnan(row[f]) for f in split.features):
        return
    for feature in split.features:
        for value in split.crossings(feature, row):
            there = {name: np.array([v]) for name, v in (row | {feature: value}).items()}
            total = split.total(there)[0]
            size = sum(abs(t.weight) * abs(t.value(there)[0]) for t in split.terms)
            bounds = [b for b in (split.low, split.high) if b is not None]
            assert min(abs(total - b) for b in bounds) <= 1e-5 * max(1.0, size)
