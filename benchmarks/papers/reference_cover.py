"""The plain way: SciPy's `linprog` on the compact linear program, every program solved anew."""

from typing import Any

import numpy as np
from scipy.optimize import linprog

from rulekit.exceptions import SolverError
from rulekit.search.columns.priced_columns import ALWAYS_PERTURBATION, PricedColumns, snap_weights
from rulekit.search.lp import TOLERANCE
from rulekit.search.one_level.problem import ClauseSolver, Vertex
from rulekit.search.screening.screen import compact_program

#: With its usual tolerance of 1e-7 `linprog` cannot see a perturbation of 1e-6, and stops at
#: another of several optimal clauses.
TIGHT = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}


class CompactSolver(ClauseSolver):
    """A `ClauseSolver` that hands the compact program, as it is written, to `linprog`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.remember = False

    def _solve_program(self, sub: PricedColumns) -> Vertex:
        c = np.append(sub.price + self.perturbation, sub.always + ALWAYS_PERTURBATION)
        offered = np.flatnonzero(np.isfinite(c))
        counts = sub.m > 0
        A = np.pad(self._P.values, ((0, 0), (0, 1)), constant_values=True)
        P = A[np.ix_(counts, offered)]
        lp = compact_program(P, sub.m[counts], c[offered])
        answer = linprog(
            lp.c, A_ub=-lp.A, b_ub=-lp.lower, bounds=np.c_[lp.x_lower, lp.x_upper], options=TIGHT
        )
        if answer.x is None:
            raise SolverError(f"linprog did not solve a program: {answer.message}")
        w = np.zeros(len(c))
        w[offered] = snap_weights(answer.x[: len(offered)])
        columns = np.flatnonzero(w)
        return Vertex(columns, w[columns], sub.theta, sub.theta)
