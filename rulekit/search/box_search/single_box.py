"""One box by itself, for savings of rows that change from call to call.

Learners of several boxes with their own loss use it to find the box that saves most while all
others are fixed. The moves are those of the search, see `move_kernels`.
"""

from typing import Any

import numpy as np

from rulekit.search.box_search.problem import Floats, Ints


class SingleBox:
    """Finds boxes that save much.

    Notes
    -----
    What a row saves must be a multiple of one number so small that no sum is rounded.
    """

    def __init__(self, problem: Any) -> None:
        from rulekit.search.box_search import descent_kernels, pair_kernels, state_kernels

        self._descents, self._pairs = descent_kernels, pair_kernels
        n = len(problem.cells)
        self._table = state_kernels.new_table(problem, np.zeros(n, np.bool_), np.zeros((n, 3)))
        self._work = state_kernels.new_work(self._table, 1)
        self._room = pair_kernels.room()

    def started(self, savings: Floats, theta: float) -> Ints:
        """Find the best box on at most two features, see `pair_kernels`.

        Shapes: savings (n,); result (p, 3).
        """
        self._price(savings)
        if not self._work.box.shape[1]:
            return np.zeros((0, 3), np.int64)
        self._pairs.start_clause(self._table, self._work, self._room, 0, theta)
        found: Ints = self._work.box[0, :, :3].copy()
        return found

    def improved(self, savings: Floats, box: Ints, theta: float) -> Ints:
        """Change one feature of a box, or two at once, until nothing saves more.

        Shapes: box (p, 3); result (p, 3).
        """
        self._price(savings)
        kernels, found = self._descents, box[None].copy()
        saved = np.zeros((1, 1 + len(box)))
        names, owners = np.zeros(kernels.SLOTS, np.uint64), np.zeros(kernels.SLOTS, np.int64)
        kernels.improve_each(self._table, self._work, found, saved, names, owners, theta)
        return np.asarray(found[0])

    def _price(self, savings: Floats) -> None:
        """Charge the rows: one that saves is described, one that costs is of the other class."""
        np.greater(savings, 0.0, out=self._table.y)
        self._table.charges[:, 0] = savings
