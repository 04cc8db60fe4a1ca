"""The branch and bound of `rulekit.solvers.exact_clause` as machine code.

Imported by `rulekit.solvers.compiled` alone, as it needs Numba. It visits the same nodes in the
same order as `rulekit.solvers.exact_bits`, with rows as bits of 64-bit words, and all sums are
exact, so that both find the same bits. A node is a level of preallocated arrays: the search can
stop after any number of tests and go on later.

Legend, beside that of `rulekit.solvers.exact_clause`::

    unit, table  weight of the rows of a word: `unit` of the word for each bit, or, where `table`
                 is not empty, 256 sums for each of its bytes
    live         candidates of a level that can still pay, by rising loss
    own          own[t, s]: what the literal chosen at level s alone takes from N, at level t
    step         rows of N between a literal and the next looser one of its slot
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulekit.solvers.compiled import machine_code

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
    """The nodes from the root to the present one."""

    P: Words
    N: Words
    own: Words
    column: Ints
    live: Ints
    loss: Floats
    bound: Floats
    n_live: Ints
    next: Ints


class Tops(NamedTuple):
    """Of the live literals seen so far: largest gains by slot, and the rows of N any takes."""

    gain: Floats
    slot: Ints
    n: Ints
    union: Words
    new: Words


class Record(NamedTuple):
    """What the search knows.

    `value`: the best value; `counts`: the level, the tests, the size of the best clause (-1: none),
    and whether the node at the level is new; `best`: the columns of the best clause.
    """

    value: Floats
    counts: Ints
    best: Ints


@machine_code(None)
def _popcount(word):  # type: ignore[no-untyped-def]
    word = word - ((word >> _1) & _PAIRS)
    word = (word & _FOURS) + ((word >> _2) & _FOURS)
    word = (word + (word >> _4)) & _EIGHTS
    return np.int64((word * _ONES) >> _56)


@machine_code(None)
def _weigh(a, b, weights):  # type: ignore[no-untyped-def]
    """Weigh the rows that two sets share."""
    total = 0.0
    if len(weights.table) == 0:
        for w in range(len(a)):
            total += weights.unit[w] * _popcount(a[w] & b[w])
        return total
    for w in range(len(a)):
        word, at = a[w] & b[w], 2048 * w
        while word != _NONE:
            total += weights.table[at + np.int64(word & _BYTE)]
            word >>= _8
            at += 256
    return total


@machine_code(None)
def _share_pays(share, step, theta, weights):  # type: ignore[no-untyped-def]
    """Say whether a literal's own share pays for it, and loosening it would lose some of it."""
    touched = _NONE
    for w in range(len(share)):
        touched |= share[w] & step[w]
    return touched != _NONE and _weigh(share, share, weights) >= theta


@machine_code(None)
def _find_live(t, p, n, levels, task, record, gain):  # type: ignore[no-untyped-def]
    """Keep the candidates of a level that can pay, sorted by loss and column."""
    floor, kept = record.value[0] + BETTER + task.theta * (t + 1), 0
    live, loss = levels.live[t], levels.loss[t]
    for k in range(levels.n_live[t]):
        c = live[k]
        left = _weigh(levels.P[t], task.P[c], task.wp)
        if left <= floor:
            continue
        g = n - _weigh(levels.N[t], task.N[c], task.wn)
        if g < task.theta:
            continue
        lost, j = p - left, kept
        while j > 0 and (loss[j - 1] > lost or (loss[j - 1] == lost and live[j - 1] > c)):
            live[j], loss[j], gain[j] = live[j - 1], loss[j - 1], gain[j - 1]
            j -= 1
        live[j], loss[j], gain[j] = c, lost, g
        kept += 1
    levels.n_live[t] = kept


@machine_code(None)
def _most_net(gain, taken, tops, slot, theta):  # type: ignore[no-untyped-def]
    """Bound the gains, less prices, of a literal and others of smaller loss."""
    reach, size = gain, 1
    most = min(reach, taken) - theta
    for j in range(tops.n[0]):
        if reach >= taken:
            break
        if tops.slot[j] == slot:
            continue
        reach, size = reach + tops.gain[j], size + 1
        net = min(reach, taken) - theta * size
        if net <= most:
            break
        most = net
    return most


@machine_code(None)
def _note_gain(gain, slot, tops):  # type: ignore[no-untyped-def]
    """Keep the largest gain of each slot, in falling order."""
    last = tops.n[0]
    for j in range(tops.n[0]):
        if tops.slot[j] == slot:
            if tops.gain[j] >= gain:
                return
            last = j
            break
    if last == tops.n[0]:
        tops.n[0] += 1
    while last > 0 and tops.gain[last - 1] < gain:
        tops.gain[last], tops.slot[last] = tops.gain[last - 1], tops.slot[last - 1]
        last -= 1
    tops.gain[last], tops.slot[last] = gain, slot


@machine_code(None)
def _set_bounds(t, p, n, levels, task, gain, tops):  # type: ignore[no-untyped-def]
    """Bound the clauses whose literal of largest loss is the k-th live one, for each k."""
    N, new = levels.N[t], tops.new
    tops.union[:] = _NONE
    tops.n[0], taken = 0, 0.0
    for k in range(levels.n_live[t]):
        c = levels.live[t, k]
        for w in range(len(N)):
            new[w] = N[w] & ~task.N[c, w] & ~tops.union[w]
            tops.union[w] |= new[w]
        taken += _weigh(new, new, task.wn)
        most = _most_net(gain[k], taken, tops, task.slot[c], task.theta)
        levels.bound[t, k] = p - levels.loss[t, k] - task.theta * t - n + most
        _note_gain(gain[k], task.slot[c], tops)


@machine_code(None)
def _enter(t, levels, task, record, gain, tops):  # type: ignore[no-untyped-def]
    """Value a new node and list its branches; say whether it has any."""
    p, n = _weigh(levels.P[t], levels.P[t], task.wp), _weigh(levels.N[t], levels.N[t], task.wn)
    value = p - n - task.theta * t
    if value > record.value[0] + BETTER:
        record.value[0], record.counts[2] = value, t
        record.best[:t] = levels.column[1 : t + 1]
    if n < task.theta:
        return False
    record.counts[1] += levels.n_live[t]
    _find_live(t, p, n, levels, task, record, gain)
    _set_bounds(t, p, n, levels, task, gain, tops)
    levels.next[t] = levels.n_live[t] - 1
    return True


@machine_code(None)
def _branch(t, k, levels, task):  # type: ignore[no-untyped-def]
    """Make the child that takes the k-th live literal; say whether all its literals pay."""
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
        if task.slot[levels.live[t, j]] != task.slot[c]:
            levels.live[t + 1, kept] = levels.live[t, j]
            kept += 1
    levels.n_live[t + 1] = kept
    return True


@machine_code(None)
def search(levels, task, record, budget):  # type: ignore[no-untyped-def]
    """Search on until the tree is done (true) or `budget` more tests are made (false).

    It stops before a node that would exceed the budget; that node stays new.
    """
    n_literals = len(task.slot)
    gain, n_words = np.zeros(n_literals), task.N.shape[1]
    tops = Tops(
        np.zeros(n_literals + 1),
        np.zeros(n_literals + 1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(n_words, np.uint64),
        np.zeros(n_words, np.uint64),
    )
    t, new, most = record.counts[0], record.counts[3], record.counts[1] + budget
    while t >= 0:
        if new:
            if record.counts[1] + levels.n_live[t] > most:
                break
            new = 0
            if not _enter(t, levels, task, record, gain, tops):
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
    record.counts[0], record.counts[3] = t, new
    return t < 0


def prepare() -> None:
    """Compile for the types that `rulekit.solvers.exact_words` passes."""
    words, floats, ints = np.zeros((1, 1), np.uint64), np.zeros((1, 1)), np.zeros((1, 1), np.int64)
    weights = RowWeights(np.zeros(1), np.zeros(0))
    levels = Levels(
        words,
        words,
        np.zeros((1, 1, 1), np.uint64),
        ints[0],
        ints,
        floats,
        floats,
        ints[0],
        ints[0],
    )
    none = words[:0]
    task = Task(1.0, none, none.copy(), none.copy(), ints[0, :0], weights, weights)
    record = Record(np.zeros(1), np.array([0, 0, -1, 1]), ints[0])
    search(levels, task, record, 10)
