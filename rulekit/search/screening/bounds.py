"""The compact one-level problem as a linear program, and cheap bounds on it."""

# A point of the dual program gives every row to be covered a value ``0 <= mu <= m`` such that the
# rows of no column are worth more than its price; ``sum(mu)`` is then a lower bound (5).

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit._sums import grid_unit, round_to_grid
from rulekit.search.columns.priced_columns import PricedColumns
from rulekit.search.lp import LinearProgram

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def compact_program(P: Floats, m: Floats, c: Floats) -> LinearProgram:
    """Write the compact one-level problem out as a program; shapes: P (g, d), m (g,), c (d,)."""
    g, d = P.shape
    return LinearProgram(
        np.concatenate([c, m]),
        sparse.hstack([sparse.csr_matrix(P), sparse.eye_array(g)], format="csr"),
        np.ones(g),
        np.full(g, np.inf),
        np.zeros(d + g),
        np.concatenate([np.ones(d), np.full(g, np.inf)]),
        np.concatenate([np.ones(d, dtype=bool), np.zeros(g, dtype=bool)]),
    )


TIE = 1e-9
NOISE = 1e-6  # columns overdrawn by no more are repaired one by one
MAX_REPAIRS = 200
ROW_BLOCK = 256


@dataclass(frozen=True)
class Bounds:
    """A point of the dual program and a clause."""

    mu: Floats = field(repr=False)  # (g,)
    lower: float
    clause: Ints
    upper: float


def greedy_bounds(problem: PricedColumns, *, enhanced: bool) -> Bounds:
    """Find both by the paper's heuristics, basic or enhanced (section 3.3)."""
    mu = greedy_dual(problem, by_density=enhanced)
    clause = steepest_clause(problem, 3) if enhanced else build_greedy_clause(problem)
    return Bounds(mu, float(mu.sum()), clause, problem.cost(clause))


def greedy_dual(problem: PricedColumns, *, by_density: bool = False) -> Floats:
    """Assign rows their full weight, one after another, while no column is overdrawn."""
    g, d = problem.P.shape
    order = np.arange(g)
    everything = np.arange(d)
    if by_density:
        order = np.argsort(_row_sums(problem), kind="stable")
    left, mu = problem.wrong.copy(), np.zeros(g)
    for start in range(0, g, ROW_BLOCK):
        rows = order[start : start + ROW_BLOCK]
        for row, holds in zip(rows, problem.P.values_of(everything, rows), strict=True):
            # the tightest column through this row must be able to pay
            if left.min(where=holds, initial=np.inf) >= problem.m[row]:
                mu[row] = problem.m[row]
                left -= mu[row] * holds
    return mu


def build_greedy_clause(problem: PricedColumns) -> Ints:
    """Go through the columns by falling P_j - Z_j and take each that lowers the cost."""
    gain = problem.worth - problem.wrong
    open_weight = problem.m.copy()
    clause: list[int] = []
    hopeful = np.flatnonzero(problem.price < problem.worth)
    order = hopeful[np.argsort(-gain[hopeful], kind="stable")]
    for start in range(0, len(order), ROW_BLOCK):
        block = order[start : start + ROW_BLOCK]
        for j, holds in zip(block, problem.P.values_of(block).T, strict=True):
            if problem.wrong[j] + problem.theta < float(open_weight[holds].sum()):
                clause.append(int(j))
                open_weight[holds] = 0.0
    return np.array(clause, dtype=np.intp)


def steepest_clause(problem: PricedColumns, n_columns: int | None = None) -> Ints:
    """Take the column that lowers the cost most, again and again, `n_columns` times at most."""
    open_weight = problem.m.copy()
    clause: list[int] = []
    while n_columns is None or len(clause) < n_columns:
        gain = problem.P.sums(open_weight) - problem.price
        best = int(np.argmax(gain)) if len(gain) else -1
        if best < 0 or gain[best] <= TIE:
            break
        clause.append(best)
        open_weight[problem.P.values_of(np.array([best]))[:, 0]] = 0.0
    return np.array(clause, dtype=np.intp)


def feasible(problem: PricedColumns, mu: Floats) -> Floats:
    """Turn values that are all but feasible into a point of the dual program."""
    unit = grid_unit(problem.m.sum(), problem.P.copies)
    mu = round_to_grid(np.clip(mu, 0.0, problem.m), unit, down=True)
    over = problem.P.sums(mu) - problem.price
    if over.max(initial=0.0) <= 0.0:
        return mu
    # A solver's noise is taken from a few rows, which costs the bound no more than the noise;
    # scaling all of mu would cost that share of the whole, and is left for points far off.
    if over.max() <= NOISE:
        mu = _repair(problem, mu, np.flatnonzero(over > 0.0))
    drawn = problem.P.sums(mu)
    bad = drawn > problem.price
    if bad.any():
        mu = round_to_grid(mu * (problem.price[bad] / drawn[bad]).min(), unit, down=True)
    return mu


def _repair(problem: PricedColumns, mu: Floats, overdrawn: Ints) -> Floats:
    """Take from single rows what some columns are overdrawn by, which loses no more than that."""
    mu = mu.copy()
    for j in overdrawn[:MAX_REPAIRS]:
        holds = problem.P.values_of(np.array([j]))[:, 0]
        excess = float(mu[holds].sum()) - float(problem.price[j])
        for row in np.flatnonzero(holds)[np.argsort(-mu[holds], kind="stable")]:
            if excess <= 0.0:
                break
            taken = min(float(mu[row]), excess)
            mu[row] -= taken
            excess -= taken
    return round_to_grid(mu, grid_unit(problem.m.sum(), problem.P.copies), down=True)


def _row_sums(problem: PricedColumns) -> Ints:
    """Count the columns that cover each row."""
    g, d = problem.P.shape
    blocks = [
        problem.P.values_of(np.arange(d), np.arange(start, min(g, start + ROW_BLOCK))).sum(axis=1)
        for start in range(0, g, ROW_BLOCK)
    ]
    return np.concatenate(blocks) if blocks else np.zeros(0, dtype=np.intp)
