"""Candidate columns: cells say what the matrix says, and sums of them are exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit._sums import grid_unit, round_to_grid
from rulekit.search.columns.priced_columns import price_columns
from rulekit.search.lp import solve_lp, solve_milp
from rulekit.search.screening.bounds import compact_program
from tests.reference import one_level as reference
from tests.strategies.covers import binned_matrix, chained, cover_problems
from tests.strategies.screening import tied_table


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_order_of_addition_does_not_matter_on_the_grid(values, random):
    unit = grid_unit(sum(values))
    snapped = round_to_grid(np.array(values), unit)
    again = snapped.tolist()
    random.shuffle(again)
    assert sum(again) == snapped.sum()
    assert np.abs(snapped - values).max() <= unit / 2
    assert (round_to_grid(np.array(values), unit, down=True) <= np.array(values)).all()


def test_rows_that_cost_nothing_are_left_out():
    cells, _, y, _, _ = tied_table(4)
    weight = np.where(np.arange(len(y)) % 2 == 0, 0.0, 1.0)
    problem = price_columns(cells, y, 1.0, weight)
    assert problem.P.shape[0] == (y & (weight > 0)).sum()
    assert problem.m.tolist() == [1.0] * problem.P.shape[0]


@pytest.mark.slow
@given(cover_problems())
def test_compact_program_matches_the_printed_one(problem):
    A, y, rows, theta = problem
    folded = price_columns(chained(binned_matrix(A)), y, theta, rows)
    program = compact_program(folded.P.values.astype(float), folded.m, folded.price)
    printed = reference.printed_value(A, y, rows, theta)
    assert solve_lp(program).value == pytest.approx(printed, abs=1e-8)
    best = reference.best_clause_cost(A, y, rows, theta)
    assert solve_milp(program).value == pytest.approx(best, abs=1e-6)
