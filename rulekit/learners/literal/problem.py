"""From a training table to the problem that solvers see: rows and columns in one fixed order.

Conditions and labels are those of the rule, whatever its form; `BinnedTable.as_cnf` and `as_dnf`
give a solver the normal form that it states its problem for. Columns are sorted, and linear
programs perturbed, by the literals of the CNF (`cnf_literals`): for a DNF these are the
complements. If a column had no gaps in training, both a literal and its complement are false for a
gap; they are complements on the training rows, not everywhere.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning import BinnedTable
from rulekit.binning.binned_table import joined, row_order
from rulekit.rules import Columns, Literal
from rulekit.rules.constraints import Constraints
from rulekit.rules.scales import ORDERED
from rulekit.search.columns.clause_selection import MovableCuts, error_cost, hamming_cost
from rulekit.search.columns.rounding import PERTURBATION
from rulekit.search.one_level.problem import CoverProblem

SETS = ("==", "!=", "in", "not-in")
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LearningProblem:
    """The table of one fit, the form of its rule, and the raw columns of the same rows.

    Shapes: columns (n,), rows (n,).
    """

    table: BinnedTable
    form: str
    cnf_literals: tuple[Literal, ...]
    columns: Columns = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    forbidden: tuple[Literal, ...] = ()
    memory: dict[bytes, Any] = field(default_factory=dict, repr=False)
    until: list[float | None] = field(default_factory=lambda: [None], repr=False)

    @cached_property
    def theta_max(self) -> float:
        """Price from which on the best one-level clause is empty."""
        table = self.table.as_cnf(self.form)
        gain = table.sums(np.where(table.y, table.weight, -table.weight))
        return float(gain.max(initial=0.0))

    @property
    def constant_losses(self) -> tuple[float, float]:
        """Compute the wrong weight of the rule without clauses, and of one empty clause.

        A DNF without clauses holds nowhere, a CNF everywhere. For every objective a constant answer
        costs this weight and nothing else.
        """
        table = self.table.as_dnf(self.form)
        return float(table.weight[table.y].sum()), float(table.weight[~table.y].sum())

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
        """Compute the objective of any clauses, given by where their conditions hold.

        Shapes: clauses (n,).
        """
        columns = [holds for clause in clauses for holds in clause]
        y = self.table.as_cnf(self.form).y
        A = np.array(columns, dtype=bool).reshape(len(columns), len(y)).T ^ (self.form == "dnf")
        chosen = np.zeros((len(clauses), len(columns)), dtype=bool)
        start = 0
        for r, clause in enumerate(clauses):
            chosen[r, start : start + len(clause)] = True
            start += len(clause)
        cost = error_cost if counts_errors else hamming_cost
        return cost(A, y, self.table.weight, chosen, theta)

    @property
    def deadline(self) -> float | None:
        """When work ends."""
        return self.until[0]

    @cached_property
    def cover(self) -> CoverProblem:
        """The one-level problems over this table."""
        perturbation = perturbations(self.cnf_literals)
        cover = CoverProblem(self.table, perturbation=perturbation, form=self.form)
        cover.deadline = self.deadline
        return cover

    @cached_property
    def cuts(self) -> MovableCuts:
        """Where cuts may be moved: to any value of the training table."""
        ranks = {
            source: np.where(np.isnan(values), -1, np.searchsorted(self.distinct[source], values))
            for source, values in self._positions.items()
        }
        return MovableCuts(ranks, self._barred_cuts)

    @cached_property
    def _positions(self) -> dict[int, Floats]:
        """What each source with cuts is compared by (see `positions`), arrays of shape (n,)."""
        sources = np.unique(self.table.feature[self.table.side != 0]).tolist()
        read = {source: self.table.encodings[source] for source in sources}
        return {source: e.positions(self.columns[e.name]) for source, e in read.items()}

    @cached_property
    def distinct(self) -> dict[int, Floats]:
        """The distinct positions of each source with cuts, ascending."""
        return {source: np.unique(v[~np.isnan(v)]) for source, v in self._positions.items()}

    @property
    def _barred_cuts(self) -> frozenset[tuple[int, int]]:
        """Cuts that would make a forbidden literal: column j, cut after its k-th value."""
        cuts_barred = set()
        for barred in self.forbidden:
            for j in np.flatnonzero(self.table.side).tolist():
                distinct = self.distinct[int(self.table.feature[j])]
                literal = self.table.literals[j]
                if barred.op in ORDERED and barred == replace(literal, value=barred.value):
                    cuts_barred.add(
                        (j, int(np.searchsorted(distinct, barred.edge, side="right")) - 1)
                    )
                elif barred.op in SETS and literal.op in SETS and literal.feature == barred.feature:
                    cuts = range(len(distinct) - 1)
                    cuts_barred |= {(j, k) for k in cuts if self._cut_anew(j, k) == barred}
        return frozenset(cuts_barred)

    def clauses(
        self, chosen: Bools, disabled: Bools, moved: Sequence[tuple[int, int]] = ()
    ) -> tuple[tuple[Literal, ...], ...]:
        """Read chosen columns as clauses of the rule; disabled ones are left out.

        Shapes: chosen (R, d + number of moved cuts), disabled (R,).
        """
        literals = (*self.table.literals, *(self._cut_anew(j, k) for j, k in moved))
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
        source = int(self.table.feature[j])
        distinct, encoding = self.distinct[source], self.table.encodings[source]
        low, high = float(distinct[k]), float(distinct[k + 1])
        middle = low + (high - low) / 2
        edge = encoding.edge_between(middle if middle < high else low, low, high)
        literal = self.table.literals[j]
        cut: Literal = encoding.edge_literal(edge, encoding.place(literal)[0])
        return replace(cut, missing=literal.missing)


def learning_problem(
    table: BinnedTable,
    columns: Columns,
    *,
    form: str,
    constraints: Constraints,
    by_cells: bool = False,
) -> LearningProblem:
    """Restrict and sort a labelled table; `by_cells` for any number of cuts, without their texts.

    Shapes: columns (n,).
    """
    make = _by_cells if by_cells else _by_literals
    table, rows, cnf_literals = make(table, form, constraints)
    return LearningProblem(
        table,
        form,
        cnf_literals,
        {name: values[rows] for name, values in columns.items()},
        rows,
        tuple(item for item in constraints.forbidden if not isinstance(item, str)),
    )


Restricted = tuple[BinnedTable, NDArray[np.intp], tuple[Literal, ...]]


def _by_literals(bins: BinnedTable, form: str, constraints: Constraints) -> Restricted:
    """Sort conditions by the literals of the CNF, rows by what they hold for."""
    cnf_literals = _complements(bins) if form == "dnf" else bins.literals
    free = constraints == Constraints()
    allowed = [j for j, lit in enumerate(bins.literals) if free or constraints.allows(lit)]
    order = np.array(sorted(allowed, key=lambda j: cnf_literals[j].sort_key), dtype=np.intp)
    table, rows = bins.take_columns(order).in_order(form)
    return table, rows, tuple(cnf_literals[j] for j in order)


def _by_cells(bins: BinnedTable, form: str, constraints: Constraints) -> Restricted:
    """Keep conditions in the order of their features and cuts, and sort rows by bins."""
    conditions = joined([e.conditions() for e in bins.encodings])
    if constraints != Constraints():
        written = enumerate(conditions.literals)
        allowed = [j for j, literal in written if constraints.allows(literal)]
        conditions = conditions.take(np.array(allowed, dtype=np.intp))
    table = replace(bins, given=conditions)
    rows = row_order(table.codes, table.as_cnf(form).y, table.weight)
    return table[rows], rows, ()


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
