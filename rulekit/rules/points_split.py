"""A points condition: conditions with whole numbers of points, and a required total."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.rules.condition import WORDS, Columns, Condition, list_numbers, unseen_text
from rulekit.rules.literal import COMPARED, Literal, holds

MOST = 1_000_000
GAPS_GIVE_ZERO = "(a missing value gives 0)"


@dataclass(frozen=True, slots=True)
class PointsSplit(Condition):
    """A condition "the points of the matching conditions add up to at least a total", or less.

    Parameters
    ----------
    conditions : tuple of Literal
        What gives points; at least one, none twice.
    points : tuple of int
        What each condition gives where it holds, in their order; else it gives 0. Negative ones
        are allowed, not all may be 0.
    total : int
        What the sum is compared with; some rows must be able to reach it, and others not.
    reached : bool, default=True
        Whether the condition holds where the total is reached, or where it is not.

    Attributes
    ----------
    missing : bool
        The answer where every column is missing. A single missing value gives a condition's
        points exactly if the condition itself holds there (`Literal.missing`).

    Raises
    ------
    RuleError
        If the parts do not go together.

    Notes
    -----
    `n_conditions` counts the conditions. Several conditions may ask for the same column: "3 points
    above 60, one more above 75" is two of them.

    Examples
    --------
    >>> old, high = Literal("age", ">", 60), Literal("bp", ">", 140)
    >>> risk = PointsSplit((old, high, Literal("sport", "==", "yes")), (3, 2, -1), 4)
    >>> columns = {"age": np.array([70.0, 70.0, np.nan]), "bp": np.array([150.0, 120.0, 150.0])}
    >>> columns["sport"] = np.array(["yes", "no", "no"], dtype=object)
    >>> risk.compute_values(columns), risk.mask(columns)
    (array([4, 3, 2]), array([ True, False, False]))
    >>> print(risk.negate())
    POINTS [3 if age > 60, 2 if bp > 140, -1 if sport == yes] < 4 (a missing value gives 0)
    """

    kind: ClassVar[str] = "points"
    conditions: tuple[Literal, ...]
    points: tuple[int, ...]
    total: int
    reached: bool = True
    missing: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        points = tuple(_whole(p, "points of a condition") for p in self.points)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "total", _whole(self.total, "total of points"))
        object.__setattr__(self, "reached", bool(self.reached))
        if not self.conditions or len(self.conditions) != len(self.points):
            raise RuleError(
                "Points need at least one condition, and one whole number for each; got "
                f"{len(self.conditions)} conditions and {len(self.points)} numbers."
            )
        if strange := [c for c in self.conditions if not isinstance(c, Literal)]:
            raise RuleError(
                "Points are given to tests of one column (Literal), got "
                f"{type(strange[0]).__name__} {strange[0]}. Write it as a clause of its own."
            )
        if twice := [c for k, c in enumerate(self.conditions) if c in self.conditions[:k]]:
            raise RuleError(
                f"A condition gives its points once, but {str(twice[0])!r} is listed twice; add "
                "its points up."
            )
        if not any(self.points):
            raise RuleError(
                "Some condition must give points other than 0; all of them are 0. Give points, or "
                "leave the scorecard out."
            )
        lowest, highest = self.span
        if not lowest < self.total <= highest:
            why = "every row reaches" if self.total <= lowest else "no row can reach"
            raise RuleError(
                f"A total of points must divide the rows, but {why} {self.total}: the sums lie "
                f"from {lowest} to {highest}. Use {lowest + 1} to {highest}."
            )
        unknown = sum(p for c, p in self.given if c.missing)
        object.__setattr__(self, "missing", (unknown >= self.total) == self.reached)

    @property
    def given(self) -> tuple[tuple[Literal, int], ...]:
        """Each condition with its points."""
        return tuple(zip(self.conditions, self.points, strict=True))

    def with_given(self, given: Sequence[tuple[Literal, int]]) -> "PointsSplit":
        """Return the same total of other conditions with points."""
        conditions, points = zip(*given, strict=True)
        return replace(self, conditions=conditions, points=points)

    @property
    def tests(self) -> tuple[Literal, ...]:
        """The conditions that give points."""
        return self.conditions

    @property
    def comparison(self) -> tuple[str, int]:
        """The sign and the total."""
        return ">=" if self.reached else "<", self.total

    @property
    def span(self) -> tuple[int, int]:
        """The lowest and the highest possible sum of a row.

        Conditions of one column are evaluated together: no row is both above 60 and below 40. Of a
        column read in several ways, such as its year and its weekday, each way by itself.
        """
        sums = list(map(list_sums, self.scales))
        return sum(map(min, sums)), sum(map(max, sums))

    @property
    def scales(self) -> list[list[tuple[Literal, int]]]:
        """The conditions with their points, those that read a column in the same way together."""
        scales: dict[tuple[Any, ...], list[tuple[Literal, int]]] = {}
        for condition, points in self.given:
            scales.setdefault((condition.feature, condition.scale), []).append((condition, points))
        return list(scales.values())

    def compute_values(self, columns: Columns) -> NDArray[np.int64]:
        """Compute the points of each row, shape (n,); see `Literal.mask` for errors."""
        held = np.array([c.mask(columns) for c in self.conditions])
        return np.asarray(np.array(self.points, dtype=np.int64) @ held)

    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether the condition holds, for each row."""
        return np.asarray((self.compute_values(columns) >= self.total) == self.reached)

    def negate(self) -> "PointsSplit":
        """Return the condition that holds exactly where this one does not."""
        return replace(self, reached=not self.reached)

    def rename(self, names: Mapping[str, str]) -> "PointsSplit":
        """Return the condition with renamed columns."""
        return replace(self, conditions=tuple(c.rename(names) for c in self.conditions))

    def limits(self, feature: str, row: Mapping[str, Any]) -> tuple[float, ...]:
        """Return the numbers that its conditions compare the column with, each once."""
        return tuple(dict.fromkeys(v for c in self.conditions for v in c.limits(feature, row)))

    def trend(self, feature: str) -> int | None:
        """Return the combined direction of the points of the column's conditions."""
        trends = [(c.trend(feature), p) for c, p in self.given if p]
        return self.join_trends(t and t * (1 if (p > 0) == self.reached else -1) for t, p in trends)

    def shorter(self) -> Condition:
        """Remove conditions with 0 points; a single remaining condition replaces the sum."""
        left = [(c, p) for c, p in self.given if p]
        if len(left) > 1:
            return self.with_given(left)
        ((condition, points),) = left
        return condition if (points > 0) == self.reached else condition.negate()

    def implies(self, other: Condition) -> bool:
        """Return whether the same points with another total surely hold where these do."""
        if not isinstance(other, PointsSplit) or self.reached != other.reached:
            return False
        further = self.total >= other.total if self.reached else self.total <= other.total
        return further and dict(self.given) == dict(other.given)

    def text(self, test: Callable[[Literal], str]) -> str:
        """Return the condition as one line, with the caller's format of its tests."""
        body = ", ".join(f"{p} if {test(c)}" for c, p in self.given)
        text = f"POINTS [{body}] {' '.join(map(str, self.comparison))}"
        return f"{text} {GAPS_GIVE_ZERO}" if self.gaps_matter else text

    @property
    def gaps_matter(self) -> bool:
        """Whether missing values can decide: the condition holds without any value."""
        return self.missing and not any(c.missing for c in self.conditions)

    def __str__(self) -> str:
        """Return the condition as one line; names are not quoted."""
        return self.text(str)


def scorecard_of(rule: Any) -> tuple[PointsSplit, ...]:
    """Read a rule as one scorecard: its bands except the lowest, highest total first.

    Parameters
    ----------
    rule : RuleSet

    Returns
    -------
    tuple of PointsSplit
        One a clause, alike but for their totals; empty where the rule is no scorecard, or a CNF,
        whose clauses decide the rows that they do not match.
    """
    single = [c.conditions[0] for c in rule.clauses if len(c.conditions) == 1]
    splits = tuple(s for s in single if isinstance(s, PointsSplit) and s.reached)
    if rule.form == "cnf" or len(splits) < len(rule.clauses):
        return ()
    falling = all(a.total > b.total for a, b in pairwise(splits))
    return splits if falling and all(s.given == splits[0].given for s in splits) else ()


def _whole(number: Any, quantity: str) -> int:
    if isinstance(number, bool) or not isinstance(number, Integral) or abs(int(number)) > MOST:
        raise RuleError(
            f"The {quantity} must be a whole number such as 3 or -2, at most {MOST}; got "
            f"{number!r}."
        )
    return int(number)


def list_sums(given: list[tuple[Literal, int]]) -> set[int]:
    """List the sums that the conditions of one column can give, for any value or none."""
    named = [v for c, _ in given for v in c.positions]
    values: list[Any] = list_numbers(named)
    if given[0][0].op in WORDS:
        values = [False, True]
    elif not any(c.op in COMPARED for c, _ in given):
        texts = [v for v in named if isinstance(v, str)]
        values += [*texts, unseen_text(texts)]
    gap = sum(p for c, p in given if c.missing)
    return {gap, *(sum(p for c, p in given if holds(c, v)) for v in values)}
