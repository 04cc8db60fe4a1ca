"""The restricted master of column generation, solved by its dual and kept warm between rounds.

See `column_generation` for the problem and its symbols. The dual has a variable
for each row of the described class and a row for each clause, so that a new clause is a new row:
the dual simplex method goes on from where it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rulekit._sums import addable
from rulekit.exceptions import SolverError
from rulekit.search.box_search.problem import Bools, Boxes, BoxRows, Floats, Ints
from rulekit.search.clause_generation.pricing import joined
from rulekit.search.lp import (
    LinearProgram,
    LPSolution,
    highs_module,
    run_highs,
    silent_highs,
    solve_lp,
)

GAIN = 1e-9


class ClausePool:
    """Clauses with what they hold for and what they cost.

    Shapes: held (len(pool), cost (len(pool).
    """

    def __init__(self, problem: BoxRows, clause_price: float, literal_price: float) -> None:
        self.problem = problem
        self.clause_price, self.literal_price = clause_price, literal_price
        weight = np.asarray(problem.weight)
        self.described_weight: Floats = weight[problem.y]
        self._other_weight: Floats = weight[~problem.y]
        self._index_of: dict[bytes, int] = {}
        self._boxes: list[tuple[Ints, Boxes]] = []  # each on the features that it restricts
        self.held: Bools = np.zeros((0, int(problem.y.sum())), bool)
        self.cost: Floats = np.zeros(0)

    def __len__(self) -> int:
        return len(self.cost)

    def add(self, clauses: Boxes) -> int:
        """Add clauses; of those that hold for the same rows only the cheapest is kept."""
        fired = _fired(clauses, self.problem)
        held = fired[:, self.problem.y]
        literals = clauses.literals(self.problem.n_bins, self.problem.has_missing)
        cost = fired[:, ~self.problem.y] @ self._other_weight + self.clause_price
        cost = cost + self.literal_price * literals.sum(axis=1)
        restricted = [np.flatnonzero(row) for row in literals]
        boxes = [(f, clauses.of_clauses([k]).of_features(f)) for k, f in enumerate(restricted)]
        new: list[int] = []
        added, n_before = 0, len(self)
        packed = np.packbits(held, axis=1)
        for k in range(clauses.n_clauses):
            key = packed[k].tobytes()
            place = self._index_of.get(key)
            if place is None:
                self._index_of[key] = n_before + len(new)
                new.append(k)
                added += 1
            elif place >= n_before:  # new in this call
                if cost[k] < cost[new[place - n_before]] - GAIN:
                    new[place - n_before] = k
            elif cost[k] < self.cost[place] - GAIN:
                self.cost[place], self._boxes[place] = cost[k], boxes[k]
                added += 1
        self.held = np.vstack([self.held, held[new]])
        self.cost = np.concatenate([self.cost, cost[new]])
        self._boxes += [boxes[k] for k in new]
        return added

    def boxes_of(self, chosen: Sequence[int]) -> Boxes:
        """Return the clauses `chosen` as one rule."""
        n_bins = self.problem.n_bins
        whole = [box.among(kept, n_bins) for kept, box in (self._boxes[k] for k in chosen)]
        return joined(whole, len(n_bins))

    def objective(self, chosen: Sequence[int]) -> float:
        """Priced Hamming loss of the rule made of the clauses `chosen`."""
        missed = ~self.held[list(chosen)].any(axis=0)
        return float(self.described_weight[missed].sum() + self.cost[list(chosen)].sum())

    def reduced_costs(self, mu: Floats) -> Floats:
        """Cost of each clause, less the dual prices of the rows that it holds for."""
        return np.asarray(self.cost - self.held @ addable(mu), dtype=float)


def _fired(clauses: Boxes, problem: BoxRows) -> Bools:
    """Return for each clause and row whether the clause holds, from its literals only."""
    fired = np.ones((clauses.n_clauses, problem.n_rows), bool)
    restricted = clauses.literals(problem.n_bins, problem.has_missing) > 0
    for f in np.flatnonzero(restricted.any(axis=0)):
        ks = np.flatnonzero(restricted[:, f])
        code = problem.codes[:, f]
        inside = (code >= clauses.low[ks, f, None]) & (code <= clauses.high[ks, f, None])
        fired[ks] &= np.where(code == problem.n_bins[f], clauses.absent[ks, f, None], inside)
    return fired


@dataclass(frozen=True)
class MasterAnswer:
    """An optimal solution of the master.

    Shapes: mu (rows of the described class,), z (clauses,).
    """

    value: float
    mu: Floats
    z: Floats

    def beside(self, n_clauses: int) -> "MasterAnswer":
        """Return the same solution of a larger pool, where the clauses added are not used."""
        return replace(self, z=np.pad(self.z, (0, n_clauses - len(self.z))))


class ClauseMaster:
    """The master over the clauses of a pool that grows.

    With highspy each solution starts from the basis of the one before; without, from nothing.
    """

    def __init__(self, pool: ClausePool) -> None:
        self.pool = pool
        self._passed: Floats = np.zeros(0)  # costs that HiGHS knows
        module = highs_module()
        self._highs: Any = None if module is None else silent_highs(module)
        if self._highs is not None:
            weight = pool.described_weight
            n = len(weight)
            self._highs.addVars(n, np.zeros(n), weight)
            self._highs.changeColsCost(n, np.arange(n, dtype=np.int32), -np.ones(n))

    def solve(self) -> MasterAnswer:
        """Solve over the clauses that are in the pool now."""
        weight = self.pool.described_weight
        if not len(self.pool) or not len(weight):
            return MasterAnswer(float(weight.sum()), weight.copy(), np.zeros(len(self.pool)))
        answer = self._warm() if self._highs is not None else solve_lp(self._program())
        if answer.x is None or answer.duals is None:  # zero is feasible, the variables are bounded
            raise SolverError(
                "The linear program over the generated clauses must have a solution, but the "
                f"solver reported {answer.message!r}. Use other prices, or another method."
            )
        mu = np.clip(answer.x, 0.0, weight)
        return MasterAnswer(float(mu.sum()), mu, np.abs(answer.duals))

    def _warm(self) -> LPSolution:
        """Pass what is new to HiGHS, and go on from its basis."""
        pool, n_passed = self.pool, len(self._passed)
        for k in np.flatnonzero(pool.cost[:n_passed] != self._passed):
            self._highs.changeRowBounds(int(k), -np.inf, float(pool.cost[k]))
        held = pool.held[n_passed:]
        places = np.flatnonzero(held) % max(1, held.shape[1])
        sizes = held.sum(axis=1)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        if len(held):
            self._highs.addRows(
                len(held),
                np.full(len(held), -np.inf),
                pool.cost[n_passed:],
                len(places),
                starts,
                places.astype(np.int32),
                np.ones(len(places)),
            )
        self._passed = pool.cost.copy()
        n, m = len(pool.described_weight), len(pool)
        answer = run_highs(self._highs, n, m, None)
        if answer.x is None:  # a warm start that went wrong
            self._highs.clearSolver()
            answer = run_highs(self._highs, n, m, None)
        return answer

    def _program(self) -> LinearProgram:
        pool = self.pool
        n, m = len(pool.described_weight), len(pool)
        return LinearProgram(
            -np.ones(n),
            pool.held.astype(float),
            np.full(m, -np.inf),
            pool.cost,
            np.zeros(n),
            pool.described_weight,
        )
