"""The one-level problem: which columns make the best single OR clause."""

# Throughout the module, with the paper's equation numbers:
#   A       (n, d) bool    A[i, j]: column j is true in row i
#   y       (n,)   bool    the rows P to be covered; the others, Z, are better left alone
#   rows    (n,)   float   what a row counts in this sub-problem; 0 takes it out ("don't care")
#   theta   float          price of a column, in rows
#   w       (d,)   float   the clause: 1 for a column chosen, fractions where relaxed
#   xi      (n,)   float   cost of a row: max(0, 1 - A[i] @ w) on P (2.2), A[i] @ w on Z (2.3)
#
# Costs of rows in Z go straight into the price of a column, ``c = theta + rows[Z] @ A[Z]``, which
# leaves the compact program over the rows of P, with weights m after equal rows are merged:
#   minimise  c @ w + m @ xi    subject to  P @ w + xi >= 1,  0 <= w,  0 <= xi           (primal)
#   maximise  sum(mu)           subject to  P.T @ mu <= c,  0 <= mu <= m                 (dual)
#
# A last column of ones disables the clause. The dual is solved: its slack basis is feasible, and w
# are the prices of its rows. HiGHS is given the columns of P as they are missed: first those that
# look cheapest for what they cover, then those that the answer overdraws, until none is.
#
# *One vertex.* Optimal clauses are often not unique. A fixed perturbation of about 1e-6, tied to
# the column, makes them so; every solve is cold; fractions are written as the small fractions they
# are. The answer is then a function of the sub-problem alone, whatever was solved before.
#
# *Range.* Let R be the tight rows of the dual at its optimum and F the mu (of groups of rows)
# strictly between their bounds. If all prices rise by t, mu[F] moves along ``K @ dmu = 1`` with ``K
# = P[F][:, R].T``, and w stays optimal as long as mu stays within its bounds and no other row of
# the dual is passed. Each theta in this interval needs no solve.
#
# *Chains.* A column whose price, perturbation included, exceeds that of a narrower threshold of its
# chain by as much as it covers more has weight 0 in the one optimal vertex.

import hashlib
import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rulekit._sums import addable
from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import DENSE, Bools, Floats, Ints, row_order
from rulekit.exceptions import SolverError, TimeLimitError
from rulekit.search.columns.priced_columns import (
    ALWAYS_PERTURBATION,
    SMALL,
    GeneratedDual,
    MergedRows,
    PricedColumns,
    find_beaten,
    redundancy_groups,
    round_clause,
    rounding_layout,
    snap_weights,
    solve_small_dual,
)
from rulekit.search.lp import TOLERANCE, LPSolution, seconds_left, uses_linprog

BLOCK = 1024  # columns that are compared at a time
GAP = 1e-7
TINY = 1e-9  # a row covered but for this is covered
SCREEN_FROM = 2000  # columns; with fewer, screening takes as long as it saves
FEW, MANY = 16, 64  # columns that are passed at a time, and of a small table
MARGIN = 1e-9  # kept from the ends of an interval, where two vertices are optimal


def _order_chains(P: BinnedTable) -> tuple[Ints, Ints]:
    """Order the thresholds chain by chain, see `find_beaten`, as far as the rows of P nest them."""
    feature, side, rank = P.feature, P.side, P.rank
    place = np.where(side > 0, -rank, rank)
    width = P.sums(np.ones(P.shape[0]))  # of variants for gaps the narrower comes first
    order = np.lexsort((width, place, side, feature))
    order = order[side[order] != 0]
    # variants of one threshold stand next to each other: deal them out to chains of their own
    key = np.stack([feature[order], side[order], place[order]], axis=1)
    again = (np.diff(key, axis=0, prepend=key[:1] - 1) == 0).all(axis=1)
    order = order[np.lexsort((place[order], side[order], feature[order], again))]
    again = np.sort(again)
    if not len(order):
        return order, order
    same = (np.diff(feature[order]) == 0) & (np.diff(side[order]) == 0) & (again[1:] == again[:-1])
    parts = [order[i : i + BLOCK + 1] for i in range(0, len(order) - 1, BLOCK)]
    seen = P.drop_empty_bins()  # neighbours that count read one source: its cells decide for rows
    wider = [(seen.values_of(p[:-1]) > seen.values_of(p[1:])).any(axis=0) for p in parts]
    nested = ~np.concatenate([np.zeros(0, dtype=bool), *wider])
    return order, np.concatenate([[0], np.cumsum(~(same & nested))]).astype(np.intp)


@dataclass(frozen=True)
class Vertex:
    """An optimal relaxed clause, and the values of theta for which it is optimal."""

    columns: Ints
    weights: Floats
    lower: float
    upper: float


@dataclass
class ThetaPath:
    """The clauses learned from the same rows: relaxed ones with their intervals of theta, whole."""

    pieces: list[Vertex] = field(default_factory=list)
    learned: dict[tuple[float, str], "LearnedClause"] = field(default_factory=dict)

    def get_vertex(self, theta: float) -> Vertex | None:
        """Return the clause known to be optimal at this theta, if there is one."""
        return next((p for p in self.pieces if p.lower <= theta <= p.upper), None)


def _expand_columns(answer: LPSolution, passed: Ints, d: int) -> LPSolution:
    """Expand duals and basis to all d columns; columns not passed are slack."""
    if answer.duals is None:
        return answer
    duals, basic_rows = np.zeros(d), np.ones(d, dtype=bool)
    duals[passed] = answer.duals
    if answer.basic_rows is None:
        return replace(answer, duals=duals)
    basic_rows[passed] = answer.basic_rows
    return replace(answer, duals=duals, basic_rows=basic_rows)


@dataclass(frozen=True)
class CoverSolution:
    """A relaxed clause."""

    w: Floats  # (d,)
    value: float
    is_binary: bool
    disabled: float = 0.0


@dataclass(frozen=True)
class LearnedClause:
    """A clause of whole columns."""

    selected: Bools  # (d,)
    disabled: bool
    cost: float
    bound: float
    was_binary: bool

    @classmethod
    def empty(cls, d: int, *, disabled: bool = False) -> "LearnedClause":
        """Make a clause without columns: of no condition, or switched off."""
        return cls(np.zeros(d, dtype=bool), disabled, 0.0, 0.0, True)


class ClauseSolver:
    """Learns single clauses of a DNF from some rows of a table; thread-safe."""

    # A clause fails where one of its conditions does: its columns are those of the opposite table,
    # and its P the rows that it must not hold for. What is learned is stored (`ThetaPath`).

    def __init__(self, table: BinnedTable, perturbation: Floats) -> None:
        d = table.shape[1]
        self.perturbation = perturbation
        self.deadline: float | None = None
        self.remember = True
        self.screening = d >= SCREEN_FROM
        self.n_calls = self.n_solved = 0  # about as many with threads
        self.n_columns = d
        self.table, self._columns = table, table.opposite
        # sorted by content, the order of the rows changes nothing, and equal rows of P are merged
        y = self._columns.y
        order = row_order(self._columns.content, y, table.weight)
        self._p_order, self._z_order = order[y[order]], order[~y[order]]
        self._group_of_row, self._P = self._merge_rows(self._p_order)
        self._Z = self._columns[self._z_order]
        self.groups = redundancy_groups(self._columns, y)
        self._priced = np.arange(d + 1) < d  # all but the column that disables the clause
        self._paths: dict[bytes, ThetaPath] = {}

    def _merge_rows(self, order: Ints) -> tuple[Ints, BinnedTable]:
        """Merge equal neighbours; return the new index of each row, and the merged rows."""
        content = self._columns.content[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (content[1:] != content[:-1]).any(axis=1)
        return np.cumsum(new) - 1, self._columns[order[new]]

    def _sum_by_group(self, rows: Floats) -> Floats:
        """Add up addable numbers over equal rows of P."""
        return np.bincount(self._group_of_row, rows[self._p_order], self._P.shape[0]).astype(float)

    def distinct_rows(self) -> tuple[Floats, Bools, Floats]:
        """Merge equal rows of the columns: (n, d) of 0 and 1, whether they are of P, weights."""
        rows, (group, Z) = addable(self.table.weight), self._merge_rows(self._z_order)
        z = np.bincount(group, rows[self._z_order], Z.shape[0])
        weight = np.concatenate([self._sum_by_group(rows), z])
        A, kept = np.vstack([self._P.values, Z.values]), weight > 0
        y = np.arange(len(weight)) < self._P.shape[0]
        return A[kept].astype(float), y[kept], weight[kept]

    def sub_problem(
        self, rows: Floats | None, theta: float, *, may_disable: bool = False
    ) -> PricedColumns:
        """Fold the rows of Z into prices and merge the rows of P; shapes: rows (n,)."""
        rows = addable(self.table.weight if rows is None else np.asarray(rows, dtype=float))
        m, z = self._sum_by_group(rows), rows[self._z_order]
        always = float(z.sum()) if may_disable else np.inf
        return PricedColumns(self._P, m, self._Z.sums(z), theta, always, self._layout)

    def solve(
        self, rows: Floats | None, theta: float, *, may_disable: bool = False
    ) -> CoverSolution:
        """Find the relaxed clause of least perturbed cost."""
        sub = self.sub_problem(rows, theta, may_disable=may_disable)
        return self._relax(sub, self._path(rows, may_disable))

    def _path(self, rows: Floats | None, may_disable: bool) -> ThetaPath:
        """Return what is known of these rows, whatever the theta."""
        content = (self.table.weight if rows is None else rows).tobytes()
        key = hashlib.blake2b(content + bytes([may_disable]), digest_size=20).digest()
        return self._paths.setdefault(key, ThetaPath())

    def _relax(self, sub: PricedColumns, path: ThetaPath) -> CoverSolution:
        """Look up the relaxed clause, or solve for it."""
        self.n_calls += 1
        vertex = path.get_vertex(sub.theta) if self.remember else None
        if vertex is None:
            self.n_solved += 1
            vertex = self._solve_program(sub)
            path.pieces.append(vertex)
        # the value depends on the clause and the sub-problem alone
        w = np.zeros(self.n_columns + 1)
        w[vertex.columns] = vertex.weights
        w, always = w[:-1], float(w[-1])
        used = np.flatnonzero(w)
        xi = 1.0 - always - self._P.values_of(used) @ addable(w[used])
        price = float(((sub.price[used] + self.perturbation[used]) * w[used]).sum())
        if always:
            price += always * (sub.always + ALWAYS_PERTURBATION)
        value = price + float((sub.m * np.where(xi > TINY, xi, 0.0)).sum())
        return CoverSolution(w, value, bool(np.all(vertex.weights == 1.0)), always)

    @cached_property
    def _chains(self) -> tuple[Ints, Ints]:
        """The chains of thresholds."""
        return _order_chains(self._P)

    @cached_property
    def _layout(self) -> Any:
        """The columns of P and their groups, as rounding reads them."""
        return rounding_layout(self._P, self.groups)

    def _sums(self, values: Floats) -> Floats:
        """Sum numbers, whose sums are exact, over the rows of each column: shape (d,)."""
        return np.append(self._P.sums(values), values.sum())

    def _values(self, columns: Ints, rows: Ints | slice = slice(None)) -> Bools:
        """Build some columns of the matrix, in some rows."""
        in_table = np.flatnonzero(self._priced[columns])
        values = self._P.values_of(columns[in_table], rows)
        result = np.ones((len(values), len(columns)), dtype=bool)
        result[:, in_table] = values
        return result

    def _solve_program(self, sub: PricedColumns) -> Vertex:
        """Find the optimal clause and its range."""
        c = np.append(sub.price + self.perturbation, sub.always + ALWAYS_PERTURBATION)
        m, limit = sub.m, seconds_left(self.deadline)
        worth = self._sums(addable(m))
        # A column that costs as much as all it covers has weight 0 in some optimum, and the
        # perturbed optimum is unique.
        useful = c < worth
        if not useful.any():
            lower = (worth - c)[self._priced & np.isfinite(c)].max(initial=-np.inf)
            return Vertex(np.zeros(0, dtype=np.intp), np.zeros(0), sub.theta + lower, np.inf)
        if self.screening:
            useful[find_beaten((worth - c)[:-1], *self._chains)[0]] = False
        groups, answer = self._run(np.where(useful, c, np.inf), m, limit)
        if answer.status == "time limit":
            raise TimeLimitError(
                f"A linear program was not solved within {limit:.3g} s; raise `time_limit`."
            )
        if answer.x is None or answer.duals is None:
            raise answer.error("A linear program that always has a solution")
        columns = np.flatnonzero(answer.duals < 0)
        weights = snap_weights(-answer.duals[columns], self._values(columns)[m > 0].astype(float))
        columns, weights = columns[weights > 0], weights[weights > 0]
        xi = np.maximum(0.0, 1.0 - self._values(columns) @ weights)
        primal, dual = float(c[columns] @ weights + m @ xi), float(answer.x.sum())
        if not (np.isfinite(primal) and abs(primal - dual) <= GAP * max(1.0, abs(primal))):
            raise SolverError(
                f"A linear program has a primal value of {primal!r} and a dual value of {dual!r}, "
                "which must agree to 1e-7; please report the table that shows this."
            )
        lower, upper = self._range(c, groups, answer)
        return Vertex(columns, weights, sub.theta + lower, sub.theta + upper)

    def _run(
        self, ceiling: Floats, m: Floats, time_limit: float | None
    ) -> tuple[MergedRows, LPSolution]:
        """Solve the dual program over groups of rows, a small one over all rows that count."""
        rows, useful = np.flatnonzero(m), np.flatnonzero(np.isfinite(ceiling))
        if len(rows) * len(useful) <= SMALL and not uses_linprog():
            P = self._values(useful, rows)
            if (small := solve_small_dual(P, ceiling[useful], m[rows], time_limit)) is not None:
                of = np.zeros(len(m), np.intp)
                of[rows] = np.arange(len(rows))
                groups = MergedRows(of, rows, m[rows], m)
                return groups, _expand_columns(small, useful, len(ceiling))
        program = GeneratedDual(m)
        few = MANY if self._P.shape[0] * (self.n_columns + 1) <= DENSE else FEW
        # first the columns that cost least for what they cover: those most likely in the optimum
        worth = self._sums(addable(m))
        hopeful = np.isfinite(ceiling) & (worth > 0)
        ratio = np.where(hopeful, ceiling, np.inf) / np.where(hopeful, worth, 1.0)
        missed, passed = np.argsort(ratio, kind="stable")[:few], np.zeros(0, np.intp)
        missed = missed[hopeful[missed]]
        while True:
            program.add(self._values(missed), ceiling[missed])
            passed = np.concatenate([passed, missed])
            if (answer := program.solve(time_limit)).x is None:
                return program.groups, answer
            slack = ceiling - self._sum_spent(program.groups, answer.x)
            slack[passed] = np.inf
            missed = np.flatnonzero(slack < -TOLERANCE)  # overdrawn, the worst first
            missed = missed[np.argsort(slack[missed], kind="stable")[:few]]
            if len(missed) == 0:
                return program.groups, _expand_columns(answer, passed, len(ceiling))

    def _range(self, c: Floats, groups: MergedRows, answer: LPSolution) -> tuple[float, float]:
        """Find for which change of the prices of theta the basis stays optimal."""
        if answer.basic_x is None or answer.basic_rows is None or answer.x is None:
            return 0.0, 0.0
        free = np.flatnonzero(answer.basic_x)
        tight = np.flatnonzero(~answer.basic_rows)
        # Only a square system determines how mu moves; else the basis is degenerate, and the answer
        # is remembered for this theta alone.
        if len(free) != len(tight):
            return 0.0, 0.0
        step = self._priced.astype(float)
        try:
            K = self._values(tight, groups.first[free]).T.astype(float)
            move = np.linalg.solve(K, step[tight])
        except np.linalg.LinAlgError:
            return 0.0, 0.0
        # Last bits decide no more than whether a vertex is solved for anew: it is unique.
        mu = answer.x
        # room: how far each mu is from its bounds and each row from its ceiling; rate: how fast a
        # rise of theta by 1 widens it. The basis stays optimal until the first room is used up.
        moves = np.zeros(len(mu))
        moves[free] = move
        slack, slope = c - self._sum_spent(groups, mu), step - self._sum_spent(groups, moves)
        other = np.isfinite(c)
        other[tight] = False
        room = np.concatenate([mu[free], groups.weight[free] - mu[free], slack[other]])
        room, rate = np.maximum(room, 0.0), np.concatenate([move, -move, slope[other]])
        rate = np.where(np.abs(rate) < MARGIN, 0.0, rate)
        up = np.min(room[rate < 0] / -rate[rate < 0], initial=np.inf) - MARGIN
        down = np.min(room[rate > 0] / rate[rate > 0], initial=np.inf) - MARGIN
        return -max(down, 0.0), max(up, 0.0)

    def _sum_spent(self, groups: MergedRows, mu: Floats) -> Floats:
        """Sum over each column what the groups of rows have."""
        return self._sums(addable(groups.share_weights(mu)))

    def learn(
        self,
        rows: Floats | None,
        theta: float,
        rounding: str = "redundancy",
        rng: np.random.Generator | None = None,
        *,
        may_disable: bool = False,
    ) -> LearnedClause:
        """Solve and round: the whole of one step of the two-level methods."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise TimeLimitError("The time limit has passed; raise `time_limit`.")
        path = self._path(rows, may_disable)
        known = path.learned.get((theta, rounding))
        if known is not None and rounding != "random" and self.remember:
            return known
        sub = self.sub_problem(rows, theta, may_disable=may_disable)
        relaxed = self._relax(sub, path)
        selected = round_clause(sub, relaxed.w, rounding, rng)
        cost = sub.cost(np.flatnonzero(selected))
        # The relaxed value holds for perturbed prices; less what they add it bounds the true ones.
        slack = float(self.perturbation.max(initial=0.0) * relaxed.w.sum())
        bound = relaxed.value - slack - ALWAYS_PERTURBATION * relaxed.disabled
        clause = LearnedClause(selected, False, cost, bound, relaxed.is_binary)
        if sub.always < cost - TINY:
            none = np.zeros(self.n_columns, dtype=bool)
            clause = LearnedClause(none, True, sub.always, bound, relaxed.is_binary)
        path.learned[theta, rounding] = clause
        return clause
