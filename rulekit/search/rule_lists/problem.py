"""Ordered lists of boxes with a class each: the data, and what a list gets wrong.

Throughout this folder, beside the legend of `box_search.problem`::

    K         classes, numbered from 0
    label     (k,) int   class that each clause gives
    default   class of the rows that no clause holds for

A row is answered by the first clause that holds for it, and costs its weight if the answer is not
its class. Weights are rounded to multiples of one power of two, so that sums over rows are exact in
any order.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rulekit.search.box_search import Bools, Boxes, Floats, Ints, Reads, merge_equal_rows


@dataclass(frozen=True, eq=False, slots=True)
class RuleList(Boxes):
    """An ordered rule list as boxes; see the legend of the module.

    Shapes: low, high, absent (k, p), labels k.
    """

    labels: tuple[int, ...] = ()
    default: int = 0


@dataclass(frozen=True, eq=False)
class ListProblem:
    """Binned rows, their class and weight, and what a box may look like.

    Shapes: codes (n, p), n_bins (p,), y (n,), weight (n,), may_start, may_end (p, largest
    n_bins), may_test_missing (p,).
    """

    codes: Ints
    n_bins: Ints
    y: Ints
    weight: Floats
    n_classes: int
    may_start: Bools
    may_end: Bools
    may_test_missing: Bools

    def __post_init__(self) -> None:
        y = np.asarray(self.y, dtype=np.int64)
        if len(y) and not 0 <= y.min() <= y.max() < self.n_classes:
            raise ValueError(
                f"Classes must be numbers from 0 to {self.n_classes - 1}; `y` holds "
                f"{y.min()} to {y.max()}."
            )
        most = max(int(np.max(self.n_bins, initial=1)), self.n_classes)
        compact = np.asarray(self.codes).astype(np.min_scalar_type(most))
        codes, y, weight = merge_equal_rows(compact, y, np.asarray(self.weight, dtype=float))
        _, exponent = math.frexp(float(weight.sum()))
        unit = math.ldexp(1.0, max(exponent - 52, -1000))  # every sum is below 2^52 units
        store = object.__setattr__
        store(self, "codes", codes)
        store(self, "y", y)
        store(self, "weight", np.rint(weight / unit) * unit)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.codes.shape[1]

    @property
    def cells(self) -> Ints:
        """The bins, each a cell of a column of its own; see `Reads`."""
        return self.codes

    @cached_property
    def reads(self) -> Reads:
        """Which column each feature reads."""
        return Reads.each_its_own(np.asarray(self.n_bins))

    @cached_property
    def has_missing(self) -> Bools:
        """Whether any row lacks a value, for each feature."""
        return np.asarray((self.codes == self.n_bins).any(axis=0), dtype=bool)

    @cached_property
    def mass(self) -> Floats:
        """Weight of each class: shape (K,)."""
        return self.mass_of(np.ones(len(self.y), dtype=bool))

    def mass_of(self, rows: Bools) -> Floats:
        """Weight of each class among some rows, a mask of shape (n,): shape (K,)."""
        mass = np.bincount(self.y[rows], self.weight[rows], minlength=self.n_classes)
        return np.asarray(mass, dtype=float)

    def empty(self) -> RuleList:
        """Return the list without clauses that answers most weight right; ties: the first class."""
        none = np.zeros((0, self.n_features), np.int64)
        return RuleList(none, none, none.astype(bool), (), int(self.mass.argmax()))

    def n_conditions(self, rules: RuleList) -> int:
        """Count the conditions of a list."""
        return int(rules.literals(self.n_bins, self.has_missing).sum())

    def answers(self, rules: RuleList) -> Ints:
        """Class that a list gives each row: shape (n,)."""
        answer = np.full(len(self.y), rules.default, dtype=np.int64)
        for r in reversed(range(rules.n_clauses)):
            answer[self.holds(np.stack([rules.low[r], rules.high[r], rules.absent[r]], 1))] = (
                rules.labels[r]
            )
        return answer

    def loss(self, rules: RuleList) -> float:
        """Weight of the rows that a list gets wrong."""
        return float(self.weight[self.answers(rules) != self.y].sum())

    def holds(self, box: Ints) -> Bools:
        """Return which rows a box of shape (p, 3) holds, shape (n,)."""
        low, high, absent = box[:, 0], box[:, 1], box[:, 2].astype(bool)
        asks = (low > 0) | (high < self.n_bins - 1) | (~absent & self.has_missing)
        inside = np.ones(len(self.y), dtype=bool)
        for f in np.flatnonzero(asks):
            code = self.codes[:, f]
            within = (code >= low[f]) & (code <= high[f])
            if self.has_missing[f]:
                within = np.where(code == self.n_bins[f], absent[f], within)
            inside &= within
        return inside
