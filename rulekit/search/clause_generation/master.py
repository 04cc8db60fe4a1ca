"""The restricted master of column generation, solved by its dual and kept warm between rounds.

See `column_generation` for the problem and its symbols. The dual has a variable
for each row of the described class and a row for each clause, so that a new clause is a new row:
the dual simplex method goes on from where it was.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rulekit.exceptions import SolverError
from rulekit.search.box_search import Floats
from rulekit.search.clause_generation.pool import ClausePool
from rulekit.search.lp import (
    LinearProgram,
    LPSolution,
    highs_module,
    run_highs,
    silent_highs,
    solve_lp,
)


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

    Notes
    -----
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
        pool, known = self.pool, len(self._passed)
        for k in np.flatnonzero(pool.cost[:known] != self._passed):
            self._highs.changeRowBounds(int(k), -np.inf, float(pool.cost[k]))
        held = pool.held[known:]
        places = np.flatnonzero(held) % max(1, held.shape[1])
        sizes = held.sum(axis=1)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        if len(held):
            self._highs.addRows(
                len(held),
                np.full(len(held), -np.inf),
                pool.cost[known:],
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
