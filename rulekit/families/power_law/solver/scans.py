"""The best cut, interval, or step along a line, for many projections at once.

Everything here sorts. A row's label (its class, or its number where rows have weights) is written
into the lowest bits of the projected value before sorting, so that the sorted numbers carry it
along and nothing has to be gathered afterwards; the order of values closer than about 1e-11 of
their size is undefined, and no cut is placed between them. The sorted keys are scanned by
`split_kernels`.

Legend as in `impurity`.
"""

import numpy as np

from rulekit.families.power_law.solver.impurity import EQUAL, ClassMass, Cuts
from rulekit.families.power_law.solver.laws import Floats, Ints

FLIP = np.int64(0x7FFFFFFFFFFFFFFF)


def best_cut(values: Floats, mass: ClassMass) -> Cuts:
    """Find the threshold of least impurity for each projection.

    Shapes: values (P, n).

    Notes
    -----
    O(P n log n). A threshold lies between two distinct values only.
    """
    from rulekit.families.power_law.solver import split_kernels

    keys = sorted_keys(values, mass.label, mass.bits)
    at, worth = split_kernels.best_places(keys, mass.total, mass.bits, mass.units, mass.unit)
    threshold = between(keys, mass.bits, at)
    found = np.isfinite(worth)
    return Cuts(
        np.where(found, worth, mass.gini),
        np.full(len(values), -np.inf),
        np.where(found, threshold, np.inf),
    )


def best_step(now: Floats, along: Floats, mass: ClassMass) -> Cuts:
    """Find how far to go along a line so that ``now + step * along <= 0`` splits best.

    Shapes: now, along (P, n).

    Notes
    -----
    A row changes sides at one step. One pass over the sorted steps sees every split of the line:
    coordinate descent as in OC1, exact along the line.
    """
    from rulekit.families.power_law.solver import split_kernels

    lines = (np.ascontiguousarray(part) for part in (now, along))
    keys, first = split_kernels.step_keys(*lines, mass.label, mass.bits, mass.units)
    return _best_event(keys, first, mass)


def best_band_step(
    now: Floats, along: Floats, band: tuple[Floats, Floats], mass: ClassMass
) -> Cuts:
    """Find how far to go along a line so that ``low <= now + step * along <= high`` splits best.

    Shapes: now, along (P, n), band (P,).
    """
    from rulekit.families.power_law.solver import split_kernels

    lines = (np.ascontiguousarray(part) for part in (now, along, *band))
    keys, first = split_kernels.band_keys(*lines, mass.label, mass.bits, mass.units)
    return _best_event(keys, first, mass)


def _best_event(keys: Ints, first: Ints, mass: ClassMass) -> Cuts:
    """Follow the left side over events that let rows in or out, and take the best stop."""
    from rulekit.families.power_law.solver import split_kernels

    keys.sort(axis=1)
    at, worth = split_kernels.best_events(keys, first, mass.total, mass.bits, mass.units, mass.unit)
    step = between(keys, mass.bits + 1, at)
    return Cuts(worth, step, step)


def best_interval(
    values: Floats,
    mass: ClassMass,
    n_starts: int = 3,
    rounds: int = 4,
    inside: int | None = None,
) -> Cuts:
    """Find the interval of little impurity for each projection.

    Shapes: values (P, n).

    Notes
    -----
    Purity is a convex function of the mass inside, so replacing it by its tangent and taking the
    run of largest sum (Kadane) never loses. The tangents depend on prefix sums only, which are
    there once. Not exact; a quadratic search is the oracle in the tests.
    """
    from rulekit.families.power_law.solver import split_kernels

    keys = sorted_keys(values, mass.label, mass.bits)
    guesses = first_slopes(mass, inside, n_starts)
    best, start, stop = split_kernels.best_runs(
        keys, mass.total, mass.bits, mass.units, mass.unit, guesses, rounds
    )
    low, high = _ends(keys, mass.bits, start, stop)
    found = best < mass.gini - EQUAL
    return Cuts(
        np.where(found, best, mass.gini),
        np.where(found, low, -np.inf),
        np.where(found, high, np.inf),
    )


def centred(values: Floats, bands: Cuts, mass: ClassMass) -> Cuts:
    """Move the ends of intervals to the middle of their gaps and compute their impurity there.

    A band that was turned around a row may end a rounding error beside another.
    """
    below, above = values < bands.low[:, None], values > bands.high[:, None]
    inside = ~(below | above)
    first = np.where(inside, values, np.inf).min(axis=1)
    last = np.where(inside, values, -np.inf).max(axis=1)
    ahead = np.where(below, values, -np.inf).max(axis=1)
    behind = np.where(above, values, np.inf).min(axis=1)
    some = inside.any(axis=1)  # an empty band does not count
    return Cuts(
        np.where(some, mass.of_split(inside), mass.gini),
        np.where(some, 0.5 * ahead + 0.5 * np.where(some, first, 0.0), -np.inf),
        np.where(some, 0.5 * behind + 0.5 * np.where(some, last, 0.0), np.inf),
    )


def _ends(keys: Ints, bits: int, start: Ints, stop: Ints) -> tuple[Floats, Floats]:
    """Return the two ends, in the middle of the gaps around a run."""
    n = keys.shape[1]
    low = between(keys, bits, np.maximum(start - 1, 0))
    high = between(keys, bits, np.minimum(stop - 1, n - 2))
    return np.where(start == 0, -np.inf, low), np.where(stop == n, np.inf, high)


def first_slopes(mass: ClassMass, inside: int | None, n_starts: int) -> Floats:
    """List slopes of purity to begin with: for a row of each followed class, and for any row.

    A followed class is sought or shunned (1 or -1 a row of it), and each row counts as much as
    makes a run pay where the class has a given share.
    """
    share, made = mass.total / mass.total.sum(), []
    for k, sign in _sides(mass, inside):
        p = share[mass.tracked[k]]
        for bend in [0.0, 0.4, -0.4, 0.8, -0.8][:n_starts]:
            cost = np.clip(p + bend * min(p, 1 - p) * sign, 0.02, 0.98)
            slopes = np.zeros(len(mass.tracked) + 1)
            slopes[k], slopes[-1] = sign, -sign * cost
            made.append(slopes)
    return np.array(made)


def _sides(mass: ClassMass, inside: int | None) -> list[tuple[int, float]]:
    """List which tracked class is sought (1) or shunned (-1) inside an interval."""
    if inside is None:
        return [(k, sign) for k in range(len(mass.tracked)) for sign in (1.0, -1.0)]
    if inside in mass.tracked:
        return [(mass.tracked.index(inside), 1.0)]
    return [(0, -1.0)]


def sorted_keys(values: Floats, label: Ints, bits: int) -> Ints:
    """Sort values with labels in their lowest bits; integers in the order of the floats."""
    keys = np.add(values, 0.0, order="C").view(np.int64)  # the sum turns -0.0 into 0.0
    keys = keys ^ ((keys >> 63) & FLIP)
    keys &= ~np.int64((1 << bits) - 1)
    keys |= label
    keys.sort(axis=1)
    return keys


def _value(keys: Ints, bits: int) -> Floats:
    """Return the values of sorted keys, without the labels."""
    bare = keys & ~np.int64((1 << bits) - 1)
    return np.asarray(bare ^ ((bare >> 63) & FLIP)).view(np.float64)


def between(keys: Ints, bits: int, at: Ints) -> Floats:
    """Return the middle of the gap after a place."""
    each = np.arange(len(keys))
    with np.errstate(invalid="ignore", over="ignore"):
        return 0.5 * _value(keys[each, at], bits) + 0.5 * _value(keys[each, at + 1], bits)
