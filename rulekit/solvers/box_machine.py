"""The moves of the box search as machine code: `rulekit.solvers.box_moves`, move for move.

Imported by `rulekit.solvers.compiled` alone, as it needs Numba. The NumPy moves have the same ties,
and so find the same rules to the last bit: sums over rows are exact (`box_problem.Charges`), prices
of literals are added in the same order. What is called for each row takes numbers: handing it the
tuples of arrays would cost more than the work. All functions stay in one file, as Numba's cache
looks only at the file of the function that is called.

Legend, beside that of `rulekit.solvers.box_kernel` and `rulekit.solvers.box_machine_types`::

    k      clauses of the state; r one of them, f a feature
    freed  a feature that counts as dropped, or -1
"""

import numpy as np
from numba import types

from rulekit.solvers.box_machine_types import LOG, TABLE, WORK, B, F, I, Log, Table, Work
from rulekit.solvers.compiled import machine_code

__all__ = ["Log", "Table", "Work", "visit"]

TIE, IMPROVEMENT = 1e-9, 1e-6  # as in box_kernel and box_moves; the tests compare them
FAR = 1 << 14  # more violations than any clause can have


@machine_code(B(I, I, I, I, B), inner=True)
def _refuses(code, n_bins, low, high, absent):  # type: ignore[no-untyped-def]
    """Say whether an interval keeps a row with this code out."""
    if code == n_bins:
        return not absent
    return code < low or code > high


@machine_code(I(I, B, I, I, B), inner=True)
def _literals(n_bins, lacks, low, high, absent):  # type: ignore[no-untyped-def]
    """Count the literals of an interval on a feature that `lacks` values or does not."""
    if low > high:
        return 1
    ends = np.int64(low > 0) + np.int64(high < n_bins - 1)
    return 1 if ends == 0 and lacks and not absent else ends


@machine_code(types.void(TABLE, WORK, I, I, I), inner=True)
def _count_refused(table, work, r, f, sign):  # type: ignore[no-untyped-def]
    """Add to the violations of clause `r`, `sign` times, what its feature `f` refuses."""
    low, high, absent = work.low[r, f], work.high[r, f], work.absent[r, f]
    codes, v, n_bins = table.codes, work.v, table.n_bins[f]
    if work.size[r, f]:
        for i in range(len(codes)):
            v[r, i] += sign * _refuses(codes[i, f], n_bins, low, high, absent)


@machine_code(types.void(TABLE, WORK, I, I, I, I, B), inner=True)
def _set_feature(table, work, r, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Give clause `r` another interval on feature `f`."""
    _count_refused(table, work, r, f, -1)
    work.low[r, f], work.high[r, f], work.absent[r, f] = low, high, absent
    work.size[r, f] = _literals(table.n_bins[f], table.has_missing[f], low, high, absent)
    _count_refused(table, work, r, f, 1)


@machine_code(types.void(WORK, I, I), inner=True)
def _find_others(work, k, r):  # type: ignore[no-untyped-def]
    """Find the fewest violations and the number of holding clauses over all clauses but `r`."""
    v, nearest, holding = work.v, work.nearest, work.holding
    for i in range(len(nearest)):
        least, held = FAR, 0
        for other in range(k):
            if other != r:
                if v[other, i] < least:
                    least = v[other, i]
                held += v[other, i] == 0
        nearest[i], holding[i] = least, held


@machine_code(F(I, B, F, F, F, I), inner=True)
def _saving(u, described, at_zero, extra, near, nearest):  # type: ignore[no-untyped-def]
    """Evaluate the function ``g`` of one row."""
    if u == 0:
        return at_zero
    if described:
        return extra if 0 < u < nearest else 0.0
    return -near if u == 1 else 0.0


@machine_code(F(B, F, F, F, I, I), inner=True)
def _saving_at_zero(described, base, extra, near, nearest, holding):  # type: ignore[no-untyped-def]
    """Evaluate ``g`` where no other feature of the clause is violated."""
    if described:
        return base if nearest >= 1 else 0.0
    return near - (base if holding == 0 else extra)


@machine_code(I(TABLE, WORK, I, I), inner=True)
def _clear_histogram(table, work, r, freed):  # type: ignore[no-untyped-def]
    """Empty the histogram, and list the features of clause `r` that may refuse a row."""
    n_active, n_bins, H = 0, table.n_bins, work.H
    for f in range(len(n_bins)):
        for b in range(n_bins[f] + 1):
            H[f, b] = 0.0
        if work.size[r, f] and f != freed:
            work.active[n_active] = f
            n_active += 1
    return n_active


@machine_code(types.void(TABLE, WORK, I, I), inner=True)
def _fill_histogram(table, work, r, freed):  # type: ignore[no-untyped-def]
    """Sum what acceptance saves over the bins of every feature; see `box_kernel.histogram`."""
    codes, y, base, extra, near = table.codes, table.y, table.base, table.extra, table.near
    n_bins, low, high, absent = table.n_bins, work.low, work.high, work.absent
    v, H, active, nearest, holding = work.v, work.H, work.active, work.nearest, work.holding
    n_active = _clear_histogram(table, work, r, freed)
    for i in range(len(y)):
        u, m = np.int64(v[r, i]), nearest[i]
        if freed >= 0 and u:
            f = freed
            u -= _refuses(codes[i, f], n_bins[f], low[r, f], high[r, f], absent[r, f])
        at_zero = _saving_at_zero(y[i], base[i], extra[i], near[i], m, holding[i])
        accepted = _saving(u, y[i], at_zero, extra[i], near[i], m)
        if accepted != 0.0:
            for f in range(len(n_bins)):
                H[f, codes[i, f]] += accepted
        surplus = _saving(u - 1, y[i], at_zero, extra[i], near[i], m) - accepted
        if u > 0 and surplus != 0.0:
            for a in range(n_active):
                f = active[a]
                if _refuses(codes[i, f], n_bins[f], low[r, f], high[r, f], absent[r, f]):
                    H[f, codes[i, f]] += surplus


@machine_code(types.void(TABLE, WORK, F), inner=True)
def _find_best_runs(table, work, theta):  # type: ignore[no-untyped-def]
    """Find for every feature the best interval with an end, and its value."""
    n_bins, may_start, may_end = table.n_bins, table.may_start, table.may_end
    H, value, choice, price = work.H, work.value, work.choice, theta + TIE
    for f in range(len(n_bins)):
        upto, value[f] = 0.0, -np.inf
        reach, later = 0.0, np.inf  # least cost of a beginning: at any bin, above the first
        reach_at, later_at, last = 0, 0, n_bins[f] - 1
        for b in range(last + 1):
            if b > 0 and may_start[f, b]:
                start = upto + price
                if start < later:
                    later, later_at = start, b
                if start < reach:
                    reach, reach_at = start, b
            upto += H[f, b]
            if b == last:
                worth, at = upto - later, later_at
            elif may_end[f, b]:
                worth, at = upto - price - reach, reach_at
            else:
                continue
            if worth > value[f]:
                value[f], choice[f, 0], choice[f, 1] = worth, at, b


@machine_code(types.void(TABLE, WORK, F), inner=True)
def _find_best_choices(table, work, theta):  # type: ignore[no-untyped-def]
    """Choose what each feature accepts; ties go to the first of: all, an interval, the tests."""
    n_bins, H, value, choice = table.n_bins, work.H, work.value, work.choice
    full, price = work.full, theta + TIE
    _find_best_runs(table, work, theta)
    for f in range(len(n_bins)):
        lost, lacks, pick = H[f, n_bins[f]], table.has_missing[f], 1
        full[f] = lost
        for b in range(n_bins[f]):
            full[f] += H[f, b]
        if lacks:
            value[f] += max(lost, 0.0)
        if value[f] <= full[f]:
            value[f], pick = full[f], 0
        if lacks and table.may_test[f]:
            if full[f] - lost - price > value[f]:
                value[f], pick = full[f] - lost - price, 2
            if lost - price > value[f]:
                value[f], pick = lost - price, 3
        if pick != 1:
            choice[f, 0] = 1 if pick == 3 else 0
            choice[f, 1] = 0 if pick == 3 else n_bins[f] - 1
        choice[f, 2] = (not lacks or lost > 0) if pick == 1 else pick != 2


@machine_code(types.void(TABLE, WORK, I, F), inner=True)
def _find_current(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Value what each feature accepts now."""
    H, low, high, absent, size = work.H, work.low, work.high, work.absent, work.size
    n_bins, now = table.n_bins, work.now
    for f in range(len(n_bins)):
        inside = 0.0
        for b in range(low[r, f], high[r, f] + 1):
            inside += H[f, b]
        lost = H[f, n_bins[f]] if absent[r, f] else 0.0
        now[f] = inside + lost - theta * size[r, f]


@machine_code(I(TABLE, WORK, I, F, I), inner=True)
def _best_feature(table, work, r, theta, freed):  # type: ignore[no-untyped-def]
    """Find the feature whose change gains most, `freed` counting as dropped."""
    _fill_histogram(table, work, r, freed)
    _find_best_choices(table, work, theta)
    _find_current(table, work, r, theta)
    value, now, best = work.value, work.now, -1
    for f in range(len(value)):
        value[f] -= now[f]
        if freed >= 0:
            value[f] += work.dropped[freed]
        if f != freed and (best < 0 or value[f] > value[best]):
            best = f
    return best


@machine_code(B(TABLE, WORK, I, F), inner=True)
def _step(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Make the best change of one feature of clause `r`; say whether any improves."""
    f = _best_feature(table, work, r, theta, -1)
    if work.value[f] <= IMPROVEMENT:
        return False
    low, high, absent = work.choice[f, 0], work.choice[f, 1], work.choice[f, 2]
    _set_feature(table, work, r, f, low, high, absent != 0)
    return True


@machine_code(B(TABLE, WORK, I, F), inner=True)
def _swap(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Drop one feature of clause `r` and change another, where both together improve."""
    _best_feature(table, work, r, theta, -1)
    p = len(table.n_bins)
    for f in range(p):
        work.dropped[f] = work.full[f] - work.now[f]
    most, drop, take, low, high, absent = IMPROVEMENT, -1, -1, 0, 0, 0
    for f in range(p):
        if work.size[r, f] and p > 1:
            g = _best_feature(table, work, r, theta, f)
            if work.value[g] > most:
                most, drop, take = work.value[g], f, g
                low, high, absent = work.choice[g, 0], work.choice[g, 1], work.choice[g, 2]
    if drop < 0:
        return False
    _set_feature(table, work, r, drop, 0, table.n_bins[drop] - 1, True)
    _set_feature(table, work, r, take, low, high, absent != 0)
    return True


@machine_code(F(TABLE, WORK, I, I), inner=True)
def _near_loss(table, work, k, skipped):  # type: ignore[no-untyped-def]
    """Price the rows of the other class that one feature keeps from a clause."""
    v, near, total = work.v, table.near, 0.0
    for r in range(k):
        if r != skipped:
            for i in range(len(near)):
                if v[r, i] == 1:
                    total += near[i]
    return total


@machine_code(F(TABLE, WORK, I, I), inner=True)
def _loss(table, work, k, skipped):  # type: ignore[no-untyped-def]
    """Price all wrong rows with the first `k` clauses, one of them left out."""
    y, base, extra, nearest, holding = table.y, table.base, table.extra, work.nearest, work.holding
    _find_others(work, k, skipped)
    total = _near_loss(table, work, k, skipped)
    for i in range(len(y)):
        if y[i]:
            more = 0 if nearest[i] == FAR else nearest[i] - 1
            wrong = nearest[i] > 0
        else:
            more = holding[i] - 1
            wrong = holding[i] > 0
        if wrong:
            total += base[i] + extra[i] * more
    return total


@machine_code(F(TABLE, WORK, LOG, I, I, F), inner=True)
def _record(table, work, log, k, skipped, theta):  # type: ignore[no-untyped-def]
    """Log the rule without the clause `skipped` (or -1); return its objective."""
    loss, at, kept, n_literals = _loss(table, work, k, skipped), log.count[0], 0, 0
    for r in range(k):
        if r == skipped:
            continue
        for f in range(len(table.n_bins)):
            log.low[at, kept, f] = work.low[r, f]
            log.high[at, kept, f] = work.high[r, f]
            log.absent[at, kept, f] = work.absent[r, f]
            n_literals += work.size[r, f]
        kept += 1
    log.size[at, 0], log.size[at, 1], log.loss[at] = kept, n_literals, loss
    log.count[0] = at + 1
    return loss + theta * n_literals


@machine_code(types.void(TABLE, WORK, I, I), inner=True)
def _drop_clause(table, work, k, r):  # type: ignore[no-untyped-def]
    """Remove clause `r`."""
    for later in range(r + 1, k):
        for f in range(len(table.n_bins)):
            work.low[later - 1, f] = work.low[later, f]
            work.high[later - 1, f] = work.high[later, f]
            work.absent[later - 1, f] = work.absent[later, f]
            work.size[later - 1, f] = work.size[later, f]
        for i in range(len(table.y)):
            work.v[later - 1, i] = work.v[later, i]


@machine_code(I(TABLE, WORK, LOG, I, F), inner=True)
def _drop_useless(table, work, log, k, theta):  # type: ignore[no-untyped-def]
    """Drop clauses, the most useless one first, while the objective falls; return their number."""
    objective = _record(table, work, log, k, -1, theta)
    while k:
        least, at = np.inf, 0
        for r in range(k):
            value = _record(table, work, log, k, r, theta)
            if value < least:
                least, at = value, r
        if least >= objective - IMPROVEMENT:
            break
        objective = least
        _drop_clause(table, work, k, at)
        k -= 1
    return k


@machine_code(B(TABLE, WORK, I, F), inner=True)
def _improve(table, work, k, theta):  # type: ignore[no-untyped-def]
    """Take steps, clause after clause, or else one swap; say whether anything improved."""
    moved = False
    for r in range(k):
        _find_others(work, k, r)
        while _step(table, work, r, theta):
            moved = True
    if moved:
        return True
    for r in range(k):
        _find_others(work, k, r)
        if _swap(table, work, r, theta):
            return True
    return False


@machine_code(I(TABLE, WORK, LOG, I, F), inner=True)
def _descend(table, work, log, k, theta):  # type: ignore[no-untyped-def]
    """Improve until no change, no swap and no dropped clause does; return how many are left."""
    while True:
        while _improve(table, work, k, theta):
            pass
        left = _drop_useless(table, work, log, k, theta)
        if left == k:
            return k
        k = left


@machine_code(types.void(TABLE, WORK, I), inner=True)
def _clear_clause(table, work, r):  # type: ignore[no-untyped-def]
    """Let clause `r` hold everywhere."""
    for f in range(len(table.n_bins)):
        work.low[r, f], work.high[r, f] = 0, table.n_bins[f] - 1
        work.absent[r, f], work.size[r, f] = True, 0
    for i in range(len(table.y)):
        work.v[r, i] = 0


@machine_code(I(TABLE, WORK, LOG, I, I, F), inner=True)
def _grow(table, work, log, k, n_clauses, theta):  # type: ignore[no-untyped-def]
    """Add clauses, each narrowed from the whole space, while the objective falls."""
    objective = _record(table, work, log, k, -1, theta)
    while k < n_clauses:
        _clear_clause(table, work, k)
        _find_others(work, k, -1)
        while _step(table, work, k, theta):
            pass
        grown = _record(table, work, log, k + 1, -1, theta)
        if grown >= objective - IMPROVEMENT:
            return k
        objective = grown
        k += 1
    return k


@machine_code(types.void(TABLE, WORK, LOG, I, I, F, B))
def visit(table, work, log, k, n_clauses, theta, undisturbed):  # type: ignore[no-untyped-def]
    """Do what `box_moves.Moves.visit` does, from the first `k` clauses of `work`."""
    log.count[0] = 0
    for r in range(k):
        for i in range(len(table.y)):
            work.v[r, i] = 0
        for f in range(len(table.n_bins)):
            low, high, absent = work.low[r, f], work.high[r, f], work.absent[r, f]
            work.size[r, f] = _literals(table.n_bins[f], table.has_missing[f], low, high, absent)
            _count_refused(table, work, r, f, 1)
    for turn in range(2):  # one call of each, as every call is compiled by itself
        if turn or undisturbed:
            k = _descend(table, work, log, k, theta)
        if turn == 0:
            grown = _grow(table, work, log, k, n_clauses, theta)
            if grown == k and undisturbed:
                break
            k = grown
