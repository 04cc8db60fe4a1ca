"""The best clause among few columns, by branch and bound from a point of the dual program.

Legend, beside that of `proved_cover`::

    m       (g,)  what it costs to leave a row uncovered
    mu      (g,)  a point of the dual program: 0 <= mu <= m, and in no column more than its price
    reduced (d,)  price of a column less mu over its rows, not negative
    count   (g,)  columns of the clause at hand that hold in a row

Whatever a clause T is, it costs ::

    sum(mu) + reduced[T].sum() + (mu * (count - 1))[count > 1].sum() + (m - mu)[count == 0].sum()

Of a clause that may still grow the first three parts only rise, and the fourth is at least what no
column that may be added covers. Each set of columns is met once: a node lists the columns that may
be added, and the branch of one leaves to it those that stand before it in the list.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from rulekit.search.machine_code import machine_code
from rulekit.search.records import record

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FOUND, SIZE, VISITS = range(3)  # of `counts`: whether a better clause was found, its columns, work


class Cover(NamedTuple):
    """The problem: column j holds in the rows ``rows[start[j] : start[j + 1]]``."""

    start: Ints
    rows: Ints
    m: Floats
    mu: Floats
    price: Floats
    reduced: Floats


class Branches(NamedTuple):
    """The clause at hand, and of each of its beginnings the columns that may be added."""

    column: Ints  # (depth,)
    live: Ints  # (depth, d)
    bound: Floats  # (depth, d), what a clause costs at least that goes on with it
    own: Floats  # (depth, d), the part of the bound that only rises
    n_live: Ints  # (depth,)
    held: Ints  # (g,), `count`
    seen: Ints  # (g,), the node that last saw a row covered by a live column


I1, I2, F1, F2 = types.int64[::1], types.int64[:, ::1], types.float64[::1], types.float64[:, ::1]
COVER = record(Cover, I1, I1, F1, F1, F1, F1)
BRANCHES = record(Branches, I1, I2, F2, F2, I1, I1, I1)


@machine_code()
def _find_live(t, risen, margin, best, cover, at):  # type: ignore[no-untyped-def]
    """Keep the columns that a node may add, by rising bound; return the rows looked at."""
    start, rows, visits, kept = cover.start, cover.rows, 0, 0
    live, own = at.live[t], at.own[t]
    for k in range(at.n_live[t]):
        c = live[k]
        gain, twice = -cover.price[c], 0.0
        for e in range(start[c], start[c + 1]):
            i = rows[e]
            if at.held[i] > 0:
                twice += cover.mu[i]
            else:
                gain += cover.m[i]
        visits += start[c + 1] - start[c]
        least = risen + cover.reduced[c] + twice
        # what does not pay now never will, as the rows it alone covers only become fewer
        if gain <= margin or least >= best - margin:
            continue
        j = kept
        while j > 0 and own[j - 1] > least:
            live[j], own[j] = live[j - 1], own[j - 1]
            j -= 1
        live[j], own[j] = c, least
        kept += 1
    at.n_live[t] = kept
    return visits


@machine_code()
def _set_bounds(t, node, cover, at):  # type: ignore[no-untyped-def]
    """Add to what a branch costs the rows that neither it nor the columns left to it cover."""
    live, rest = at.live[t], 0.0
    for i in range(len(cover.m)):
        if at.held[i] == 0:
            rest += cover.m[i] - cover.mu[i]
    for k in range(at.n_live[t]):
        for e in range(cover.start[live[k]], cover.start[live[k] + 1]):
            i = cover.rows[e]
            if at.held[i] == 0 and at.seen[i] != node:
                at.seen[i] = node
                rest -= cover.m[i] - cover.mu[i]
        at.bound[t, k] = at.own[t, k] + rest


@machine_code()
def _put(c, by, cover, at):  # type: ignore[no-untyped-def]
    """Add a column to the clause at hand (1), or take it out (-1)."""
    for e in range(cover.start[c], cover.start[c + 1]):
        at.held[cover.rows[e]] += by


@machine_code()
def _all_pay(t, margin, cover, at):  # type: ignore[no-untyped-def]
    """Return whether each column of a clause pays by the rows that it alone covers."""
    for s in range(t):
        c = at.column[s]
        share = -cover.price[c]
        for e in range(cover.start[c], cover.start[c + 1]):
            if at.held[cover.rows[e]] == 1:
                share += cover.m[cover.rows[e]]
        if share <= margin:
            return False
    return True


@machine_code()
def _cost(t, cover, at):  # type: ignore[no-untyped-def]
    """Return what the clause of the first t columns costs."""
    cost = 0.0
    for s in range(t):
        cost += cover.price[at.column[s]]
    for i in range(len(cover.m)):
        if at.held[i] == 0:
            cost += cover.m[i]
    return cost


@machine_code(types.float64(COVER, BRANCHES, F1, I1, I1))
def search(cover, at, limits, counts, best):  # type: ignore[no-untyped-def]
    """Look for a clause that costs less than `limits` say; return what the best one costs.

    `limits` holds the lower bound, the cost to fall below, the margin by which costs differ, and
    the rows that may be looked at; `counts` then says whether the tree was searched to its end:
    VISITS is negative where it was not. Level 0 of `at` is the empty clause, and holds all columns.
    """
    lower, value, margin, most = limits[0], limits[1], limits[2], limits[3]
    t = node = 0
    visits = 1 + _find_live(t, lower, margin, value, cover, at)
    _set_bounds(t, 1, cover, at)
    while t >= 0 and visits <= most:
        k = at.n_live[t] - 1
        at.n_live[t] = k
        if k < 0:
            t -= 1
            if t >= 0:
                _put(at.column[t], -1, cover, at)
            continue
        if at.bound[t, k] >= value - margin:
            continue
        at.column[t], node = at.live[t, k], node + 1
        _put(at.column[t], 1, cover, at)
        if not _all_pay(t + 1, margin, cover, at):
            _put(at.column[t], -1, cover, at)
            continue
        cost = _cost(t + 1, cover, at)
        if cost < value - margin:
            value, counts[FOUND], counts[SIZE] = cost, 1, t + 1
            for s in range(t + 1):
                best[s] = at.column[s]
        t += 1
        at.n_live[t] = k
        for s in range(k):
            at.live[t, s] = at.live[t - 1, s]
        visits += len(cover.m) + _find_live(t, at.own[t - 1, k], margin, value, cover, at)
        _set_bounds(t, node + 1, cover, at)
    counts[VISITS] = visits if t < 0 else -visits
    return value
