"""Entropy cuts with the minimum description length stop of Fayyad and Irani (1993).

Throughout the module::

    counts  (m, c) int    rows of each class at each distinct value, ascending
    before  (m+1, c) int  running sums: before[j] - before[i] counts the values i .. j-1
    Ent     entropy in bits of a row of class counts
"""

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulekit.search.sums import log2

Counts = NDArray[np.int64]
NOISE = 1e-12


@dataclass(frozen=True, slots=True)
class _Split:
    """The best accepted cut of the values ``start .. stop-1``: before value number `at`."""

    start: int
    at: int
    stop: int
    gain: float


def mdlp_cuts(
    values: NDArray[np.float64], classes: NDArray[np.intp], max_cuts: int | None = None
) -> NDArray[np.float64]:
    """Cut one column so that its intervals tell the classes apart.

    An interval is split where the class entropy falls most, if the gain exceeds the price of
    describing the cut; the parts are then treated alike.

    Shapes: values (n,), classes (n,); result (k,).

    Notes
    -----
    On equal gains the smallest cut is taken. Cost is O(n log n + m c k) for m distinct values,
    c classes and k cuts. Fayyad and Irani, IJCAI 1993, criterion (9): a cut of N rows into parts
    1 and 2 is accepted if ``Gain > (log2(N - 1) + log2(3**c - 2) - c Ent + c1 Ent1 + c2 Ent2) / N``
    with c, c1, c2 the numbers of classes present.
    """
    distinct, place = np.unique(values, return_inverse=True)
    n_classes = int(classes.max()) + 1 if len(classes) else 1
    counts = np.zeros((len(distinct), n_classes), dtype=np.int64)
    np.add.at(counts, (place, classes), 1)
    before = np.vstack([np.zeros((1, n_classes), dtype=np.int64), np.cumsum(counts, axis=0)])
    cuts: list[int] = []
    heap: list[tuple[float, int, _Split]] = []
    _push(heap, best_split(before, 0, len(distinct)))
    while heap and (max_cuts is None or len(cuts) < max_cuts):
        _, _, split = heapq.heappop(heap)
        cuts.append(split.at)
        _push(heap, best_split(before, split.start, split.at))
        _push(heap, best_split(before, split.at, split.stop))
    at = np.array(sorted(cuts), dtype=int)
    return np.asarray((distinct[at - 1] + distinct[at]) / 2, dtype=float)


def _push(heap: list[tuple[float, int, _Split]], split: _Split | None) -> None:
    if split is not None:
        heapq.heappush(heap, (-split.gain, split.start, split))


def best_split(before: Counts, start: int, stop: int) -> _Split | None:
    """Find the accepted cut of the values ``start .. stop-1``, None if none pays."""
    if stop - start < 2:
        return None
    whole = before[stop] - before[start]
    left = before[start + 1 : stop] - before[start]
    right = whole - left
    n, n_left = whole.sum(), left.sum(axis=1)
    n_right = n - n_left
    ent, ent_left, ent_right = entropy(whole[None])[0], entropy(left), entropy(right)
    gain = ent - (n_left * ent_left + n_right * ent_right) / n
    best = int(np.argmax(gain >= gain.max() - NOISE))  # the first among equals
    present = (whole > 0).sum()
    saved = (left[best] > 0).sum() * ent_left[best] + (right[best] > 0).sum() * ent_right[best]
    ways = np.array([n - 1.0, 3.0 ** int(present) - 2.0])
    price = log2(ways).sum() - present * ent + saved
    if gain[best] <= price / n:
        return None
    return _Split(start, start + 1 + best, stop, float(gain[best] * n))


def entropy(counts: Counts) -> NDArray[np.float64]:
    """Return the class entropy in bits of each row of counts, shape (k, c) -> (k,)."""
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    share = counts / total
    logs = log2(np.where(counts > 0, share, 1.0))
    return np.asarray(-(share * logs).sum(axis=1), dtype=float)
