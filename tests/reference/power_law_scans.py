"""Slow twins of `scans` and `split_kernels`: the same scans by NumPy, number by number."""

import numpy as np

from rulekit.families.power_law.solver.split_search import FLIP, first_slopes, sort_keys
from rulekit.families.power_law.solver.split_task import EQUAL, TINY, Cuts

INFINITE = np.int64(0x7FF0000000000000)
COARSE = 6144.0


def best_cut(values, mass):
    keys = sort_keys(values, mass.label, mass.bits)
    left, size = running_mass(keys, mass)
    impurity = mass.impurity([part[:, :-1] for part in left], size[..., :-1])
    at, worth = _widest_of_best(keys, mass.bits, impurity)
    threshold = compute_middle(keys, mass.bits, at)
    result = np.isfinite(worth)
    low, high = np.full(len(values), -np.inf), np.where(result, threshold, np.inf)
    return Cuts(np.where(result, worth, mass.gini), low, high)


def best_step(now, along, mass):
    with np.errstate(divide="ignore", invalid="ignore"):
        event = -now / along
    event[along == 0] = np.inf  # never changes sides
    leaves = along > 0
    keys = sort_keys(event, 2 * mass.label + leaves, mass.bits + 1)
    return best_event(keys, leaves | ((along == 0) & (now <= 0)), mass)


def best_band_step(now, along, band, mass):
    low, high = band
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (low[:, None] - now) / along, (high[:, None] - now) / along
    still = along == 0
    event = np.concatenate([np.minimum(one, other), np.maximum(one, other)], axis=1)
    event[np.concatenate([still, still], axis=1)] = np.inf
    label = np.concatenate([2 * mass.label, 2 * mass.label + 1])
    keys = sort_keys(event, label, mass.bits + 1)
    return best_event(keys, still & (now >= low[:, None]) & (now <= high[:, None]), mass)


def best_interval(values, mass, n_starts=3, rounds=4, inside=None):
    keys = sort_keys(values, mass.label, mass.bits)
    left, size = running_mass(keys, mass)
    search = _Intervals(keys, left, np.broadcast_to(size, keys.shape), mass)
    best, start, stop = search.tried(first_slopes(mass, inside, n_starts), rounds)
    low, high = _ends(keys, mass.bits, start, stop)
    result = best < mass.gini - EQUAL
    ends = np.where(result, low, -np.inf), np.where(result, high, np.inf)
    return Cuts(np.where(result, best, mass.gini), *ends)


class _Intervals:
    """Prefix sums of sorted projections, with a zero in front, and where a run may begin or end."""

    def __init__(self, keys, left, size, mass):
        zero = np.zeros((len(keys), 1))
        self.keys, self.mass = keys, mass
        self.left = [np.concatenate([zero, part], axis=1) for part in left]
        self.size = np.concatenate([zero, size], axis=1)
        edge = np.ones((len(keys), 1), dtype=bool)
        between = (keys[:, 1:] ^ keys[:, :-1]).view(np.uint64) >= np.uint64(1 << mass.bits)
        self.border = np.concatenate([edge, between, edge], axis=1)
        self.each = np.arange(len(keys))

    def tried(self, guesses, rounds):
        """Return the best run over all first guesses: impurity, first place, place after last."""
        best = np.full(len(self.keys), np.inf)
        start, stop = np.zeros(len(self.keys), dtype=np.int64), np.zeros_like(self.each)
        for guess in guesses:
            *slopes, slope = (np.full(len(self.keys), part) for part in guess)
            value, a, b = self._climbed(slopes, slope, rounds)
            better = value < best
            best = np.where(better, value, best)
            start, stop = np.where(better, a, start), np.where(better, b, stop)
        return best, start, stop

    def _climbed(self, slopes, slope, rounds):
        """Take the best run for a tangent, then the tangent there, and so on."""
        a, b = self._best_run(slopes, slope)
        value = self._impurity(a, b)
        for _ in range(rounds):
            slopes, slope = self._tangent(a, b)
            a2, b2 = self._best_run(slopes, slope)
            next_value = self._impurity(a2, b2)
            better = next_value < value - EQUAL
            if not better.any():
                break
            value = np.where(better, next_value, value)
            a, b = np.where(better, a2, a), np.where(better, b2, b)
        return value, a, b

    def _best_run(self, slopes, slope):
        total = slope[:, None] * self.size
        for part, s in zip(self.left, slopes, strict=True):
            if s.any():
                total += s[:, None] * part
        start_at = np.where(self.border, total, np.inf)
        least = np.minimum.accumulate(start_at, axis=1)
        b = np.where(self.border, total - least, -np.inf).argmax(axis=1)
        a = (start_at == least[self.each, b][:, None]).argmax(axis=1)
        return a, np.maximum(b, a)

    def _mass(self, a, b):
        inside = [part[self.each, b] - part[self.each, a] for part in self.left]
        return inside, self.size[self.each, b] - self.size[self.each, a]

    def _impurity(self, a, b):
        return self.mass.impurity(*self._mass(a, b))

    def _tangent(self, a, b):
        """Slope of purity for a row of each tracked class, and for any row."""
        inside, size = self._mass(a, b)
        whole = self.mass.total.sum()
        L, R = np.maximum(size, TINY * whole), np.maximum(whole - size, TINY * whole)
        slopes, slope = [], np.zeros(len(size))
        for k, part in zip(self.mass.tracked, inside, strict=True):
            other = self.mass.total[k] - part
            slopes.append(2 * part / L - 2 * other / R)
            slope += (other / R) ** 2 - (part / L) ** 2
        return slopes, slope


def _ends(keys, bits, start, stop):
    """Move the two ends to the middle of the gaps around a run."""
    n = keys.shape[1]
    low = compute_middle(keys, bits, np.maximum(start - 1, 0))
    high = compute_middle(keys, bits, np.minimum(stop - 1, n - 2))
    return np.where(start == 0, -np.inf, low), np.where(stop == n, np.inf, high)


def _value(keys, bits):
    """Return the values of sorted keys, without the labels."""
    bare = keys & ~np.int64((1 << bits) - 1)
    return np.asarray(bare ^ ((bare >> 63) & FLIP)).view(np.float64)


def compute_middle(keys, bits, at):
    """Return the middle of the gap after a place."""
    each = np.arange(len(keys))
    with np.errstate(invalid="ignore", over="ignore"):
        return 0.5 * _value(keys[each, at], bits) + 0.5 * _value(keys[each, at + 1], bits)


def running_mass(keys, mass):
    """Sum the mass from the left: of each tracked class, and of all (one row if all alike)."""
    label = keys & ((1 << mass.bits) - 1)
    if mass.weight is None:
        binary = mass.n_classes == 2
        ones = [label] if binary else [label == k for k in mass.tracked]
        counts = [np.cumsum(one, axis=1, dtype=np.int32).astype(float) for one in ones]
        return counts, np.arange(1.0, keys.shape[1] + 1)[None, :]
    left = [np.cumsum(mass.table[:, k][label], axis=1) for k in mass.tracked]
    return left, np.cumsum(mass.table.sum(axis=1)[label], axis=1)


def best_event(keys, start, mass):
    """Follow the left side over events that let rows in or out, and take the best stop."""
    # the lowest bit of a key means that its row leaves, the bits above it are the row's label
    code = keys & ((2 << mass.bits) - 1)
    change = np.repeat(mass.table, 2, axis=0)  # rows that come in at even codes, rows that leave
    change[1::2] *= -1.0
    first = start.astype(float) @ mass.table[mass.label]
    kind = float
    if mass.weight is None:  # small whole numbers: several times faster
        change, kind = change.astype(np.int8), np.int32
    parts = [change[:, k] for k in mass.tracked] + [change.sum(axis=1, dtype=change.dtype)]
    sums = [np.cumsum(p.take(code), axis=1, dtype=kind) for p in parts]
    left = [part + first[:, [k]] for k, part in zip(mass.tracked, sums[:-1], strict=True)]
    size = sums[-1] + first.sum(axis=1)[:, None]
    impurity = mass.impurity([part[:, :-1] for part in left], size[:, :-1])
    impurity[(keys[:, 1:] >= INFINITE) | (keys[:, :-1] < -INFINITE)] = np.inf
    apart = (keys[:, 1:] ^ keys[:, :-1]).view(np.uint64) >= np.uint64(1 << (mass.bits + 1))
    impurity[~apart] = np.inf
    at = impurity.argmin(axis=1)
    worth = impurity[np.arange(len(keys)), at]
    step = compute_middle(keys, mass.bits + 1, at)
    return Cuts(worth, step, step)


def _widest_of_best(keys, bits, impurity):
    """Take the least impurity between distinct values; of equal ones the widest gap."""
    apart = (keys[:, 1:] ^ keys[:, :-1]).view(np.uint64) >= np.uint64(1 << bits)
    impurity = np.where(apart, impurity, np.inf)
    worth = impurity[np.arange(len(keys)), impurity.argmin(axis=1)]
    row, place = np.nonzero(impurity <= worth[:, None] + EQUAL)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = _value(keys[row, place + 1], bits) - _value(keys[row, place], bits)
    gap = np.where(np.isfinite(gap), gap, -1.0)
    order = np.lexsort((place, -gap, row))
    first = np.r_[True, row[order][1:] != row[order][:-1]] if len(row) else np.zeros(0, bool)
    return place[order][first], worth


def project(laws, w):
    """Do as `split_kernels.project`."""
    value = w[:, [0]] * laws[:, 0]
    for a in range(1, laws.shape[1]):
        value += w[:, [a]] * laws[:, a]
    value += COARSE
    value -= COARSE
    return value


def people_worth(laws, people, mass, modulus):
    """Do as `GeneticLevel._worth`."""
    size = laws.shape[1]
    value = people[:, :, [0]] * laws[:, [0]]
    for a in range(1, size):
        value += people[:, :, [a]] * laws[:, [a]]
    value += people[:, :, [size]]
    if modulus:
        value = np.abs(value) - np.abs(people[:, :, [-1]])
    left = value <= 0
    return mass.compute_impurity(left.reshape(-1, left.shape[2])).reshape(left.shape[:2])
