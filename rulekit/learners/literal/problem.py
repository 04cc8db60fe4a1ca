"""From a training table to the problem that solvers see: rows and columns in one fixed order.

Conditions and labels are those of the rule, whatever its form; `BinnedTable.as_cnf` and `as_dnf`
give a solver the normal form that it states its problem for. Columns are sorted, and linear
programs perturbed, by the literals of the CNF (`cnf_literals`): for a DNF these are the
complements. If a column had no gaps in training, both a literal and its complement are false for a
gap; they are complements on the training rows, not everywhere.

A learner's table, binned for the search over boxes, which describes rows by a DNF: each end of a
box is a condition of the table.
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
from rulekit.rules.scales import GAPS, ORDERED
from rulekit.search.box_search.problem import BoxPrices, BoxProblem, End
from rulekit.search.columns.clause_selection import MovableCuts, error_cost, hamming_cost
from rulekit.search.columns.rounding import PERTURBATION
from rulekit.search.one_level.problem import CoverProblem

Found = list[tuple[Literal, int]]
Kinds = tuple[dict[int, Found], Found, Found]
MEMBER = ("==", "in", "contains")
SETS = ("==", "!=", "in", "not-in")
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BinaryProblem:
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
        table, perturbation = self.table.as_cnf(self.form), perturbations(self.cnf_literals)
        cover = CoverProblem(table, table.y, table.weight, perturbation=perturbation)
        cover.deadline = self.deadline
        return cover

    @cached_property
    def cuts(self) -> MovableCuts:
        """Where cuts may be moved: to any value of the training table."""
        ranks = {
            source: np.where(np.isnan(values), -1, np.searchsorted(self.distinct[source], values))
            for source, values in self._positions.items()
        }
        side = self.table.as_cnf(self.form).side
        return MovableCuts(self.table.feature, side, ranks, self._barred_cuts)

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


def binary_problem(
    bins: BinnedTable,
    columns: Columns,
    described: Bools,
    weight: Floats,
    *,
    form: str,
    constraints: Constraints,
) -> BinaryProblem:
    """Label, restrict and sort a table of cells.

    Shapes: columns (n,), described (n,), weight (n,).
    """
    cnf_literals = _complements(bins) if form == "dnf" else bins.literals
    free = constraints == Constraints()
    allowed = [j for j, lit in enumerate(bins.literals) if free or constraints.allows(lit)]
    order = np.array(sorted(allowed, key=lambda j: cnf_literals[j].sort_key), dtype=np.intp)
    table, rows = bins.take_columns(order).labelled(described, weight).in_order(form)
    return BinaryProblem(
        table,
        form,
        tuple(cnf_literals[j] for j in order),
        {name: values[rows] for name, values in columns.items()},
        rows,
        tuple(item for item in constraints.forbidden if not isinstance(item, str)),
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


class _Builder:
    """Collects features, each of which reads the cells of one encoding, and their ends' columns."""

    def __init__(self, table: BinnedTable) -> None:
        self.table = table
        self.bins: list[tuple[int, NDArray[np.integer]]] = []  # encoding read, bin of each cell
        self.n_bins: list[int] = []
        self.column_of: dict[End, int] = {}
        self._lacking: dict[int, bool] = {}

    def add_cuts(self, source: int, conditions: Found) -> None:
        """Add a column of positions, with the cuts of its literals."""
        encoding, table = self.table.encodings[source], self.table
        rank_of = table.rank[[j for _, j in conditions]]
        ranks = np.unique(rank_of)  # a cell lies above the cuts of smaller ranks than its own
        bins = np.searchsorted(ranks, np.arange(encoding.n_cells))
        n_present = encoding.n_cells - 1 if encoding.cuts is not None else len(encoding.groups)
        bins[n_present:] = len(ranks) + 1
        f = self._add(source, bins, len(ranks) + 1)
        for (literal, j), k in zip(
            conditions, np.searchsorted(ranks, rank_of).tolist(), strict=True
        ):
            accepts = literal.missing and self.lacks(source)
            above = table.side[j] > 0
            self.column_of[(f, "low", k + 1, accepts) if above else (f, "high", k, accepts)] = j

    def add_levels(self, conditions: Found) -> None:
        """Add, for each level or word that literals name, a feature of two bins: others, this."""
        keys = {(lit.scale, lit.value): (lit, j) for lit, j in conditions}
        values = [keys[k] for k in sorted(keys, key=repr)]
        inside = [self._level(*value) for value in values]
        one_kind = len({lit.op in MEMBER for lit, _ in conditions}) == 1
        # of two levels, "this one" says the same as "not the other one"
        pair = one_kind and len(values) == 2 and self._opposed(*inside)
        ends: dict[Any, Found] = {}
        for literal, j in conditions:
            ends.setdefault((literal.scale, literal.value), []).append((literal, j))
        for (value, _), read in list(zip(values, inside, strict=True))[: 1 if pair else None]:
            f = self._add(*read, 2)
            key = (value.scale, value.value)
            for literal, j in conditions if pair else ends[key]:
                same = (literal.scale, literal.value) == key
                accepts = literal.missing and self.lacks(self.bins[f][0])
                if (literal.op in MEMBER) == same:
                    self.column_of[f, "low", 1, accepts] = j
                else:
                    self.column_of[f, "high", 0, accepts] = j

    def add_tests(self, conditions: Found) -> None:
        """Add the tests of missingness of a column as a feature of one bin."""
        source = int(self.table.feature[conditions[0][1]])
        if not self.lacks(source):
            return
        last = self.table.encodings[source].n_cells - 1
        f = self._add(source, (np.arange(last + 1) == last).astype(np.int64), 1)
        for literal, j in conditions:
            only_missing = literal.op == "missing"
            self.column_of[f, "test", int(only_missing), only_missing] = j

    def lacks(self, source: int) -> bool:
        """Whether some row has no value that an encoding reads."""
        if source not in self._lacking:
            last = self.table.encodings[source].n_cells - 1
            self._lacking[source] = bool((self.table.codes[:, source] == last).any())
        return self._lacking[source]

    def _level(self, literal: Literal, j: int) -> tuple[int, NDArray[np.integer]]:
        """Return for each bin whether it holds a literal's level; the last one has no value."""
        source = int(self.table.feature[j])
        held = _level_test(literal).mask_of(self.table.encodings[source].representatives())
        bins = held.astype(np.int64)
        bins[-1] = 2
        return source, bins

    def _opposed(self, one: Any, other: Any) -> bool:
        """Whether each row that has a value is of exactly one of two levels."""
        codes = self.table.codes
        a, b = (bins[codes[:, source]] for source, bins in (one, other))
        return bool(((a == 2) | (a != b)).all())

    def _add(self, source: int, bins: NDArray[np.integer], n_bins: int) -> int:
        self.bins.append((source, bins))
        self.n_bins.append(n_bins)
        return len(self.n_bins) - 1


def box_table(
    problem: BinaryProblem, prices: BoxPrices, classes: NDArray[np.intp] | None = None
) -> BoxProblem:
    """Bin a learner's table for the box search; `classes` of shape (n,) for rule lists."""
    table = problem.table.as_dnf(problem.form)
    builder = _Builder(table)
    for cuts, levels, tests in _by_column(problem).values():
        for source, ends in cuts.items():
            builder.add_cuts(source, ends)
        if levels:
            builder.add_levels(levels)
        if tests:
            builder.add_tests(tests)
    n_bins = np.array(builder.n_bins, dtype=np.int64)
    lows, highs = (_allowed(builder, n_bins, kind) for kind in ("low", "high"))
    # the search knows both tests of missingness of a column or none
    tests_of = np.array([_has_both_tests(builder, f) for f in range(len(n_bins))], dtype=bool)
    cells, column, bins, n_cells = _merged_cells(table.codes, builder.bins)
    return BoxProblem(
        cells,
        n_bins,
        table.y if classes is None else classes,
        table.weight,
        prices,
        lows,
        highs,
        tests_of,
        column,
        bins,
        n_cells,
        builder.column_of,
        len(table.feature),
    )


def _merged_cells(
    codes: NDArray[np.unsignedinteger],
    features: list[tuple[int, NDArray[np.integer]]],
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Merge cells that all features treat alike; see `BoxProblem` for what is returned."""
    read: dict[int, list[int]] = {}
    for f, (source, _) in enumerate(features):
        read.setdefault(source, []).append(f)
    merged = []
    for source, own in read.items():
        bins, joined = np.unique([features[f][1] for f in own], axis=1, return_inverse=True)
        merged.append((own, bins, joined.reshape(-1)[codes[:, source]]))
    n_cells = np.array([bins.shape[1] for _, bins, _ in merged], dtype=np.int64)
    most = int(n_cells.max(initial=1))
    table = np.zeros((len(features), most), np.int64)
    column = np.zeros(len(features), np.int64)
    cells = np.zeros((len(codes), len(merged)), np.min_scalar_type(most))
    for c, (own, bins, rows) in enumerate(merged):
        table[own, : bins.shape[1]], column[own], cells[:, c] = bins, c, rows
    return cells, column, table, n_cells


def _has_both_tests(builder: _Builder, f: int) -> bool:
    return all((f, "test", k, k == 1) in builder.column_of for k in (0, 1))


def _allowed(builder: _Builder, n_bins: NDArray[np.int64], kind: str) -> Bools:
    """Return at which bins an interval may begin or end: where all its literals exist."""
    allowed = np.zeros((len(n_bins), int(n_bins.max(initial=1))), bool)
    columns = builder.column_of
    for f, bins in enumerate(n_bins.tolist()):
        both = builder.lacks(builder.bins[f][0])
        for k in range(bins):
            there = (f, kind, k, False) in columns
            allowed[f, k] = there and (not both or (f, kind, k, True) in columns)
    return allowed


def _level_test(literal: Literal) -> Literal:
    """Return the test whether a value is the level, or among the levels, of a literal."""
    return replace(literal if literal.op in MEMBER else literal.negated(), missing=False)


def _by_column(problem: BinaryProblem) -> dict[str, Kinds]:
    """Group the literals of the DNF by column: cuts of each source, levels, missingness tests."""
    parts: dict[str, Kinds] = {}
    table = problem.table
    for j, condition in enumerate(table.literals):
        literal = condition if problem.form == "dnf" else condition.negated()
        kinds = parts.setdefault(literal.feature, ({}, [], []))
        if literal.op in GAPS:
            kinds[2].append((literal, j))
        elif table.side[j]:
            kinds[0].setdefault(int(table.feature[j]), []).append((literal, j))
        else:
            kinds[1].append((literal, j))
    return parts


def cell_problem(
    bins: BinnedTable,
    columns: Columns,
    described: Bools,
    weight: Floats,
    *,
    form: str,
    constraints: Constraints,
) -> BinaryProblem:
    """Build the problem for any number of cuts: as `binary_problem`, without a literal for each."""
    conditions = joined([e.conditions() for e in bins.encodings])
    if constraints != Constraints():
        written = enumerate(conditions.literals)
        allowed = [j for j, literal in written if constraints.allows(literal)]
        conditions = conditions.take(np.array(allowed, dtype=np.intp))
    rows = row_order(bins.codes, described ^ (form == "dnf"), weight)
    table = replace(bins, given=conditions).labelled(described, weight)[rows]
    return BinaryProblem(
        table, form, (), {name: values[rows] for name, values in columns.items()}, rows
    )
