"""Gini impurity of the best cut, or step along a line, for many projections at once.

Everything here sorts. A row's code (its class, or its number where rows have weights) is written
into the lowest bits of the projected value before sorting, so that the sorted numbers carry it
along and nothing has to be gathered afterwards; the order of values closer than about 1e-11 of
their size is not told apart, and no cut is placed between them.

Legend (Dhebar and Deb, section IV-A)::

    P, n, K  projections, rows, classes          FL  impurity after the split, weighted, Eq. 6
    l, L     mass of a class, and of all, on the left; r, R likewise on the right

With two classes it is enough to follow one: FL = (2 / T) (T1 - l^2 / L - r^2 / R).

Rows without weights are scanned by machine code (`split_machine`) once that is there, with the
same results to the last bit.
"""

from dataclasses import dataclass, field
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from rulekit.solvers.compiled import compiled_module
from rulekit.solvers.power_laws import Bools, Floats, Ints

MACHINE = compiled_module("rulekit.solvers.split_machine")
TINY = 1e-12
EQUAL = 1e-12  # impurities closer than this are equal
INFINITE = np.int64(0x7FF0000000000000)  # key of infinity; of -infinity every key below minus it
FLIP = np.int64(0x7FFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class ClassMass:
    """Classes and weights of the rows, as the scans want them.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Class of each row, from 0 to K - 1.
    weight : ndarray of float, shape (n,), or None
        Positive weights; None counts rows.
    n_classes : int
        K, at least 2.
    """

    codes: Ints
    weight: Floats | None
    n_classes: int
    label: Ints = field(init=False)
    table: Floats = field(init=False)
    total: Floats = field(init=False)
    bits: int = field(init=False)

    def __post_init__(self) -> None:
        n, K = len(self.codes), self.n_classes
        if self.weight is None:
            label, table = self.codes.astype(np.int64), np.eye(K)
        else:
            label, table = np.arange(n, dtype=np.int64), np.zeros((n, K))
            table[label, self.codes] = self.weight
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "total", table[label].sum(axis=0))
        object.__setattr__(self, "bits", max(1, int(len(table) - 1).bit_length()))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def tracked(self) -> tuple[int, ...]:
        """The classes that are followed: one of two, all of more."""
        return (1,) if self.n_classes == 2 else tuple(range(self.n_classes))

    def machine(self) -> ModuleType | None:
        """Return the machine code, if it is there and rows only have to be counted."""
        return MACHINE.ready() if self.weight is None else None

    @property
    def gini(self) -> float:
        """Impurity of the node itself."""
        share = self.total / self.total.sum()
        return float(1.0 - (share * share).sum())

    def impurity(self, left: list[NDArray[np.float64]], size: Floats) -> Floats:
        """FL from the mass of each tracked class on the left, and the mass of all."""
        whole = self.total.sum()
        rest = np.maximum(whole - size, TINY * whole)
        size = np.maximum(size, TINY * whole)
        inner, outer = np.zeros_like(left[0]), np.zeros_like(left[0])
        for k, part in zip(self.tracked, left, strict=True):
            inner += part * part
            other = self.total[k] - part
            outer += np.multiply(other, other, out=other)
        inner /= size
        outer /= rest
        inner += outer
        two = self.n_classes == 2
        offset = self.total[1] if two else whole
        np.subtract(offset, inner, out=inner)
        inner *= (2.0 if two else 1.0) / whole
        return inner

    def of_split(self, left: Bools) -> Floats:
        """FL of splits given row by row: shape (P,) for masks of shape (P, n)."""
        mass = self.table[self.label]
        inside = left.astype(float) @ mass
        parts = [inside[:, k] for k in self.tracked]
        return self.impurity(parts, inside.sum(axis=1))


@dataclass(frozen=True)
class Cuts:
    """The best cut, interval or step for each projection.

    Attributes
    ----------
    impurity : ndarray of float, shape (P,)
        FL; the node's own impurity where nothing can be cut.
    low, high : ndarray of float, shape (P,)
        The left side is ``low <= value <= high``; `low` is -inf for a cut. For a step along a
        line both are the step.
    """

    impurity: Floats
    low: Floats
    high: Floats

    def or_better(self, other: "Cuts") -> "Cuts":
        """Take the better of two, one by one."""
        better = other.impurity < self.impurity - EQUAL
        return Cuts(
            np.where(better, other.impurity, self.impurity),
            np.where(better, other.low, self.low),
            np.where(better, other.high, self.high),
        )

    def at(self, places: Ints, n: int) -> "Cuts":
        """Put them to their places among n; elsewhere nothing was found."""
        made = Cuts(np.full(n, np.inf), np.full(n, -np.inf), np.full(n, np.inf))
        made.impurity[places] = self.impurity
        made.low[places], made.high[places] = self.low, self.high
        return made


def best_cut(values: Floats, mass: ClassMass) -> Cuts:
    """Find the threshold of least impurity for each projection.

    Parameters
    ----------
    values : ndarray of float, shape (P, n)
        Projections.
    mass : ClassMass
        The rows.

    Returns
    -------
    Cuts
        Among equal impurities, the cut in the widest gap, in its middle.

    Notes
    -----
    O(P n log n). A threshold stands between two distinct values only.
    """
    keys = sorted_keys(values, mass.label, mass.bits)
    machine = mass.machine()
    if machine is None:
        left, size = running_mass(keys, mass)
        impurity = mass.impurity([part[:, :-1] for part in left], size[..., :-1])
        at, worth = _widest_of_best(keys, mass.bits, impurity)
    else:
        at, worth = machine.best_places(keys, mass.total, mass.bits)
    threshold = between(keys, mass.bits, at)
    found = np.isfinite(worth)
    return Cuts(
        np.where(found, worth, mass.gini),
        np.full(len(values), -np.inf),
        np.where(found, threshold, np.inf),
    )


def best_step(now: Floats, along: Floats, mass: ClassMass) -> Cuts:
    """Find how far to go along a line so that ``now + step * along <= 0`` splits best.

    Parameters
    ----------
    now, along : ndarray of float, shape (P, n)
        Value of each row, and its change for a step of one.
    mass : ClassMass
        The rows.

    Returns
    -------
    Cuts
        `high` is the step.

    Notes
    -----
    A row changes sides at one step. One pass over the sorted steps sees every split of the line:
    coordinate descent as in OC1, exact along the line.
    """
    machine = mass.machine()
    if machine is not None:
        now, along = np.ascontiguousarray(now), np.ascontiguousarray(along)
        keys, first = machine.step_keys(now, along, mass.label, mass.bits, mass.n_classes)
        return best_counted_event(machine, keys, first, mass)
    with np.errstate(divide="ignore", invalid="ignore"):
        event = -now / along
    event[along == 0] = np.inf  # never changes sides
    leaves = along > 0
    label = 2 * mass.label + leaves
    keys = sorted_keys(event, label, mass.bits + 1)
    start = leaves | ((along == 0) & (now <= 0))
    return best_event(keys, start, mass)


def sorted_keys(values: Floats, label: Ints, bits: int) -> Ints:
    """Sort values with labels in their lowest bits; integers in the order of the floats."""
    keys = np.add(values, 0.0, order="C").view(np.int64)  # the sum turns -0.0 into 0.0
    keys = keys ^ ((keys >> 63) & FLIP)
    keys &= ~np.int64((1 << bits) - 1)
    keys |= label
    keys.sort(axis=1)
    return keys


def _value(keys: Ints, bits: int) -> Floats:
    """Give back the values of sorted keys, without the labels."""
    bare = keys & ~np.int64((1 << bits) - 1)
    return np.asarray(bare ^ ((bare >> 63) & FLIP)).view(np.float64)


def running_mass(keys: Ints, mass: ClassMass) -> tuple[list[Floats], Floats]:
    """Sum the mass from the left: of each tracked class, and of all (one row if all alike)."""
    label = keys & ((1 << mass.bits) - 1)
    if mass.weight is None:
        binary = mass.n_classes == 2
        ones = [label] if binary else [label == k for k in mass.tracked]
        counts = [np.cumsum(one, axis=1, dtype=np.int32).astype(float) for one in ones]
        return counts, np.arange(1.0, keys.shape[1] + 1)[None, :]
    left = [np.cumsum(mass.table[:, k][label], axis=1) for k in mass.tracked]
    return left, np.cumsum(mass.table.sum(axis=1)[label], axis=1)


def best_event(keys: Ints, start: Bools, mass: ClassMass) -> Cuts:
    """Follow the left side over events that let rows in or out, and take the best stop.

    The lowest bit of a key says that its row leaves, the bits above it are the row's label.
    """
    code = keys & ((2 << mass.bits) - 1)
    change = np.repeat(mass.table, 2, axis=0)  # rows that come in at even codes, rows that leave
    change[1::2] *= -1.0
    first = start.astype(float) @ mass.table[mass.label]
    kind: type = float
    if mass.weight is None:  # small whole numbers: several times faster
        change, kind = change.astype(np.int8), np.int32
    parts = [change[:, k] for k in mass.tracked] + [change.sum(axis=1, dtype=change.dtype)]
    sums: list[Floats] = [np.cumsum(p.take(code), axis=1, dtype=kind) for p in parts]
    left = [part + first[:, [k]] for k, part in zip(mass.tracked, sums[:-1], strict=True)]
    size = sums[-1] + first.sum(axis=1)[:, None]
    impurity = mass.impurity([part[:, :-1] for part in left], size[:, :-1])
    impurity[(keys[:, 1:] >= INFINITE) | (keys[:, :-1] < -INFINITE)] = np.inf
    apart = (keys[:, 1:] ^ keys[:, :-1]).view(np.uint64) >= np.uint64(1 << (mass.bits + 1))
    impurity[~apart] = np.inf
    at = impurity.argmin(axis=1)
    worth = impurity[np.arange(len(keys)), at]
    step = between(keys, mass.bits + 1, at)
    return Cuts(worth, step, step)


def best_counted_event(machine: ModuleType, keys: Ints, first: Floats, mass: ClassMass) -> Cuts:
    """Do as `best_event` by machine code, for keys not sorted yet and the rows counted before."""
    keys.sort(axis=1)
    at, worth = machine.best_events(keys, first, mass.total, mass.bits)
    step = between(keys, mass.bits + 1, at)
    return Cuts(worth, step, step)


def _widest_of_best(keys: Ints, bits: int, impurity: Floats) -> tuple[Ints, Floats]:
    """Take the least impurity between distinct values; of equal ones the widest gap."""
    apart = (keys[:, 1:] ^ keys[:, :-1]).view(np.uint64) >= np.uint64(1 << bits)
    impurity = np.where(apart, impurity, np.inf)
    at = impurity.argmin(axis=1)
    worth = impurity[np.arange(len(keys)), at]
    row, place = np.nonzero(impurity <= worth[:, None] + EQUAL)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = _value(keys[row, place + 1], bits) - _value(keys[row, place], bits)
    gap = np.where(np.isfinite(gap), gap, -1.0)
    order = np.lexsort((place, -gap, row))
    first = np.r_[True, row[order][1:] != row[order][:-1]] if len(row) else np.zeros(0, bool)
    return place[order][first], worth


def between(keys: Ints, bits: int, at: Ints) -> Floats:
    """Return the middle of the gap after a place."""
    each = np.arange(len(keys))
    with np.errstate(invalid="ignore", over="ignore"):
        return 0.5 * _value(keys[each, at], bits) + 0.5 * _value(keys[each, at + 1], bits)
