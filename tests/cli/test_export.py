"""`export`: every format, checked where it can be."""

import duckdb
import pandas as pd
import pytest

from rulekit.cli.export import WRITABLE
from rulekit.export import FORMATS, VerifiedExport, from_json, from_text
from tests.cli.conftest import ANSWERS, CLAUSES, RULE


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITABLE)
def test_every_format_is_written_as_the_library_writes_it(run, tmp_path, form):
    if form == "report":
        return
    run("export", "rule.json", "--format", form, "-o", "out")
    text = FORMATS[form].write(from_text(RULE))
    assert (tmp_path / "out").read_bytes() == (text if isinstance(text, bytes) else text.encode())


def test_standard_output_has_the_rule_checked_on_every_row(run):
    assert from_json(run("export", "rule.json", "--format", "json").stdout) == from_text(RULE)
    result = run("export", "rule.json", "--format", "sql", "--table", "table.csv").stderr
    assert "Checked: 5/5 rows give the same class when this SQL is run" in result
    result = run("export", "rule.json", "--format", "latex", "--table", "table.csv").stderr
    assert "Not checked: this format is for reading" in result


@pytest.mark.parametrize("form", ["sql", "scoring", "duckdb"])
def test_a_whole_statement_scores_a_table_and_names_the_clause(run, tmp_path, form):
    requested = ("export", "rule.json", "--format", form, "--select", "my cases")
    text = run(*requested, "--table", "table.csv").stdout
    with duckdb.connect() as connection:
        connection.register("my cases", pd.read_csv(tmp_path / "table.csv"))
        frame = connection.execute(text).df()
    assert frame["prediction"].tolist() == ANSWERS
    assert frame["clause"].tolist() == CLAUSES


def test_nothing_is_written_if_a_prediction_differs(refused, tmp_path, monkeypatch):
    wrong = VerifiedExport("sql", "", 5, 4, 0, 0, "Not the same: 4/5 rows.")
    monkeypatch.setattr("rulekit.cli.export.verify_export", lambda *_: wrong)
    requested = ("export", "rule.json", "--format", "sql", "--table", "table.csv", "-o", "out.sql")
    assert "Not the same: 4/5 rows. Nothing was written" in refused(*requested)
    assert not (tmp_path / "out.sql").exists()


def test_report_and_page_contain_the_figures_of_a_table(run):
    requested = ("export", "rule.json", "--table", "table.csv", "--format")
    page = run(*requested, "report", "--target", "state").stdout
    assert page.startswith("<!DOCTYPE html>") or page.startswith("<!doctype html>")
    assert "Add --table and --target" in run(*requested, "report", code=2).stderr
    page = run(*requested, "app", "--target", "state").stdout
    assert "are predicted correctly" in page
    assert "expect more errors on new cases" in page
    assert "are predicted correctly" not in run(*requested, "app").stdout


@pytest.mark.parametrize(
    ("requested", "sentence"),
    [
        (["--format", "script"], "'script' is not one of"),
        (["--format", "sql", "--target", "state"], "only apply to report and app, not to sql"),
        (["--format", "app", "--target", "state"], "Add --table."),
        (["--format", "text", "--select", "t"], "read for SQL only, not text"),
        ([], "Missing option '--format'"),
    ],
)
def test_unread_options_raise(refused, requested, sentence):
    assert sentence in refused("export", "rule.json", *requested, code=2)
