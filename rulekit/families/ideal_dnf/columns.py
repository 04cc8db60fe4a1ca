"""Boolean columns of a table for the ideal DNF, and their literals.

A numeric column gives one question, whether the value lies above the median. A column of two
values is Boolean already. Any other column gives one question per level. Missing values are a
question of their own; every other question is answered no for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning.encodings import level_groups
from rulekit.rules import Literal
from rulekit.rules.condition import Scalar

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
        """Return the literals for true and false.

        Where training rows lacked values, each value and each gap meets exactly one of the two.
        Where they did not, a gap meets neither: it is a case that was never seen.
        """
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


def questions_of_numbers(
    feature: str, values: Sequence[float], *, two_valued: bool, has_missing: bool
) -> list[Question]:
    """List the Boolean columns of a numeric column."""
    if len(values) == 0:
        return []
    low, high = values
    if low == high:
        return questions_of_levels(feature, [(float(low),)], has_missing=has_missing)
    if two_valued:
        groups = [(float(low) + 0.0,), (float(high) + 0.0,)]
        return questions_of_levels(feature, groups, has_missing=has_missing)
    cut = Question(feature, "cut", has_missing=has_missing)
    return [cut, Question(feature, "missing")] if has_missing else [cut]


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
    return [
        *(Question(feature, "level", tuple(g), (), has_missing) for g in groups),
        *missing,
    ]


def grouped(feature: str, counts: Mapping[Scalar, int]) -> tuple[tuple[Scalar, ...], ...]:
    """Group a column's levels, the rarest together if there are more than 50."""
    return level_groups(feature, counts, MAX_LEVELS)


def is_pair(questions: Sequence[Question]) -> NDArray[np.bool_]:
    """Return which Boolean columns separate exactly two levels, shape (d,)."""
    return np.array([bool(q.other) for q in questions], dtype=bool)


def lower_median(values: NDArray[np.float64]) -> float | None:
    """Return the threshold: the lower middle value, or the largest below the maximum.

    Shapes: values (n,).
    """
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
