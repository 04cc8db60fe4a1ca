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
from scipy import sparse

from rulekit.exceptions import SolverError, TimeLimitError
from rulekit.solvers.half_space import Floats
from rulekit.solvers.lp import (
    LinearProgram,
    LPSolution,
    ResidentProgram,
    highs_module,
    solve_lp,
)


@dataclass(frozen=True, eq=False)
class LPSVMPlane:
    """A plane found by the linear program.

    Attributes
    ----------
    w : ndarray of shape (n,)
        Weights; zero for features out of use, and all zero where `nu` is small.
    gamma : float
        Threshold.
    objective : float
        ``nu e'y + |w|_1``.
    """

    w: Floats
    gamma: float
    objective: float


class LPSVMProgram:
    """One table, for several prices `nu`.

    Parameters
    ----------
    A : ndarray of shape (m, n)
        Rows.
    signs : ndarray of shape (m,)
        +1 or -1; both occur.
    weight : ndarray of shape (m,), optional
        Positive; what a unit of margin missed counts for each row, times `nu`.
    engine : {"auto", "scipy", "highs"}, default="auto"
        As in `rulekit.solvers.lp.solve_lp`; "auto" keeps the program inside HiGHS where it can.
    """

    def __init__(
        self, A: Floats, signs: Floats, weight: Floats | None = None, *, engine: str = "auto"
    ) -> None:
        m, n = A.shape
        self._n, self._engine = n, engine
        self._weight = np.ones(m) if weight is None else weight
        rows = np.vstack([(A * signs[:, None]).T, signs])
        bounds = np.concatenate([np.ones(n), [0.0]])
        self._program = LinearProgram(-np.ones(m), rows, -bounds, bounds, np.zeros(m), np.zeros(m))
        resident = engine != "scipy" and highs_module() is not None
        self._resident = ResidentProgram(self._program) if resident else None

    def solve(self, nu: float, *, time_limit: float | None = None) -> LPSVMPlane:
        """Solve for one price.

        Parameters
        ----------
        nu : float
            Positive.
        time_limit : float, optional
            Seconds.

        Returns
        -------
        LPSVMPlane

        Raises
        ------
        TimeLimitError, SolverError
            If the program is not solved.
        """
        upper = nu * self._weight
        if self._resident is not None:
            self._resident.change_column_bounds(self._program.x_lower, upper)
            solution = self._resident.solve(time_limit=time_limit)
        else:
            given = self._program
            program = LinearProgram(
                given.c, given.A, given.lower, given.upper, given.x_lower, upper
            )
            solution = solve_lp(program, engine=self._engine, time_limit=time_limit)
        _check(solution)
        assert solution.duals is not None
        assert solution.value is not None
        duals = solution.duals
        return LPSVMPlane(-duals[: self._n] + 0.0, float(duals[self._n]), -solution.value)


def solve_primal(
    A: Floats,
    signs: Floats,
    nu: float,
    weight: Floats | None = None,
    *,
    engine: str = "scipy",
) -> LPSVMPlane:
    """Solve the program as the paper states it, (2): the reference for the dual.

    Parameters
    ----------
    A, signs, weight, engine
        As for `LPSVMProgram`.
    nu : float
        Positive.

    Returns
    -------
    LPSVMPlane

    Raises
    ------
    SolverError
        If the program is not solved.

    Notes
    -----
    The weights are written ``w = p - q`` with p and q not negative, in place of the bounds t.
    """
    m, n = A.shape
    price = nu * (np.ones(m) if weight is None else weight)
    turned = A * signs[:, None]
    matrix = sparse.hstack(
        [sparse.csc_array(np.hstack([turned, -turned, -signs[:, None]])), sparse.eye_array(m)],
        format="csc",
    )
    program = LinearProgram(
        np.concatenate([np.ones(2 * n), [0.0], price]),
        matrix,
        np.ones(m),
        np.full(m, np.inf),
        np.concatenate([np.zeros(2 * n), [-np.inf], np.zeros(m)]),
        np.full(2 * n + 1 + m, np.inf),
    )
    solution = solve_lp(program, engine=engine)
    _check(solution)
    assert solution.x is not None
    assert solution.value is not None
    x = solution.x
    return LPSVMPlane(x[:n] - x[n : 2 * n], float(x[2 * n]), solution.value)


def lp_svm_objective(
    plane: LPSVMPlane, A: Floats, signs: Floats, nu: float, weight: Floats | None = None
) -> float:
    """Price a plane by the definition: ``nu`` times the margins missed, and the 1-norm."""
    missed = np.maximum(1.0 - signs * (A @ plane.w - plane.gamma), 0.0)
    counted = missed if weight is None else weight * missed
    return float(nu * counted.sum() + np.abs(plane.w).sum())


def _check(solution: LPSolution) -> None:
    if solution.status == "time limit":
        raise TimeLimitError(
            "The linear program of the support vector machine was not solved in the time given; "
            "give more, or fewer rows."
        )
    if solution.status != "optimal":
        raise SolverError(
            "The linear program of the support vector machine must have a solution; the solver "
            f"says {solution.message!r}. Standardise the columns, or take another `nu`."
        )
