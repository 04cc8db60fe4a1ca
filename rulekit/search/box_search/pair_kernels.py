"""Where a new clause starts: at the best box on at most two features, exactly.

Narrowing a clause from the whole space, feature after feature, misses pairs of conditions that only
pay together. The savings of the rows are therefore summed over the bins of two features at once,
for each pair of the best single features. For every choice on the one feature, the best choice on
the other is then a maximum-sum run. O(n) and O(K^3) a pair for K bins of a feature.

Legend, beside that of `move_kernels`::

    a, b     features of a pair, by their rank; what a clause accepts of a is tried choice by
             choice, of b found by a scan
    both     g(0) - g(1) of a row: what is saved when a and b both accept it, beyond ...
    either   g(1): ... what each of the two saves that does
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from rulekit.search.box_search.move_kernels import (
    ABSENT,
    BINS,
    END,
    EXTRA,
    F2,
    F3,
    HIGH,
    I1,
    I2,
    I3,
    LACKS,
    LOW,
    NEAR,
    NONE,
    ONE,
    SIZE,
    SOURCE,
    START,
    TABLE,
    TEST,
    TIE,
    VALUE,
    WORK,
    WORTH,
    ZERO,
    F,
    I,
    best_choice,
    enter_whole,
    find_best_choices,
    find_nearest,
    leave_all,
    leave_clause,
    put_whole,
    saving,
    saving_at_zero,
)
from rulekit.search.machine_code import machine_code
from rulekit.search.records import record

CANDIDATES = 8  # best single features, of which all pairs are tried
MOST_PAIR_BINS = 16  # of a feature in a pair: the choices are quadratic in the bins
WIDTH = MOST_PAIR_BINS + 1  # with a slot for missing values
MOST_CHOICES = MOST_PAIR_BINS * WIDTH + 1
FIRST, SECOND = range(2)
PAIRS = CANDIDATES * (CANDIDATES - 1) // 2


class Room(NamedTuple):
    """Room for the pairs of ranked features."""

    rank: Any  # (CANDIDATES,) int64, features of few bins, the best single one first
    count: Any  # (CANDIDATES,) int64, of the choices of each
    pair: Any  # (PAIRS, 2) int64, ranks of the features a and b of each pair
    choices: Any  # (CANDIDATES, MOST_CHOICES, 4) int64: low, high, absent, literals
    edge: Any  # (CANDIDATES, WIDTH) float64, sum of `either` over the rows of a bin
    grid: Any  # (PAIRS, WIDTH, WIDTH) float64, sum of `both` over the rows of two bins
    upto: Any  # (WIDTH + 1, WIDTH) float64, of one grid: sums over the first bins of a
    row: Any  # (1, WIDTH) float64, what the codes of b save for one choice on a
    code: Any  # (CANDIDATES,) int64, bins of one row


ROOM = record(Room, I1, I1, I2, I3, F2, F3, F2, F2, I1)


def room() -> Room:
    """Make room for the pairs of one search."""
    return Room(
        np.zeros(CANDIDATES, np.int64),
        np.zeros(CANDIDATES, np.int64),
        np.zeros((PAIRS, 2), np.int64),
        np.zeros((CANDIDATES, MOST_CHOICES, 4), np.int64),
        np.zeros((CANDIDATES, WIDTH)),
        np.zeros((PAIRS, WIDTH, WIDTH)),
        np.zeros((WIDTH + 1, WIDTH)),
        np.zeros((1, WIDTH)),
        np.zeros(CANDIDATES, np.int64),
    )


@machine_code()
def _note(choices, a, count, low, high, absent, size):  # type: ignore[no-untyped-def]
    """Append one choice at the end of the list of the a-th feature; return the new length."""
    choices[a, count, LOW], choices[a, count, HIGH] = low, high
    choices[a, count, ABSENT], choices[a, count, SIZE] = absent, size
    return count + 1


@machine_code(inline=True)
def _list_choices(table, room, a):  # type: ignore[no-untyped-def]
    """List all that a clause may accept of the a-th ranked feature."""
    f, may, choices, count = room.rank[a], table.may, room.choices, ZERO
    last, lacks, tests = table.features[f, BINS] - 1, table.flags[f, LACKS], table.flags[f, TEST]
    for low in range(last + 1):
        if low > 0 and not may[f, low, START]:
            continue
        for high in range(low, last + 1):
            if high < last and not may[f, high, END]:
                continue
            size = np.int64(low > 0) + np.int64(high < last)
            count = _note(choices, a, count, low, high, ONE, size)
            if lacks and (size or tests):
                count = _note(choices, a, count, low, high, ZERO, max(size, ONE))
    if lacks and tests:
        # the empty interval: missing values alone
        count = _note(choices, a, count, ONE, ZERO, ONE, ONE)
    room.count[a] = count


@machine_code(inline=True)
def _list_pairs(table, room, m):  # type: ignore[no-untyped-def]
    """List all pairs of the `m` ranked features, and the choices of each; return their number."""
    count = 0
    for a in range(m):
        _list_choices(table, room, a)
        for b in range(a + 1, m):
            room.pair[count, FIRST], room.pair[count, SECOND] = a, b
            count += 1
    return count


@machine_code(inline=True)
def _rank(table, work, rank):  # type: ignore[no-untyped-def]
    """List the best features, of which only those of few bins are kept; return their number."""
    gain, m, above, after = work.gain, ZERO, np.inf, NONE
    for _ in range(min(CANDIDATES, len(gain))):
        # the next after the last one found: worth less, or as much and further right
        best = NONE
        for f in range(len(gain)):
            worth = gain[f, VALUE]
            later = worth < above or (worth == above and f > after)
            if later and (best < 0 or worth > gain[best, VALUE]):
                best = f
        above, after = gain[best, VALUE], best
        if table.features[best, BINS] <= MOST_PAIR_BINS:
            rank[m] = best
            m += 1
    return m


@machine_code(inline=True)
def _clear(room):  # type: ignore[no-untyped-def]
    """Empty the sums."""
    for a in range(CANDIDATES):
        for code in range(WIDTH):
            room.edge[a, code] = 0.0
    for pair in range(PAIRS):
        for code in range(WIDTH):
            for other in range(WIDTH):
                room.grid[pair, code, other] = 0.0


@machine_code(inline=True)
def _fill_grids(table, work, room, m):  # type: ignore[no-untyped-def]
    """Sum the savings over the bins of all pairs of the `m` ranked features."""
    rows, bins, features, charges = table.rows, table.bins, table.features, table.charges
    rank, edge, grid, code, plain = room.rank, room.edge, room.grid, room.code, table.plain[0]
    held, far, y = work.held, work.nearest, table.y
    _clear(room)
    for i in range(len(rows)):
        if plain and held[i]:
            continue
        nearest = 0 if plain else far[i]
        extra, near = charges[i, EXTRA], charges[i, NEAR]
        at_zero = saving_at_zero(y[i], charges[i, WORTH], extra, near, held[i])
        either = saving(ONE, y[i], at_zero, extra, near, nearest)
        both = at_zero - either
        if both == 0.0 and either == 0.0:
            continue
        for a in range(m):
            f = rank[a]
            code[a] = bins[f, rows[i, features[f, SOURCE]]]
        pair = 0  # in the order of `_list_pairs`
        for a in range(m):
            if either != 0.0:
                edge[a, code[a]] += either
            for b in range(a + 1, m):
                grid[pair, code[a], code[b]] += both
                pair += 1


@machine_code()
def _sum_up(room, pair, rows, columns):  # type: ignore[no-untyped-def]
    """Sum a grid over the first bins of its first feature."""
    for b in range(columns):
        room.upto[0, b] = 0.0
        for a in range(rows):
            room.upto[a + 1, b] = room.upto[a, b] + room.grid[pair, a, b]


@machine_code(inline=True)
def _sum_edge(room, a, low, high, absent, last):  # type: ignore[no-untyped-def]
    """Sum what acceptance by the a-th feature alone saves."""
    total = room.edge[a, last + 1] if absent else 0.0
    for code in range(low, high + 1):
        total += room.edge[a, code]
    return total


@machine_code()
def _put(box, r, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Set the interval of feature `f` that clause `r` accepts; its literals are counted later."""
    box[r, f, LOW], box[r, f, HIGH], box[r, f, ABSENT] = low, high, absent


@machine_code(inline=True)
def _try_pair(table, work, room, r, pair, price, best):  # type: ignore[no-untyped-def]
    """Set clause `r` to the best box on two features if it saves more than `best`."""
    a, b = room.pair[pair, FIRST], room.pair[pair, SECOND]
    f, g, upto, row = room.rank[a], room.rank[b], room.upto, room.row
    last, width = table.features[f, BINS] - 1, table.features[g, BINS] + 1
    _sum_up(room, pair, last + 1, width)
    for c in range(room.count[a]):
        low, high = room.choices[a, c, LOW], room.choices[a, c, HIGH]
        absent, size = room.choices[a, c, ABSENT], room.choices[a, c, SIZE]
        for code in range(width):
            row[0, code] = upto[high + 1, code] - upto[low, code] + room.edge[b, code]
            if absent:
                row[0, code] += room.grid[pair, last + 1, code]
        worth, first, end, missing, _ = best_choice(
            row, ZERO, table.may, g, width - 2, table.flags, price
        )
        value = worth + (_sum_edge(room, a, low, high, absent, last) - price * size)
        if value > best:
            best = value
            put_whole(table, work, r)
            _put(work.box, r, f, low, high, absent)
            _put(work.box, r, g, first, end, np.int64(missing))
    return best


@machine_code(types.void(TABLE, WORK, ROOM, I, F))
def start_clause(table, work, room, k, theta):  # type: ignore[no-untyped-def]
    """Start clause `k` of `work`, after the first `k`, with at most two intervals."""
    if len(table.features) == 0:
        return
    if k == 0:
        leave_all(work)
    enter_whole(table, work, k)
    find_nearest(table, work, k, NONE)
    find_best_choices(table, work, k, theta)
    leave_clause(work, k)
    gain, choice, f = work.gain, work.choice, ZERO
    for other in range(len(gain)):
        if gain[other, VALUE] > gain[f, VALUE]:
            f = other
    _put(work.box, k, f, choice[f, LOW], choice[f, HIGH], choice[f, ABSENT])
    best, m = gain[f, VALUE], _rank(table, work, room.rank)
    _fill_grids(table, work, room, m)
    for pair in range(_list_pairs(table, room, m)):
        best = _try_pair(table, work, room, k, pair, theta + TIE, best)
