"""Pricing by boxes compiled by Numba (see `rulekit.solvers.compiled`).

The twin is `rulekit.solvers.box_pricing`: a single clause, improved by its best change of one
feature, then by its best swap of two. With one clause and without prices of a margin a row weighs
one number, whatever else holds.

Legend, beside that of `rulekit.solvers.box_problem`::

    s    (n,)  what a clause saves by holding for the row: its dual price, or minus its weight
    v    (n,)  features that refuse the row
    who  (n,)  sum of their numbers: where v is 1, the feature that refuses it
    H    (p, width) sum of s over the rows of a bin that no other feature refuses
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulekit.solvers.compiled import machine_code

SLOTS, TRIES = 1 << 13, 64  # of the table of clauses met
_SHIFT, _HALF = np.uint64(64 - 13), np.uint64(32)
_SEED, _FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
_ODD, _NOBODY = np.uint64(1), np.uint64(0)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Table(NamedTuple):
    """Rows by feature and by row, their s, and what an interval costs to begin and to end."""

    codes: NDArray[np.uint16]
    by_feature: NDArray[np.uint16]
    s: Floats
    n_bins: Ints
    lacks: Bools
    may_test: Bools
    begins: Floats
    ends: Floats


class Clause(NamedTuple):
    """One box, as arrays of shape (p,), and its counts of refusals, of shape (n,)."""

    low: Ints
    high: Ints
    absent: Bools
    v: Ints
    who: Ints


@machine_code(None)
def _refuses(code, bins, low, high, absent):  # type: ignore[no-untyped-def]
    if code == bins:
        return not absent
    return code < low or code > high


@machine_code(None)
def _set(table, clause, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Give a feature of the clause another interval."""
    codes, bins = table.by_feature[f], table.n_bins[f]
    old_low, old_high, old_absent = clause.low[f], clause.high[f], clause.absent[f]
    for i in range(len(codes)):
        code = np.int64(codes[i])
        change = np.int64(_refuses(code, bins, low, high, absent))
        change -= np.int64(_refuses(code, bins, old_low, old_high, old_absent))
        clause.v[i] += change
        clause.who[i] += change * f
    clause.low[f], clause.high[f], clause.absent[f] = low, high, absent


@machine_code(None)
def _size(table, f, low, high, absent):  # type: ignore[no-untyped-def]
    """Count the literals of an interval, as `Boxes.literals` does."""
    if low > high:
        return 1
    ends = np.int64(low > 0) + np.int64(high < table.n_bins[f] - 1)
    if ends == 0 and not absent and table.lacks[f]:
        return 1
    return ends


@machine_code(None)
def _histogram(table, clause, freed, H):  # type: ignore[no-untyped-def]
    """Fill H as if feature `freed` (-1: none) refused nothing."""
    H[:] = 0.0
    n, p = table.codes.shape
    for i in range(n):
        v, who = clause.v[i], clause.who[i]
        if freed >= 0 and 0 < v <= 2:
            code = np.int64(table.codes[i, freed])
            low, high, absent = clause.low[freed], clause.high[freed], clause.absent[freed]
            if _refuses(code, table.n_bins[freed], low, high, absent):
                v, who = v - 1, who - freed
        if v > 1:
            continue
        s = table.s[i]
        if v == 0:
            row = table.codes[i]
            for f in range(p):
                H[f, row[f]] += s
        else:
            H[who, table.codes[i, who]] += s


@machine_code(None)
def _best_run(table, f, h, price):  # type: ignore[no-untyped-def]
    """Find the best run of bins that is not all of them: value, first and last bin."""
    last = table.n_bins[f] - 1
    upto, reach, at = 0.0, np.inf, 0
    later, later_at = np.inf, 0
    value, low, high = -np.inf, 0, 0
    for c in range(last + 1):
        start = upto + price * table.begins[f, c]
        upto += h[c]
        if start < reach:
            reach, at = start, c
        if c > 0 and start < later:
            later, later_at = start, c
        if c == last:  # the full interval is a choice of its own
            reach, at = later, later_at
        worth = upto - price * table.ends[f, c] - reach
        if worth > value:
            value, low, high = worth, at, c
    return value, low, high, upto


@machine_code(None)
def _best(table, f, h, price):  # type: ignore[no-untyped-def]
    """Find the best choice of a feature; ties go to fewer literals, then to the lower bins."""
    value, low, high, inside = _best_run(table, f, h, price)
    last, lost = table.n_bins[f] - 1, h[table.n_bins[f]]
    full = inside + lost
    if not table.lacks[f]:
        if value > full:
            return value, low, high, True
        return full, 0, last, True
    found, choice = full, 0
    if value + max(lost, 0.0) > found:
        found, choice = value + max(lost, 0.0), 1
    if table.may_test[f]:
        if full - lost - price > found:
            found, choice = full - lost - price, 2
        if lost - price > found:
            found, choice = lost - price, 3
    if choice == 1:
        return found, low, high, lost > 0
    if choice == 3:
        return found, 1, 0, True
    return found, 0, last, choice == 0


@machine_code(None)
def _now(table, clause, f, h, theta):  # type: ignore[no-untyped-def]
    """Value of what the clause accepts of a feature now."""
    low, high, absent = clause.low[f], clause.high[f], clause.absent[f]
    inside = 0.0
    for c in range(low, high + 1):
        inside += h[c]
    lost = h[table.n_bins[f]] if absent else 0.0
    return inside + lost - theta * _size(table, f, low, high, absent)


@machine_code(None)
def _step(table, clause, H, theta, tie, improvement):  # type: ignore[no-untyped-def]
    """Make the best change of one feature; say whether any improves."""
    _histogram(table, clause, -1, H)
    gain, f, low, high, absent = -np.inf, 0, 0, 0, True
    for g in range(len(table.n_bins)):
        value, first, last, missing = _best(table, g, H[g], theta + tie)
        more = value - _now(table, clause, g, H[g], theta)
        if more > gain:
            gain, f, low, high, absent = more, g, first, last, missing
    if gain <= improvement:
        return False
    _set(table, clause, f, low, high, absent)
    return True


@machine_code(None)
def _swap(table, clause, H, theta, tie, improvement):  # type: ignore[no-untyped-def]
    """Drop one feature and change another, where both together improve; say whether any do."""
    p = len(table.n_bins)
    _histogram(table, clause, -1, H)
    dropped = np.zeros(p)
    for f in range(p):
        dropped[f] = H[f].sum() - _now(table, clause, f, H[f], theta)
    found, dropping, f, low, high, absent = improvement, -1, 0, 0, 0, True
    for d in range(p):
        if _size(table, d, clause.low[d], clause.high[d], clause.absent[d]) == 0:
            continue
        _histogram(table, clause, d, H)
        for g in range(p):
            value, first, last, missing = _best(table, g, H[g], theta + tie)
            gain = value - _now(table, clause, g, H[g], theta) + dropped[d]
            if g != d and gain > found:
                found, dropping = gain, d
                f, low, high, absent = g, first, last, missing
    if dropping < 0:
        return False
    _set(table, clause, dropping, 0, table.n_bins[dropping] - 1, True)
    _set(table, clause, f, low, high, absent)
    return True


@machine_code(None)
def _saved(table, clause, row):  # type: ignore[no-untyped-def]
    """Sum s over the rows held: by the clause, and by it without each of its features."""
    row[:] = 0.0
    for i in range(len(table.s)):
        if clause.v[i] == 0:
            row[0] += table.s[i]
        elif clause.v[i] == 1:
            row[1 + clause.who[i]] += table.s[i]
    row[1:] += row[0]


@machine_code(None)
def _fill(table, clause):  # type: ignore[no-untyped-def]
    """Count the refusals of a clause from nothing."""
    clause.v[:] = 0
    clause.who[:] = 0
    n, p = table.codes.shape
    for f in range(p):
        low, high, absent = clause.low[f], clause.high[f], clause.absent[f]
        if low == 0 and high == table.n_bins[f] - 1 and absent:
            continue
        for i in range(n):
            if _refuses(np.int64(table.by_feature[f, i]), table.n_bins[f], low, high, absent):
                clause.v[i] += 1
                clause.who[i] += f


@machine_code(None)
def _name(clause):  # type: ignore[no-untyped-def]
    """Hash a clause to 64 bits, never 0."""
    name = _SEED
    for f in range(len(clause.low)):
        word = np.uint64(2 * clause.low[f] + np.int64(clause.absent[f]))
        name = (name ^ word) * _FACTOR
        name = (name ^ np.uint64(clause.high[f])) * _FACTOR
        name ^= name >> _HALF
    return name | _ODD


@machine_code(None)
def _met(names, owners, name, k):  # type: ignore[no-untyped-def]
    """Return who met a clause before, or note that start `k` did and return -1."""
    place = np.int64(name >> _SHIFT)
    for _ in range(TRIES):
        if names[place] == name:
            return owners[place]
        if names[place] == _NOBODY:
            names[place], owners[place] = name, k
            return -1
        place = (place + 1) % SLOTS
    return -1


@machine_code(None)
def improve(table, low, high, absent, prices, saved):  # type: ignore[no-untyped-def]
    """Improve the clauses ``low[k], high[k], absent[k]`` in place, each from where it is.

    `prices` holds the price of a literal, the tie price and the least improvement; ``saved[k]``
    receives what the clause saves, and what it would without each of its features. A start that
    comes to a clause which an earlier one met ends where that one did.
    """
    theta, tie, improvement = prices[0], prices[1], prices[2]
    n = len(table.s)
    H = np.zeros(table.begins.shape)
    v, who = np.zeros(n, np.int64), np.zeros(n, np.int64)
    names, owners = np.zeros(SLOTS, np.uint64), np.zeros(SLOTS, np.int64)
    for k in range(len(low)):
        clause = Clause(low[k], high[k], absent[k], v, who)
        earlier = _met(names, owners, _name(clause), k)
        if earlier < 0:
            _fill(table, clause)
        while earlier < 0:
            if not _step(table, clause, H, theta, tie, improvement) and not _swap(
                table, clause, H, theta, tie, improvement
            ):
                break
            earlier = _met(names, owners, _name(clause), k)
        if 0 <= earlier < k:
            low[k], high[k], absent[k] = low[earlier], high[earlier], absent[earlier]
            saved[k] = saved[earlier]
        else:
            _saved(table, clause, saved[k])


def prepare() -> None:
    """Compile for the types that `rulekit.solvers.box_pricing` passes."""
    codes, flags = np.zeros((1, 1), np.uint16), np.zeros(1, bool)
    floats, ints = np.zeros((1, 2)), np.zeros((1, 1), np.int64)
    table = Table(codes, codes, np.zeros(1), np.ones(1, np.int64), flags, flags, floats, floats)
    improve(table, ints, ints.copy(), np.ones((1, 1), bool), np.ones(3), np.zeros((1, 2)))
