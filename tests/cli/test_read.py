"""`show` and `compare`."""

import json

from rulekit.export import from_json, from_text, to_json
from tests.cli.conftest import RULE, printed

LATER = """1. IF age > 55 AND sex = "f" THEN ill
2. IF bmi > 30 THEN ill
3. IF bmi < 12 THEN ill
OTHERWISE well
"""


def test_show_prints_the_rule_so_that_it_can_be_read_back(run):
    text = run("show", "rule.json").stdout
    *lines, reads = text.splitlines()
    assert from_text("\n".join(lines)) == from_text(RULE)
    assert reads == "Reads age, sex, bmi."


def test_show_prints_all_of_a_rule_as_json(run):
    found = printed(run("show", "rule.json", "--json"))
    assert found["columns"] == ["age", "sex", "bmi"]
    assert (found["clauses"], found["conditions"]) == (2, 3)
    assert found["answers"] == ["ill", "well"]
    assert to_json(from_text(found["text"])) == to_json(from_text(RULE))


def test_compare_prints_clauses_and_rows(run, tmp_path):
    (tmp_path / "later.json").write_text(to_json(from_text(LATER)))
    requested = ("compare", "rule.json", "later.json", "table.csv", "--target", "state")
    result = run(*requested).stdout
    assert "1 of 5 rows get another answer" in result
    assert 'changed: age > 50 AND sex = "f"' in result
    assert "added: bmi < 12" in result
    assert "Other answers for rows 5." in result
    found = printed(run(*requested, "--json"))
    assert found["other_answers"] == [{"row": 5, "before": "ill", "after": "well"}]
    assert found["wrong"] == {
        "before": {"rows": 5, "wrong": 1},
        "after": {"rows": 5, "wrong": 0},
    }
    assert found["same"] is False


def test_a_rule_is_the_same_as_itself(run):
    found = printed(run("compare", "rule.json", "rule.json", "--json"))
    assert found["same"]
    assert found["rows"] is None
    assert len(found["kept"]) == 2


def test_a_target_without_a_table_is_refused(refused):
    assert "Give a TABLE" in refused("compare", "rule.json", "rule.json", "--target", "a", code=2)
    requested = ("compare", "rule.json", "rule.json", "table.csv", "--outcome", "1=ill")
    assert "Give --target" in refused(*requested, code=2)


def test_shown_rules_come_back_from_json(run):
    rule = printed(run("show", "rule.json", "--json"))["rule"]
    assert from_json(json.dumps(rule)) == from_text(RULE)
