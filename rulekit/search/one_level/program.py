"""The compact one-level program, solved through its dual, and where its answer stays the same.

Symbols are those of `problem`; a last column of ones disables the clause, and c is infinite where a
column is not on offer. HiGHS is given the columns of P as they are missed: first those that look
cheapest for what they cover, then those that the answer overdraws, until none is.

*Range.* Let R be the tight rows of the dual at its optimum and F the mu (of groups of rows)
strictly between their bounds. If all prices rise by t, mu[F] moves along ``K @ dmu = 1`` with
``K = P[F][:, R].T``, and w stays optimal as long as mu stays within its bounds and no other row of
the dual is passed. Each theta in this interval needs no solve.

*Chains.* A column whose price, perturbation included, exceeds that of a narrower threshold of its
chain by as much as it covers more has weight 0 in the one optimal vertex.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import addable
from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import DENSE
from rulekit.exceptions import SolverError, TimeLimitError
from rulekit.search.columns.generated_dual import SMALL, GeneratedDual, RowGroups, solve_small_dual
from rulekit.search.columns.rounding import snapped
from rulekit.search.lp import TOLERANCE, LPSolution

Ints = NDArray[np.intp]
BLOCK = 1024  # columns that are compared at a time
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Index = NDArray[np.intp]
GAP = 1e-7
FEW, MANY = 16, 64  # columns that are passed at a time, and of a small table
MARGIN = 1e-9  # kept from the ends of an interval, where two vertices are optimal


class ChainScreen:
    """Strict records along the chains of thresholds, for one matrix and any prices and weights.

    Shapes: P (g, d).
    """

    def __init__(self, P: BinnedTable) -> None:
        self._order, self._start = _nested_runs(P)

    def beaten(self, price: Floats, worth: Floats) -> Bools:
        """Return which columns a narrower one of their chain makes redundant, shape (d,)."""
        answer = np.zeros(len(price), dtype=bool)
        order = self._order
        if not len(order):
            return answer
        gain = worth[order] - price[order]
        rank = np.empty(len(order), dtype=np.int64)
        by_gain = np.argsort(gain, kind="stable")
        step = np.concatenate([[0], np.diff(gain[by_gain]) > 0])
        rank[by_gain] = np.cumsum(step)  # equal gains, equal ranks
        rank += self._start * (len(order) + 1)  # a later chain is above all before it
        # As ranks of a later chain are above all earlier ones, one running maximum serves all: a
        # column is beaten where its gain is no more than the best before it in its chain.
        best = np.maximum.accumulate(rank)
        later = np.diff(self._start, prepend=-1) == 0
        answer[order] = later & (rank <= np.concatenate([[-1], best[:-1]]))
        return answer


def _nested_runs(P: BinnedTable) -> tuple[Ints, Ints]:
    """Order the thresholds chain by chain, the narrowest first, and number the chains."""
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
    seen = P.seen()  # neighbours that count read one source: its cells say what the rows do
    wider = [(seen.values_of(p[:-1]) > seen.values_of(p[1:])).any(axis=0) for p in parts]
    nested = ~np.concatenate([np.zeros(0, dtype=bool), *wider])
    return order, np.concatenate([[0], np.cumsum(~(same & nested))]).astype(np.intp)


@dataclass(frozen=True)
class Vertex:
    """An optimal relaxed clause, and for which change of all prices it stays optimal."""

    columns: NDArray[np.intp]
    weights: Floats
    lower: float
    upper: float


@dataclass
class ThetaPath:
    """The optimal clauses of one sub-problem known so far, each with its interval of theta.

    The cost of a fixed clause is linear in theta, so the optimal value is concave, and a clause
    that is optimal at two values of theta is optimal between them. The perturbation makes the
    optimum unique, so that it is also *the* optimum there, and intervals of equal clauses may be
    joined.
    """

    pieces: list[Vertex] = field(default_factory=list)

    def at(self, theta: float) -> Vertex | None:
        """Return the clause known to be optimal at this theta, if there is one."""
        return next((p for p in self.pieces if p.lower <= theta <= p.upper), None)

    def add(self, theta: float, vertex: Vertex) -> None:
        """Remember a clause solved at `theta`, whose interval is relative to that theta."""
        lower, upper = theta + vertex.lower, theta + vertex.upper
        for k, piece in enumerate(self.pieces):
            if _same_clause(piece, vertex):
                self.pieces[k] = replace(
                    piece, lower=min(lower, piece.lower), upper=max(upper, piece.upper)
                )
                return
        self.pieces.append(replace(vertex, lower=lower, upper=upper))


def _same_clause(a: Vertex, b: Vertex) -> bool:
    return np.array_equal(a.columns, b.columns) and np.array_equal(a.weights, b.weights)


class CoverProgram:
    """One matrix, many prices and weights; the last column is True in all rows and costs no theta.

    Shapes: P (g, d - 1).
    """

    def __init__(self, P: BinnedTable) -> None:
        self.P, self._n_columns = P, P.shape[1] + 1
        self._priced = np.arange(self._n_columns) < P.shape[1]

    def _sums(self, values: Floats) -> Floats:
        """Sum numbers, whose sums are exact, over the rows of each column: shape (d,)."""
        return np.append(self.P.sums(values), values.sum())

    def _values(self, columns: Index, rows: Index | slice = slice(None)) -> Bools:
        """Build some columns of the matrix, in some rows."""
        in_table = np.flatnonzero(self._priced[columns])
        values = self.P.values_of(columns[in_table], rows)
        result = np.ones((len(values), len(columns)), dtype=bool)
        result[:, in_table] = values
        return result

    def solve(
        self,
        c: Floats,
        m: Floats,
        time_limit: float | None = None,
        chains: ChainScreen | None = None,
    ) -> Vertex:
        """Find the optimal clause and its range; shapes: c (d,), m (g,)."""
        worth = self._sums(addable(m))
        # A column that costs as much as all it covers has weight 0 in some optimum, and the
        # perturbed optimum is unique.
        useful = c < worth
        if not useful.any():
            excess = (worth - c)[self._priced & np.isfinite(c)]
            return Vertex(
                np.zeros(0, dtype=np.intp), np.zeros(0), excess.max(initial=-np.inf), np.inf
            )
        if chains is not None:
            useful[:-1] &= ~chains.beaten(c[:-1], worth[:-1])
        ceiling = np.where(useful, c, np.inf)
        groups, answer = self._run(ceiling, m, time_limit)
        _raise_if_unsolved(answer, time_limit)
        assert answer.x is not None
        assert answer.duals is not None
        columns = np.flatnonzero(answer.duals < 0)
        weights = snapped(-answer.duals[columns], self._values(columns)[m > 0].astype(float))
        columns, weights = columns[weights > 0], weights[weights > 0]
        self._check_gap(c, m, columns, weights, float(answer.x.sum()))
        lower, upper = self._range(c, groups, answer)
        return Vertex(columns, weights, lower, upper)

    def _run(
        self, ceiling: Floats, m: Floats, time_limit: float | None
    ) -> tuple[RowGroups, LPSolution]:
        """Solve the dual program over groups of rows, a small one over all rows that count."""
        rows, useful = np.flatnonzero(m), np.flatnonzero(np.isfinite(ceiling))
        if len(rows) * len(useful) <= SMALL:
            P = self._values(useful, rows)
            small = solve_small_dual(P, ceiling[useful], m[rows], time_limit)
            if small is not None:
                of = np.zeros(len(m), np.intp)
                of[rows] = np.arange(len(rows))
                groups = RowGroups(of, rows, m[rows], m)
                done = small.x is not None
                return groups, _over_all(small, useful, len(ceiling)) if done else small
        program = GeneratedDual(m)
        few = MANY if self.P.shape[0] * self._n_columns <= DENSE else FEW
        missed, passed = _cheapest(ceiling, self._sums(addable(m)), few), np.zeros(0, np.intp)
        while True:
            program.add(self._values(missed), ceiling[missed])
            passed = np.concatenate([passed, missed])
            answer = program.solve(time_limit)
            if answer.x is None:
                return program.groups, answer
            mu = program.groups.shared(answer.x)
            missed = _overdrawn(ceiling - self._sums(addable(mu)), passed, few)
            if len(missed) == 0:
                return program.groups, _over_all(answer, passed, len(ceiling))

    def _check_gap(
        self, c: Floats, m: Floats, columns: NDArray[np.intp], weights: Floats, dual: float
    ) -> None:
        """Compare the primal with the dual value."""
        xi = np.maximum(0.0, 1.0 - self._values(columns) @ weights)
        primal = float(c[columns] @ weights + m @ xi)
        if not (np.isfinite(primal) and abs(primal - dual) <= GAP * max(1.0, abs(primal))):
            raise SolverError(
                f"A linear program has a primal value of {primal!r} and a dual value of {dual!r}, "
                "which must agree to 1e-7; please report the table that shows this."
            )

    def _range(self, c: Floats, groups: RowGroups, answer: LPSolution) -> tuple[float, float]:
        """Find for which change of the prices of theta the basis stays optimal."""
        if answer.basic_x is None or answer.basic_rows is None or answer.x is None:
            return 0.0, 0.0
        free = np.flatnonzero(answer.basic_x)
        tight = np.flatnonzero(~answer.basic_rows)
        # Only a square system says how mu moves; else the basis is degenerate, and the answer is
        # remembered for this theta alone.
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
        slack, slope = c - self._spent(groups, mu), step - self._spent(groups, moves)
        other = np.isfinite(c)
        other[tight] = False
        room = np.concatenate([mu[free], groups.weight[free] - mu[free], slack[other]])
        rate = np.concatenate([move, -move, slope[other]])
        room = np.maximum(room, 0.0)
        rate = np.where(np.abs(rate) < MARGIN, 0.0, rate)
        up = np.min(room[rate < 0] / -rate[rate < 0], initial=np.inf) - MARGIN
        down = np.min(room[rate > 0] / rate[rate > 0], initial=np.inf) - MARGIN
        return -max(down, 0.0), max(up, 0.0)

    def _spent(self, groups: RowGroups, mu: Floats) -> Floats:
        """Sum over each column what the groups of rows have."""
        return self._sums(addable(groups.shared(mu)))


def _cheapest(c: Floats, worth: Floats, n: int) -> Index:
    """Pick the columns that cost least for what they cover: those most likely in the optimum."""
    useful = np.isfinite(c) & (worth > 0)
    ratio = np.where(useful, c, np.inf) / np.where(useful, worth, 1.0)
    cheapest = np.argsort(ratio, kind="stable")[:n]
    return cheapest[useful[cheapest]]


def _overdrawn(slack: Floats, passed: Index, n: int) -> Index:
    """Pick the columns that a point of the dual overdraws most, of those not passed yet."""
    slack[passed] = np.inf
    missed = np.flatnonzero(slack < -TOLERANCE)
    return missed[np.argsort(slack[missed], kind="stable")[:n]]


def _over_all(answer: LPSolution, passed: Index, d: int) -> LPSolution:
    """Expand duals and basis to all d columns; columns not passed are slack."""
    duals, basic_rows = np.zeros(d), np.ones(d, dtype=bool)
    duals[passed] = answer.duals
    if answer.basic_rows is None:
        return replace(answer, duals=duals)
    basic_rows[passed] = answer.basic_rows
    return replace(answer, duals=duals, basic_rows=basic_rows)


def _raise_if_unsolved(answer: LPSolution, limit: float | None) -> None:
    if answer.status == "time limit":
        raise TimeLimitError(
            f"A linear program was not solved within {limit:.3g} s; raise `time_limit`."
        )
    if answer.status != "optimal":
        raise SolverError(
            f"A linear program that always has a solution ended with {answer.status!r} "
            f"({answer.message}); please report the table that shows this."
        )
