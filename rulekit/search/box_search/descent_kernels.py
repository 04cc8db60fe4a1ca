"""Descents of the box search: of a whole rule, and of single clauses by themselves.

Legend as in `move_kernels`; a rule is settled where no move improves it at a price.
"""

import numpy as np
from numba import types

from rulekit.search.box_search.move_kernels import (
    ABSENT,
    CLAUSES,
    EXTRA,
    F2,
    FAR,
    HIGH,
    I1,
    I3,
    IMPROVEMENT,
    LITERALS,
    LOG,
    LOW,
    NEAR,
    NONE,
    ONE,
    SIZE,
    SLOTS,
    TABLE,
    TRIES,
    U64,
    WORK,
    WORTH,
    ZERO,
    F,
    I,
    enter_clause,
    enter_whole,
    find_best_choices,
    find_nearest,
    first_refusing,
    leave_all,
    leave_clause,
    step,
    swap,
)
from rulekit.search.machine_code import machine_code

ENTER, RECORD, DESCEND, GROW = range(4)
_SHIFT, _HALF = np.uint64(64 - 13), np.uint64(32)
_SEED, _FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
_ODD, _FREE = np.uint64(1), np.uint64(0)


@machine_code()
def _name(box, k, salt):  # type: ignore[no-untyped-def]
    """Hash the first `k` clauses to 64 bits, never 0."""
    name = (_SEED ^ salt) * _FACTOR
    for r in range(k):
        for f in range(box.shape[1]):
            word = np.uint64(2 * box[r, f, LOW] + box[r, f, ABSENT])
            name = (name ^ word) * _FACTOR
            name = (name ^ np.uint64(box[r, f, HIGH])) * _FACTOR
            name ^= name >> _HALF
    return name | _ODD


@machine_code()
def _place_of(names, name):  # type: ignore[no-untyped-def]
    """Find the place of a name, or a free one; NONE where the table is too full for it."""
    place = np.int64(name >> _SHIFT)
    for _ in range(TRIES):
        if names[place] == name or names[place] == _FREE:
            return place
        place = (place + 1) % SLOTS
    return NONE


@machine_code()
def _is_known(names, name):  # type: ignore[no-untyped-def]
    place = _place_of(names, name)
    return place >= 0 and names[place] == name


@machine_code(inline=True)
def _learn(names, name):  # type: ignore[no-untyped-def]
    place = _place_of(names, name)
    if place >= 0:
        names[place] = name


@machine_code()
def _met(names, owners, name, k):  # type: ignore[no-untyped-def]
    """Return who met a clause before, or note that start `k` did and return -1."""
    place = _place_of(names, name)
    if place >= 0:
        if names[place] == name:
            return owners[place]
        names[place], owners[place] = name, k
    return -1


@machine_code()
def _full_loss(table, work, k, skipped):  # type: ignore[no-untyped-def]
    """Price all wrong rows with the first `k` clauses, one of them left out.

    A described row without a clause costs ``base + extra * (m - 1)``, `m` its fewest violations; a
    row of the other class ``base + extra * (c - 1)``, `c` the clauses that hold, and `near` for
    each clause that one feature keeps from it.
    """
    y, charges, v, total = table.y, table.charges, work.v, 0.0
    for i in range(len(y)):
        nearest, holding, nearly = FAR, 0, 0
        for r in range(k):
            if r != skipped:
                if v[r, i] < nearest:
                    nearest = v[r, i]
                holding += v[r, i] == 0
                nearly += v[r, i] == 1
        more = (nearest if y[i] else holding) - 1
        if nearest == FAR and y[i]:
            more = 0  # there is no clause at all, and none is the nearest
        if more >= 0:
            total += abs(charges[i, WORTH]) + charges[i, EXTRA] * more
        total += charges[i, NEAR] * nearly
    return total


@machine_code(inline=True)
def _plain_losses(table, work, k):  # type: ignore[no-untyped-def]
    """Sum the wrong rows with all `k` clauses, and without each of them (into `without`)."""
    y, charges, held, v, without, total = (
        *(table.y, table.charges, work.held, work.v, work.without),
        0.0,
    )
    without[:k] = 0.0
    for i in range(len(y)):
        if y[i] == (held[i] == 0):
            total += abs(charges[i, WORTH])
        if held[i] == 1:
            r = 0
            while v[r, i]:
                r += 1
            without[r] += charges[i, WORTH]
    for r in range(k):
        without[r] += total
    return total


@machine_code()
def _losses(table, work, k):  # type: ignore[no-untyped-def]
    """Price the wrong rows with all `k` clauses, and without each of them (into `without`)."""
    if table.plain[0]:
        return _plain_losses(table, work, k)
    for r in range(k):
        work.without[r] = _full_loss(table, work, k, r)
    return _full_loss(table, work, k, NONE)


@machine_code()
def _record(table, work, log, k, skipped, loss, theta):  # type: ignore[no-untyped-def]
    """Log the rule of this loss, without the clause `skipped` (or NONE); return its objective."""
    at, kept, n_conditions = log.count[0], 0, 0
    for r in range(k):
        if r == skipped:
            continue
        for f in range(len(table.features)):
            for part in range(SIZE):
                log.box[at, kept, f, part] = work.box[r, f, part]
            n_conditions += work.box[r, f, SIZE]
        kept += 1
    log.size[at, CLAUSES], log.size[at, LITERALS], log.loss[at] = kept, n_conditions, loss
    log.count[0] = at + 1
    return loss + theta * n_conditions


@machine_code(inline=True)
def _drop_clause(table, work, k, r):  # type: ignore[no-untyped-def]
    """Remove clause `r`."""
    leave_clause(work, r)
    for later in range(r + 1, k):
        for f in range(len(table.features)):
            for part in range(SIZE + 1):
                work.box[later - 1, f, part] = work.box[later, f, part]
        for i in range(len(table.y)):
            work.v[later - 1, i] = work.v[later, i]


@machine_code(inline=True)
def _drop_useless(table, work, log, k, theta):  # type: ignore[no-untyped-def]
    """Drop clauses, the most useless one first, while the objective falls; return their number."""
    objective = _record(table, work, log, k, NONE, _losses(table, work, k), theta)
    while k:
        least, at = np.inf, ZERO
        for r in range(k):
            value = _record(table, work, log, k, r, work.without[r], theta)
            if value < least:
                least, at = value, r
        if least >= objective - IMPROVEMENT:
            break
        objective = least
        _drop_clause(table, work, k, at)
        k -= 1
        _losses(table, work, k)
    return k


@machine_code(inline=True)
def _improve(table, work, k, theta):  # type: ignore[no-untyped-def]
    """Take steps, clause after clause, or else one swap; say whether anything improved."""
    moved, stamps = False, work.stamps
    for r in range(k):
        if stamps[r] == stamps[-1]:
            continue
        find_nearest(table, work, k, r)
        while step(table, work, r, theta):
            moved = True
        stamps[r] = stamps[-1]
    if moved:  # a swap costs a pass of its own: only where steps help no more
        return True
    for r in range(k):
        find_nearest(table, work, k, r)
        if swap(table, work, r, theta):
            return True
    return False


@machine_code(inline=True)
def _descend(table, work, log, k, theta, salt):  # type: ignore[no-untyped-def]
    """Improve until no change, no swap and no dropped clause does; return how many are left."""
    work.stamps[-1] += 1  # the price may be another one
    while True:
        name = _name(work.box, k, salt)
        while not _is_known(work.settled, name) and _improve(table, work, k, theta):
            name = _name(work.box, k, salt)
        left = k
        if not _is_known(work.settled, name):
            left = _drop_useless(table, work, log, k, theta)
        if left == k:
            _learn(work.settled, name)
            return k
        k = left


@machine_code(inline=True)
def _grow(table, work, log, k, theta):  # type: ignore[no-untyped-def]
    """Improve clause `k`, a new one; say whether the objective is lower with it."""
    before = _losses(table, work, k)
    objective = _record(table, work, log, k, NONE, before, theta)
    enter_clause(table, work, k)
    find_nearest(table, work, k, NONE)
    while step(table, work, k, theta):
        pass
    loss = _losses(table, work, k + 1)
    return _record(table, work, log, k + 1, NONE, loss, theta) < objective - IMPROVEMENT


@machine_code(I(TABLE, WORK, LOG, I, I, F, types.uint64))
def visit(table, work, log, task, k, theta, salt):  # type: ignore[no-untyped-def]
    """Do a part of `Descent.visit`; return the number of clauses then.

    `k` clauses are new (ENTER), logged as they are (RECORD) or all improved (DESCEND), or the last
    one is new and kept if it pays (GROW). `salt` names the price.
    """
    if task == DESCEND:
        return _descend(table, work, log, k, theta, salt)
    if task == GROW:
        if _grow(table, work, log, k - 1, theta):
            return k
        leave_clause(work, k - 1)
        return k - 1
    if task == RECORD:
        _record(table, work, log, k, NONE, _losses(table, work, k), theta)
        return k
    leave_all(work)
    for r in range(k):
        enter_clause(table, work, r)
    return k


@machine_code(types.void(TABLE, WORK, F))
def choose_alone(table, work, theta):  # type: ignore[no-untyped-def]
    """Write into `work` what each feature would accept in a rule of one condition."""
    leave_all(work)
    enter_whole(table, work, ZERO)
    find_nearest(table, work, ONE, ZERO)
    find_best_choices(table, work, ZERO, theta)


@machine_code(inline=True)
def _sum_saved(table, work, k, saved):  # type: ignore[no-untyped-def]
    """Sum what the first clause saves, and what it saves without each of its features."""
    p = len(table.features)
    for place in range(p + 1):
        saved[k, place] = 0.0
    for i in range(len(table.y)):
        s = table.charges[i, WORTH]
        if work.v[0, i] == 0:
            saved[k, 0] += s
        elif work.v[0, i] == 1:
            saved[k, 1 + first_refusing(table, work, ZERO, i)] += s
    for f in range(p):
        saved[k, 1 + f] += saved[k, 0]


@machine_code()
def _copy_clause(box, k, into, r):  # type: ignore[no-untyped-def]
    """Copy what clause `k` of one array accepts to clause `r` of another."""
    for f in range(box.shape[1]):
        for part in range(SIZE):
            into[r, f, part] = box[k, f, part]


@machine_code(types.void(TABLE, WORK, I3, F2, U64, I1, F))
def improve_each(table, work, box, saved, names, owners, theta):  # type: ignore[no-untyped-def]
    """Improve the clauses ``box[k]``, shape (p, 3), each by itself from where it is, in place.

    ``saved[k]`` receives what the clause saves, and what it would without each feature. `names` and
    `owners` (`SLOTS` zeros at first) let equal clauses on the way end alike.
    """
    for k in range(len(box)):
        _copy_clause(box, k, work.box, ZERO)
        leave_all(work)
        enter_clause(table, work, ZERO)
        find_nearest(table, work, ONE, ZERO)
        earlier = _met(names, owners, _name(work.box, ONE, _FREE), k)
        while earlier < 0 and (step(table, work, ZERO, theta) or swap(table, work, ZERO, theta)):
            earlier = _met(names, owners, _name(work.box, ONE, _FREE), k)
        if 0 <= earlier < k:
            _copy_clause(box, earlier, box, k)
            for place in range(saved.shape[1]):
                saved[k, place] = saved[earlier, place]
        else:
            _copy_clause(work.box, ZERO, box, k)
            _sum_saved(table, work, k, saved)
