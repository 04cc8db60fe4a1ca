"""Counts of Boolean columns for the ideal DNF, the selection of conditions, and the formula.

A numeric column gives one question, whether the value lies above the median; a column of two values
is Boolean; any other gives one question per level. Missing values are a question of their own; the
other answers are no for them.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit._validation import class_factors
from rulekit.binning import Binarizer, BinnedTable
from rulekit.binning.encodings import level_groups
from rulekit.exceptions import DataError
from rulekit.families.ideal_dnf.solver.prime_implicants import MinimumForm, minimum_dnf
from rulekit.families.ideal_dnf.solver.row_types import (
    SCORES,
    Contingency,
    Counts,
    ValidationCurve,
    contingency,
    majority,
    packed,
    rankings,
    type_codes,
    type_counts,
    validation_curve,
    weighted_contingency,
)
from rulekit.learners.from_table.rows import TableRows
from rulekit.learners.shares import Patterns, Shares, first_clause
from rulekit.learners.training import TrainingTable
from rulekit.rules import Clause, Columns, Literal, RuleSet
from rulekit.rules.condition import Scalar
from rulekit.rules.simplification import simplify_clause

MAX_LEVELS = 50
Pair = tuple[Literal, Literal]


@dataclass(frozen=True)
class Question:
    """One Boolean column."""

    feature: str
    kind: str
    group: tuple[Scalar, ...] = ()
    other: tuple[Scalar, ...] = ()
    has_missing: bool = False

    def literals(self, cut: float | None) -> Pair:
        """Return the literals for true and false."""
        if self.kind == "missing":
            return Literal(self.feature, "missing"), Literal(self.feature, "not-missing")
        if self.kind == "cut":
            yes = Literal(self.feature, ">", cut)
            return yes, Literal(self.feature, "<=", cut, self.has_missing)
        yes = _one_of(self.feature, self.group)
        if self.other:
            return yes, _one_of(self.feature, self.other)
        no = yes.negated()
        return yes, Literal(self.feature, no.op, no.value, self.has_missing)


def questions_of_levels(
    feature: str, groups: Sequence[tuple[Scalar, ...]], *, has_missing: bool
) -> list[Question]:
    """List the Boolean columns of a column of levels; `groups` are those of `level_groups`."""
    if len(groups) == 0:
        return []
    missing = [Question(feature, "missing")] if has_missing else []
    if len(groups) == 1:
        return missing
    if len(groups) == 2 and not has_missing:
        return [Question(feature, "level", groups[1], groups[0])]
    return [*(Question(feature, "level", tuple(g), (), has_missing) for g in groups), *missing]


def lower_median(values: NDArray[np.float64]) -> float | None:
    """Return the threshold: the lower middle value, or the largest below the maximum."""
    if len(values) == 0:
        return None
    rank = (len(values) - 1) // 2
    middle = np.partition(values, rank)[rank]
    if middle == values.max():
        below = values[values < middle]
        middle = below.max() if len(below) else middle
    return float(middle) + 0.0


def _one_of(feature: str, group: tuple[Scalar, ...]) -> Literal:
    value: Any = group[0] if len(group) == 1 else group
    return Literal(feature, "==" if len(group) == 1 else "in", value)


Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
Ranking = Sequence[int]


class PackedCounts(ABC):
    """Rows as bits; columns are numbered from 0 to d - 1."""

    _words: Words

    @abstractmethod
    def pairs(self) -> Bools:
        """Return which columns are equivalent to their complement, shape (d,)."""

    @abstractmethod
    def final(self, chosen: Ranking) -> tuple[list[Pair], Counts]:
        """Recompute thresholds on all rows; return the literals and the counts of types."""

    def __init__(
        self, described: Bools, held_out: Bools, weight: NDArray[np.float64] | None
    ) -> None:
        self._described, self._held_out, self._weight = described, held_out, weight

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._described)

    def contingency(self) -> Contingency:
        """Count each column against the class, over the training part."""
        training = ~self._held_out
        if self._weight is None:
            return contingency(self._words, packed(self._described), packed(training))
        return weighted_contingency(self._words, self._described, training, self._weight)

    def histograms(self, rankings: Sequence[Ranking]) -> list[Counts]:
        """Count the types of each ranking, by part: shapes (2, 2**k, 2)."""
        cached: dict[tuple[int, ...], Counts] = {}
        for ranking in rankings:
            columns = tuple(int(j) for j in ranking)
            if columns not in cached:
                cached[columns] = self._counted(self._words[list(columns)], self._held_out)
        return [cached[tuple(int(j) for j in ranking)] for ranking in rankings]

    def _counted(self, words: Words, part: Bools | None) -> Counts:
        codes = type_codes(words, len(self._described))
        return type_counts(codes, len(words), self._described, part, self._weight)


class TableCounts(PackedCounts):
    """Counts of a table in memory, its numeric columns cut at their medians."""

    def __init__(
        self,
        columns: Columns,
        described: Bools,
        held_out: Bools,
        weight: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__(described, held_out, weight)
        self._columns = columns
        self._levels: dict[str, tuple[NDArray[np.intp], dict[Any, int]]] = {}
        questions = [q for name in sorted(columns) for q in self._questions_of(name)]
        self.questions: tuple[Question, ...] = tuple(questions)
        self._words = self._cut(range(len(questions)), ~held_out)[0]

    def pairs(self) -> Bools:
        """Return which columns are equivalent to their complement, shape (d,)."""
        return np.array([bool(q.other) for q in self.questions], dtype=bool)

    def final(self, chosen: Ranking) -> tuple[list[Pair], Counts]:
        """Recompute thresholds on all rows; return the literals and the counts of types."""
        words, cuts = self._cut(chosen, None)
        pairs = [self.questions[j].literals(cut) for j, cut in zip(chosen, cuts, strict=True)]
        return pairs, self._counted(words, None)

    def _questions_of(self, name: str) -> list[Question]:
        """List the Boolean columns of one column."""
        values = self._columns[name]
        if values.dtype == object:
            codes, levels = pd.factorize(values)
            sizes = np.bincount(codes[codes >= 0], minlength=len(levels)).tolist()
            counts = dict(zip(levels.tolist(), sizes, strict=True))
            self._levels[name] = codes, {level: k for k, level in enumerate(counts)}
            groups = level_groups(name, counts, MAX_LEVELS)
            return questions_of_levels(name, groups, has_missing=bool((codes < 0).any()))
        absent = np.isnan(values)
        has_missing = bool(absent.any())
        present = values[~absent] if has_missing else values
        if not len(present):
            return []
        low, high = float(present.min()), float(present.max())
        if all(((part == low) | (part == high)).all() for part in (present[:1024], present)):
            ends = [(value + 0.0,) for value in dict.fromkeys((low, high))]
            return questions_of_levels(name, ends, has_missing=has_missing)
        cut = Question(name, "cut", has_missing=has_missing)
        return [cut, Question(name, "missing")] if has_missing else [cut]

    def _cut(
        self, chosen: Sequence[int] | range, rows: Bools | None
    ) -> tuple[Words, list[float | None]]:
        """Compute Boolean columns with the medians of some rows; None for all rows."""
        words = np.zeros((len(chosen), -(-len(self._described) // 64)), dtype=np.uint64)
        cuts: list[float | None] = []
        for position, j in enumerate(chosen):
            question = self.questions[j]
            cut = self._median(question.feature, rows) if question.kind == "cut" else None
            words[position] = packed(self._answers(question, cut))
            cuts.append(cut)
        return words, cuts

    def _median(self, name: str, rows: Bools | None) -> float | None:
        values = self._columns[name] if rows is None else self._columns[name][rows]
        absent = np.isnan(values)
        return lower_median(values[~absent] if absent.any() else values)

    def _answers(self, question: Question, cut: float | None) -> Bools:
        """Compute one Boolean column for every row."""
        values = self._columns[question.feature]
        if question.kind == "cut":
            if cut is None:  # no training row has a value here
                return np.zeros(len(values), dtype=bool)
            above: Bools = values > cut
            return above
        if question.feature in self._levels:
            codes, number = self._levels[question.feature]
            if question.kind == "missing":
                return codes < 0
            return np.isin(codes, [number[level] for level in question.group])
        if question.kind == "missing":
            return np.isnan(values)
        equal: Bools = values == question.group[0]
        return equal


class MatrixCounts(PackedCounts):
    """Counts of a binarizer's conditions; of two complements one is kept."""

    def __init__(
        self,
        matrix: BinnedTable,
        described: Bools,
        held_out: Bools,
        weight: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__(described, held_out, weight)
        pairs = pairs_of(matrix.literals, matrix.complement)
        columns, self._pairs = [j for j, _ in pairs], [pair for _, pair in pairs]
        self._words = np.array([packed(matrix.values[:, j]) for j in columns], dtype=np.uint64)
        self._words = self._words.reshape(len(columns), -(-len(described) // 64))

    def pairs(self) -> Bools:
        """Return which columns are equivalent to their complement: all of them, shape (d,)."""
        return np.ones(len(self._pairs), dtype=bool)

    def final(self, chosen: Ranking) -> tuple[list[Pair], Counts]:
        """Return the literals and the counts of types over all rows."""
        return [self._pairs[j] for j in chosen], self._counted(self._words[list(chosen)], None)


def pairs_of(literals: Sequence[Any], complement: NDArray[np.intp]) -> list[tuple[int, Pair]]:
    """Return one of two complements by its number, and both as a pair."""
    columns_of_pairs = [
        j for j, k in enumerate(complement.tolist()) if k < 0 or _leads(literals, j, k)
    ]
    return [
        (j, (literals[j], literals[k] if (k := int(complement[j])) >= 0 else literals[j].negated()))
        for j in columns_of_pairs
    ]


def _leads(literals: Sequence[Any], j: int, k: int) -> bool:
    """Return which of two complements is kept: the positive test."""
    order = (">", "==", "in", "missing")
    mine, other = literals[j].op, literals[k].op
    if (mine in order) != (other in order):
        return mine in order
    return j > k


def counted_types(rows: TableRows, pairs: Sequence[Pair]) -> tuple[tuple[Pair, ...], Counts]:
    """Count the rows of each type and class in a table: shape (2**k, 2)."""
    conditions = tuple(literal for pair in pairs for literal in pair)
    clauses = (Clause(conditions),) if conditions else ()
    default, positive = rows.classes.tolist()
    kinds = rows.counted(RuleSet(clauses, (positive,) * len(clauses), "dnf", default))
    column = {condition: j for j, condition in enumerate(dict.fromkeys(conditions))}
    code, complete = np.zeros(len(kinds.met), dtype=np.int64), []
    for yes, no in pairs:
        holds = kinds.met[:, column[yes]]
        if not (holds | kinds.met[:, column[no]]).all():
            no = replace(yes.negated(), missing=True)
        complete.append((yes, no))
        code = 2 * code + holds
    counts = np.zeros((2 ** len(pairs), 2), dtype=np.int64)
    np.add.at(counts, code, kinds.counts[0])
    return tuple(complete), counts


MODES = ("paper", "compact")
MINIMISE_SECONDS = 3.0


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

    def minimised(self, mode: str) -> MinimumForm:
        """Write the formula as short as possible; see `IdealDNFClassifier` for the modes."""
        if mode not in self._forms:
            on = majority(self.counts)
            off = self.counts[:, 0] > self.counts[:, 1] if mode == "compact" else ~on
            limit = MINIMISE_SECONDS if self.time_limit is None else self.time_limit
            self._forms[mode] = minimum_dnf(on, off, time_limit=limit)
        return self._forms[mode]

    def rule(self, mode: str) -> RuleSet:
        """Convert the formula to a rule, each term with as few literals per column as possible."""
        clauses = [self._clause(cube.tolist()) for cube in self.minimised(mode).cubes]
        return RuleSet(tuple(clauses), (self.positive,) * len(clauses), "dnf", self.default)

    def _clause(self, cube: list[int]) -> Clause:
        read = zip(self.pairs, cube, strict=True)
        clause = Clause(tuple(pair[1 - answer] for pair, answer in read if answer >= 0))
        # a term holds on a type that occurs, so it cannot be a contradiction
        return simplify_clause(clause) or clause

    def types_of(self, columns: Columns) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return each row's type, and whether every condition is defined for it."""
        n = len(next(iter(columns.values())))
        codes, met = np.zeros(n, dtype=np.int64), np.ones(n, dtype=bool)
        for yes, no in self.pairs:
            holds = yes.mask(columns)
            met &= holds ^ no.mask(columns)
            codes = 2 * codes + holds
        return codes, met

    def seen(self, columns: Columns) -> NDArray[np.bool_]:
        """Return which rows are of a type that occurs, shape (n,)."""
        codes, met = self.types_of(columns)
        occurring: NDArray[np.bool_] = met & (self.counts[codes].sum(axis=1) > 0)
        return occurring

    def shares(self, mode: str) -> Shares:
        """Count each type."""
        form, weighed = self.minimised(mode), np.array(self.factors)
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
        k = len(self.pairs)
        return (types[:, None] >> np.arange(k - 1, -1, -1)) & 1

    def frame(self, mode: str) -> pd.DataFrame:
        """List the types that occur: conditions, rows of each class, prediction."""
        occurring = np.flatnonzero(self.counts.sum(axis=1) > 0)
        answers = self.answers_of(occurring) == 1
        names = [str(yes) for yes, _ in self.pairs]
        counts = (self.counts if self.rows is None else self.rows)[occurring]
        predicted = np.where(self.minimised(mode).holds()[occurring], 0, 1)
        labels = np.array([self.positive, self.default], dtype=object)
        return pd.DataFrame(answers, columns=names).assign(
            rows_positive=counts[:, 1], rows_default=counts[:, 0], answer=labels[predicted]
        )


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
        decides = features[:, : self.rule.n_clauses] == 1
        return (first_clause(decides), features), kind.reshape(-1)


Factors = tuple[float, float]

VALIDATION_FRACTION = 0.3  # of the rows, to select the number of conditions
WORD = 0xFFFFFFFF
MULTIPLIERS = (0x7FEB352D, 0x846CA68B)  # of C. Wellons' search for hashes of low bias
SALT = 0x9E3779B9


@dataclass(frozen=True)
class Search:
    """Validation results of every number of conditions of every ranking."""

    source: PackedCounts
    ranked: tuple[NDArray[np.intp], ...]
    curve: ValidationCurve
    factors: Factors | None = None
    joined: Factors | None = None
    _formulas: dict[Any, IdealFormula] = field(default_factory=dict, repr=False)

    def chosen(self, tolerance: float, max_variables: int) -> tuple[str | None, list[int]]:
        """Select the fewest conditions that suffice, and their ranking."""
        k = self.curve.smallest_sufficient(tolerance, max_variables)
        if k == 0:
            return None, []
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
            seen = None if self.joined is not None else rows
            factors = self.joined or self.factors or (1.0, 1.0)
            self._formulas[key] = IdealFormula(
                tuple(pairs), counts, seen, factors, *labels, **fields
            )
        return self._formulas[key]

    def history(self, max_variables: int, chosen: int) -> list[dict[str, Any]]:
        """Return the curve: a dictionary for each number of conditions."""
        total = max(self.curve.n_held_out, 1)
        rows = []
        for k in range(1, min(max_variables, self.curve.max_columns) + 1):
            best = self.curve.best_ranking(k)
            shares = (self.curve.right[k - 1] / total).tolist()
            each = {f"accuracy_{s}": a for s, a in zip(SCORES, shares, strict=True)}
            errors = float(self.curve.errors[k - 1, best])
            row = {"k": k, "accuracy": shares[best], "score": SCORES[best], **each}
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


def search(
    source: PackedCounts, plan: CountPlan, factors: Factors | None, *, joined: Factors | None = None
) -> Search:
    """Rank the conditions and evaluate each number of them."""
    if plan.positive == 0:
        factors = None if factors is None else (factors[1], factors[0])
        joined = None if joined is None else (joined[1], joined[0])
    counts = source.contingency()
    if factors is not None:
        counts = counts.weighted(*factors)
    # of two complements chi-square prefers the rarer; the other two scores do not care
    rarer = counts.flipped(source.pairs() & (2 * counts.ones > counts.n))
    ranked = rankings(rarer, SCORES, plan.depth)
    tables = source.histograms([ranking.tolist() for ranking in ranked])
    if factors is not None:
        tables = [table * np.array(factors) for table in tables]
    curve = validation_curve(tables)
    return Search(source, ranked, curve, factors, joined)


def search_table(table: TrainingTable, plan: CountPlan) -> Search:
    """Count a table in memory and evaluate each number of conditions."""
    validation = held_out(len(table.codes), VALIDATION_FRACTION, plan.seed)
    given = table.sample_weight
    one_each = bool((given == given[0]).all())
    weight = None if one_each else table.weights(plan.class_weight)
    source = _source(table, plan, validation, weight)
    if weight is not None:
        heavy, plain = (np.bincount(table.codes, w) for w in (weight, table.weights(None)))
        return search(source, plan, None, joined=(heavy[0] / plain[0], heavy[1] / plain[1]))
    ones = int(table.codes.sum())
    sizes = (len(table.codes) - ones, ones)
    return search(source, plan, class_factors(plan.class_weight, table.classes, sizes))


def _source(
    table: TrainingTable,
    plan: CountPlan,
    validation: NDArray[np.bool_],
    weight: NDArray[np.float64] | None,
) -> PackedCounts:
    described = table.codes == plan.positive
    columns = {n: v for n, v in table.columns.items() if n not in plan.forbidden}
    if plan.binarizer is None:
        return TableCounts(columns, described, validation, weight)
    if validation.all():
        raise DataError(
            f"All {len(validation)} rows are held out, so none is left to compute cuts from. Add "
            "rows."
        )
    frame = table.frame.drop(columns=list(plan.forbidden))
    if not columns:
        return TableCounts({}, described, validation, weight)
    binarizer = table.binarizer(plan.binarizer).fit(frame[~validation], table.y[~validation])
    return MatrixCounts(binarizer.transform(frame), described, validation, weight)


def held_out(n_rows: int, fraction: float, seed: int) -> NDArray[np.bool_]:
    """Select a share of the rows by a hash of row number and seed: shape (n_rows,)."""
    rows = np.arange(n_rows, dtype=np.uint64)
    salt = _mixed(np.array([(SALT ^ seed) & WORD], dtype=np.uint64))
    return _mixed(rows ^ salt) < np.uint64(round(fraction * 2**32))


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 32-bit words, each in a 64-bit cell so that products do not overflow."""
    x = x ^ (x >> np.uint64(16))
    x = (x * np.uint64(MULTIPLIERS[0])) & np.uint64(WORD)
    x ^= x >> np.uint64(15)
    x = (x * np.uint64(MULTIPLIERS[1])) & np.uint64(WORD)
    return x ^ (x >> np.uint64(16))
