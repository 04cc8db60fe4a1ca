"""`compare`."""

from dataclasses import replace

from rulekit.export import from_text, to_json
from rulekit.rules.schema import ColumnSchema, Schema
from tests.cli.conftest import printed

LATER = """1. IF age > 55 AND sex = "f" THEN ill
2. IF bmi > 30 THEN ill
3. IF bmi < 12 THEN ill
OTHERWISE well
"""


def test_compare_prints_clauses_and_rows(run, tmp_path):
    (tmp_path / "later.json").write_text(to_json(from_text(LATER)))
    requested = ("compare", "rule.json", "later.json", "table.csv", "--target", "state")
    result = run(*requested).stdout
    assert "1 of 5 rows get another answer" in result
    assert 'changed: age > 50 AND sex = "f"' in result
    assert "added: bmi < 12" in result
    assert "Other answers for rows 5." in result
    output = printed(run(*requested, "--json"))
    assert output["other_answers"] == [{"row": 5, "before": "ill", "after": "well"}]
    assert output["wrong"] == {"before": {"rows": 5, "wrong": 1}, "after": {"rows": 5, "wrong": 0}}
    assert output["same"] is False


def test_a_rule_is_the_same_as_itself(run):
    output = printed(run("compare", "rule.json", "rule.json", "--json"))
    assert output["same"]
    assert output["rows"] is None
    assert len(output["kept"]) == 2


def test_a_target_without_a_table_is_refused(refused):
    assert "Give a TABLE" in refused("compare", "rule.json", "rule.json", "--target", "a", code=2)
    requested = ("compare", "rule.json", "rule.json", "table.csv", "--outcome", "1=ill")
    assert "Give --target" in refused(*requested, code=2)


def test_rules_in_different_units_are_not_compared_on_a_table(refused, tmp_path):
    for unit in ("kg", "g"):
        schema = Schema((ColumnSchema("bmi", "number", unit=unit),))
        rule = replace(from_text("1. IF bmi > 5 THEN ill\nOTHERWISE well"), schema=schema)
        (tmp_path / f"{unit}.json").write_text(to_json(rule))
    shown = refused("compare", "kg.json", "g.json", "table.csv")
    assert "The rules read column 'bmi' in different units" in shown
