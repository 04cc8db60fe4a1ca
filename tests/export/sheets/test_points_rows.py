"""A scorecard as rows of a table: written, changed, read back."""

import numpy as np
import pytest
from hypothesis import given

from rulekit.exceptions import RuleError
from rulekit.export.sheets.rows import points_to_rows, rows_to_points
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
from tests.explain.tables import PLAIN, literals, tables
from tests.strategies.rules import points_splits

TESTS = (Literal("age", ">", 60), Literal("bp", ">", 140, missing=True), Literal("town", "==", "A"))
COLUMNS = {"age": np.zeros(1), "bp": np.zeros(1), "town": np.array(["A"], dtype=object)}


def card(*totals):
    clauses = tuple(Clause((PointsSplit(TESTS, (3, 2, -1), t),)) for t in totals)
    return RuleSet(clauses, ("ill", "watch")[: len(totals)], "dnf", "well")


CARD = card(4, 2)


@pytest.mark.slow
@given(points_splits(literals({"age": "number", "bmi": "number"})), tables(PLAIN, n=3))
def test_a_scorecard_written_as_rows_is_read_back_with_its_answers(split, columns):
    if not split.reached:
        split = split.negated()
    rule = RuleSet((Clause((split,)),), ("ill",), "dnf", "well")
    back = rows_to_points(points_to_rows(rule), [split.total], rule, columns)
    assert back.predict(columns).tolist() == rule.predict(columns).tolist()


def test_points_and_totals_are_changed_and_conditions_of_no_points_go():
    rows = points_to_rows(CARD)
    assert rows["points"].tolist() == [3, 2, -1]
    rows["points"] = [5.0, 0, "2"]
    rows = rows.astype(object)
    rows.loc[3] = None
    found = rows_to_points(rows, [6, 5], CARD, COLUMNS)
    first = found.clauses[0].conditions[0]
    assert first.given == ((TESTS[0], 5), (TESTS[2], 2))
    assert [c.conditions[0].total for c in found.clauses] == [6, 5]
    assert (found.labels, found.default) == (CARD.labels, CARD.default)


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
        rows_to_points(rows, totals, CARD, COLUMNS)
