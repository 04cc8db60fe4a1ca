"""How a clause and a rule are read out."""

import pytest
from hypothesis import given

from rulekit.rules import Clause, LinearSplit, Literal, RuleSet
from rulekit.rules.writer import ValueInterval, clause_line, readings, rule_lines
from tests.strategies.rules import rule_sets

LOW, HIGH = Literal("age", ">", 20), Literal("age", "<=", 50)
TOWN = Literal("town", "==", "Ulm")


def test_bounds_of_an_and_are_one_interval():
    assert readings(Clause((HIGH, TOWN, LOW))) == (ValueInterval(LOW, HIGH), TOWN)
    assert ValueInterval(LOW, HIGH).ends == (20.0, "<", "<=", 50.0)
    assert readings(Clause((LOW, HIGH), "or")) == (LOW, HIGH)
    young = Literal("a", "<=", 1, missing=True)
    assert clause_line(Clause((young, Literal("b", ">", 2)))) == "(a <= 1 or missing) AND (b > 2)"
    assert clause_line(Clause((young,))) == "a <= 1 or missing"
    assert clause_line(Clause((LOW, TOWN))) == "age > 20 AND town == Ulm"


@pytest.mark.parametrize(
    "conditions",
    [
        (LOW, Literal("age", "<=", 20)),
        (LOW, Literal("age", "<=", 10)),
        (LOW, Literal("age", "<=", 50, missing=True)),
        (LOW, HIGH, Literal("age", "!=", 30)),
        (LOW, Literal("age", ">", 30)),
        (LinearSplit((("age", 1.0),), "<=", 3.0), HIGH),
    ],
)
def test_other_conditions_are_unchanged(conditions):
    assert readings(Clause(conditions)) == conditions


@given(rule_sets())
def test_no_condition_is_lost_in_reading(rule):
    for clause in rule.clauses:
        read = []
        for r in readings(clause):
            read += [r.low, r.high] if isinstance(r, ValueInterval) else [r]
        assert sorted(map(repr, read)) == sorted(map(repr, clause.conditions))


@pytest.mark.parametrize(("op", "word"), [("and", "always"), ("or", "never")])
def test_a_clause_without_conditions_is_one_word(op, word):
    assert clause_line(Clause((), op)) == word


def test_a_rule_is_read_in_a_few_lines():
    rule = RuleSet((Clause((LOW, TOWN)), Clause((HIGH,))), ("ill",) * 2, "dnf", "well")
    assert rule_lines(rule).splitlines() == [
        "ill if",
        "       (age > 20 AND town == Ulm)",
        "    OR (age <= 50)",
        "else well",
    ]
    several = RuleSet((Clause((HIGH,)), Clause((HIGH.negate(),))), ("ill", "watch"), "dnf", "well")
    lines = rule_lines(several).splitlines()
    assert [line.split(" if ")[0] for line in lines] == ["ill", "watch", "else well"]
    assert rule_lines(RuleSet((), ("ill",), "cnf", "well")) == "ill, always"
    assert rule_lines(RuleSet((), (), "dnf", "well")) == "well, always"
