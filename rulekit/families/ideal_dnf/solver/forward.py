"""Boolean columns whose ideal formula separates the classes best, found one after the other."""

#   type       the answers of a row to the chosen columns
#   impurity   sum over the types of  c0 c1 / (c0 + c1),  for the weights c0 and c1 of two classes
#
# The ideal formula answers a type with its greater class. Its errors alone are no guide, since a
# first column that only helps beside a second one does not lower them; the impurity falls with
# every column that tells classes apart within some type.

import numpy as np
from numpy.typing import NDArray

from rulekit._sums import addable

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
EQUAL = 1e-9  # share of the impurity below which two sets are equally good


class ForwardSets:
    """Sets of 1, 2, ... of the columns (d, n), each from the one before by the best column."""

    # After each column one of the earlier ones is exchanged if that lowers the impurity.

    def __init__(self, columns: Bools, described: Bools, weight: Floats | None = None) -> None:
        self._columns, self._described = columns, described.astype(np.int64)
        # exact sums: what is left over by a column that a type's rows all meet is exactly 0
        self._weight = np.ones(len(described)) if weight is None else addable(weight)
        # row by row, so that sums over rows run along memory; small numbers for plain counts
        kind = np.min_scalar_type(len(described)) if weight is None else float
        self._rows = np.ascontiguousarray(columns.T, dtype=kind)
        if weight is not None:
            self._rows *= self._weight[:, None]
        self._sets: list[tuple[int, ...]] = []
        self._is_complete = not len(columns)

    def list_sets(self, most: int) -> list[tuple[int, ...]]:
        """Return the sets of 1 to `most` columns; fewer if no further column helps."""
        while len(self._sets) < most and not self._is_complete:
            self._extend()
        return self._sets[:most]

    def _extend(self) -> None:
        last = self._sets[-1] if self._sets else ()
        least, column = self._best(last)
        if least >= self._impurity(last) * (1 - EQUAL):
            self._is_complete = True
            return
        chosen = best = (*last, column)
        for place in range(len(last)):
            others = (*chosen[:place], *chosen[place + 1 :])
            impurity, column = self._best(others)
            if impurity < least * (1 - EQUAL):
                least, best = impurity, (*others, column)
        self._sets.append(best)

    def _types(self, chosen: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the type of each row, numbered as far as they occur, shape (n,)."""
        code = np.zeros(len(self._described), dtype=np.int64)
        for column in chosen:  # 12 at most
            code = 2 * code + self._columns[column]
        return np.unique(code, return_inverse=True)[1].reshape(-1)

    def _impurity(self, chosen: tuple[int, ...]) -> float:
        cells = 2 * self._types(chosen) + self._described
        counts = np.bincount(cells, self._weight, int(cells.max()) + 2 & ~1)
        return float(_impurities(counts.astype(np.float64)))

    def _best(self, others: tuple[int, ...]) -> tuple[float, int]:
        """Return the least impurity with one column more, and the first such column."""
        cells = 2 * self._types(others) + self._described
        order = np.argsort(cells, kind="stable")  # rows of one cell side by side
        ordered = cells[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        counts = np.zeros((len(self._columns), int(ordered[-1]) + 2 & ~1))
        sums = np.add.reduceat(self._rows[order], starts, axis=0)
        counts[:, ordered[starts]] = sums.T
        rest = np.bincount(cells, self._weight, counts.shape[1]) - counts
        values = _impurities(counts) + _impurities(rest)
        column = int(np.flatnonzero(values <= values.min() * (1 + EQUAL))[0])
        return float(values[column]), column


def _impurities(counts: Floats) -> Floats:
    """Sum the impurity of types whose two classes are side by side: shape (..., 2 K) to (...)."""
    zeros, ones = counts[..., 0::2], counts[..., 1::2]
    sizes = np.maximum(zeros + ones, np.finfo(float).tiny)
    return np.asarray((zeros * ones / sizes).sum(axis=-1))
