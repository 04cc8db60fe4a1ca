"""Clauses as boxes over binned features: axes, prices, boxes, and the work arrays of a search."""

# A column gives an axis for its cuts, one for each level or word, and one for its tests of
# missingness. In a clause of a DNF, the value on an axis lies in an interval of its bins, or is
# missing; each end of an interval is a condition of the table.
#
# Throughout the box modules:
#   n, p, k   rows, features, clauses of a DNF
#   codes     (n, p) int    bin of each row in each feature; the code n_bins[f] means "missing"
#   n_bins    (p,)   int    number of ordered bins of each feature (cuts + 1)
#   low, high (k, p) int    clause r holds where low[r, f] <= code <= high[r, f] for every f ...
#   absent    (k, p) bool   ... or where the value is missing and absent[r, f] is True
#   boxes     (k, p, 3) int these three, as they are passed on
#   v         (k, n) int    number of features of clause r that row i violates; 0: the clause holds
#
# A feature whose clause accepts every code carries no literal. An interval counts one literal an
# end that is not the first or last bin, a test of missingness counts one.
#
# Sums of row costs are the same bits in every order (`_charges`): the kernels and their slow
# twins find the same rules.

import math
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning.binned_table import BinnedTable, Bools, Floats
from rulekit.rules import Literal
from rulekit.rules.condition import GAPS, WORDS

Ints = NDArray[np.int64]
Boxes = NDArray[np.int64]  # (k, p, 3): low, high, absent

#: Axis, first and last bin that a condition accepts (1 to 0: no bin), whether missing values.
End = tuple[int, int, int, bool]
MEMBER = ("==", "in", "contains")
Found = list[tuple[Literal, int]]
Kinds = tuple[dict[int, Found], Found, Found]


class Axes:
    """The axes of a DNF over the conditions of a table."""

    def __init__(self, table: BinnedTable) -> None:
        self.table = table
        self.source: list[int] = []  # feature of the table that an axis reads
        self.bins: list[NDArray[np.integer]] = []  # bins[f][c]: axis f, table bin c
        self.condition_of: dict[End, int] = {}  # condition at each end of an interval
        self._sizes: list[int] = []
        side, rank = table.side, table.rank
        read = enumerate(table.encodings)  # whether some row has no value that an encoding reads
        self._lacks = [bool((table.codes[:, s] == e.n_cells - 1).any()) for s, e in read]
        for cuts, levels, tests in _group_by_column(table).values():
            for source, of_source in cuts.items():
                encoding = table.encodings[source]
                rank_of = rank[[j for _, j in of_source]]
                ranks = np.unique(rank_of)  # a cell lies above the cuts of smaller ranks
                bins = np.searchsorted(ranks, np.arange(encoding.n_cells))
                has_cuts = encoding.cuts is not None
                bins[encoding.n_cells - 1 if has_cuts else len(encoding.groups) :] = len(ranks) + 1
                f, places = self._add(source, bins, len(ranks) + 1), np.searchsorted(ranks, rank_of)
                for (literal, j), k in zip(of_source, places.tolist(), strict=True):
                    span = (k + 1, len(ranks)) if side[j] > 0 else (0, k)
                    self.condition_of[f, *span, literal.missing and self._lacks[source]] = j
            if levels:
                self._add_levels(levels)
            if tests and self._lacks[source := int(table.feature[tests[0][1]])]:
                last = table.encodings[source].n_cells - 1
                f = self._add(source, (np.arange(last + 1) == last).astype(np.int64), 1)
                for literal, j in tests:
                    only_missing = literal.op == "missing"
                    self.condition_of[f, int(only_missing), 0, only_missing] = j
        # (p,), and (p, largest n_bins): whether an interval may begin, or end, at bin k
        self.n_bins = np.array(self._sizes, dtype=np.int64)
        self.may_start, self.may_end = map(self._find_allowed_bins, (True, False))
        # the search needs both tests of missingness of a column, or uses neither
        ends = [{(f, 0, n - 1, False), (f, 1, 0, True)} for f, n in enumerate(self._sizes)]
        both = [self.condition_of.keys() >= pair for pair in ends]
        self.may_test_missing: Bools = np.array(both, dtype=bool)

    @cached_property
    def merged_cells(self) -> tuple[NDArray[Any], ...]:
        """Bins that all features treat alike as one: cells, column, bins, n_cells of `BoxRows`."""
        read: dict[int, list[int]] = {}
        for f, source in enumerate(self.source):
            read.setdefault(source, []).append(f)
        merged = []
        for source, features in read.items():
            bins, joined = np.unique([self.bins[f] for f in features], axis=1, return_inverse=True)
            merged.append((features, bins, joined.reshape(-1)[self.table.codes[:, source]]))
        n_cells = np.array([bins.shape[1] for _, bins, _ in merged], dtype=np.int64)
        most = int(n_cells.max(initial=1))
        table = np.zeros((len(self.source), most), np.int64)
        column = np.zeros(len(self.source), np.int64)
        cells = np.zeros((len(self.table.codes), len(merged)), np.min_scalar_type(most))
        for c, (features, bins, rows) in enumerate(merged):
            table[features, : bins.shape[1]], column[features], cells[:, c] = bins, c, rows
        return cells, column, table, n_cells

    @property
    def are_complete(self) -> bool:
        """Whether every condition is an end that an interval may have."""
        for f, low, high, _ in self.condition_of:
            if low > high or (low == 0 and high == self.n_bins[f] - 1):
                allowed = self.may_test_missing[f]
            else:
                allowed = self.may_start[f, low] if low > 0 else self.may_end[f, high]
            if not allowed:
                return False
        return True

    def _add_levels(self, conditions: Found) -> None:
        """Add, for each level or word that literals name, a feature of two bins: others, this."""
        named: dict[Any, Found] = {}
        for literal, j in conditions:
            name = literal.part, literal.order, literal.op not in WORDS, literal.value
            named.setdefault(name, []).append((literal, j))
        order = sorted(named, key=repr)
        inside = [self._level(*named[key][-1]) for key in order]
        # of two levels, "this one" is equivalent to "not the other one"
        pair = len(order) == 2 and len({lit.op in MEMBER for lit, _ in conditions}) == 1
        if pair:  # ... where each row that has a value is of exactly one
            a, b = (bins[self.table.codes[:, source]] for source, bins in inside)
            pair = bool(((a == 2) | (a != b)).all())
        for key, read in list(zip(order, inside, strict=True))[: 1 if pair else None]:
            f = self._add(*read, 2)
            for other, (literal, j) in (
                (k, c) for k in (order if pair else [key]) for c in named[k]
            ):
                at = int((literal.op in MEMBER) == (other == key))
                self.condition_of[f, at, at, literal.missing and self._lacks[read[0]]] = j

    def _find_allowed_bins(self, starts: bool) -> Bools:
        """Return at which bins an interval may begin or end: where all its literals exist."""
        allowed = np.zeros((len(self.n_bins), int(self.n_bins.max(initial=1))), bool)
        for f, n in enumerate(self._sizes):
            needed = {False, self._lacks[self.source[f]]}
            for k in range(1, n) if starts else range(n - 1):
                ends = (k, n - 1) if starts else (0, k)
                allowed[f, k] = all((f, *ends, a) in self.condition_of for a in needed)
        return allowed

    def _level(self, literal: Literal, j: int) -> tuple[int, NDArray[np.integer]]:
        """Return for each bin whether it holds a literal's level; the last one has no value."""
        conditions = self.table.conditions
        held = conditions.table(np.array([j]))[:, 0]
        bins = (held if literal.op in MEMBER else ~held).astype(np.int64)
        bins[-1] = 2
        return int(conditions.feature[j]), bins

    def _add(self, source: int, bins: NDArray[np.integer], n_bins: int) -> int:
        self.source.append(source)
        self.bins.append(bins)
        self._sizes.append(n_bins)
        return len(self.bins) - 1


def _group_by_column(table: BinnedTable) -> dict[str, Kinds]:
    """Group the literals by column: cuts of each source, levels, missingness tests."""
    parts: dict[str, Kinds] = {}
    conditions = zip(table.literals, table.side.tolist(), table.feature.tolist(), strict=True)
    for j, (literal, side, source) in enumerate(conditions):
        kinds = parts.setdefault(literal.feature, ({}, [], []))
        if literal.op in GAPS:
            kinds[2].append((literal, j))
        elif side:
            kinds[0].setdefault(source, []).append((literal, j))
        else:
            kinds[1].append((literal, j))
    return parts


@dataclass(frozen=True, slots=True)
class BoxPrices:
    """What a wrong row costs beyond one, see `descent_kernels`."""

    # ``(0, 0, 0)`` counts training errors, the objective (3.7) of Su, Wei, Varshney and Malioutov;
    # ``(1, 1, 0)`` is their minimal Hamming distance (3.12) exactly; ``(0.3, 0.3, 0.1)`` prefers
    # rules with a margin.

    miss: float = 0.0
    overlap: float = 0.0
    near: float = 0.0

    @classmethod
    def from_robustness(cls, robustness: float) -> "BoxPrices":
        """Turn the robustness of a learner into prices of wrong and nearly wrong rows."""
        return cls() if robustness == 0 else cls(miss=0.3, overlap=0.3, near=robustness)


MOST_CELLS = 65_536  # of a column: the kernels read 16 bits
MANY_CLAUSES = 64  # largest number of clauses with exact sums of charges
ERRORS = BoxPrices()
BASE, EXTRA, NEAR = range(3)  # what `BoxRows.charges` counts


@dataclass(frozen=True, eq=False)
class BoxRows:
    """Work arrays of a box search: merged rows, and what a box may look like."""

    cells: NDArray[np.integer]  # (n, c)
    n_bins: Ints  # (p,)
    y: NDArray[Any]  # (n,), the rows to describe; for rule lists the classes, numbered from 0
    weight: Floats  # (n,)
    prices: BoxPrices
    may_start: Bools  # (p, largest n_bins)
    may_end: Bools
    may_test_missing: Bools  # (p,)
    column: Ints  # (p,), column of `cells` that a feature reads
    bins: Ints  # (p, most cells), bins[f, c]: bin of feature f for cell c
    n_cells: Ints  # (c,)
    condition_of: Mapping[End, int] = field(repr=False)  # in the `BinnedTable`
    n_conditions: int
    charges: Floats = field(init=False, repr=False)  # (n, 3), see `BASE`; sums are exact

    def __post_init__(self) -> None:
        if (most := self.n_cells.max(initial=1)) > MOST_CELLS:
            raise ValueError(
                f"A column may have at most {MOST_CELLS} cells, missing values among them; one has "
                f"{most}. Cut it less finely."
            )
        compact = self.cells.astype(np.min_scalar_type(int(max(most, self.y.max(initial=0)))))
        y, weight = self.y, self.weight
        if len(compact):  # equal rows are merged, in an order that does not depend on theirs
            kind = compact.dtype.newbyteorder(">")  # as bytes, they sort like tuples of their codes
            table = np.ascontiguousarray(np.column_stack([compact, y]).astype(kind))
            names = table.view(f"S{table.shape[1] * kind.itemsize}")[:, 0]
            order = np.argsort(names, kind="stable")
            table = table[order]
            first = np.flatnonzero(np.r_[True, (table[1:] != table[:-1]).any(axis=1)])
            weight = np.add.reduceat(weight[order], first)
            compact, y = np.ascontiguousarray(compact[order[first]]), y[order[first]]
        charges = _charges(y, weight, self.prices, self.n_features)
        self.__dict__.update(cells=compact, y=y, weight=weight, charges=charges)

    @classmethod
    def from_table(
        cls,
        table: BinnedTable,
        prices: BoxPrices = ERRORS,
        classes: NDArray[np.intp] | None = None,
        axes: Axes | None = None,
    ) -> "BoxRows":
        """Read a table; of rule lists `classes`, shape (n,), replace `y`."""
        axes = Axes(table) if axes is None else axes  # do not depend on labels and weights
        y = table.y if classes is None else classes
        cells, *reads = axes.merged_cells
        may = axes.may_start, axes.may_end, axes.may_test_missing
        rest: Any = (*may, *reads, axes.condition_of, len(table.feature))
        return cls(cells, axes.n_bins, y, table.weight, prices, *rest)

    @property
    def n_rows(self) -> int:
        """Number of distinct rows; equal rows of one class are merged and their weights added."""
        return len(self.cells)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.n_bins)

    def part(self, most: int) -> "BoxRows":
        """Draw rows in proportion to their weight, spread over the table as it is sorted."""
        rows, weight = [], []
        for side in (False, True):
            of_side = np.flatnonzero(self.y == side)
            reached = np.cumsum(self.weight[of_side])
            if not len(of_side):
                continue
            m = max(1, round(most * float(reached[-1] / self.weight.sum())))
            at = np.searchsorted(reached, (np.arange(m) + 0.5) / m * reached[-1])
            drawn, times = np.unique(np.minimum(at, len(of_side) - 1), return_counts=True)
            rows.append(of_side[drawn])
            weight.append(times * (reached[-1] / m))
        kept = np.concatenate(rows)
        lacking = self.has_missing  # the bounds of a box do not depend on rows
        twin = self._with(cells=self.cells[kept], y=self.y[kept], has_missing=lacking)
        return twin.reweight(np.concatenate(weight))

    def take_features(self, kept: Ints) -> "BoxRows":
        """Leave out all features but some; rows that are alike then stay apart."""
        columns, place = np.unique(self.column[kept], return_inverse=True)
        cells, n_cells = np.ascontiguousarray(self.cells[:, columns]), self.n_cells[columns]
        names = ("n_bins", "bins", "may_start", "may_end", "may_test_missing", "has_missing")
        parts = {name: np.asarray(getattr(self, name))[kept] for name in names}
        return self._with(cells=cells, column=place, n_cells=n_cells, **parts)

    @cached_property
    def codes(self) -> NDArray[np.unsignedinteger]:
        """Bins of the rows in each feature: shape (n, p). The search itself has no use for them."""
        kind = np.min_scalar_type(int(self.bins.max(initial=1)))
        codes = np.empty((self.n_rows, self.n_features), kind)
        for f, (column, bins) in enumerate(zip(self.column, self.bins.astype(kind), strict=True)):
            codes[:, f] = bins[self.cells[:, column]]
        return codes

    def reweight(self, weight: Floats) -> "BoxRows":
        """Return the same merged rows under other weights, of shape (n_rows,)."""
        weight = np.asarray(weight, dtype=float)
        charges = _charges(self.y, weight, self.prices, self.n_features)
        return self._with(weight=weight, charges=charges)

    def _with(self, **parts: Any) -> "BoxRows":
        """Return a copy with other parts, which are not merged anew."""
        twin = copy(self)
        if "cells" in parts:
            twin.__dict__.pop("codes", None)
        twin.__dict__.update(parts)
        return twin

    def count_literals(self, boxes: Boxes) -> Ints:
        """Count the literals of each clause on each feature: shape (k, p)."""
        low, high, absent = boxes.transpose(2, 0, 1)
        ends = np.where(low > high, 1, (low > 0).astype(np.int64) + (high < self.n_bins - 1))
        return np.where((ends == 0) & (absent == 0) & self.has_missing, 1, ends)

    def find_conditions(self, boxes: Boxes) -> Bools:
        """Return which conditions of the table each clause uses, shape (k, n_conditions)."""
        chosen = np.zeros((len(boxes), self.n_conditions), dtype=bool)
        for r, f in np.argwhere(self.count_literals(boxes)).tolist():
            low, high, absent = boxes[r, f].tolist()
            accepts, last = bool(absent and self.has_missing[f]), int(self.n_bins[f]) - 1
            ends: list[End] = [(f, low, last, accepts)] if low > 0 else []
            ends += [(f, 0, high, accepts)] if high < last else []
            if low > high:
                ends = [(f, 1, 0, True)]
            for end in ends or [(f, 0, last, False)]:
                chosen[r, self.condition_of[end]] = True
        return chosen

    @cached_property
    def has_missing(self) -> Bools:
        """Whether any row lacks a value, for each feature."""
        seen = np.zeros(self.bins.shape, bool)
        for column, n_cells in enumerate(self.n_cells.tolist()):
            there = np.bincount(self.cells[:, column], minlength=n_cells) > 0
            seen[self.column == column, :n_cells] = there
        return np.asarray(((self.bins == self.n_bins[:, None]) & seen).any(axis=1), dtype=bool)


def join_ends(n_bins: Ints, ends: Iterable[End]) -> Boxes:
    """Return the clause that joins conditions by AND."""
    box = whole_box(n_bins)
    for f, first, last, accepts in ends:
        low, high, absent = box[0, f]
        box[0, f] = max(low, first), min(high, last), absent & accepts
    return box


def whole_box(n_bins: Ints) -> Boxes:
    """Return the clause without literals, which holds everywhere."""
    return np.stack([0 * n_bins, n_bins - 1, np.ones_like(n_bins)], axis=1)[None]


def spread_boxes(boxes: Boxes, kept: Ints, n_bins: Ints) -> Boxes:
    """Return boxes of all features, equal to these on those kept and unbounded on others."""
    wide = np.repeat(whole_box(n_bins), len(boxes), axis=0)
    wide[:, kept] = boxes
    return wide


def evaluate_boxes(boxes: Boxes, codes: NDArray[np.integer], n_bins: Ints) -> Bools:
    """Return for each row and clause whether the clause holds, shape (n, k)."""
    holds = np.empty((len(boxes), len(codes)), bool)
    for r, (low, high, absent) in enumerate(boxes.transpose(0, 2, 1)):
        used = np.flatnonzero((low > 0) | (high < n_bins - 1) | (absent == 0))
        code = codes[:, used]
        inside = (code >= low[used]) & (code <= high[used])
        holds[r] = np.where(code == n_bins[used], absent[used] > 0, inside).all(axis=1)
    return holds.T


def _charges(y: NDArray[Any], weight: Floats, prices: BoxPrices, p: int) -> Floats:
    """Round what each row costs so that all sums over rows are exact, in any order."""
    dearest = 1.0 + prices.miss * p + (prices.overlap + prices.near) * MANY_CLAUSES
    _, exponent = math.frexp(float(weight.sum()) * dearest)
    unit = math.ldexp(1.0, max(exponent - 52, -1000))  # every sum is below 2^52 units
    price = np.ones(len(y)), np.where(y, prices.miss, prices.overlap), np.where(y, 0.0, prices.near)
    return np.asarray(np.rint(weight[:, None] * np.stack(price, axis=1) / unit) * unit)
