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
    freed  a feature that counts as dropped
    slot   place of a feature among those of the clause that may refuse a row (`Work.active`)

A feature reads the cells of one column, and many may read the same one: each level of a category is
a feature. So g is summed over the cells of columns (``sums``), once for all features that accept a
row, and what the few that refuse it have besides over their own cells (``extra``). With one feature
dropped both differ by the rows that it refuses (``freed``, ``both``): one pass serves all drops.
"""

import numpy as np

from rulekit.search.box_search.state_kernels import (
    ABSENT,
    BINS,
    DROPPED,
    END,
    EXTRA,
    FULL,
    HIGH,
    IMPROVEMENT,
    LACKS,
    LOW,
    NEAR,
    NONE,
    NOW,
    ONE,
    SIZE,
    SOURCE,
    START,
    TEST,
    TIE,
    VALUE,
    WORTH,
    ZERO,
    find_refused,
    refuses_code,
    set_feature,
)
from rulekit.search.machine_code import machine_code


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
    """Sum what acceptance saves over the cells of every column.

    O(n + a c + b) for the `a` rows that save something in every feature of the `c` columns and the
    `b` refusals that matter. For training errors these are the rows the clause holds for, and the
    rows that a single feature keeps out.
    """
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
def _changed(u, described, at_zero, extra, near, nearest):  # type: ignore[no-untyped-def]
    """How ``g`` changes for a row of `u` violations where one of them counts no longer.

    For a feature that accepts the row; and for one that refuses it, what that is more.
    """
    now = saving(u, described, at_zero, extra, near, nearest)
    less = saving(u - 1, described, at_zero, extra, near, nearest)
    if u == 1:
        return less - now, 0.0
    least = saving(u - 2, described, at_zero, extra, near, nearest)
    return less - now, least - less - (less - now)


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
        change, mend = _changed(u, y, at_zero, more, near, nearest)
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
def _fill_row(table, work, f, dropped):  # type: ignore[no-untyped-def]
    """Gather the sums over the bins of feature `f`; one slot of a batch may be dropped."""
    row, bins, c, slot = work.row, table.bins, table.features[f, SOURCE], work.slot[f]
    for b in range(table.features[f, BINS] + 1):
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
def _value(table, work, r, f, dropped, theta):  # type: ignore[no-untyped-def]
    """Choose what feature `f` of clause `r` accepts; value that, all, and what it accepts now."""
    _fill_row(table, work, f, dropped)
    row, gain, choice, box = work.row, work.gain, work.choice, work.box
    last = table.features[f, BINS] - 1
    worth, low, high, absent, full = best_choice(
        row, ZERO, table.may, f, last, table.flags, theta + TIE
    )
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
    """Make the best change of one feature of clause `r`; say whether any improves."""
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


@machine_code(inline=True)
def first_refusing(table, work, r, i):  # type: ignore[no-untyped-def]
    """Return the first feature of clause `r` that refuses row `i`, one that violates it."""
    box, f = work.box, ZERO
    while True:
        low, high, absent = box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT]
        code = np.int64(table.bins[f, table.rows[i, table.features[f, SOURCE]]])
        if box[r, f, SIZE] and refuses_code(code, table.features[f, BINS], low, high, absent):
            return f
        f += 1
