"""Points that add up, as a condition."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.exceptions import RuleError
from rulekit.rules import (
    Clause,
    LinearSplit,
    Literal,
    PointsSplit,
    RuleSet,
    rule_from_dict,
    rule_to_dict,
    simplify,
)
from tests.strategies import columns, every_row, points_splits

OLD, HIGH, SPORT = Literal("age", ">", 60), Literal("bp", ">", 140), Literal("sport", "==", "yes")
RISK = PointsSplit((OLD, HIGH, SPORT), (3, 2, -1), 4)


def by_hand(split, table):
    """Add up row by row, asking each test of each row alone."""
    n = len(next(iter(table.values())))
    for i in range(n):
        row = {name: column[i : i + 1] for name, column in table.items()}
        held = [bool(c.mask(row)[0]) for c in split.conditions]
        yield sum(p for p, h in zip(split.points, held, strict=True) if h)


@given(points_splits(), columns())
def test_the_points_of_what_holds_add_up(split, table):
    sums = list(by_hand(split, table))
    assert split.compared(table).tolist() == sums
    assert split.mask(table).tolist() == [(s >= split.total) == split.reached for s in sums]


@given(points_splits(), columns())
def test_a_row_meets_a_condition_or_its_negation(split, table):
    np.testing.assert_array_equal(split.negated().mask(table), ~split.mask(table))
    assert split.negated().negated() == split


@given(points_splits())
def test_a_stored_condition_is_read_back_the_same(split):
    rule = RuleSet((Clause((split,)),), ("yes",), "dnf", "no")
    assert rule_from_dict(json.loads(json.dumps(rule_to_dict(rule)))) == rule


@given(points_splits())
def test_no_row_has_a_sum_outside_the_span(split):
    lowest, highest = split.span
    sums = split.compared(every_row())
    assert lowest <= sums.min() <= sums.max() <= highest
    assert lowest < split.total <= highest


@given(points_splits())
def test_missing_is_the_answer_where_every_column_is_missing(split):
    table = {f: np.array([None], dtype=object) for f in split.features}
    assert split.mask(table).tolist() == [split.missing]
