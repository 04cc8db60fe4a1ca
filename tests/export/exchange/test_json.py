"""JSON: a round trip, and clear refusals."""

import json

import numpy as np
import pytest
from hypothesis import given

from rulekit.exceptions import ExportError, RuleError
from rulekit.export import from_json, to_json
from rulekit.rules import Clause, Literal, RuleSet
from tests.explain.tables import cases, patients


@given(cases())
def test_rule_comes_back_equal(case):
    assert from_json(to_json(case[0])) == case[0]


def test_half_a_character_comes_back_equal():
    rule = RuleSet((Clause((Literal("\ud800", "==", "\udfff"),)),), (1,), "dnf", 0)
    assert from_json(to_json(rule).encode("utf-8")) == rule


def test_json_states_its_schema():
    assert json.loads(to_json(patients()[0]))["schema"] == 1


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


def test_infinity_is_refused():
    rule = RuleSet((Clause((Literal("x", "==", np.inf),)),), (1,), "dnf", 0)
    with pytest.raises(ExportError, match="compares with an infinity, which JSON cannot express"):
        to_json(rule)


def test_a_number_of_too_many_digits_is_refused_in_a_sentence():
    text = '{"format": 1' + "0" * 10_000 + "}"
    with pytest.raises(ExportError, match="has a whole number with too many digits"):
        from_json(text)
