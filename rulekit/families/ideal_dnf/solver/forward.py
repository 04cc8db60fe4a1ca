"""Boolean columns whose ideal formula separates the classes best, found one after the other.

::

    type       the answers of a row to the chosen columns
    impurity   sum over the types of  c0 c1 / (c0 + c1),  for the weights c0 and c1 of two classes

The ideal formula answers a type with its greater class. Its errors alone are no guide, since a
first column that only helps beside a second one does not lower them; the impurity falls with every
column that tells classes apart within some type.
"""

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
EQUAL = 1e-9  # share of the impurity below which two sets are equally good


class ForwardSets:
    """Sets of 1, 2, ... of the columns (d, n), each from the one before by the best column.

    After each column one of the earlier ones is exchanged if that lowers the impurity.
    """

    def __init__(self, columns: Bools, described: Bools, weight: Floats | None = None) -> None:
        self._columns = columns.astype(np.uint8) << np.uint8(1)
        self._described, self._weight = described.astype(np.int64), weight
        self._sets: list[tuple[int, ...]] = []
        self._is_complete = not len(columns)

    def of(self, most: int) -> list[tuple[int, ...]]:
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
        types = np.zeros(len(self._described), dtype=np.int64)
        for column in chosen:
            code = 2 * types + (self._columns[column] > 0)
            types = np.unique(code, return_inverse=True)[1].reshape(-1)
        return types

    def _impurity(self, chosen: tuple[int, ...]) -> float:
        return self._sum(2 * self._types(chosen) + self._described)

    def _best(self, others: tuple[int, ...]) -> tuple[float, int]:
        """Return the least impurity with one column more, and the first such column."""
        cells = 4 * self._types(others) + self._described
        values = np.array([self._sum(cells + column) for column in self._columns])
        column = int(np.flatnonzero(values <= values.min() * (1 + EQUAL))[0])
        return float(values[column]), column

    def _sum(self, cells: NDArray[np.int64]) -> float:
        """Sum the impurity of cells that are twice a number of a type, plus the class."""
        length = int(cells.max()) + 2 & ~1
        counts = np.bincount(cells, self._weight, length).reshape(-1, 2)
        sizes = np.maximum(counts.sum(axis=1), np.finfo(float).tiny)
        return float((counts[:, 0] * counts[:, 1] / sizes).sum())
