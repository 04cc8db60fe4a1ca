"""Descents of the box search: of a whole rule, and of single clauses by themselves.

Legend as in `move_kernels`.
"""

import numpy as np
from numba import types

from rulekit.solvers.box_search.move_kernels import (
    ABSENT,
    BASE,
    CLAUSES,
    EXTRA,
    F2,
    FAR,
    HIGH,
    HOLDING,
    I1,
    I3,
    IMPROVEMENT,
    LITERALS,
    LOG,
    LOW,
    NEAR,
    NEAREST,
    NONE,
    ONE,
    SIZE,
    TABLE,
    WORK,
    ZERO,
    F,
    I,
    enter_clause,
    enter_whole,
    find_best_choices,
    find_others,
    first_refusing,
    step,
    swap,
)
from rulekit.solvers.machine_code import machine_code

ENTER, DESCEND, GROW = range(3)
SLOTS, TRIES = 1 << 13, 64  # of the table of clauses met
_SHIFT, _HALF = np.uint64(64 - 13), np.uint64(32)
_SEED, _FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
_ODD, _NOBODY = np.uint64(1), np.uint64(0)


@machine_code()
def _near_loss(table, work, k, skipped):  # type: ignore[no-untyped-def]
    """Price the rows of the other class that one feature keeps from a clause."""
    v, charges, total = work.v, table.charges, 0.0
    for r in range(k):
        if r != skipped:
            for i in range(len(charges)):
                if v[r, i] == 1:
                    total += charges[i, NEAR]
    return total


@machine_code()
def _loss(table, work, k, skipped):  # type: ignore[no-untyped-def]
    """Price all wrong rows with the first `k` clauses, one of them left out.

    A row of the described class costs 0 where a clause holds, else ``base + extra * (m - 1)`` with
    `m` its fewest violations. A row of the other class costs 0 where none holds, else ``base +
    extra * (c - 1)`` with `c` the clauses that hold; plus `near` for each clause that one feature
    keeps from it.
    """
    y, charges, others = table.y, table.charges, work.others
    find_others(work, k, skipped)
    total = _near_loss(table, work, k, skipped)
    for i in range(len(y)):
        nearest, holding = others[i, NEAREST], others[i, HOLDING]
        more = (nearest if y[i] else holding) - 1
        if nearest == FAR and y[i]:
            more = 0  # there is no clause at all, and none is the nearest
        if more >= 0:
            total += charges[i, BASE] + charges[i, EXTRA] * more
    return total


@machine_code()
def _record(table, work, log, k, skipped, theta):  # type: ignore[no-untyped-def]
    """Log the rule without the clause `skipped` (or NONE); return its objective."""
    loss, at, kept, n_conditions = _loss(table, work, k, skipped), log.count[0], 0, 0
    for r in range(k):
        if r == skipped:
            continue
        for f in range(len(table.n_bins)):
            for part in range(SIZE):
                log.box[at, kept, f, part] = work.box[r, f, part]
            n_conditions += work.box[r, f, SIZE]
        kept += 1
    log.size[at, CLAUSES], log.size[at, LITERALS], log.loss[at] = kept, n_conditions, loss
    log.count[0] = at + 1
    return loss + theta * n_conditions


@machine_code()
def _drop_clause(table, work, k, r):  # type: ignore[no-untyped-def]
    """Remove clause `r`."""
    for later in range(r + 1, k):
        for f in range(len(table.n_bins)):
            for part in range(SIZE + 1):
                work.box[later - 1, f, part] = work.box[later, f, part]
        for i in range(len(table.y)):
            work.v[later - 1, i] = work.v[later, i]


@machine_code()
def _drop_useless(table, work, log, k, theta):  # type: ignore[no-untyped-def]
    """Drop clauses, the most useless one first, while the objective falls; return their number."""
    objective = _record(table, work, log, k, NONE, theta)
    while k:
        least, at = np.inf, ZERO
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


@machine_code()
def _improve(table, work, k, theta):  # type: ignore[no-untyped-def]
    """Take steps, clause after clause, or else one swap; say whether anything improved."""
    moved = False
    for r in range(k):
        find_others(work, k, r)
        while step(table, work, r, theta):
            moved = True
    if moved:  # a swap costs a histogram for each literal: only where steps help no more
        return True
    for r in range(k):
        find_others(work, k, r)
        if swap(table, work, r, theta):
            return True
    return False


@machine_code()
def _descend(table, work, log, k, theta):  # type: ignore[no-untyped-def]
    """Improve until no change, no swap and no dropped clause does; return how many are left."""
    while True:
        while _improve(table, work, k, theta):
            pass
        left = _drop_useless(table, work, log, k, theta)
        if left == k:
            return k
        k = left


@machine_code()
def _grow(table, work, log, k, theta):  # type: ignore[no-untyped-def]
    """Improve clause `k`, a new one; say whether the objective is lower with it."""
    objective = _record(table, work, log, k, NONE, theta)
    find_others(work, k, NONE)
    while step(table, work, k, theta):
        pass
    return _record(table, work, log, k + 1, NONE, theta) < objective - IMPROVEMENT


@machine_code(I(TABLE, WORK, LOG, I, I, I, F))
def visit(table, work, log, task, entered, k, theta):  # type: ignore[no-untyped-def]
    """Do a part of `Descent.visit`; return the number of clauses then.

    The clauses from `entered` to `k` of `work` are new. With the task DESCEND all `k` are improved;
    with GROW the last one, which is kept if it pays; with ENTER they are logged as they are.
    """
    for r in range(entered, k):
        enter_clause(table, work, r)
    if task == DESCEND:
        return _descend(table, work, log, k, theta)
    if task == GROW:
        return k if _grow(table, work, log, k - 1, theta) else k - 1
    _record(table, work, log, k, NONE, theta)
    return k


@machine_code(types.void(TABLE, WORK, F))
def choose_alone(table, work, theta):  # type: ignore[no-untyped-def]
    """Write into `work` what each feature would accept in a rule of one condition."""
    enter_whole(table, work, ZERO)
    find_others(work, ONE, ZERO)
    find_best_choices(table, work, ZERO, NONE, theta)


@machine_code()
def _name(box):  # type: ignore[no-untyped-def]
    """Hash the first clause to 64 bits, never 0."""
    name = _SEED
    for f in range(box.shape[1]):
        word = np.uint64(2 * box[0, f, LOW] + box[0, f, ABSENT])
        name = (name ^ word) * _FACTOR
        name = (name ^ np.uint64(box[0, f, HIGH])) * _FACTOR
        name ^= name >> _HALF
    return name | _ODD


@machine_code()
def _met(names, owners, name, k):  # type: ignore[no-untyped-def]
    """Return who met a clause before, or note that start `k` did and return -1."""
    place = np.int64(name >> _SHIFT)
    for _ in range(TRIES):
        if names[place] == name:
            return owners[place]
        if names[place] == _NOBODY:
            names[place], owners[place] = name, k
            return -1
        place = (place + 1) % SLOTS
    return -1  # a full table costs time, not the result: the clause is improved once more


@machine_code()
def _sum_saved(table, work, k, saved):  # type: ignore[no-untyped-def]
    """Sum what the first clause saves, and what it saves without each of its features."""
    p = len(table.n_bins)
    for place in range(p + 1):
        saved[k, place] = 0.0
    for i in range(len(table.y)):
        s = table.charges[i, BASE] if table.y[i] else -table.charges[i, BASE]
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


@machine_code(types.void(TABLE, WORK, I3, F2, types.uint64[::1], I1, F))
def improve_each(table, work, box, saved, names, owners, theta):  # type: ignore[no-untyped-def]
    """Improve the clauses ``box[k]``, shape (p, 3), each by itself from where it is, in place.

    ``saved[k]`` receives what the clause saves, and what it would without each of its features. A
    start that comes to a clause which an earlier one met ends where that one did; `names` and
    `owners`, of `SLOTS` places, remember who met what, and are empty (0) at first.
    """
    find_others(work, ONE, ZERO)
    for k in range(len(box)):
        _copy_clause(box, k, work.box, ZERO)
        enter_clause(table, work, ZERO)
        earlier = _met(names, owners, _name(work.box), k)
        while earlier < 0 and (step(table, work, ZERO, theta) or swap(table, work, ZERO, theta)):
            earlier = _met(names, owners, _name(work.box), k)
        if 0 <= earlier < k:
            _copy_clause(box, earlier, box, k)
            for place in range(saved.shape[1]):
                saved[k, place] = saved[earlier, place]
        else:
            _copy_clause(work.box, ZERO, box, k)
            _sum_saved(table, work, k, saved)
