"""Counts of Boolean columns for the ideal DNF, kept as bits."""

# With medians a numeric column gives one question, whether the value lies above the median; a
# column of two values is Boolean; any other gives one question per level. Missing values are a
# question of their own; the other answers are no for them.

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.binning import BinnedTable
from rulekit.binning.encodings import level_groups
from rulekit.data.folds import draw_rows
from rulekit.families.ideal_dnf.solver.row_types import (
    Contingency,
    Counts,
    ForwardSets,
    contingency,
    pack_bits,
    type_codes,
    type_counts,
    unpack_bits,
    weigh_contingency,
)
from rulekit.rules import Columns, Literal
from rulekit.rules.condition import Scalar

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
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
        no = yes.negate()
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


def _one_of(feature: str, group: tuple[Scalar, ...]) -> Literal:
    value: Any = group[0] if len(group) == 1 else group
    return Literal(feature, "==" if len(group) == 1 else "in", value)


Words = NDArray[np.uint64]
Ranking = Sequence[int]
Factors = tuple[float, float]
FORWARD_ROWS = 10_000  # by which conditions are selected; the formula is counted on all rows


class PackedCounts(ABC):
    """Rows as bits; columns are numbered from 0 to d - 1."""

    _words: Words

    @abstractmethod
    def pairs(self) -> Bools:
        """Return which columns are equivalent to their complement, shape (d,)."""

    @abstractmethod
    def final(self, chosen: Ranking) -> tuple[list[Pair], Counts]:
        """Recompute thresholds on all rows; return the literals and the counts of types."""

    def __init__(self, described: Bools, held_out: Bools, weight: Floats | None = None) -> None:
        self._described, self._held_out, self._weight = described, held_out, weight

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._described)

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
        codes = type_codes(words, len(self._described))
        return type_counts(codes, len(words), self._described, part, self._weight)


class TableCounts(PackedCounts):
    """Counts of a table in memory, its numeric columns cut at their medians."""

    def __init__(self, columns: Columns, *rows: Any) -> None:
        super().__init__(*rows)
        self._columns = columns
        self._levels: dict[str, tuple[NDArray[np.intp], dict[Any, int]]] = {}
        self.questions = [q for name in sorted(columns) for q in self._questions_of(name)]
        self._words = self._cut(range(len(self.questions)), ~self._held_out)[0]

    def pairs(self) -> Bools:
        """Return which columns are equivalent to their complement, shape (d,)."""
        return np.array([bool(q.other) for q in self.questions], dtype=bool)

    def final(self, chosen: Ranking) -> tuple[list[Pair], Counts]:
        """Recompute thresholds on all rows; return the literals and the counts of types."""
        words, cuts = self._cut(chosen, None)
        pairs = [self.questions[j].literals(cut) for j, cut in zip(chosen, cuts, strict=True)]
        return pairs, self._count(words, None)

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
            cut = None
            if question.kind == "cut":
                values = self._columns[question.feature]
                values = values if rows is None else values[rows]
                cut = lower_median(values[~np.isnan(values)])
            words[position] = pack_bits(self._answers(question, cut))
            cuts.append(cut)
        return words, cuts

    def _answers(self, question: Question, cut: float | None) -> Bools:
        """Compute one Boolean column for every row."""
        values = self._columns[question.feature]
        if question.kind == "cut":
            if cut is None:  # no training row has a value here
                return np.zeros(len(values), dtype=bool)
            return np.asarray(values > cut)
        if question.feature in self._levels:
            codes, number = self._levels[question.feature]
            if question.kind == "missing":
                return codes < 0
            return np.isin(codes, [number[level] for level in question.group])
        if question.kind == "missing":
            return np.isnan(values)
        return np.asarray(values == question.group[0])


class MatrixCounts(PackedCounts):
    """Counts of a binarizer's conditions; of two complements one is kept."""

    def __init__(self, matrix: BinnedTable, *rows: Any) -> None:
        super().__init__(*rows)
        literals, words = matrix.literals, []
        self._pairs: list[Pair] = []
        for j, k in enumerate(matrix.complement.tolist()):
            if k < 0 or _leads(literals, j, k):
                self._pairs.append((literals[j], literals[k] if k >= 0 else literals[j].negate()))
                words.append(pack_bits(matrix.values[:, j]))
        shape = len(words), -(-self.n_rows // 64)
        self._words = np.array(words, dtype=np.uint64).reshape(shape)

    def pairs(self) -> Bools:
        """Return which columns are equivalent to their complement: all of them, shape (d,)."""
        return np.ones(len(self._pairs), dtype=bool)

    def final(self, chosen: Ranking) -> tuple[list[Pair], Counts]:
        """Return the literals and the counts of types over all rows."""
        return [self._pairs[j] for j in chosen], self._count(self._words[list(chosen)], None)


def _leads(literals: Sequence[Any], j: int, k: int) -> bool:
    """Return which of two complements is kept: the positive test."""
    order = (">", "==", "in", "missing")
    mine, other = literals[j].op, literals[k].op
    if (mine in order) != (other in order):
        return mine in order
    return j > k
