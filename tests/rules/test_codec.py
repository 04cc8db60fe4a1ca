"""Rule sets as plain dictionaries: what is written is read back, and damage is named."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Clause, Literal, RuleError, RuleSet
from rulekit.rules.codec import rule_from_dict, rule_to_dict
from tests.rules.test_sums import linear_splits
from tests.strategies.power_laws import splits
from tests.strategies.rules import points_splits

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.one_of(NUMBERS, st.text(max_size=5), st.booleans())
LABELS = st.one_of(NUMBERS, st.text(max_size=3), st.booleans(), st.integers())
LITERALS = st.one_of(
    st.builds(Literal, st.text(max_size=4), st.sampled_from(["<=", ">", "<", ">="]), NUMBERS),
    st.builds(Literal, st.text(max_size=4), st.sampled_from(["==", "!="]), VALUES, st.booleans()),
    st.builds(
        Literal,
        st.text(max_size=4),
        st.sampled_from(["in", "not-in"]),
        st.lists(st.text(max_size=3), min_size=1, max_size=3).map(tuple),
        st.booleans(),
    ),
    st.builds(Literal, st.text(max_size=4), st.sampled_from(["missing", "not-missing"])),
)

CONDITIONS = st.one_of(LITERALS, LITERALS, points_splits(), linear_splits(), splits())


@st.composite
def rule_sets(draw):
    form = draw(st.sampled_from(["dnf", "cnf"]))
    op = "and" if form == "dnf" else "or"
    clauses = draw(st.lists(st.lists(CONDITIONS, max_size=3).map(tuple), max_size=3))
    count = len(clauses) if form == "dnf" else max(len(clauses), 1)
    label = draw(LABELS)
    made = tuple(Clause(conditions, op) for conditions in clauses)
    return RuleSet(made, (label,) * count, form, draw(LABELS))


def old():
    return RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")


@given(rule_sets())
def test_a_rule_survives_json_unchanged(rule):
    assert rule_from_dict(json.loads(json.dumps(rule_to_dict(rule), allow_nan=False))) == rule


def test_labels_keep_their_type_and_damage_is_refused():
    read = rule_from_dict(json.loads(json.dumps(rule_to_dict(RuleSet((), (), "dnf", True)))))
    assert read.default is True
    data = rule_to_dict(old())
    data["clauses"][0][0]["missing"] = "no"
    with pytest.raises(RuleError, match="'missing' must be true or false, found 'no'"):
        rule_from_dict(data)
    with pytest.raises(RuleError, match="must be a dictionary, found list"):
        rule_from_dict([])

    class Strange(Literal):
        kind = "strange"

    rule = RuleSet((Clause((Strange("a", ">", 1),)),), (1,), "dnf", 0)
    with pytest.raises(RuleError, match="type Strange has no plain form"):
        rule_to_dict(rule)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ({"schema": 3}, "must have schema 1 or 2, found 3"),
        ({"form": None}, "must have 'form' of type str; found None"),
        ({"form": "xnf"}, "'dnf' or 'cnf', got 'xnf'"),
        ({"clauses": [3]}, "Clause 1 of a stored rule must be a list"),
        ({"clauses": [["age"]]}, "Clause 1, condition 1: a condition must be a dictionary"),
        ({"clauses": [[{"kind": "plane"}]]}, "condition 1: its kind must be one of"),
        ({"clauses": [[{"kind": "literal"}]]}, "condition 1: .* 'feature' of type str; it is abs"),
        ({"labels": [["ill"]]}, "A label must be text, a truth value or a number, *got list"),
        ({"default": float("nan")}, "finite number, got nan"),
        ({"labels": []}, "one label a clause"),
    ],
)
def test_damage_is_named(damage, sentence):
    with pytest.raises(RuleError, match=sentence):
        rule_from_dict({**rule_to_dict(old()), **damage})
