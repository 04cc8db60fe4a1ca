"""A rule as rows of a table: written, changed, read back."""

import numpy as np
import pytest
from hypothesis import given

from rulekit.exceptions import RuleError
from rulekit.export import rows_to_rule, rule_to_rows
from rulekit.export.sheets.rows import points_to_rows, rows_to_points
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from tests.explain.tables import PLAIN, literals, tables
from tests.strategies.rules import points_splits

COLUMNS = {
    "age": np.array([20.0, 60.0]),
    "town": np.array(["Bonn", "Ulm"], dtype=object),
    "smokes": np.array([True, False], dtype=object),
}
RULE = RuleSet(
    (
        Clause((Literal("age", ">", 50.5), Literal("town", "in", ("Bonn", "Ulm")))),
        Clause((Literal("smokes", "==", True, missing=True), Literal("age", "not-missing"))),
    ),
    ("ill", "ill"),
    "dnf",
    "well",
)


def test_a_rule_is_read_back_from_rows_without_the_empty_ones():
    assert rows_to_rule(rule_to_rows(RULE), RULE, COLUMNS) == RULE
    rows = rule_to_rows(RULE).iloc[2:]
    rows.loc[99] = [7, None, ">", "", False, ""]
    result = rows_to_rule(rows, RULE, COLUMNS)
    assert result.clauses == RULE.clauses[1:]
    result = rows_to_rule(rule_to_rows(RULE).iloc[:0], RULE, COLUMNS)
    assert result.is_constant


@pytest.mark.parametrize(
    ("row", "cell", "value", "message"),
    [
        (0, "value", "old", "'age' holds numbers, got 'old'"),
        (0, "value", "", "needs a value"),
        (0, "column", "height", "no column 'height'"),
        (0, "column", "town", "'town' holds no numbers"),
        (0, "test", "~", "choose a test"),
        (1, "value", "Bonn; 14", r"no value '14'. Choose one of 'Bonn', 'Ulm'\."),
    ],
)
def test_a_cell_that_cannot_be_read_is_named_by_its_row(row, cell, value, message):
    rows = rule_to_rows(RULE)
    rows.loc[row, cell] = value
    with pytest.raises(RuleError, match=f"Row {row + 1} of the rule.*{message}"):
        rows_to_rule(rows, RULE, COLUMNS)


TESTS = (Literal("age", ">", 60), Literal("bp", ">", 140, missing=True), Literal("town", "==", "A"))
PATIENTS = {"age": np.zeros(1), "bp": np.zeros(1), "town": np.array(["A"], dtype=object)}


def card(*totals):
    clauses = tuple(Clause((PointsSplit(TESTS, (3, 2, -1), t),)) for t in totals)
    return RuleSet(clauses, ("ill", "watch")[: len(totals)], "dnf", "well")


CARD = card(4, 2)


@pytest.mark.slow
@given(points_splits(literals({"age": "number", "bmi": "number"})), tables(PLAIN, n=3))
def test_a_scorecard_written_as_rows_is_read_back_with_its_answers(split, columns):
    if not split.reached:
        split = split.negate()
    rule = RuleSet((Clause((split,)),), ("ill",), "dnf", "well")
    back = rows_to_points(points_to_rows(rule), [split.total], rule, columns)
    assert back.predict(columns).tolist() == rule.predict(columns).tolist()


def test_points_and_totals_are_changed_and_conditions_of_no_points_go():
    rows = points_to_rows(CARD)
    assert rows["points"].tolist() == [3, 2, -1]
    rows["points"] = [5.0, 0, "2"]
    rows = rows.astype(object)
    rows.loc[3] = None
    result = rows_to_points(rows, [6, 5], CARD, PATIENTS)
    assert result.clauses[0].conditions[0].given == ((TESTS[0], 5), (TESTS[2], 2))
    assert [c.conditions[0].total for c in result.clauses] == [6, 5]
    assert (result.labels, result.default) == (CARD.labels, CARD.default)


@pytest.mark.parametrize(
    ("points", "totals", "sentence"),
    [
        ([3, 2, 1.5], [4, 2], r"Row 3 of the scorecard: its points must be a whole number"),
        ([3, None, 1], [4, 2], r"Row 2 of the scorecard: its points must be a whole number"),
        ([0, 0, 0], [4, 2], r"all of them are 0\. Give points"),
        ([3, 2, 1], [9, 2], r"no row can reach 9: the sums lie from 0 to 6\. Use 1 to 6"),
        ([3, 2, 1], [4, 0], r"every row reaches 0"),
        ([3, 2, 1], [2, 4], r"must fall from band to band, the highest first; got 2, 4"),
    ],
)
def test_non_scorecards_are_refused_in_a_sentence(points, totals, sentence):
    rows = points_to_rows(CARD)
    rows["points"] = points
    with pytest.raises(RuleError, match=sentence):
        rows_to_points(rows, totals, CARD, PATIENTS)
