"""The branch and bound of `exact_clause`, with rows as bits of 64-bit words."""

# All sums are exact, so that the slow twin in the tests finds the same bits. A node is a level of
# preallocated arrays: the search can stop after any number of tests and go on later.
#
# Legend, beside that of `exact_clause`:
#   unit, table  weight of the rows of a word: `unit` of the word for each bit, or, where `table`
#                is not empty, 256 sums for each of its bytes
#   live         candidates of a level that can still pay, by rising loss
#   own          own[t, s]: what the literal chosen at level s alone takes from N, at level t
#   step         rows of N between a literal and the next looser one of its slot

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from rulekit.search.machine_code import machine_code
from rulekit.search.records import record

Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BETTER = 1e-9
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _ONES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_1, _2, _4, _8, _56 = (np.uint64(k) for k in (1, 2, 4, 8, 56))
_BYTE, _NONE = np.uint64(255), np.uint64(0)


class RowWeights(NamedTuple):
    """Weights of the rows of a set of words, see `unit` and `table` above."""

    unit: Floats
    table: Floats


class Task(NamedTuple):
    """Price and literals: what each holds for in both classes, its step, its slot; the weights."""

    theta: float
    P: Words
    N: Words
    step: Words
    slot: Ints
    wp: RowWeights
    wn: RowWeights


class Levels(NamedTuple):
    """The nodes from the root to the present one, and room to bound what is below one of them."""

    P: Words
    N: Words
    own: Words
    column: Ints
    live: Ints
    loss: Floats
    bound: Floats
    n_live: Ints
    next: Ints
    gain: Floats  # (d + 1,), falling: of the live literals seen so far the largest, one a slot
    slot: Ints  # (d + 1,), of these
    n_gains: Ints  # (1,)
    union: Words  # the rows of N that any of them takes ...
    new: Words  # ... and those that the last one added
    live_gain: Floats  # (d,), of the live candidates, in their order


class SearchState(NamedTuple):
    """What the search knows: best value, `counts` as named below, the best clause and those near.

    Without room for those near, only the best clause is stored.
    """

    value: Floats  # (1,)
    counts: Ints  # (4,)
    best: Ints  # columns
    near: Floats  # (room,), what each clause near the best is worth
    size: Ints  # (room,), its number of literals
    column: Ints  # (room, most literals)
    n_near: Ints  # (1,)
    others: Words  # rows of P: memory


LEVEL, TESTS, LENGTH, NEW = range(4)  # of `counts`; LENGTH of the best clause is -1 without one,
# NEW says whether the node at LEVEL is still to be entered

I, B = types.int64, types.boolean  # noqa: E741
W1, W2, W3 = types.uint64[::1], types.uint64[:, ::1], types.uint64[:, :, ::1]
I1, I2, F1, F2 = I[::1], I[:, ::1], types.float64[::1], types.float64[:, ::1]

WEIGHTS = record(RowWeights, F1, F1)
TASK = record(Task, types.float64, W2, W2, W2, I1, WEIGHTS, WEIGHTS)
LEVELS = record(Levels, W2, W2, W3, I1, I2, F2, F2, I1, I1, F1, I1, I1, W1, W1, F1)
RECORD = record(SearchState, F1, I1, I1, F1, I1, I2, I1, W1)


@machine_code()
def _weigh(a, b, weights):  # type: ignore[no-untyped-def]
    """Weigh the rows that two sets share."""
    total = 0.0
    if len(weights.table) == 0:
        for w in range(len(a)):
            word = a[w] & b[w]  # its bits are counted by pairs, fours, eights, then all bytes
            word = word - ((word >> _1) & _PAIRS)
            word = (word & _FOURS) + ((word >> _2) & _FOURS)
            word = (word + (word >> _4)) & _EIGHTS
            total += weights.unit[w] * np.int64((word * _ONES) >> _56)
        return total
    for w in range(len(a)):
        word, at = a[w] & b[w], 2048 * w
        while word != _NONE:
            total += weights.table[at + np.int64(word & _BYTE)]
            word >>= _8
            at += 256
    return total


@machine_code()
def _share_pays(share, step, theta, weights):  # type: ignore[no-untyped-def]
    """Return whether a literal's own share pays for it, and loosening it would lose some of it."""
    # Without a row of its step, the next looser literal would take as much from N and less from P.
    touched = _NONE
    for w in range(len(share)):
        touched |= share[w] & step[w]
    return touched != _NONE and _weigh(share, share, weights) >= theta


@machine_code()
def _find_live(t, p, n, levels, task, record):  # type: ignore[no-untyped-def]
    """Keep the candidates of a level that can pay, sorted by loss and column."""
    floor, kept = record.value[0] + BETTER + task.theta * (t + 1), 0
    live, loss, gain = levels.live[t], levels.loss[t], levels.live_gain
    for k in range(levels.n_live[t]):
        c = live[k]
        # Even a clause that takes nothing more from P must beat the best; cheaper to see than N.
        left = _weigh(levels.P[t], task.P[c], task.wp)
        if left <= floor:
            continue
        g = n - _weigh(levels.N[t], task.N[c], task.wn)
        if g < task.theta:
            continue
        lost, j = p - left, kept  # sorted by insertion: few are live, and most come in order
        while j > 0 and (loss[j - 1] > lost or (loss[j - 1] == lost and live[j - 1] > c)):
            live[j], loss[j], gain[j] = live[j - 1], loss[j - 1], gain[j - 1]
            j -= 1
        live[j], loss[j], gain[j] = c, lost, g
        kept += 1
    levels.n_live[t] = kept


@machine_code(inline=True)
def _note_gain(gain, slot, levels):  # type: ignore[no-untyped-def]
    """Keep the largest gain of each slot, in falling order."""
    last = levels.n_gains[0]
    for j in range(levels.n_gains[0]):
        if levels.slot[j] == slot:
            if levels.gain[j] >= gain:
                return
            last = j
            break
    if last == levels.n_gains[0]:
        levels.n_gains[0] += 1
    while last > 0 and levels.gain[last - 1] < gain:
        levels.gain[last], levels.slot[last] = levels.gain[last - 1], levels.slot[last - 1]
        last -= 1
    levels.gain[last], levels.slot[last] = gain, slot


@machine_code()
def _set_bounds(t, p, n, levels, task, size):  # type: ignore[no-untyped-def]
    """Bound the clauses of a size at most whose literal of largest loss is the k-th, for each k."""
    N, new = levels.N[t], levels.new
    for w in range(len(N)):
        levels.union[w] = _NONE
    levels.n_gains[0], taken = 0, 0.0
    for k in range(levels.n_live[t]):
        c = levels.live[t, k]
        for w in range(len(N)):
            new[w] = N[w] & ~task.N[c, w] & ~levels.union[w]
            levels.union[w] |= new[w]
        taken += _weigh(new, new, task.wn)
        # the most gains, less prices, of this literal and others of smaller loss
        reach, n_taken = levels.live_gain[k], 1
        best = min(reach, taken) - task.theta
        for j in range(levels.n_gains[0]):
            if reach >= taken or n_taken == size - t:
                break
            if levels.slot[j] == task.slot[c]:
                continue
            # gains fall, so the first literal that does not pay its price ends the list
            reach, n_taken = reach + levels.gain[j], n_taken + 1
            net = min(reach, taken) - task.theta * n_taken
            if net <= best:
                break
            best = net
        levels.bound[t, k] = p - levels.loss[t, k] - task.theta * t - n + best
        _note_gain(levels.live_gain[k], task.slot[c], levels)


@machine_code()
def _branch(t, k, levels, task):  # type: ignore[no-untyped-def]
    """Make the child that takes the k-th live literal; return whether all its literals pay."""
    c = levels.live[t, k]
    for s in range(1, t + 1):
        own = levels.own[t + 1, s]
        for w in range(len(own)):
            own[w] = levels.own[t, s, w] & task.N[c, w]
        if not _share_pays(own, task.step[levels.column[s]], task.theta, task.wn):
            return False
    own = levels.own[t + 1, t + 1]
    for w in range(len(own)):
        own[w] = levels.N[t, w] & ~task.N[c, w]
    if not _share_pays(own, task.step[c], task.theta, task.wn):
        return False
    for w in range(len(levels.P[t])):
        levels.P[t + 1, w] = levels.P[t, w] & task.P[c, w]
    for w in range(len(levels.N[t])):
        levels.N[t + 1, w] = levels.N[t, w] & task.N[c, w]
    levels.column[t + 1], kept = c, 0
    for j in range(k):
        # a second literal of a slot changes nothing: the two are nested
        if task.slot[levels.live[t, j]] != task.slot[c]:
            levels.live[t + 1, kept] = levels.live[t, j]
            kept += 1
    levels.n_live[t + 1] = kept
    return True


@machine_code()
def _all_pay(t, levels, task, record):  # type: ignore[no-untyped-def]
    """Return whether leaving out any one literal of the clause would cost more than its price."""
    for s in range(1, t + 1):
        for w in range(len(record.others)):
            rows = levels.P[0, w] & ~task.P[levels.column[s], w]
            for r in range(1, t + 1):
                if r != s:
                    rows &= task.P[levels.column[r], w]
            record.others[w] = rows
        lost = _weigh(record.others, record.others, task.wp)
        own = levels.own[t, s]
        if _weigh(own, own, task.wn) - lost <= task.theta + BETTER:
            return False
    return True


@machine_code(inline=True)
def _enter(t, levels, task, record, margin):  # type: ignore[no-untyped-def]
    """Value and store a new node and list its branches; return whether it has any."""
    p, n = _weigh(levels.P[t], levels.P[t], task.wp), _weigh(levels.N[t], levels.N[t], task.wn)
    value = p - n - task.theta * t
    if value > record.value[0] + BETTER:
        if len(record.near) == 0:
            record.value[0], record.counts[LENGTH] = value, t
            for s in range(t):
                record.best[s] = levels.column[s + 1]
        elif p + n > 0.0 and _all_pay(t, levels, task, record):
            # what holds nowhere is no clause but a constant answer
            record.value[0] = max(record.value[0], value - margin - 2 * BETTER)
            i = record.n_near[0]
            record.near[i], record.size[i] = value, t
            for s in range(t):
                record.column[i, s] = levels.column[s + 1]
            record.n_near[0] = i + 1
    most = record.column.shape[1]
    if n < task.theta or t == most:  # no literal can take its price from what is left of N
        return False
    record.counts[TESTS] += levels.n_live[t]
    _find_live(t, p, n, levels, task, record)
    _set_bounds(t, p, n, levels, task, most)
    levels.next[t] = levels.n_live[t] - 1  # the largest loss first: most literals below it
    return True


@machine_code(B(LEVELS, TASK, RECORD, types.float64, I))
def search(levels, task, record, margin, budget):  # type: ignore[no-untyped-def]
    """Search on; return whether the tree was done before room or `budget` more tests."""
    # It stops before a node that would exceed the budget; that node stays new.
    counts, room = record.counts, len(record.near)
    t, new, most = counts[LEVEL], counts[NEW], counts[TESTS] + budget
    while t >= 0:
        if new:
            if (room and record.n_near[0] == room) or counts[TESTS] + levels.n_live[t] > most:
                break
            new = 0
            if not _enter(t, levels, task, record, margin):
                t -= 1
                continue
        k = levels.next[t]
        if k < 0:
            t -= 1
            continue
        levels.next[t] = k - 1
        if levels.bound[t, k] <= record.value[0] + BETTER:
            continue
        if _branch(t, k, levels, task):
            t, new = t + 1, 1
    counts[LEVEL], counts[NEW] = t, new
    return t < 0
