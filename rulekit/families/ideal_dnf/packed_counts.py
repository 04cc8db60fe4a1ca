"""Counts of Boolean columns for the ideal DNF, kept as bits."""

# With medians a numeric column gives one question, whether the value lies above the median; a
# column of two values is Boolean; any other gives one question per level. Missing values are a
# question of their own; the other answers are no for them.

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
from rulekit.rules import Literal
from rulekit.rules.condition import Scalar

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
MAX_LEVELS = 50
Pair = tuple[Literal, Literal]
Words = NDArray[np.uint64]
Ranking = Sequence[int]
Factors = tuple[float, float]
#: Literals for true and false, whether these are of one kind, and the rows that are true.
Question = tuple[Pair, bool, Bools]
FORWARD_ROWS = 10_000  # by which conditions are selected; the formula is counted on all rows


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
    """Ask whether a number lies above the median of some rows; None for all rows."""
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
        present = values[~np.isnan(values)]
        if not len(present):
            return
        low, high = float(present.min()), float(present.max())
        number = {low + 0.0: 0, high + 0.0: 1}
        groups = [(value,) for value in number]
        codes = np.where(np.isnan(values), -1, values == high)
        if not all(((part == low) | (part == high)).all() for part in (present[:1024], present)):
            yield cut_at_median(name, values, training)
            groups = groups[:1]
    gaps = bool((codes < 0).any())
    two = len(groups) == 2 and not gaps  # one question, of either level
    for group in groups[two:] if len(groups) > 1 else ():
        yes = _one_of(name, group)
        no = _one_of(name, groups[0]) if two else replace(yes.negate(), missing=gaps)
        yield (yes, no), two, np.isin(codes, [number[level] for level in group])
    if gaps and groups:
        yield (Literal(name, "missing"), Literal(name, "not-missing")), False, codes < 0


def keep_positive(matrix: BinnedTable) -> Iterator[Question]:
    """List a binarizer's conditions; of two complements one is kept."""
    literals = matrix.literals
    for j, k in enumerate(matrix.complement.tolist()):
        if k < 0 or _leads(literals, j, k):
            no = literals[k] if k >= 0 else literals[j].negate()
            yield (literals[j], no), True, matrix.values[:, j]


def _one_of(feature: str, group: tuple[Scalar, ...]) -> Literal:
    value: Any = group[0] if len(group) == 1 else group
    return Literal(feature, "==" if len(group) == 1 else "in", value)


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
        self._numbers = {} if numbers is None else numbers  # columns cut at their medians
        packed = [(pair, alike, pack_bits(held)) for pair, alike, held in questions]
        self._pairs = [pair for pair, _, _ in packed]
        self.alike = np.array([alike for _, alike, _ in packed], dtype=bool)  # (d,)
        shape = len(packed), -(-len(described) // 64)
        self._words = np.array([words for _, _, words in packed], dtype=np.uint64).reshape(shape)

    def final(self, chosen: Ranking) -> tuple[list[Pair], Counts]:
        """Recompute medians on all rows; return the literals and the counts of types."""
        words, pairs = self._words[list(chosen)], [self._pairs[j] for j in chosen]
        for k, (yes, _) in enumerate(pairs):
            if yes.feature in self._numbers and yes.op == ">":
                pairs[k], _, held = cut_at_median(yes.feature, self._numbers[yes.feature])
                words[k] = pack_bits(held)
        return pairs, self._count(words, None)

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


def _leads(literals: Sequence[Any], j: int, k: int) -> bool:
    """Return which of two complements is kept: the positive test."""
    order = (">", "==", "in", "missing")
    mine, other = literals[j].op, literals[k].op
    if (mine in order) != (other in order):
        return mine in order
    return j > k
