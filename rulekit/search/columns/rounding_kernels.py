"""Kernels that round, and the dual simplex method for bounded variables."""

# Rounding sweeps over the groups of a clause, each settled at its best combination.
#
# Weights are summed on a grid (see `rulekit._sums`), so every order of adding gives the same bits.
# `rulekit.search.columns.priced_columns` states what is minimised.
#
# The simplex method works on a table of all coefficients:
#   maximise  sum(mu)    subject to  s = c - P.T @ mu >= 0,  0 <= mu <= m
#
# Every basic variable is written as ``value[k] - table[k] @ (change of the others)``; the others
# are at a bound, and `slope` is by how much the objective grows with each. It starts with all mu at
# their upper bounds. The basic variable that violates its bounds most leaves; the others turn to
# their other bounds in the order in which their slopes reach zero, as long as this one stays
# outside its bounds, and the first one that would bring it back enters.

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from rulekit._sums import EXACT_BITS, TINY
from rulekit.search.machine_code import machine_code
from rulekit.search.records import record

TIE = 1e-9
MAX_SWEEPS = 10
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Layout(NamedTuple):
    """Columns as runs of cells, and their groups; all columns of a group read one source."""

    codes: NDArray[np.uint32]  # (p, n), the cell of each row in each source
    n_cells: Ints  # (p,)
    source: Ints  # (d,)
    spans: Ints  # (d, 2 * runs), first cell and end of each run
    group_of: Ints  # (d,)
    columns: Ints  # (d,), group after group, in order
    start: Ints  # (G + 1,), where each group starts in `columns`
    sides: Ints  # columns of each group that may be combined: ``<=``, then ``>``
    low_start: Ints  # (G,), where the ``<=`` columns of each group start in `sides`
    high_start: Ints  # (G,), where its ``>`` columns start
    end: Ints  # (G,), where they end
    pairs: Bools  # whether a ``<=`` and a ``>`` column may be combined, matrix after matrix
    pair_start: Ints  # (G,)
    overlap: Bools  # (G,), whether two columns of a pair may hold in the same row


class WorkArrays(NamedTuple):
    """Costs of the rows and columns of one clause to be rounded, and work arrays."""

    m: Floats  # (n,)
    price: Floats  # (d,)
    w: Floats  # (d,), weights, settled or not
    cover: Floats  # (n,), weight of the columns that hold in each row
    open: Floats  # (n,), cost of each row at this cover
    upto: Floats  # (most cells + 1,), sums over the first cells
    delta: Floats  # (d,), change of cost if a column is chosen
    order: Ints  # (G,), the groups in the order of this sweep


I1, I2, F1 = types.int64[::1], types.int64[:, ::1], types.float64[::1]
U2, B1 = types.uint32[:, ::1], types.boolean[::1]
LAYOUT = record(Layout, U2, I1, I1, I2, I1, I1, I1, I1, I1, I1, I1, B1, I1, B1)
ROOM = record(WorkArrays, F1, F1, F1, F1, F1, F1, F1, I1)


@machine_code()
def _grid_unit(total):  # type: ignore[no-untyped-def]
    """Return the power of two whose multiples add up exactly to `total`."""
    part, exponent = math.frexp(max(total, TINY))
    return math.ldexp(1.0, exponent - (1 if part == 0.5 else 0) - EXACT_BITS)


@machine_code()
def _holds(spans, cell):  # type: ignore[no-untyped-def]
    """Return whether a column holds in a cell."""
    for r in range(0, len(spans), 2):  # noqa: SIM110 (kernels know no generators)
        if spans[r] <= cell < spans[r + 1]:
            return True
    return False


@machine_code()
def _add(column, by, layout, room):  # type: ignore[no-untyped-def]
    """Add a weight to the rows of a column."""
    code, spans = layout.codes[layout.source[column]], layout.spans[column]
    for i in range(len(code)):
        if _holds(spans, code[i]):
            room.cover[i] += by


@machine_code()
def _find_changes(g, layout, room):  # type: ignore[no-untyped-def]
    """Compute the change of cost of each column of a group; return the least."""
    total = 0.0
    for i in range(len(room.m)):
        room.open[i] = room.m[i] * max(0.0, 1.0 - room.cover[i])
        total += room.open[i]
    s, unit = layout.source[layout.columns[layout.start[g]]], _grid_unit(total)
    code, upto = layout.codes[s], room.upto
    for k in range(layout.n_cells[s] + 1):
        upto[k] = 0.0
    for i in range(len(room.m)):
        upto[code[i] + 1] += np.rint(room.open[i] / unit) * unit
    for k in range(layout.n_cells[s]):
        upto[k + 1] += upto[k]
    least = np.inf
    for e in range(layout.start[g], layout.start[g + 1]):
        c = layout.columns[e]
        gain = 0.0
        for r in range(0, layout.spans.shape[1], 2):
            gain += upto[layout.spans[c, r + 1]] - upto[layout.spans[c, r]]
        room.delta[c] = room.price[c] - gain
        least = min(least, room.delta[c])
    return least


@machine_code()
def _change_of_pair(g, a, b, layout, room):  # type: ignore[no-untyped-def]
    """Return the change of cost if two columns are chosen; rows of both count once."""
    low, high = layout.sides[layout.low_start[g] + a], layout.sides[layout.high_start[g] + b]
    both = 0.0
    if layout.overlap[g]:
        for r in range(0, layout.spans.shape[1], 2):
            for t in range(0, layout.spans.shape[1], 2):
                first = max(layout.spans[low, r], layout.spans[high, t])
                end = min(layout.spans[low, r + 1], layout.spans[high, t + 1])
                if first < end:
                    both += room.upto[end] - room.upto[first]
    return room.delta[low] + room.delta[high] + both


@machine_code()
def _choose(column, layout, room):  # type: ignore[no-untyped-def]
    """Set the weight of a column to 1."""
    room.w[column] = 1.0
    _add(column, 1.0, layout, room)


@machine_code()
def _choose_pair(g, limit, layout, room):  # type: ignore[no-untyped-def]
    """Return the least change of a pair; choose the first pair that changes no more than this."""
    n_high = layout.end[g] - layout.high_start[g]
    least = np.inf
    for a in range(layout.high_start[g] - layout.low_start[g]):
        for b in range(n_high):
            if layout.pairs[layout.pair_start[g] + a * n_high + b]:
                change = _change_of_pair(g, a, b, layout, room)
                least = min(least, change)
                if change <= limit:
                    _choose(layout.sides[layout.low_start[g] + a], layout, room)
                    _choose(layout.sides[layout.high_start[g] + b], layout, room)
                    return least
    return least


@machine_code()
def _settle(g, layout, room):  # type: ignore[no-untyped-def]
    """Replace the weights of a group by its cheapest combination."""
    total = 0.0
    for e in range(layout.start[g], layout.start[g + 1]):
        total += room.w[layout.columns[e]]
    if total != 0.0:
        unit = _grid_unit(total)
        for e in range(layout.start[g], layout.start[g + 1]):
            c = layout.columns[e]
            if room.w[c] != 0.0:
                _add(c, -np.rint(room.w[c] / unit) * unit, layout, room)
                room.w[c] = 0.0
    one = _find_changes(g, layout, room)
    two = _choose_pair(g, -np.inf, layout, room)
    best = min(0.0, one, two) + TIE
    if best >= 0.0:
        return
    if one > best:
        _choose_pair(g, two + TIE, layout, room)
        return
    for e in range(layout.start[g], layout.start[g + 1]):
        if room.delta[layout.columns[e]] <= one + TIE:
            _choose(layout.columns[e], layout, room)
            return


@machine_code()
def _cost(layout, room):  # type: ignore[no-untyped-def]
    """Return the cost of a clause of whole columns."""
    w, m, cost = room.w, room.m, 0.0
    for c in range(len(w)):
        if w[c] > 0.5:
            cost += room.price[c]
    for i in range(len(m)):
        covered = False
        for c in range(len(w)):
            if w[c] > 0.5 and _holds(layout.spans[c], layout.codes[layout.source[c], i]):
                covered = True
                break
        if not covered:
            cost += m[i]
    return cost


@machine_code()
def _sweep(n_first, layout, w, room):  # type: ignore[no-untyped-def]
    """Settle the first groups of the order, then those of the others that lower the cost."""
    total = 0.0  # from the given weights, rows covered accordingly
    for c in range(len(w)):
        room.w[c] = w[c]
        total += w[c]
    unit = _grid_unit(total)
    for i in range(len(room.cover)):
        room.cover[i] = 0.0
    for c in range(len(w)):
        if room.w[c] != 0.0:
            _add(c, np.rint(room.w[c] / unit) * unit, layout, room)
    for k in range(len(room.order)):
        g = room.order[k]
        if k < n_first or _find_changes(g, layout, room) < -TIE:
            _settle(g, layout, room)
    for c in range(len(w)):
        room.w[c] = 1.0 if room.w[c] > 0.5 else 0.0
    return _cost(layout, room)


@machine_code()
def _order_used_first(order, layout, w, room):  # type: ignore[no-untyped-def]
    """Order groups with a chosen column before the others; return how many there are."""
    n_used = 0
    for wanted in (True, False):
        for k in range(len(order)):
            g = order[k]
            used = False
            for e in range(layout.start[g], layout.start[g + 1]):
                used |= w[layout.columns[e]] > 0.5
            if used == wanted:
                room.order[n_used] = g
                n_used += 1
        if wanted:
            n_first = n_used
    return n_first


@machine_code(types.float64(LAYOUT, ROOM, I1, types.int64, F1))
def round_clause(layout, room, order, n_first, w):  # type: ignore[no-untyped-def]
    """Round `w` in place by sweeps until the cost no longer falls; return the cost."""
    for k in range(len(order)):
        room.order[k] = order[k]
    cost = _sweep(n_first, layout, w, room)
    for c in range(len(w)):
        w[c] = room.w[c]
    for _ in range(MAX_SWEEPS):
        n_used = _order_used_first(order, layout, w, room)
        again = _sweep(n_used, layout, w, room)
        if again >= cost - TIE:
            break
        cost = again
        for c in range(len(w)):
            w[c] = room.w[c]
    return cost


TOLERANCE = 1e-10
SMALL = 1e-9  # no pivot is smaller
OPTIMAL, UNFINISHED, FAILED = range(3)


class Tableau(NamedTuple):
    """A basis; variables are numbered, first mu, then s."""

    table: Floats  # (d, g)
    value: Floats  # (d,), of basic variables
    slope: Floats  # (g,), of the others
    tilted: Floats  # (g,), the same for an objective without ties
    cap: Floats  # (g + d,), upper bounds
    weight: Floats  # (d,), reference weights of the basic variables (Devex)
    basic: Ints  # (d,)
    other: Ints  # (g,)
    at_upper: Bools  # (g,)


F2 = types.float64[:, ::1]
TABLEAU = record(Tableau, F2, F1, F1, F1, F1, F1, I1, I1, B1)


@machine_code(inline=True)
def _entering(t, k, sign, violation):  # type: ignore[no-untyped-def]
    """Turn variables to their other bounds; return the one that enters, -1 if there is none."""
    row = t.table[k]
    while True:
        best, size, found = np.inf, 0.0, -1
        for j in range(len(row)):
            a = sign * row[j] if t.at_upper[j] else -sign * row[j]
            if a > SMALL and abs(t.tilted[j]) < best * a:
                best, size, found = abs(t.tilted[j]) / a, a, j
        if found < 0:
            return -1
        cap = t.cap[t.other[found]]
        if violation - size * cap <= TOLERANCE:
            return found
        violation -= size * cap
        change = -cap if t.at_upper[found] else cap
        t.at_upper[found] = not t.at_upper[found]
        for i in range(len(t.value)):
            t.value[i] -= t.table[i, found] * change


@machine_code(types.int64(TABLEAU, types.int64))
def optimise(t, most):  # type: ignore[no-untyped-def]
    """Exchange variables until all are within their bounds; return how it ended."""
    for _ in range(most):
        best, k = 0.0, -1  # the basic variable farthest outside its bounds, weighted, leaves
        for i in range(len(t.value)):
            outside = max(-t.value[i], t.value[i] - t.cap[t.basic[i]])
            if outside > TOLERANCE and outside * outside / t.weight[i] > best:
                best, k = outside * outside / t.weight[i], i
        if k < 0:
            return OPTIMAL
        low = t.value[k] < 0.0
        goal = 0.0 if low else t.cap[t.basic[k]]
        j = _entering(t, k, 1.0 if low else -1.0, abs(t.value[k] - goal))
        if j < 0:
            return FAILED
        # variable j becomes basic in place of variable k, which moves to its bound
        table, row, pivot = t.table, t.table[k], t.table[k, j]
        change = (t.value[k] - goal) / pivot
        start = t.cap[t.other[j]] if t.at_upper[j] else 0.0
        rate, tilted = t.slope[j] / pivot, t.tilted[j] / pivot
        for c in range(len(row)):
            t.slope[c] -= rate * row[c]
            t.tilted[c] -= tilted * row[c]
            row[c] /= pivot
        t.slope[j], t.tilted[j], row[j] = -rate, -tilted, 1.0 / pivot
        for i in range(len(t.value)):
            factor = table[i, j]
            if i == k or factor == 0.0:
                continue
            t.value[i] -= factor * change
            t.weight[i] = max(t.weight[i], (factor / pivot) ** 2 * t.weight[k])
            other = table[i]
            for c in range(len(row)):
                other[c] -= factor * row[c]
            other[j] = -factor / pivot
        t.value[k] = start + change
        t.weight[k] = max(t.weight[k] / (pivot * pivot), 1.0)
        t.basic[k], t.other[j] = t.other[j], t.basic[k]
        t.at_upper[j] = goal > 0.0
    return UNFINISHED
