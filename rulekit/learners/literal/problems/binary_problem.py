"""From a training table to the problem that solvers see: rows and columns in one fixed order.

A rule of form "cnf" for class c is learned directly. A rule of form "dnf" is learned as the
CNF of the other class over complemented columns (De Morgan), so that::

    or_literals[j]   the test of column j of A: the literal that an OR clause of the CNF contains
    literals[j]      the literal in the rule: the same for a CNF, its complement for a DNF

If a column had no gaps in training, both a literal and its complement are false for a gap; they
are complements on the training rows, not everywhere.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning import BinnedTable
from rulekit.rules import ORDERED, Columns, Literal
from rulekit.rules.constraints import Constraints
from rulekit.search.clause_selection import error_cost, hamming_cost
from rulekit.search.columns import PERTURBATION, CellSets, ColumnStructure
from rulekit.search.one_level import CoverProblem

SETS = ("==", "!=", "in", "not-in")
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


class RowsToCover:
    """Rows that OR clauses are to cover, whatever their columns are kept as.

    Shapes: y (n,), weight (n,).
    """

    cells: Any
    y: Bools
    weight: Floats

    @cached_property
    def theta_max(self) -> float:
        """Price from which on the best one-level clause is empty."""
        gain = self.cells.sums(np.where(self.y, self.weight, -self.weight))
        return float(gain.max(initial=0.0))

    @property
    def constant_losses(self) -> tuple[float, float]:
        """Compute the wrong weight of the CNF without clauses, and of one empty clause.

        The first is true everywhere, the second nowhere. For every objective a constant answer
        costs this weight and nothing else.
        """
        return float(self.weight[~self.y].sum()), float(self.weight[self.y].sum())

    @property
    def price_of_a_first_condition(self) -> float:
        """Price below which some single condition is cheaper than the better constant answer.

        One literal saves at most `theta_max` against the empty clause; where the other constant
        answer is the cheaper one, it has to make up for that first.
        """
        none, empty = self.constant_losses
        return max(0.0, self.theta_max - max(0.0, empty - none))

    def objective(
        self, clauses: Sequence[Sequence[Bools]], theta: float, *, counts_errors: bool
    ) -> float:
        """Compute the objective of any clauses on the training table.

        Shapes: clauses (n,).
        """
        columns = [holds for clause in clauses for holds in clause]
        table = np.array(columns, dtype=bool).reshape(len(columns), len(self.y)).T
        chosen = np.zeros((len(clauses), len(columns)), dtype=bool)
        start = 0
        for r, clause in enumerate(clauses):
            chosen[r, start : start + len(clause)] = True
            start += len(clause)
        cost = error_cost if counts_errors else hamming_cost
        return cost(table, self.y, self.weight, chosen, theta)


@dataclass(frozen=True)
class BinaryProblem(RowsToCover):
    """The table of one fit as arrays, and what its columns mean.

    Shapes: y (n,), weight (n,), columns (n,), rows (n,).
    """

    cells: CellSets
    y: Bools
    weight: Floats
    or_literals: tuple[Literal, ...]
    literals: tuple[Literal, ...]
    structure: ColumnStructure
    columns: Columns = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    forbidden: tuple[Literal, ...] = ()
    encodings: tuple[Any, ...] = ()
    memory: dict[bytes, Any] = field(default_factory=dict, repr=False)
    until: list[float | None] = field(default_factory=lambda: [None], repr=False)

    @property
    def A(self) -> Bools:  # noqa: N802
        """The candidates as a Boolean matrix, shape (n, d); built on first access."""
        return self.cells.A

    @property
    def deadline(self) -> float | None:
        """When work ends."""
        return self.until[0]

    @cached_property
    def cover(self) -> CoverProblem:
        """The one-level problems over this table."""
        cover = CoverProblem(
            self.cells,
            self.y,
            self.weight,
            perturbation=perturbations(self.or_literals),
            structure=self.structure,
        )
        cover.deadline = self.deadline
        return cover

    @cached_property
    def positions(self) -> dict[int, Floats]:
        """What each source column with cuts is compared by, NaN where missing: arrays of (n,).

        Numbers, dates as days, levels by their place in an order.
        """
        sources = np.unique(self.structure.feature[self.structure.side != 0]).tolist()
        read = {source: self.encodings[source] for source in sources}
        return {source: e.positions(self.columns[e.name]) for source, e in read.items()}

    @cached_property
    def distinct(self) -> dict[int, Floats]:
        """The distinct positions of each source column with cuts, ascending."""
        return {source: np.unique(v[~np.isnan(v)]) for source, v in self.positions.items()}

    @cached_property
    def ranks(self) -> dict[int, NDArray[np.int64]]:
        """Rank of each row's value among the distinct ones, -1 where missing: arrays of (n,)."""
        return {
            source: np.where(np.isnan(v), -1, np.searchsorted(self.distinct[source], v))
            for source, v in self.positions.items()
        }

    @cached_property
    def barred_cuts(self) -> frozenset[tuple[int, int]]:
        """Cuts that would make a forbidden literal: column j, cut after its k-th value."""
        found = set()
        for barred in self.forbidden:
            for j in np.flatnonzero(self.structure.side).tolist():
                distinct = self.distinct[int(self.structure.feature[j])]
                own = self.literals[j]
                if barred.op in ORDERED and barred == replace(own, value=barred.value):
                    found.add((j, int(np.searchsorted(distinct, barred.edge, side="right")) - 1))
                elif barred.op in SETS and own.op in SETS and own.feature == barred.feature:
                    cuts = range(len(distinct) - 1)
                    found |= {(j, k) for k in cuts if self._cut_anew(j, k) == barred}
        return frozenset(found)

    def clauses(
        self, chosen: Bools, disabled: Bools, moved: Sequence[tuple[int, int]] = ()
    ) -> tuple[tuple[Literal, ...], ...]:
        """Read chosen columns as clauses of the rule; disabled ones are left out.

        Shapes: chosen (R, d + number of moved cuts), disabled (R,).
        """
        literals = (*self.literals, *(self._cut_anew(j, k) for j, k in moved))
        return tuple(
            tuple(literals[j] for j in np.flatnonzero(row))
            for row, off in zip(chosen, disabled, strict=True)
            if not off
        )

    def work_until(self, deadline: float | None) -> None:
        """Set the deadline."""
        self.until[0] = deadline
        if "cover" in self.__dict__:
            self.cover.deadline = deadline

    def _cut_anew(self, j: int, k: int) -> Literal:
        """Write literal j with a cut between the k-th distinct value and the next."""
        source = int(self.structure.feature[j])
        distinct, encoding = self.distinct[source], self.encodings[source]
        low, high = float(distinct[k]), float(distinct[k + 1])
        middle = low + (high - low) / 2
        edge = encoding.edge_between(middle if middle < high else low, low, high)
        side, _ = encoding.place(self.literals[j])
        cut: Literal = encoding.edge_literal(edge, side)
        return replace(cut, missing=self.literals[j].missing)


def binary_problem(
    bins: BinnedTable,
    columns: Columns,
    described: Bools,
    weight: Floats,
    *,
    form: str,
    constraints: Constraints,
) -> BinaryProblem:
    """Orient, restrict and sort a table of cells.

    Shapes: columns (n,), described (n,), weight (n,).
    """
    flipped = form == "dnf"
    or_literals = _complements(bins) if flipped else bins.literals
    free = constraints == Constraints()
    allowed = [j for j, lit in enumerate(bins.literals) if free or constraints.allows(lit)]
    order = sorted(allowed, key=lambda j: or_literals[j].sort_key)
    tables = [column ^ flipped for table in bins.holds for column in table.T]
    source, side, rank = bins.feature[order], bins.side[order], bins.rank[order]
    y = described ^ flipped
    cells, rows = CellSets(bins.codes, source, tuple(tables[j] for j in order)).in_order(y, weight)
    return BinaryProblem(
        cells,
        y[rows],
        weight[rows],
        tuple(or_literals[j] for j in order),
        tuple(bins.literals[j] for j in order),
        ColumnStructure(source, (-side if flipped else side).astype(np.int8), rank),
        {name: values[rows] for name, values in columns.items()},
        rows,
        tuple(item for item in constraints.forbidden if not isinstance(item, str)),
        bins.encodings,
    )


def _complements(bins: BinnedTable) -> tuple[Literal, ...]:
    """Find for each literal the one that holds on the other training rows."""
    return tuple(
        bins.literals[k] if k >= 0 else literal.negated()
        for literal, k in zip(bins.literals, bins.complement.tolist(), strict=True)
    )


def perturbations(literals: Sequence[Literal]) -> Floats:
    """Return a price below 1e-6 for each literal, drawn from its text, shape (d,)."""
    return np.array([_perturbation(literal) for literal in literals], dtype=float)


def _perturbation(literal: Literal) -> float:
    key = literal.sort_key[:4] if literal.is_plain else literal.sort_key
    digest = hashlib.blake2b(repr(key).encode(), digest_size=8).digest()
    return PERTURBATION * (0.5 + 0.5 * int.from_bytes(digest, "big") / 2**64)
