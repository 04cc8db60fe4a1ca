"""One box by itself, for savings of rows that change from call to call.

Whoever builds rules of several boxes with a loss of their own asks here for the box that saves most
while all else stays as it is: the moves are those of the search, see `move_kernels`.
"""

import numpy as np

from rulekit.solvers.box_search.problem import Bools, Floats, Ints


class SingleBox:
    """Finds boxes that save much.

    Parameters
    ----------
    codes : ndarray of int, shape (n, p)
        Bins; ``n_bins[f]`` marks a missing value.
    n_bins : ndarray of int, shape (p,)
        Ordered bins of each feature.
    may_start, may_end : ndarray of bool, shape (p, largest n_bins)
        Where an interval may begin, and end; see `BoxProblem`.
    may_test_missing : ndarray of bool, shape (p,)
        Whether missingness may be a condition of its own.

    Notes
    -----
    What a row saves must be a multiple of one number so small that no sum is rounded.
    """

    def __init__(
        self, codes: Ints, n_bins: Ints, may_start: Bools, may_end: Bools, may_test_missing: Bools
    ) -> None:
        from rulekit.solvers.box_search import descent_kernels, move_kernels, pair_kernels

        self._descents, self._pairs = descent_kernels, pair_kernels
        n, p = codes.shape
        width = int(n_bins.max(initial=1)) + 1
        lacks = (codes == n_bins).any(axis=0)
        self._table = move_kernels.Table(
            np.array(codes, np.uint16, order="C"),
            np.array(n_bins, np.int64),
            np.zeros(n, np.bool_),
            np.zeros((n, 3)),
            np.ascontiguousarray(np.stack([may_start, may_end], axis=2), np.bool_),
            np.ascontiguousarray(np.stack([may_test_missing, lacks], axis=1), np.bool_),
        )
        self._work = move_kernels.Work(
            np.zeros((1, p, 4), np.int64),
            np.zeros((1, n), np.int32),
            np.zeros((n, 2), np.int64),
            np.zeros((p, width)),
            np.zeros((p, 4)),
            np.zeros((p, 3), np.int64),
            np.zeros(p, np.int64),
        )
        self._room = pair_kernels.room()

    def started(self, savings: Floats, theta: float) -> Ints:
        """Find the best box on at most two features, see `pair_kernels`.

        Parameters
        ----------
        savings : ndarray of float, shape (n,)
            What each row saves inside the box.
        theta : float
            Price of a condition.

        Returns
        -------
        ndarray of int, shape (p, 3)
            Low, high and absent of each feature.
        """
        self._price(savings)
        if not self._work.box.shape[1]:
            return np.zeros((0, 3), np.int64)
        self._pairs.start_clause(self._table, self._work, self._room, 0, theta)
        found: Ints = self._work.box[0, :, :3].copy()
        return found

    def improved(self, savings: Floats, box: Ints, theta: float) -> Ints:
        """Change one feature of a box, or two at once, until nothing saves more.

        Parameters
        ----------
        savings, theta
            As in `started`.
        box : ndarray of int, shape (p, 3)
            Where to begin.

        Returns
        -------
        ndarray of int, shape (p, 3)
            The box itself where nothing improves it.
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
        np.abs(savings, out=self._table.charges[:, 0])
