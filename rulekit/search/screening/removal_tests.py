"""Tests that prove of a column that some best clause does without it.

Throughout, with `PricedColumns`::

    P_j     weight of the rows to be covered that column j covers (its worth)
    Z_j     weight of the rows it covers wrongly
    theta   price of a column (1/lambda in the paper), c_j = theta + Z_j the price in all

*simple*   c_j >= P_j: leaving j out of any clause costs no more.
*pairs*    c_j - c_i >= weight of the rows of P that j covers and i does not: putting i in j's place
           costs no more. Where i holds in part of the rows of j the right side is P_j - P_i. The
           paper prints the test the other way round, "drop the narrower column if the wider one
           gains more right rows than wrong ones", which is not safe: these right rows may be
           covered by other columns already, the wrong ones are paid in any case.
*duality*  c_j + sum of mu over the rows that j does not cover > cost of a known clause: every
           clause with j costs more than that one (7). mu is any point of the dual program.

*Why they hold together.* Take a best clause with the fewest columns and, of these, one whose
columns come first in the order (price, larger worth, `order`). By the first test dropping a column,
by the second exchanging one for an earlier one, would give a better one in that order, so it
holds no column that either removes, whichever removed which. By the third no best clause holds the
column. The same exchange argument shows that the first two tests keep the value of the linear
program as well; the third is for whole columns.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rulekit.search.columns.candidates import PricedColumns
from rulekit.search.screening.bounds import Bounds

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

GUARD = 1e-9  # a bound must exceed the known cost by this share of it
PAIR_BLOCK = 512  # columns compared with all others at a time


@dataclass(frozen=True)
class Outcome:
    """What one test removed, with the numbers that prove it.

    Shapes: removed (d,), by (d,), floor (d,).
    """

    test: str
    removed: Bools
    by: Ints = field(repr=False)
    floor: Floats = field(repr=False)
    bounds: Bounds | None = field(default=None, repr=False)


def simple_test(problem: PricedColumns) -> Outcome:
    """Remove columns that cost as much as all they cover: O(n p + d).

    The paper compares without the price of the column itself, Z_j >= P_j. That is the same where
    weights are whole and theta is below 1, and removes less elsewhere.
    """
    return _outcome("simple", problem.price >= problem.worth)


def consecutive_test(problem: PricedColumns) -> Outcome:
    """Compare each threshold with the next narrower one of its chain: O(n p + d log d)."""
    removed, by = _empty(problem)
    gain = problem.worth - problem.wrong
    for chain in chains_of(problem):
        later, before = chain[1:], chain[:-1]
        worse = gain[later] <= gain[before]
        removed[later[worse]], by[later[worse]] = True, before[worse]
    return Outcome("pairs", removed, by, np.zeros(0))


def chain_test(problem: PricedColumns) -> Outcome:
    """Compare each threshold with all narrower ones of its chain: O(n p + d log d).

    Along a chain, ``P_j - P_i <= Z_j - Z_i`` says that ``P_j - Z_j`` is no larger than it was
    before; what stays are the strict records of that figure, and all pairs take no longer than
    neighbours do.
    """
    removed, by = _empty(problem)
    gain = problem.worth - problem.wrong
    for chain in chains_of(problem):
        g = gain[chain]
        best = np.maximum.accumulate(g)
        # A column that sets a record takes the place of all after it until the next record.
        record = np.concatenate([[True], g[1:] > best[:-1]])
        last = np.maximum.accumulate(np.where(record, np.arange(len(g)), 0))
        beaten = chain[~record]
        removed[beaten], by[beaten] = True, chain[last[~record]]
    return Outcome("pairs", removed, by, np.zeros(0))


def across_test(problem: PricedColumns) -> Outcome:
    """Compare all pairs of columns, of whatever source: O(g d^2).

    Of columns that are equal on all rows to be covered and cost the same, the first in `order` is
    kept.
    """
    removed, by = _empty(problem)
    position = ranks(problem)
    order = np.argsort(position)
    everything = problem.P.values_of(order).astype(np.float64)
    weighted = everything * problem.m[:, None]
    wrong, worth = problem.wrong[order], problem.worth[order]
    for start in range(0, len(order), PAIR_BLOCK):
        block = slice(start, start + PAIR_BLOCK)
        # lost[j, i]: weight of the rows that j covers and i does not, P_j less what both cover
        lost = worth[block][:, None] - weighted[:, block].T @ everything
        cheaper = wrong[block][:, None] - wrong[None, :] >= lost
        # Exchanges only lead to earlier columns, so that they end; of equal columns one stays.
        earlier = np.arange(len(order))[block][:, None] > np.arange(len(order))
        worse = cheaper & earlier
        removable = worse.any(axis=1)
        removed[order[block][removable]] = True
        by[order[block][removable]] = order[worse.argmax(axis=1)[removable]]
    return Outcome("pairs", removed, by, np.zeros(0))


def duality_test(problem: PricedColumns, bounds: Bounds) -> Outcome:
    """Remove the columns whose every clause costs more than a known one: O(n p + d).

    "More" leaves a guard of 1e-9 of the cost, so that rounding removes no column of a best clause;
    at a tie the known clause itself could go. With the optimum of the linear program as `bounds`
    this is fixing by reduced costs, as the floor is then the optimal value plus the column's.
    """
    # A clause with column j pays its price, and for each row that j does not cover at least mu, be
    # it to another column or for missing it: (7), with these rows' sum as that of all less j's.
    floor = problem.price + bounds.lower - problem.P.sums(bounds.mu)
    removed = floor > bounds.upper + GUARD * max(1.0, bounds.upper)
    return Outcome("duality", removed, _outcome("", removed).by, floor, bounds)


def ranks(problem: PricedColumns) -> Ints:
    """Place of each column in the order by price, larger worth, chain and place in it."""
    d = len(problem.wrong)
    order = np.lexsort(
        (np.arange(d), problem.P.place, problem.P.chain, -problem.worth, problem.wrong)
    )
    position = np.empty(d, dtype=np.intp)
    position[order] = np.arange(d)
    return position


def chains_of(problem: PricedColumns) -> list[Ints]:
    """List the chains of more than no column, narrowest column first."""
    chain = problem.P.chain
    order = np.lexsort((problem.P.place, chain))
    order = order[np.searchsorted(chain[order], 0) :]
    cuts = np.flatnonzero(np.diff(chain[order])) + 1
    return [part for part in np.split(order, cuts) if len(part)]


def _outcome(test: str, removed: Bools) -> Outcome:
    return Outcome(test, removed, np.full(len(removed), -1, dtype=np.intp), np.zeros(0))


def _empty(problem: PricedColumns) -> tuple[Bools, Ints]:
    d = len(problem.wrong)
    return np.zeros(d, dtype=bool), np.full(d, -1, dtype=np.intp)
