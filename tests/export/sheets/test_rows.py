"""A rule as rows of a table: written, changed, read back."""

import numpy as np
import pytest

from rulekit.exceptions import RuleError
from rulekit.export import rows_to_rule, rule_to_rows
from rulekit.rules import Clause, Literal, RuleSet

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


def test_a_rule_written_as_rows_is_read_back_as_it_was():
    assert rows_to_rule(rule_to_rows(RULE), RULE, COLUMNS) == RULE


def test_rows_without_a_column_are_left_out_and_clauses_renumbered():
    rows = rule_to_rows(RULE).iloc[2:]
    rows.loc[99] = [7, None, ">", "", False, ""]
    found = rows_to_rule(rows, RULE, COLUMNS)
    assert found.clauses == RULE.clauses[1:]


def test_no_row_at_all_is_the_empty_rule():
    found = rows_to_rule(rule_to_rows(RULE).iloc[:0], RULE, COLUMNS)
    assert found.is_constant


@pytest.mark.parametrize(
    ("cell", "value", "message"),
    [
        ("value", "old", "'age' holds numbers, got 'old'"),
        ("value", "", "needs a value"),
        ("column", "height", "no column 'height'"),
        ("test", "~", "choose a test"),
    ],
)
def test_a_cell_that_cannot_be_read_is_named_by_its_row(cell, value, message):
    rows = rule_to_rows(RULE)
    rows.loc[0, cell] = value
    with pytest.raises(RuleError, match=f"Row 1 of the rule.*{message}"):
        rows_to_rule(rows, RULE, COLUMNS)


def test_text_is_never_compared_by_order():
    rows = rule_to_rows(RULE)
    rows.loc[0, "column"] = "town"
    with pytest.raises(RuleError, match="'town' holds no numbers"):
        rows_to_rule(rows, RULE, COLUMNS)


def test_an_unknown_level_is_refused_with_the_known_ones():
    rows = rule_to_rows(RULE)
    rows.loc[1, "value"] = "Bonn; 14"
    with pytest.raises(RuleError, match=r"Row 2.*no value '14'. Choose one of 'Bonn', 'Ulm'\."):
        rows_to_rule(rows, RULE, COLUMNS)
