"""What a rule knows about its columns, and how it is kept."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import RuleError, from_json, from_text, to_json
from rulekit.rules import ColumnSchema, RuleSet, Schema, simplify
from rulekit.rules.schema import COLUMN_KINDS, infer_schema, schema_of

AGE = ColumnSchema("age", "whole number", low=18.0, high=75.0, gaps=False)

columns = st.builds(
    ColumnSchema,
    st.text(max_size=5),
    st.sampled_from(COLUMN_KINDS),
    st.none() | st.lists(st.text(max_size=3), max_size=3).map(tuple),
    st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    gaps=st.none() | st.booleans(),
    time=st.booleans(),
    zone=st.none() | st.just("UTC"),
    decimal=st.none() | st.just(","),
    missing=st.lists(st.text(max_size=3), max_size=2).map(tuple),
)


@given(columns)
def test_a_column_is_the_same_after_json(column):
    assert ColumnSchema.from_dict(json.loads(json.dumps(column.to_dict()))) == column
    assert column.sentence()


def test_a_rule_reads_columns_by_its_schema_or_its_conditions():
    rule = from_text("1. IF age > 50 AND age > 40 THEN ill\nOTHERWISE well")
    known = replace(rule, schema=Schema((AGE, ColumnSchema("zip", "level")), ("ill", "well")))
    expected = Schema((AGE,), ("ill", "well"))
    assert known.schema == expected
    assert known == rule
    assert hash(known) == hash(rule)
    again = from_json(to_json(known))
    for kept in (again, known.negate(), simplify(known), known.negate().negate()):
        assert kept.schema == expected
    assert known.schema.rename({"age": "years"}).columns[0].name == "years"
    assert from_json(to_json(rule)).schema is None
    rule = from_text('1. IF age > 50 AND g IN ("1", "4") THEN ill\nOTHERWISE well')
    assert [c.kind for c in infer_schema(rule).columns] == ["number", "level"]
    dated = from_text("1. IF opened >= 2024-03-01 AND smoker = true THEN ill\nOTHERWISE well")
    assert [c.kind for c in schema_of(dated).columns] == ["date", "truth value"]
    missing = from_text("1. IF age IS MISSING THEN ill\nOTHERWISE well")
    assert schema_of(missing).columns[0].kind == "any"
    known = replace(rule, schema=Schema((AGE,)))
    assert [c.kind for c in schema_of(known).columns] == ["whole number", "level"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"kind": "number"}, "no valid 'name'"),
        ({"name": "a", "kind": "colour"}, "one of the kinds"),
        ({"name": "a", "gaps": "no"}, "no valid 'gaps'"),
        ({"name": "a", "levels": [1]}, "must be texts"),
        ("a", "must be a dictionary"),
    ],
)
def test_a_damaged_schema_is_refused(data, message):
    plain = json.loads(to_json(RuleSet((), (), "dnf", "well")))
    with pytest.raises(RuleError, match=message):
        from_json(json.dumps({**plain, "columns": [data], "classes": []}))
    with pytest.raises(RuleError, match="must be lists"):
        from_json(json.dumps({**plain, "columns": {}, "classes": []}))
    numbers = dict.fromkeys(("base_score", "base_odds", "points_to_double"), "600")
    for wrong in ({"scale": {"base": 1}}, {"scale": {**numbers, "label": "ill"}}, {"texts": [1]}):
        with pytest.raises(RuleError, match="The scale or the texts of a stored rule"):
            from_json(json.dumps({**plain, "columns": [], **wrong}))
