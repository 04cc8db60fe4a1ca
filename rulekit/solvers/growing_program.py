"""A linear program with many rows of which few matter: HiGHS is given rows as they are missed.

Part of the door of `rulekit.solvers.lp`; for programs of the form

::

    maximise  sum(mu)    subject to  P.T @ mu <= c,  0 <= mu <= m

with a 0/1 matrix P of few rows and many columns. The columns that look cheapest for what they
cover are passed first, then those that the answer violates, until none is. The basis is kept
between these steps, so that each adds little; the answer is that of the whole program.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.exceptions import SolverError
from rulekit.solvers.lp import TOLERANCE, LPSolution, highs_module, run_highs, silent_highs

Floats = NDArray[np.float64]
Index = NDArray[np.intp]

FIRST = 64
MORE = 48


class GrowingProgram:
    """One matrix P of zeros and ones, many c and m.

    Parameters
    ----------
    P : ndarray of shape (g, d)
        Zeros and ones.

    Notes
    -----
    One object must not be used by two threads at once. Needs highspy.
    """

    def __init__(self, P: Floats) -> None:
        module = highs_module()
        if module is None:
            raise SolverError("A growing program needs the package highspy; use `solve_lp`.")
        matrix = sparse.csc_array(P)
        self._P = P
        self._starts, self._rows = matrix.indptr, matrix.indices.astype(np.int32)
        self._highs: Any = silent_highs(module)

    def solve(self, c: Floats, m: Floats, time_limit: float | None = None) -> LPSolution:
        """Solve for prices c (infinite: no such row) and weights m, from the slack basis.

        At least one price must be finite.
        """
        g, d = self._P.shape
        worth = m @ self._P
        useful = np.isfinite(c) & (worth > 0)
        ratio = np.where(useful, c, np.inf) / np.where(useful, worth, 1.0)
        cheapest = np.argsort(ratio, kind="stable")[:FIRST]
        passed = cheapest[useful[cheapest]]
        self._start(m)
        self._add(passed, c)
        while True:
            answer = run_highs(self._highs, g, len(passed), time_limit)
            if answer.x is None or answer.duals is None or answer.basic_rows is None:
                return answer
            slack = np.where(useful, c - answer.x @ self._P, np.inf)
            slack[passed] = np.inf
            missed = np.flatnonzero(slack < -TOLERANCE)
            if len(missed) == 0:
                break
            missed = missed[np.argsort(slack[missed], kind="stable")[:MORE]]
            self._add(missed, c)
            passed = np.concatenate([passed, missed])
        duals, basic_rows = np.zeros(d), np.ones(d, dtype=bool)
        duals[passed], basic_rows[passed] = answer.duals, answer.basic_rows
        return LPSolution(
            answer.x,
            answer.value,
            duals,
            answer.reduced_costs,
            answer.status,
            answer.bound,
            answer.message,
            answer.basic_x,
            basic_rows,
        )

    def _start(self, m: Floats) -> None:
        """Begin with the variables alone."""
        g = len(m)
        self._highs.clearModel()
        self._highs.addVars(g, np.zeros(g), m)
        self._highs.changeColsCost(g, np.arange(g, dtype=np.int32), -np.ones(g))

    def _add(self, columns: Index, c: Floats) -> None:
        """Pass the rows of the program that belong to some columns of P."""
        parts = [self._rows[self._starts[j] : self._starts[j + 1]] for j in columns]
        sizes = np.array([len(part) for part in parts])
        rows = np.concatenate(parts)
        self._highs.addRows(
            len(columns),
            np.full(len(columns), -np.inf),
            c[columns],
            len(rows),
            np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32),
            rows,
            np.ones(len(rows)),
        )
