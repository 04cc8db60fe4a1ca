"""One column as cells and as conditions.

A column is cut into *cells*: intervals of a numeric column, levels of any other one, one more
cell for levels that were not there in training, and one for missing values, always the last.
A condition is then a set of cells. Which cells it holds in is asked of `Literal.mask` itself, on
one representative value a cell, so the matrix cannot drift from what a rule says.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.exceptions import DataError
from rulekit.rules import Literal, Scalar, missing_in

UNIQUE_SHARE = 0.5  # text with more distinct values than this share of its rows is an identifier


@dataclass(frozen=True)
class OrderedColumn:
    """A numeric column cut at thresholds: cell k holds ``cuts[k-1] < x <= cuts[k]``."""

    name: str
    cuts: NDArray[np.float64]
    has_missing: bool

    @property
    def n_cells(self) -> int:
        """Number of cells, the one for missing values included."""
        return len(self.cuts) + 2

    def codes(self, column: NDArray[Any]) -> NDArray[np.intp]:
        """Say for each row which cell it lies in, shape (n,)."""
        numbers = as_numbers(column, self.name)
        cells = np.searchsorted(self.cuts, numbers, side="left")
        return np.where(np.isnan(numbers), self.n_cells - 1, cells)

    def representatives(self) -> NDArray[Any]:
        """Give one value of each cell, shape (n_cells,)."""
        return np.concatenate([self.cuts, [np.inf, np.nan]])

    def seen(self) -> NDArray[np.bool_]:
        """Say which cells training rows can lie in."""
        return np.array([True] * (self.n_cells - 1) + [self.has_missing])

    def base_literals(self) -> list[Literal]:
        """List the conditions of present values."""
        return [Literal(self.name, op, float(t)) for t in self.cuts for op in ("<=", ">")]

    def place(self, literal: Literal) -> tuple[int, int]:
        """Give side and rank of a literal: see `BinaryMatrix`."""
        if literal.op not in ("<=", ">") or not isinstance(literal.value, float):
            return 0, 0
        side = -1 if literal.op == "<=" else 1
        return side, int(np.searchsorted(self.cuts, literal.value))


@dataclass(frozen=True)
class LevelColumn:
    """A column of few values, each group of them a cell: ``groups[k]`` is cell k."""

    name: str
    groups: tuple[tuple[Scalar, ...], ...]
    has_missing: bool
    numeric: bool = False
    cuts: None = field(default=None, init=False)

    @property
    def n_cells(self) -> int:
        """Number of cells: the groups, values not seen in training, missing values."""
        return len(self.groups) + 2

    @cached_property
    def _group_of(self) -> tuple[pd.Index, NDArray[np.intp]]:
        levels = [v for group in self.groups for v in group]
        index = pd.Index(levels, dtype=float if self.numeric else object)
        group = [k for k, group in enumerate(self.groups) for _ in group]
        return index, np.array([*group, len(self.groups)], dtype=int)  # -1: not seen

    def codes(self, column: NDArray[Any]) -> NDArray[np.intp]:
        """Say for each row which cell it lies in, shape (n,)."""
        column = as_numbers(column, self.name) if self.numeric else as_objects(column)
        index, group = self._group_of
        cells = group[index.get_indexer(column)]
        return np.where(missing_in(column), self.n_cells - 1, cells)

    def representatives(self) -> NDArray[Any]:
        """Give one value of each cell, shape (n_cells,)."""
        first = [group[0] for group in self.groups]
        if self.numeric:
            return np.array([*first, np.inf, np.nan], dtype=float)
        return np.array([*first, _unseen(self.groups), None], dtype=object)

    def seen(self) -> NDArray[np.bool_]:
        """Say which cells training rows can lie in."""
        return np.array([True] * len(self.groups) + [False, self.has_missing])

    def base_literals(self) -> list[Literal]:
        """List the conditions of present values: none of a single group, two of two groups."""
        if len(self.groups) < 2:
            return []
        positive = [self._test(group, "==", "in") for group in self.groups]
        if len(self.groups) == 2:
            return positive
        return positive + [self._test(group, "!=", "not-in") for group in self.groups]

    def _test(self, group: tuple[Scalar, ...], one: str, many: str) -> Literal:
        if len(group) == 1:
            return Literal(self.name, one, group[0])
        return Literal(self.name, many, group)

    def place(self, literal: Literal) -> tuple[int, int]:
        """Give side and rank of a literal: none."""
        return 0, 0


ColumnEncoding = OrderedColumn | LevelColumn


def level_groups(
    name: str, counts: Mapping[Scalar, int], max_levels: int
) -> tuple[tuple[Scalar, ...], ...]:
    """Group the levels of a column: one each, the rarest together.

    Parameters
    ----------
    name : str
        The column, for the message.
    counts : mapping of level to int
        Rows of each level.
    max_levels : int
        Groups at most.

    Returns
    -------
    tuple of tuple
        In the order of the levels as text; the group of several levels, if there is one, last.

    Raises
    ------
    DataError
        If there are more levels than `max_levels`, and than half the rows.
    """
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    levels = [level for level, _ in ordered]
    n_present = sum(counts.values())
    if len(levels) <= max_levels:
        return tuple((v,) for v in sorted(levels, key=str))
    if len(levels) > UNIQUE_SHARE * n_present:
        raise DataError(
            f"Column {name!r} holds {len(levels)} different texts in {n_present} rows, as "
            "a name or an identifier does, so no condition on it would say anything of new "
            "rows. Leave the column out (role 'ignore'), or raise `max_levels`."
        )
    kept, rare = levels[: max_levels - 1], levels[max_levels - 1 :]
    return (*((v,) for v in sorted(kept, key=str)), tuple(sorted(rare, key=str)))


def literals_of(column: ColumnEncoding) -> tuple[Literal, ...]:
    """List a column's conditions in the order of `Literal.sort_key`.

    Where the training rows lack values, every condition comes in two variants, one that missing
    values meet and one that they do not, and the two tests of missingness are added (unless all
    values were missing, when they would tell nothing).
    """
    literals = column.base_literals()
    if column.has_missing and column.seen()[:-1].any():
        name = column.name
        literals += [Literal(name, c.op, c.value, True) for c in literals]
        literals += [Literal(name, "missing"), Literal(name, "not-missing")]
    return tuple(sorted(literals, key=lambda literal: literal.sort_key))


def cell_table(column: ColumnEncoding, literals: tuple[Literal, ...]) -> NDArray[np.bool_]:
    """Say in which cells each literal holds, shape (n_cells, number of literals)."""
    cells = {column.name: column.representatives()}
    masks = [literal.mask(cells) for literal in literals]
    return np.array(masks, dtype=bool).reshape(len(masks), column.n_cells).T


def as_numbers(column: NDArray[Any], name: str) -> NDArray[np.float64]:
    """Take a column as float64 with NaN for missing; text is refused with its first row."""
    if column.dtype != object:
        return column.astype(float, copy=False)
    absent = missing_in(column)
    texts = [i for i in np.flatnonzero(~absent) if isinstance(column[i], str)]
    if texts:
        wrong = [i for i in texts if not _reads_as_number(column[i])] or texts
        raise DataError(
            f"Column {name!r} must hold numbers, as in the training table; row {wrong[0] + 1} "
            f"holds the text {column[wrong[0]]!r} ({len(wrong)} such rows). Correct it, or leave "
            "it empty."
        )
    numbers = column.copy()
    numbers[absent] = np.nan
    return numbers.astype(float)


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_objects(column: NDArray[Any]) -> NDArray[np.object_]:
    """Take a column as objects, numbers as they are."""
    return column if column.dtype == object else column.astype(object)


def _unseen(groups: tuple[tuple[Scalar, ...], ...]) -> str:
    """Invent a text that is no level."""
    known = {str(v) for group in groups for v in group}
    name = "another value"
    while name in known:
        name += "'"
    return name
