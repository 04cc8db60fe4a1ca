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
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import addable
from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import row_order
from rulekit.search.columns.rounding import (
    ALWAYS_PERTURBATION,
    RoundingTask,
    default_perturbation,
    redundancy_groups,
    round_at_random,
    round_by_threshold,
    round_without_redundancy,
    rounding_layout,
)
from rulekit.search.lp import seconds_left
from rulekit.search.one_level.program import ChainScreen, CoverProgram, ThetaPath, Vertex

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
TINY = 1e-9  # a row covered but for this is covered
SCREEN_FROM = 2000  # columns; with fewer, screening takes as long as it saves
ROUNDINGS = ("redundancy", "threshold", "random")


@dataclass(frozen=True)
class CoverSolution:
    """A relaxed clause; shapes: w (d,)."""

    w: Floats
    value: float
    is_binary: bool
    disabled: float = 0.0


@dataclass(frozen=True)
class LearnedClause:
    """A clause of whole columns; shapes: selected (d,)."""

    selected: Bools
    disabled: bool
    cost: float
    bound: float
    was_binary: bool


@dataclass(frozen=True)
class SubProblem:
    """One sub-problem after its rows in Z are folded into the prices.

    Shapes: m (g,), price (d,).
    """

    m: Floats
    price: Floats
    always: float = np.inf


@dataclass
class CoverCounters:
    """Number and cost of calls of a `CoverProblem`; approximate with threads."""

    n_calls: int = 0
    n_solved: int = 0
    n_remembered: int = 0


def checked_theta(theta: float) -> float:
    """Return a price of a column, or say what is wrong with it."""
    if not 0 <= theta < np.inf:
        raise ValueError(f"`theta` must be a finite number of at least 0, got {theta!r}.")
    return float(theta)


def check_shapes(
    shape: tuple[int, ...], y: Bools, weight: Floats | None, perturbation: Floats | None
) -> None:
    """Raise ValueError where arrays do not go with a table of this shape."""
    if len(shape) != 2:
        raise ValueError(f"`A` must have two dimensions, rows by columns; it has {len(shape)}.")
    for name, array, size in (
        ("y", y, shape[0]),
        ("weight", weight, shape[0]),
        ("perturbation", perturbation, shape[1]),
    ):
        if array is not None and np.shape(array) != (size,):
            raise ValueError(
                f"`{name}` must have shape ({size},) to go with `A` of shape {shape}; its "
                f"shape is {np.shape(array)}."
            )


class CoverProblem:
    """The one-level problems of one fold: one matrix, many weightings of its rows.

    `y` and `weight` are by default those of a `BinnedTable`. The table, and `y`, are
    turned to those of the CNF that a rule of this form is; see `BinnedTable.as_cnf`.

    Shapes: A (n, d), y (n,), weight (n,), perturbation (d,), table (n, d), y (n,), allowed
    (d,), required (d,).

    Rows are sorted, and equal rows of P merged, so that the order of rows changes nothing.
    Solutions are remembered, each with the interval of theta in which it is optimal, all else
    equal; a theta in a known interval is answered without a solve. See `ThetaPath`.

    One problem may be used by several threads.
    """

    def __init__(
        self,
        A: BinnedTable | Bools,
        y: Bools | None = None,
        weight: Floats | None = None,
        perturbation: Floats | None = None,
        time_limit: float | None = None,
        form: str = "cnf",
    ) -> None:
        labels = A.y if y is None and isinstance(A, BinnedTable) else np.asarray(y)
        check_shapes(np.shape(A), labels, weight, perturbation)
        table = A if isinstance(A, BinnedTable) else BinnedTable.of_matrix(A)
        n, d = table.shape
        if y is not None or weight is not None:
            if weight is None:
                weight = table.weight if len(table.weight) else np.ones(n)
            table = table.labelled(np.asarray(labels, bool), np.asarray(weight, dtype=float))
        table = table.as_cnf(form)
        self.perturbation = (
            default_perturbation(d) if perturbation is None else np.asarray(perturbation, float)
        )
        self.time_limit = time_limit
        self.allowed, self.required = np.ones(d, dtype=bool), np.zeros(d, dtype=bool)
        self.deadline: float | None = None
        self.remember = True
        self.screening = d >= SCREEN_FROM
        self.counters = CoverCounters()
        self.n_rows, self.n_columns = n, d
        self.table, self.y, self.weight = table, table.y, table.weight
        self._arrange()
        self.groups = redundancy_groups(table, self.y)
        self._program = CoverProgram(self._P)
        self._paths: dict[bytes, ThetaPath] = {}

    def _arrange(self) -> None:
        """Sort the rows by content and merge equal rows of P."""
        order = row_order(self.table.content, self.y, self.weight)
        self._p_order, self._z_order = order[self.y[order]], order[~self.y[order]]
        self._group_of_row, self._P = self._merged(self._p_order)
        self._Z = self.table[self._z_order]

    def _merged(self, order: NDArray[np.intp]) -> tuple[NDArray[np.intp], BinnedTable]:
        """Keep one of equal rows, which follow each other; and tell which row is which of these."""
        content = self.table.content[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (content[1:] != content[:-1]).any(axis=1)
        return np.cumsum(new) - 1, self.table[order[new]]

    def _by_group(self, rows: Floats) -> Floats:
        """Add up addable numbers over equal rows of P."""
        m = np.bincount(self._group_of_row, rows[self._p_order], self._P.shape[0])
        return m.astype(float)

    def distinct_rows(self) -> tuple[Floats, Bools, Floats]:
        """Return the table with equal rows merged: (n, d) of 0 and 1, labels, weights."""
        rows, (group, Z) = addable(self.weight), self._merged(self._z_order)
        z = np.bincount(group, rows[self._z_order], Z.shape[0])
        weight = np.concatenate([self._by_group(rows), z])
        A, kept = np.vstack([self._P.values, Z.values]), weight > 0
        y = np.arange(len(weight)) < self._P.shape[0]
        return A[kept].astype(float), y[kept], weight[kept]

    def sub_problem(
        self,
        rows: Floats | None,
        theta: float,
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
        theta, rows = checked_theta(theta), addable(rows)
        m, z = self._by_group(rows), rows[self._z_order]
        price = theta + self._Z.sums(z)
        price = np.where(self.allowed | self.required, price, np.inf)
        if disable_cost is None or self.required.any():
            return SubProblem(m, price)
        return SubProblem(m, price, float(disable_cost + z.sum()))

    def solve(
        self, rows: Floats | None, theta: float, *, disable_cost: float | None = None
    ) -> CoverSolution:
        """Find the relaxed clause of least perturbed cost; shapes: rows (n,)."""
        theta = checked_theta(theta)
        sub = self.sub_problem(rows, 0.0, disable_cost=disable_cost)
        return self._solved(sub, theta)

    def _solved(self, sub: SubProblem, theta: float) -> CoverSolution:
        """Solve a sub-problem whose prices lack theta."""
        self.counters.n_calls += 1
        path = self._paths.setdefault(self._key(sub), ThetaPath())
        vertex = path.at(theta) if self.remember else None
        if vertex is None:
            self.counters.n_solved += 1
            vertex = self._solve_program(sub, theta)
            path.add(theta, vertex)
        else:
            self.counters.n_remembered += 1
        return self._solution(sub, theta, vertex)

    def _key(self, sub: SubProblem) -> bytes:
        """Digest everything but theta that a solution depends on."""
        digest = hashlib.blake2b(digest_size=20)
        for part in (sub.m, sub.price, self.required, np.float64(sub.always)):
            digest.update(part.tobytes())
        return digest.digest()

    def _solve_program(self, sub: SubProblem, theta: float) -> Vertex:
        """Solve for the columns that are not required, over the rows these leave open."""
        c = np.append(sub.price + theta + self.perturbation, sub.always + ALWAYS_PERTURBATION)
        # Required columns are paid and hold in any case: they leave the program, and so do the
        # rows they cover.
        c[:-1][self.required] = np.inf
        open_row = ~self._P.values_of(np.flatnonzero(self.required)).any(axis=1)
        limit = seconds_left(self.time_limit, self.deadline)
        m = np.where(open_row, sub.m, 0.0)
        return self._program.solve(c, m, limit, self._chains if self.screening else None)

    @cached_property
    def _chains(self) -> ChainScreen | None:
        """The chains of thresholds, where there are any."""
        return ChainScreen(self._P) if self._P.side.any() else None

    def _solution(self, sub: SubProblem, theta: float, vertex: Vertex) -> CoverSolution:
        """Value a relaxed clause; the value depends on the clause and the sub-problem alone."""
        w = np.append(self.required.astype(float), 0.0)
        w[vertex.columns] = vertex.weights
        w, always = w[:-1], float(w[-1])
        used = np.flatnonzero(w)
        xi = 1.0 - always - self._P.values_of(used) @ addable(w[used])
        price = float(((sub.price[used] + theta + self.perturbation[used]) * w[used]).sum())
        if always:
            price += always * (sub.always + ALWAYS_PERTURBATION)
        value = price + float((sub.m * np.where(xi > TINY, xi, 0.0)).sum())
        return CoverSolution(w, value, bool(np.all(vertex.weights == 1.0)), always)

    def round(
        self,
        w: Floats,
        rows: Floats | None,
        theta: float,
        rounding: str = "redundancy",
        threshold: float = 0.2,
        rng: np.random.Generator | None = None,
    ) -> Bools:
        """Turn a relaxed clause into whole columns; a binary one is left as it is."""
        task = self._task(self.sub_problem(rows, theta))
        return self._rounded(task, np.asarray(w, dtype=float), rounding, threshold, rng)

    def _rounded(
        self,
        task: RoundingTask,
        w: Floats,
        rounding: str,
        threshold: float,
        rng: np.random.Generator | None,
    ) -> Bools:
        """Round for a known task."""
        if rounding not in ROUNDINGS:
            raise ValueError(f"`rounding` must be one of {ROUNDINGS}, got {rounding!r}.")
        if ((w == 0.0) | (w == 1.0)).all():
            return w > 0.5
        if rounding == "threshold":
            return round_by_threshold(w, threshold) | self.required
        if rounding == "random":
            return round_at_random(task, w, np.random.default_rng(0) if rng is None else rng)
        return round_without_redundancy(task, w)

    def _task(self, sub: SubProblem) -> RoundingTask:
        return RoundingTask(self._P, sub.m, sub.price, self._layout, self.required)

    @cached_property
    def _layout(self) -> Any:
        """The columns of P and their groups, as rounding reads them."""
        return rounding_layout(self._P, self.groups)

    def learn(
        self,
        rows: Floats | None,
        theta: float,
        rounding: str = "redundancy",
        threshold: float = 0.2,
        rng: np.random.Generator | None = None,
        *,
        disable_cost: float | None = None,
    ) -> LearnedClause:
        """Solve and round: the whole of one step of the two-level methods."""
        theta = checked_theta(theta)
        sub = self.sub_problem(rows, 0.0, disable_cost=disable_cost)
        relaxed = self._solved(sub, theta)
        task = self._task(replace(sub, price=sub.price + theta))
        selected = self._rounded(task, relaxed.w, rounding, threshold, rng)
        cost = task.cost(selected)
        # The relaxed value holds for perturbed prices; less what they add it bounds the true ones.
        slack = float(self.perturbation.max(initial=0.0) * relaxed.w.sum())
        bound = relaxed.value - slack - ALWAYS_PERTURBATION * relaxed.disabled
        if sub.always < cost - TINY:
            none = np.zeros(self.n_columns, dtype=bool)
            return LearnedClause(none, True, sub.always, bound, relaxed.is_binary)
        return LearnedClause(selected, False, cost, bound, relaxed.is_binary)
