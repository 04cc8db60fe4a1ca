"""Wishes about the conditions of a rule."""

import json

import pytest

from rulekit import Constraints, Literal, RuleError

OLD = Literal("age", ">", 50)
WISHES = Constraints(
    forbidden=("town", OLD),
    required=("bmi", Literal("flag", "==", 1)),
    allow_not_equal=False,
    directions={"sugar": ">"},
)


@pytest.mark.parametrize(
    ("literal", "allowed"),
    [
        (OLD, False),
        (Literal("age", ">", 51), True),
        (Literal("town", "==", "Ulm"), False),
        (Literal("colour", "!=", "red"), False),
        (Literal("colour", "not-in", ("red", "blue")), False),
        (Literal("colour", "==", "red"), True),
        (Literal("sugar", ">=", 3), True),
        (Literal("sugar", "<", 3), False),
        (Literal("sugar", "missing"), True),
    ],
)
def test_a_literal_may_be_in_the_rule_or_not(literal, allowed):
    assert WISHES.allows(literal) is allowed


def test_constraints_survive_json_and_need_no_tuple():
    assert Constraints.from_dict(json.loads(json.dumps(WISHES.to_dict()))) == WISHES
    assert WISHES.features == ("town", "age", "bmi", "flag", "sugar")
    assert hash(WISHES) == hash(Constraints.from_dict(WISHES.to_dict()))
    assert Constraints(forbidden="town", required=OLD) == Constraints(("town",), (OLD,))
    with pytest.raises(RuleError, match="'colour' is not a part of constraints"):
        Constraints.from_dict({"colour": 1})


@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        ({"forbidden": (3,)}, "must hold names of columns and literals, got 3"),
        ({"directions": {"age": "up"}}, "direction of column 'age' must be '<' or '>'"),
        ({"forbidden": ("age",), "required": ("age",)}, "is required and forbidden"),
        ({"required": (OLD,), "directions": {"age": "<"}}, "is required and forbidden"),
    ],
)
def test_a_wish_that_cannot_be_is_named(constraints, words):
    with pytest.raises(RuleError, match=words):
        Constraints(**constraints)
