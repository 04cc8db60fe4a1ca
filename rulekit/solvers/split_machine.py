"""The scans of `rulekit.solvers.impurity` and `rulekit.solvers.band_scan` as machine code.

Beside them the impurities that the genetic lower level asks for.

Imported by `rulekit.solvers.compiled` alone, as it needs Numba. For rows that all weigh 1: their
sums are whole numbers, exact in any order, and all else is done number by number as NumPy does it,
so that both find the same bits. NumPy sorts the keys, which it does several times faster. All
functions stay in one file, as Numba's cache looks only at the file of the function that is called.

Legend, beside that of `rulekit.solvers.impurity`::

    T      classes that are followed: the second of two, all of more
    part   (T, n) mass of each of them on the left after each row; size (n,) that of all
    total  (K,) mass of each class
"""

import numpy as np
from numba import types

from rulekit.solvers.compiled import machine_code

TINY = EQUAL = 1e-12  # these four as in impurity and structures; the tests compare them
INFINITE = np.int64(0x7FF0000000000000)
FLIP = np.int64(0x7FFFFFFFFFFFFFFF)
COARSE = 6144.0
ONE = np.int64(1)

I, F, B = types.int64, types.float64, types.boolean  # noqa: E741
I1, I2 = (types.Array(I, d, "C") for d in (1, 2))
F1, F2 = (types.Array(F, d, "C") for d in (1, 2))
B1 = types.Array(B, 1, "C")
# what is only read: arrays that may be written are welcome, too
J1, J2 = (types.Array(I, d, "C", readonly=True) for d in (1, 2))
R1, R2, R3 = (types.Array(F, d, "C", readonly=True) for d in (1, 2, 3))
KEYS, STOPS, RUNS = (
    types.Tuple(parts)  # type: ignore[no-untyped-call]
    for parts in ((I2, F2), (I1, F1), (F1, I1, I1))
)


@machine_code(F2(R3, R2))
def project(laws, w):  # type: ignore[no-untyped-def]
    """Sum weights times scaled power laws, in coarse steps; see `StructureBlock.projected`."""
    P, size, n = laws.shape
    made = np.empty((P, n))
    for r in range(P):
        value = made[r]
        law, weight = laws[r, 0], w[r, 0]
        for i in range(n):
            value[i] = weight * law[i]
        for a in range(1, size):
            law, weight = laws[r, a], w[r, a]
            for i in range(n):
                value[i] += weight * law[i]
        for i in range(n):
            value[i] = (value[i] + COARSE) - COARSE
    return made


@machine_code(types.void(I1, J1, I, I), inner=True)
def _write_labels(keys, label, bits, leaves):  # type: ignore[no-untyped-def]
    """Order floats as integers, and write twice the label, and who leaves, into the lowest bits."""
    keep = ~((ONE << (bits + 1)) - 1)
    for i in range(len(keys)):
        key = keys[i]
        keys[i] = ((key ^ ((key >> 63) & FLIP)) & keep) | (2 * label[i] + leaves)


@machine_code(KEYS(R2, R2, J1, I, I), ieee=True)
def step_keys(now, along, label, bits, n_classes):  # type: ignore[no-untyped-def]
    """Make the keys of a step, not sorted, and count who is on the left before all of them."""
    P, n = now.shape
    keys, first = np.empty((P, n), np.int64), np.zeros((P, n_classes))
    for r in range(P):
        at, by, row = now[r], along[r], keys[r]
        event = row.view(np.float64)
        for i in range(n):
            event[i] = (-at[i] / by[i] if by[i] != 0.0 else np.inf) + 0.0
        _write_labels(row, label, bits, 0)
        for i in range(n):
            row[i] |= np.int64(by[i] > 0.0)
        for k in range(n_classes):
            count = np.int64(0)
            for i in range(n):
                begins = (by[i] > 0.0) | ((by[i] == 0.0) & (at[i] <= 0.0))
                count += np.int64(begins & (label[i] == k))
            first[r, k] = count
    return keys, first


@machine_code(KEYS(R2, R2, R1, R1, J1, I, I), ieee=True)
def band_keys(now, along, low, high, label, bits, n_classes):  # type: ignore[no-untyped-def]
    """Make the keys of a step of a band: rows that come in, then the same as they leave."""
    P, n = now.shape
    keys, first = np.empty((P, 2 * n), np.int64), np.zeros((P, n_classes))
    for r in range(P):
        at, by, row, a, b = now[r], along[r], keys[r], low[r], high[r]
        event = row.view(np.float64)
        for i in range(n):
            one, other = (a - at[i]) / by[i], (b - at[i]) / by[i]
            still = by[i] == 0.0
            event[i] = np.inf if still else min(one, other) + 0.0
            event[n + i] = np.inf if still else max(one, other) + 0.0
        _write_labels(row[:n], label, bits, 0)
        _write_labels(row[n:], label, bits, 1)
        for k in range(n_classes):
            count = np.int64(0)
            for i in range(n):
                inside = (by[i] == 0.0) & (at[i] >= a) & (at[i] <= b)
                count += np.int64(inside & (label[i] == k))
            first[r, k] = count
    return keys, first


@machine_code(types.void(F2, F1, R1, F1), inner=True, ieee=True)
def _find_impurity(part, size, total, found):  # type: ignore[no-untyped-def]
    """Write FL of each cut, from the masses on its left."""
    two = len(total) == 2
    whole = 0.0
    for k in range(len(total)):
        whole += total[k]
    tiny, offset = TINY * whole, total[1] if two else whole
    scale = (2.0 if two else 1.0) / whole
    for i in range(len(found)):
        inner = outer = 0.0
        for t in range(len(part)):
            one = part[t, i]
            other = total[1 if two else t] - one
            inner += one * one
            outer += other * other
        left, right = max(size[i], tiny), max(whole - size[i], tiny)
        found[i] = (offset - (inner / left + outer / right)) * scale


@machine_code(I(J1, J1, F1, I, F1), inner=True)
def _least_apart(keys, beyond, found, bits, worth):  # type: ignore[no-untyped-def]
    """Find the first least impurity between keys that differ, none of them beyond the ends."""
    least, place = np.inf, 0
    for i in range(len(keys) - 1):
        if found[i] < least:
            gap = keys[i + 1] ^ keys[i]
            if (gap < 0 or gap >= ONE << bits) and keys[i + 1] < beyond[1] and keys[i] >= beyond[0]:
                least, place = found[i], i
    worth[0] = least
    return place


@machine_code(STOPS(J2, R2, R1, I))
def best_events(keys, first, total, bits):  # type: ignore[no-untyped-def]
    """Find the best stop of `best_event` for sorted keys: its place, and FL there."""
    P, n = keys.shape
    place, worth = np.empty(P, np.int64), np.empty(P)
    begin = 1 if len(total) == 2 else 0
    part, size, found = np.empty((len(total) - begin, n)), np.empty(n), np.empty(n)
    beyond = np.array([-INFINITE, INFINITE])
    labels = (ONE << bits) - 1
    for r in range(P):
        row = keys[r]
        for t in range(len(part)):
            k, count = t + begin, np.int64(first[r, t + begin])
            for i in range(n):
                mine = np.int64(((row[i] >> 1) & labels) == k)
                count += mine * (1 - 2 * (row[i] & 1))
                part[t, i] = count
        count = np.int64(0)
        for k in range(len(total)):
            count += np.int64(first[r, k])
        for i in range(n):
            count += 1 - 2 * (row[i] & 1)
            size[i] = count
        _find_impurity(part, size, total, found)
        place[r] = _least_apart(row, beyond, found, bits + 1, worth[r : r + 1])
    return place, worth


@machine_code(types.void(R2, R1, B, F1), inner=True)
def _sum_up(laws, person, modulus, value):  # type: ignore[no-untyped-def]
    """Write how far each row is beyond the split of one individual: 0 at most is left."""
    size, bias = len(laws), person[len(laws)]
    law, weight = laws[0], person[0]
    for i in range(len(value)):
        value[i] = weight * law[i]
    for a in range(1, size):
        law, weight = laws[a], person[a]
        for i in range(len(value)):
            value[i] += weight * law[i]
    for i in range(len(value)):
        value[i] += bias
    if modulus:
        half = abs(person[len(person) - 1])
        for i in range(len(value)):
            value[i] = abs(value[i]) - half


@machine_code(F2(R3, R3, J1, R1, B))
def people_worth(laws, people, codes, total, modulus):  # type: ignore[no-untyped-def]
    """Find FL of the individuals of each structure; see `GeneticLevel`."""
    S, _, n = laws.shape
    N, begin = people.shape[1], 1 if len(total) == 2 else 0
    found, value = np.empty((S, N)), np.empty(n)
    part, size = np.empty((len(total) - begin, N)), np.empty(N)
    for s in range(S):
        for k in range(N):
            _sum_up(laws[s], people[s, k], modulus, value)
            count = np.int64(0)
            for i in range(n):
                count += np.int64(value[i] <= 0.0)
            size[k] = count
            for t in range(len(part)):
                count, mine = np.int64(0), t + begin
                for i in range(n):
                    count += np.int64((value[i] <= 0.0) & (codes[i] == mine))
                part[t, k] = count
        _find_impurity(part, size, total, found[s])
    return found


@machine_code(types.void(J1, F2, I, I, I), inner=True)
def _count_labels(keys, part, begin, bits, at):  # type: ignore[no-untyped-def]
    """Count the rows of each followed class from the left; the first count comes to place `at`."""
    labels = (ONE << bits) - 1
    for t in range(len(part)):
        count = np.int64(0)
        for i in range(len(keys)):
            count += np.int64((keys[i] & labels) == t + begin)
            part[t, at + i] = count


@machine_code(STOPS(J2, R1, I))
def best_places(keys, total, bits):  # type: ignore[no-untyped-def]
    """Find the best cut of sorted keys, of equal ones that in the widest gap: place and FL."""
    P, n = keys.shape
    place, worth = np.empty(P, np.int64), np.empty(P)
    begin = 1 if len(total) == 2 else 0
    part, size, found = np.empty((len(total) - begin, n)), np.empty(n), np.empty(n - 1)
    for i in range(n):
        size[i] = i + 1
    beyond = np.array([-FLIP, FLIP])
    pair = np.empty(2, np.int64)
    value = pair.view(np.float64)
    keep = ~((ONE << bits) - 1)
    for r in range(P):
        row = keys[r]
        _count_labels(row, part, begin, bits, 0)
        _find_impurity(part, size, total, found)
        place[r] = _least_apart(row, beyond, found, bits, worth[r : r + 1])
        widest, limit = -2.0, worth[r] + EQUAL
        for i in range(n - 1):
            if not found[i] <= limit:
                continue
            difference = row[i + 1] ^ row[i]
            if not (difference < 0 or difference >= ONE << bits) and worth[r] < np.inf:
                continue
            for side in range(2):
                bare = row[i + side] & keep
                pair[side] = bare ^ ((bare >> 63) & FLIP)
            gap = value[1] - value[0]
            gap = gap if gap < np.inf else -1.0  # also where it is no number
            if gap > widest:
                widest, place[r] = gap, i
    return place, worth


@machine_code(types.void(F2, B1, F1, F, I1), inner=True)
def _find_run(part, border, slopes, slope, run):  # type: ignore[no-untyped-def]
    """Write the first and the place after the last row of the run of largest sum (Kadane)."""
    least, least_at, most = np.inf, 0, -np.inf
    for i in range(len(border)):
        if not border[i]:
            continue
        total = slope * i
        for t in range(len(slopes)):
            total += slopes[t] * part[t, i]
        if total < least:
            least, least_at = total, i
        if total - least > most:
            most, run[0], run[1] = total - least, least_at, i


@machine_code(F(F2, R1, I1, F2, F1, F1), inner=True, ieee=True)
def _tangent(part, total, run, inside, size, slopes):  # type: ignore[no-untyped-def]
    """Write the slope of purity for a row of each followed class; return that for any row."""
    begin = 1 if len(total) == 2 else 0
    whole = slope = 0.0
    for k in range(len(total)):
        whole += total[k]
    left, right = max(size[0], TINY * whole), max(whole - size[0], TINY * whole)
    for t in range(len(part)):
        one, other = inside[t, 0], total[t + begin] - inside[t, 0]
        slopes[t] = 2 * one / left - 2 * other / right
        slope += (other / right) * (other / right) - (one / left) * (one / left)
    return slope


@machine_code(F(F2, R1, I1, F2, F1, F1), inner=True)
def _worth(part, total, run, inside, size, found):  # type: ignore[no-untyped-def]
    """Return FL of a run, and write the masses in it."""
    for t in range(len(part)):
        inside[t, 0] = part[t, run[1]] - part[t, run[0]]
    size[0] = run[1] - run[0]
    _find_impurity(inside, size, total, found)
    return found[0]


@machine_code(RUNS(J2, R1, I, J1, R1, R1, I))
def best_runs(keys, total, bits, kind, sign, cost, rounds):  # type: ignore[no-untyped-def]
    """Find the interval of each row of sorted keys; see `band_scan`: FL, first, after the last."""
    P, n = keys.shape
    best, start, stop = np.empty(P), np.zeros(P, np.int64), np.zeros(P, np.int64)
    begin = 1 if len(total) == 2 else 0
    T = len(total) - begin
    part, border = np.zeros((T, n + 1)), np.empty(n + 1, np.bool_)
    border[0] = border[n] = True
    slopes, inside = np.empty(T), np.empty((T, 1))
    size, found = np.empty(1), np.empty(1)
    run, other = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for r in range(P):
        row, best[r] = keys[r], np.inf
        _count_labels(row, part, begin, bits, 1)
        for i in range(n - 1):
            gap = row[i + 1] ^ row[i]
            border[i + 1] = gap < 0 or gap >= ONE << bits
        for g in range(len(kind)):
            for t in range(T):
                slopes[t] = sign[g] if t == kind[g] else 0.0
            _find_run(part, border, slopes, -sign[g] * cost[g], run)
            value = _worth(part, total, run, inside, size, found)
            for _ in range(rounds):
                slope = _tangent(part, total, run, inside, size, slopes)
                _find_run(part, border, slopes, slope, other)
                next_value = _worth(part, total, other, inside, size, found)
                if not next_value < value - EQUAL:
                    break
                value, run[0], run[1] = next_value, other[0], other[1]
            if value < best[r]:
                best[r], start[r], stop[r] = value, run[0], run[1]
    return best, start, stop
