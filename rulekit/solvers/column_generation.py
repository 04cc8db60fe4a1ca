"""Rules by column generation: a linear program over clauses, with a bound on what is possible.

The problem is the priced Hamming loss of Dash, Gunluk and Wei: choose clauses of a DNF so that
missed rows of the described class, rows of the other class counted once for every clause that holds
for them, and the prices of clauses and literals add up to as little as possible. Its linear
relaxation has a variable for every clause there is; clauses are generated as they are needed.

Legend, beside that of `rulekit.solvers.box_problem`::

    cost_k   weight of the other class that clause k holds for, plus clause_price, plus
             literal_price times its literals
    z_k      how much of clause k is used
    master   min  sum_i w_i miss_i + sum_k cost_k z_k
             s.t. miss_i + sum_{k holds for i} z_k >= 1,  miss, z >= 0
    mu_i     dual price of row i of the described class, 0 <= mu_i <= w_i
    pricing  max  sum of mu over held rows - cost_k over all clauses k; none above 0 proves the
             master optimal
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rulekit.solvers.box_archive import Archive
from rulekit.solvers.box_kernel import IntervalSearch, Savings, histogram
from rulekit.solvers.box_moves import Moves
from rulekit.solvers.box_problem import Boxes, BoxProblem, Floats, no_boxes
from rulekit.solvers.box_state import BoxState
from rulekit.solvers.clause_pool import ClausePool, choose_clauses
from rulekit.solvers.exact_clause import ClauseLimits, best_clause
from rulekit.solvers.half_lines import half_lines
from rulekit.solvers.lp import LinearProgram, solve_lp

NEW = 1e-7  # a clause is worth adding when its reduced cost is below minus this


@dataclass(frozen=True, slots=True)
class GenerationPlan:
    """Prices and limits of a column generation.

    Parameters
    ----------
    clause_price, literal_price : float
        In the unit of the row weights.
    max_rounds : int, default=200
        Rounds of pricing.
    batch : int, default=15
        Clauses added a round at most.
    prove : bool, default=True
        Whether to price exactly once the boxes find nothing more; without it there is no bound.
    exact_limits : ClauseLimits
        Effort of one exact pricing.
    should_stop : callable
        Asked every round.
    """

    clause_price: float
    literal_price: float
    max_rounds: int = 200
    batch: int = 15
    prove: bool = True
    exact_limits: ClauseLimits = field(default_factory=lambda: ClauseLimits(max_tests=3_000_000))
    should_stop: Callable[[], bool] = field(default=lambda: False)


@dataclass(frozen=True, slots=True)
class GeneratedRule:
    """A rule, its priced Hamming loss, and the bound below which no rule can be.

    Parameters
    ----------
    boxes : Boxes
        The rule.
    objective : float
        Its priced Hamming loss.
    lower_bound : float or None
        Value of the linear program over all clauses, lowered by the tolerance of the pricing; None
        unless exact pricing proved it.
    master_value : float
        Value of the linear program over the generated clauses: no bound by itself.
    n_generated : int
        Clauses generated.
    history : tuple of dict
        One entry a round: its number, the master's value, clauses so far, seconds.
    """

    boxes: Boxes
    objective: float
    lower_bound: float | None
    master_value: float
    n_generated: int
    history: tuple[dict[str, float], ...]


def generate(problem: BoxProblem, plan: GenerationPlan) -> GeneratedRule:
    """Generate clauses until none can help, then choose among them.

    Parameters
    ----------
    problem : BoxProblem
        The data; its prices are not read.
    plan : GenerationPlan
        Prices and limits.

    Returns
    -------
    GeneratedRule
    """
    start = time.perf_counter()
    pool = ClausePool(problem, plan.clause_price, plan.literal_price)
    history: list[dict[str, float]] = []
    proved = False
    value, mu, z = _solve_master(pool)
    for number in range(plan.max_rounds):
        if plan.should_stop():
            break
        added = pool.add(_priced_by_boxes(problem, plan, mu, pool, z))
        if not added and plan.prove:
            exact, proved = _priced_exactly(problem, plan, mu)
            added = pool.add([exact]) if exact is not None else 0
        if not added:
            break
        proved = False
        value, mu, z = _solve_master(pool)
        history.append(
            {
                "round": number + 1,
                "master": value,
                "clauses": len(pool),
                "seconds": time.perf_counter() - start,
            }
        )
    chosen = choose_clauses(pool, z)
    bound = _safe_bound(problem, plan, value) if proved else None
    return GeneratedRule(
        pool.boxes_of(chosen), pool.objective(chosen), bound, value, len(pool), tuple(history)
    )


def _safe_bound(problem: BoxProblem, plan: GenerationPlan, value: float) -> float:
    """Lower the master's value by what the tolerance of the pricing may hide.

    Clauses whose reduced cost lies above -2 NEW may be missing. Every clause costs at least `least`
    (a literal, or all rows of the other class), so that dual prices lowered by this factor are
    feasible for all of them.
    """
    other = float(np.asarray(problem.weight)[~problem.y].sum())
    least = plan.clause_price + min(plan.literal_price, other)
    return max(0.0, value) * least / (least + 2 * NEW)


def _solve_master(pool: ClausePool) -> tuple[float, Floats, Floats]:
    """Solve the master by its dual: one row a clause, one variable a row of the described class."""
    weight = pool.described_weight
    if not len(pool):
        return float(weight.sum()), weight.copy(), np.zeros(0)
    program = LinearProgram(
        c=-np.ones(len(weight)),
        A=pool.held.astype(float),
        lower=np.full(len(pool), -np.inf),
        upper=pool.cost,
        x_lower=np.zeros(len(weight)),
        x_upper=weight,
    )
    answer = solve_lp(program)
    assert answer.x is not None  # zero is feasible and the variables are bounded
    assert answer.duals is not None
    return -float(answer.value or 0.0), np.clip(answer.x, 0.0, weight), np.abs(answer.duals)


def _reweighted(problem: BoxProblem, mu: Floats) -> BoxProblem:
    weight = np.asarray(problem.weight).copy()
    weight[problem.y] = mu
    return problem.reweighted(weight)


def _priced_by_boxes(
    problem: BoxProblem, plan: GenerationPlan, mu: Floats, pool: ClausePool, z: Floats
) -> list[Boxes]:
    """Improve clauses from several starts; return those of negative reduced cost, best first."""
    priced = _reweighted(problem, mu)
    archive = Archive(priced)
    moves = Moves(priced, archive, plan.literal_price)
    found: list[tuple[float, Boxes]] = []
    for boxes in _starts(priced, plan, pool, z):
        state = BoxState(priced, boxes)
        while moves.step(state, 0) or moves.swap(state, 0):
            pass
        found.extend(_with_reduced_cost(priced, plan, state))
    found.sort(key=lambda pair: pair[0])
    return [boxes for value, boxes in found[: plan.batch] if value < -NEW]


def _with_reduced_cost(
    priced: BoxProblem, plan: GenerationPlan, state: BoxState
) -> list[tuple[float, Boxes]]:
    """Give the clause and the clauses with one feature less, each with its reduced cost."""
    total = float(np.asarray(priced.weight)[priced.y].sum())
    pairs = []
    for feature in (None, *np.flatnonzero(state.size[0])):
        shorter = BoxState(priced, state.boxes)
        if feature is not None:
            shorter.clear_feature(0, int(feature))
        loss = shorter.loss() + plan.literal_price * shorter.n_literals()
        pairs.append((loss - total + plan.clause_price, shorter.boxes))
    return pairs


def _starts(priced: BoxProblem, plan: GenerationPlan, pool: ClausePool, z: Floats) -> list[Boxes]:
    """Clauses to improve: the master's support, the best interval of every feature, heavy rows."""
    support = [pool.boxes_of([k]) for k in np.flatnonzero(z > 1e-6)[:30]]
    p = priced.n_features
    whole = BoxState(priced, no_boxes(p))
    whole.add_clause()
    H = histogram(Savings(whole, 0), whole.violated[0], whole.v[0])
    best = IntervalSearch(priced).best(H, plan.literal_price)
    singles = []
    for f in np.argsort(-best.value, kind="stable")[:30]:
        state = BoxState(priced, whole.boxes)
        choice = int(best.low[f]), int(best.high[f]), bool(best.absent[f])
        state.set_feature(0, int(f), *choice)
        singles.append(state.boxes)
    return [whole.boxes, *support, *singles, *_around_heavy_rows(priced)]


def _around_heavy_rows(priced: BoxProblem, n: int = 10) -> list[Boxes]:
    """Boxes of three bins a feature around the rows whose dual price is highest."""
    weight = np.where(priced.y, np.asarray(priced.weight), -1.0)
    boxes = []
    for i in np.argsort(-weight, kind="stable")[:n]:
        code = priced.codes[i]
        known = code < priced.n_bins
        last, f = priced.n_bins - 1, np.arange(len(code))
        low = np.where(known, np.maximum(code - 1, 0), 0)
        high = np.where(known, np.minimum(code + 1, last), last)
        low = np.where(np.asarray(priced.may_start)[f, low], low, 0)
        high = np.where(np.asarray(priced.may_end)[f, high], high, last)
        boxes.append(Boxes(low[None], high[None], np.ones((1, len(code)), bool)))
    return boxes


def _priced_exactly(
    problem: BoxProblem, plan: GenerationPlan, mu: Floats
) -> tuple[Boxes | None, bool]:
    """Find the clause of the lowest reduced cost, or prove that none is negative."""
    priced = _reweighted(problem, mu)
    literals = half_lines(priced)
    answer = best_clause(
        literals.holds,
        priced.y,
        plan.literal_price,
        slots=literals.slots.tolist(),
        weight=np.asarray(priced.weight),
        incumbent=plan.clause_price + NEW,
        limits=plan.exact_limits,
    )
    if answer.chosen is None:
        return None, answer.proved
    return literals.box(priced, answer.chosen), False
