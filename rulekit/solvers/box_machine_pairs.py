"""Where a new clause starts, as machine code: `rulekit.solvers.box_pairs`, choice for choice.

Handed out by `rulekit.solvers.box_machine`, but called from Python: in a file of its own, as
Numba's cache looks only at the file of the function that is called. The NumPy twin has the same
ties, and sums over rows are exact (`box_problem.Charges`), so both start at the same box to the
last bit.

Legend, beside that of `rulekit.solvers.box_pairs`::

    g        also the savings of the rows, (n, 2): g(0) and g(1)
    rank     (m,) features, the best single one first
    choices  (m, c, 4) what may be accepted of each: low, high, absent, literals
    rows     (c, width) for each choice on f what the codes of g then save
    found    (c, 3) low, high, absent of the best choice on g for each row
    worth    (c,) what that saves
"""

import numpy as np
from numba import types

from rulekit.solvers.box_machine_types import TABLE, WORK, F, I
from rulekit.solvers.compiled import machine_code

TIE = 1e-9  # as in box_kernel; the tests compare these
CANDIDATES, MOST_PAIR_BINS = 8, 16  # as in box_pairs
MOST_CHOICES = MOST_PAIR_BINS * (MOST_PAIR_BINS + 1) + 1
FAR = 1 << 14  # as in box_machine
LOW, HIGH, ABSENT, SIZE = range(4)
BASE, EXTRA, NEAR = range(3)
START, END = TEST, LACKS = range(2)

I1, F1, F2 = types.int64[::1], types.float64[::1], types.float64[:, ::1]
I2, F3 = types.int64[:, ::1], types.float64[:, :, ::1]


@machine_code(types.void(TABLE, WORK, I, F2), inner=True)
def _find_savings(table, work, k, g):  # type: ignore[no-untyped-def]
    """Find what each row saves when a clause after the first `k` refuses it by 0 and 1 features."""
    v, y, charges = work.v, table.y, table.charges
    for i in range(len(y)):
        nearest, holding = FAR, 0
        for r in range(k):
            if v[r, i] < nearest:
                nearest = v[r, i]
            holding += v[r, i] == 0
        base, extra, near = charges[i, BASE], charges[i, EXTRA], charges[i, NEAR]
        if y[i]:
            g[i, 0] = base if nearest >= 1 else 0.0
            g[i, 1] = extra if nearest > 1 else 0.0
        else:
            g[i, 0] = near - (base if holding == 0 else extra)
            g[i, 1] = -near


@machine_code(types.void(TABLE, I, F2, I, F, F1, I2), inner=True)
def _find_best_runs(table, g, rows, count, price, worth, found):  # type: ignore[no-untyped-def]
    """Find on feature `g` the best interval with an end for each row of savings, and its value."""
    may, last = table.may, table.n_bins[g] - 1
    for c in range(count):
        upto, worth[c] = 0.0, -np.inf
        reach, later = 0.0, np.inf  # least cost of a beginning: at any bin, above the first
        reach_at, later_at = 0, 0
        for b in range(last + 1):
            if b > 0 and may[g, b, START]:
                start = upto + price
                if start < later:
                    later, later_at = start, b
                if start < reach:
                    reach, reach_at = start, b
            upto += rows[c, b]
            if b == last:
                value, at = upto - later, later_at
            elif may[g, b, END]:
                value, at = upto - price - reach, reach_at
            else:
                continue
            if value > worth[c]:
                worth[c], found[c, LOW], found[c, HIGH] = value, at, b


@machine_code(types.void(TABLE, I, F2, I, F, F1, I2), inner=True)
def _find_best_choices(table, g, rows, count, price, worth, found):  # type: ignore[no-untyped-def]
    """Choose on feature `g` for each row of savings, as `IntervalSearch.best` does."""
    last, lacks, tests = table.n_bins[g] - 1, table.flags[g, LACKS], table.flags[g, TEST]
    _find_best_runs(table, g, rows, count, price, worth, found)
    for c in range(count):
        lost, pick = rows[c, last + 1], 1
        full = lost
        for b in range(last + 1):
            full += rows[c, b]
        if lacks:
            worth[c] += max(lost, 0.0)
        if worth[c] <= full:
            worth[c], pick = full, 0
        if lacks and tests:
            if full - lost - price > worth[c]:
                worth[c], pick = full - lost - price, 2
            if lost - price > worth[c]:
                worth[c], pick = lost - price, 3
        if pick != 1:
            found[c, LOW] = 1 if pick == 3 else 0
            found[c, HIGH] = 0 if pick == 3 else last
        found[c, ABSENT] = (not lacks or lost > 0) if pick == 1 else pick != 2


@machine_code(I(TABLE, I, I2), inner=True)
def _list_choices(table, f, choices):  # type: ignore[no-untyped-def]
    """List all that a clause may accept of feature `f`; return their number."""
    may, last, count = table.may, table.n_bins[f] - 1, 0
    lacks, tests = table.flags[f, LACKS], table.flags[f, TEST]
    for low in range(last + 1):
        if low > 0 and not may[f, low, START]:
            continue
        for high in range(low, last + 1):
            if high < last and not may[f, high, END]:
                continue
            size = np.int64(low > 0) + np.int64(high < last)
            choices[count, LOW], choices[count, HIGH] = low, high
            choices[count, ABSENT], choices[count, SIZE] = 1, size
            count += 1
            if lacks and (size or tests):
                choices[count, LOW], choices[count, HIGH] = low, high
                choices[count, ABSENT], choices[count, SIZE] = 0, max(size, 1)
                count += 1
    if lacks and tests:
        choices[count, LOW], choices[count, HIGH] = 1, 0
        choices[count, ABSENT], choices[count, SIZE] = 1, 1
        count += 1
    return count


@machine_code(types.void(TABLE, WORK, F2, F, F1, I2), inner=True)
def _find_best_alone(table, work, g, price, worth, found):  # type: ignore[no-untyped-def]
    """Find the best choice of every feature by itself."""
    codes, n_bins, H = table.codes, table.n_bins, work.H
    H[:] = 0.0
    for i in range(len(codes)):
        if g[i, 0] != 0.0:
            for f in range(len(n_bins)):
                H[f, codes[i, f]] += g[i, 0]
    for f in range(len(n_bins)):
        _find_best_choices(table, f, H[f : f + 1], 1, price, worth[f : f + 1], found[f : f + 1])


@machine_code(I(TABLE, F1, I1), inner=True)
def _rank(table, worth, rank):  # type: ignore[no-untyped-def]
    """List the best features, of which only those of few bins are kept; return their number."""
    taken, m = np.zeros(len(worth), np.bool_), 0
    for _ in range(min(CANDIDATES, len(worth))):
        best = -1
        for f in range(len(worth)):
            if not taken[f] and (best < 0 or worth[f] > worth[best]):
                best = f
        taken[best] = True
        if table.n_bins[best] <= MOST_PAIR_BINS:
            rank[m] = best
            m += 1
    return m


@machine_code(types.void(TABLE, F2, I1, I, F3, F2), inner=True)
def _fill_grids(table, g, rank, m, grid, edge):  # type: ignore[no-untyped-def]
    """Sum the savings over the bins of all pairs of the ranked features."""
    codes, code = table.codes, np.zeros(CANDIDATES, np.int64)
    for i in range(len(codes)):
        both, either = g[i, 0] - g[i, 1], g[i, 1]
        if both == 0.0 and either == 0.0:
            continue
        for a in range(m):
            code[a] = codes[i, rank[a]]
            edge[a, code[a]] += either
        pair = 0
        for a in range(m):
            for b in range(a + 1, m):
                grid[pair, code[a], code[b]] += both
                pair += 1


@machine_code(types.void(I2, I, F2, F1, I, I, F2), inner=True)
def _sum_rows(choices, count, grid, edge, last, width, rows):  # type: ignore[no-untyped-def]
    """Sum for each choice on the one feature what each code of the other then saves."""
    upto = np.zeros((last + 2, width))
    for a in range(last + 1):
        for b in range(width):
            upto[a + 1, b] = upto[a, b] + grid[a, b]
    for c in range(count):
        low, high, absent = choices[c, LOW], choices[c, HIGH], choices[c, ABSENT]
        for b in range(width):
            rows[c, b] = upto[high + 1, b] - upto[low, b] + edge[b]
            if absent:
                rows[c, b] += grid[last + 1, b]


@machine_code(F(I2, I, F1, I), inner=True)
def _sum_edge(choices, c, edge, last):  # type: ignore[no-untyped-def]
    """Sum what acceptance by the one feature alone saves."""
    total = edge[last + 1] if choices[c, ABSENT] else 0.0
    for b in range(choices[c, LOW], choices[c, HIGH] + 1):
        total += edge[b]
    return total


@machine_code(F(TABLE, WORK, I, F, F2, I1, I), inner=True)
def _try_pairs(table, work, k, price, g, rank, m):  # type: ignore[no-untyped-def]
    """Put the best box on two of the ranked features into clause `k`; return what it saves."""
    width = MOST_PAIR_BINS + 1
    grid, edge = np.zeros((m * (m - 1) // 2, width, width)), np.zeros((m, width))
    choices, count = np.zeros((m, MOST_CHOICES, 4), np.int64), np.zeros(m, np.int64)
    rows, worth = np.zeros((MOST_CHOICES, width)), np.zeros(MOST_CHOICES)
    found, best, pair = np.zeros((MOST_CHOICES, 3), np.int64), -np.inf, 0
    chosen = np.zeros((2, 3), np.int64)
    first, second = 0, 0
    _fill_grids(table, g, rank, m, grid, edge)
    for a in range(m):
        count[a] = _list_choices(table, rank[a], choices[a])
    for a in range(m):
        last = table.n_bins[rank[a]] - 1
        for b in range(a + 1, m):
            last_width = table.n_bins[rank[b]] + 1
            _sum_rows(choices[a], count[a], grid[pair], edge[b], last, last_width, rows)
            _find_best_choices(table, rank[b], rows, count[a], price, worth, found)
            for c in range(count[a]):
                value = worth[c] + (
                    _sum_edge(choices[a], c, edge[a], last) - price * choices[a, c, SIZE]
                )
                if value > best:
                    best, first, second = value, rank[a], rank[b]
                    chosen[0], chosen[1] = choices[a, c, :3], found[c]
            pair += 1
    work.box[k, first, :3], work.box[k, second, :3] = chosen[0], chosen[1]
    return best


@machine_code(types.void(TABLE, WORK, I, F))
def start_clause(table, work, k, theta):  # type: ignore[no-untyped-def]
    """Put into clause `k` of `work` what `box_pairs.PairStart.best` chooses after the first `k`."""
    n, p = table.codes.shape
    g, price = np.zeros((n, 2)), theta + TIE
    worth, found, rank = np.zeros(p), np.zeros((p, 3), np.int64), np.zeros(CANDIDATES, np.int64)
    _find_savings(table, work, k, g)
    _find_best_alone(table, work, g, price, worth, found)
    m, best = _rank(table, worth, rank), np.argmax(worth)
    for f in range(p):
        work.box[k, f, LOW], work.box[k, f, HIGH] = 0, table.n_bins[f] - 1
        work.box[k, f, ABSENT] = 1
    if m >= 2 and _try_pairs(table, work, k, price, g, rank, m) > worth[best]:
        return
    for f in range(p):
        work.box[k, f, LOW], work.box[k, f, HIGH] = 0, table.n_bins[f] - 1
        work.box[k, f, ABSENT] = 1
    work.box[k, best, :3] = found[best]
