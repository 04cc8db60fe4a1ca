"""The moves of the box search: the best interval of every feature of a clause, and what it changes.

With all else fixed, the loss is a sum over rows of a price that depends on whether one feature
accepts the row. One histogram of these prices over the bins, for all features at once, turns "which
interval is best" into a maximum-sum run, found in one pass of prefix sums. This sweeps every
combination of cuts of a feature: none, one at most, one greater than, and both.

Sums over rows are exact (`problem.Charges`), prices of literals are added in one order, ties are
broken by one rule, so that the slow twins in the tests find the same rules to the last bit.

Legend, beside that of `problem`::

    k      clauses of the state; r one of them, f a feature
    u      violations of a row by the other features of the clause
    g(u)   what is saved when this feature accepts the row instead of refusing it
    H      (p, width) sum of g over the rows of a bin, the missing ones in slot n_bins[f]
    freed  a feature that counts as dropped, or NONE
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from rulekit.solvers.machine_code import machine_code, record

TIE = 1e-9  # a literal must earn at least this much more than its price
IMPROVEMENT = 1e-6  # above the tie price of literals and the rounding of histograms
FAR = 1 << 30  # more violations than any clause can have: the distance to no clause at all
LOW, HIGH, ABSENT, SIZE = range(4)  # what the last axis of the arrays below counts
BASE, EXTRA, NEAR = range(3)
VALUE, NOW, FULL, DROPPED = range(4)
# Each plain number makes a version of its own of every kernel that it is handed to.
typed: Any = np.int64
ZERO, ONE, NONE = typed(0), typed(1), typed(-1)
START, END = TEST, LACKS = NEAREST, HOLDING = CLAUSES, LITERALS = range(2)


class Table(NamedTuple):
    """The problem; see `BoxProblem`. Few arrays: each one makes all kernels longer to compile."""

    codes: Any  # (n, p) uint16
    n_bins: Any  # (p,) int64
    y: Any  # (n,) bool
    charges: Any  # (n, 3) float64: base, extra, near
    may: Any  # (p, bins, 2) bool: start, end
    flags: Any  # (p, 2) bool: may test missingness, lacks values


class Work(NamedTuple):
    """The clauses and room to work in, for as many clauses as a search may have."""

    box: Any  # (k, p, 4) int64: low, high, absent, literals
    v: Any  # (k, n) int32
    others: Any  # (n, 2) int64, over the other clauses: fewest violations, number that hold
    H: Any  # (p, width) float64
    gain: Any  # (p, 4) float64: best choice, what is accepted now, all rows, dropping the feature
    choice: Any  # (p, 3) int64: low, high, absent
    active: Any  # (p,) int64, features of the clause that may refuse a row


class Log(NamedTuple):
    """Rules on their way to the archive, in the order they were found."""

    box: Any  # (entries, k, p, 3) int64: low, high, absent
    size: Any  # (entries, 2) int64: clauses, literals
    loss: Any  # (entries,) float64
    count: Any  # (1,) int64


I, F, B = types.int64, types.float64, types.boolean  # noqa: E741
I1, I2, I3, F1, F2 = I[::1], I[:, ::1], I[:, :, ::1], F[::1], F[:, ::1]
TABLE = record(Table, types.uint16[:, ::1], I1, B[::1], F2, B[:, :, ::1], B[:, ::1])
WORK = record(Work, I3, types.int32[:, ::1], I2, F2, F2, I2, I1)
LOG = record(Log, I[:, :, :, ::1], I2, F1, I1)


# What runs per row takes numbers, what runs per clause the tuples of arrays: handing a tuple over
# counts every array in and out, which costs more than the work on one row.


@machine_code()
def _refuses(code, n_bins, low, high, absent):  # type: ignore[no-untyped-def]
    """Say whether an interval keeps a row with this code out."""
    if code == n_bins:
        return not absent
    return code < low or code > high


@machine_code()
def _literals(n_bins, lacks, low, high, absent):  # type: ignore[no-untyped-def]
    """Count the literals of an interval on a feature that `lacks` values or does not."""
    if low > high:
        return 1
    ends = np.int64(low > 0) + np.int64(high < n_bins - 1)
    return 1 if ends == 0 and lacks and not absent else ends


@machine_code()
def _count_refused(table, work, r, f, sign):  # type: ignore[no-untyped-def]
    """Add to the violations of clause `r`, `sign` times, what its feature `f` refuses."""
    low, high, absent = work.box[r, f, LOW], work.box[r, f, HIGH], work.box[r, f, ABSENT]
    codes, v, n_bins = table.codes, work.v, table.n_bins[f]
    if work.box[r, f, SIZE]:
        for i in range(len(codes)):
            v[r, i] += sign * _refuses(codes[i, f], n_bins, low, high, absent)


@machine_code()
def set_feature(table, work, r, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Give clause `r` another interval on feature `f`."""
    _count_refused(table, work, r, f, NONE)
    work.box[r, f, LOW], work.box[r, f, HIGH], work.box[r, f, ABSENT] = low, high, absent
    work.box[r, f, SIZE] = _literals(table.n_bins[f], table.flags[f, LACKS], low, high, absent)
    _count_refused(table, work, r, f, ONE)


@machine_code()
def enter_clause(table, work, r):  # type: ignore[no-untyped-def]
    """Count the literals of clause `r`, and what it refuses."""
    for i in range(len(table.y)):
        work.v[r, i] = 0
    for f in range(len(table.n_bins)):
        low, high, absent = work.box[r, f, LOW], work.box[r, f, HIGH], work.box[r, f, ABSENT]
        work.box[r, f, SIZE] = _literals(table.n_bins[f], table.flags[f, LACKS], low, high, absent)
        _count_refused(table, work, r, f, ONE)


@machine_code()
def put_whole(table, work, r):  # type: ignore[no-untyped-def]
    """Let clause `r` accept all values of every feature; its literals are counted later."""
    for f in range(len(table.n_bins)):
        work.box[r, f, LOW], work.box[r, f, HIGH] = 0, table.n_bins[f] - 1
        work.box[r, f, ABSENT] = 1


@machine_code()
def enter_whole(table, work, r):  # type: ignore[no-untyped-def]
    """Make clause `r` the one without literals, which holds everywhere."""
    put_whole(table, work, r)
    enter_clause(table, work, r)


@machine_code()
def find_others(work, k, r):  # type: ignore[no-untyped-def]
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


@machine_code()
def saving(u, described, at_zero, extra, near, nearest):  # type: ignore[no-untyped-def]
    """Evaluate the function ``g`` of one row."""
    if u == 0:
        return at_zero
    if described:
        return extra if 0 < u < nearest else 0.0
    return -near if u == 1 else 0.0


@machine_code()
def saving_at_zero(described, base, extra, near, nearest, holding):  # type: ignore[no-untyped-def]
    """Evaluate ``g`` where no other feature of the clause is violated."""
    if described:
        return base if nearest >= 1 else 0.0
    return near - (base if holding == 0 else extra)


@machine_code()
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


@machine_code()
def _fill_histogram(table, work, r, freed):  # type: ignore[no-untyped-def]
    """Sum what acceptance saves over the bins of every feature.

    O(a p + b) for the `a` rows that save something in every feature and the `b` refusals that
    matter. For training errors these are the rows the clause holds for, and the rows that a single
    feature keeps out.
    """
    codes, n_bins, y, charges = table.codes, table.n_bins, table.y, table.charges
    box, v, H, active, others = work.box, work.v, work.H, work.active, work.others
    n_active = _clear_histogram(table, work, r, freed)
    for i in range(len(y)):
        u = np.int64(v[r, i])
        if freed >= 0 and u:
            f = freed
            low, high, absent = box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT]
            u -= _refuses(codes[i, f], n_bins[f], low, high, absent)
        extra, near = charges[i, EXTRA], charges[i, NEAR]
        if u > 1 and extra == 0.0 and near == 0.0:
            continue  # what is refused twice costs the same whatever one feature does
        base, m = charges[i, BASE], others[i, NEAREST]
        at_zero = saving_at_zero(y[i], base, extra, near, m, others[i, HOLDING])
        # A feature that accepts the row has all u violations beside it: g(u). So many features do
        # that their sum is taken for all of them, and mended below for the few that refuse it.
        accepted = saving(u, y[i], at_zero, extra, near, m)
        if accepted != 0.0:
            for f in range(len(n_bins)):
                H[f, codes[i, f]] += accepted
        # A feature that refuses the row is one of the u itself: g(u - 1).
        surplus = saving(u - 1, y[i], at_zero, extra, near, m) - accepted
        if u > 0 and surplus != 0.0:
            for a in range(n_active):
                f = active[a]
                low, high, absent = box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT]
                if _refuses(codes[i, f], n_bins[f], low, high, absent):
                    H[f, codes[i, f]] += surplus


@machine_code()
def _best_run(H, row, may, f, last, price):  # type: ignore[no-untyped-def]
    """Find the best interval with an end: worth, first and last bin; and the sum of all bins."""
    upto, worth, low, high = 0.0, -np.inf, 0, 0
    reach, later = 0.0, np.inf  # least cost of a beginning: at any bin, above the first
    reach_at, later_at = 0, 0
    for b in range(last + 1):
        if b > 0 and may[f, b, START]:
            start = upto + price
            if start < later:
                later, later_at = start, b
            if start < reach:
                reach, reach_at = start, b
        upto += H[row, b]
        if b == last:  # from the first bin to the last is no interval: it is a choice of its own
            value, at = upto - later, later_at
        elif may[f, b, END]:
            value, at = upto - price - reach, reach_at
        else:
            continue
        if value > worth:
            worth, low, high = value, at, b
    return worth, low, high, upto


@machine_code()
def best_choice(H, row, may, f, last, flags, price):  # type: ignore[no-untyped-def]
    """Choose what feature `f` accepts, by a row of H: worth, low, high, absent, and worth of all.

    Ties go to the first of: all, an interval, the two tests of missingness.
    """
    worth, low, high, inside = _best_run(H, row, may, f, last, price)
    lost, lacks, absent = H[row, last + 1], flags[f, LACKS], True
    full = inside + lost
    if lacks:
        worth, absent = worth + max(lost, 0.0), lost > 0
    if worth <= full:
        worth, low, high, absent = full, 0, last, True
    if lacks and flags[f, TEST]:
        if inside - price > worth:
            worth, low, high, absent = inside - price, 0, last, False
        if lost - price > worth:
            worth, low, high, absent = lost - price, 1, 0, True
    return worth, low, high, absent, full


@machine_code()
def find_best_choices(table, work, r, freed, theta):  # type: ignore[no-untyped-def]
    """Choose what each feature of clause `r` accepts, all else as it is."""
    gain, choice = work.gain, work.choice
    _fill_histogram(table, work, r, freed)
    for f in range(len(gain)):
        worth, low, high, absent, full = best_choice(
            work.H, f, table.may, f, table.n_bins[f] - 1, table.flags, theta + TIE
        )
        gain[f, VALUE], gain[f, FULL] = worth, full
        choice[f, LOW], choice[f, HIGH], choice[f, ABSENT] = low, high, absent


@machine_code()
def _find_current(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Value what each feature accepts now."""
    n_bins, H, gain, box = table.n_bins, work.H, work.gain, work.box
    for f in range(len(n_bins)):
        inside = 0.0
        for b in range(box[r, f, LOW], box[r, f, HIGH] + 1):
            inside += H[f, b]
        lost = H[f, n_bins[f]] if box[r, f, ABSENT] else 0.0
        gain[f, NOW] = inside + lost - theta * box[r, f, SIZE]


@machine_code()
def _best_feature(table, work, r, theta, freed):  # type: ignore[no-untyped-def]
    """Find the feature whose change gains most (or NONE), `freed` counting as dropped."""
    find_best_choices(table, work, r, freed, theta)
    _find_current(table, work, r, theta)
    gain, best = work.gain, NONE
    for f in range(len(gain)):
        gain[f, VALUE] -= gain[f, NOW]
        if freed >= 0:
            gain[f, VALUE] += gain[freed, DROPPED]
        if f != freed and (best < 0 or gain[f, VALUE] > gain[best, VALUE]):
            best = f
    return best


@machine_code()
def step(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Make the best change of one feature of clause `r`; say whether any improves."""
    f = _best_feature(table, work, r, theta, NONE)
    if f < 0 or work.gain[f, VALUE] <= IMPROVEMENT:
        return False
    low, high, absent = work.choice[f, LOW], work.choice[f, HIGH], work.choice[f, ABSENT]
    set_feature(table, work, r, f, low, high, absent)
    return True


@machine_code()
def swap(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Drop one feature of clause `r` and change another, where both together improve."""
    _best_feature(table, work, r, theta, NONE)
    p = len(table.n_bins)
    for f in range(p):
        work.gain[f, DROPPED] = work.gain[f, FULL] - work.gain[f, NOW]
    most, drop, take, low, high, absent = IMPROVEMENT, NONE, NONE, ZERO, ZERO, ZERO
    for f in range(p):
        if work.box[r, f, SIZE] and p > 1:
            g = _best_feature(table, work, r, theta, f)
            if work.gain[g, VALUE] > most:
                most, drop, take = work.gain[g, VALUE], f, g
                low, high, absent = (
                    work.choice[g, LOW],
                    work.choice[g, HIGH],
                    work.choice[g, ABSENT],
                )
    if drop < 0:
        return False
    set_feature(table, work, r, drop, ZERO, table.n_bins[drop] - 1, ONE)
    set_feature(table, work, r, take, low, high, absent)
    return True


@machine_code()
def first_refusing(table, work, r, i):  # type: ignore[no-untyped-def]
    """Return the first feature of clause `r` that refuses row `i`, one that violates it."""
    codes, n_bins, box, f = table.codes, table.n_bins, work.box, ZERO
    while True:
        low, high, absent = box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT]
        if box[r, f, SIZE] and _refuses(codes[i, f], n_bins[f], low, high, absent):
            return f
        f += 1
