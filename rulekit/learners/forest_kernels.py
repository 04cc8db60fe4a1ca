"""A random forest over bin codes: its trees are grown, vote, and are not kept."""

# Legend: n rows, p columns, K classes. All rows go down a tree together, those it is grown on and
# those it votes for; a node is a stretch of `order`. Sums add multiples of one power of two, so
# that their order does not matter.

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types as nb
from numpy.typing import NDArray

from rulekit.search.machine_code import machine_code
from rulekit.search.records import record

GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
NO_SPLIT = -1.0
MOST_ROWS = 20_000  # that one tree is grown on
MIN_LEAF = 2  # rows of a leaf: a share of votes, not a copy of single rows


class Rows(NamedTuple):
    """The table, how often the tree at hand has drawn each row, and room to count cells in."""

    codes: NDArray[np.int32]  # (p, n)
    ordered: NDArray[np.bool_]  # (p,)
    y: NDArray[np.int64]  # (n,)
    times: NDArray[np.int64]  # (n,)
    mass: NDArray[np.float64]  # (n,): weight by times
    hist: NDArray[np.float64]  # (cells, K)
    counts: NDArray[np.int64]  # (cells,)


_I1 = nb.int64[::1]
ROWS = record(
    Rows, nb.int32[:, ::1], nb.boolean[::1], _I1, _I1, nb.float64[::1], nb.float64[:, ::1], _I1
)


@machine_code()
def _below(state, m):  # type: ignore[no-untyped-def]
    """Draw a whole number below m (splitmix64)."""
    state[0] += np.uint64(GOLDEN)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(FIRST)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(SECOND)
    z = z ^ (z >> np.uint64(31))
    return np.int64((z >> np.uint64(11)) % np.uint64(m))


@machine_code()
def _purity(left, total, sign):  # type: ignore[no-untyped-def]
    """Sum of the squared weights of the classes, by their sum: large where one class prevails."""
    squares, whole = 0.0, 0.0
    for c in range(len(total)):
        weight = left[c] if sign > 0 else total[c] - left[c]
        squares += weight * weight
        whole += weight
    return squares / whole


@machine_code(inline=True)
def _split(rows, met, ordered, random, least, state):  # type: ignore[no-untyped-def]
    """Find a split of the column counted: its purity, and its cell."""
    hist, counts = rows.hist, rows.counts
    best, cell = NO_SPLIT, -1
    n_classes, n_rows = hist.shape[1], 0
    total, left = np.zeros(n_classes), np.zeros(n_classes)
    for k in range(len(counts)):
        n_rows += counts[k]
        for c in range(n_classes):
            total[c] += hist[k, c]
    last, only = met[len(met) - 1], -1
    if random:
        only = met[0] + _below(state, last - met[0]) if ordered else met[_below(state, len(met))]
    n_left = 0
    for place in range(len(met)):
        k = met[place]
        for c in range(n_classes):
            left[c] = (left[c] if ordered else 0.0) + hist[k, c]
        n_left = (n_left if ordered else 0) + counts[k]
        beyond = met[place + 1] if k < last else last + 1
        if random and not (k <= only < beyond if ordered else k == only):
            continue
        if n_left >= least and n_rows - n_left >= least:
            purity = _purity(left, total, 1) + _purity(left, total, -1)
            if purity > best:
                best, cell = purity, k
    return best, cell


@machine_code(inline=True)
def _best_split(rows, node, features, random, least, state):  # type: ignore[no-untyped-def]
    """Look at a few columns that differ, and at more until a split is found; -1 for none."""
    left, tried = len(features), 0
    look = max(1, int(np.sqrt(left)))
    best, cell, feature = NO_SPLIT, -1, -1
    while left and (tried < look or feature < 0):
        k = _below(state, left)
        left -= 1
        features[k], features[left] = features[left], features[k]
        f = features[left]
        # the drawn rows of the node are counted by the cells of the column
        own, hist, counts, n_met = rows.codes[f], rows.hist, rows.counts, 0
        for j in range(len(counts)):
            counts[j] = 0
            for c in range(hist.shape[1]):
                hist[j, c] = 0.0
        for i in node:
            if rows.times[i]:
                hist[own[i], rows.y[i]] += rows.mass[i]
                n_met += counts[own[i]] == 0
                counts[own[i]] += 1
        met, place = np.zeros(n_met, dtype=np.int64), 0
        for j in range(len(counts)):
            if counts[j]:
                met[place] = j
                place += 1
        if n_met < 2:
            continue
        tried += 1
        purity, at = _split(rows, met, rows.ordered[f], random, least, state)
        if purity > best:
            best, cell, feature = purity, at, f
    return feature, cell


@machine_code(inline=True)
def _partition(own, order, start, end, cell, ordered):  # type: ignore[no-untyped-def]
    """Bring the rows that go left to the front of a node; return where the others begin."""
    middle = start
    for at in range(start, end):
        i = order[at]
        if own[i] == cell or (ordered and own[i] < cell):
            order[at], order[middle] = order[middle], i
            middle += 1
    return middle


@machine_code(inline=True)
def _grown(rows, features, random, least, state, votes):  # type: ignore[no-untyped-def]
    """Grow a tree on the rows drawn, and add the shares of its leaves to the others' votes."""
    n = len(rows.y)
    order = np.arange(n)
    starts, ends = np.zeros(n + 2, dtype=np.int64), np.zeros(n + 2, dtype=np.int64)
    ends[0], depth = n, 1
    while depth:
        depth -= 1
        start, end = starts[depth], ends[depth]
        node = order[start:end]
        total, n_drawn = np.zeros(votes.shape[1]), 0
        for i in node:
            total[rows.y[i]] += rows.mass[i]
            n_drawn += rows.times[i] > 0
        if n_drawn == end - start:  # no row here gets a vote
            continue
        feature, cell = -1, -1
        n_present, whole = 0, 0.0
        for c in range(len(total)):
            n_present += total[c] > 0
            whole += total[c]
        if n_drawn >= 2 * least and n_present > 1:
            feature, cell = _best_split(rows, node, features, random, least, state)
        if feature < 0:
            for i in node:
                if rows.times[i] == 0:
                    for c in range(len(total)):
                        votes[i, c] += total[c] / whole
            continue
        middle = _partition(rows.codes[feature], order, start, end, cell, rows.ordered[feature])
        starts[depth], ends[depth] = start, middle
        starts[depth + 1], ends[depth + 1] = middle, end
        depth += 2


@machine_code(nb.void(ROWS, nb.float64[::1], _I1, nb.float64[:, ::1]))
def grow_votes(rows, weight, numbers, votes):  # type: ignore[no-untyped-def]
    """Grow trees, and add to `votes` the shares of the leaves that rows not drawn fall into."""
    n_trees, draws, least = numbers[0], numbers[1], numbers[2]
    state = np.full(1, numbers[3], dtype=np.uint64)
    known, n_known = np.zeros(len(weight), dtype=np.int64), 0
    for i in range(len(weight)):
        if weight[i] > 0:
            known[n_known] = i
            n_known += 1
    features = np.arange(len(rows.codes))
    for tree in range(n_trees):
        for i in range(len(weight)):
            rows.times[i] = 0
        for _ in range(draws):
            rows.times[known[_below(state, n_known)]] += 1
        for i in range(len(weight)):
            rows.mass[i] = weight[i] * rows.times[i]
        _grown(rows, features, tree % 2 == 1, least, state, votes)


def forest_columns(
    codes: NDArray[np.integer], encodings: Sequence[Any], used: Sequence[int]
) -> tuple[NDArray[np.integer], NDArray[np.bool_]]:
    """Return some columns of bin codes, of equal ones the first, and whether each is ordered."""
    first_of = {codes[:, s].tobytes(): s for s in reversed(used)}
    columns = sorted(first_of.values())
    read = [encodings[s] for s in columns]
    ordered = [e.cuts is not None or getattr(e, "ranked", False) for e in read]
    return codes[:, columns], np.array(ordered, dtype=bool)


def votes(
    codes: NDArray[np.integer],
    ordered: NDArray[np.bool_],
    classes: NDArray[np.integer],
    weight: NDArray[np.float64],
    n_trees: int,
    seed: int,
    most_rows: int | None = None,
) -> NDArray[np.float64]:
    """Compute out-of-bag votes of a random forest: codes (n, p), classes (n,); result (n, K)."""
    n, p = codes.shape
    with_weight = classes[weight > 0]
    shares: NDArray[np.float64] = np.zeros((n, int(with_weight.max(initial=0)) + 1))
    if p and len(with_weight):
        by_column = np.ascontiguousarray(codes.T, dtype=np.int32)
        n_cells = int(by_column.max()) + 1
        labels = np.asarray(classes * (weight > 0), dtype=np.int64)
        rows = Rows(
            by_column,
            np.asarray(ordered, dtype=np.bool_),
            labels,
            np.zeros(n, dtype=np.int64),
            np.zeros(n),
            np.zeros((n_cells, shares.shape[1])),
            np.zeros(n_cells, dtype=np.int64),
        )
        draws = len(with_weight) if most_rows is None else min(len(with_weight), most_rows)
        numbers = np.array([n_trees, draws, MIN_LEAF, seed], dtype=np.int64)
        grow_votes(rows, np.ascontiguousarray(weight, dtype=np.float64), numbers, shares)
    total = shares.sum(axis=1, keepdims=True)
    return np.divide(shares, total, out=np.full_like(shares, np.nan), where=total > 0)
