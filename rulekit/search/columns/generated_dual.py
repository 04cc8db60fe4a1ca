"""The dual of the one-level program, over generated columns or over all of few columns."""

#   maximise  sum(mu)    subject to  P.T @ mu <= c,  0 <= mu <= m
#
# Rows that these columns treat alike are one variable. For few entries the compiled simplex method
# (`rounding_kernels`) over all columns and rows at once is faster than a call of HiGHS.

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulekit.search.columns.rounding import default_perturbation
from rulekit.search.lp import Basis, LinearProgram, LPSolution, solve_lp

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
CHUNK = 32  # columns separated at a time


@dataclass(frozen=True)
class MergedRows:
    """Rows that are one variable."""

    of: Ints  # (g,)
    first: Ints  # (number of groups,)
    weight: Floats  # (number of groups,)
    m: Floats  # (g,)

    def share_weights(self, mu: Floats) -> Floats:
        """Share out what groups have by weight: shape (g,). No row gets more than its bound."""
        shares: Floats = (mu / np.where(self.weight > 0, self.weight, 1.0))[self.of] * self.m
        return shares


class GeneratedDual:
    """The program of this module; each solution begins at the vertex of the last one."""

    def __init__(self, m: Floats) -> None:
        some = min(len(m), 1)
        self.groups = MergedRows(
            np.zeros(len(m), np.intp), np.zeros(some, np.intp), np.full(some, m.sum()), m
        )
        self._solved: tuple[MergedRows, LPSolution] | None = None
        self._columns: Bools = np.zeros((some, 0), dtype=bool)
        self._ceiling = np.zeros(0)

    def add(self, columns: Bools, ceiling: Floats) -> None:
        """Add columns of P, shape (g, k), with their prices, shape (k,)."""
        self._ceiling = np.concatenate([self._ceiling, ceiling])
        group, m = self.groups.of, self.groups.m
        first = self.groups.first
        for start in range(0, columns.shape[1], CHUNK):
            part = columns[:, start : start + CHUNK]
            key = (group << CHUNK) + part @ (1 << np.arange(part.shape[1]))
            _, first, group = np.unique(key, return_index=True, return_inverse=True)
        self._columns = np.hstack([self._columns[self.groups.of[first]], columns[first]])
        weight = np.bincount(group, m, len(first)).astype(float)
        self.groups = MergedRows(group, first, weight, m)

    def solve(self, time_limit: float | None = None) -> LPSolution:
        """Solve for a value of each group; minus the duals of the rows are the relaxed clause."""
        n_groups, k = self._columns.shape
        program = LinearProgram(
            -np.ones(n_groups),
            self._columns.T,
            np.full(k, -np.inf),
            self._ceiling,
            np.zeros(n_groups),
            self.groups.weight,
        )
        answer = solve_lp(program, time_limit=time_limit, start=self._start())
        self._solved = self.groups, answer
        return answer

    def _start(self) -> Basis | None:
        """Return the basis of the last solution for the current groups and columns, or None."""
        if self._solved is None:
            return None
        solved_groups, answer = self._solved
        if answer.x is None or answer.basic_x is None or answer.basic_rows is None:
            return None
        groups = self.groups
        whole = solved_groups.of[groups.first]
        at_upper, basic = (2 * answer.x > solved_groups.weight)[whole], np.zeros(len(whole), bool)
        # a group's value is assigned to its parts in turn, so at most one is between its bounds
        for group in np.flatnonzero(answer.basic_x):
            parts = np.flatnonzero(whole == group)
            full = int(np.searchsorted(np.cumsum(groups.weight[parts])[:-1], answer.x[group]))
            at_upper[parts], basic[parts[full]] = np.arange(len(parts)) < full, True
        n_new = len(self._ceiling) - len(answer.basic_rows)
        return Basis(at_upper, basic, np.append(answer.basic_rows, np.ones(n_new, bool)))


SMALL = 200_000  # entries: rows times columns
STEPS = 100  # between two looks at the clock
MOST = 4  # steps, for each row and column
EXACT = 1e-9


def solve_small_dual(
    P: Bools, c: Floats, m: Floats, time_limit: float | None = None
) -> LPSolution | None:
    """Solve for mu; return None unless a check shows that the solution is optimal to 1e-9."""
    from rulekit.search.columns.rounding_kernels import OPTIMAL, UNFINISHED, Tableau, optimise

    end = np.inf if time_limit is None else time.monotonic() + time_limit
    g, d = P.shape
    matrix = np.ascontiguousarray(P.T, dtype=float)
    t = Tableau(
        matrix.copy(),
        c - matrix @ m,
        np.ones(g),
        1.0 + default_perturbation(g),
        np.append(m, np.full(d, np.inf)),
        np.ones(d),
        np.arange(g, g + d, dtype=np.int64),
        np.arange(g, dtype=np.int64),
        np.ones(g, dtype=bool),
    )
    ended, left = UNFINISHED, MOST * (g + d)
    while ended == UNFINISHED and left > 0:
        if time.monotonic() > end:
            return LPSolution(None, None, None, None, "time limit", None)
        ended, left = optimise(t, STEPS), left - STEPS
    if ended != OPTIMAL:
        return None
    x, slope, basic = np.zeros(g + d), np.zeros(g + d), np.zeros(g + d, dtype=bool)
    x[t.other] = np.where(t.at_upper, t.cap[t.other], 0.0)
    x[t.basic], slope[t.other], basic[t.basic] = t.value, t.slope, True
    mu, duals = np.clip(x[:g], 0.0, m), np.minimum(slope[g:], 0.0)
    value = float(mu.sum())
    primal = -float(c @ duals) + float(m @ np.maximum(0.0, 1.0 + duals @ matrix))
    overdrawn = (matrix @ mu - c).max(initial=0.0)
    # written so that NaN fails the check
    if not (overdrawn <= EXACT and abs(primal - value) <= EXACT * max(1.0, value)):
        return None
    return LPSolution(mu, value, duals, None, "optimal", value, "", basic[:g], basic[g:])
