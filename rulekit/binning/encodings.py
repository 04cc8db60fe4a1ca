"""How a column is cut into cells, and the conditions that it offers as sets of cells."""

# A column is cut into *cells*: intervals of a numeric column, levels of any other one, one more
# cell for levels that were not there in training, and one for missing values, always the last. A
# condition is then a set of cells. For levels and words, the literal is evaluated on one
# representative value per cell, so the matrix cannot differ from the rule; for ordered columns, the
# cells follow from the index of the cut.
#
# A column of dates is read in several ways (the date, its year, its weekday, ...), one of text by
# several words; each is an encoding of its own, of the same name. All but the first are `extra`:
# the tests of missingness are listed once. Without those tests the first one is `extra`, too.

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.binning.binned_table import Conditions, LazyLiterals, runs_of
from rulekit.binning.thresholds import short_cuts
from rulekit.exceptions import DataError
from rulekit.rules import Literal
from rulekit.rules.condition import (
    GAPS,
    ORDERED,
    Scalar,
    missing_in,
    positions_in,
    unseen_text,
    value_at,
)
from rulekit.rules.literal import build_literals, mask_table, sort_keys

UNIQUE_SHARE = 0.5  # text with more distinct values than this share of its rows is an identifier
FEW_GROUPS = 4  # of fewer, one level or all but one are all the sets there are


@dataclass(frozen=True)
class OrderedColumn:
    """A column of `Literal.positions` cut at edges: cell k is ``cuts[k-1] < x <= cuts[k]``."""

    name: str
    cuts: NDArray[np.float64]
    has_missing: bool
    part: str | None = None
    order: tuple[str, ...] | None = None
    extra: bool = False

    @cached_property
    def n_cells(self) -> int:
        """Number of cells, the one for missing values included."""
        return len(self.cuts) + 2

    @property
    def is_plain(self) -> bool:
        """Whether the column holds the numbers that are cut."""
        return self.part is None and self.order is None

    def positions(self, column: NDArray[Any]) -> NDArray[np.float64]:
        """Read the column as numbers, NaN where there is none: shape (n,)."""
        if self.is_plain:
            return column.astype(float, copy=False)
        return positions_in(self.name, column, self.part, self.order)

    def codes(self, column: NDArray[Any]) -> NDArray[np.intp]:
        """Return the bin index of each row, shape (n,)."""
        numbers = self.positions(column)
        cells = np.searchsorted(self.cuts, numbers, side="left")
        return np.where(np.isnan(numbers), self.n_cells - 1, cells)

    def representatives(self) -> NDArray[Any]:
        """Return one position of each cell, shape (n_cells,)."""
        inside = self.cuts if self.order is None else np.floor(self.cuts)
        return np.concatenate([inside, [np.inf, np.nan]])

    def find_cells(self: "OrderedColumn | WordColumn") -> NDArray[np.bool_]:
        """Return which cells training rows can lie in."""
        return np.array([True] * (self.n_cells - 1) + [self.has_missing])

    def base_literals(self) -> list[Literal]:
        """List the conditions of present values."""
        cuts = self.cuts.tolist()
        return [self.edge_literal(edge, side) for edge in cuts for side in (-1, 1)]

    def cut_literal(self, k: int, side: int) -> Literal:
        """Write the condition below (-1) or above (1) the k-th cut."""
        return self.edge_literal(float(self.cuts[k]), side)

    def edge_literal(self, edge: float, side: int) -> Literal:
        """Write the condition below (-1) or above (1) an edge; dates as "before" and "from"."""
        return Literal(*self._test(edge, side))

    def _test(self, edge: float, side: int, gap: int = 0) -> tuple[Any, ...]:
        """Return the arguments of a condition, of side 0 those of a test of missingness."""
        if side == 0:
            return self.name, "missing" if gap else "not-missing"
        value: Scalar = edge
        ops = ("<=", ">")
        if self.order is not None:
            ops, value = ("<=", ">="), self.order[int(np.floor(edge)) + (side > 0)]
        elif self.part == "date":
            ops = ("<", ">=")
            value = value_at(float(np.nextafter(edge, np.inf)), self.part, None)
        return self.name, ops[side > 0], value, bool(gap), self.part, self.order

    def edge_between(self, raw: float, low: float, high: float) -> float:
        """Move an edge to where it is written shortest, between two neighbouring values."""
        if self.order is not None:
            return float(np.floor(raw) + 0.5)
        if self.part == "date":
            first = np.floor(low) + 1  # the first midnight after the lower value
            day = min(max(np.round(raw), first), np.floor(high))
            return float(np.nextafter(day if first <= high else high, -np.inf))
        return float(short_cuts(np.array([raw]), np.array([low, high]))[0])

    def place(self, literal: Literal) -> tuple[int, int]:
        """Return side and rank of a literal, see `Conditions`."""
        if literal.op not in ORDERED or literal.scale != (self.part, self.order, None):
            return 0, 0
        side = -1 if literal.op in ("<=", "<") else 1
        return side, int(np.searchsorted(self.cuts, literal.edge))

    def conditions(self, *, by_text: bool = False) -> Conditions:
        """List the conditions as runs of cells, O(k), without an object for each."""
        k, end = len(self.cuts), self.n_cells
        cut, zero = np.arange(k), np.zeros(k, dtype=int)
        blocks = []
        for gaps in (False, True) if self.has_missing else (False,):
            extra = np.tile([end - 1, end] if gaps else [0, 0], (k, 1))
            low = np.column_stack([zero, cut + 1, extra, zero - 1, cut])
            high = np.column_stack([cut + 1, zero + end - (not gaps), zero, zero, zero + 1, cut])
            blocks += [np.column_stack([part, zero + gaps]) for part in (low, high)]
        if self.has_missing and not self.extra:
            blocks.append(np.array([[end - 1, end, 0, 0, 0, 0, 1], [0, end - 1, 0, 0, 0, 0, 0]]))
        pieces = np.concatenate([np.zeros((0, 7), dtype=int), *blocks])
        side, rank, gap = pieces[:, 4:].T
        literals = LazyLiterals(self._write_literal, pieces[:, 4:])
        found = Conditions(np.array([end]), 0 * side, pieces[:, :4], side, rank, literals)
        if by_text:
            listed = build_literals([self._test_of(*key) for key in pieces[:, 4:].tolist()])
            order = sorted(range(len(listed)), key=sort_keys(listed).__getitem__)
            return replace(found, literals=tuple(listed)).take(np.array(order, dtype=np.intp))
        chain = np.where(side == 0, -1, 2 * (side > 0) + gap)
        return replace(found, chain=chain, place=np.where(side < 0, rank, k - rank))

    def _write_literal(self, side: int, rank: int, gap: int) -> Literal:
        """Write the condition of a cut, or of side 0 a test of missingness."""
        return Literal(*self._test_of(side, rank, gap))

    def _test_of(self, side: int, rank: int, gap: int) -> tuple[Any, ...]:
        return self._test(float(self.cuts[rank]) if side else 0.0, side, gap)


@dataclass(frozen=True)
class LevelColumn:
    """A column of few values, each group of them a cell: ``groups[k]`` is cell k."""

    name: str
    groups: tuple[tuple[Scalar, ...], ...]
    has_missing: bool
    numeric: bool = False
    part: str | None = None
    # Groups in the order of their share of a class, and the first k of them a condition: the set of
    # levels that separates two classes best is among these (Breiman and others, 1984, theorem 4.5),
    # except that the shares of rare levels are drawn towards the mean.
    ranked: bool = False
    extra: bool = False
    skip: frozenset[Literal] = frozenset()  # listed by another encoding of the column
    cuts: None = field(default=None, init=False)

    @cached_property
    def n_cells(self) -> int:
        """Number of cells: the groups, values not seen in training, missing values."""
        return len(self.groups) + 2

    @cached_property
    def _group_of(self) -> tuple[pd.Index, NDArray[np.intp]]:
        levels = [(v, k) for k, group in enumerate(self.groups) for v in group]
        index = pd.Index([v for v, _ in levels], dtype=float if self.numeric else object)
        # code -1, a level that was not seen, reads the last entry
        return index, np.array([*(k for _, k in levels), len(self.groups)], dtype=int)

    def codes(self, column: NDArray[Any]) -> NDArray[np.intp]:
        """Return the bin index of each row, shape (n,)."""
        if self.part is not None:
            column = positions_in(self.name, column, self.part, None)
        elif not self.numeric:
            column = column.astype(object, copy=False)
        return np.where(missing_in(column), self.n_cells - 1, self.group_codes(column))

    def group_codes(self, compared: NDArray[Any]) -> NDArray[np.intp]:
        """Return the group of each value (parts of dates as numbers)."""
        index, group = self._group_of
        return np.asarray(group[index.get_indexer(compared)])

    def positions(self, column: NDArray[Any]) -> NDArray[np.float64]:
        """Return the rank of each row's group, NaN where it is missing or new, shape (n,)."""
        cells = self.codes(column)
        return np.where(cells < len(self.groups), cells, np.nan)

    def representatives(self) -> NDArray[Any]:
        """Return one value of each cell, shape (n_cells,)."""
        first = [group[0] for group in self.groups]
        if self.numeric:
            return np.array([*first, np.inf, np.nan], dtype=float)
        unseen = unseen_text([v for group in self.groups for v in group])
        return np.array([*first, unseen, None], dtype=object)

    def find_cells(self) -> NDArray[np.bool_]:
        """Return which cells training rows can lie in."""
        return np.array([True] * len(self.groups) + [False, self.has_missing])

    def base_literals(self) -> list[Literal]:
        """List the conditions of present values: none of a single group, two of two groups."""
        if len(self.groups) < 2:
            return []
        ops = (("==", "in"), ("!=", "not-in"))[: len(self.groups) - 1]
        alone = build_literals([self._test(g, *pair) for pair in ops for g in self.groups])
        return [x for x in dict.fromkeys([*alone, *self._places]) if x not in self.skip]

    def cut_literal(self, k: int, side: int) -> Literal:
        """Write that a value is among the first k + 1 groups (-1), or is not (1)."""
        first = tuple(v for group in self.groups[: k + 1] for v in group)
        rest = tuple(v for group in self.groups[k + 1 :] for v in group)
        named, inside = (first, side < 0) if len(first) <= len(rest) else (rest, side > 0)
        return Literal(*self._test(named, *(("==", "in") if inside else ("!=", "not-in"))))

    @cached_property
    def _places(self) -> dict[Literal, tuple[int, int]]:
        """Side and rank of each set of the first groups, and of its complement."""
        if not self.ranked or len(self.groups) < FEW_GROUPS:
            return {}
        places = [(side, k) for k in range(len(self.groups) - 1) for side in (-1, 1)]
        return {self.cut_literal(k, side): (side, k) for side, k in places}

    def ranks_of(self, literal: Literal) -> set[int]:
        """Return the ranks of the groups that a literal names; none unless they are ranked."""
        if not self._places or literal.part != self.part:
            return set()
        return {k for k, group in enumerate(self.groups) if set(group) <= set(literal.values)}

    def edge_literal(self, edge: float, side: int) -> Literal:
        """Write the set of the groups up to an edge (-1), or after it (1)."""
        return self.cut_literal(int(edge), side)

    def edge_between(self, raw: float, low: float, high: float) -> float:
        """Return the rank of the group below."""
        return float(low)

    def _test(self, group: tuple[Scalar, ...], one: str, many: str) -> tuple[Any, ...]:
        """Return the arguments of a condition on a group."""
        test = (many, group) if len(group) > 1 else (one, group[0])
        return self.name, *test, False, self.part

    def place(self, literal: Literal) -> tuple[int, int]:
        """Return side and rank of a literal if it is a set of the first groups, else (0, 0)."""
        if literal.op in GAPS or not self._places:
            return 0, 0
        present = replace(literal, missing=False) if literal.missing else literal
        return self._places.get(present, (0, 0))

    def conditions(self: "LevelColumn | WordColumn", *, by_text: bool = False) -> Conditions:
        """List the conditions as runs of cells; without `by_text` sets have no side."""
        literals = literals_of(self)
        none = np.zeros(len(literals), dtype=int)
        runs = runs_of([mask_table(literals, self.representatives()).T])
        n_codes = np.array([self.n_cells])
        if not by_text:
            return Conditions(n_codes, none, runs, none, none, literals, none - 1, none)
        places = [self.place(literal) for literal in literals]
        side, rank = np.array(places, np.intp).reshape(-1, 2).T
        return Conditions(n_codes, none, runs, side, rank, literals)


@dataclass(frozen=True)
class WordColumn:
    """Text tested for one word: cells without it, with it, and of missing values."""

    name: str
    word: str
    has_missing: bool
    extra: bool = False
    cuts: None = field(default=None, init=False)
    part: None = field(default=None, init=False)
    n_cells: int = field(default=3, init=False)  # without the word, with it, missing

    def codes(self, column: NDArray[Any]) -> NDArray[np.intp]:
        """Return the bin index of each row, shape (n,)."""
        column = column.astype(object, copy=False)
        held = Literal(self.name, "contains", self.word).mask_of(column)
        return np.where(missing_in(column), 2, held.astype(np.intp))

    def representatives(self) -> NDArray[Any]:
        """Return one value of each cell, shape (3,)."""
        return np.array(["", self.word, None], dtype=object)

    def base_literals(self) -> list[Literal]:
        """List the conditions of present values."""
        return [Literal(self.name, op, self.word) for op in ("contains", "not-contains")]

    def place(self, literal: Literal) -> tuple[int, int]:
        """Return side and rank of a literal: (0, 0)."""
        return 0, 0

    find_cells, conditions = OrderedColumn.find_cells, LevelColumn.conditions


ColumnEncoding = OrderedColumn | LevelColumn | WordColumn


def level_groups(
    name: str, counts: Mapping[Scalar, int], max_levels: int, *, refuse: bool = True
) -> tuple[tuple[Scalar, ...], ...]:
    """Group the levels of a column: one each, the rarest together."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    levels = [level for level, _ in ordered]
    n_present = sum(counts.values())
    if len(levels) <= max_levels:
        return tuple((v,) for v in sorted(levels, key=str))
    if refuse and len(levels) > UNIQUE_SHARE * n_present:
        raise DataError(
            f"Column {name!r} holds {len(levels)} different texts in {n_present} rows, like a name "
            "or an identifier, so no condition on it would apply to new rows. Leave the column "
            "out (role 'ignore'), or raise `max_levels`."
        )
    frequent, rare = levels[: max_levels - 1], levels[max_levels - 1 :]
    return (*((v,) for v in sorted(frequent, key=str)), tuple(sorted(rare, key=str)))


def literals_of(column: ColumnEncoding) -> tuple[Literal, ...]:
    """List the conditions of one reading of a column in the order of `Literal.sort_key`."""
    literals = column.base_literals()
    if column.has_missing and column.find_cells()[:-1].any():  # not if all values are missing
        literals += [replace(c, missing=True) for c in literals]
        if not column.extra:
            literals += [Literal(column.name, op) for op in ("missing", "not-missing")]
    return tuple(sorted(literals, key=lambda literal: literal.sort_key))
