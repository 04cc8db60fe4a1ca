"""What rows of the table are called, and how they are listed."""

import numpy as np
import pandas as pd

from rulekit.data import Table, load_sample
from rulekit.rules import Clause, Literal, RuleSet
from ui.cases import ANSWER, ROW, TRUTH, case_frame, row_name, row_number, row_position
from ui.rule_numbers import Rows
from ui.state import AppState, Wording

RULE = RuleSet((Clause((Literal("age", ">", 50.0),)),), ("ill",), "dnf", "well")


def test_people_count_rows_from_1():
    assert [row_number(0), row_position(1)] == [1, 0]
    assert row_name(4, AppState(table=load_sample("iris"))) == "Row 5"


def test_truth_and_answer_come_first_then_the_rule_columns():
    X = pd.DataFrame({"row": ["a", "b"], "bmi": [20.0, 30.0], "age": [40.0, 60.0]}, index=[6, 9])
    rows = Rows("test", X, np.array(["ill", "ill"], dtype=object), {"age": X["age"].to_numpy()})
    state = AppState(table=Table.from_frame(X), wording={"bmi": Wording("actual")})
    frame = case_frame(RULE, rows, state)
    assert list(frame.columns) == [ROW, TRUTH, ANSWER, "age", "row (row)", "actual (bmi)"]
    assert frame[ROW].tolist() == [7, 10]
    assert frame[TRUTH].tolist() == ["ill", "ill"]
    assert frame[ANSWER].tolist() == ["well", "ill"]
    assert frame.index.tolist() == [0, 1]
