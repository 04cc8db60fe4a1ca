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

from rulekit.solvers.box_machine_pairs import start_clause
from rulekit.solvers.box_machine_types import LOG, TABLE, WORK, B, F, I, Log, Table, Work
from rulekit.solvers.compiled import machine_code

__all__ = ["DESCEND", "ENTER", "GROW", "Log", "Table", "Work", "start_clause", "visit"]

TIE, IMPROVEMENT = 1e-9, 1e-6  # as in box_kernel and box_moves; the tests compare them
FAR = 1 << 14  # more violations than any clause can have
LOW, HIGH, ABSENT, SIZE = range(4)  # what the last axis of the arrays is, see box_machine_types
BASE, EXTRA, NEAR = range(3)
VALUE, NOW, FULL, DROPPED = range(4)
START, END = TEST, LACKS = NEAREST, HOLDING = range(2)
ENTER, DESCEND, GROW = range(3)


@machine_code(B(I, I, I, I, I), inner=True)
def _refuses(code, n_bins, low, high, absent):  # type: ignore[no-untyped-def]
    """Say whether an interval keeps a row with this code out."""
    if code == n_bins:
        return not absent
    return code < low or code > high


@machine_code(I(I, B, I, I, I), inner=True)
def _literals(n_bins, lacks, low, high, absent):  # type: ignore[no-untyped-def]
    """Count the literals of an interval on a feature that `lacks` values or does not."""
    if low > high:
        return 1
    ends = np.int64(low > 0) + np.int64(high < n_bins - 1)
    return 1 if ends == 0 and lacks and not absent else ends


@machine_code(types.void(TABLE, WORK, I, I, I), inner=True)
def _count_refused(table, work, r, f, sign):  # type: ignore[no-untyped-def]
    """Add to the violations of clause `r`, `sign` times, what its feature `f` refuses."""
    low, high, absent = work.box[r, f, LOW], work.box[r, f, HIGH], work.box[r, f, ABSENT]
    codes, v, n_bins = table.codes, work.v, table.n_bins[f]
    if work.box[r, f, SIZE]:
        for i in range(len(codes)):
            v[r, i] += sign * _refuses(codes[i, f], n_bins, low, high, absent)


@machine_code(types.void(TABLE, WORK, I, I, I, I, I), inner=True)
def _set_feature(table, work, r, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Give clause `r` another interval on feature `f`."""
    _count_refused(table, work, r, f, -1)
    work.box[r, f, LOW], work.box[r, f, HIGH], work.box[r, f, ABSENT] = low, high, absent
    work.box[r, f, SIZE] = _literals(table.n_bins[f], table.flags[f, LACKS], low, high, absent)
    _count_refused(table, work, r, f, 1)


@machine_code(types.void(WORK, I, I), inner=True)
def _find_others(work, k, r):  # type: ignore[no-untyped-def]
    """Find the fewest violations and the number of holding clauses over all clauses but `r`."""
    v, others = work.v, work.others
    for i in range(len(others)):
        least, held = FAR, 0
        for other in range(k):
            if other != r:
                if v[other, i] < least:
                    least = v[other, i]
                held += v[other, i] == 0
        others[i, NEAREST], others[i, HOLDING] = least, held


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
        if work.box[r, f, SIZE] and f != freed:
            work.active[n_active] = f
            n_active += 1
    return n_active


@machine_code(types.void(TABLE, WORK, I, I), inner=True)
def _fill_histogram(table, work, r, freed):  # type: ignore[no-untyped-def]
    """Sum what acceptance saves over the bins of every feature; see `box_kernel.histogram`."""
    codes, n_bins, y, charges = table.codes, table.n_bins, table.y, table.charges
    box, v, H, active, others = work.box, work.v, work.H, work.active, work.others
    n_active = _clear_histogram(table, work, r, freed)
    for i in range(len(y)):
        u, m = np.int64(v[r, i]), others[i, NEAREST]
        if freed >= 0 and u:
            f = freed
            u -= _refuses(codes[i, f], n_bins[f], box[r, f, 0], box[r, f, 1], box[r, f, 2])
        base, extra, near = charges[i, BASE], charges[i, EXTRA], charges[i, NEAR]
        at_zero = _saving_at_zero(y[i], base, extra, near, m, others[i, HOLDING])
        accepted = _saving(u, y[i], at_zero, extra, near, m)
        if accepted != 0.0:
            for f in range(len(n_bins)):
                H[f, codes[i, f]] += accepted
        surplus = _saving(u - 1, y[i], at_zero, extra, near, m) - accepted
        if u > 0 and surplus != 0.0:
            for a in range(n_active):
                f = active[a]
                if _refuses(codes[i, f], n_bins[f], box[r, f, 0], box[r, f, 1], box[r, f, 2]):
                    H[f, codes[i, f]] += surplus


@machine_code(types.void(TABLE, WORK, F), inner=True)
def _find_best_runs(table, work, theta):  # type: ignore[no-untyped-def]
    """Find for every feature the best interval with an end, and its value."""
    n_bins, may, H, gain, choice = table.n_bins, table.may, work.H, work.gain, work.choice
    price = theta + TIE
    for f in range(len(n_bins)):
        upto, gain[f, VALUE] = 0.0, -np.inf
        reach, later = 0.0, np.inf  # least cost of a beginning: at any bin, above the first
        reach_at, later_at, last = 0, 0, n_bins[f] - 1
        for b in range(last + 1):
            if b > 0 and may[f, b, START]:
                start = upto + price
                if start < later:
                    later, later_at = start, b
                if start < reach:
                    reach, reach_at = start, b
            upto += H[f, b]
            if b == last:
                worth, at = upto - later, later_at
            elif may[f, b, END]:
                worth, at = upto - price - reach, reach_at
            else:
                continue
            if worth > gain[f, VALUE]:
                gain[f, VALUE], choice[f, 0], choice[f, 1] = worth, at, b


@machine_code(types.void(TABLE, WORK, F), inner=True)
def _find_best_choices(table, work, theta):  # type: ignore[no-untyped-def]
    """Choose what each feature accepts; ties go to the first of: all, an interval, the tests."""
    n_bins, H, gain, choice = table.n_bins, work.H, work.gain, work.choice
    price = theta + TIE
    _find_best_runs(table, work, theta)
    for f in range(len(n_bins)):
        lost, lacks, pick = H[f, n_bins[f]], table.flags[f, LACKS], 1
        gain[f, FULL] = lost
        for b in range(n_bins[f]):
            gain[f, FULL] += H[f, b]
        if lacks:
            gain[f, VALUE] += max(lost, 0.0)
        if gain[f, VALUE] <= gain[f, FULL]:
            gain[f, VALUE], pick = gain[f, FULL], 0
        if lacks and table.flags[f, TEST]:
            if gain[f, FULL] - lost - price > gain[f, VALUE]:
                gain[f, VALUE], pick = gain[f, FULL] - lost - price, 2
            if lost - price > gain[f, VALUE]:
                gain[f, VALUE], pick = lost - price, 3
        if pick != 1:
            choice[f, 0] = 1 if pick == 3 else 0
            choice[f, 1] = 0 if pick == 3 else n_bins[f] - 1
        choice[f, 2] = (not lacks or lost > 0) if pick == 1 else pick != 2


@machine_code(types.void(TABLE, WORK, I, F), inner=True)
def _find_current(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Value what each feature accepts now."""
    n_bins, H, gain, box = table.n_bins, work.H, work.gain, work.box
    for f in range(len(n_bins)):
        inside = 0.0
        for b in range(box[r, f, LOW], box[r, f, HIGH] + 1):
            inside += H[f, b]
        lost = H[f, n_bins[f]] if box[r, f, ABSENT] else 0.0
        gain[f, NOW] = inside + lost - theta * box[r, f, SIZE]


@machine_code(I(TABLE, WORK, I, F, I), inner=True)
def _best_feature(table, work, r, theta, freed):  # type: ignore[no-untyped-def]
    """Find the feature whose change gains most, `freed` counting as dropped."""
    _fill_histogram(table, work, r, freed)
    _find_best_choices(table, work, theta)
    _find_current(table, work, r, theta)
    gain, best = work.gain, -1
    for f in range(len(gain)):
        gain[f, VALUE] -= gain[f, NOW]
        if freed >= 0:
            gain[f, VALUE] += gain[freed, DROPPED]
        if f != freed and (best < 0 or gain[f, VALUE] > gain[best, VALUE]):
            best = f
    return best


@machine_code(B(TABLE, WORK, I, F), inner=True)
def _step(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Make the best change of one feature of clause `r`; say whether any improves."""
    f = _best_feature(table, work, r, theta, -1)
    if work.gain[f, VALUE] <= IMPROVEMENT:
        return False
    low, high, absent = work.choice[f, 0], work.choice[f, 1], work.choice[f, 2]
    _set_feature(table, work, r, f, low, high, absent)
    return True


@machine_code(B(TABLE, WORK, I, F), inner=True)
def _swap(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Drop one feature of clause `r` and change another, where both together improve."""
    _best_feature(table, work, r, theta, -1)
    p = len(table.n_bins)
    for f in range(p):
        work.gain[f, DROPPED] = work.gain[f, FULL] - work.gain[f, NOW]
    most, drop, take, low, high, absent = IMPROVEMENT, -1, -1, 0, 0, 0
    for f in range(p):
        if work.box[r, f, SIZE] and p > 1:
            g = _best_feature(table, work, r, theta, f)
            if work.gain[g, VALUE] > most:
                most, drop, take = work.gain[g, VALUE], f, g
                low, high, absent = work.choice[g, 0], work.choice[g, 1], work.choice[g, 2]
    if drop < 0:
        return False
    _set_feature(table, work, r, drop, 0, table.n_bins[drop] - 1, True)
    _set_feature(table, work, r, take, low, high, absent)
    return True


@machine_code(F(TABLE, WORK, I, I), inner=True)
def _near_loss(table, work, k, skipped):  # type: ignore[no-untyped-def]
    """Price the rows of the other class that one feature keeps from a clause."""
    v, charges, total = work.v, table.charges, 0.0
    for r in range(k):
        if r != skipped:
            for i in range(len(charges)):
                if v[r, i] == 1:
                    total += charges[i, NEAR]
    return total


@machine_code(F(TABLE, WORK, I, I), inner=True)
def _loss(table, work, k, skipped):  # type: ignore[no-untyped-def]
    """Price all wrong rows with the first `k` clauses, one of them left out."""
    y, charges, others = table.y, table.charges, work.others
    _find_others(work, k, skipped)
    total = _near_loss(table, work, k, skipped)
    for i in range(len(y)):
        nearest, holding = others[i, NEAREST], others[i, HOLDING]
        more = (nearest if y[i] else holding) - 1
        if nearest == FAR and y[i]:
            more = 0  # there is no clause at all
        if more >= 0:
            total += charges[i, BASE] + charges[i, EXTRA] * more
    return total


@machine_code(F(TABLE, WORK, LOG, I, I, F), inner=True)
def _record(table, work, log, k, skipped, theta):  # type: ignore[no-untyped-def]
    """Log the rule without the clause `skipped` (or -1); return its objective."""
    loss, at, kept, n_literals = _loss(table, work, k, skipped), log.count[0], 0, 0
    for r in range(k):
        if r == skipped:
            continue
        for f in range(len(table.n_bins)):
            for part in range(3):
                log.box[at, kept, f, part] = work.box[r, f, part]
            n_literals += work.box[r, f, SIZE]
        kept += 1
    log.size[at, 0], log.size[at, 1], log.loss[at] = kept, n_literals, loss
    log.count[0] = at + 1
    return loss + theta * n_literals


@machine_code(types.void(TABLE, WORK, I, I), inner=True)
def _drop_clause(table, work, k, r):  # type: ignore[no-untyped-def]
    """Remove clause `r`."""
    for later in range(r + 1, k):
        for f in range(len(table.n_bins)):
            for part in range(4):
                work.box[later - 1, f, part] = work.box[later, f, part]
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


@machine_code(B(TABLE, WORK, LOG, I, F), inner=True)
def _grow(table, work, log, k, theta):  # type: ignore[no-untyped-def]
    """Improve clause `k`, a new one; say whether the objective is lower with it."""
    objective = _record(table, work, log, k, -1, theta)
    _find_others(work, k, -1)
    while _step(table, work, k, theta):
        pass
    return _record(table, work, log, k + 1, -1, theta) < objective - IMPROVEMENT


@machine_code(types.void(TABLE, WORK, I), inner=True)
def _enter_clause(table, work, r):  # type: ignore[no-untyped-def]
    """Count the literals of clause `r`, and what it refuses."""
    for i in range(len(table.y)):
        work.v[r, i] = 0
    for f in range(len(table.n_bins)):
        low, high, absent = work.box[r, f, LOW], work.box[r, f, HIGH], work.box[r, f, ABSENT]
        work.box[r, f, SIZE] = _literals(table.n_bins[f], table.flags[f, LACKS], low, high, absent)
        _count_refused(table, work, r, f, 1)


@machine_code(I(TABLE, WORK, LOG, I, I, I, F))
def visit(table, work, log, task, entered, k, theta):  # type: ignore[no-untyped-def]
    """Do a part of `box_moves.Moves.visit`; return the number of clauses then.

    The clauses from `entered` to `k` of `work` are new. With the task DESCEND all `k` are improved;
    with GROW the last one, which is kept if it pays; with ENTER they are logged as they are.
    """
    for r in range(entered, k):
        _enter_clause(table, work, r)
    if task == DESCEND:
        return _descend(table, work, log, k, theta)
    if task == GROW:
        return k if _grow(table, work, log, k - 1, theta) else k - 1
    _record(table, work, log, k, -1, theta)
    return k
