"""Solve linear and integer programs; the only module that imports HiGHS."""

#   minimise    c @ x
#   subject to  lower <= A @ x <= upper,  x_lower <= x <= x_upper,
#               x[k] an integer where integrality[k] is true
#
# Linear programs are solved by `highspy`, which keeps and changes a model, or, with the environment
# variable `RULEKIT_LP=linprog`, by SciPy's `linprog`; both by the dual simplex method, without
# presolve and with tolerances of 1e-10. Both lead to the same rules.

import os
import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from rulekit.exceptions import SolverError

Floats = NDArray[np.float64]

TOLERANCE = 1e-10
TOLERANCES = {f"{kind}_feasibility_tolerance": TOLERANCE for kind in ("primal", "dual")}
LINPROG_STATUS = {0: "optimal", 1: "time limit", 2: "infeasible", 3: "unbounded", 4: "error"}
HIGHS_STATUS = {
    **dict.fromkeys(("kOptimal", "kModelEmpty"), "optimal"),
    **dict.fromkeys(("kTimeLimit", "kIterationLimit", "kInterrupt"), "time limit"),
    **dict.fromkeys(("kInfeasible", "kUnboundedOrInfeasible"), "infeasible"),
    "kUnbounded": "unbounded",
}
_OF_THREAD = threading.local()


@dataclass(frozen=True)
class LinearProgram:
    """A linear or mixed integer program, see the head of this module."""

    c: Floats  # (n,)
    A: Any  # (m, n)
    lower: Floats  # (m,)
    upper: Floats  # (m,)
    x_lower: Floats  # (n,)
    x_upper: Floats  # (n,)
    integrality: NDArray[Any] | None = None  # (n,)


@dataclass(frozen=True)
class LPSolution:
    """What a solver found; every field is there whatever happened, None where it has no value."""

    x: Floats | None = None  # (n,)
    value: float | None = None
    duals: Floats | None = None  # (m,)
    status: str = "error"
    bound: float | None = None
    message: str = field(default="", repr=False)
    basic_x: NDArray[np.bool_] | None = field(default=None, repr=False)  # (n,)
    basic_rows: NDArray[np.bool_] | None = field(default=None, repr=False)  # (m,)

    def error(self, program: str) -> SolverError:
        """Build the error of a program that has a solution, but was not solved."""
        return SolverError(
            f"{program} ended with {self.status!r} ({self.message}); please report the table that "
            "shows this."
        )


@dataclass(frozen=True)
class Basis:
    """Where to begin: a vertex of a program whose rows are bounded from above."""

    at_upper: NDArray[np.bool_]  # (n,)
    basic: NDArray[np.bool_]  # (n,)
    basic_rows: NDArray[np.bool_]  # (m,)


def solve_lp(
    lp: LinearProgram, *, time_limit: float | None = None, start: Basis | None = None
) -> LPSolution:
    """Solve a linear program."""
    if len(lp.c) == 0:
        return _solve_empty(lp)
    if uses_linprog():
        return _solve_with_linprog(lp, time_limit)
    if not hasattr(_OF_THREAD, "highs"):  # for programs that are solved once
        _OF_THREAD.highs = silent_highs()
    return ResidentProgram(lp, _OF_THREAD.highs).solve(time_limit=time_limit, start=start)


def solve_milp(
    lp: LinearProgram,
    *,
    time_limit: float | None = None,
    incumbent: tuple[Floats, float] | None = None,
) -> LPSolution:
    """Solve a mixed integer program with SciPy's `milp`, to a relative gap of zero."""
    if len(lp.c) == 0:
        return _solve_empty(lp)
    integrality = np.ones(len(lp.c)) if lp.integrality is None else lp.integrality.astype(float)
    result = milp(
        lp.c,
        integrality=integrality,
        bounds=Bounds(lp.x_lower, lp.x_upper),
        constraints=[LinearConstraint(lp.A, lp.lower, lp.upper)] if len(lp.lower) else None,
        options={"mip_rel_gap": 0.0} | _limit(time_limit),
    )
    status = LINPROG_STATUS.get(result.status, "error")
    x, value = result.x, None if result.x is None else float(result.fun)
    bound = getattr(result, "mip_dual_bound", None)
    bound = None if bound is None or not np.isfinite(bound) else float(bound)
    if incumbent is not None and (value is None or incumbent[1] < value) and status != "optimal":
        x, value = incumbent
    return LPSolution(x, value, None, status, bound, str(result.message))


def _limit(seconds: float | None) -> dict[str, float]:
    """Return SciPy's option of a time limit."""
    return {} if seconds is None else {"time_limit": max(float(seconds), 1e-3)}


def uses_linprog() -> bool:
    """Return whether SciPy's `linprog` is selected for linear programs."""
    if (solver := os.environ.get("RULEKIT_LP", "highs")) not in ("highs", "linprog"):
        raise ValueError(f"RULEKIT_LP must be 'highs' or 'linprog', found {solver!r}.")
    return solver == "linprog"


class ResidentProgram:
    """A linear program of which bounds change and rows are added; not thread-safe."""

    def __init__(self, lp: LinearProgram, highs: Any = None) -> None:
        self._lp, self._n, self._m = lp, len(lp.c), len(lp.lower)
        self._highs: Any = None
        if highs is None and uses_linprog():
            return
        self._highs = silent_highs() if highs is None else highs
        if sparse.issparse(lp.A):
            matrix = sparse.csc_matrix(lp.A)
            starts, rows, entries = matrix.indptr, matrix.indices, matrix.data
        else:
            columns, rows = np.nonzero(lp.A.T)
            starts = np.searchsorted(columns, np.arange(lp.A.shape[1] + 1))
            entries = lp.A[rows, columns]
        size, form = (self._n, self._m, len(rows)), (1, 1, 0.0)  # columnwise, minimise
        vectors = lp.c, lp.x_lower, lp.x_upper, lp.lower, lp.upper
        nonzeros = starts.astype(np.int32), rows.astype(np.int32), entries.astype(float)
        numbers, kinds = (v.astype(float) for v in vectors), np.zeros(self._n, dtype=np.int32)
        self._highs.passModel(*size, *form, *numbers, *nonzeros, kinds)

    def solve(
        self,
        *,
        time_limit: float | None = None,
        start: Basis | None = None,
        keep_basis: bool = False,
    ) -> LPSolution:
        """Solve with the present bounds and rows, from the slack basis, a start or the last one."""
        if self._highs is None:
            return _solve_with_linprog(self._lp, time_limit)
        if not keep_basis:
            self._highs.clearSolver()
        if start is not None:
            import highspy

            kind, first = highspy.HighsBasisStatus, highspy.HighsBasis()
            kinds = [kind.kLower, kind.kUpper, kind.kBasic]
            first.col_status = [kinds[k] for k in np.where(start.basic, 2, start.at_upper).tolist()]
            first.row_status = [kinds[1 + k] for k in start.basic_rows.tolist()]
            first.valid = True
            self._highs.setBasis(first)
        limit = np.inf if time_limit is None else max(float(time_limit), 1e-3)
        self._highs.setOptionValue("time_limit", float(self._highs.getRunTime() + limit))
        self._highs.run()
        model_status = self._highs.getModelStatus()
        status = HIGHS_STATUS.get(model_status.name, "error")
        message = self._highs.modelStatusToString(model_status)
        if status != "optimal":
            return LPSolution(status=status, message=message)
        solution = self._highs.getSolution()
        value = float(self._highs.getInfo().objective_function_value)
        basis = np.asarray(self._highs.getBasicVariables()[1])
        basic_x, basic_rows = np.zeros(self._n, dtype=bool), np.zeros(self._m, dtype=bool)
        basic_x[basis[basis >= 0]] = True
        basic_rows[-1 - basis[basis < 0]] = True  # HiGHS writes row i as -1 - i
        x, duals = np.array(solution.col_value), np.array(solution.row_dual)
        return LPSolution(x, value, duals, status, value, message, basic_x, basic_rows)

    def change_column_bounds(self, lower: Floats, upper: Floats) -> None:
        """Replace the bounds of all variables."""
        if self._highs is None:
            self._lp = replace(self._lp, x_lower=lower, x_upper=upper)
            return
        columns = np.arange(self._n, dtype=np.int32)
        self._highs.changeColsBounds(self._n, columns, lower.astype(float), upper.astype(float))

    def change_row_upper(self, row: int, upper: float) -> None:
        """Replace the bound of a row that is bounded from above."""
        if self._highs is None:
            self._lp.upper[row] = upper
            return
        self._highs.changeRowBounds(row, -np.inf, upper)

    def add_rows(self, A: Floats, upper: Floats) -> None:
        """Add rows that are bounded from above; shapes: A (k, n), upper (k,)."""
        lp, lower = self._lp, np.full(len(upper), -np.inf)
        if self._highs is None:
            both, lower = np.append(lp.upper, upper), np.append(lp.lower, lower)
            self._lp = replace(lp, A=np.vstack([lp.A, A]), lower=lower, upper=both)
        elif len(upper):
            rows, columns = np.nonzero(A)
            starts = np.searchsorted(rows, np.arange(len(upper))).astype(np.int32)
            entries = (len(columns), starts, columns.astype(np.int32), A[rows, columns])
            self._highs.addRows(len(upper), lower, upper, *entries)
            self._m += len(upper)


def silent_highs() -> Any:
    """Make a solver that prints nothing and whose answer depends on the program alone."""
    import highspy

    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (
        ("output_flag", False),
        ("presolve", "off"),
        ("solver", "simplex"),
        ("simplex_strategy", 1),  # dual simplex, serial
        ("threads", 1),
        ("random_seed", 0),
        *TOLERANCES.items(),
    ):
        highs.setOptionValue(option, value)
    return highs


def _solve_with_linprog(lp: LinearProgram, time_limit: float | None) -> LPSolution:
    """Solve by SciPy: two-sided rows become `<=` rows and equations, and are joined again."""
    equal = lp.lower == lp.upper
    above = np.isfinite(lp.upper) & ~equal
    below = np.isfinite(lp.lower) & ~equal
    matrix = sparse.csr_matrix(lp.A, dtype=float)
    result = linprog(
        lp.c,
        A_ub=sparse.vstack([matrix[above], -matrix[below]]),
        b_ub=np.concatenate([lp.upper[above], -lp.lower[below]]),
        A_eq=matrix[equal] if equal.any() else None,
        b_eq=lp.upper[equal] if equal.any() else None,
        bounds=np.column_stack([lp.x_lower, lp.x_upper]),
        method="highs-ds",
        options={"presolve": False} | TOLERANCES | _limit(time_limit),
    )
    if (status := LINPROG_STATUS.get(result.status, "error")) != "optimal":
        return LPSolution(status=status, message=str(result.message))
    duals = np.zeros(len(lp.lower))
    duals[above] += result.ineqlin.marginals[: above.sum()]
    duals[below] -= result.ineqlin.marginals[above.sum() :]
    if equal.any():
        duals[equal] = result.eqlin.marginals
    value = float(result.fun)
    return LPSolution(result.x, value, duals, status, value, str(result.message))


def _solve_empty(lp: LinearProgram) -> LPSolution:
    """Solve a program without variables, which HiGHS rejects."""
    if np.any(lp.lower > 0) or np.any(lp.upper < 0):
        return LPSolution(status="infeasible", message="a row cannot hold")
    return LPSolution(np.zeros(0), 0.0, np.zeros(len(lp.lower)), "optimal", 0.0, "")


def seconds_left(deadline: float | None) -> float | None:
    """Return the seconds until a deadline on the clock of `time.monotonic`."""
    return None if deadline is None else max(deadline - time.monotonic(), 1e-3)
