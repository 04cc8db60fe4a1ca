"""Files of scored cases: every row, its smallest change, nothing that a spreadsheet would run."""

import io

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, load_sample
from rulekit.explain import score
from rulekit.export.sheets.cases import CASE_FILES, cases_frame

X, Y = load_sample("credit").xy()


@pytest.fixture(scope="module")
def found():
    learner = BoxSearchClassifier(max_conditions=4, theta=0.2, n_perturbations=0, random_state=0)
    hostile = X.iloc[:30].assign(note="=1+1", answer="mine", when=pd.Timestamp("2026-01-31"))
    return score(learner.fit(X[:600], Y[:600]), hostile)


def read(found, suffix):
    back = {"csv": pd.read_csv, "xlsx": pd.read_excel, "parquet": pd.read_parquet}
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


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_no_cell_of_a_spreadsheet_is_a_formula(found, suffix):
    assert read(found, suffix)["note"].unique().tolist() == ["'=1+1"]
