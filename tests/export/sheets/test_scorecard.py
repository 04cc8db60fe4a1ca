"""Which rules are scorecards: every clause asks for a total of the same points, and no more."""

from rulekit.export.sheets.workbook import card_of
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet

OLD, HIGH = Literal("age", ">", 60), Literal("bp", ">", 140)


def points(total, *points):
    return PointsSplit((OLD, HIGH), points or (2, 1), total)


def rule(*clauses):
    return RuleSet(tuple(map(Clause, clauses)), ("ill",) * len(clauses), "dnf", "well")


def test_bands_of_one_card_are_a_card():
    assert card_of(rule((points(3),), (points(1),))) == ((OLD, 2), (HIGH, 1))


def test_points_with_other_conditions_are_not_a_scorecard():
    assert card_of(rule((points(3),), (points(1, 1, 1),))) == ()
    assert card_of(rule((points(3), OLD))) == ()
    assert card_of(rule((OLD,))) == ()
    assert card_of(rule()) == ()
