"""The shortest disjunctive normal form of a truth table, with cases that may go either way."""

#   type     a k-bit number, its highest bit the first column (see `row_types`)
#   on       types the formula must hold on; off: types it must not hold on; all others are
#            "don't-cares"
#   cube     an AND of literals: for each column 1 (must hold), 0 (must fail) or -1 (not read)
#   prime    a cube without off types to which no literal is superfluous
#   cost     of a cube: its literals, and one for itself; of a formula: the sum
#
# All cubes there are stand in one array of 3**k cells, so finding the primes is 2 k array
# operations. The cheapest cover of the on types by primes is an integer program; forced choices are
# made before, a greedy cover is its start and its stand-in.

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rulekit.exceptions import SolverError
from rulekit.search.lp import LinearProgram, solve_milp

Bools = NDArray[np.bool_]
Cubes = NDArray[np.int8]
Ints = NDArray[np.int64]

MAX_COLUMNS = 12  # 3**12 cells; more would need another method
DOMINANCE_CELLS = 4_000  # primes, or types, up to which pairs of them are compared


@dataclass(frozen=True)
class MinimumForm:
    """A disjunctive normal form."""

    cubes: Cubes  # (t, k)
    cost: int
    bound: int

    @property
    def proved(self) -> bool:
        """Whether no formula is known to be cheaper, with proof."""
        return self.bound >= self.cost

    def holds(self) -> Bools:
        """Return on which types the formula holds, shape (2**k,)."""
        k = self.cubes.shape[1]
        mask, value = _as_bits(self.cubes)
        return np.asarray(((np.arange(2**k)[:, None] & mask) == value).any(axis=1))


def minimum_dnf(on: Bools, off: Bools, *, time_limit: float | None = None) -> MinimumForm:
    """Find the disjunctive normal form of least cost: O(3**k), k up to 8; on, off (2**k,)."""
    primes = prime_implicants(on, off)
    cover = _Cover(primes, np.flatnonzero(on))
    # Forced terms and dominated ones take nothing from the optimum; what is left is often nothing,
    # and the integer program is never begun.
    forced = cover.reduce()
    paid = int(cover.cost[forced].sum())
    chosen: list[int] = []
    bound = 0
    if len(cover.points):
        chosen, bound = cover.cheapest(cover.greedy(), time_limit)
    cubes = primes[[*forced, *chosen]]
    ordered = cubes[np.lexsort(cubes.T[::-1])] if cubes.shape[1] else cubes
    return MinimumForm(ordered, int((cubes >= 0).sum()) + len(cubes), paid + bound)


def prime_implicants(on: Bools, off: Bools) -> Cubes:
    """List the primes that hold on some on type."""
    k = int(on.size).bit_length() - 1
    allowed, wanted = ~off.reshape((2,) * k), on.reshape((2,) * k)
    # A cube that does not read a column is allowed where both its halves are, wanted where one is.
    for axis in range(k):
        allowed = _with_free(allowed, axis, np.logical_and)
        wanted = _with_free(wanted, axis, np.logical_or)
    prime = allowed & wanted
    for axis in range(k):  # a literal is superfluous where the cube without it is allowed
        fixed = [slice(None)] * k
        fixed[axis] = slice(0, 2)
        prime[tuple(fixed)] &= ~np.take(allowed, [2], axis=axis)
    cubes = np.argwhere(prime).astype(np.int8)
    cubes[cubes == 2] = -1
    return cubes


class _Cover:
    """The primes still to choose from and the on types still to cover."""

    def __init__(self, primes: Cubes, on: Ints) -> None:
        mask, value = _as_bits(primes)
        self.covers = (on[None, :] & mask[:, None]) == value[:, None]
        self.cost = 1 + (primes >= 0).sum(axis=1).astype(np.int64)
        self.primes, self.points = np.arange(len(primes)), np.arange(len(on))

    @property
    def table(self) -> Bools:
        """Which of the primes covers which of the types."""
        return np.asarray(self.covers[np.ix_(self.primes, self.points)])

    def reduce(self) -> list[int]:
        """Select forced primes and drop dominated primes and types, until nothing changes."""
        taken: list[int] = []
        size = None
        while len(self.points) and size != (len(self.primes), len(self.points)):
            size = (len(self.primes), len(self.points))
            table = self.table
            alone = np.flatnonzero(table.sum(axis=0) == 1)  # types that one prime covers
            if len(alone):
                rows = np.unique(table[:, alone].argmax(axis=0))
                taken += self.primes[rows].tolist()
                self._keep(np.delete(self.primes, rows), self.points[~table[rows].any(axis=0)])
                continue
            if len(self.points) <= DOMINANCE_CELLS:  # types covered whenever another one is
                within = _find_contained(table.T)  # [a, b]: what covers a covers b
                self.points = self.points[~_lesser(within.T, np.zeros(len(within)))]
            if len(self.primes) <= DOMINANCE_CELLS:  # primes that a cheaper one replaces
                lesser = _lesser(_find_contained(self.table), self.cost[self.primes].astype(float))
                self._keep(self.primes[~lesser], self.points)
        return taken

    def _keep(self, primes: Ints, points: Ints) -> None:
        """Restrict the problem to these types and to those of these primes that cover one."""
        self.primes, self.points = primes[self.covers[np.ix_(primes, points)].any(axis=1)], points

    def greedy(self) -> list[int]:
        """Choose by types covered a unit of cost, then leave out what became superfluous."""
        table, cost = self.table, self.cost[self.primes]
        left = np.ones(table.shape[1], dtype=bool)
        gain = table.sum(axis=1)
        chosen: list[int] = []
        while left.any():
            best = int(np.argmax(gain / cost))
            gain -= table[:, left & table[best]].sum(axis=1)
            left &= ~table[best]
            chosen.append(best)
        times = table[chosen].sum(axis=0)
        # dearest first: a term all of whose types are covered twice is not needed
        for row in sorted(chosen, key=lambda r: (-cost[r], r)):
            if (times[table[row]] > 1).all():
                times -= table[row]
                chosen.remove(row)
        return [int(p) for p in self.primes[chosen]]

    def cheapest(self, start: list[int], time_limit: float | None) -> tuple[list[int], int]:
        """Solve the covering program; return the primes chosen and the proved bound."""
        table, cost = self.table, self.cost[self.primes]
        p, m = table.shape
        rows = sparse.csr_matrix(table.T.astype(float)), np.ones(m), np.full(m, np.inf)
        program = LinearProgram(cost.astype(float), *rows, np.zeros(p), np.ones(p))
        incumbent = np.isin(self.primes, start).astype(float), float(self.cost[start].sum())
        solution = solve_milp(program, time_limit=time_limit, incumbent=incumbent)
        if solution.x is None:
            raise SolverError(
                "The integer program of the shortest formula failed: the solver returned status "
                f"{solution.status!r} and no formula ({solution.message}). Report the table that "
                "shows this."
            )
        chosen = [int(q) for q in self.primes[solution.x > 0.5]]
        if solution.status == "optimal":
            return chosen, int(self.cost[chosen].sum())
        # costs are whole, so that a bound may be rounded up, but for the solver's tolerance
        bound = 0 if solution.bound is None else int(np.ceil(solution.bound - 1e-6))
        return chosen, max(bound, int(cost.min()))  # some prime is needed


def _with_free(cells: Bools, axis: int, joined: np.ufunc) -> Bools:
    """Add to an axis of two answers a third place, "not read"."""
    return np.concatenate([cells, joined.reduce(cells, axis=axis, keepdims=True)], axis=axis)


def _as_bits(cubes: Cubes) -> tuple[Ints, Ints]:
    """Write cubes as the bits they read and what these must be."""
    place_value = 1 << np.arange(cubes.shape[1] - 1, -1, -1, dtype=np.int64)
    return (cubes >= 0) @ place_value, (cubes == 1) @ place_value


def _find_contained(table: Bools) -> Bools:
    """Return which rows of a table lie in which others: [a, b] where all of a is in b."""
    counted = table.astype(np.float32)
    return np.asarray(counted @ counted.T >= counted.sum(axis=1)[:, None])


def _lesser(within: Bools, cost: NDArray[np.float64]) -> Bools:
    """Return which rows lie in one that costs no more; of equal rows the first is kept."""
    better = within & (cost[None, :] <= cost[:, None])
    same = better & better.T
    earlier = np.tri(len(cost), k=-1, dtype=bool)  # [a, b]: b comes before a
    return np.asarray((better & (~same | earlier)).any(axis=1))
