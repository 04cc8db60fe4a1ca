"""The counting tests inside a linear program that is solved many times with other weights.

A column whose price, perturbation included, exceeds that of a narrower threshold of its chain by as
much as it covers more has weight 0 in the one optimal vertex: its weight could be moved to the
narrower column at no loss, and the optimum is unique. So leaving it out changes no answer.
"""

import numpy as np
from numpy.typing import NDArray

from rulekit.search.columns import CellSets, ColumnStructure

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
BLOCK = 1024  # columns that are compared at a time


class ChainScreen:
    """Strict records along the chains of thresholds, for one matrix and any prices and weights.

    Shapes: P (g, d).
    """

    def __init__(self, P: CellSets, structure: ColumnStructure) -> None:
        self._order, self._start = _nested_runs(P, structure)

    def beaten(self, price: Floats, worth: Floats) -> Bools:
        """Return which columns a narrower one of their chain makes redundant, shape (d,).

        Columns of infinite price are redundant. O(d log d).
        """
        answer = np.zeros(len(price), dtype=bool)
        order = self._order
        if not len(order):
            return answer
        gain = worth[order] - price[order]
        rank = np.empty(len(order), dtype=np.int64)
        by_gain = np.argsort(gain, kind="stable")
        step = np.concatenate([[0], np.diff(gain[by_gain]) > 0])
        rank[by_gain] = np.cumsum(step)  # equal gains, equal ranks
        rank += self._start * (len(order) + 1)  # a later chain is above all before it
        # As ranks of a later chain are above all earlier ones, one running maximum serves all: a
        # column is beaten where its gain is no more than the best before it in its chain.
        best = np.maximum.accumulate(rank)
        later = np.diff(self._start, prepend=-1) == 0
        answer[order] = later & (rank <= np.concatenate([[-1], best[:-1]]))
        return answer


def _nested_runs(P: CellSets, structure: ColumnStructure) -> tuple[Ints, Ints]:
    """Order the thresholds chain by chain, the narrowest first, and number the chains."""
    side, rank = np.asarray(structure.side), np.asarray(structure.rank)
    feature = np.asarray(structure.feature)
    place = np.where(side > 0, -rank, rank)
    width = P.sums(np.ones(P.shape[0]))  # of variants for gaps the narrower comes first
    order = np.lexsort((width, place, side, feature))
    order = order[side[order] != 0]
    # variants of one threshold stand next to each other: deal them out to chains of their own
    key = np.stack([feature[order], side[order], place[order]], axis=1)
    again = (np.diff(key, axis=0, prepend=key[:1] - 1) == 0).all(axis=1)
    order = order[np.lexsort((place[order], side[order], feature[order], again))]
    again = np.sort(again)
    if not len(order):
        return order, order
    same = (np.diff(feature[order]) == 0) & (np.diff(side[order]) == 0) & (again[1:] == again[:-1])
    parts = [order[i : i + BLOCK + 1] for i in range(0, len(order) - 1, BLOCK)]
    seen = P.seen()  # neighbours that count read one source: its cells say what the rows do
    wider = [(seen.values(p[:-1]) > seen.values(p[1:])).any(axis=0) for p in parts]
    nested = ~np.concatenate([np.zeros(0, dtype=bool), *wider])
    return order, np.concatenate([[0], np.cumsum(~(same & nested))]).astype(np.intp)
