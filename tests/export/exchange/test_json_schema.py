"""The JSON Schema takes what we write, and refuses what is no rule."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from rulekit.exceptions import RulekitError
from rulekit.export import from_json, json_schema, to_json
from rulekit.rules import RuleSet
from rulekit.rules.codec import READERS
from tests.explain.tables import cases, hostile_names, points_rules
from tests.export.test_golden import FOLDER, rules
from tests.strategies.power_laws import split_rules
from tests.test_kinds import READ, rule_of

VALIDATOR = Draft202012Validator(json_schema())
RECORDED = sorted(path.name for path in Path(FOLDER).glob("*.json"))


def test_it_is_a_schema_and_has_every_kind():
    Draft202012Validator.check_schema(json_schema())
    assert set(json_schema()["$defs"]) == set(READERS)


@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_rule_is_valid(name):
    VALIDATOR.validate(json.loads((FOLDER / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("reading", READ)
def test_dates_orders_and_words_are_valid(reading):
    VALIDATOR.validate(json.loads(to_json(rule_of(reading))))


@pytest.mark.slow
@given(cases(), hostile_names().flatmap(points_rules), split_rules())
def test_written_files_are_valid(case, points, powers):
    for rule in (case[0], points, powers):
        VALIDATOR.validate(json.loads(to_json(rule)))


def changed(**parts):
    return json.loads(to_json(rules()["dnf"])) | parts


@pytest.mark.parametrize(
    "wrong",
    [
        changed(schema=99),
        changed(form="xnf"),
        changed(clauses=[[{"kind": "literal", "feature": "x", "op": "~", "value": 1}]]),
        changed(clauses=[[{"kind": "riddle"}]]),
        {k: v for k, v in changed().items() if k != "default"},
    ],
)
def test_non_rules_are_invalid_and_not_read(wrong):
    assert not VALIDATOR.is_valid(wrong)
    with pytest.raises(RulekitError, match=r"rule|literal|condition|label"):
        from_json(json.dumps(wrong))


def test_the_rule_without_clauses_is_valid():
    VALIDATOR.validate(json.loads(to_json(RuleSet((), (), "dnf", "a"))))
