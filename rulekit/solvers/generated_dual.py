"""The dual of the one-level program over the columns generated so far.

Part of the door of `rulekit.solvers.lp`::

    maximise  sum(mu)    subject to  P.T @ mu <= c,  0 <= mu <= m

Rows that all columns generated so far treat alike are one variable, with their weights added, so
that the program stays small whatever the number of rows; its value is shared out again by weight.
Generated columns split these groups. Without highspy SciPy solves the same program.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.solvers.lp import LinearProgram, LPSolution, solve_lp

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class GeneratedDual:
    """A dual program that grows.

    Parameters
    ----------
    m : ndarray of shape (g,)
        Upper bounds of the variables, positive.
    engine : {"auto", "scipy", "highs"}
        See `rulekit.solvers.lp.solve_lp`.
    """

    def __init__(self, m: Floats, engine: str = "auto") -> None:
        self._m, self._engine = m, engine
        self._group: Ints = np.zeros(len(m), dtype=np.intp)
        self._columns: Bools = np.zeros((min(len(m), 1), 0), dtype=bool)
        self._ceiling = np.zeros(0)

    def add(self, columns: Bools, ceiling: Floats) -> None:
        """Add columns of P, shape (g, k), with their prices, shape (k,)."""
        self._ceiling = np.concatenate([self._ceiling, ceiling])
        bits = np.packbits(columns, axis=1)
        key = np.concatenate(
            [self._group[:, None].astype(np.uint32).view(np.uint8).reshape(len(bits), -1), bits],
            axis=1,
        )
        content = np.ascontiguousarray(key).view(f"V{key.shape[1]}").ravel()
        _, first, group = np.unique(content, return_index=True, return_inverse=True)
        self._columns = np.hstack([self._columns[self._group[first]], columns[first]])
        self._group = group.ravel()

    def solve(self, time_limit: float | None = None) -> LPSolution:
        """Solve over the columns so far; minus the duals of its rows are the relaxed clause."""
        n_groups, k = self._columns.shape
        weight = np.bincount(self._group, self._m, n_groups).astype(float)
        program = LinearProgram(
            -np.ones(n_groups),
            sparse.csc_array(self._columns.T.astype(np.float64)),
            np.full(k, -np.inf),
            self._ceiling,
            np.zeros(n_groups),
            weight,
        )
        found = solve_lp(program, engine=self._engine, time_limit=time_limit)
        if found.x is None:
            return found
        share = found.x / weight
        return LPSolution(
            share[self._group] * self._m,
            found.value,
            found.duals,
            None,
            found.status,
            found.bound,
            found.message,
        )
