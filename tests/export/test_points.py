"""Points that add up survive every export."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import ExportError
from rulekit.export import (
    clause_numbers,
    from_text,
    to_csv,
    to_latex,
    to_python,
    to_sql,
    to_text,
    verify_export,
)
from rulekit.export.formats import CHECKED
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from tests.explain.tables import hostile_names, points_rules, tables

TESTS = (
    Literal("age", ">", 60),
    Literal("town", "in", ("Bonn", "Ulm"), missing=True),
    Literal("sport", "==", True),
)


def card(*totals, reached=True):
    """A scorecard of as many bands as totals."""
    clauses = tuple(Clause((PointsSplit(TESTS, (3, 2, -1), t, reached),)) for t in totals)
    return RuleSet(clauses, ("high", "middle", "some")[: len(totals)], "dnf", "low")


@st.composite
def hostile_cases(draw):
    names = draw(hostile_names())
    return draw(points_rules(names, max_conditions=2, max_clauses=2)), draw(tables(names))


@pytest.mark.parametrize("format", CHECKED)
@given(hostile_cases())
@pytest.mark.slow
def test_running_the_export_gives_every_label(format, case):
    rule, columns = case
    found = verify_export(rule, columns, format)
    assert found.ok, (found.sentence, found.text)


@pytest.mark.slow
@given(hostile_names().flatmap(points_rules))
def test_text_read_back_decides_the_same_and_is_written_the_same(rule):
    text = to_text(rule)
    assert to_text(from_text(text)) == text


@given(points_rules({"age": "number", "town": "text"}, max_clauses=0))
def test_text_of_points_alone_read_back_is_the_same_rule(rule):
    assert from_text(to_text(rule)) == rule


def test_a_scorecard_of_two_bands_is_two_lines_of_text():
    assert to_text(card(4, 2)).splitlines()[1:3] == [
        '1. IF POINTS [3 if age > 60, 2 if town IN ("Bonn", "Ulm") (or missing), -1 if sport = '
        "true] >= 4 THEN high",
        '2. IF POINTS [3 if age > 60, 2 if town IN ("Bonn", "Ulm") (or missing), -1 if sport = '
        "true] >= 2 THEN middle",
    ]


def test_text_may_remind_of_missing_values():
    rule = from_text("1. IF POINTS [2 if a > 1, 1 if b > 1] < 2 THEN x\nOTHERWISE y")
    assert "] < 2 (a missing value gives 0) THEN x" in to_text(rule)
    assert from_text(to_text(rule)) == rule


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("POINTS [2 if a > 1] >= 5", "no row can reach 5"),
        ("POINTS [2 if a > 1, 0.5 if b > 1] >= 2", "whole points and 'if'"),
        ("POINTS [2 if 1 < a <= 3] >= 2", "points for each end of an interval"),
        ("POINTS [2 if [a * b <= 3]] >= 2", "Points are given to tests of one column"),
        ("POINTS [2 if a > 1] > 1", "']' and '>=' or '<'"),
        ("POINTS [2 if a > 1] >= 1.5", "a whole number"),
        ("POINTS [] >= 1", "whole points and 'if'"),
        ("POINTS [2 if a > 1, 1 if a > 1] >= 2", "is listed twice"),
    ],
)
def test_text_that_is_no_scorecard_is_refused_with_its_line(text, words):
    with pytest.raises(ExportError, match="Line 1 of the rule") as found:
        from_text(f"1. IF {text} THEN x\nOTHERWISE y")
    assert words in str(found.value)


def test_sql_adds_up_one_case_a_condition():
    assert to_sql(card(4), part="where") == (
        '((CASE WHEN ("age" > 60.0 AND "age" IS NOT NULL) THEN 3 ELSE 0 END\n'
        "      + CASE WHEN (\"town\" IN ('Bonn', 'Ulm') OR \"town\" IS NULL) THEN 2 ELSE 0 END\n"
        '      + CASE WHEN ("sport" = TRUE AND "sport" IS NOT NULL) THEN -1 ELSE 0 END >= 4))'
    )


def test_python_adds_up_one_line_a_condition():
    assert (
        "            (3 if (not missing(x1) and x1 > 60.0) else 0)\n            + (2"
        in to_python(card(4))
    )


def test_latex_and_spreadsheets_have_the_points_in_a_cell():
    text = to_latex(card(4, reached=False))
    assert r"points $< 4$ of ($3$ if age $>$ $60$, $2$ if town" in text
    assert "-1 if sport = true] >= 4" in to_csv(card(4))


def test_a_band_is_counted_on_the_rows_that_it_decides():
    columns = {"age": np.array([70.0, 70.0, 50.0]), "sport": np.array([True] * 3, dtype=object)}
    columns["town"] = np.array(["Ulm", "Köln", "Ulm"], dtype=object)
    high, middle = clause_numbers(card(4, 2), columns, ["high", "middle", "low"])
    assert (high.n, high.n_right, middle.n, middle.n_right) == (1, 1, 1, 1)
    assert "decides 1 training row, right for 1" in to_text(card(4, 2), numbers=(high, middle))
