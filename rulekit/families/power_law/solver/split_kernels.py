"""The scans of sorted projections: cuts, steps and intervals, sums and moments of power laws."""

# What a row weighs is a whole number of units, a power of two (`ClassMass.units`): its sums are
# exact in any order, and all else is done number by number as NumPy would do it, so that the slow
# twins in the tests find the same bits. NumPy sorts the keys, which it does several times faster.
#
# Legend, beside that of `split_task`:
#   T      classes that are followed: the second of two, all of more
#   units  (labels, T + 1) what a row with a label weighs in each of them, and in all classes
#   part   (T + 1, n) mass of each of them on the left after each row, and of all; in FL's unit
#   total  (K,) mass of each class
#
# and for moments, beside that of `structures`; sums are taken in one order:
#   powers   (2 L + 1, d, n) every feature to the power of -L to L
#   weight   (n,) what a row counts        inside  (n,) the same in one class, 0 elsewhere
#   mean, mu  (P, p) mean over all rows, and in the class     second, own  (P, p, p) mean products

from typing import Any, NamedTuple

import numpy as np
from numba import types

from rulekit.search.machine_code import machine_code

TINY = EQUAL = 1e-12  # as in `split_task`; the tests compare them
INFINITE = np.int64(0x7FF0000000000000)  # key of infinity; of -infinity every key below minus it
FLIP = np.int64(0x7FFFFFFFFFFFFFFF)
COARSE = 6144.0  # 1.5 * 2**12: sums of scaled power laws are taken in steps of 2**-40
# Each plain number makes a version of its own of every kernel that it is handed to.
typed: Any = np.int64
ZERO, ONE = typed(0), typed(1)
START, STOP = range(2)  # of a run of rows: its first, and the one after its last

I, F, B = types.int64, types.float64, types.boolean  # noqa: E741
I1, I2, F1, F2 = I[::1], I[:, ::1], F[::1], F[:, ::1]
# what is only read: arrays that may be written are welcome, too
J1, J2 = (types.Array(I, d, "C", readonly=True) for d in (1, 2))
R1, R2, R3 = (types.Array(F, d, "C", readonly=True) for d in (1, 2, 3))
KEYS, STOPS, RUNS = (
    types.Tuple(parts)  # type: ignore[no-untyped-call]
    for parts in ((I2, I2), (F1, F1), (F1, F1, F1))
)


@machine_code()
def _add_laws(laws, w, value):  # type: ignore[no-untyped-def]
    """Write the sum of weights times power laws on each row."""
    for a in range(len(laws)):
        law, weight = laws[a], w[a]
        for i in range(len(value)):
            value[i] = weight * law[i] + (value[i] if a else 0.0)


@machine_code(F2(R3, R2))
def project(laws, w):  # type: ignore[no-untyped-def]
    """Sum weights times scaled power laws, in coarse steps; see `StructureBlock.projected`."""
    P, _, n = laws.shape
    made = np.empty((P, n))
    for r in range(P):
        value = made[r]
        _add_laws(laws[r], w[r], value)
        for i in range(n):
            value[i] = (value[i] + COARSE) - COARSE
    return made


@machine_code()
def _write_labels(keys, label, bits, leaves):  # type: ignore[no-untyped-def]
    """Order floats as integers, and write twice the label, and who leaves, into the lowest bits."""
    keep = ~((ONE << (bits + 1)) - 1)
    for i in range(len(keys)):
        key = keys[i]
        # of negative floats all bits but the sign are turned, as these sort the other way round
        keys[i] = ((key ^ ((key >> 63) & FLIP)) & keep) | (2 * label[i] + leaves)


@machine_code(KEYS(R2, R2, J1, I, J2), ieee=True)
def step_keys(now, along, label, bits, units):  # type: ignore[no-untyped-def]
    """Make the keys of a step, not sorted, and weigh who is on the left before all of them."""
    P, n = now.shape
    keys, first = np.empty((P, n), np.int64), np.zeros((P, units.shape[1]), np.int64)
    for r in range(P):
        at, by, row = now[r], along[r], keys[r]
        event = row.view(np.float64)
        for i in range(n):  # the sum turns -0.0 into 0.0
            event[i] = (-at[i] / by[i] if by[i] != 0.0 else np.inf) + 0.0
        _write_labels(row, label, bits, ZERO)
        for i in range(n):
            row[i] |= np.int64(by[i] > 0.0)
        # before all events: rows that will leave, and rows that never move from the left side
        for t in range(units.shape[1]):
            mass = ZERO
            for i in range(n):
                begins = (by[i] > 0.0) | ((by[i] == 0.0) & (at[i] <= 0.0))
                mass += np.int64(begins) * units[label[i], t]
            first[r, t] = mass
    return keys, first


@machine_code(KEYS(R2, R2, R1, R1, J1, I, J2), ieee=True)
def band_keys(now, along, low, high, label, bits, units):  # type: ignore[no-untyped-def]
    """Make the keys of a step of a band: rows that come in, then the same as they leave."""
    P, n = now.shape
    keys, first = np.empty((P, 2 * n), np.int64), np.zeros((P, units.shape[1]), np.int64)
    for r in range(P):
        at, by, row, a, b = now[r], along[r], keys[r], low[r], high[r]
        event = row.view(np.float64)
        for i in range(n):
            one, other = (a - at[i]) / by[i], (b - at[i]) / by[i]
            still = by[i] == 0.0
            event[i] = np.inf if still else min(one, other) + 0.0
            event[n + i] = np.inf if still else max(one, other) + 0.0
        _write_labels(row[:n], label, bits, ZERO)
        _write_labels(row[n:], label, bits, ONE)
        # far away a moving band holds only the rows that do not move along
        for t in range(units.shape[1]):
            mass = ZERO
            for i in range(n):
                inside = (by[i] == 0.0) & (at[i] >= a) & (at[i] <= b)
                mass += np.int64(inside) * units[label[i], t]
            first[r, t] = mass
    return keys, first


@machine_code(ieee=True)
def _find_impurity(part, total, found):  # type: ignore[no-untyped-def]
    """Write FL of each cut, from the masses on its left."""
    T, two = len(part) - 1, len(total) == 2
    whole = 0.0
    for k in range(len(total)):
        whole += total[k]
    # an empty side has no mass to divide by, and no impurity: tiny keeps it at 0 / tiny
    tiny, offset = TINY * whole, total[1] if two else whole
    scale = (2.0 if two else 1.0) / whole
    for i in range(len(found)):
        inner = outer = 0.0
        for t in range(T):
            one = part[t, i]
            other = total[1 if two else t] - one
            inner += one * one
            outer += other * other
        left, right = max(part[T, i], tiny), max(whole - part[T, i], tiny)
        found[i] = (offset - (inner / left + outer / right)) * scale


@machine_code()
def _sum_from_left(row, first, units, unit, bits, events, part):  # type: ignore[no-untyped-def]
    """Sum the masses from the left, beginning with `first`, into the last places of `part`."""
    labels, at = (ONE << bits) - 1, part.shape[1] - len(row)
    for t in range(len(part)):
        mass = first[t]
        for i in range(len(row)):
            come = 1 - 2 * (row[i] & events)
            mass += come * units[(row[i] >> events) & labels, t]
            part[t, at + i] = mass * unit


@machine_code()
def _least_apart(keys, lowest, highest, found, bits):  # type: ignore[no-untyped-def]
    """Find the first least impurity between keys that differ, none of them beyond the ends."""
    least, place = np.inf, ZERO
    for i in range(len(keys) - 1):
        if found[i] < least:
            gap = keys[i + 1] ^ keys[i]
            if (gap < 0 or gap >= ONE << bits) and keys[i + 1] < highest and keys[i] >= lowest:
                least, place = found[i], i
    return place, least


@machine_code()
def _read_values(row, i, bits, pair):  # type: ignore[no-untyped-def]
    """Write the values of a sorted key and the next, without labels, as the bits of floats."""
    for side in range(2):
        bare = row[i + side] & ~((ONE << bits) - 1)
        pair[side] = bare ^ ((bare >> 63) & FLIP)


@machine_code(STOPS(I2, I2, R1, I, J2, F))
def best_events(keys, first, total, bits, units, unit):  # type: ignore[no-untyped-def]
    """Find the best stop between sorted events that let rows in or out: the stop, FL there."""
    P, n = keys.shape
    stop, worth = np.empty(P), np.empty(P)
    part, found = np.empty((units.shape[1], n)), np.empty(n)
    pair = np.empty(2, np.int64)
    value = pair.view(np.float64)  # the same bits
    for r in range(P):
        _sum_from_left(keys[r], first[r], units, unit, bits, ONE, part)
        _find_impurity(part, total, found)
        place, worth[r] = _least_apart(keys[r], -INFINITE, INFINITE, found, bits + 1)
        _read_values(keys[r], place, bits + 1, pair)
        stop[r] = 0.5 * value[0] + 0.5 * value[1]
    return stop, worth


@machine_code(STOPS(I2, R1, I, J2, F, F))
def best_places(keys, total, bits, units, unit, uncut):  # type: ignore[no-untyped-def]
    """Find the best cut of sorted keys, of equal ones that in the widest gap: threshold and FL."""
    # Without a cut these are infinite and that of all rows, `uncut`.
    P, n = keys.shape
    threshold, worth = np.empty(P), np.empty(P)
    part, found = np.empty((units.shape[1], n)), np.empty(n)
    nothing = np.zeros(units.shape[1], np.int64)
    pair = np.empty(2, np.int64)
    value = pair.view(np.float64)
    for r in range(P):
        row = keys[r]
        _sum_from_left(row, nothing, units, unit, bits, ZERO, part)
        _find_impurity(part, total, found)
        place, worth[r] = _least_apart(row, -FLIP, FLIP, found, bits)
        # of cuts that are equal but for rounding, the one in the widest gap is the safest
        widest, limit = -2.0, worth[r] + EQUAL
        for i in range(n - 1):
            if not found[i] <= limit:
                continue
            difference = row[i + 1] ^ row[i]
            if not (difference < 0 or difference >= ONE << bits) and worth[r] < np.inf:
                continue
            _read_values(row, i, bits, pair)
            gap = value[1] - value[0]
            gap = gap if gap < np.inf else -1.0  # -1 where it is no number
            if gap > widest:
                widest, place = gap, i
        _read_values(row, place, bits, pair)
        threshold[r] = 0.5 * value[0] + 0.5 * value[1]
        if not np.isfinite(worth[r]):
            threshold[r], worth[r] = np.inf, uncut
    return threshold, worth


class Climb(NamedTuple):
    """One row of projections, and what a climb to a good interval of it works with."""

    part: Any  # (T + 1, n + 1) float64, as above, with a zero in front
    border: Any  # (n + 1,) bool, where a run may begin or end
    total: Any  # (K,) float64
    slopes: Any  # (T + 1,) float64, what a row of each followed class counts, and any row
    run: Any  # (2,) int64, the best run so far
    next: Any  # (2,) int64, the run after it
    inside: Any  # (T + 1, 1) float64, masses in a run
    found: Any  # (1,) float64, its FL


@machine_code()
def _find_run(climb, run):  # type: ignore[no-untyped-def]
    """Write the first and the place after the last row of the run of largest sum (Kadane)."""
    part, border, slopes = climb.part, climb.border, climb.slopes
    T = len(part) - 1
    least, least_at, most = np.inf, ZERO, -np.inf
    for i in range(len(border)):
        if not border[i]:
            continue
        total = slopes[T] * part[T, i]
        for t in range(T):
            total += slopes[t] * part[t, i]
        if total < least:
            least, least_at = total, i
        if total - least > most:
            most, run[START], run[STOP] = total - least, least_at, i


@machine_code(ieee=True)
def _find_slopes(climb):  # type: ignore[no-untyped-def]
    """Write the slopes of purity at the run looked at last."""
    total, inside, slopes = climb.total, climb.inside, climb.slopes
    T, begin = len(inside) - 1, 1 if len(total) == 2 else 0
    whole = slope = 0.0
    for k in range(len(total)):
        whole += total[k]
    left, right = max(inside[T, 0], TINY * whole), max(whole - inside[T, 0], TINY * whole)
    for t in range(T):
        one, other = inside[t, 0], total[t + begin] - inside[t, 0]
        slopes[t] = 2 * one / left - 2 * other / right
        slope += (other / right) * (other / right) - (one / left) * (one / left)
    slopes[T] = slope


@machine_code()
def _worth(climb, run):  # type: ignore[no-untyped-def]
    """Return FL of a run, and write the masses in it."""
    for t in range(len(climb.part)):
        climb.inside[t, 0] = climb.part[t, run[STOP]] - climb.part[t, run[START]]
    _find_impurity(climb.inside, climb.total, climb.found)
    return climb.found[0]


@machine_code(RUNS(I2, R1, I, J2, F, F, R2, I))
def best_runs(keys, total, bits, units, unit, uncut, guesses, rounds):  # type: ignore[no-untyped-def]
    """Find the interval of each row of sorted keys: FL, and its ends; endless if not better."""
    P, n = keys.shape
    best, low, high = np.empty(P), np.empty(P), np.empty(P)
    pair = np.empty(2, np.int64)
    value = pair.view(np.float64)
    T, nothing = units.shape[1] - 1, np.zeros(units.shape[1], np.int64)
    climb = Climb(
        np.zeros((T + 1, n + 1)),
        np.empty(n + 1, np.bool_),
        total,
        np.empty(T + 1),
        np.zeros(2, np.int64),
        np.zeros(2, np.int64),
        np.empty((T + 1, 1)),
        np.empty(1),
    )
    run, following = climb.run, climb.next
    climb.border[0] = climb.border[n] = True
    for r in range(P):
        row, best[r], start, stop = keys[r], uncut, ZERO, ZERO
        _sum_from_left(row, nothing, units, unit, bits, ZERO, climb.part)
        for i in range(n - 1):
            gap = row[i + 1] ^ row[i]
            climb.border[i + 1] = gap < 0 or gap >= ONE << bits
        for g in range(len(guesses)):
            for t in range(T + 1):
                climb.slopes[t] = guesses[g, t]
            # the best run for the slopes, then for those at that run, and so on
            _find_run(climb, run)
            worth = _worth(climb, run)
            for _ in range(rounds):
                _find_slopes(climb)
                _find_run(climb, following)
                next_worth = _worth(climb, following)
                if not next_worth < worth - EQUAL:
                    break
                worth, run[START], run[STOP] = next_worth, following[START], following[STOP]
            if worth < min(best[r], uncut - EQUAL):
                best[r], start, stop = worth, run[START], run[STOP]
        low[r], high[r] = -np.inf, np.inf
        if start > 0:
            _read_values(row, start - 1, bits, pair)
            low[r] = 0.5 * value[0] + 0.5 * value[1]
        if 0 < stop < n:
            _read_values(row, stop - 1, bits, pair)
            high[r] = 0.5 * value[0] + 0.5 * value[1]
    return best, low, high


@machine_code(F2(R3, R3, J1, R1, J2, F, B))
def people_worth(laws, people, label, total, units, unit, modulus):  # type: ignore[no-untyped-def]
    """Find FL of the individuals of each structure; see `GeneticLevel`."""
    S, _, n = laws.shape
    N = people.shape[1]
    worth, value = np.empty((S, N)), np.empty(n)
    part, found = np.empty((units.shape[1], 1)), np.empty(1)
    for s in range(S):
        for k in range(N):
            person = people[s, k]
            bias, half = person[len(laws[s])], abs(person[len(person) - 1])
            _add_laws(laws[s], person, value)
            for i in range(n):  # how far each row is beyond the split: 0 at most is left
                beyond = value[i] + bias
                value[i] = abs(beyond) - half if modulus else beyond
            for t in range(len(part)):
                mass = ZERO
                for i in range(n):
                    mass += np.int64(value[i] <= 0.0) * units[label[i], t]
                part[t, 0] = mass * unit
            _find_impurity(part, total, found)
            worth[s, k] = found[0]
    return worth


FLAT = 1e-12  # a power law that varies less than this share of its size is a constant

F3 = types.float64[:, :, ::1]
E2, E3 = (types.Array(types.int8, d, "C", readonly=True) for d in (2, 3))
MOMENTS, LAWS = (
    types.Tuple(parts)  # type: ignore[no-untyped-call]
    for parts in ((F2, F3, F2, F3), (F2, F1, F1))
)


@machine_code(ieee=True)
def _dot(a, b):  # type: ignore[no-untyped-def]
    """Sum products in four strands, which a processor adds side by side."""
    one = two = three = four = 0.0
    whole = len(a) - len(a) % 4
    for i in range(0, whole, 4):
        one += a[i] * b[i]
        two += a[i + 1] * b[i + 1]
        three += a[i + 2] * b[i + 2]
        four += a[i + 3] * b[i + 3]
    for i in range(whole, len(a)):
        one += a[i] * b[i]
    return (one + two) + (three + four)


@machine_code()
def _multiply_law(powers, exponents, law):  # type: ignore[no-untyped-def]
    """Multiply out a power law."""
    largest, n, first = len(powers) // 2, len(law), True
    for f in range(len(exponents)):
        if exponents[f] != 0:
            power = powers[exponents[f] + largest, f]
            for i in range(n):
                law[i] = power[i] if first else law[i] * power[i]
            first = False
    if first:
        for i in range(n):
            law[i] = 1.0


@machine_code(F2(R3, E2))
def multiply(powers, rows):  # type: ignore[no-untyped-def]
    """Multiply out power laws; see `PowerTable.raw`."""
    value = np.empty((len(rows), powers.shape[2]))
    for r in range(len(rows)):
        _multiply_law(powers, rows[r], value[r])
    return value


@machine_code(ieee=True)
def _scale_law(law, ones):  # type: ignore[no-untyped-def]
    """Bring a power law to mean 0 and standard deviation 1; return both (infinite if constant)."""
    n = len(law)
    mean = _dot(law, ones) / n
    for i in range(n):
        law[i] -= mean
    spread = np.sqrt(_dot(law, law) / n)
    if not (spread > FLAT * abs(mean) and np.isfinite(spread)):
        spread = np.inf
    for i in range(n):
        law[i] = law[i] / spread if spread < np.inf else 0.0
    return mean, spread


@machine_code(LAWS(F2))
def scale(laws):  # type: ignore[no-untyped-def]
    """Scale power laws in place; see `PowerTable.laws`."""
    mean, spread, ones = np.empty(len(laws)), np.empty(len(laws)), np.ones(laws.shape[1])
    for r in range(len(laws)):
        mean[r], spread[r] = _scale_law(laws[r], ones)
    return laws, mean, spread


@machine_code(MOMENTS(R3, E3, F3, R1, R1), ieee=True)
def moments(powers, structures, scaled, weight, inside):  # type: ignore[no-untyped-def]
    """Find the moments of each structure, over all rows and in the class."""
    # The power laws of each may be given, scaled: (P, p, n), or (0, p, n).
    P, p = structures.shape[:2]
    n, ready = powers.shape[2], len(scaled) > 0
    mean, second = np.zeros((P, p)), np.zeros((P, p, p))
    mu, own = np.zeros((P, p)), np.zeros((P, p, p))
    ones, new = np.ones(n), np.empty(p, np.bool_)
    made, weighed, within = np.empty((p, n)), np.empty((p, n)), np.empty((p, n))
    whole, part = _dot(weight, ones), _dot(inside, ones)
    for r in range(P):
        laws, last = scaled[r] if ready else made, max(r - 1, 0)
        for a in range(p):
            law, counted, own_rows = laws[a], weighed[a], within[a]
            new[a] = r == 0
            for f in range(structures.shape[2]):
                new[a] |= structures[r, a, f] != structures[last, a, f]
            if new[a]:  # neighbours share most power laws
                if not ready:
                    _multiply_law(powers, structures[r, a], law)
                    _scale_law(law, ones)
                for i in range(n):
                    counted[i], own_rows[i] = weight[i] * law[i], inside[i] * law[i]
                mean[r, a], mu[r, a] = _dot(counted, ones) / whole, _dot(own_rows, ones) / part
            else:
                mean[r, a], mu[r, a] = mean[last, a], mu[last, a]
            for b in range(a + 1):
                if new[a] or new[b]:
                    second[r, a, b] = second[r, b, a] = _dot(counted, laws[b]) / whole
                    own[r, a, b] = own[r, b, a] = _dot(own_rows, laws[b]) / part
                else:
                    second[r, a, b] = second[r, b, a] = second[last, a, b]
                    own[r, a, b] = own[r, b, a] = own[last, a, b]
    return mean, second, mu, own
