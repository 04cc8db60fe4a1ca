"""Cells of a column: one value for each combination of results of its tests."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rulekit.rules import ColumnSchema, Literal
from rulekit.rules.analysis.cells import list_cells, meets
from tests.strategies.rules import literals


def results(tests, values):
    return {tuple(meets(test, value) for test in tests) for value in values}


@given(st.lists(literals(("age",)), min_size=1, max_size=4))
def test_every_number_has_the_results_of_one_cell(tests):
    cells = list_cells(tests)
    grid = [*np.linspace(-4, 6, 201).tolist(), None]
    assert results(tests, grid) <= results(tests, cells)
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
