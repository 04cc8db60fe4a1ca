"""From a training table to the one-level problem over cells: no Boolean matrix, any number of cuts.

The orientation is that of `binary_problem`: a rule of form "dnf" is learned as
an OR over the cells that its conditions leave out, for the rows of the other class.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulekit.binning import BinnedTable, Conditions, complemented, conditions_of
from rulekit.learners.literal.problems.binary_problem import RowsToCover
from rulekit.rules import Columns, Literal
from rulekit.rules.constraints import Constraints
from rulekit.search.columns import CellSets, PricedColumns, priced, row_order

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass
class CellProblem(RowsToCover):
    """The table of one fit as cells, and what its columns mean.

    Shapes: cells (n, d), y (n,), weight (n,), columns (n,), rows (n,), origin (d, 2).
    """

    cells: CellSets
    y: Bools
    weight: Floats
    columns: Columns = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    conditions: tuple[Conditions, ...] = field(repr=False)
    origin: NDArray[np.intp] = field(repr=False)
    flipped: bool = False
    deadline: float | None = None

    def priced(self, theta: float) -> PricedColumns:
        """Price the candidates."""
        return priced(self.cells, self.y, theta, self.weight)

    def work_until(self, deadline: float | None) -> None:
        """Set the deadline."""
        self.deadline = deadline

    def literal(self, j: int) -> Literal:
        """Return the literal of candidate j in the rule."""
        source, i = self.origin[j]
        found: Literal = self.conditions[source].literal(int(i))
        return found

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """All candidates, as literals of the rule."""
        return tuple(self.literal(j) for j in range(len(self.origin)))


def cell_problem(
    bins: BinnedTable,
    columns: Columns,
    described: Bools,
    weight: Floats,
    *,
    form: str,
    constraints: Constraints,
) -> CellProblem:
    """Orient, restrict and sort a table of cells; see `binary_problem` for the arguments."""
    flipped = form == "dnf"
    conditions = tuple(conditions_of(e) for e in bins.encodings)
    source = np.repeat(np.arange(len(conditions)), [len(c) for c in conditions])
    which = np.concatenate([np.arange(len(c)) for c in conditions] or [np.zeros(0, dtype=int)])
    spans, chain, place = _oriented(conditions, flipped)
    y = described ^ flipped
    rows = row_order(bins.codes, y, weight)
    cells = CellSets(np.asfortranarray(bins.codes[rows]), bins.n_codes, source, spans, chain, place)
    origin = np.stack([source, which], axis=1)
    if constraints != Constraints():
        found = [j for j, lit in _literals(conditions) if constraints.allows(lit)]
        allowed = np.array(found, dtype=np.intp)
        cells, origin = cells.take_columns(allowed), origin[allowed]
    return CellProblem(
        cells,
        y[rows],
        weight[rows],
        {name: values[rows] for name, values in columns.items()},
        rows,
        conditions,
        origin,
        flipped,
    )


def _literals(conditions: tuple[Conditions, ...]) -> Iterator[tuple[int, Literal]]:
    return enumerate(c.literal(i) for c in conditions for i in range(len(c)))


def _oriented(
    conditions: tuple[Conditions, ...], flipped: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Join the conditions of all columns: their cells in an OR, their chains and places there."""
    spans, chain, place = [], [], []
    for f, c in enumerate(conditions):
        spans.append(complemented(c.spans, c.column.n_cells) if flipped else c.spans)
        chain.append(np.where(c.side == 0, -1, 4 * f + 2 * (c.side > 0) + c.gaps))
        upwards = (c.side < 0) ^ flipped
        last = c.rank.max(initial=0)
        place.append(np.where(c.side == 0, 0, np.where(upwards, c.rank, last - c.rank)))
    if not spans:
        nothing = np.zeros(0, dtype=np.intp)
        return nothing.reshape(0, 4), nothing, nothing
    return np.concatenate(spans), np.concatenate(chain), np.concatenate(place)
