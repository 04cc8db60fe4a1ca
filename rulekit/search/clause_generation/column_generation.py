"""Rules by column generation: a linear program over clauses, with a bound on what is possible."""

# The priced Hamming loss of Dash, Gunluk and Wei: missed rows of the described class, rows of the
# other class once for every clause that holds, and the prices of clauses and literals.
#
# Legend, beside that of `rulekit.search.box_search.problem`:
#   cost_k   weight of the other class that clause k holds for, plus clause_price, plus
#            literal_price times its literals
#   z_k      how much of clause k is used
#   master   min  sum_i w_i miss_i + sum_k cost_k z_k
#            s.t. miss_i + sum_{k holds for i} z_k >= 1,  miss, z >= 0
#   mu_i     dual price of row i of the described class, 0 <= mu_i <= w_i
#   pricing  max  sum of mu over held rows - cost_k over all clauses k; none above 0 proves the
#            master optimal
#
# Pricing improves boxes from several starts, with dual prices as weights of the described class;
# clauses with one feature less are looked at too. Of more than `MANY_COLUMNS` only those that save
# most alone, and those in use, are changed first.
#
# A rule is chosen among the generated clauses by local search; a clause whose reduced cost exceeds
# what the best known rule costs above the master's value is left out. The master is solved by its
# dual, where a new clause is a new row and the dual simplex method goes on.

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rulekit._sums import addable, solve_systems
from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import Bools, Floats
from rulekit.exceptions import SolverError
from rulekit.search.box_search.problem import (
    Boxes,
    BoxRows,
    Ints,
    evaluate_boxes,
    spread_boxes,
    whole_box,
)
from rulekit.search.box_search.search import Descent
from rulekit.search.clause_generation.exact_clause import BoxClauses, ClauseLimits
from rulekit.search.columns.priced_columns import PERTURBATION
from rulekit.search.lp import LinearProgram, ResidentProgram

ALL = 1_000  # clauses added for the choice of the rule at most: more than there are starts for
SEED = 0  # of the perturbations and random steps
CLAUSES_PER_PERTURBATION = 4
GAIN = 1e-9
BASIC = 1e-11  # a value that differs by more from its bound is basic
CLOSE = 1e-3  # how far a solution may be from that of the perturbed program
NEW = 1e-7  # a clause is worth adding when its reduced cost is below minus this
STARTS = 30  # clauses of the master's support, and single features, to start from
HEAVY = 10  # rows to start from
MANY_COLUMNS = 64  # columns changed at first
LIFTED = 5  # of the clauses reached over these, those that are improved over all columns


class ClausePool:
    """Clauses with what they hold for and what they cost; prices more of them heuristically."""

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
        fired = evaluate_boxes(clauses, self.problem.codes, self.problem.n_bins).T
        held = fired[:, self.problem.y]
        literals = self.problem.count_literals(clauses)
        cost = fired[:, ~self.problem.y] @ self._other_weight + self.clause_price
        cost = cost + self.literal_price * literals.sum(axis=1)
        boxes = [(f, clauses[k, f]) for k, f in enumerate(map(np.flatnonzero, literals))]
        new: list[int] = []
        added, n_before = 0, len(self)
        for k, packed in enumerate(np.packbits(held, axis=1)):
            place = self._index_of.setdefault(packed.tobytes(), n_before + len(new))
            if place == n_before + len(new):
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
        boxes = np.repeat(whole_box(self.problem.n_bins), len(chosen), axis=0)
        for box, k in zip(boxes, chosen, strict=True):
            features, restricted = self._boxes[k]
            box[features] = restricted
        return boxes

    def objective(self, chosen: Sequence[int]) -> float:
        """Priced Hamming loss of the rule made of the clauses `chosen`."""
        missed = ~self.held[list(chosen)].any(axis=0)
        return float(self.described_weight[missed].sum() + self.cost[list(chosen)].sum())

    def price(
        self, mu: Floats, support: Boxes, batch: int, below: float = -NEW
    ) -> tuple[Boxes, Floats]:
        """Return different clauses of small reduced cost, at most `batch`, with these costs."""
        problem = self.problem
        weight = np.asarray(problem.weight).copy()
        weight[problem.y] = mu
        priced = problem.reweight(weight)
        whole = Descent(priced)
        alone = whole.choose_alone(self.literal_price)
        if problem.cells.shape[1] <= MANY_COLUMNS:
            starts = _starts(priced, *alone, support)
            return self._best(*whole.improve_each(starts, self.literal_price), batch, below)
        used = problem.count_literals(support).any(axis=0)
        kept = np.union1d(whole.features_of(alone[0], MANY_COLUMNS), np.flatnonzero(used))
        some = priced.take_features(kept)
        starts = _starts(some, alone[0][kept], alone[1][:, kept], support[:, kept])
        boxes, of_kept = Descent(some).improve_each(starts, self.literal_price)
        saved = np.zeros((len(boxes), 1 + priced.n_features))
        saved[:, 0], saved[:, 1 + kept] = of_kept[:, 0], of_kept[:, 1:]
        boxes = spread_boxes(boxes, kept, priced.n_bins)
        boxes_found = self._best(boxes, saved, batch, below)
        if len(boxes_found[1]) == batch:
            return boxes_found
        size = problem.count_literals(boxes).sum(axis=1)
        first = np.argsort(self.literal_price * size - saved[:, 0], kind="stable")[:LIFTED]
        more, saved_more = whole.improve_each(boxes[first], self.literal_price)
        both = np.concatenate([boxes, more])
        return self._best(both, np.vstack([saved, saved_more]), batch, below)

    def _best(self, boxes: Boxes, saved: Floats, batch: int, below: float) -> tuple[Boxes, Floats]:
        """Pick the clauses of lowest reduced cost, the whole and the shortened ones."""
        size = self.problem.count_literals(boxes)
        literals = np.column_stack([size.sum(axis=1), size.sum(axis=1)[:, None] - size])
        cost = self.clause_price + self.literal_price * literals - saved
        cost[:, 1:][size == 0] = np.inf  # a feature that is not there cannot be dropped
        picked = [boxes[:0]]
        values: list[float] = []
        seen: set[bytes] = set()
        places = np.flatnonzero(cost < below)
        for place in places[np.argsort(cost.flat[places], kind="stable")].tolist():
            if len(values) == batch:
                break
            k, dropped = divmod(place, cost.shape[1])
            clause = boxes[k : k + 1].copy()
            if dropped:
                clause[0, dropped - 1] = 0, self.problem.n_bins[dropped - 1] - 1, True
            if clause.tobytes() not in seen:
                seen.add(clause.tobytes())
                picked.append(clause)
                values.append(float(cost[k, dropped]))
        return np.concatenate(picked), np.array(values)


def _starts(priced: BoxRows, saved: Floats, alone: Boxes, support: Boxes) -> Boxes:
    """Clauses to improve: that of no literal, the support, single intervals, heavy rows."""
    whole = whole_box(priced.n_bins)
    # The master's support is where it could gain; single intervals and boxes around the rows
    # of highest dual price reach clauses that no clause of the pool is near to.
    best = np.argsort(-saved, kind="stable")
    chosen = best[:STARTS]
    single = np.repeat(whole, len(chosen), axis=0)
    single[np.arange(len(chosen)), chosen] = alone[0, chosen]
    rows = np.argsort(-np.where(priced.y, np.asarray(priced.weight), -1.0), kind="stable")[:HEAVY]
    code, last = priced.codes[rows].astype(np.int64), priced.n_bins - 1
    f: Any = np.arange(priced.n_features)
    inside: Bools = (code < priced.n_bins) & np.isin(f, best[:MANY_COLUMNS])
    low = np.where(inside, np.maximum(code - 1, 0), 0)  # boxes of three bins
    high = np.where(inside, np.minimum(code + 1, last), last)
    low = np.where(np.asarray(priced.may_start)[f, low], low, 0)
    high = np.where(np.asarray(priced.may_end)[f, high], high, last)
    heavy = np.stack([low, high, np.ones_like(code)], axis=2)
    return np.concatenate([whole, support[:STARTS], single, heavy])


@dataclass(frozen=True)
class MasterAnswer:
    """An optimal solution of the master."""

    value: float
    mu: Floats  # (rows of the described class,)
    z: Floats  # (clauses,)


class ClauseMaster:
    """The master over a growing pool of clauses."""

    # A fixed perturbation of weights and costs makes its optimal basis unique, and the answer is
    # computed from this basis: it does not depend on the solver, or on what was solved before.

    def __init__(self, pool: ClausePool) -> None:
        self.pool = pool
        self._passed: Floats = np.zeros(0)  # costs that the program knows
        weight, none = pool.described_weight, np.zeros(0)
        n = len(weight)
        objective = -(1.0 + _perturbation(n))
        program = LinearProgram(objective, np.zeros((0, n)), none, none, np.zeros(n), weight)
        self._program = ResidentProgram(program) if n else None

    def solve(self) -> MasterAnswer:
        """Solve over the clauses that are in the pool now."""
        weight = self.pool.described_weight
        if not len(self.pool) or self._program is None:
            return MasterAnswer(float(weight.sum()), weight.copy(), np.zeros(len(self.pool)))
        # new clauses, and new costs of others, are passed to the program
        cost, n_passed = self.pool.cost, len(self._passed)
        perturbed = np.maximum(cost - _perturbation(len(cost)), 0.0)
        for k in np.flatnonzero(cost[:n_passed] != self._passed):
            self._program.change_row_upper(int(k), float(perturbed[k]))
        self._program.add_rows(self.pool.held[n_passed:].astype(float), perturbed[n_passed:])
        self._passed = cost.copy()
        answer = self._program.solve(keep_basis=True)
        if answer.x is None:  # a start that went wrong
            answer = self._program.solve()
        if answer.x is None or answer.duals is None:  # zero is feasible, the variables are bounded
            raise SolverError(
                "The linear program over the generated clauses must have a solution, but the "
                f"solver reported {answer.message!r}. Use other prices, or another method."
            )
        # the answer without perturbation, from the basis of the perturbed one
        mu, z, held = np.clip(answer.x, 0.0, weight), np.abs(answer.duals), self.pool.held
        used, full = np.flatnonzero(z > BASIC), mu > weight - BASIC
        inner = np.flatnonzero((mu > BASIC) & ~full)
        if len(used) == len(inner):
            matrix = held[np.ix_(used, inner)].astype(float)
            rest = cost[used] - held[used][:, full] @ addable(weight[full])
            sides = np.stack([rest, np.ones(len(inner))])[:, :, None]
            exact, shares = solve_systems(np.stack([matrix, matrix.T]), sides)[:, :, 0]
            close = np.abs(exact - mu[inner]).max(initial=0.0) < CLOSE
            if close and np.abs(shares - z[used]).max(initial=0.0) < CLOSE:
                mu, z = np.where(full, weight, 0.0), np.zeros(len(z))
                mu[inner], z[used] = np.clip(exact, 0.0, weight[inner]), np.maximum(shares, 0.0)
        return MasterAnswer(float(mu.sum()), mu, z)


def _perturbation(n: int) -> Floats:
    """Return n numbers without a linear relation; those of a smaller n are the first of them."""
    return PERTURBATION * (0.5 + 0.5 * np.random.default_rng(SEED).random(n))


def choose_clauses(
    pool: ClausePool, answer: MasterAnswer, n_perturbations: int = 30, start: Sequence[int] = ()
) -> list[int]:
    """Choose clauses by local search: add, remove and swap from the rounded linear program."""
    if not len(pool):
        return []
    starts = [np.flatnonzero(answer.z > part) for part in (0.5, 0.2)]
    starts.append(np.array(start, np.int64))
    everything = _Choice(pool, np.arange(len(pool)))
    best = min((everything.descend(start) for start in starts), key=everything.objective)
    value = everything.objective(best)
    useful = useful_clauses(pool, answer, value)
    if not len(useful):
        return sorted(best.tolist())
    useful = np.union1d(useful, best)
    some = _Choice(pool, useful)
    chosen, rng = np.searchsorted(useful, best), np.random.default_rng(SEED)
    most = max(n_perturbations, len(useful) // CLAUSES_PER_PERTURBATION)
    for _ in range(most if n_perturbations else 0):
        if value <= answer.value + GAIN:
            break
        n_out = min(len(chosen), int(rng.integers(1, 3)))
        rest = np.delete(chosen, rng.permutation(len(chosen))[:n_out])
        perturbed = some.descend(np.union1d(rest, rng.integers(len(useful))))
        if some.objective(perturbed) < value - GAIN:
            chosen, value = perturbed, some.objective(perturbed)
    return sorted(useful[chosen].tolist())


def useful_clauses(pool: ClausePool, answer: MasterAnswer, value: float) -> Ints:
    """Return the clauses that a rule cheaper than `value` may have."""
    # by reduced cost: the cost less the dual prices of the rows that a clause holds for
    reduced = pool.cost - pool.held @ addable(answer.mu)
    return np.flatnonzero(reduced < value - answer.value - GAIN)


class _Choice:
    """Local search among some clauses of a pool."""

    def __init__(self, pool: ClausePool, columns: Ints) -> None:
        self.held: Bools = pool.held[columns]
        self.cost = pool.cost[columns]
        self.weight = pool.described_weight
        self._rows_by_clauses = np.ascontiguousarray(self.held.T, dtype=float)

    def objective(self, chosen: Ints) -> float:
        """Priced Hamming loss."""
        return float(self.weight[~self.held[chosen].any(axis=0)].sum() + self.cost[chosen].sum())

    def descend(self, chosen: Ints) -> Ints:
        """Take the best single addition, removal or swap until none lowers the objective."""
        while True:
            # of the objective by taking out one clause (row 0: none) and putting in another
            held = self.held[chosen]
            count = held.sum(axis=0)
            # rows missed, or held by one alone
            alone = np.zeros((1 + len(chosen), len(self.weight)))
            alone[0] = np.where(count == 0, self.weight, 0.0)
            alone[1:] = np.where(held & (count == 1), self.weight, 0.0)
            saved = alone @ self._rows_by_clauses
            change = np.zeros((1 + len(chosen), 1 + len(self.cost)))
            change[1:] += (alone[1:].sum(axis=1) - self.cost[chosen])[:, None]
            change[:, 1:] += self.cost - saved[0]
            change[1:, 1:] -= saved[1:]
            out, into = divmod(int(change.argmin()), change.shape[1])
            if change[out, into] >= -GAIN:
                return np.sort(chosen)
            if out:
                chosen = np.delete(chosen, out - 1)
            if into:
                chosen = np.append(chosen, into - 1)


@dataclass(frozen=True, slots=True)
class GenerationPlan:
    """Prices and limits of a column generation."""

    clause_price: float
    literal_price: float
    max_rounds: int = 200
    batch: int = 15
    prove: bool = True
    n_perturbations: int = 30
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
    chosen: Bools | None = None  # conditions of the table in each clause, shape (k, d)


def generate(table: BinnedTable, plan: GenerationPlan) -> GeneratedRule:
    """Generate clauses over the conditions of a table; see `generate_boxes`."""
    rows = BoxRows.from_table(table)
    rule = generate_boxes(rows, plan)
    return replace(rule, chosen=rows.find_conditions(rule.boxes))


def generate_boxes(problem: BoxRows, plan: GenerationPlan) -> GeneratedRule:
    """Generate clauses until none can help, then choose among them."""
    start = time.perf_counter()
    pool = ClausePool(problem, plan.clause_price, plan.literal_price)
    exact = _ExactPricing(problem, plan)
    master = ClauseMaster(pool)
    history: list[dict[str, float]] = []
    answer = master.solve()
    for number in range(plan.max_rounds):
        if plan.should_stop():
            break
        support = pool.boxes_of(np.flatnonzero(answer.z > 1e-6).tolist())
        clauses, _ = pool.price(answer.mu, support, plan.batch)
        if not (added := pool.add(clauses)) and plan.prove:
            priced = exact.price(answer)
            added = pool.add(priced) if priced is not None else 0
        if not added:
            break
        answer = master.solve()
        entry = {"round": number + 1, "master": answer.value, "clauses": len(pool)}
        history.append(entry | {"seconds": time.perf_counter() - start})
    chosen = choose_clauses(pool, answer, n_perturbations=0)
    if (gap := pool.objective(chosen) - answer.value) > NEW and not plan.should_stop():
        # clauses that the linear program does not need, but a rule cheaper than the chosen one may
        clauses, _ = pool.price(answer.mu, pool.boxes_of(chosen), ALL, gap)
        pool.add(clauses)  # which the answer does not use
        answer = replace(answer, z=np.pad(answer.z, (0, len(pool) - len(answer.z))))
        chosen = choose_clauses(pool, answer, plan.n_perturbations, chosen)
    rule, objective = pool.boxes_of(chosen), pool.objective(chosen)
    bound = exact.lower_bound if exact.solved or exact.lower_bound > 0 else None
    numbers = exact.solved, answer.value, len(pool), tuple(history)
    return GeneratedRule(rule, objective, bound, *numbers)


class _ExactPricing:
    """Prices exactly, and keeps the best bound that follows from it."""

    # No clause violates its row of the dual by more than what exact pricing says is possible, and
    # every clause costs at least `least` (a literal, or all rows of the other class). The dual
    # prices lowered by the factor ``least / (least + violation)`` are therefore feasible for all
    # clauses, and their sum is a lower bound (after Farley, 1990). It holds for a search that was
    # cut short too, with a larger violation.

    def __init__(self, problem: BoxRows, plan: GenerationPlan) -> None:
        self.problem, self.plan = problem, plan
        other = float(np.asarray(problem.weight)[~problem.y].sum())
        self._least = plan.clause_price + min(plan.literal_price, other)
        self._clauses: BoxClauses | None = None
        self._n_tests = 0
        self.lower_bound, self.solved = 0.0, False

    def price(self, answer: MasterAnswer) -> Boxes | None:
        """Find the clause of the lowest reduced cost; None where none below 0 was found."""
        limits = self.plan.exact_limits
        if self.plan.all_tests is not None:
            if (left := self.plan.all_tests - self._n_tests) <= 0:
                return None
            limits = replace(limits, max_tests=min(limits.max_tests, left))
        if self._clauses is None:
            self._clauses = BoxClauses(self.problem)
        weight = np.asarray(self.problem.weight).copy()
        weight[self.problem.y] = answer.mu
        incumbent = self.plan.clause_price + NEW
        clause, box = self._clauses.find_best(self.plan.literal_price, weight, incumbent, limits)
        self._n_tests += clause.n_tests
        violation = max(0.0, clause.upper - self.plan.clause_price) + NEW
        bound = answer.value * self._least / (self._least + violation)
        self.lower_bound = max(self.lower_bound, bound)
        self.solved = clause.proved and clause.chosen is None
        return box
