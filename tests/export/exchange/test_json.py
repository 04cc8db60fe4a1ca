"""JSON: a round trip, and clear refusals."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from rulekit import Clause, ExportError, Literal, RuleError, RulekitError, RuleSet
from rulekit.export import from_json, json_schema, to_json
from rulekit.rules.codec import READERS
from tests.explain.tables import cases, hostile_names, points_rules
from tests.export.test_golden import FOLDER, rules
from tests.strategies.power_laws import split_rules
from tests.test_kinds import READ, rule_of


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("{", ExportError, "is not JSON: .* at line 1, column 2"),
        (b"\xff\xfe", ExportError, "is not JSON"),
        ("[" * 100_000, ExportError, "nested too deeply"),
        ('{"schema": NaN}', ExportError, "holds NaN"),
        ('{"schema": 99}', RuleError, "schema 1 or 2, found 99"),
        ("[]", RuleError, "must be a dictionary"),
    ],
)
def test_non_rules_are_refused(text, error, message):
    with pytest.raises(error, match=message):
        from_json(text)


def test_infinite_and_endless_numbers_are_refused():
    rule = RuleSet((Clause((Literal("x", "==", np.inf),)),), (1,), "dnf", 0)
    with pytest.raises(ExportError, match="compares with an infinity, which JSON cannot express"):
        to_json(rule)
    text = '{"format": 1' + "0" * 10_000 + "}"
    with pytest.raises(ExportError, match="has a whole number with too many digits"):
        from_json(text)
    rule = RuleSet((Clause((Literal("\ud800", "==", "\udfff"),)),), (1,), "dnf", 0)
    assert from_json(to_json(rule).encode("utf-8")) == rule


VALIDATOR = Draft202012Validator(json_schema())
RECORDED = sorted(path.name for path in Path(FOLDER).glob("*.json"))


def test_the_schema_holds_for_every_kind_and_no_clauses():
    Draft202012Validator.check_schema(json_schema())
    assert set(json_schema()["$defs"]) == set(READERS)
    VALIDATOR.validate(json.loads(to_json(RuleSet((), (), "dnf", "a"))))


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
