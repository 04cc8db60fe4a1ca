"""Rules by column generation: a linear program over clauses, with a bound on what is possible.

The problem is the priced Hamming loss of Dash, Gunluk and Wei: choose clauses of a DNF so that
missed rows of the described class, rows of the other class counted once for every clause that holds
for them, and the prices of clauses and literals add up to as little as possible. Its linear
relaxation has a variable for every clause there is; clauses are generated as they are needed.

Legend, beside that of `rulekit.search.box_search.problem`::

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
from dataclasses import dataclass, field, replace

import numpy as np

from rulekit.search.box_search import Boxes, BoxProblem
from rulekit.search.clause_generation.choice import choose_clauses, improve_by_program
from rulekit.search.clause_generation.exact_clause import BestBox, ClauseLimits, best_box_search
from rulekit.search.clause_generation.master import ClauseMaster, ClausePool, MasterAnswer
from rulekit.search.clause_generation.pricing import NEW, BoxPricing

ALL = 1_000  # clauses added for the choice of the rule at most: more than there are starts for


@dataclass(frozen=True, slots=True)
class GenerationPlan:
    """Prices and limits of a column generation."""

    clause_price: float
    literal_price: float
    max_rounds: int = 200
    batch: int = 15
    prove: bool = True
    n_perturbations: int = 30
    finish_seconds: float = 0.0
    exact_limits: ClauseLimits = field(default_factory=lambda: ClauseLimits(max_tests=3_000_000))
    all_tests: int | None = None
    should_stop: Callable[[], bool] = field(default=lambda: False)


@dataclass(frozen=True, slots=True)
class GeneratedRule:
    """A rule, its priced Hamming loss, and the bound below which no rule can be."""

    boxes: Boxes
    objective: float
    lower_bound: float | None
    solved: bool
    master_value: float
    n_generated: int
    history: tuple[dict[str, float], ...]


def generate(problem: BoxProblem, plan: GenerationPlan) -> GeneratedRule:
    """Generate clauses until none can help, then choose among them."""
    start = time.perf_counter()
    pool = ClausePool(problem, plan.clause_price, plan.literal_price)
    pricing = BoxPricing(problem, plan.clause_price, plan.literal_price)
    exact = _ExactPricing(problem, plan)
    master = ClauseMaster(pool)
    history: list[dict[str, float]] = []
    answer = master.solve()
    for number in range(plan.max_rounds):
        if plan.should_stop():
            break
        support = pool.boxes_of(np.flatnonzero(answer.z > 1e-6).tolist())
        clauses, _ = pricing.price(answer.mu, support, plan.batch)
        added = pool.add(clauses)
        if not added and plan.prove:
            priced = exact.price(answer)
            added = pool.add(priced) if priced is not None else 0
        if not added:
            break
        answer = master.solve()
        entry = {"round": number + 1, "master": answer.value, "clauses": len(pool)}
        history.append(entry | {"seconds": time.perf_counter() - start})
    chosen = choose_clauses(pool, answer, n_perturbations=0)
    gap = pool.objective(chosen) - answer.value
    if gap > NEW and not plan.should_stop():
        # clauses that the linear program does not need, but a rule cheaper than the chosen one may
        clauses, _ = pricing.price(answer.mu, pool.boxes_of(chosen), ALL, gap)
        pool.add(clauses)
        answer = answer.beside(len(pool))
        chosen = choose_clauses(pool, answer, plan.n_perturbations, chosen)
    if plan.finish_seconds > 0:
        chosen = improve_by_program(pool, answer, chosen, plan.finish_seconds)
    return GeneratedRule(
        pool.boxes_of(chosen),
        pool.objective(chosen),
        exact.lower_bound if exact.solved or exact.lower_bound > 0 else None,
        exact.solved,
        answer.value,
        len(pool),
        tuple(history),
    )


class _ExactPricing:
    """Prices exactly, and keeps the best bound that follows from it.

    No clause violates its row of the dual by more than what exact pricing says is possible, and
    every clause costs at least `least` (a literal, or all rows of the other class). The dual prices
    lowered by the factor ``least / (least + violation)`` are therefore feasible for all clauses,
    and their sum is a lower bound (after Farley, 1990). It holds for a search that was cut short
    too, with a larger violation.
    """

    def __init__(self, problem: BoxProblem, plan: GenerationPlan) -> None:
        self.problem, self.plan = problem, plan
        other = float(np.asarray(problem.weight)[~problem.y].sum())
        self._least = plan.clause_price + min(plan.literal_price, other)
        self._best_box: BestBox | None = None
        self._n_tests = 0
        self.lower_bound, self.solved = 0.0, False

    def price(self, answer: MasterAnswer) -> Boxes | None:
        """Find the clause of the lowest reduced cost; None where none below 0 was found."""
        limits = self.plan.exact_limits
        if self.plan.all_tests is not None:
            left = self.plan.all_tests - self._n_tests
            if left <= 0:
                return None
            limits = replace(limits, max_tests=min(limits.max_tests, left))
        if self._best_box is None:
            self._best_box = best_box_search(self.problem)
        weight = np.asarray(self.problem.weight).copy()
        weight[self.problem.y] = answer.mu
        incumbent = self.plan.clause_price + NEW
        clause, box = self._best_box(self.plan.literal_price, weight, incumbent, limits)
        self._n_tests += clause.n_tests
        violation = max(0.0, clause.upper - self.plan.clause_price) + NEW
        bound = answer.value * self._least / (self._least + violation)
        self.lower_bound = max(self.lower_bound, bound)
        self.solved = clause.proved and clause.chosen is None
        return box
