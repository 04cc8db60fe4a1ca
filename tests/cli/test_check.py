"""`check`."""

import csv

from rulekit.export import from_json, from_text, to_json
from tests.cli.conftest import printed

FAULTY = """1. IF age > 50 THEN ill
2. IF age > 60 AND bmi > 30 THEN ill
OTHERWISE well
"""


def test_a_clean_rule_has_no_fault_and_its_cases_are_written(run, tmp_path):
    clean = ("check", "rule.json", "table.csv")
    assert "No fault found." in run(*clean, "--cases", "cases.csv").stdout
    assert "of 5 new rows have one of these" in run(*clean, "--new", "table.csv").stdout
    assert "Add their TABLE" in run("check", "rule.json", "--new", "table.csv", code=2).stderr
    rows = list(csv.DictReader((tmp_path / "cases.csv").read_text().splitlines()))
    assert {row["answer"] for row in rows} == {"ill", "well"}
    assert all(row["shows"] for row in rows)


def test_a_masked_clause_ends_with_one(run, tmp_path):
    (tmp_path / "faulty.json").write_text(to_json(from_text(FAULTY)))
    result = run("check", "faulty.json", "-o", "short.json", code=1)
    assert "Shorter: Clause 2 (age > 60 AND bmi > 30) changes no answer" in result.stderr
    assert from_json((tmp_path / "short.json").read_text()).n_clauses == 1
    assert "Fault: Clause 2 never decides: clause 1 takes all of its cases." in result.stdout
    (finding,) = printed(run("check", "faulty.json", "--json", code=1))["findings"]
    assert (finding["kind"], finding["clause"], finding["fault"]) == ("masked clause", 2, True)
