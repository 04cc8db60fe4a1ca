"""Check of a rule over every row that is possible, as decision-table tools check tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from rulekit.rules.analysis import row_search
from rulekit.rules.analysis.cases import Mutation, clause_name, mutations
from rulekit.rules.analysis.monotonicity import monotonicity_checks
from rulekit.rules.analysis.row_search import Row, RowSearch, TooLongError, Wanted
from rulekit.rules.condition import ORDERED, Columns, ReadColumns, as_column, number_text
from rulekit.rules.constraints import Constraints
from rulekit.rules.literal import Literal
from rulekit.rules.points_split import scorecard_of
from rulekit.rules.rule_set import RuleSet, rule_of, stack_masks
from rulekit.rules.schema import ColumnSchema, schema_of
from rulekit.rules.simplification import restore_form

MOST_COMBINATIONS = 100_000
MOST_LISTED = 10_000
NUMBERED = 10  # rows listed for a finding
#: What a finished rule should not have; all others are notes.
FAULTS = (
    "masked clause", "subsumed clause", "reducible condition", "reducible level",
    "unreachable outcome", "broken promise",
)  # fmt: skip
NOTES = ("overlap", "gap", "brittle limit")


@dataclass(frozen=True)
class Finding:
    """One finding of `verify_rule`.

    Attributes
    ----------
    kind : str
        "masked clause", "subsumed clause", "reducible condition", "reducible level", "unreachable
        outcome", "broken promise" (faults), "overlap", "gap", or "brittle limit" (notes).
    sentence : str
    clause : int or None
        Position of the clause, from 0; `n_clauses` for the rows that no clause decides.
    example : tuple of dict
        A row that shows it; two rows for a broken promise; empty if what is proved is that there
        is no such row.
    rows : tuple of int
        Positions of the table's rows that it concerns.
    shorter : RuleSet or None
        A rule with the same answers for every row, without the part.
    share : float or None
        Of a gap: its share of the combinations that the clause decides, by the training range of
        numbers and the number of levels.
    new_rows : tuple of int
        Of a gap: positions of the rows of `new` in it, those with unseen levels or gaps included.
    """

    kind: str
    sentence: str
    clause: int | None = None
    example: tuple[Row, ...] = ()
    rows: tuple[int, ...] = ()
    shorter: RuleSet | None = None
    share: float | None = None
    new_rows: tuple[int, ...] = ()

    @property
    def is_fault(self) -> bool:
        """Whether a finished rule should not have it."""
        return self.kind in FAULTS

    def evidence(self, numbers: Sequence[int] | None = None) -> str:
        """Return the rows it concerns by `numbers` (from 1 by default), or the example, as text."""
        if self.rows:
            rows = [row + 1 if numbers is None else numbers[row] for row in self.rows]
            listed = ", ".join(map(str, rows[:NUMBERED]))
            more = f" and {len(rows) - NUMBERED:,} more" * (len(rows) > NUMBERED)
            return f" Rows {listed}{more}."
        examples = [
            ", ".join(f"{name} {'missing' if v is None else f'= {v}'}" for name, v in row.items())
            for row in self.example
        ]
        return f" Example: {' / '.join(examples)}." if examples else ""


@dataclass(frozen=True)
class RuleCheck:
    """What `verify_rule` found.

    Attributes
    ----------
    findings : tuple of Finding
        Faults first.
    not_checked : tuple of str
        What could not be decided.
    """

    findings: tuple[Finding, ...] = ()
    not_checked: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that a finished rule should not have."""
        return tuple(f for f in self.findings if f.is_fault)

    @property
    def verdict(self) -> str:
        """A sentence about a rule without faults; empty if there are any."""
        limited = " in what was checked" if self.not_checked else ""
        return "" if self.faults else f"No fault found{limited}."

    def __str__(self) -> str:
        """Return one line a finding."""
        lines = [f.sentence for f in self.findings] or ["Nothing found."]
        return "\n".join([*lines, *(f"Not checked: {text}." for text in self.not_checked)])


def verify_rule(
    model: Any,
    X: Any = None,
    *,
    new: Any = None,
    constraints: Constraints | Mapping[str, Any] | None = None,
    clause: str = "clause",
) -> RuleCheck:
    """Check a rule over every row that its columns can have, not only the rows of a table.

    Parameters
    ----------
    model : RuleSet or fitted model
    X : table, optional
        The training rows. With them, findings count rows, and gaps and brittle limits are looked
        for.
    new : table, optional
        Other rows, of which those in gaps are counted.
    constraints : Constraints or mapping, default=None
        Directions to check; None for the `constraints` of the model, if it has any.
    clause : str, default="clause"
        What clauses are called in sentences.

    Returns
    -------
    RuleCheck

    Raises
    ------
    RuleError
        If the directions do not fit the rule.
    DataError
        If the table lacks a column that the rule reads.

    Notes
    -----
    The tests of each column divide its values into cells, one for each combination of results, and
    a search with bounds looks for a row among the combinations. It is exact: either a row is found
    (and `predict` confirms it), or there is none. Values beyond the training range, levels that no
    training row had and missing values count as possible. Sums of columns are settled as true or
    false by themselves: that there is no row is then still proved, and rows are drawn; what no
    drawn row shows, searches of more than 20 000 steps, and rules of more than 300 conditions are
    listed in `not_checked`.

    A limit is brittle if training values of its column are nearer to it than half a unit of its
    last decimal place. A column of whole numbers has no such limits.

    Examples
    --------
    >>> from rulekit.rules import Clause
    >>> old, older = Clause((Literal("age", ">", 50),)), Clause((Literal("age", ">", 60),))
    >>> print(verify_rule(RuleSet((old, older), ("ill", "ill"), "dnf", "well")))
    Clause 2 never decides: clause 1 takes all of its cases.
    """
    rule = rule_of(model)
    if rule.n_conditions > RowSearch.MOST_CONDITIONS:
        return RuleCheck((), (f"a rule of more than {RowSearch.MOST_CONDITIONS} conditions",))
    check = _Check(rule, X, clause, new)
    check.run()
    for promise in monotonicity_checks(model, constraints):
        if promise.kept is False and promise.example is not None:
            check.add("broken promise", promise.sentence, example=promise.example)
        elif promise.kept is None:
            check.not_checked.append(promise.sentence.rstrip("."))
    found = sorted(check.findings, key=lambda f: (*FAULTS, *NOTES).index(f.kind))
    return RuleCheck(tuple(found), tuple(dict.fromkeys(check.not_checked)))


class _Check:
    """The findings of one rule; a CNF is looked at as the DNF of its other class."""

    def __init__(self, rule: RuleSet, X: Any, word: str, new: Any) -> None:
        self.rule, self.word = rule, word
        self.dnf, self.schema = rule.as_dnf, schema_of(rule)
        self.columns: Columns | None = None if X is None else rule.read(X)
        self.new: Columns | None = None if new is None else rule.read(new)
        self.findings: list[Finding] = []
        self.not_checked: list[str] = []
        self.search = RowSearch(self.dnf, self.schema)

    def run(self) -> None:
        """Look for everything."""
        without = set()  # clauses that never decide
        for k in range(self.dnf.n_clauses):
            name, decided = self._name(k), row_search.decides(self.dnf, k)
            if self.find_row(f"whether {name} ever decides", decided) is None:
                without.add(k)
                text = f"{name} never decides: {self._why_masked(k)}."
                others = self.dnf.take_clauses(j for j in range(self.dnf.n_clauses) if j != k)
                self.add("masked clause", text, clause=k, shorter=others)
        for label in dict.fromkeys((*self.dnf.classes, *self.schema.classes)):
            wanted, question = row_search.answers(self.dnf, label), f"whether any row gets {label}"
            if label not in self.dnf.classes or self.find_row(question, wanted) is None:
                self.add("unreachable outcome", f"No row gets the answer {label}.")
        self._shorter(without)
        if not scorecard_of(self.dnf):  # the bands of a scorecard overlap by design
            self._overlaps(without)
        if self.columns is None:
            return
        self._gaps(self.columns)
        for test in self.rule.tests:
            column = self.schema.column(test.feature)
            if column is None or column.kind != "number" or test.op not in ORDERED:
                continue
            values = np.asarray(self.columns[test.feature], dtype=float)
            limit = float(test.positions[0])
            decimals = max(-int(Decimal(number_text(limit)).as_tuple().exponent), 0)
            tolerance = 0.5 * 10.0**-decimals
            if len(rows := np.flatnonzero(np.abs(values - limit) <= tolerance)):
                are = "1 row is" if len(rows) == 1 else f"{len(rows):,} rows are"
                text = f"{are} within rounding ({tolerance:g}) of {str(test)!r}."
                self.add("brittle limit", text, rows=tuple(rows.tolist()))

    def _name(self, k: int) -> str:
        return clause_name(self.dnf, k, self.word)

    def add(self, kind: str, sentence: str, **more: Any) -> None:
        """Add a finding; a shorter DNF in the form of the rule."""
        if "shorter" in more:
            more["shorter"] = restore_form(self.rule, more["shorter"])
        self.findings.append(Finding(kind, sentence[0].upper() + sentence[1:], **more))

    def find_row(self, question: str, wanted: Wanted | Mutation) -> Any:
        """Return a row as wanted, or that a mutation changes; None, or False if unknown."""
        try:
            if isinstance(wanted, Mutation):
                return self.search.first_difference(self.dnf, wanted.rule, wanted.clause)
            return self.search.first(wanted)
        except TooLongError:
            self.not_checked.append(question)
            return False

    def _why_masked(self, k: int) -> str:
        name, holds = self._name(k), (self.dnf.clauses[k], True)
        if self.find_row(f"whether {name} can hold", row_search.all_of(holds)) is None:
            return "its conditions contradict one another"
        for j in range(k):
            wanted = row_search.all_of(holds, (self.dnf.clauses[j], False))
            if self.find_row(f"whether {self._name(j)} takes all cases of {name}", wanted) is None:
                return f"{self._name(j)} takes all of its cases"
        return f"earlier {self.word}s take all of its cases"

    def _shorter(self, without: set[int]) -> None:
        """Find parts that can go without a change of any answer."""
        for mutation in mutations(self.dnf, self.schema):
            if not mutation.shorter or mutation.clause in without:
                continue
            what = self._name(mutation.clause or 0)
            if mutation.part != "clause" and (condition := mutation.condition) is not None:
                text = str(condition if self.rule.form == "dnf" else condition.negate())
                place = "the points" if mutation.clause is None else what
                level = f"{mutation.level} in " if mutation.part == "level" else ""
                what = f"{level}{text!r} of {place}"
            if self.find_row(f"whether {what} can go", mutation) is not None:
                continue
            kind = f"reducible {mutation.part}"
            if mutation.part == "clause" and mutation.clause is not None:
                kind = "subsumed clause"
                without.add(mutation.clause)
            text = f"{what} can go: no answer changes."
            self.add(kind, text, clause=mutation.clause, shorter=mutation.rule)

    def _overlaps(self, without: set[int]) -> None:
        """Find pairs of clauses with different outcomes whose order decides."""
        rule = self.dnf
        fired = None if self.columns is None else rule.clauses_fired(self.columns)
        for k, j in combinations(range(rule.n_clauses), 2):
            if rule.labels[k] == rule.labels[j] or {k, j} & without:
                continue
            pair = f"{self.word}s {k + 1} ({rule.labels[k]}) and {j + 1} ({rule.labels[j]})"
            row = self.find_row(f"whether {pair} overlap", row_search.decides(rule, k, j))
            if not row:
                continue
            rows: tuple[int, ...] = ()
            counted = ""
            if fired is not None:
                both = fired[:, k] & fired[:, j] & ~fired[:, :k].any(axis=1)
                rows = tuple(np.flatnonzero(both).tolist())
                counted = f", {len(rows):,} rows of the table among them"
            text = f"{pair} overlap: their order decides some cases{counted}."
            self.add("overlap", text, clause=k, example=(row,), rows=rows)

    def _gaps(self, columns: Columns) -> None:
        """Find combinations of cells that no row of the table has."""
        cells, rule = self.search.cells, self.dnf
        sizes = [len(values) for values in cells.values()]
        if not sizes:
            return
        sums = any(not c.tests for c in rule.conditions)
        if sums or self.search.undivided or np.prod(sizes, dtype=float) > MOST_COMBINATIONS:
            self.not_checked.append("which combinations no row of the table has")
            return
        index = np.indices(sizes).reshape(len(sizes), -1)
        grid = ReadColumns(
            (name, as_column(values)[index[i]]) for i, (name, values) in enumerate(cells.items())
        )
        weights = []  # shares of a column's values that its cells have
        for name, in_column in cells.items():
            tests = self.search.tests[name]
            column = self.schema.column(name) or ColumnSchema(name)
            values, shares = _list_values(tests, in_column, column)
            weights.append(np.zeros(len(in_column)))
            if values:
                np.add.at(weights[-1], _code(tests, in_column, as_column(values)), shares)
        weight = reduce(np.multiply.outer, weights).ravel()
        unseen = np.ones(index.shape[1], dtype=bool)
        unseen[self._combinations(columns)] = False
        new = None if self.new is None else self._combinations(self.new)
        fired = rule.clauses_fired(grid)
        deciding = np.where(fired.any(axis=1), fired.argmax(axis=1), rule.n_clauses)
        for k in range(rule.n_clauses + 1):
            here = (deciding == k) & (weight > 0)
            open_ = here & unseen
            if not open_.any():
                continue
            share = float(weight[open_].sum() / weight[here].sum())
            largest = int(np.where(open_, weight, -1.0).argmax())
            example = {name: cells[name][index[i, largest]] for i, name in enumerate(cells)}
            name = self._name(k) if k < rule.n_clauses else "The default"
            text = (
                f"{name} decides {here.sum():,} combinations of values; no row of the table has "
                f"{open_.sum():,} of them ({100 * share:.0f} % of its space)."
            )
            rows: tuple[int, ...] = ()
            if new is not None:
                rows = tuple(np.flatnonzero((unseen & (deciding == k))[new]).tolist())
                text += f" {len(rows):,} of {len(new):,} new rows have one of these."
            self.add("gap", text, clause=k, example=(example,), share=share, new_rows=rows)

    def _combinations(self, columns: Columns) -> Any:
        """Return the combination of cells that each row has, shape (n,)."""
        cells, tests = self.search.cells, self.search.tests
        codes = tuple(_code(tests[name], cells[name], columns[name]) for name in cells)
        return np.ravel_multi_index(codes, tuple(map(len, cells.values())))


def _code(tests: Sequence[Literal], cells: Sequence[Any], values: Any) -> Any:
    """Return the cell of each value of a column, shape (n,)."""
    name = tests[0].feature
    of_cells, of_values = (stack_masks(tests, {name: v}) for v in (as_column(cells), values))
    place = {tuple(results): k for k, results in enumerate(of_cells.tolist())}
    distinct, inverse = np.unique(of_values, axis=0, return_inverse=True)
    return np.array([place[tuple(r)] for r in distinct.tolist()])[inverse.ravel()]


def _list_values(
    tests: Sequence[Literal], cells: Sequence[Any], column: ColumnSchema
) -> tuple[list[Any], list[float]]:
    """List values of a column with their weights: pieces of its range, or its levels."""
    values = [v for v in cells if v is not None]
    if column.levels:
        values = list(column.levels)
    elif isinstance(column.low, (int, float)) and isinstance(column.high, (int, float)):
        low, high = float(column.low), float(column.high)
        if column.kind == "whole number" and high - low < MOST_LISTED:
            values = [float(v) for v in range(int(low), int(high) + 1)]
        elif low == high:
            values = [low]
        else:
            cuts = {float(v) for t in tests for v in t.positions if isinstance(v, float)}
            ends = sorted({low, high, *(v for v in cuts if low < v < high)})
            middles = [(a / 2 + b / 2, (b - a) / (high - low)) for a, b in pairwise(ends)]
            return [v for v, _ in middles], [w for _, w in middles]
    return values, [1.0 / len(values) for _ in values]
