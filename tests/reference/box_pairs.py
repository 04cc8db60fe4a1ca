"""Slow twin of `pair_kernels`: where a new clause starts, by NumPy.

Narrowing a clause from the whole space, feature after feature, misses pairs of conditions that only
pay together. The savings of the rows are therefore summed over the bins of two features at once,
for each pair of the best single features. For every choice on the one feature, the best choice on
the other is then a maximum-sum run.

Legend, beside that of `box_intervals`::

    f, g     the pair; what a clause accepts of f is tried choice by choice, of g found by a scan
    both     (n,) g(0) - g(1): what is saved when f and g both accept a row, beyond ...
    either   (n,) g(1): ... what each of the two saves that does
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rulekit.search.box_search.problem import Bools, BoxRows, Floats, Ints
from tests.reference.box_intervals import TIE, IntervalSearch, Savings, histogram
from tests.reference.box_state import BoxState

CANDIDATES = 8  # best single features, of which all pairs are tried
MOST_PAIR_BINS = 16  # of a feature in a pair: the choices are quadratic in the bins

Choice = tuple[int, int, int, bool]  # feature, low, high, absent


@dataclass(frozen=True, slots=True)
class Choices:
    """All that a clause may accept of one feature, by first and last bin.

    Parameters
    ----------
    low, high, absent : ndarray, shape (c,)
        The intervals, see `Boxes`.
    size : ndarray of int, shape (c,)
        Literals of each.
    accepts : ndarray of float, shape (c, width)
        1 where a choice accepts a code.
    """

    low: Ints
    high: Ints
    absent: Bools
    size: Ints
    accepts: Floats


class PairStart:
    """Finds where a new clause starts.

    Parameters
    ----------
    problem : BoxRows
        The data.
    theta : float
        Price of a literal.

    Notes
    -----
    O(n) and O(K^3) a pair for K bins of a feature. Features of more than `MOST_PAIR_BINS` bins can
    start a clause alone.
    """

    def __init__(self, problem: BoxRows, theta: float) -> None:
        self.problem, self.theta = problem, theta
        self.intervals = IntervalSearch(problem)
        self._choices: dict[int, Choices] = {}

    def best(self, state: BoxState, r: int) -> list[Choice]:
        """Choose what clause `r`, which has no literals yet, accepts; for two features at most.

        Parameters
        ----------
        state : BoxState
            The clauses.
        r : int
            The new one.

        Returns
        -------
        list of (feature, low, high, absent)
            Ties go to the better single features first, then to the lower bins of the first.
        """
        problem, savings = self.problem, Savings(state, r)
        if not problem.n_features:
            return []
        H = histogram(savings, state.violated[r], state.v[r])
        alone = self.intervals.best(H, self.theta)
        ranked = np.argsort(-alone.value, kind="stable")[:CANDIDATES]
        first = int(ranked[0])
        start = [(first, int(alone.low[first]), int(alone.high[first]), bool(alone.absent[first]))]
        candidates = [int(f) for f in ranked if problem.n_bins[f] <= MOST_PAIR_BINS]
        if len(candidates) < 2:
            return start
        value, pair = self._best_pair(savings, candidates)
        return pair if value > alone.value[first] else start

    def _best_pair(self, savings: Savings, candidates: list[int]) -> tuple[float, list[Choice]]:
        """Find the best box on two of the candidates, and what it saves."""
        problem, price = self.problem, self.theta + TIE
        u = np.zeros(problem.n_rows, np.int64)
        either = savings(u + 1)
        both = savings(u) - either
        width = 1 + int(problem.n_bins[candidates].max())
        codes = {f: problem.codes[:, f].astype(np.intp) for f in candidates}
        edge = {f: np.bincount(codes[f], either, width) for f in candidates}
        pairs = list(combinations(candidates, 2))
        rows, paid = [], []
        for f, g in pairs:
            choices = self._choices_of(f)
            accepts = choices.accepts[:, :width]
            grid = np.bincount(codes[f] * width + codes[g], both, width * width)
            rows.append(accepts @ grid.reshape(width, width) + edge[g])
            paid.append(accepts @ edge[f] - price * choices.size)
        counts = [len(part) for part in rows]
        scanned = IntervalSearch(problem, np.repeat([g for _, g in pairs], counts))
        found = scanned.best(np.vstack(rows)[:, : scanned.is_bin.shape[1]], self.theta)
        value = found.value + np.concatenate(paid)
        at = int(value.argmax())
        ends = np.cumsum(counts)
        j = int(np.searchsorted(ends, at, side="right"))
        (f, g), c = pairs[j], at - int(ends[j]) + counts[j]
        choices = self._choices_of(f)
        return float(value[at]), [
            (f, int(choices.low[c]), int(choices.high[c]), bool(choices.absent[c])),
            (g, int(found.low[at]), int(found.high[at]), bool(found.absent[at])),
        ]

    def _choices_of(self, f: int) -> Choices:
        """List the choices on a feature, once."""
        if f not in self._choices:
            self._choices[f] = list_choices(self.problem, f)
        return self._choices[f]


def list_choices(problem: BoxRows, f: int) -> Choices:
    """List all that a clause may accept of feature `f`.

    Parameters
    ----------
    problem : BoxRows
        Bins and what is allowed.
    f : int
        The feature, of at most `MOST_PAIR_BINS` bins.

    Returns
    -------
    Choices
        With one column in `accepts` for each code up to ``MOST_PAIR_BINS``.
    """
    last = int(problem.n_bins[f]) - 1
    lacks, tests = bool(problem.has_missing[f]), bool(np.asarray(problem.may_test_missing)[f])
    starts = [0, *(1 + np.flatnonzero(np.asarray(problem.may_start)[f, 1 : last + 1])).tolist()]
    ends = [*np.flatnonzero(np.asarray(problem.may_end)[f, :last]).tolist(), last]
    found = []
    for low in starts:
        for high in ends:
            if low <= high:
                size = int(low > 0) + int(high < last)
                found.append((low, high, True, size))
                if lacks and (size or tests):
                    found.append((low, high, False, size or 1))
    if lacks and tests:
        found.append((1, 0, True, 1))
    low, high, missing, size = np.array(found, dtype=np.int64).T
    absent, code = missing.astype(bool), np.arange(MOST_PAIR_BINS + 1)
    inside = (code >= low[:, None]) & (code <= high[:, None])
    accepts = np.where(code == last + 1, absent[:, None], inside).astype(float)
    return Choices(low, high, absent, size, accepts)
