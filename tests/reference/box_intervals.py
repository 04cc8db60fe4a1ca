"""Slow twin of the scans of `move_kernels`: the best interval of every feature, by NumPy.

With all else fixed, the loss is a sum over rows of a price that depends on whether one feature
accepts the row. One histogram of these prices over the bins, for all features at once, turns "which
interval is best" into a maximum-sum run, found in one pass of prefix sums. This sweeps every
combination of cuts of a feature: none, one at most, one greater than, and both.

Legend, beside that of `problem`::

    u     violations of a row by the other features of the clause
    g(u)  what is saved when this feature accepts the row instead of refusing it
    H     (p, width) sum of g over the rows of a bin, the missing ones in slot n_bins[f]
"""

from dataclasses import dataclass

import numpy as np

from rulekit.search.box_search.problem import Bools, BoxRows, Floats, Ints
from tests.reference.box_state import BoxState

TIE = 1e-9  # a literal must earn at least this much more than its price


@dataclass(frozen=True, slots=True)
class BestIntervals:
    """For each feature the best choice for one clause, and what it is worth.

    Parameters
    ----------
    value : ndarray of float, shape (p,)
        Saving of the choice, its literals paid.
    low, high : ndarray of int, shape (p,)
        The interval; ``low > high`` accepts only missing values.
    absent : ndarray of bool, shape (p,)
        Whether missing values are accepted.
    """

    value: Floats
    low: Ints
    high: Ints
    absent: Bools


class Savings:
    """What each row saves when the last feature of a clause accepts it: the function ``g``.

    Parameters
    ----------
    state : BoxState
        The clauses.
    r : int
        The clause that is being changed.
    """

    def __init__(self, state: BoxState, r: int) -> None:
        problem = state.problem
        self.problem = problem
        self.nearest, holding = state.others(r)
        base, extra, near = problem.charges.base, problem.charges.extra, problem.charges.near
        described = np.where(self.nearest >= 1, base, 0.0)
        other = near - np.where(holding == 0, base, extra)
        self.at_zero: Floats = np.where(problem.y, described, other)

    def __call__(self, u: Ints) -> Floats:
        """Evaluate ``g`` for violations `u` of shape (n,); negative `u` saves nothing."""
        problem, charges = self.problem, self.problem.charges
        g = np.where(u == 0, self.at_zero, 0.0)
        if problem.prices.miss:
            g += np.where(problem.y & (u >= 1) & (u < self.nearest), charges.extra, 0.0)
        if problem.prices.near:
            g -= np.where(u == 1, charges.near, 0.0)
        return g


def histogram(savings: Savings, violated: Bools, v: Ints) -> Floats:
    """Sum what acceptance saves over the bins of every feature.

    Parameters
    ----------
    savings : Savings
        The clause's function ``g``.
    violated : ndarray of bool, shape (n, p)
        Which features of the clause refuse which row.
    v : ndarray of int, shape (n,)
        Their number.

    Returns
    -------
    ndarray of float, shape (p, width)

    Notes
    -----
    O(a * p + b) for the `a` rows that save something in every feature and the `b` refusals that
    matter. For training errors these are the rows the clause holds for, and the rows that a single
    feature keeps out.
    """
    problem = savings.problem
    p, width = problem.n_features, 1 + int(problem.n_bins.max(initial=1))
    flat, size = problem.codes + np.arange(p) * width, p * width  # place in one line of histograms
    accepted = savings(v)  # a row as a feature that accepts it sees it: u = v
    dense = np.flatnonzero(accepted)
    H = np.bincount(
        flat[dense].ravel(),
        weights=np.repeat(accepted[dense], p),
        minlength=size,
    )
    surplus = savings(v - 1) - accepted  # a feature that refuses the row sees u = v - 1 instead
    refused = np.flatnonzero((surplus != 0) & (v > 0))
    row, f = np.nonzero(violated[refused])
    cells = flat[refused[row], f]
    H = H + np.bincount(cells, weights=surplus[refused[row]], minlength=size)
    return H.astype(float).reshape(p, width)


class IntervalSearch:
    """Finds the best interval of every feature in a histogram of savings.

    Parameters
    ----------
    problem : BoxRows
        Bins and what is allowed.
    features : ndarray of int, shape (m,), optional
        The features that the rows of a histogram belong to, where these are not all features once;
        `best` then works on rows, as wide as the widest of these features.
    """

    def __init__(self, problem: BoxRows, features: Ints | None = None) -> None:
        chosen = np.arange(problem.n_features) if features is None else features
        self.n_bins = problem.n_bins[chosen]
        p, width = len(chosen), int(self.n_bins.max(initial=1)) + 1
        self.rows = np.arange(p)
        slot = np.arange(width)
        bins = slot < self.n_bins[:, None]
        self.is_bin = bins
        # price of an interval's beginning and end, in literals; what is not allowed costs
        # infinitely much
        begins = np.where(slot > 0, 1.0, 0.0) * np.ones((p, 1))
        ends = np.where(slot < self.n_bins[:, None] - 1, 1.0, 0.0)
        may_start = np.asarray(problem.may_start)[chosen][:, :width]
        may_end = np.asarray(problem.may_end)[chosen][:, :width]
        may_start, may_end = (
            np.pad(may, ((0, 0), (0, 1)))[:, :width] for may in (may_start, may_end)
        )
        begins[~bins | ((slot > 0) & ~may_start)] = np.inf
        ends[~bins | ((ends > 0) & ~may_end)] = np.inf
        self.begins, self.ends = begins, ends
        self.missing = np.flatnonzero(problem.has_missing[chosen])
        self.may_test_missing = np.asarray(problem.may_test_missing)[chosen]

    def best(self, H: Floats, theta: float) -> BestIntervals:
        """Choose for every feature; ties go to fewer literals, then to the lower bins.

        Parameters
        ----------
        H : ndarray of float, shape (p, width)
            From `histogram`.
        theta : float
            Price of a literal.

        Returns
        -------
        BestIntervals
        """
        price = theta + TIE
        lost = H[self.rows, self.n_bins]  # savings of the rows without a value
        inside = np.where(self.is_bin, H, 0.0)
        upto = np.cumsum(inside, axis=1)
        before = upto - inside
        start = before + price * self.begins
        reach = np.minimum.accumulate(start, axis=1)
        last = self.n_bins - 1
        # the last bin with a beginning above the first: the full interval is a choice of its own
        later = start[:, 1:].min(axis=1, initial=np.inf)
        reach[self.rows, last] = later
        worth = upto - price * self.ends - reach
        high = worth.argmax(axis=1)
        value, full = worth[self.rows, high], upto[self.rows, last] + lost
        choose = value > full
        if len(self.missing):
            return self._with_missing(H, price, start, value, high, full)
        low = self._first_bin(start, high, choose, last)
        return BestIntervals(
            np.where(choose, value, full),
            np.where(choose, low, 0),
            np.where(choose, high, last),
            np.ones(len(last), bool),
        )

    def _first_bin(self, start: Floats, high: Ints, choose: Bools, last: Ints) -> Ints:
        """Find where the chosen runs begin."""
        slot = np.arange(start.shape[1])
        allowed = slot <= high[:, None]
        full_end = high == last
        allowed[full_end, 0] = False  # reaching the last bin, a run begins above the first
        low = np.where(allowed, start, np.inf).argmin(axis=1)
        return np.where(choose, low, 0)

    def _with_missing(
        self,
        H: Floats,
        price: float,
        start: Floats,
        value: Floats,
        high: Ints,
        full: Floats,
    ) -> BestIntervals:
        """Choose where some features lack values: with them, without them, or only them."""
        last = self.n_bins - 1
        lost = H[self.rows, self.n_bins]
        low = self._first_bin(start, high, np.ones(len(last), bool), last)
        lacks = np.zeros(len(last), bool)
        lacks[self.missing] = True
        testable = lacks & self.may_test_missing
        never = -np.inf
        options = np.array(
            [
                full,
                value + np.where(lacks, np.maximum(lost, 0.0), 0.0),
                np.where(testable, full - lost - price, never),
                np.where(testable, lost - price, never),
            ]
        )
        pick = options.argmax(axis=0)
        interval = pick == 1
        low = np.where(interval, low, np.where(pick == 3, 1, 0))
        high = np.where(interval, high, np.where(pick == 3, 0, last))
        absent = ~lacks | (pick == 0) | (interval & (lost > 0)) | (pick == 3)
        return BestIntervals(options[pick, self.rows], low, high, absent)

    def current(self, H: Floats, state: BoxState, r: int, theta: float) -> Floats:
        """Value of what clause `r` accepts now, feature by feature: shape (p,)."""
        upto = H.cumsum(axis=1)  # the missing slot comes after all bins
        low, high = state.low[r], state.high[r]
        inside = upto[self.rows, high] - upto[self.rows, low] + H[self.rows, low]
        inside[low > high] = 0.0
        lost = np.where(state.absent[r], H[self.rows, self.n_bins], 0.0)
        return np.asarray(inside + lost - theta * state.size[r], dtype=float)
