"""Tests of a rule's figures, and of the names and tables of rows."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

from rulekit import Clause, Literal, RuleSet, Table, load_sample
from rulekit.data.reading.loading import read_with_layout
from rulekit.exceptions import DataError
from tests.data.reading.files import xlsx_file
from ui.rule_numbers import (
    ANSWER,
    BY_CHANCE,
    ROW,
    TRUTH,
    Cases,
    case_frame,
    confusion,
    error,
    overfit_words,
    read_as_before,
    row_name,
    row_number,
    row_position,
    verdict_words,
)
from ui.score.answers import lost_cells
from ui.state import AppState, ColumnName

RULE_ENDS = (("ill",), "dnf", "well")
RULE = RuleSet((Clause((Literal("age", ">", 50.0),)),), *RULE_ENDS)


@pytest.mark.parametrize("named", [True, False])
def test_another_workbook_is_read_from_the_sheet_of_the_same_name(named):
    """Without one of that name, and in a file without sheets, the sheet is found out."""
    head, north, south = ["age", "ill"], [[20, "no"]] * 3, [[60, "yes"]] * 3
    first = xlsx_file([["Notes"]], after=[("south", [head, *south], "visible")])
    table, options, _ = read_with_layout(first, name="first.xlsx")
    state = AppState(table=table, options=asdict(options))
    name = "south" if named else "east"
    content = xlsx_file([head, *north], after=[(name, [head, *south], "visible")])
    again = read_as_before(content, "again.xlsx", head, state)
    assert again.frame["age"].unique() == [60 if named else 20]
    assert len(read_as_before(b"age,ill\n20,no\n30,yes\n", "a.csv", head, state).frame) == 2


def test_another_file_is_read_in_the_units_of_the_first():
    content = b"dose,ill\n5 g,no\n7 g,yes\n9 g,yes\n"
    table, options, _ = read_with_layout(content, name="first.csv")
    state = AppState(table=table, options=asdict(options))
    again = read_as_before(content.replace(b" g", b"000 mg"), "a.csv", ["dose"], state)
    assert again.frame["dose"].tolist() == [5, 7, 9]
    assert "multiplied by 0.001" in lost_cells(again, ["dose"])[0]
    with pytest.raises(DataError, match="'dose' is in €, and was in g when"):
        read_as_before(content.replace(b" g", "€".encode()), "a.csv", ["dose"], state)


def part(name, n, wrong):
    """Make rows of which the rule is wrong about so many."""
    X = pd.DataFrame({"age": np.full(n, 60.0)})
    y = np.array(["well"] * wrong + ["ill"] * (n - wrong), dtype=object)
    return Cases(name, X, y, {"age": X["age"].to_numpy()})


@pytest.mark.parametrize(
    ("train", "test", "result"),
    [
        ((136, 8), (59, 14), True),  # 5.9 % and 23.7 %, as a formula of four conditions had it
        ((700, 135), (300, 74), False),  # 19.3 % and 24.7 %
        ((700, 0), (300, 0), False),
        ((300, 74), (700, 135), False),  # better on test rows
        ((100, 100), (100, 100), False),
    ],
)
def test_overfitting_is_reported_unless_chance_explains_it(train, test, result):
    here, there = part("training", *train), part("test", *test)
    table = [[test[1], test[0] - test[1]], [train[1], train[0] - train[1]]]
    assert (fisher_exact(table, alternative="greater").pvalue <= BY_CHANCE) == result
    assert bool(overfit_words(RULE, here, there)) == result


@pytest.mark.parametrize(
    ("rows", "folds", "words"),
    [
        (("test", 600, 63), 0.1, "Wrong for 10 of 100 new rows (test 10.5 %, folds 10.0 %)"),
        (("test", 600, 1), None, "Wrong for fewer than 1 of 100 new rows (test 0.2 %)"),
        (("training", 600, 0), 0.2, "Wrong for 20 of 100 new rows (training 0.0 %, folds 20.0 %)"),
        (("training", 600, 63), None, "Wrong for 10 of 100 training rows (training 10.5 %)"),
    ],
)
def test_verdict_names_the_rows_of_each_error(rows, folds, words):
    verdict, *most = verdict_words(RULE, part(*rows), folds, "well", ["ill", "well"])
    name, size, n = rows
    assert verdict == f"{words}; always well: {100 - 100 * n / size:.1f} %."
    lines = [f"Most errors: {n} of {n} wrong {name} rows are well, predicted ill."] * (n > 0)
    assert most == lines


def test_rows_and_counts_are_those_of_the_table():
    rows = part("training", 10, 3)
    assert error(RULE, rows) == 0.3
    table = confusion(RULE, rows, ["ill", "well"])
    assert table.loc["well", "ill"] == 3
    assert table.to_numpy().sum() == 10
    assert [row_number(0), row_position(1)] == [1, 0]
    assert row_name(4, AppState(table=load_sample("iris"))) == "Row 5"
    words = overfit_words(RULE, part("training", 136, 8), part("test", 59, 14))
    assert "23.7 % of the test rows are wrong, 5.9 % of the training rows" in words
    assert words.endswith("Expect the error of the test rows.")  # no rule has fewer conditions
    two = RuleSet((Clause((Literal("age", ">", 50.0), Literal("age", ">", 40.0))),), *RULE_ENDS)
    words = overfit_words(two, part("training", 136, 8), part("test", 59, 14))
    assert words.endswith("; fewer conditions (on Models) may do better.")


CASE_RULE = RuleSet((Clause((Literal("age", ">", 50.0),)),), ("ill",), "dnf", "well")


def test_listed_columns_begin_with_the_truth_and_dates_are_short():
    X = pd.DataFrame({"row": ["a", "b"], "bmi": [20.0, 30.0], "age": [40.0, 60.0]}, index=[6, 9])
    rows = Cases("test", X, np.array(["ill", "ill"], dtype=object), {"age": X["age"].to_numpy()})
    state = AppState(table=Table.from_frame(X), wording={"bmi": ColumnName("actual")})
    frame = case_frame(CASE_RULE, rows, state)
    assert list(frame.columns) == [ROW, TRUTH, ANSWER, "age", "row (row)", "actual (bmi)"]
    assert frame[ROW].tolist() == [7, 10]
    assert frame[TRUTH].tolist() == ["ill", "ill"]
    assert frame[ANSWER].tolist() == ["well", "ill"]
    assert frame.index.tolist() == [0, 1]
    days = pd.to_datetime(["2024-03-01", None])
    X = pd.DataFrame({"age": [40.0, 60.0], "day": days, "at": days + pd.Timedelta(hours=9)})
    rows = Cases("test", X, np.array(["ill", "ill"], dtype=object), {"age": X["age"].to_numpy()})
    frame = case_frame(CASE_RULE, rows, AppState(table=Table.from_frame(X)))
    assert frame["day"].tolist() == [days[0].date(), pd.NaT]
    assert frame["at"].iloc[0] == pd.Timestamp("2024-03-01 09:00")
