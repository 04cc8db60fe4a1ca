"""Cells of a column; the search for a row finds one exactly where a look at every row does."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rulekit.rules import Clause, ColumnSchema, LinearSplit, Literal, RuleSet
from rulekit.rules.analysis.row_search import (
    RowSearch,
    TooLongError,
    answers,
    columns_of_rows,
    decides,
    list_cells,
    meets,
)
from rulekit.rules.schema import schema_of
from tests.rules.analysis.test_verification import list_every_row
from tests.rules.analysis.test_violations import read_in_one_way
from tests.strategies.rules import literals, rule_sets


@given(rule_sets(form="dnf", max_clauses=3, max_size=3))
def test_a_row_is_found_exactly_if_there_is_one(rule):
    assume(1 <= len(rule.features) <= 3 and read_in_one_way(rule))
    every, search = list_every_row(rule), RowSearch(rule, schema_of(rule))
    fired = rule.clauses_fired(every)
    for label in rule.classes:
        row = search.first(answers(rule, label))
        assert (row is None) == (label not in rule.predict(every))
        if row is not None:
            assert rule.predict(columns_of_rows([row], rule.features)).tolist() == [label]
    for k in range(rule.n_clauses):
        row = search.first(decides(rule, k))
        assert (row is None) == (not (fired[:, k] & ~fired[:, :k].any(axis=1)).any())


def test_a_row_with_a_sum_is_drawn_and_an_impossible_one_is_not_settled():
    plane = LinearSplit((("a", 1.0), ("b", 1.0)), ">", 1.0)
    far = LinearSplit((("a", 1.0), ("b", 1.0)), "<=", 0.5)
    rule = RuleSet((Clause((plane, Literal("c", ">", 2))),), ("yes",), "dnf", "no")
    row = RowSearch(rule, schema_of(rule)).first(decides(rule, 0))
    assert row["a"] + row["b"] > 1.0
    assert row["c"] > 2
    never = RuleSet((Clause((plane, far)),), ("yes",), "dnf", "no")
    with pytest.raises(TooLongError):  # how sums exclude each other is not looked into
        RowSearch(never, schema_of(never)).first(decides(never, 0))


def test_searches_share_a_number_of_steps():
    rule = RuleSet((Clause((Literal("c", ">", 2),)),), ("yes",), "dnf", "no")
    search = RowSearch(rule, schema_of(rule), left=3)
    assert search.first(decides(rule, 0))
    with pytest.raises(TooLongError):
        search.first(decides(rule, 0))


def results(tests, values):
    return {tuple(meets(test, value) for test in tests) for value in values}


@given(st.lists(literals(("age",)), min_size=1, max_size=4))
def test_every_number_has_the_results_of_one_cell(tests):
    cells = list_cells(tests)
    assert results(tests, [*np.linspace(-4, 6, 201).tolist(), None]) <= results(tests, cells)
    assert len(results(tests, cells)) == len(cells)


@given(st.lists(literals(("age",)), min_size=1, max_size=4))
def test_cells_of_whole_numbers_are_whole(tests):
    cells = list_cells(tests, ColumnSchema("age", "whole number"))
    assert all(value is None or value == int(value) for value in cells)
    assert results(tests, [*map(float, range(-9, 9)), None]) == results(tests, cells)


def test_levels_of_the_schema_stand_for_cells():
    column = ColumnSchema("ward", "level", levels=("east", "north", "west"))
    assert set(list_cells([Literal("ward", "==", "north")], column)) == {"north", "east"}
    (present, _) = list_cells([Literal("ward", "missing")], column)
    assert present == "east"
