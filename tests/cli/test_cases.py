"""`explain` and `score`."""

import io
from functools import partial

import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, from_text, to_json
from rulekit.explain import explain
from tests.cli.conftest import ANSWERS, CLAUSES, RULE, printed


def test_explain_prints_the_explanations_of_the_library(run, tmp_path):
    library = explain(from_text(RULE), pd.read_csv(tmp_path / "table.csv"))
    shown = run("explain", "rule.json", "table.csv", "--row", 3, "--row", 4).stdout
    assert f"Row 3: {library[2].sentence}" in shown
    assert f"Row 4: {library[3].sentence}" in shown
    assert library[3].counterfactual.sentence in shown
    cases = printed(run("explain", "rule.json", "table.csv", "--row", 3, "--row", 1, "--json"))
    assert [(c["row"], c["answer"]) for c in cases["cases"]] == [(3, "ill"), (1, "ill")]
    assert cases["cases"][0]["values"] == {"age": 40.0, "sex": "m", "bmi": 31.0}


def test_missing_rows_and_empty_tables_are_refused(refused, tmp_path):
    shown = refused("explain", "rule.json", "table.csv", "--row", 6)
    assert "There is no row 6: the table has 5" in shown
    assert "Missing option '--row'" in refused("explain", "rule.json", "table.csv", code=2)
    (tmp_path / "empty.csv").write_text("age,sex,bmi\n")
    assert "has a header but no rows" in refused("score", "rule.json", "empty.csv")


READERS = {"csv": pd.read_csv, "parquet": pd.read_parquet}
READERS |= {"xlsx": partial(pd.read_excel, engine="calamine")}


@pytest.mark.parametrize(("suffix", "read"), READERS.items())
def test_score_writes_every_row_with_its_answer_and_clause(run, tmp_path, suffix, read):
    requested = ("score", "rule.json", "table.csv", "-o", f"out.{suffix}", "--changes")
    assert "5 rows: ill 3, well 2." in run(*requested).stdout
    file = read(tmp_path / f"out.{suffix}")
    assert file["answer"].tolist() == ANSWERS
    assert file["clause"].tolist() == CLAUSES
    assert file["state"].tolist() == ["ill", "well", "ill", "well", "well"]
    assert file["smallest change"].str.contains("would be").all()


def test_score_prints_cases_as_csv_and_notes_new_levels(run, tmp_path):
    result = run("score", "rule.json", "table.csv", "--target", "state")
    assert pd.read_csv(io.StringIO(result.stdout))["answer"].tolist() == ANSWERS
    assert "Wrong on 1 of the 5 whose outcome is known." in result.stderr
    frame = pd.DataFrame({"ward": ["01", "02", "03"] * 20, "x": range(60)})
    answers = ["p" if ward == "01" else "q" for ward in frame["ward"]]
    model = BoxSearchClassifier(theta=0.5, random_state=0).fit(frame, answers)
    (tmp_path / "wards.json").write_text(to_json(model))
    (tmp_path / "new.csv").write_text("ward,x\n1,5\n2,6\nnorth,7\n")
    result = run("score", "wards.json", "new.csv", "-o", "out.csv")
    assert "Never in training: Column 'ward' holds levels" in result.stderr
    assert "in 1 row: 'north' (1)" in result.stderr
    assert pd.read_csv(tmp_path / "out.csv")["answer"].tolist() == ["p", "q", "q"]


def test_score_reports_whether_the_rule_still_holds(run, tmp_path):
    old = pd.concat([pd.read_csv(tmp_path / "table.csv")] * 20)
    old.to_csv(tmp_path / "old.csv", index=False)
    old.assign(state="well", age=old["age"] + 100).to_csv(tmp_path / "new.csv", index=False)
    requested = ["score", "rule.json", "new.csv", "--target", "state", "--reference", "old.csv"]
    output = printed(run(*requested, "-o", "out.csv", "--json"))
    assert output["holds"] is False
    assert output["wrong"] == 80
    assert any("'age'" in sentence for sentence in output["differs"])
    assert "The rule no longer holds as it did" in run(*requested, "-o", "out.csv").stdout
    requested[2] = "old.csv"
    assert printed(run(*requested, "-o", "out.csv", "--json"))["holds"] is True


def test_score_converts_units_or_refuses_them(run, refused, tmp_path):
    rows = [f"{k} kg,{'ill' if k > 30 else 'well'}" for k in range(60)]
    (tmp_path / "kg.csv").write_text("\n".join(["dose,state", *rows]))
    learned = "--target", "state", "--use", "dose", "--learner", "one-clause", "-o", "dose.json"
    run("learn", "kg.csv", *learned)
    (tmp_path / "new.csv").write_text("dose,n\n5000 g,1\n40000 g,2\n")
    result = run("score", "dose.json", "new.csv", "--reference", "kg.csv")
    assert pd.read_csv(io.StringIO(result.stdout))["answer"].tolist() == ["well", "ill"]
    assert "its numbers were multiplied by 0.001" in result.stderr.lower()
    (tmp_path / "new.csv").write_text("dose,n\n$5,1\n$40,2\n")
    assert "is in $, and was in kg" in refused("score", "dose.json", "new.csv")


@pytest.mark.parametrize(
    ("requested", "sentence"),
    [
        (["-o", "out.ods"], "must end in one of .csv, .xlsx, .parquet; got 'out.ods'"),
        (["--outcome", "1=died"], "Give --target"),
        (["--outcome", "died", "--target", "state"], "must be VALUE=NAME"),
    ],
)
def test_unread_options_raise(refused, requested, sentence):
    assert sentence in refused("score", "rule.json", "table.csv", *requested, code=2)
