"""Candidate columns: cells say what the matrix says, and sums of them are exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit._sums import grid_unit, on_grid
from rulekit.search.lp import solve_lp, solve_milp
from rulekit.search.screening.bounds import compact_program, priced
from tests.reference import one_level as reference
from tests.reference.candidates import MatrixColumns
from tests.strategies.covers import cover_problems, threshold_table
from tests.strategies.screening import tied_table


@pytest.mark.parametrize("seed", range(20))
def test_cells_sum_and_form_columns_as_the_matrix_does(seed):
    cells, matrix, y, _, _ = tied_table(seed, weighted=True)
    rng = np.random.default_rng(seed)
    values = on_grid(rng.random(len(y)), grid_unit(len(y), cells.copies))
    assert (cells.sums(values) == matrix.sums(values)).all()
    columns = rng.permutation(cells.shape[1])[:4]
    assert (cells.values_of(columns) == matrix.A[:, columns]).all()
    assert (cells.values_of(columns, np.array([1, 0])) == matrix.A[[1, 0]][:, columns]).all()
    assert (cells[y].values_of(columns) == matrix[y].values_of(columns)).all()
    part = cells.take_columns(columns)
    assert (part.sums(values) == matrix.take_columns(columns).sums(values)).all()


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_order_of_addition_does_not_matter_on_the_grid(values, random):
    unit = grid_unit(sum(values))
    snapped = on_grid(np.array(values), unit)
    again = snapped.tolist()
    random.shuffle(again)
    assert sum(again) == snapped.sum()
    assert np.abs(snapped - values).max() <= unit / 2
    assert (on_grid(np.array(values), unit, down=True) <= np.array(values)).all()


def test_rows_that_cost_nothing_are_left_out():
    _, matrix, y, _, _ = tied_table(4)
    weight = np.where(np.arange(len(y)) % 2 == 0, 0.0, 1.0)
    problem = priced(matrix, y, 1.0, weight)
    assert problem.P.shape[0] == (y & (weight > 0)).sum()
    assert problem.m.tolist() == [1.0] * problem.P.shape[0]


def test_chains_are_read_off_the_places_of_thresholds():
    A, _, binned = threshold_table(0, features=2, cuts=3, levels=2)
    found = MatrixColumns.of(A, binned)
    for name in set(found.chain.tolist()) - {-1}:
        members = np.flatnonzero(found.chain == name)
        members = members[np.argsort(found.place[members])]
        assert (np.diff(A[:, members].astype(int), axis=1) >= 0).all()
    assert (found.chain[binned.side == 0] == -1).all()
    assert (MatrixColumns.of(A).chain == -1).all()


@pytest.mark.slow
@given(cover_problems())
def test_compact_program_matches_the_printed_one(problem):
    A, y, rows, theta = problem
    folded = priced(MatrixColumns.of(A), y, theta, rows)
    program = compact_program(folded.P.A.astype(float), folded.m, folded.price)
    printed = reference.printed_value(A, y, rows, theta)
    assert solve_lp(program).value == pytest.approx(printed, abs=1e-8)
    best = reference.best_clause_cost(A, y, rows, theta)
    assert solve_milp(program).value == pytest.approx(best, abs=1e-6)
