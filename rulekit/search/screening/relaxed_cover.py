"""The relaxed one-level problem over any number of columns, by column generation.

The dual program is solved over the few columns generated so far (`GeneratedDual`); its point mu
prices all columns at once, ``P.T @ mu - c``, by one histogram a source; of each chain the column it
overdraws most is added, until none is overdrawn. mu is then a point of the whole dual program: its
sum is the optimal value, and a proof that holds without the solver.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import SolverError
from rulekit.search.columns.candidates import PricedColumns
from rulekit.search.columns.generated_dual import GeneratedDual
from rulekit.search.lp import LPSolution, seconds_left
from rulekit.search.screening.bounds import feasible

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

FIRST = 30  # columns to begin with
MORE = 40  # columns added a round
MARGIN = 1e-9  # taken off the prices that HiGHS sees, so that mu keeps the true ones exactly


@dataclass(frozen=True)
class Relaxation:
    """The relaxed clause of least cost, and a lower bound that proves it; shapes: mu (g,)."""

    mu: Floats = field(repr=False)
    lower: float
    columns: Ints
    weights: Floats
    solved: bool
    n_generated: int


def relax(
    problem: PricedColumns,
    *,
    deadline: float | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Relaxation:
    """Solve the relaxation.

    Each round takes O(n p + d) for pricing and a linear program over the columns so far. Seen on
    25 600 columns of 6 697 rows: 5 to 9 rounds and some 200 columns.
    """
    missed = _worst(problem, problem.worth - problem.price, FIRST)
    if not len(missed):  # no column pays: every row is left at its weight
        nothing = np.zeros(0, dtype=np.intp)
        return Relaxation(problem.m, float(problem.m.sum()), nothing, np.zeros(0), True, 0)
    answer, solved, generated, best = _generate(
        problem,
        GeneratedDual(problem.m),
        missed,
        _Point(feasible(problem, problem.m)),
        Stop(deadline, should_stop),
    )
    weights = np.zeros(len(generated))
    if answer is not None and answer.duals is not None:
        weights = np.clip(-answer.duals, 0.0, 1.0)
    used = np.flatnonzero(weights > MARGIN)
    lower = best.lower if solved else max(best.lower, best.clause_bound)
    return Relaxation(best.mu, lower, generated[used], weights[used], solved, len(generated))


@dataclass(frozen=True)
class Stop:
    """Conditions of an early stop: a deadline of `time.monotonic`, or a callback."""

    deadline: float | None = None
    should_stop: Callable[[], bool] | None = None

    @property
    def now(self) -> bool:
        """Whether that is now."""
        late = self.deadline is not None and time.monotonic() > self.deadline
        return late or (self.should_stop is not None and self.should_stop())


@dataclass
class _Point:
    """The best point of the dual program so far."""

    mu: Floats
    clause_bound: float = 0.0

    @property
    def lower(self) -> float:
        return float(self.mu.sum())


def _generate(
    problem: PricedColumns,
    program: GeneratedDual,
    missed: Ints,
    best: _Point,
    stop: Stop,
) -> tuple[LPSolution | None, bool, Ints, _Point]:
    """Add columns that are overdrawn until there are none, or time is up."""
    generated = np.zeros(0, dtype=np.intp)
    answer: LPSolution | None = None
    while len(missed):
        if stop.now:
            return answer, False, generated, best
        ceiling = np.maximum(problem.price[missed] - MARGIN, 0.0)
        program.add(problem.P.values_of(missed), ceiling)
        generated = np.concatenate([generated, missed])
        solution = program.solve(seconds_left(None, stop.deadline))
        if solution.status == "time limit":
            return answer, False, generated, best
        if solution.x is None:
            raise SolverError(
                f"A linear program that always has a solution ended with {solution.status!r} "
                f"({solution.message}); please report the table that shows this."
            )
        answer = solution
        mu = np.clip(program.groups.shared(solution.x), 0.0, problem.m)
        overdrawn = problem.P.sums(mu) - problem.price
        # A best clause holds one column of a chain at most, so that against clauses mu overdraws no
        # more than the worst column of each chain, added up: a bound before mu is feasible.
        penalty = float(overdrawn[_worst(problem, overdrawn)].sum())
        best.clause_bound = max(best.clause_bound, float(mu.sum()) - penalty)
        overdrawn[generated] = -np.inf
        missed = _worst(problem, overdrawn, MORE)
        point = feasible(problem, mu)
        if point.sum() > best.lower:
            best.mu = point
    return answer, True, generated, best


def _worst(problem: PricedColumns, overdrawn: Floats, n: int | None = None) -> Ints:
    """Pick of each chain the most overdrawn column, and of these the worst n (all), ascending."""
    bad = np.flatnonzero(overdrawn > 0.0)
    if not len(bad):
        return bad
    chain = problem.P.chain[bad]
    family = np.where(chain >= 0, chain, -1 - bad)
    order = np.lexsort((bad, -overdrawn[bad], family))
    first = np.concatenate([[True], np.diff(family[order]) != 0])
    heads = bad[order[first]]
    worst = heads[np.argsort(-overdrawn[heads], kind="stable")[:n]]
    return np.sort(worst)
