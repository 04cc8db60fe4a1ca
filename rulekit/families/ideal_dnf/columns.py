"""Which Boolean columns a table gives the ideal DNF, and what each of them says in a rule.

A numeric column is asked one question, whether it lies above its median. A column of two values
is Boolean already. Any other column is asked for each of its levels. Missing values are a question
of their own; every other question says no to them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binarize.encoding import level_groups
from rulekit.rules import Literal, Scalar

MAX_LEVELS = 50
Pair = tuple[Literal, Literal]


@dataclass(frozen=True)
class Question:
    """One Boolean column.

    Attributes
    ----------
    feature : str
        The column of the table it is asked of.
    kind : {"cut", "level", "missing"}
        Whether the value lies above a cut, is one of `group`, or is missing.
    group : tuple
        The levels asked for.
    other : tuple
        The only other levels of the column, where it has two groups and no gaps: then there is
        this one question, not two that say the same.
    has_missing : bool
        Whether training rows lack values in this column.
    """

    feature: str
    kind: str
    group: tuple[Scalar, ...] = ()
    other: tuple[Scalar, ...] = ()
    has_missing: bool = False

    def literals(self, cut: float | None) -> Pair:
        """Write the answers yes and no as literals.

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
    """List what a numeric column is asked.

    Parameters
    ----------
    feature : str
        Its name.
    values : sequence of float
        Its smallest and its largest present value; empty if there is none.
    two_valued : bool
        Whether there are no others.
    has_missing : bool
        Whether rows lack a value.

    Returns
    -------
    list of Question
    """
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
    """List what a column of levels is asked; `groups` are those of `level_groups`."""
    if len(groups) == 0:
        return []
    missing = [Question(feature, "missing")] if has_missing else []
    if len(groups) == 1:
        return missing
    if len(groups) == 2 and not has_missing:
        return [Question(feature, "level", groups[1], groups[0])]
    asked = [Question(feature, "level", tuple(g), (), has_missing) for g in groups]
    return [*asked, *missing]


def grouped(feature: str, counts: Mapping[Scalar, int]) -> tuple[tuple[Scalar, ...], ...]:
    """Group a column's levels, the rarest together where there are more than 50."""
    return level_groups(feature, counts, MAX_LEVELS)


def is_pair(questions: Sequence[Question]) -> NDArray[np.bool_]:
    """Say which questions stand for two levels: shape (d,)."""
    return np.array([bool(q.other) for q in questions], dtype=bool)


def lower_median(values: NDArray[np.float64]) -> float | None:
    """Choose where a column is cut: the lower middle value, or the largest below the maximum.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Present values.

    Returns
    -------
    float or None
        ``values > cut`` holds for at most half of the values. Where the middle value is the
        maximum, so that it would hold for none, the cut is the largest value below; of a column
        of one value it is that value. None without values.
    """
    if len(values) == 0:
        return None
    place = (len(values) - 1) // 2
    middle = np.partition(values, place)[place]
    if middle == values.max():
        below = values[values < middle]
        middle = below.max() if len(below) else middle
    return float(middle) + 0.0


def _one_of(feature: str, group: tuple[Scalar, ...]) -> Literal:
    value: Any = group[0] if len(group) == 1 else group
    return Literal(feature, "==" if len(group) == 1 else "in", value)
