"""The best clause of whole columns, with proof, over any number of columns."""

# 1. The relaxation by column generation gives a lower bound (rounded up where all costs are whole)
#    and each column's reduced cost.
# 2. Rounding and greedy choice give a clause, an upper bound; columns that tests remove go.
# 3. If the bounds have not met, an integer program is solved over the columns of least reduced
#    cost. Any other column costs at least the bound plus the least reduced cost among those;
#    more columns are taken until that is more than the best clause found.

import time
from dataclasses import dataclass, field

import numpy as np

from rulekit.binning.binned_table import Bools, Floats, Ints
from rulekit.search.columns.priced_columns import GeneratedDual, PricedColumns
from rulekit.search.lp import seconds_left, solve_milp
from rulekit.search.screening.screen import (
    COUNTING,
    Bounds,
    Screening,
    compact_program,
    feasible,
    screen,
    steepest_clause,
)

FIRST_COLUMNS = 30  # columns to begin with
MORE = 40  # columns added a round
PRICE_MARGIN = 1e-9  # taken off the prices that HiGHS sees, so that mu keeps the true ones exactly


@dataclass(frozen=True)
class Relaxation:
    """The relaxed clause of least cost, and a lower bound that proves it."""

    mu: Floats = field(repr=False)  # (g,)
    lower: float
    columns: Ints
    weights: Floats
    solved: bool
    n_generated: int


def relax(problem: PricedColumns, deadline: float | None = None) -> Relaxation:
    """Solve the relaxation."""
    missed = _worst(problem, problem.worth - problem.price, FIRST_COLUMNS)
    if not len(missed):  # no column pays: every row is left at its weight
        nothing = np.zeros(0, dtype=np.intp)
        return Relaxation(problem.m, float(problem.m.sum()), nothing, np.zeros(0), True, 0)
    program, answer = GeneratedDual(problem.m), None
    generated = np.zeros(0, dtype=np.intp)
    best, clause_bound = feasible(problem, problem.m), 0.0  # the best point of the dual program
    while len(missed) and not _is_over(deadline):  # columns that are overdrawn
        ceiling = np.maximum(problem.price[missed] - PRICE_MARGIN, 0.0)
        program.add(problem.P.values_of(missed), ceiling)
        generated = np.concatenate([generated, missed])
        if (solution := program.solve(seconds_left(deadline))).status == "time limit":
            break
        if solution.x is None:
            raise solution.error("A linear program that always has a solution")
        answer = solution
        mu = np.clip(program.groups.share_weights(solution.x), 0.0, problem.m)
        overdrawn = problem.P.sums(mu) - problem.price
        # A best clause holds one column of a chain at most, so that against clauses mu overdraws no
        # more than the worst column of each chain, added up: a bound before mu is feasible.
        penalty = float(overdrawn[_worst(problem, overdrawn)].sum())
        clause_bound = max(clause_bound, float(mu.sum()) - penalty)
        overdrawn[generated] = -np.inf
        missed = _worst(problem, overdrawn, MORE)
        point = feasible(problem, mu)
        if point.sum() > float(best.sum()):
            best = point
    weights = np.zeros(len(generated))
    if answer is not None and answer.duals is not None:
        weights = np.clip(-answer.duals, 0.0, 1.0)
    used = np.flatnonzero(weights > PRICE_MARGIN)
    solved, lower = not len(missed), float(best.sum())
    lower = lower if solved else max(lower, clause_bound)
    return Relaxation(best, lower, generated[used], weights[used], solved, len(generated))


def _is_over(deadline: float | None) -> bool:
    """Whether a deadline of `time.monotonic` has passed."""
    return deadline is not None and time.monotonic() > deadline


def _worst(problem: PricedColumns, overdrawn: Floats, n: int | None = None) -> Ints:
    """Pick of each chain the most overdrawn column, and of these the worst n (all), ascending."""
    bad = np.flatnonzero(overdrawn > 0.0)
    if not len(bad):
        return bad
    chain = problem.P.chain[bad]
    family = np.where(chain >= 0, chain, -1 - bad)
    order = np.lexsort((bad, -overdrawn[bad], family))
    heads = bad[order[np.unique(family[order], return_index=True)[1]]]
    return np.sort(heads[np.argsort(-overdrawn[heads], kind="stable")[:n]])


PROVED = 1e-6  # of the heaviest row: bounds that differ by less have met (HiGHS proves no more)
ROUNDING = 1e-12  # of the cost
FIRST = 400  # columns in the first integer program
GROWTH = 4
MAX_CELLS = 400_000_000  # rows times columns of an integer program before rows are merged
MAX_MERGED = 20_000_000  # the same after merging: a larger integer program is not begun
DRAWS = 20
MAX_SWEEPS = 20


@dataclass
class ProvedClause:
    """The best clause so far, and what is known of its cost."""

    problem: PricedColumns = field(repr=False)
    relaxation: Relaxation = field(repr=False)
    deadline: float | None
    columns: Ints
    cost: float
    bound: float
    screening: Screening | None = field(default=None, repr=False)
    n_left: int = 0  # columns left to integer programs

    def offer(self, columns: Ints) -> None:
        """Keep a clause if it costs less."""
        if (cost := self.problem.cost(columns)) < self.cost:
            self.columns, self.cost = np.sort(columns), cost

    @property
    def proved(self) -> bool:
        """Whether the bounds have met."""
        row = float(self.problem.m.max(initial=0.0))
        return self.cost - self.bound <= PROVED * row + ROUNDING * self.cost


def best_columns(
    problem: PricedColumns, *, screening: str | None = "duality", deadline: float | None = None
) -> ProvedClause:
    """Find the clause of least cost."""
    relaxation = relax(problem, deadline)
    nothing, cost = np.zeros(0, dtype=np.intp), float(problem.m.sum())
    bound = relaxation.lower
    if not ((problem.m % 1.0).any() or (problem.price % 1.0).any()):  # every cost is whole
        bound = max(0.0, float(np.ceil(bound - PROVED)))
    search = ProvedClause(problem, relaxation, deadline, nothing, cost, bound)
    # round the relaxed clause in several ways, and choose greedily without it
    columns, weights = relaxation.columns, relaxation.weights
    clauses = [columns[weights > 0.5], columns[weights > 0.2], steepest_clause(problem)]
    if (weights < 1.0 - PROVED).any():
        clauses.append(columns[steepest_clause(problem.take_columns(columns))])
        rng = np.random.default_rng(0)
        clauses += [columns[rng.random(len(weights)) < weights] for _ in range(DRAWS)]
    for clause in clauses:
        if not search.proved:
            search.offer(_improve(problem, clause))
    _screen(search, screening)
    if relaxation.solved and not search.proved and not _is_over(deadline):
        outcome, before = search.screening, search.cost
        left = np.arange(len(problem.wrong)) if outcome is None else outcome.kept
        search.n_left = len(left)
        lower = relaxation.lower
        # By how much the bound rises in every clause with the column; rounding may take it below 0.
        reduced = np.maximum(problem.price - problem.P.sums(relaxation.mu), 0.0)
        # A clause with a column that takes the bound to the cost of the one at hand is no better.
        left = left[lower + reduced[left] < search.cost]
        left = left[np.argsort(reduced[left], kind="stable")]
        most = max(1, MAX_CELLS // max(1, len(problem.m)))
        size = min(FIRST, most)  # columns of an integer program
        while not search.proved and not _is_over(deadline):
            # Columns stand by reduced cost: a clause with any of those left out costs at least the
            # bound and the first one's reduced cost; all other clauses the program bounds.
            floor = lower + (reduced[left[size]] if size < len(left) else np.inf)
            inside = _integer_program(search, np.sort(left[:size]))
            search.bound = max(search.bound, min(inside, floor))
            if size >= min(len(left), most):
                break
            size = min(size * GROWTH, most)
        if search.cost < before:
            _screen(search, screening)  # with the better clause, more can go
    search.bound = search.cost if search.proved else min(search.bound, search.cost)
    return search


def _improve(problem: PricedColumns, clause: Ints) -> Ints:
    """Drop columns whose absence costs less, then add those that help, until neither does."""
    clause = clause.copy()
    for _ in range(MAX_SWEEPS):
        holds = problem.P.values_of(clause)
        count = holds.sum(axis=1)
        saved = (problem.m * (count == 1)) @ holds - problem.price[clause]
        if len(clause) and saved.min() < 0.0:
            clause = np.delete(clause, int(saved.argmin()))
            continue
        gain = problem.P.sums(problem.m * (count == 0)) - problem.price
        best = int(gain.argmax()) if len(gain) else -1
        if best < 0 or gain[best] <= PROVED:
            break
        clause = np.append(clause, best)
    return clause


def _screen(search: ProvedClause, screening: str | None) -> None:
    """Remove what the tests allow."""
    if screening == "counting":
        search.screening = screen(search.problem)
    elif screening is not None:
        mu = search.relaxation.mu
        bounds = Bounds(mu, float(mu.sum()), search.columns, search.cost)
        search.screening = screen(search.problem, (*COUNTING, "duality given"), bounds)


def _integer_program(search: ProvedClause, columns: Ints) -> float:
    """Look for a better clause among some columns; return a bound on what these can reach."""
    problem = search.problem
    part = problem.take_columns(columns)
    rows, m = merge_rows(part)
    if rows.size > MAX_MERGED:
        return search.relaxation.lower
    program = compact_program(rows.astype(float), m, part.price)
    solution = solve_milp(program, time_limit=seconds_left(search.deadline))
    if solution.status not in ("optimal", "time limit"):
        raise solution.error("An integer program that always has a solution")
    bound = np.inf
    if solution.x is not None:
        clause = columns[solution.x[: len(columns)] > 0.5]
        search.offer(clause)
        bound = problem.cost(clause)
    if solution.status == "optimal" and solution.value is not None:
        # Its value has the solver's tolerance in it, the clause has not: where the two agree the
        # clause's own cost is the bound, so that bound and cost can meet exactly.
        same = abs(bound - solution.value) <= PROVED * max(1.0, bound)
        return bound if same else min(bound, solution.value)
    return search.relaxation.lower if solution.bound is None else solution.bound


def merge_rows(problem: PricedColumns) -> tuple[Bools, Floats]:
    """Merge equal rows and add their weights; the order depends on their content alone."""
    g, d = problem.P.shape
    content = np.ascontiguousarray(problem.P.content)  # which sorts as the rows do
    if content.size == 0:
        return np.zeros((min(g, 1), d), dtype=bool), np.array([problem.m.sum()])[:g]
    names = content.view(f"V{content.shape[1] * content.itemsize}").ravel()
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    weight = np.bincount(inverse.ravel(), problem.m, len(first)).astype(float)
    return problem.P.values_of(np.arange(d), first), weight
