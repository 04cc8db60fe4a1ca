"""The one-level problem: which columns make the best single OR clause.

Throughout the module, with the paper's equation numbers::

    A       (n, d) bool    A[i, j]: column j is true in row i
    y       (n,)   bool    the rows P to be covered; the others, Z, are better left alone
    rows    (n,)   float   what a row counts in this sub-problem; 0 takes it out ("don't care")
    theta   float          price of a column, in rows
    w       (d,)   float   the clause: 1 for a column chosen, fractions where relaxed
    xi      (n,)   float   cost of a row: max(0, 1 - A[i] @ w) on P (2.2), A[i] @ w on Z (2.3)

Costs of rows in Z go straight into the price of a column, ``c = theta + rows[Z] @ A[Z]``, which
leaves the compact program over the rows of P, with weights m after equal rows are merged::

    minimise  c @ w + m @ xi    subject to  P @ w + xi >= 1,  0 <= w,  0 <= xi

What is solved is its dual, ``max 1 @ mu`` subject to ``P.T @ mu <= c`` and ``0 <= mu <= m``:
its slack basis is feasible, and w are the prices of its rows.

*One vertex.* Optimal clauses are often not unique. A fixed perturbation of about 1e-6, tied to
the column, makes them so; every solve is cold; fractions are written as the small fractions they
are. The answer is then a function of the sub-problem alone, whatever was solved before.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.exceptions import SolverError, TimeLimitError
from rulekit.solvers.canonical import ALWAYS_PERTURBATION, default_perturbation, snapped
from rulekit.solvers.cover_solution import CoverCounters, CoverSolution, LearnedClause, SubProblem
from rulekit.solvers.lp import (
    ENGINES,
    LinearProgram,
    LPSolution,
    seconds_left,
    solve_lp,
)
from rulekit.solvers.redundancy import ColumnStructure, redundancy_groups
from rulekit.solvers.rounding import (
    RoundingTask,
    round_at_random,
    round_by_threshold,
    round_without_redundancy,
)

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

TINY = 1e-9  # a row covered but for this is covered
ROUNDINGS = ("redundancy", "threshold", "random")


class CoverProblem:
    """The one-level problems of one fold: one matrix, many weightings of its rows.

    Parameters
    ----------
    A : ndarray of bool, shape (n, d)
        The binary table.
    y : ndarray of bool, shape (n,)
        True for the rows to be covered.
    weight : ndarray of shape (n,), optional
        What a row counts when `solve` is not told otherwise; default 1.
    perturbation : ndarray of shape (d,), optional
        Added to the prices, about 1e-6 and different for all columns. Tie it to the meaning of
        the column to make answers independent of the order of columns.
    structure : ColumnStructure, optional
        What rounding needs to know; without it every column stands for itself.
    engine : {"auto", "scipy", "highs"}, default="auto"
        See `rulekit.solvers.lp.solve_lp`.
    time_limit : float, optional
        Seconds a single program may take.

    Attributes
    ----------
    allowed : ndarray of bool, shape (d,)
        Columns a clause may hold; all, until set otherwise.
    required : ndarray of bool, shape (d,)
        Columns every clause holds (weight 1 in every solution); none, until set otherwise.
    deadline : float or None
        Point on the clock of `time.monotonic` after which solves end with `TimeLimitError`.
    counters : CoverCounters
        Calls; solved programs; answers from memory; answers by the theta path.

    Raises
    ------
    ValueError
        If shapes do not agree or the engine is unknown.

    Notes
    -----
    Rows are sorted, and equal rows of P merged, so that the order of rows changes nothing.
    Solutions are remembered. A clause optimal at two values of theta, all else equal, is optimal
    between them (the optimal value is concave in theta, and the perturbed optimum is unique), so
    that such a theta in between is answered without a solve.

    One problem may be used by several threads.
    """

    def __init__(
        self,
        A: Bools,
        y: Bools,
        weight: Floats | None = None,
        perturbation: Floats | None = None,
        structure: ColumnStructure | None = None,
        engine: str = "auto",
        time_limit: float | None = None,
    ) -> None:
        A, y = np.asarray(A, dtype=bool), np.asarray(y, dtype=bool)
        _check_shapes(A, y, weight, perturbation)
        if engine not in ENGINES:
            raise ValueError(f"`engine` must be one of {ENGINES}, got {engine!r}.")
        n, d = A.shape
        self.weight = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
        self.perturbation = (
            default_perturbation(d) if perturbation is None else np.asarray(perturbation, float)
        )
        self.structure, self.engine, self.time_limit = structure, engine, time_limit
        self.allowed, self.required = np.ones(d, dtype=bool), np.zeros(d, dtype=bool)
        self.deadline: float | None = None
        self.counters = CoverCounters()
        self.n_rows, self.n_columns = n, d
        self._arrange(A, y)
        self.groups = redundancy_groups(A, y, structure)
        self._memory: dict[bytes, dict[float, CoverSolution]] = {}

    def _arrange(self, A: Bools, y: Bools) -> None:
        """Sort the rows by content and merge equal rows of P."""
        bits = np.packbits(A, axis=1)
        order = np.lexsort((self.weight, *bits.T[::-1]))
        self._p_order, self._z_order = order[y[order]], order[~y[order]]
        P = A[self._p_order]
        new = np.ones(len(P), dtype=bool)
        new[1:] = (P[1:] != P[:-1]).any(axis=1)
        self._group_of_row = np.cumsum(new) - 1
        self._P = P[new].astype(float)
        self._Z = A[self._z_order].astype(float)

    def sub_problem(
        self,
        rows: Floats | None,
        theta: float,
        extra_cost: Floats | None = None,
        *,
        disable_cost: float | None = None,
    ) -> SubProblem:
        """Fold the rows of Z into prices and merge the rows of P; arguments as in `solve`."""
        rows = self.weight if rows is None else np.asarray(rows, dtype=float)
        if rows.shape != (self.n_rows,):
            raise ValueError(
                f"`rows` must hold one weight for each of the {self.n_rows} rows; its shape is "
                f"{rows.shape}."
            )
        if not theta >= 0 or not np.isfinite(theta):
            raise ValueError(f"`theta` must be a finite number of at least 0, got {theta!r}.")
        m: Floats = np.bincount(
            self._group_of_row, weights=rows[self._p_order], minlength=len(self._P)
        )
        z = rows[self._z_order]
        price = theta + z @ self._Z
        if extra_cost is not None:
            price = price + extra_cost
        price = np.where(self.allowed | self.required, price, np.inf)
        if disable_cost is None or self.required.any():
            return SubProblem(m, price)
        return SubProblem(m, price, float(disable_cost + z.sum()))

    def solve(
        self,
        rows: Floats | None,
        theta: float,
        extra_cost: Floats | None = None,
        *,
        disable_cost: float | None = None,
    ) -> CoverSolution:
        """Find the relaxed clause of least perturbed cost.

        Parameters
        ----------
        rows : ndarray of shape (n,) or None
            What each row counts here, 0 to leave it out; None for the weights of the problem.
        theta : float
            Price of a column.
        extra_cost : ndarray of shape (d,), optional
            Added to the price of each column.
        disable_cost : float, optional
            Offers a column that is always true, at this price and the weight of all rows in Z.
            None, or a required column, means that it is not offered.

        Returns
        -------
        CoverSolution

        Raises
        ------
        TimeLimitError
            If the time limit or the deadline passes first.
        SolverError
            If HiGHS fails, or its primal and dual values differ.
        """
        self.counters.add("n_calls")
        task = self.sub_problem(rows, 0.0, extra_cost, disable_cost=disable_cost)
        theta = float(theta)
        if not theta >= 0 or not np.isfinite(theta):
            raise ValueError(f"`theta` must be a finite number of at least 0, got {theta!r}.")
        path = self._memory.setdefault(self._key(task), {})
        known = path.get(theta)
        if known is not None:
            self.counters.add("n_remembered")
            return known
        between = _same_on_both_sides(path, theta)
        if between is None:
            self.counters.add("n_solved")
            w, always = self._solve_program(task, theta)
        else:
            self.counters.add("n_skipped")
            w, always = between.w, between.disabled
        solution = self._solution(task, theta, w, always)
        path[theta] = solution
        return solution

    def _key(self, task: SubProblem) -> bytes:
        """Digest everything but theta that a solution depends on."""
        digest = hashlib.blake2b(digest_size=20)
        for part in (task.m, task.price, self.required, np.float64(task.always)):
            digest.update(part.tobytes())
        return digest.digest()

    def _solve_program(self, task: SubProblem, theta: float) -> tuple[Floats, float]:
        """Solve the dual program over the rows and columns that matter."""
        w = self.required.astype(float)
        c = task.price + theta + self.perturbation
        m = np.where(self._P @ w > 0, 0.0, task.m)
        # A column that costs as much as all it covers is 0 in some optimum, and the perturbed
        # optimum is unique.
        columns = np.flatnonzero((c < m @ self._P) & ~self.required)
        always = task.always + ALWAYS_PERTURBATION < m.sum()
        rows = np.flatnonzero(m > 0)
        if len(columns) == 0 and not always:
            return w, 0.0
        matrix, cost = self._P[np.ix_(rows, columns)].T, c[columns]
        if always:
            matrix = np.vstack([matrix, np.ones(len(rows))])
            cost = np.append(cost, task.always + ALWAYS_PERTURBATION)
        found = self._duals(matrix, cost, m[rows])
        w[columns] = found[: len(columns)]
        return w, float(found[-1]) if always else 0.0

    def _duals(self, matrix: Floats, cost: Floats, m: Floats) -> Floats:
        """Solve ``max 1 @ mu, matrix @ mu <= cost, 0 <= mu <= m``; return the rows' prices."""
        lp = LinearProgram(
            -np.ones(len(m)),
            sparse.csc_matrix(matrix),
            np.full(len(cost), -np.inf),
            cost,
            np.zeros(len(m)),
            m,
        )
        limit = seconds_left(self.time_limit, self.deadline)
        answer = solve_lp(lp, engine=self.engine, time_limit=limit)
        _raise_if_unsolved(answer, limit)
        assert answer.duals is not None
        assert answer.value is not None
        w = snapped(-answer.duals)
        value = float(cost @ w + m @ np.maximum(0.0, 1.0 - matrix.T @ w))
        if abs(value + answer.value) > 1e-7 * max(1.0, abs(value)):
            raise SolverError(
                f"HiGHS found a primal value of {value!r} and a dual value of {-answer.value!r}; "
                "they must agree. Report the table that shows this."
            )
        return w

    def _solution(self, task: SubProblem, theta: float, w: Floats, always: float) -> CoverSolution:
        """Value a relaxed clause; the value depends on the clause and the sub-problem alone."""
        used = np.flatnonzero(w)
        xi = 1.0 - always - self._P[:, used] @ w[used]
        price = (task.price[used] + theta + self.perturbation[used]) @ w[used]
        if always:
            price += always * (task.always + ALWAYS_PERTURBATION)
        value = float(price + task.m @ np.where(xi > TINY, xi, 0.0))
        is_binary = bool(np.isin(w[used], 1.0).all() and always in (0.0, 1.0))
        w.flags.writeable = False
        return CoverSolution(w, value, is_binary, always)

    def round(
        self,
        w: Floats,
        rows: Floats | None,
        theta: float,
        rounding: str = "redundancy",
        threshold: float = 0.2,
        rng: np.random.Generator | None = None,
        extra_cost: Floats | None = None,
    ) -> Bools:
        """Turn a relaxed clause into whole columns; a binary one is left as it is.

        Parameters
        ----------
        w : ndarray of shape (d,)
            The relaxed clause.
        rows, theta, extra_cost
            As in `solve`.
        rounding : {"redundancy", "threshold", "random"}, default="redundancy"
            See `rulekit.solvers.rounding`.
        threshold : float, default=0.2
            Read by "threshold".
        rng : numpy.random.Generator, optional
            Read by "random"; default a generator seeded with 0.

        Returns
        -------
        ndarray of bool, shape (d,)
        """
        if rounding not in ROUNDINGS:
            raise ValueError(f"`rounding` must be one of {ROUNDINGS}, got {rounding!r}.")
        w = np.asarray(w, dtype=float)
        if np.isin(w, (0.0, 1.0)).all():
            return w > 0.5
        if rounding == "threshold":
            return round_by_threshold(w, threshold) | self.required
        sub = self.sub_problem(rows, theta, extra_cost)
        task = RoundingTask(self._P, sub.m, sub.price, self.groups, self.required)
        if rounding == "random":
            return round_at_random(task, w, np.random.default_rng(0) if rng is None else rng)
        return round_without_redundancy(task, w)

    def clause_cost(
        self, chosen: Bools, rows: Floats | None, theta: float, extra_cost: Floats | None = None
    ) -> float:
        """Cost of one clause of whole columns, objective (2.1); arguments as in `round`."""
        sub = self.sub_problem(rows, theta, extra_cost)
        return RoundingTask(self._P, sub.m, sub.price, self.groups, self.required).cost(chosen)

    def learn(
        self,
        rows: Floats | None,
        theta: float,
        rounding: str = "redundancy",
        threshold: float = 0.2,
        rng: np.random.Generator | None = None,
        *,
        extra_cost: Floats | None = None,
        disable_cost: float | None = None,
    ) -> LearnedClause:
        """Solve and round: the whole of one step of the two-level methods.

        Parameters are those of `solve` and `round`. With a `disable_cost` the clause may come
        back disabled, which it does where that costs less than the clause after rounding; the
        column that is always true takes no part in the rounding itself.

        Returns
        -------
        LearnedClause
        """
        relaxed = self.solve(rows, theta, extra_cost, disable_cost=disable_cost)
        sub = self.sub_problem(rows, theta, extra_cost, disable_cost=disable_cost)
        selected = self.round(relaxed.w, rows, theta, rounding, threshold, rng, extra_cost)
        task = RoundingTask(self._P, sub.m, sub.price, self.groups, self.required)
        cost = task.cost(selected)
        slack = float(self.perturbation.max(initial=0.0) * relaxed.w.sum())
        bound = relaxed.value - slack - ALWAYS_PERTURBATION * relaxed.disabled
        if sub.always < cost - TINY:
            none = np.zeros(self.n_columns, dtype=bool)
            return LearnedClause(none, True, sub.always, bound, relaxed.is_binary)
        return LearnedClause(selected, False, cost, bound, relaxed.is_binary)


def _same_on_both_sides(path: dict[float, CoverSolution], theta: float) -> CoverSolution | None:
    """Find a clause that is optimal at a smaller and at a larger theta."""
    below = max((t for t in path if t < theta), default=None)
    above = min((t for t in path if t > theta), default=None)
    if below is None or above is None:
        return None
    first, second = path[below], path[above]
    same = first.disabled == second.disabled and np.array_equal(first.w, second.w)
    return first if same else None


def _raise_if_unsolved(answer: LPSolution, limit: float | None) -> None:
    if answer.status == "time limit":
        raise TimeLimitError(
            f"A linear program was not solved within {limit:.3g} s; raise `time_limit`."
        )
    if answer.status != "optimal":
        raise SolverError(
            f"A linear program that always has a solution ended with {answer.status!r} "
            f"({answer.message}). Report the table that shows this."
        )


def _check_shapes(A: Bools, y: Bools, weight: Floats | None, perturbation: Floats | None) -> None:
    if A.ndim != 2:
        raise ValueError(f"`A` must have two dimensions, rows by columns; it has {A.ndim}.")
    for name, array, size in (
        ("y", y, A.shape[0]),
        ("weight", weight, A.shape[0]),
        ("perturbation", perturbation, A.shape[1]),
    ):
        if array is not None and np.shape(array) != (size,):
            raise ValueError(
                f"`{name}` must have shape ({size},) to go with `A` of shape {A.shape}; its "
                f"shape is {np.shape(array)}."
            )
