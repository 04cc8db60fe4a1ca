"""The best interval, and the best step of a band along a line, for many projections at once.

Legend as in `rulekit.solvers.impurity`.
"""

import numpy as np

from rulekit.solvers.impurity import (
    EQUAL,
    TINY,
    ClassMass,
    Cuts,
    best_counted_event,
    best_event,
    between,
    running_mass,
    sorted_keys,
)
from rulekit.solvers.power_laws import Floats, Ints


def best_band_step(
    now: Floats, along: Floats, band: tuple[Floats, Floats], mass: ClassMass
) -> Cuts:
    """Find how far to go along a line so that ``low <= now + step * along <= high`` splits best.

    Parameters
    ----------
    now, along : ndarray of float, shape (P, n)
        As in `best_step`.
    band : pair of ndarray of float, shape (P,)
        The interval of each projection.
    mass : ClassMass
        The rows.

    Returns
    -------
    Cuts
        `high` is the step.
    """
    low, high = band
    machine = mass.machine()
    if machine is not None:
        lines = [np.ascontiguousarray(part) for part in (now, along, low, high)]
        keys, first = machine.band_keys(*lines, mass.label, mass.bits, mass.n_classes)
        return best_counted_event(machine, keys, first, mass)
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (low[:, None] - now) / along, (high[:, None] - now) / along
    still = along == 0
    event = np.concatenate([np.minimum(one, other), np.maximum(one, other)], axis=1)
    event[np.concatenate([still, still], axis=1)] = np.inf
    label = np.concatenate([2 * mass.label, 2 * mass.label + 1])
    keys = sorted_keys(event, label, mass.bits + 1)
    inside = still & (now >= low[:, None]) & (now <= high[:, None])
    return best_event(keys, inside, mass)


def best_interval(
    values: Floats,
    mass: ClassMass,
    n_starts: int = 3,
    rounds: int = 4,
    inside: int | None = None,
) -> Cuts:
    """Find the interval of little impurity for each projection.

    Parameters
    ----------
    values : ndarray of float, shape (P, n)
        Projections.
    mass : ClassMass
        The rows.
    n_starts : int, default=3
        First guesses for each tracked class, inside and outside.
    rounds : int, default=4
        How often the impurity is made linear anew.
    inside : int, optional
        Only look for intervals that hold this class; of two classes, either.

    Returns
    -------
    Cuts

    Notes
    -----
    Purity is a convex function of the mass inside, so replacing it by its tangent and taking the
    run of largest sum (Kadane) never loses. The tangents depend on prefix sums only, which are
    there once. Not exact; a quadratic search is the oracle in the tests.
    """
    keys = sorted_keys(values, mass.label, mass.bits)
    guesses = _guesses(mass, inside, n_starts)
    machine = mass.machine()
    if machine is None:
        left, size = running_mass(keys, mass)
        search = _Intervals(keys, left, np.broadcast_to(size, keys.shape), mass)
        best, start, stop = search.tried(guesses, rounds)
    else:
        best, start, stop = machine.best_runs(keys, mass.total, mass.bits, *guesses, rounds)
    low, high = _ends(keys, mass.bits, start, stop)
    found = best < mass.gini - EQUAL
    return Cuts(
        np.where(found, best, mass.gini),
        np.where(found, low, -np.inf),
        np.where(found, high, np.inf),
    )


class _Intervals:
    """Prefix sums of sorted projections, with a zero in front, and where a run may begin or end."""

    def __init__(self, keys: Ints, left: list[Floats], size: Floats, mass: ClassMass) -> None:
        zero = np.zeros((len(keys), 1))
        self.keys, self.mass = keys, mass
        self.left = [np.concatenate([zero, part], axis=1) for part in left]
        self.size = np.concatenate([zero, size], axis=1)
        edge = np.ones((len(keys), 1), dtype=bool)
        between = (keys[:, 1:] ^ keys[:, :-1]).view(np.uint64) >= np.uint64(1 << mass.bits)
        self.border = np.concatenate([edge, between, edge], axis=1)
        self.each = np.arange(len(keys))

    def tried(self, guesses: tuple[Ints, Floats, Floats], rounds: int) -> tuple[Floats, Ints, Ints]:
        """Return the best run over all first guesses: impurity, first place, place after last."""
        best = np.full(len(self.keys), np.inf)
        start, stop = np.zeros(len(self.keys), dtype=np.int64), np.zeros_like(self.each)
        for k, sign, cost in zip(*guesses, strict=True):
            slopes = [np.zeros(len(self.keys)) for _ in self.left]
            slopes[k] += sign
            value, a, b = self._climbed(slopes, np.full(len(self.keys), -sign * cost), rounds)
            better = value < best
            best = np.where(better, value, best)
            start, stop = np.where(better, a, start), np.where(better, b, stop)
        return best, start, stop

    def _climbed(
        self, slopes: list[Floats], slope: Floats, rounds: int
    ) -> tuple[Floats, Ints, Ints]:
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

    def _best_run(self, slopes: list[Floats], slope: Floats) -> tuple[Ints, Ints]:
        total = slope[:, None] * self.size
        for part, s in zip(self.left, slopes, strict=True):
            if s.any():
                total += s[:, None] * part
        start_at = np.where(self.border, total, np.inf)
        least = np.minimum.accumulate(start_at, axis=1)
        gain = np.where(self.border, total - least, -np.inf)
        b = gain.argmax(axis=1)
        a = (start_at == least[self.each, b][:, None]).argmax(axis=1)
        return a, np.maximum(b, a)

    def _mass(self, a: Ints, b: Ints) -> tuple[list[Floats], Floats]:
        inside = [part[self.each, b] - part[self.each, a] for part in self.left]
        return inside, self.size[self.each, b] - self.size[self.each, a]

    def _impurity(self, a: Ints, b: Ints) -> Floats:
        return self.mass.impurity(*self._mass(a, b))

    def _tangent(self, a: Ints, b: Ints) -> tuple[list[Floats], Floats]:
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


def _ends(keys: Ints, bits: int, start: Ints, stop: Ints) -> tuple[Floats, Floats]:
    """Put the two ends in the middle of the gaps around a run."""
    n = keys.shape[1]
    low = between(keys, bits, np.maximum(start - 1, 0))
    high = between(keys, bits, np.minimum(stop - 1, n - 2))
    return np.where(start == 0, -np.inf, low), np.where(stop == n, np.inf, high)


def _guesses(mass: ClassMass, inside: int | None, n_starts: int) -> tuple[Ints, Floats, Floats]:
    """List first guesses: a followed class, whether it is sought or shunned, what a row costs."""
    share = mass.total / mass.total.sum()
    kinds, signs, costs = [], [], []
    for k, sign in _sides(mass, inside):
        p = share[mass.tracked[k]]
        for bend in [0.0, 0.4, -0.4, 0.8, -0.8][:n_starts]:
            # a row of the class weighs 1, any other as much as makes a line of this slope
            kinds.append(k)
            signs.append(sign)
            costs.append(np.clip(p + bend * min(p, 1 - p) * sign, 0.02, 0.98))
    return np.array(kinds, dtype=np.int64), np.array(signs), np.array(costs)


def _sides(mass: ClassMass, inside: int | None) -> list[tuple[int, float]]:
    """List which tracked class is sought (1) or shunned (-1) inside an interval."""
    if inside is None:
        return [(k, sign) for k in range(len(mass.tracked)) for sign in (1.0, -1.0)]
    if inside in mass.tracked:
        return [(mass.tracked.index(inside), 1.0)]
    return [(0, -1.0)]
