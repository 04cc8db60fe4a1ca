"""Rules as a data frame, and as CSV."""

import csv
import io
from functools import partial

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, ScorecardClassifier, load_sample
from rulekit.explain import score
from rulekit.export import clause_numbers, to_csv
from rulekit.export.sheets.frame import (
    CASE_FILES,
    cases_frame,
    csv_text,
    spreadsheet_safe,
    to_frame,
)
from rulekit.rules import scorecard_of
from tests.explain.tables import patients
from tests.export.test_golden import rules


def test_counts_of_clauses_and_totals_are_whole_numbers():
    rule, frame = patients()
    counted = to_frame(rule, numbers=clause_numbers(rule, frame, ["ill", "well", "ill", "well"]))
    assert counted["decided"].tolist()[:2] == [2, 1]
    assert counted["decided"].isna().tolist() == [False, False, True]
    text = to_csv(rule, numbers=clause_numbers(rule, frame, ["ill", "well", "ill", "well"]))
    assert text.splitlines()[1].endswith(",ill,2,2,2")
    assert text.splitlines()[3] == "otherwise,,well,0,,"
    _, frame = patients()
    card = rules()["points"]
    counts = clause_numbers(card, frame, ["ill", "well", "ill", "well"])
    counted = to_frame(card, numbers=counts).set_index("if")
    assert counted["points"].dropna().tolist() == [3, 2, -1, 0]
    totals = counted.loc["total from 4":]
    assert totals["answer"].tolist() == ["ill", "watch", "well"]
    for column, expected in (("decided", "n"), ("right", "n_right")):
        assert totals[column].tolist()[:2] == [getattr(k, expected) for k in counts]
        assert counted[column].notna().sum() == len(counts) == 2


@pytest.mark.parametrize("cell", ["a\r=cmd()", "a\n=1", 'say "hi"\r\n+1', "a,b", "-1", " = 1"])
def test_a_cell_comes_back_from_csv_as_one_cell(cell):
    frame = pd.DataFrame({"a": [cell, 1], "b": [2.5, None]})
    rows = list(csv.reader(io.StringIO(csv_text(frame), newline="")))
    assert rows == [["a", "b"], [spreadsheet_safe(frame)["a"][0], "2.5"], ["1", ""]]
    assert rows[1][0].removeprefix("'") == cell


def test_numbers_and_the_frame_given_stay_as_they_are():
    frame = pd.DataFrame({"=a": ["=1", "b"], "n": [-1, 2]})
    safe = spreadsheet_safe(frame)
    assert safe["'=a"].tolist() == ["'=1", "b"]
    assert safe["n"].tolist() == [-1, 2]
    assert list(frame.columns) == ["=a", "n"]


X, Y = load_sample("credit").xy()


@pytest.fixture(scope="module")
def found():
    learner = BoxSearchClassifier(max_conditions=4, theta=0.2, n_perturbations=0, random_state=0)
    hostile = X.iloc[:30].assign(note="=1+1", answer="mine", when=pd.Timestamp("2026-01-31"))
    return score(learner.fit(X[:600], Y[:600]), hostile)


def read(found, suffix):
    back = {
        "csv": pd.read_csv,
        "xlsx": partial(pd.read_excel, engine="calamine"),
        "parquet": pd.read_parquet,
    }
    return back[suffix](io.BytesIO(CASE_FILES[suffix].write(cases_frame(found))))


@pytest.mark.parametrize("suffix", CASE_FILES)
def test_a_file_holds_every_case_with_its_answer_and_smallest_change(found, suffix):
    file = read(found, suffix)
    table = found.table(changes=True)
    assert file["answer (rule)"].tolist() == table["answer"].tolist()
    assert file["answer"].unique().tolist() == ["mine"]
    assert file["clause"].tolist() == table["clause"].tolist()
    assert file["smallest change"].tolist() == table["smallest change"].tolist()
    assert np.allclose(file["amount"], found.X["amount"])


def test_cases_of_a_scorecard_have_their_total_of_points():
    numbers = X.select_dtypes("number")
    card = ScorecardClassifier(3, positive_label=Y[0]).fit(numbers[:300], Y[:300])
    cases = numbers[300:340]
    (split,) = scorecard_of(card.rule_set_)
    columns = card.read_columns(cases)
    sums = [sum(p for c, p in split.given if c.mask(columns)[i]) for i in range(len(cases))]
    for model in (card, card.rule_set_):
        frame = cases_frame(score(model, cases), changes=False)
        assert frame["total"].tolist() == sums
        assert not {"clause", "missing"} & set(frame)


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_no_cell_of_a_spreadsheet_is_a_formula(found, suffix):
    assert read(found, suffix)["note"].unique().tolist() == ["'=1+1"]
