"""The moves of the box search: the best interval of each feature of a clause, and its effect."""

# With all else fixed, the loss is a sum over rows of a price that depends on whether one feature
# accepts the row. One histogram of these prices over the bins, for all features at once, turns
# "which interval is best" into a maximum-sum run, found in one pass of prefix sums. This sweeps
# every combination of cuts of a feature: none, one at most, one greater than, and both.
#
# Sums over rows are exact (`BoxRows.charges`), prices of literals are added in one order, ties are
# broken by one rule, so that the slow twins in the tests find the same rules to the last bit.
#
# Legend, beside that of `problem`:
#   k      clauses of the state; r one of them, f a feature
#   u      violations of a row by the other features of the clause
#   g(u)   what is saved when this feature accepts the row instead of refusing it
#   freed  a feature that counts as dropped
#   slot   place of a feature among those of the clause that may refuse a row (`MoveArrays.active`)
#
# A feature reads the cells of one column, and many may read the same one: each level of a category
# is a feature. So g is summed over the cells of columns (``sums``), once for all features that
# accept a row, and what the few that refuse it have besides over their own cells (``extra``). With
# one feature dropped both differ by the rows that it refuses (``freed``, ``both``): one pass serves
# all drops.

from typing import Any, NamedTuple

import numpy as np
from numba import types

from rulekit.search.machine_code import machine_code
from rulekit.search.records import record

TIE = 1e-9  # a literal must earn at least this much more than its price
IMPROVEMENT = 1e-6  # above the tie price of literals and the rounding of histograms
FAR = 1 << 30  # more violations than any clause can have: the distance to no clause at all
LOW, HIGH, ABSENT, SIZE = range(4)  # what the last axis of the arrays below counts
WORTH, EXTRA, NEAR = range(3)
VALUE, NOW, FULL, DROPPED = range(4)
# Each plain number makes a version of its own of every kernel that it is handed to.
typed: Any = np.int64
ZERO, ONE, NONE = typed(0), typed(1), typed(-1)
START, END = TEST, LACKS = CLAUSES, LITERALS = BINS, SOURCE = range(2)


class MoveTable(NamedTuple):
    """The problem; see `BoxRows`. Few arrays: each one makes all kernels longer to compile."""

    rows: Any  # (n, c) uint16, cells
    columns: Any  # (c, n) uint16, the same
    cells: Any  # (c,) int64, number of cells of each column
    features: Any  # (p, 2) int64: number of bins, column read
    bins: Any  # (p, cells) uint16, bin of each cell of the column read
    y: Any  # (n,) bool
    charges: Any  # (n, 3) float64: base, negative for the other class; extra; near
    may: Any  # (p, bins, 2) bool: start, end
    flags: Any  # (p, 2) bool: may test missingness, lacks values
    plain: Any  # (1,) bool: whether all extra and near are 0


class MoveArrays(NamedTuple):
    """The clauses and work arrays, for as many clauses as a search may have."""

    box: Any  # (k, p, 4) int64: low, high, absent, literals
    v: Any  # (k, n) int16
    held: Any  # (n,) int16, clauses that hold
    nearest: Any  # (n,) int32, fewest violations over other clauses; not kept for plain errors
    sums: Any  # (c, cells) float64
    extra: Any  # (p, cells) float64, by slot
    refuses: Any  # (p, cells) bool, by slot
    freed: Any  # (slots at once, c, cells) float64
    both: Any  # (slots at once, p, cells) float64
    row: Any  # (1, width) float64, sums over the bins of one feature
    gain: Any  # (p, 4) float64: best choice, what is accepted now, all rows, dropping the feature
    choice: Any  # (p, 3) int64: low, high, absent
    active: Any  # (p,) int64, features of the clause that may refuse a row
    slot: Any  # (p,) int64, their places, or NONE
    stamps: Any  # (k + 1,) int64, changes when a clause was last found settled; changes so far
    without: Any  # (k,) float64, loss without each clause
    settled: Any  # (SLOTS,) uint64, names of rules that no move improves
    reach: Any  # (p,) float64, the most that a change saved, as a share of the best one's then


class Log(NamedTuple):
    """Rules on their way to the archive, in the order they were found."""

    box: Any  # (entries, k, p, 3) int64: low, high, absent
    size: Any  # (entries, 2) int64: clauses, literals
    loss: Any  # (entries,) float64
    count: Any  # (1,) int64


I, F, B, U = types.int64, types.float64, types.boolean, types.uint16  # noqa: E741
I1, I2, I3, F1, F2, F3 = I[::1], I[:, ::1], I[:, :, ::1], F[::1], F[:, ::1], F[:, :, ::1]
B1, B2, B3, U2, U64 = B[::1], B[:, ::1], B[:, :, ::1], U[:, ::1], types.uint64[::1]
TABLE = record(MoveTable, U2, U2, I1, I2, U2, B1, F2, B3, B2, B1)
WORK = record(
    MoveArrays,
    *(I3, types.int16[:, ::1], types.int16[::1], types.int32[::1]),
    *(F2, F2, B2, F3, F3, F2, F2, I2, I1, I1, I1, F1, U64, F1),
)
LOG = record(Log, I[:, :, :, ::1], I2, F1, I1)
SLOTS, TRIES = 1 << 13, 64  # of a table of names
AT_ONCE = 1 << 20  # numbers that `freed`, and `both`, may hold


# What runs per row takes numbers, what runs per clause the tuples of arrays: handing a tuple over
# counts every array in and out, which costs more than the work on one row.


@machine_code()
def refuses_code(code, n_bins, low, high, absent):  # type: ignore[no-untyped-def]
    """Return whether an interval keeps a row with this code out."""
    if code == n_bins:
        return not absent
    return code < low or code > high


@machine_code()
def _put_feature(table, work, r, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Store what clause `r` accepts on feature `f`, and count its literals."""
    box, n_bins = work.box, table.features[f, BINS]
    box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT] = low, high, absent
    ends = np.int64(low > 0) + np.int64(high < n_bins - 1)
    if low > high or (ends == 0 and table.flags[f, LACKS] and not absent):
        ends = ONE
    box[r, f, SIZE] = ends


@machine_code()
def find_refused(table, work, r, f, slot):  # type: ignore[no-untyped-def]
    """Write into `refuses` which cells feature `f` of clause `r` keeps out."""
    box, n_bins = work.box, table.features[f, BINS]
    low, high, absent = box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT]
    for cell in range(table.cells[table.features[f, SOURCE]]):
        refused = refuses_code(np.int64(table.bins[f, cell]), n_bins, low, high, absent)
        work.refuses[slot, cell] = box[r, f, SIZE] > 0 and refused


@machine_code()
def set_feature(table, work, r, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Change the interval of clause `r` on feature `f`."""
    column, v, held = table.columns[table.features[f, SOURCE]], work.v[r], work.held
    change = work.extra[0]  # this memory is free between histograms
    find_refused(table, work, r, f, ZERO)
    n_cells, refuses = table.cells[table.features[f, SOURCE]], work.refuses[0]
    for cell in range(n_cells):
        change[cell] = -1.0 if refuses[cell] else 0.0
    _put_feature(table, work, r, f, low, high, absent)
    find_refused(table, work, r, f, ZERO)
    for cell in range(n_cells):
        change[cell] += 1.0 if refuses[cell] else 0.0
    for i in range(len(v)):
        more = np.int16(change[column[i]])
        if more != 0:
            before = v[i]
            v[i] = before + more
            if before == 0:
                held[i] -= 1
            elif v[i] == 0:
                held[i] += 1
    work.stamps[-1] += 1


@machine_code()
def enter_clause(table, work, r):  # type: ignore[no-untyped-def]
    """Count the literals of clause `r`, a new one, and what it refuses."""
    v, box = work.v[r], work.box
    for i in range(len(v)):
        v[i] = 0
    for f in range(len(table.features)):
        _put_feature(table, work, r, f, box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT])
        if box[r, f, SIZE]:
            find_refused(table, work, r, f, ZERO)
            column, refuses = table.columns[table.features[f, SOURCE]], work.refuses[0]
            for i in range(len(v)):
                v[i] += refuses[column[i]]
    for i in range(len(v)):
        work.held[i] += v[i] == 0
    work.stamps[-1] += 1


@machine_code()
def leave_clause(work, r):  # type: ignore[no-untyped-def]
    """Count clause `r` no longer among those that hold."""
    for i in range(len(work.held)):
        work.held[i] -= work.v[r, i] == 0
    work.stamps[-1] += 1


@machine_code()
def put_whole(table, work, r):  # type: ignore[no-untyped-def]
    """Make clause `r` accept all values of every feature; its literals are counted later."""
    for f in range(len(table.features)):
        work.box[r, f, LOW], work.box[r, f, HIGH] = 0, table.features[f, BINS] - 1
        work.box[r, f, ABSENT] = 1


@machine_code()
def enter_whole(table, work, r):  # type: ignore[no-untyped-def]
    """Make clause `r`, a new one, that without literals, which holds everywhere."""
    put_whole(table, work, r)
    enter_clause(table, work, r)


@machine_code()
def find_nearest(table, work, k, r):  # type: ignore[no-untyped-def]
    """Find the fewest violations of each row over all clauses but `r`, where that is a charge."""
    if table.plain[0]:
        return
    v, nearest = work.v, work.nearest
    for i in range(len(nearest)):
        nearest[i] = FAR
        for other in range(k):
            if other != r and v[other, i] < nearest[i]:
                nearest[i] = v[other, i]


@machine_code()
def saving(u, described, at_zero, extra, near, nearest):  # type: ignore[no-untyped-def]
    """Evaluate the function ``g`` of one row."""
    if u == 0:
        return at_zero
    if described:
        return extra if 0 < u < nearest else 0.0
    return -near if u == 1 else 0.0


@machine_code()
def saving_at_zero(described, worth, extra, near, others):  # type: ignore[no-untyped-def]
    """Evaluate ``g`` where no other feature is violated and `others` clauses hold."""
    if described:
        return worth if others == 0 else 0.0
    return near + (worth if others == 0 else -extra)


@machine_code(inline=True)
def _list_active(table, work, r):  # type: ignore[no-untyped-def]
    """List the features of clause `r` that may refuse a row; empty the sums."""
    n_active = ZERO
    for f in range(len(table.features)):
        work.slot[f] = NONE
        if work.box[r, f, SIZE]:
            work.active[n_active], work.slot[f] = f, n_active
            find_refused(table, work, r, f, n_active)
            for cell in range(table.cells[table.features[f, SOURCE]]):
                work.extra[n_active, cell] = 0.0
            n_active += 1
    for c in range(len(table.cells)):
        for cell in range(table.cells[c]):
            work.sums[c, cell] = 0.0
    return n_active


@machine_code(inline=True)
def _fill_sums(table, work, r):  # type: ignore[no-untyped-def]
    """Sum what acceptance saves over the cells of every column."""
    n_active, rows, plain = _list_active(table, work, r), table.rows, table.plain[0]
    v, held, extra, refuses = work.v[r], work.held, work.extra, work.refuses
    active, features, sums = work.active, table.features, work.sums
    charges, y = table.charges, table.y
    for i in range(len(v)):
        u = np.int64(v[i])
        if plain and (u > 1 or held[i] != (u == 0)):
            continue  # what is refused twice costs the same whatever one feature does
        nearest = 0 if plain else work.nearest[i]
        more, near = charges[i, EXTRA], charges[i, NEAR]
        at_zero = saving_at_zero(y[i], charges[i, WORTH], more, near, held[i] - (u == 0))
        # A feature that accepts the row has all u violations beside it: g(u). Most features do, so
        # the sum is taken over all of them, and corrected below for the few that refuse it.
        accepted = saving(u, y[i], at_zero, more, near, nearest)
        if accepted != 0.0:
            for c in range(rows.shape[1]):
                sums[c, rows[i, c]] += accepted
        if u == 0:
            continue
        # A feature that refuses the row is one of the u itself: g(u - 1).
        surplus = saving(u - 1, y[i], at_zero, more, near, nearest) - accepted
        if surplus != 0.0:
            for a in range(n_active):
                cell = rows[i, features[active[a], SOURCE]]
                if refuses[a, cell]:
                    extra[a, cell] += surplus
    return n_active


@machine_code(inline=True)
def _fill_freed(table, work, r, first, last, n_active):  # type: ignore[no-untyped-def]
    """Sum how the sums of `_fill_sums` change where one feature is dropped, of some slots."""
    rows, plain, freed, both = table.rows, table.plain[0], work.freed, work.both
    v, held, refuses = work.v[r], work.held, work.refuses
    active, features, charges, described = work.active, table.features, table.charges, table.y
    freed[: last - first] = 0.0
    both[: last - first, :n_active] = 0.0
    for i in range(len(v)):
        u = np.int64(v[i])
        if u == 0 or (plain and (u > 2 or held[i])):
            continue
        nearest = 0 if plain else work.nearest[i]
        more, near, y = charges[i, EXTRA], charges[i, NEAR], described[i]
        at_zero = saving_at_zero(y, charges[i, WORTH], more, near, held[i])
        # how `g` changes where one violation counts no longer, and where another one does not
        less = saving(u - 1, y, at_zero, more, near, nearest)
        change = less - saving(u, y, at_zero, more, near, nearest)
        mend = saving(u - 2, y, at_zero, more, near, nearest) - less - change if u > 1 else 0.0
        if change == 0.0 and mend == 0.0:
            continue
        for a in range(first, last):
            if not refuses[a, rows[i, features[active[a], SOURCE]]]:
                continue
            if change != 0.0:
                for c in range(rows.shape[1]):
                    freed[a - first, c, rows[i, c]] += change
            for b in range(n_active):
                cell = rows[i, features[active[b], SOURCE]]
                if b != a and refuses[b, cell]:
                    both[a - first, b, cell] += mend


@machine_code(inline=True)
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
    """Choose what feature `f` accepts, by a row of H: worth, low, high, absent, worth of all."""
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
def _value(table, work, r, f, dropped, theta):  # type: ignore[no-untyped-def]
    """Choose what feature `f` of clause `r` accepts; value that, all, and what it accepts now."""
    row, gain, choice, box = work.row, work.gain, work.choice, work.box
    bins, c, slot = table.bins, table.features[f, SOURCE], work.slot[f]
    last = table.features[f, BINS] - 1
    for b in range(last + 2):
        row[0, b] = 0.0
    for cell in range(table.cells[c]):
        total = work.sums[c, cell]
        if slot >= 0:
            total += work.extra[slot, cell]
        if dropped >= 0:
            total += work.freed[dropped, c, cell]
            if slot >= 0:
                total += work.both[dropped, slot, cell]
        row[0, bins[f, cell]] += total
    best = best_choice(row, ZERO, table.may, f, last, table.flags, theta + TIE)
    worth, low, high, absent, full = best
    choice[f, LOW], choice[f, HIGH], choice[f, ABSENT] = low, high, absent
    inside = 0.0
    for b in range(box[r, f, LOW], box[r, f, HIGH] + 1):
        inside += row[0, b]
    lost = row[0, last + 1] if box[r, f, ABSENT] else 0.0
    gain[f, VALUE], gain[f, FULL] = worth, full
    gain[f, NOW] = inside + lost - theta * box[r, f, SIZE]


@machine_code()
def find_best_choices(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Choose what each feature of clause `r` accepts, all else as it is; return its slots."""
    n_active = _fill_sums(table, work, r)
    for f in range(len(table.features)):
        _value(table, work, r, f, NONE, theta)
    return n_active


@machine_code()
def step(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Make the best change of one feature of clause `r`; return whether any improves."""
    find_best_choices(table, work, r, theta)
    gain, best, most = work.gain, NONE, IMPROVEMENT
    for f in range(len(gain)):
        if gain[f, VALUE] - gain[f, NOW] > most:
            best, most = f, gain[f, VALUE] - gain[f, NOW]
    if best < 0:
        return False
    for f in range(len(gain)):
        work.reach[f] = max(work.reach[f], (gain[f, VALUE] - gain[f, NOW]) / most)
    choice = work.choice
    set_feature(table, work, r, best, choice[best, LOW], choice[best, HIGH], choice[best, ABSENT])
    return True


@machine_code()
def swap(table, work, r, theta):  # type: ignore[no-untyped-def]
    """Drop one feature of clause `r` and change another, where both together improve."""
    n_active, p = find_best_choices(table, work, r, theta), len(table.features)
    gain, choice, active = work.gain, work.choice, work.active
    for a in range(n_active):
        gain[active[a], DROPPED] = gain[active[a], FULL] - gain[active[a], NOW]
    most, drop, take, low, high, absent = IMPROVEMENT, NONE, NONE, ZERO, ZERO, ZERO
    for a in range(n_active):
        batch = a % len(work.freed)
        if batch == 0:
            _fill_freed(table, work, r, a, min(n_active, a + len(work.freed)), n_active)
        for f in range(p):
            if f == active[a]:
                continue
            _value(table, work, r, f, batch, theta)
            value = gain[f, VALUE] - gain[f, NOW] + gain[active[a], DROPPED]
            if value > most:
                most, drop, take = value, active[a], f
                low, high, absent = choice[f, LOW], choice[f, HIGH], choice[f, ABSENT]
    if drop < 0:
        return False
    set_feature(table, work, r, drop, ZERO, table.features[drop, BINS] - 1, ONE)
    set_feature(table, work, r, take, low, high, absent)
    return True
