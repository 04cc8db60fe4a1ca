"""Descents of the box search, of a rule and of single clauses, and where a new clause starts."""

# A rule is settled where no move improves it at a price. A new clause starts at the best box on at
# most two features, exactly if each wrong row costs 1: narrowing it from the whole space, feature
# after feature, misses pairs of conditions that only pay together. The savings of the rows are
# therefore summed over the bins of two features at once, for each pair of the best single features.
# For every choice on the one feature, the best choice on the other is then a maximum-sum run. O(n)
# and O(K^3) a pair for K bins of a feature. With prices of margins, a pair is valued from rows that
# both features refuse, a single feature from rows that it refuses; descents from starts valued
# alike ended 1 % higher on average (nine tables with robustness 0.1).
#
# Legend, beside that of `move_kernels`:
#   a, b     features of a pair, by their rank; what a clause accepts of a is tried choice by
#            choice, of b found by a scan
#   both     g(0) - g(1) of a row: what is saved when a and b both accept it, beyond ...
#   either   g(1): ... what each of the two saves that does

from typing import Any, NamedTuple

import numpy as np
from numba import types

from rulekit.search.box_search import move_kernels as moves
from rulekit.search.box_search.move_kernels import NONE, ONE, SLOTS, TABLE, WORK, ZERO, F, I
from rulekit.search.machine_code import allocate, machine_code
from rulekit.search.records import record

RECORD, IMPROVE, DESCEND = range(3)
_SHIFT, _HALF = np.uint64(64 - 13), np.uint64(32)
_SEED, _FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
_ODD, _FREE = np.uint64(1), np.uint64(0)
CANDIDATES = 8  # best single features, of which all pairs are tried
MOST_PAIR_BINS = 16  # of a feature in a pair: the choices are quadratic in the bins
WIDTH = MOST_PAIR_BINS + 1  # with a slot for missing values
MOST_CHOICES = MOST_PAIR_BINS * WIDTH + 1
FIRST, SECOND = range(2)
PAIRS = CANDIDATES * (CANDIDATES - 1) // 2


@machine_code()
def _name(box, k, salt):  # type: ignore[no-untyped-def]
    """Hash the first `k` clauses to 64 bits, never 0."""
    name = (_SEED ^ salt) * _FACTOR
    for r in range(k):
        for f in range(box.shape[1]):
            word = np.uint64(2 * box[r, f, moves.LOW] + box[r, f, moves.ABSENT])
            name = (name ^ word) * _FACTOR
            name = (name ^ np.uint64(box[r, f, moves.HIGH])) * _FACTOR
            name ^= name >> _HALF
    return name | _ODD


@machine_code()
def _place_of(names, name):  # type: ignore[no-untyped-def]
    """Find the place of a name, or a free one; NONE where the table is too full for it."""
    place = np.int64(name >> _SHIFT)
    for _ in range(moves.TRIES):
        if names[place] == name or names[place] == _FREE:
            return place
        place = (place + 1) % SLOTS
    return NONE


@machine_code()
def _is_known(names, name):  # type: ignore[no-untyped-def]
    place = _place_of(names, name)
    return place >= 0 and names[place] == name


@machine_code()
def _note_meeting(names, owners, name, k):  # type: ignore[no-untyped-def]
    """Return who met a clause before, or note that start `k` did and return -1."""
    place = _place_of(names, name)
    if place >= 0:
        if names[place] == name:
            return owners[place]
        names[place], owners[place] = name, k
    return -1


@machine_code()
def _full_loss(table, work, k, skipped):  # type: ignore[no-untyped-def]
    """Price all wrong rows with the first `k` clauses, one of them left out."""
    # A described row without a clause costs ``base + extra * (m - 1)``, `m` its fewest violations;
    # a row of the other class ``base + extra * (c - 1)``, `c` the clauses that hold, and `near` for
    # each clause that one feature keeps from it.
    y, charges, v, total = table.y, table.charges, work.v, 0.0
    for i in range(len(y)):
        nearest, holding, nearly = moves.FAR, 0, 0
        for r in range(k):
            if r != skipped:
                if v[r, i] < nearest:
                    nearest = v[r, i]
                holding += v[r, i] == 0
                nearly += v[r, i] == 1
        more = (nearest if y[i] else holding) - 1
        if nearest == moves.FAR and y[i]:
            more = 0  # there is no clause at all, and none is the nearest
        if more >= 0:
            total += abs(charges[i, moves.WORTH]) + charges[i, moves.EXTRA] * more
        total += charges[i, moves.NEAR] * nearly
    return total


@machine_code()
def _losses(table, work, k):  # type: ignore[no-untyped-def]
    """Price the wrong rows with all `k` clauses, and without each of them (into `without`)."""
    if not table.plain[0]:
        for r in range(k):
            work.without[r] = _full_loss(table, work, k, r)
        return _full_loss(table, work, k, NONE)
    y, charges, held = table.y, table.charges, work.held
    v, without, total = work.v, work.without, 0.0
    without[:k] = 0.0
    for i in range(len(y)):
        if y[i] == (held[i] == 0):
            total += abs(charges[i, moves.WORTH])
        if held[i] == 1:
            r = 0
            while v[r, i]:
                r += 1
            without[r] += charges[i, moves.WORTH]
    for r in range(k):
        without[r] += total
    return total


@machine_code()
def _record(table, work, log, k, skipped, loss, theta):  # type: ignore[no-untyped-def]
    """Log the rule of this loss, without the clause `skipped` (or NONE); return its objective."""
    at, kept, n_conditions = log.count[0], 0, 0
    for r in range(k):
        if r == skipped:
            continue
        for f in range(len(table.features)):
            for part in range(moves.SIZE):
                log.box[at, kept, f, part] = work.box[r, f, part]
            n_conditions += work.box[r, f, moves.SIZE]
        kept += 1
    log.size[at, moves.CLAUSES], log.size[at, moves.LITERALS] = kept, n_conditions
    log.loss[at], log.count[0] = loss, at + 1
    return loss + theta * n_conditions


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
        if least >= objective - moves.IMPROVEMENT:
            break
        objective = least
        moves.leave_clause(work, at)
        for later in range(at + 1, k):
            for f in range(len(table.features)):
                for part in range(moves.SIZE + 1):
                    work.box[later - 1, f, part] = work.box[later, f, part]
            for i in range(len(table.y)):
                work.v[later - 1, i] = work.v[later, i]
        k -= 1
        _losses(table, work, k)
    return k


@machine_code(inline=True)
def _improve(table, work, k, theta):  # type: ignore[no-untyped-def]
    """Take steps, clause after clause, or else one swap; return whether anything improved."""
    moved, stamps = False, work.stamps
    for r in range(k):
        if stamps[r] == stamps[-1]:
            continue
        moves.find_nearest(table, work, k, r)
        while moves.step(table, work, r, theta):
            moved = True
        stamps[r] = stamps[-1]
    if moved:  # a swap costs a pass of its own: only where steps help no more
        return True
    for r in range(k):
        moves.find_nearest(table, work, k, r)
        if moves.swap(table, work, r, theta):
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
            place = _place_of(work.settled, name)
            if place >= 0:
                work.settled[place] = name
            return k
        k = left


@machine_code(I(TABLE, WORK, moves.LOG, I, I, F, types.uint64))
def visit(table, work, log, task, k, theta, salt):  # type: ignore[no-untyped-def]
    """Do a part of `Descent.visit`; return the number of clauses then."""
    # The `k` clauses are new and logged as they are (RECORD) or all improved (IMPROVE), or they
    # are those of the last call and improved again (DESCEND). `salt` names the price.
    if task != DESCEND:
        log.count[0] = 0
        work.held[:] = 0
        for r in range(k):
            moves.enter_clause(table, work, r)
    if task == RECORD:
        _record(table, work, log, k, NONE, _losses(table, work, k), theta)
        return k
    return _descend(table, work, log, k, theta, salt)


@machine_code(types.void(TABLE, WORK, F))
def choose_alone(table, work, theta):  # type: ignore[no-untyped-def]
    """Write into `work` what each feature would accept in a rule of one condition."""
    work.held[:] = 0
    moves.enter_whole(table, work, ZERO)
    moves.find_nearest(table, work, ONE, ZERO)
    moves.find_best_choices(table, work, ZERO, theta)


@machine_code(inline=True)
def _first_refusing(table, work, r, i):  # type: ignore[no-untyped-def]
    """Return the first feature of clause `r` that refuses row `i`, one that violates it."""
    box, features, f = work.box, table.features, ZERO
    while True:
        low, high, absent = box[r, f, moves.LOW], box[r, f, moves.HIGH], box[r, f, moves.ABSENT]
        code = np.int64(table.bins[f, table.rows[i, features[f, moves.SOURCE]]])
        refused = moves.refuses_code(code, features[f, moves.BINS], low, high, absent)
        if box[r, f, moves.SIZE] and refused:
            return f
        f += 1


@machine_code()
def _copy_clause(box, k, into, r):  # type: ignore[no-untyped-def]
    """Copy what clause `k` of one array accepts to clause `r` of another."""
    for f in range(box.shape[1]):
        for part in range(moves.SIZE):
            into[r, f, part] = box[k, f, part]


@machine_code(types.void(TABLE, WORK, moves.I3, moves.F2, moves.U64, moves.I1, F))
def improve_each(table, work, box, saved, names, owners, theta):  # type: ignore[no-untyped-def]
    """Improve the clauses ``box[k]``, shape (p, 3), each by itself from where it is, in place."""
    # ``saved[k]`` receives what the clause saves, and what it would without each feature. `names`
    # and `owners` (`SLOTS` zeros at first) let equal clauses on the way end alike.
    for k in range(len(box)):
        _copy_clause(box, k, work.box, ZERO)
        work.held[:] = 0
        moves.enter_clause(table, work, ZERO)
        moves.find_nearest(table, work, ONE, ZERO)
        earlier = _note_meeting(names, owners, _name(work.box, ONE, _FREE), k)
        while earlier < 0 and (
            moves.step(table, work, ZERO, theta) or moves.swap(table, work, ZERO, theta)
        ):
            earlier = _note_meeting(names, owners, _name(work.box, ONE, _FREE), k)
        if 0 <= earlier < k:
            _copy_clause(box, earlier, box, k)
            for place in range(saved.shape[1]):
                saved[k, place] = saved[earlier, place]
        else:
            _copy_clause(work.box, ZERO, box, k)
            p = len(table.features)
            for place in range(p + 1):
                saved[k, place] = 0.0
            for i in range(len(table.y)):
                s = table.charges[i, moves.WORTH]
                if work.v[0, i] == 0:
                    saved[k, 0] += s
                elif work.v[0, i] == 1:
                    saved[k, 1 + _first_refusing(table, work, ZERO, i)] += s
            for f in range(p):
                saved[k, 1 + f] += saved[k, 0]


class Room(NamedTuple):
    """Memory for the pairs of ranked features."""

    rank: Any  # (CANDIDATES,) int64, features of few bins, the best single one first
    count: Any  # (CANDIDATES,) int64, of the choices of each
    pair: Any  # (PAIRS, 2) int64, ranks of the features a and b of each pair
    choices: Any  # (CANDIDATES, MOST_CHOICES, 4) int64: low, high, absent, literals
    edge: Any  # (CANDIDATES, WIDTH) float64, sum of `either` over the rows of a bin
    grid: Any  # (PAIRS, WIDTH, WIDTH) float64, sum of `both` over the rows of two bins
    upto: Any  # (WIDTH + 1, WIDTH) float64, of one grid: sums over the first bins of a
    row: Any  # (1, WIDTH) float64, what the codes of b save for one choice on a
    code: Any  # (CANDIDATES,) int64, bins of one row


ROOM = record(
    Room, moves.I1, moves.I1, moves.I2, moves.I3, moves.F2, moves.F3, moves.F2, moves.F2, moves.I1
)


def new_arrays(problem: Any, y: Any, charges: Any, rows: Any, k: int) -> tuple[Any, Any, Any]:
    """Bring (some rows of) a problem to arrays; allocate memory for rules of `k` clauses."""
    codes = np.array(problem.cells[rows], np.uint16, order="C")
    table = moves.MoveTable(
        codes,
        np.ascontiguousarray(codes.T),
        np.asarray(problem.n_cells, np.int64),
        np.stack([problem.n_bins, problem.column], axis=1).astype(np.int64),
        np.array(problem.bins, np.uint16, order="C"),
        np.array(y[rows], np.bool_),
        np.ascontiguousarray(charges[rows]),
        np.stack([np.asarray(problem.may_start), np.asarray(problem.may_end)], axis=2),
        np.stack([np.asarray(problem.may_test_missing), problem.has_missing], axis=1),
        np.array([not charges[:, moves.EXTRA :].any()]),
    )
    (n, c), (p, cells) = codes.shape, table.bins.shape
    at_once = max(1, min(p, moves.AT_ONCE // max(1, max(p, c) * cells)))
    width = 1 + int(table.features[:, moves.BINS].max(initial=1))
    clauses = (k, p, 4), (k, n), n, 0 if table.plain[0] else n
    sums = (c, cells), (p, cells), (p, cells), (at_once, c, cells), (at_once, p, cells), (1, width)
    choices = (p, 4), (p, 3), p, p, k + 1, k, SLOTS, p
    work: moves.MoveArrays = allocate(WORK, *clauses, *sums, *choices)
    work.slot[:] = NONE
    grids = (CANDIDATES, WIDTH), (PAIRS, WIDTH, WIDTH), (WIDTH + 1, WIDTH), (1, WIDTH)
    pairs = (PAIRS, 2), (CANDIDATES, MOST_CHOICES, 4)
    room = allocate(ROOM, CANDIDATES, CANDIDATES, *pairs, *grids, CANDIDATES)
    return table, work, room


@machine_code()
def _note(choices, a, count, low, high, absent, size):  # type: ignore[no-untyped-def]
    """Append one choice at the end of the list of the a-th feature; return the new length."""
    choices[a, count, moves.LOW], choices[a, count, moves.HIGH] = low, high
    choices[a, count, moves.ABSENT], choices[a, count, moves.SIZE] = absent, size
    return count + 1


@machine_code(inline=True)
def _list_pairs(table, room, m):  # type: ignore[no-untyped-def]
    """List all pairs of the `m` ranked features, and the choices of each; return their number."""
    count, may, choices = 0, table.may, room.choices
    for a in range(m):
        # all that a clause may accept of the a-th feature
        f, n_choices = room.rank[a], ZERO
        last, flags = table.features[f, moves.BINS] - 1, table.flags
        lacks, tests = flags[f, moves.LACKS], flags[f, moves.TEST]
        for low in range(last + 1):
            if low > 0 and not may[f, low, moves.START]:
                continue
            for high in range(low, last + 1):
                if high < last and not may[f, high, moves.END]:
                    continue
                size = np.int64(low > 0) + np.int64(high < last)
                n_choices = _note(choices, a, n_choices, low, high, ONE, size)
                if lacks and (size or tests):
                    n_choices = _note(choices, a, n_choices, low, high, ZERO, max(size, ONE))
        if lacks and tests:
            # the empty interval: missing values alone
            n_choices = _note(choices, a, n_choices, ONE, ZERO, ONE, ONE)
        room.count[a] = n_choices
        for b in range(a + 1, m):
            room.pair[count, FIRST], room.pair[count, SECOND] = a, b
            count += 1
    return count


@machine_code(inline=True)
def _fill_grids(table, work, room, m):  # type: ignore[no-untyped-def]
    """Sum the savings over the bins of all pairs of the `m` ranked features."""
    rows, bins, features, charges = table.rows, table.bins, table.features, table.charges
    rank, edge, grid, code, plain = room.rank, room.edge, room.grid, room.code, table.plain[0]
    held, far, y = work.held, work.nearest, table.y
    edge[:] = 0.0
    grid[:] = 0.0
    for i in range(len(rows)):
        if plain and held[i]:
            continue
        nearest = 0 if plain else far[i]
        extra, near = charges[i, moves.EXTRA], charges[i, moves.NEAR]
        at_zero = moves.saving_at_zero(y[i], charges[i, moves.WORTH], extra, near, held[i])
        either = moves.saving(ONE, y[i], at_zero, extra, near, nearest)
        both = at_zero - either
        if both == 0.0 and either == 0.0:
            continue
        for a in range(m):
            f = rank[a]
            code[a] = bins[f, rows[i, features[f, moves.SOURCE]]]
        pair = 0  # in the order of `_list_pairs`
        for a in range(m):
            if either != 0.0:
                edge[a, code[a]] += either
            for b in range(a + 1, m):
                grid[pair, code[a], code[b]] += both
                pair += 1


@machine_code()
def _put(box, r, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Set the interval of feature `f` that clause `r` accepts; its literals are counted later."""
    box[r, f, moves.LOW], box[r, f, moves.HIGH], box[r, f, moves.ABSENT] = low, high, absent


@machine_code(inline=True)
def _try_pair(table, work, room, r, pair, price, best):  # type: ignore[no-untyped-def]
    """Set clause `r` to the best box on two features if it saves more than `best`."""
    a, b = room.pair[pair, FIRST], room.pair[pair, SECOND]
    f, g, upto, row = room.rank[a], room.rank[b], room.upto, room.row
    last, width = table.features[f, moves.BINS] - 1, table.features[g, moves.BINS] + 1
    for code in range(width):  # sums over the first bins of the first feature
        upto[0, code] = 0.0
        for end in range(last + 1):
            upto[end + 1, code] = upto[end, code] + room.grid[pair, end, code]
    for c in range(room.count[a]):
        low, high = room.choices[a, c, moves.LOW], room.choices[a, c, moves.HIGH]
        absent, size = room.choices[a, c, moves.ABSENT], room.choices[a, c, moves.SIZE]
        for code in range(width):
            row[0, code] = upto[high + 1, code] - upto[low, code] + room.edge[b, code]
            if absent:
                row[0, code] += room.grid[pair, last + 1, code]
        choice = moves.best_choice(row, ZERO, table.may, g, width - 2, table.flags, price)
        worth, first, end, missing, _ = choice
        alone = room.edge[a, last + 1] if absent else 0.0
        for code in range(low, high + 1):
            alone += room.edge[a, code]
        value = worth + (alone - price * size)
        if value > best:
            best = value
            moves.put_whole(table, work, r)
            _put(work.box, r, f, low, high, absent)
            _put(work.box, r, g, first, end, np.int64(missing))
    return best


@machine_code(types.void(TABLE, WORK, ROOM, I, F))
def start_clause(table, work, room, k, theta):  # type: ignore[no-untyped-def]
    """Start clause `k` of `work`, after the first `k`, with at most two intervals."""
    if len(table.features) == 0:
        return
    if k == 0:
        work.held[:] = 0
    moves.enter_whole(table, work, k)
    moves.find_nearest(table, work, k, NONE)
    moves.find_best_choices(table, work, k, theta)
    moves.leave_clause(work, k)
    gain, choice, f = work.gain, work.choice, ZERO
    for other in range(len(gain)):
        if gain[other, moves.VALUE] > gain[f, moves.VALUE]:
            f = other
    _put(work.box, k, f, choice[f, moves.LOW], choice[f, moves.HIGH], choice[f, moves.ABSENT])
    best, m, above, after = gain[f, moves.VALUE], ZERO, np.inf, NONE
    for _ in range(min(CANDIDATES, len(gain))):
        # the next best feature: worth less than the last one, or as much and further right
        top = NONE
        for other in range(len(gain)):
            worth = gain[other, moves.VALUE]
            later = worth < above or (worth == above and other > after)
            if later and (top < 0 or worth > gain[top, moves.VALUE]):
                top = other
        above, after = gain[top, moves.VALUE], top
        if table.features[top, moves.BINS] <= MOST_PAIR_BINS:  # others are left out
            room.rank[m] = top
            m += 1
    _fill_grids(table, work, room, m)
    for pair in range(_list_pairs(table, room, m)):
        best = _try_pair(table, work, room, k, pair, theta + moves.TIE, best)


@machine_code(types.boolean(TABLE, WORK, moves.LOG, ROOM, I, F, types.boolean))
def grow(table, work, log, room, k, theta, is_started):  # type: ignore[no-untyped-def]
    """Add clause `k`, by default from `start_clause`, if it pays; return whether it does."""
    if not is_started:
        start_clause(table, work, room, k, theta)
    objective = _record(table, work, log, k, NONE, _losses(table, work, k), theta)
    moves.enter_clause(table, work, k)
    moves.find_nearest(table, work, k, NONE)
    while moves.step(table, work, k, theta):
        pass
    more = k + 1
    value = _record(table, work, log, more, NONE, _losses(table, work, more), theta)
    pays = value < objective - moves.IMPROVEMENT
    if not pays:
        moves.leave_clause(work, k)
    return pays
