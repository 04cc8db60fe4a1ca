"""The support vector machine with a 1-norm, solved as a linear program through its dual.

Legend (symbols of Fung, Sandilya, Rao, (1)-(4))
------------------------------------------------
::

    A, D           rows, and their classes as +1 and -1 on a diagonal
    w, gamma       the plane: x is of class +1 where w'x > gamma
    nu             price of a unit of margin missed

    primal         minimise nu e'y + |w|_1   subject to  D (A w - e gamma) + y >= e,  y >= 0
    dual           maximise e'a   subject to  -1 <= A'D a <= 1,  e'D a = 0,  0 <= a <= nu

The dual has n + 1 rows, however many rows the table has; w and gamma are the rows' multipliers.
"""

from dataclasses import dataclass

import numpy as np

from rulekit.exceptions import SolverError, TimeLimitError
from rulekit.families.hyperplane.solver.half_space import Floats
from rulekit.search.lp import LinearProgram, LPSolution, ResidentProgram

ROUNDING = 1e-9  # of a margin, which is 1: a weight that adds no more to any row counts as 0


@dataclass(frozen=True, eq=False)
class LPSVMPlane:
    """A plane found by the linear program; shapes: w (n,)."""

    w: Floats
    gamma: float
    objective: float


class LPSVMProgram:
    """One table, for several prices `nu`; shapes: A (m, n), signs (m,), weight (m,), ways (n,)."""

    def __init__(
        self,
        A: Floats,
        signs: Floats,
        weight: Floats | None = None,
        ways: Floats | None = None,
    ) -> None:
        m, n = A.shape
        self._n, self._reach = n, np.abs(A).max(axis=0)
        self._weight = np.ones(m) if weight is None else weight
        # The matrix does not depend on nu, which only bounds the variables: it is passed once.
        rows = np.vstack([(A * signs[:, None]).T, signs])
        way = np.zeros(n) if ways is None else ways
        low = np.concatenate([np.where(way > 0, -np.inf, -1.0), [0.0]])
        high = np.concatenate([np.where(way < 0, np.inf, 1.0), [0.0]])
        nothing = np.zeros(m)
        self._program = ResidentProgram(
            LinearProgram(-np.ones(m), rows, low, high, nothing, nothing)
        )

    def solve(self, nu: float, *, time_limit: float | None = None) -> LPSVMPlane:
        """Solve for one price."""
        self._program.change_column_bounds(np.zeros(len(self._weight)), nu * self._weight)
        solution = self._program.solve(time_limit=time_limit)
        _check(solution)
        assert solution.duals is not None
        assert solution.value is not None
        duals = solution.duals  # of a maximum written as a minimum: w comes with its sign turned
        w = -duals[: self._n]
        w = np.where(np.abs(w) * self._reach > ROUNDING, w, 0.0)
        return LPSVMPlane(w, float(duals[self._n]), -solution.value)


def _check(solution: LPSolution) -> None:
    if solution.status == "time limit":
        raise TimeLimitError(
            "The linear program of the support vector machine was not solved within the time "
            "limit. Raise the limit, or use fewer rows."
        )
    if solution.status != "optimal":
        raise SolverError(
            "The linear program of the support vector machine must have a solution; the solver "
            f"returned {solution.message!r}. Standardise the columns, or use another `nu`."
        )
