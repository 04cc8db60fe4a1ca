"""Small changes of a rule: which there are, and that each is one."""

from rulekit.rules import Clause, ColumnSchema, Literal, PointsSplit, RuleSet, Schema
from rulekit.rules.analysis.mutations import mutations
from rulekit.rules.schema import schema_of


def list_changes(rule, schema=None):
    return list(mutations(rule, schema or schema_of(rule)))


def test_parts_go_and_limits_and_points_move():
    ward = Literal("ward", "in", ("east", "west"))
    rule = RuleSet((Clause((Literal("age", ">", 50), ward)),), ("ill",), "dnf", "well")
    shorter = [m for m in list_changes(rule) if m.shorter]
    assert [m.part for m in shorter] == ["clause", "condition", "condition", "level", "level"]
    assert [m.level for m in shorter if m.part == "level"] == ["east", "west"]
    assert sorted(m.rule.n_conditions for m in shorter) == [0, 1, 1, 2, 2]
    rule = RuleSet((Clause((Literal("dose", "<=", 2.5),)),), ("ill",), "dnf", "well")
    moved = {str(m.rule.conditions[0]) for m in list_changes(rule) if m.part == "limit"}
    assert moved == {"dose < 2.5", "dose <= 2.49", "dose <= 2.51"}
    whole = Schema((ColumnSchema("dose", "whole number"),))
    moved = {str(m.rule.conditions[0]) for m in list_changes(rule, whole) if m.part == "limit"}
    assert moved == {"dose < 2.5", "dose <= 1.5", "dose <= 3.5"}
    tests = (Literal("age", ">", 50), Literal("bmi", ">", 30))
    bands = tuple(Clause((PointsSplit(tests, (2, 1), total),)) for total in (3, 2))
    rule = RuleSet(bands, ("high", "middle"), "dnf", "low")
    changed = [m.rule.conditions for m in list_changes(rule) if m.part == "points"]
    assert all(one.points == other.points for one, other in changed)
    # fewer points never reach the first total
    expected = {(3, 1), (4, 1), (5, 1), (2, 2), (2, 3), (2, 4)}
    assert {one.points for one, _ in changed} == expected
