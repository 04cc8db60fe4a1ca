"""The dual of the one-level program, in HiGHS, with a row for each column generated so far.

Part of the door of `rulekit.solvers.lp`::

    maximise  sum(mu)    subject to  P.T @ mu <= c,  0 <= mu <= m

Rows are added as columns are generated; the basis is kept, so that each step adds little. Without
highspy every step is solved anew by SciPy.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.solvers.lp import (
    LinearProgram,
    LPSolution,
    highs_module,
    run_highs,
    silent_highs,
    solve_lp,
)

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


class GeneratedDual:
    """A dual program that grows.

    Parameters
    ----------
    m : ndarray of shape (g,)
        Upper bounds of the variables.
    engine : {"auto", "scipy", "highs"}
        See `rulekit.solvers.lp.solve_lp`.

    Notes
    -----
    One object must not be used by two threads at once.
    """

    def __init__(self, m: Floats, engine: str = "auto") -> None:
        self._m, self._engine = m, engine
        module = None if engine == "scipy" else highs_module()
        self._highs: Any = None if module is None else silent_highs(module)
        self._rows: list[NDArray[np.int32]] = []
        self._ceiling = np.zeros(0)
        if self._highs is not None:
            g = len(m)
            self._highs.addVars(g, np.zeros(g), m)
            self._highs.changeColsCost(g, np.arange(g, dtype=np.int32), -np.ones(g))

    def add(self, columns: Bools, ceiling: Floats) -> None:
        """Add columns of P, shape (g, k), with their prices, shape (k,)."""
        parts = [np.flatnonzero(column).astype(np.int32) for column in columns.T]
        self._rows += parts
        self._ceiling = np.concatenate([self._ceiling, ceiling])
        if self._highs is None or not parts:
            return
        sizes = np.array([len(part) for part in parts])
        rows = np.concatenate(parts)
        self._highs.addRows(
            len(parts),
            np.full(len(parts), -np.inf),
            ceiling,
            len(rows),
            np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32),
            rows,
            np.ones(len(rows)),
        )

    def solve(self, time_limit: float | None = None) -> LPSolution:
        """Solve over the columns so far; minus the duals of its rows are the relaxed clause."""
        g, k = len(self._m), len(self._rows)
        if self._highs is not None:
            return run_highs(self._highs, g, k, time_limit)
        sizes = [len(part) for part in self._rows]
        matrix = sparse.csr_array(
            (
                np.ones(sum(sizes)),
                np.concatenate([*self._rows, np.zeros(0, dtype=np.int32)]),
                np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
            ),
            shape=(k, g),
        )
        program = LinearProgram(
            -np.ones(g), matrix, np.full(k, -np.inf), self._ceiling, np.zeros(g), self._m
        )
        return solve_lp(program, engine="scipy", time_limit=time_limit)
