"""Screen, restrict, lift: remove columns with proof, solve with the rest, answer for all."""

# Tests prove of a column that some best clause does without it. Throughout, with `PricedColumns`:
#   P_j     weight of the rows to be covered that column j covers (its worth)
#   Z_j     weight of the rows it covers wrongly
#   theta   price of a column (1/lambda in the paper), c_j = theta + Z_j the price in all
#
# *simple*   c_j >= P_j: leaving j out of any clause costs no more.
# *pairs*    c_j - c_i >= weight of the rows of P that j covers and i does not: putting i for j
#            costs no more. Where i holds in part of the rows of j the right side is P_j - P_i. The
#            paper prints the test the other way round, which is not safe.
# *duality*  c_j + sum of mu over the rows that j does not cover > cost of a known clause: every
#            clause with j costs more than that one (7). mu is any point of the dual program.
#
# A point of the dual program gives every row to be covered a value ``0 <= mu <= m`` such that the
# rows of no column are worth more than its price; ``sum(mu)`` is then a lower bound (5).
#
# *Why they hold together.* Take a best clause with the fewest columns and, of these, one whose
# columns come first in the order (price, larger worth, place). The first two tests would give a
# better one in that order, so it holds no column that either removes; by the third no best clause
# holds the column. The first two keep the value of the linear program as well.
#
# `list_unproved` checks certificates by plain columns, sums and comparisons: it calls no test.
#
# .. [1] S. Dash, D. M. Malioutov, K. R. Varshney, "Screening for learning classification rules via
#    Boolean compressed sensing" (2014), section 3.

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from rulekit._sums import grid_unit, round_to_grid
from rulekit.binning.binned_table import Bools, Floats, Ints
from rulekit.search.columns.priced_columns import PricedColumns, find_beaten
from rulekit.search.lp import LinearProgram


def compact_program(P: Floats, m: Floats, c: Floats) -> LinearProgram:
    """Write the compact one-level problem out as a program; shapes: P (g, d), m (g,), c (d,)."""
    g, d = P.shape
    matrix = sparse.hstack([sparse.csr_matrix(P), sparse.eye_array(g)], format="csr")
    bounds = np.ones(g), np.full(g, np.inf), np.zeros(d + g), np.repeat([1.0, np.inf], [d, g])
    return LinearProgram(np.concatenate([c, m]), matrix, *bounds, np.arange(d + g) < d)


TIE = 1e-9
REPAIR_LIMIT = 1e-6  # columns overdrawn by no more are repaired one by one
MAX_REPAIRS = 200
ROW_BLOCK = 256


@dataclass(frozen=True)
class Bounds:
    """A point of the dual program and a clause."""

    mu: Floats = field(repr=False)  # (g,)
    lower: float
    clause: Ints
    upper: float


def greedy_bounds(problem: PricedColumns, *, enhanced: bool) -> Bounds:
    """Find both by the paper's heuristics, basic or enhanced (section 3.3)."""
    mu = greedy_dual(problem, by_density=enhanced)
    clause = steepest_clause(problem, 3) if enhanced else build_greedy_clause(problem)
    return Bounds(mu, float(mu.sum()), clause, problem.cost(clause))


def greedy_dual(problem: PricedColumns, *, by_density: bool = False) -> Floats:
    """Assign rows their full weight, one after another, while no column is overdrawn."""
    g, d = problem.P.shape
    order, everything = np.arange(g), np.arange(d)
    if by_density:  # rows that few columns cover first
        order = np.argsort(problem.P.row_sums(np.ones(d)), kind="stable")
    left, mu = problem.wrong.copy(), np.zeros(g)
    for start in range(0, g, ROW_BLOCK):
        rows = order[start : start + ROW_BLOCK]
        for row, holds in zip(rows, problem.P.values_of(everything, rows), strict=True):
            # the tightest column through this row must be able to pay
            if left.min(where=holds, initial=np.inf) >= problem.m[row]:
                mu[row] = problem.m[row]
                left -= mu[row] * holds
    return mu


def build_greedy_clause(problem: PricedColumns) -> Ints:
    """Go through the columns by falling P_j - Z_j and take each that lowers the cost."""
    open_weight = problem.m.copy()
    clause: list[int] = []
    hopeful = np.flatnonzero(problem.price < problem.worth)
    order = hopeful[np.argsort(-(problem.worth - problem.wrong)[hopeful], kind="stable")]
    for start in range(0, len(order), ROW_BLOCK):
        block = order[start : start + ROW_BLOCK]
        for j, holds in zip(block, problem.P.values_of(block).T, strict=True):
            if problem.wrong[j] + problem.theta < float(open_weight[holds].sum()):
                clause.append(int(j))
                open_weight[holds] = 0.0
    return np.array(clause, dtype=np.intp)


def steepest_clause(problem: PricedColumns, n_columns: int | None = None) -> Ints:
    """Take the column that lowers the cost most, again and again, `n_columns` times at most."""
    open_weight = problem.m.copy()
    clause: list[int] = []
    while n_columns is None or len(clause) < n_columns:
        gain = problem.P.sums(open_weight) - problem.price
        best = int(np.argmax(gain)) if len(gain) else -1
        if best < 0 or gain[best] <= TIE:
            break
        clause.append(best)
        open_weight[problem.P.values_of(np.array([best]))[:, 0]] = 0.0
    return np.array(clause, dtype=np.intp)


def feasible(problem: PricedColumns, mu: Floats) -> Floats:
    """Turn values that are all but feasible into a point of the dual program."""
    unit = grid_unit(problem.m.sum(), problem.P.copies)
    mu = round_to_grid(np.clip(mu, 0.0, problem.m), unit, down=True)
    over = problem.P.sums(mu) - problem.price
    if over.max(initial=0.0) <= 0.0:
        return mu
    # A solver's noise is taken from a few rows, which costs the bound no more than the noise;
    # scaling all of mu would cost that share of the whole, and is left for points far off.
    if over.max() <= REPAIR_LIMIT:
        for j in np.flatnonzero(over > 0.0)[:MAX_REPAIRS]:
            holds = problem.P.values_of(np.array([j]))[:, 0]
            excess = float(mu[holds].sum()) - float(problem.price[j])
            for row in np.flatnonzero(holds)[np.argsort(-mu[holds], kind="stable")]:
                if excess <= 0.0:
                    break
                taken = min(float(mu[row]), excess)
                mu[row] -= taken
                excess -= taken
        mu = round_to_grid(mu, unit, down=True)
    drawn = problem.P.sums(mu)
    bad = drawn > problem.price
    if bad.any():
        mu = round_to_grid(mu * (problem.price[bad] / drawn[bad]).min(), unit, down=True)
    return mu


GUARD = 1e-9  # a bound must exceed the known cost by this share of it


@dataclass(frozen=True)
class Outcome:
    """What one test removed, with the numbers that prove it."""

    test: str
    removed: Bools  # (d,)
    by: Ints = field(default_factory=lambda: np.zeros(0, np.intp), repr=False)  # (d,), of pairs
    floor: Floats = field(default_factory=lambda: np.zeros(0), repr=False)  # (d,), of duality
    bounds: Bounds | None = field(default=None, repr=False)


def pairs_test(problem: PricedColumns, *, neighbours: bool = False) -> Outcome:
    """Compare each threshold with the narrower ones of its chain, or the next: O(n p + d log d)."""
    gain, (order, chain) = problem.worth - problem.wrong, order_chains(problem)
    if neighbours:
        later, before = order[1:], order[:-1]
        worse = (gain[later] <= gain[before]) & (chain[1:] == chain[:-1])
        columns, others = later[worse], before[worse]
    else:
        columns, others = find_beaten(gain, order, chain)
    removed, by = np.zeros(len(gain), dtype=bool), np.full(len(gain), -1)
    removed[columns], by[columns] = True, others
    return Outcome("pairs", removed, by)


def duality_test(problem: PricedColumns, bounds: Bounds) -> Outcome:
    """Remove the columns whose every clause costs more than a known one: O(n p + d)."""
    # With the optimum of the linear program as `bounds` this is fixing by reduced costs.
    # A clause with column j pays its price, and for each row that j does not cover at least mu, be
    # it to another column or for missing it: (7), with these rows' sum as that of all less j's.
    floor = problem.price + bounds.lower - problem.P.sums(bounds.mu)
    # neither rounding nor a tie may remove a column of the known clause
    removed = floor > bounds.upper + GUARD * max(1.0, bounds.upper)
    return Outcome("duality", removed, floor=floor, bounds=bounds)


def order_chains(problem: PricedColumns) -> tuple[Ints, Ints]:
    """List the columns of chains, chain by chain and narrowest first; return their chains too."""
    chain = problem.P.chain
    order = np.lexsort((problem.P.place, chain))
    order = order[np.searchsorted(chain[order], 0) :]
    return order, chain[order]


NOISE = 1e-12  # of the total weight
COUNTING = ("simple", "chain")
BASIC = ("simple", "consecutive", "duality basic")
ENHANCED = ("simple", "chain", "duality enhanced")
#: Every test by name; "duality given" takes the bounds that `screen` is handed.
TESTS: dict[str, Callable[[PricedColumns], Outcome]] = {
    "simple": lambda p: Outcome("simple", p.price >= p.worth),  # own price included, O(n p + d)
    "consecutive": partial(pairs_test, neighbours=True),
    "chain": pairs_test,
    "duality basic": lambda p: duality_test(p, greedy_bounds(p, enhanced=False)),
    "duality enhanced": lambda p: duality_test(p, greedy_bounds(p, enhanced=True)),
}


@dataclass(frozen=True)
class Screening:
    """What several tests removed."""

    problem: PricedColumns = field(repr=False)
    outcomes: tuple[Outcome, ...]

    @property
    def removed(self) -> Bools:
        """The columns that at least one test removed: shape (d,)."""
        nothing = np.zeros(len(self.problem.wrong), dtype=bool)
        return np.any([nothing, *(outcome.removed for outcome in self.outcomes)], axis=0)

    @property
    def kept(self) -> Ints:
        """The columns that no test removed, ascending."""
        return np.flatnonzero(~self.removed)

    def first_test(self) -> Ints:
        """Index of the first test that removed each column, -1 for those kept: shape (d,)."""
        first = np.full(len(self.problem.wrong), -1, dtype=np.intp)
        for k, outcome in reversed(list(enumerate(self.outcomes))):
            first[outcome.removed] = k
        return first

    def removal(self, column: int) -> dict[str, Any]:
        """Return why a column was removed, in numbers, by the first test that removed it."""
        outcome = self.outcomes[int(self.first_test()[column])]
        return {
            "test": outcome.test,
            "price": float(self.problem.price[column]),
            "worth": float(self.problem.worth[column]),
            "by": int(outcome.by[column]) if len(outcome.by) else None,
            "floor": float(outcome.floor[column]) if outcome.bounds is not None else None,
            "upper": outcome.bounds.upper if outcome.bounds is not None else None,
        }


def screen(
    problem: PricedColumns, tests: Sequence[str] = COUNTING, bounds: Bounds | None = None
) -> Screening:
    """Remove columns that some best clause does without."""
    known = dict(TESTS)
    if bounds is not None:
        known["duality given"] = partial(duality_test, bounds=bounds)
    return Screening(problem, tuple(known[name](problem) for name in tests))


def list_unproved(
    screening: Screening,
    column: Callable[[int], Bools],
    y: Bools,
    theta: float,
    weight: Floats | None = None,
) -> list[tuple[str, int]]:
    """List the removals whose certificate does not hold: y (n,), weight (n,)."""
    # Every figure of a certificate is recomputed, a column at a time in O(n d). Exchanges of
    # *pairs* must not form a cycle, so that every column of a clause ends at one that was kept.
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    slack = NOISE * max(1.0, float(weight.sum()))
    rows, d = y & (weight > 0), len(screening.removed)
    price, m = np.array([theta + weight[~y] @ column(j)[~y] for j in range(d)]), weight[rows]

    def replaces(i: int, j: int) -> bool:
        return i >= 0 and bool(price[j] - price[i] >= m @ (column(j) & ~column(i))[rows] - slack)

    failed: list[tuple[str, int]] = []
    for outcome in screening.outcomes:
        bad = removed = np.flatnonzero(outcome.removed).tolist()
        if outcome.test == "simple":
            bad = [j for j in removed if not price[j] >= m @ column(j)[rows] - slack]
        elif outcome.test == "pairs":
            bad = [j for j in removed if not replaces(int(outcome.by[j]), j)]
        elif (known := outcome.bounds) and _bounds_hold(known, m, price, slack, column, rows):
            least = known.upper + slack
            bad = [j for j in removed if not price[j] + known.mu @ ~column(j)[rows] > least]
        failed += [(outcome.test, j) for j in bad]
    # columns from which exchanges never end
    leads = [o for o in screening.outcomes if o.test == "pairs"]
    ends = np.ones(d, dtype=bool)
    for outcome in leads:
        ends &= ~outcome.removed
    while True:
        # a column ends where every column that may take its place does
        more = ~ends
        for outcome in leads:
            more &= ~outcome.removed | ends[outcome.by]
        if not more.any():
            return failed + [("pairs", j) for j in np.flatnonzero(~ends).tolist()]
        ends |= more


def _bounds_hold(
    bounds: Bounds,
    m: Floats,
    price: Floats,
    slack: float,
    column: Callable[[int], Bools],
    rows: Bools,
) -> bool:
    """Whether `mu` is a point of the dual program, and the clause has the stated cost."""
    mu = bounds.mu
    if mu.shape != m.shape or (mu < 0).any() or (mu > m + slack).any():
        return False
    if any(mu @ column(j)[rows] > p + slack for j, p in enumerate(price)):
        return False
    open_rows = np.ones(len(m), dtype=bool)
    for j in bounds.clause.tolist():
        open_rows &= ~column(j)[rows]
    return float(price[bounds.clause].sum() + m[open_rows].sum()) <= bounds.upper + slack
