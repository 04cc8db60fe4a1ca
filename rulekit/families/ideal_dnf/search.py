"""Questions of a table for the ideal DNF, the selection of some, and the formula over them."""

# With medians a numeric column gives one question, whether the value lies above the median; a
# column of two values is Boolean; any other gives one question per level. Missing values are a
# question of their own; the other answers are no for them.

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit._validation import class_factors
from rulekit.binning import Binarizer, BinnedTable
from rulekit.binning.encodings import level_groups
from rulekit.data.folds import draw_rows
from rulekit.exceptions import DataError
from rulekit.families.ideal_dnf.solver.prime_implicants import MinimumForm, minimum_dnf
from rulekit.families.ideal_dnf.solver.row_types import (
    SCORES,
    Bools,
    Contingency,
    Counts,
    Floats,
    ForwardSets,
    ValidationCurve,
    contingency,
    list_first,
    majority,
    pack_bits,
    rankings,
    type_codes,
    type_counts,
    unpack_bits,
    validation_curve,
    weigh_contingency,
)
from rulekit.learners.from_table.rows import TableRows
from rulekit.learners.shares import Patterns, Shares, first_clause
from rulekit.learners.training import TrainingTable
from rulekit.rules import Clause, Columns, Literal, RuleSet
from rulekit.rules.condition import Scalar
from rulekit.rules.simplification import simplify_clause

MAX_LEVELS = 50
Pair = tuple[Literal, Literal]
Words = NDArray[np.uint64]
Ranking = Sequence[int]
Factors = tuple[float, float]
#: Literals for true and false, whether either may replace the other, and the rows that are true.
Question = tuple[Pair, bool, Bools]
FORWARD_ROWS = 10_000  # by which conditions are selected; the formula is counted on all rows
SELECTIONS = FORWARD, RANKING = "forward", "ranking"
MODES = ("paper", "compact")
MINIMISE_SECONDS = 3.0
PARTS = 5  # of the rows, each held out in turn, to select the number of conditions
VALIDATION_FRACTION = 0.3  # of the rows, to select the number of conditions
WORD = 0xFFFFFFFF
MULTIPLIERS = (0x7FEB352D, 0x846CA68B)  # of C. Wellons' search for hashes of low bias
SALT = 0x9E3779B9


def lower_median(values: Floats) -> float | None:
    """Return the threshold: the lower middle value, or the largest below the maximum."""
    if len(values) == 0:
        return None
    rank = (len(values) - 1) // 2
    middle = np.partition(values, rank)[rank]
    if middle == values.max():
        below = values[values < middle]
        middle = below.max() if len(below) else middle
    return float(middle) + 0.0


def cut_at_median(name: str, values: Floats, rows: Bools | None = None) -> Question:
    """Build the question whether a number is above the median of some rows; None for all."""
    absent = np.isnan(values)
    used = ~absent if rows is None else rows & ~absent
    cut = lower_median(values[used]) or 0.0  # without a value no training row is true
    pair = Literal(name, ">", cut), Literal(name, "<=", cut, bool(absent.any()))
    return pair, False, np.asarray(values > cut)


def list_questions(name: str, values: NDArray[Any], training: Bools) -> Iterator[Question]:
    """List the questions of one column; medians are those of the training rows."""
    groups: Sequence[tuple[Scalar, ...]]
    if values.dtype == object:
        codes, levels = pd.factorize(values)
        number = {level: k for k, level in enumerate(levels.tolist())}
        sizes = np.bincount(codes[codes >= 0], minlength=len(levels)).tolist()
        groups = level_groups(name, dict(zip(number, sizes, strict=True)), MAX_LEVELS)
    else:
        absent = np.isnan(values)
        present = values[~absent] if absent.any() else values
        if not len(present):
            return
        low, high = float(present.min()), float(present.max())
        number = {low + 0.0: 0, high + 0.0: 1}
        groups = [(value,) for value in number]
        codes = (values == high).astype(np.int8) - absent
        if not all(((part == low) | (part == high)).all() for part in (present[:1024], present)):
            yield cut_at_median(name, values, training)
            groups = groups[:1]
    gaps = bool((codes < 0).any())
    two = len(groups) == 2 and not gaps  # one question, of either level
    several = groups if len(groups) > 1 else ()
    tests = [Literal(name, "in", g) if len(g) > 1 else Literal(name, "==", g[0]) for g in several]
    for group, yes in list(zip(several, tests, strict=True))[two:]:
        no = tests[0] if two else replace(yes.negate(), missing=gaps)
        places = [number[level] for level in group]  # mostly one, for which `isin` is slow
        yield (yes, no), two, np.isin(codes, places) if len(places) > 1 else codes == places[0]
    if gaps and groups:
        yield (Literal(name, "missing"), Literal(name, "not-missing")), False, codes < 0


def keep_positive(matrix: BinnedTable) -> Iterator[Question]:
    """List a binarizer's conditions; of two complements one is kept."""
    literals = matrix.literals
    ranks = [(c.op in (">", "==", "in", "missing"), j) for j, c in enumerate(literals)]
    for j, k in enumerate(matrix.complement.tolist()):
        if k < 0 or ranks[j] > ranks[k]:  # the positive test
            no = literals[k] if k >= 0 else literals[j].negate()
            yield (literals[j], no), True, matrix.values[:, j]


class PackedCounts:
    """Rows as bits; questions are numbered from 0 to d - 1."""

    def __init__(
        self,
        questions: Iterable[Question],
        described: Bools,
        held_out: Bools,
        weight: Floats | None = None,
        numbers: Mapping[str, Floats] | None = None,
    ) -> None:
        self._described, self._held_out, self._weight = described, held_out, weight
        self.n_rows = len(described)
        self._numbers = {} if numbers is None else numbers  # columns cut at their medians
        packed = [(pair, alike, pack_bits(rows)) for pair, alike, rows in questions]
        self._pairs = [pair for pair, _, _ in packed]
        self.alike = np.array([alike for _, alike, _ in packed], dtype=bool)  # (d,)
        shape = len(packed), -(-len(described) // 64)
        self._words = np.array([words for _, _, words in packed], dtype=np.uint64).reshape(shape)

    def final(self, chosen: Ranking) -> tuple[list[Pair], Counts]:
        """Recompute medians on all rows; return the literals and the counts of types."""
        words, pairs = self._words[list(chosen)], [self._pairs[j] for j in chosen]
        for k, (yes, _) in enumerate(pairs):
            if yes.feature in self._numbers and yes.op == ">":
                pairs[k], _, rows = cut_at_median(yes.feature, self._numbers[yes.feature])
                words[k] = pack_bits(rows)
        return pairs, self._count(words, None)

    def contingency(self) -> Contingency:
        """Count each column against the class, over the training part."""
        training = ~self._held_out
        if self._weight is None:
            return contingency(self._words, pack_bits(self._described), pack_bits(training))
        return weigh_contingency(self._words, self._described, training, self._weight)

    def forward(self, factors: Factors | None) -> ForwardSets:
        """Select columns by the rows that are not held out, at most `FORWARD_ROWS`."""
        rows = draw_rows(np.flatnonzero(~self._held_out), self._described, FORWARD_ROWS)
        described = self._described[rows]
        held = [unpack_bits(words, self.n_rows)[rows] for words in self._words]
        weight = None if self._weight is None else self._weight[rows]
        if factors is not None:
            weight = np.array(factors)[described.astype(np.intp)]
        columns = np.array(held, dtype=bool).reshape(len(held), len(rows))
        return ForwardSets(columns, described, weight)

    def histograms(self, rankings: Sequence[Ranking]) -> list[Counts]:
        """Count the types of each ranking, by part: shapes (2, 2**k, 2)."""
        sets = [tuple(map(int, ranking)) for ranking in rankings]
        counted = {s: self._count(self._words[list(s)], self._held_out) for s in {*sets}}
        return [counted[s] for s in sets]

    def _count(self, words: Words, part: Bools | None) -> Counts:
        codes = type_codes(words, self.n_rows)
        return type_counts(codes, len(words), self._described, part, self._weight)


def count_types(rows: TableRows, pairs: Sequence[Pair]) -> tuple[tuple[Pair, ...], Counts]:
    """Count the rows of each type and class in a table: shape (2**k, 2)."""
    conditions = tuple(literal for pair in pairs for literal in pair)
    clauses = (Clause(conditions),) if conditions else ()
    default, positive = rows.classes.tolist()
    kinds = rows.count_kinds(RuleSet(clauses, (positive,) * len(clauses), "dnf", default))
    column = {condition: j for j, condition in enumerate(dict.fromkeys(conditions))}
    code, complete = np.zeros(len(kinds.met), dtype=np.int64), []
    for yes, no in pairs:
        holds = kinds.met[:, column[yes]]
        if not (holds | kinds.met[:, column[no]]).all():
            no = replace(yes.negate(), missing=True)
        complete.append((yes, no))
        code = 2 * code + holds
    counts = np.zeros((2 ** len(pairs), 2), dtype=np.int64)
    np.add.at(counts, code, kinds.counts[0])
    return tuple(complete), counts


@dataclass(frozen=True, eq=False)
class IdealFormula:
    """The best formula over k conditions."""

    pairs: tuple[Pair, ...]
    counts: Counts  # (2**k, 2)
    rows: Counts | None
    factors: tuple[float, float]
    positive: Any
    default: Any
    time_limit: float | None = None
    _forms: dict[str, MinimumForm] = field(default_factory=dict, repr=False)

    def minimise(self, mode: str) -> MinimumForm:
        """Write the formula as short as possible; see `IdealDNFClassifier` for the modes."""
        if mode not in self._forms:
            on = majority(self.counts)
            off = self.counts[:, 0] > self.counts[:, 1] if mode == "compact" else ~on
            limit = MINIMISE_SECONDS if self.time_limit is None else self.time_limit
            self._forms[mode] = minimum_dnf(on, off, time_limit=limit)
        return self._forms[mode]

    def rule(self, mode: str) -> RuleSet:
        """Convert the formula to a rule, each term with as few literals per column as possible."""
        clauses = []
        for cube in self.minimise(mode).cubes.tolist():
            read = zip(self.pairs, cube, strict=True)
            clause = Clause(tuple(pair[1 - answer] for pair, answer in read if answer >= 0))
            # a term holds on a type that occurs, so it cannot be a contradiction
            clauses.append(simplify_clause(clause) or clause)
        return RuleSet(tuple(clauses), (self.positive,) * len(clauses), "dnf", self.default)

    def types_of(self, columns: Columns) -> tuple[NDArray[np.int64], Bools]:
        """Return each row's type, and whether every condition is defined for it."""
        n = len(next(iter(columns.values())))
        codes, met = np.zeros(n, dtype=np.int64), np.ones(n, dtype=bool)
        for yes, no in self.pairs:
            holds = yes.mask(columns)
            met &= holds ^ no.mask(columns)
            codes = 2 * codes + holds
        return codes, met

    def shares(self, mode: str) -> Shares:
        """Count each type."""
        form, weighed = self.minimise(mode), np.array(self.factors)
        types = np.flatnonzero(self.counts.sum(axis=1) > 0)
        held = [MinimumForm(cube[None, :], 0, 0).holds()[types] for cube in form.cubes]
        fired = np.array(held, dtype=bool).reshape(len(held), len(types)).T
        counts = (self.counts / weighed if self.rows is None else self.rows)[types]
        features = np.column_stack([fired, self.answers_of(types), np.ones(len(types))])
        share = [1, 0] if self.positive < self.default else [0, 1]  # in the order of the classes
        likeness = TypeLikeness(self, self.rule(mode))
        return Shares(likeness, features.astype(np.int64), counts[:, share], weighed[share])

    def answers_of(self, types: Counts) -> NDArray[np.int64]:
        """Return the answers to the conditions of types, 0 or 1, shape (types, k)."""
        return (types[:, None] >> np.arange(len(self.pairs) - 1, -1, -1)) & 1


@dataclass(frozen=True, eq=False)
class TypeLikeness:
    """Groups rows by their type and the clause that decides them."""

    formula: IdealFormula
    rule: RuleSet

    def kinds(self, columns: Columns) -> tuple[Patterns, NDArray[np.intp]]:
        """Sort rows into kinds, as `Likeness.kinds` does; rows of no type are a kind apart."""
        codes, met = self.formula.types_of(columns)
        fired = self.rule.clauses_fired(columns)
        both = np.column_stack([fired, self.formula.answers_of(codes), met]).astype(np.int64)
        features, kind = np.unique(both, axis=0, return_inverse=True)
        return (first_clause(features[:, : self.rule.n_clauses] == 1), features), kind.reshape(-1)


@dataclass(frozen=True)
class Search:
    """Validation results of every number of conditions of every ranking."""

    source: PackedCounts
    ranked: tuple[NDArray[np.intp], ...]
    curve: ValidationCurve
    factors: Factors | None = None
    joined: Factors | None = None
    forward: ForwardSets | None = None
    _formulas: dict[Any, IdealFormula] = field(default_factory=dict, repr=False)

    def select_conditions(
        self, tolerance: float, max_variables: int
    ) -> tuple[str | None, list[int]]:
        """Select the fewest conditions that suffice, and their ranking."""
        k = self.curve.smallest_sufficient(tolerance, max_variables)
        if k == 0:
            return None, []
        if self.forward is not None:
            sets = self.forward.list_sets(k)
            return (FORWARD, list(sets[-1])) if sets else (None, [])
        best = self.curve.best_ranking(k)
        return SCORES[best], self.ranked[best][:k].tolist()

    def formula(
        self, chosen: Sequence[int], labels: tuple[Any, Any], **fields: Any
    ) -> IdealFormula:
        """Count the chosen conditions on all rows; `labels`: the class described and the other."""
        key = (tuple(chosen), tuple(sorted(fields.items())))
        if key not in self._formulas:
            pairs, rows = self.source.final(chosen)
            counts = rows if self.factors is None else rows * np.array(self.factors)
            factors = self.joined or self.factors or (1.0, 1.0)
            parts = tuple(pairs), counts, rows if self.joined is None else None, factors
            self._formulas[key] = IdealFormula(*parts, *labels, **fields)
        return self._formulas[key]

    def history(self, max_variables: int, chosen: int) -> list[dict[str, Any]]:
        """Return the curve: a dictionary for each number of conditions."""
        total = max(self.curve.n_held_out, 1)
        names, rows = SCORES if self.forward is None else (FORWARD,), []
        for k in range(1, min(max_variables, self.curve.max_columns) + 1):
            best = self.curve.best_ranking(k)
            shares = (self.curve.right[k - 1] / total).tolist()
            each = {f"accuracy_{s}": a for s, a in zip(names, shares, strict=True)}
            errors = float(self.curve.errors[k - 1, best])
            row = {"k": k, "accuracy": shares[best], "score": names[best], **each}
            rows.append(row | {"training_errors": errors, "chosen": k == chosen})
        return rows


@dataclass(frozen=True)
class CountPlan:
    """How a table is counted: see `IdealDNFClassifier` for the parameters."""

    positive: int
    depth: int
    seed: int
    class_weight: Any = None
    binarizer: Binarizer | None = None
    forbidden: tuple[str, ...] = ()
    selection: str = FORWARD


def search_table(table: TrainingTable, plan: CountPlan) -> Search:
    """Count a table in memory and evaluate each number of conditions."""
    n = len(table.codes)
    given = table.sample_weight
    weight = None if (given == given[0]).all() else table.weights(plan.class_weight)
    factors, joined = None, None
    if weight is not None:
        heavy, plain = (np.bincount(table.codes, w) for w in (weight, table.weights(None)))
        joined = (heavy[0] / plain[0], heavy[1] / plain[1])
    else:
        ones = int(table.codes.sum())
        factors = class_factors(plan.class_weight, table.classes, (n - ones, ones))
    if not plan.positive:  # the class described comes last
        factors, joined = (pair and (pair[1], pair[0]) for pair in (factors, joined))
    weighed = np.array(factors or (1, 1))
    if plan.selection == RANKING:
        source = _count_rows(table, plan, draw_held_out(n, VALIDATION_FRACTION, plan.seed), weight)
        columns = source.contingency()
        if factors is not None:
            columns = columns.weight(*factors)
        # of two complements chi-square prefers the rarer; the other two scores do not care
        ranked = rankings(columns.flip(source.alike & (2 * columns.ones > columns.n)), plan.depth)
        counted = source.histograms([ranking.tolist() for ranking in ranked])
        curve = validation_curve([[list_first(counts * weighed)] for counts in counted])
        return Search(source, ranked, curve, factors, joined)
    part_of, tables = parts_of(n, plan.seed), []
    for k in range(PARTS):  # each is held out in turn
        part = _count_rows(table, plan, part_of == k, weight)
        sets = part.forward(factors).list_sets(plan.depth)
        tables.append([counts * weighed for counts in part.histograms([(), *sets])])
    source = _count_rows(table, plan, np.zeros(n, dtype=bool), weight)
    return Search(source, (), validation_curve([tables]), factors, joined, source.forward(factors))


def _count_rows(
    table: TrainingTable, plan: CountPlan, validation: Bools, weight: Any
) -> PackedCounts:
    rows = table.codes == plan.positive, validation, weight
    columns = {n: v for n, v in table.columns.items() if n not in plan.forbidden}
    if plan.binarizer is None and plan.selection == RANKING:
        pairs = sorted(columns.items())
        questions = (q for column in pairs for q in list_questions(*column, ~validation))
        return PackedCounts(questions, *rows, columns)
    if validation.all():
        n = len(validation)
        raise DataError(
            f"All {n} rows are held out, so none is left to compute cuts from. Add rows."
        )
    if not columns:
        return PackedCounts((), *rows)
    frame = table.frame[sorted(columns)]
    binarizer = table.binarizer(plan.binarizer or Binarizer())
    binarizer.fit(frame[~validation], table.y[~validation])
    return PackedCounts(keep_positive(binarizer.transform(frame)), *rows)


def draw_held_out(n_rows: int, fraction: float, seed: int) -> Bools:
    """Select a share of the rows by a hash of row number and seed: shape (n_rows,)."""
    return _hash_rows(n_rows, seed) < np.uint64(round(fraction * 2**32))


def _hash_rows(n_rows: int, seed: int) -> NDArray[np.uint64]:
    """Compute the hash of each row's number and the seed, 32 bits: shape (n_rows,)."""
    salt = _mix_bits(np.array([(SALT ^ seed) & WORD], dtype=np.uint64))
    return _mix_bits(np.arange(n_rows, dtype=np.uint64) ^ salt)


def parts_of(n_rows: int, seed: int) -> NDArray[np.intp]:
    """Sort the rows into `PARTS` parts of equal size by the same hash: shape (n_rows,)."""
    order = np.argsort(_hash_rows(n_rows, seed), kind="stable")
    part = np.empty(n_rows, dtype=np.intp)
    part[order] = np.arange(n_rows) % PARTS
    return part


def _mix_bits(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 32-bit words, each in a 64-bit cell so that products do not overflow."""
    x = x ^ (x >> np.uint64(16))
    x = (x * np.uint64(MULTIPLIERS[0])) & np.uint64(WORD)
    x ^= x >> np.uint64(15)
    x = (x * np.uint64(MULTIPLIERS[1])) & np.uint64(WORD)
    return x ^ (x >> np.uint64(16))
