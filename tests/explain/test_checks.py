"""Conditions and clauses checked on one row: distance, share of the range, near misses in words."""

import pytest

from rulekit.explain.checks import CheckedClause, Checker, describe_near_miss
from rulekit.rules import Factor, LinearSplit, Literal, PointsSplit, PowerLaw, PowerLawSplit
from rulekit.rules.condition import as_column

RANGES = {"age": 100.0, "mass": 100.0}
OLD = Literal("age", ">", 50)
LIGHT = Literal("mass", "<=", 60)
PLANE = LinearSplit((("age", 1.0), ("mass", -1.0)), ">", 0.0)
RATIO = PowerLawSplit((PowerLaw(1.0, (Factor("mass"), Factor("age", -1, floor=1.0))),), 2.0)


@pytest.mark.parametrize(
    ("condition", "value", "row", "distance", "share"),
    [
        (OLD, 60.0, {"age": 60.0}, 0.0, 0.0),
        (OLD, 44.0, {"age": 44.0}, 6.0, 0.06),
        (OLD, 50.0, {"age": 50.0}, 0.0, 0.0),
        (OLD, None, {"age": None}, None, None),
        (Literal("town", "==", "Ulm"), "Bonn", {"town": "Bonn"}, None, None),
        (PLANE, 10.0, {"age": 70.0, "mass": 60.0}, 0.0, None),
        (PLANE, -5.0, {"age": 55.0, "mass": 60.0}, 5.0, None),
        (PLANE, None, {"age": None, "mass": 60.0}, None, None),
        (RATIO, 3.0, {"age": 20.0, "mass": 60.0}, 1.0, 0.1),
        (RATIO, 1.0, {"age": 60.0, "mass": 60.0}, 0.0, None),
        (PointsSplit((OLD, LIGHT), (3, -1), 3), 2, {"age": 70.0, "mass": 60.0}, 1.0, 0.25),
    ],
)
def test_distance_and_share_of_the_range(condition, value, row, distance, share):
    columns = {f: as_column([v]) for f, v in row.items()}
    holds = bool(condition.mask(columns)[0])
    checked = Checker(value, row, holds, RANGES).write(condition)
    assert (checked.literal, checked.value, checked.holds) == (condition, value, holds)
    assert checked.distance == (None if distance is None else pytest.approx(distance))
    assert checked.share == (None if share is None else pytest.approx(share))
    assert checked.to_dict()["column"] == ", ".join(condition.features)


@pytest.mark.parametrize(
    ("condition", "operator", "threshold"),
    [
        (OLD, ">", 50.0),
        (Literal("town", "in", ("Ulm", "Bonn")), "in", ["Bonn", "Ulm"]),
        (PLANE, ">", 0.0),
        (RATIO.negate(), ">", 2.0),
        (PowerLawSplit(RATIO.terms, 2.0, 1.0), "within", [1.0, 2.0]),
        (PowerLawSplit(RATIO.terms, 2.0, 1.0, inside=False), "outside", [1.0, 2.0]),
    ],
)
def test_compared_values_are_plain_data(condition, operator, threshold):
    row = dict.fromkeys(condition.features, None)
    plain = Checker(None, row, False).write(condition).to_dict()
    assert (plain["operator"], plain["threshold"]) == (operator, threshold)


def clause(*holds):
    checks = [Checker(60.0 if h else 44.0, {"age": 0.0}, h, RANGES).write(OLD) for h in holds]
    return CheckedClause(1, "ill", tuple(checks))


def test_few_missing_conditions_come_first_then_small_ones():
    one, two = (describe_near_miss(clause(met, False), False) for met in (True, False))
    assert one.nearness == (1, pytest.approx(0.06), 1)
    assert sorted([two, one], key=lambda miss: miss.nearness) == [one, two]
