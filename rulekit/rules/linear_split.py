"""A hyperplane as a condition: a weighted sum of columns compared with a threshold."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.rules.condition import Columns, Condition, absent_in, finite, number_text, numbers_in

NEGATED = {"<=": ">", ">": "<="}
Write = Callable[[str], str]
WriteNumber = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class LinearSplit(Condition):
    """A condition ``w'x <= g``, or ``w'x > g``.

    Parameters
    ----------
    terms : tuple of (str, float)
        Columns and their weights: finite, not 0, no column twice. At least one.
    op : {"<=", ">"}
    value : float
        What the sum is compared with; finite.
    missing : bool, default=False
        The answer where one of the columns has no value.

    Raises
    ------
    RuleError
        If the parts do not go together.

    Notes
    -----
    The sum is taken term by term from left to right, in every export too, so that all give the
    same double. A sum that is no number, as of infinities of both signs, is not ``<= value``.
    `n_conditions` counts the columns.

    Examples
    --------
    >>> plane = LinearSplit((("age", 0.5), ("bmi", -1.0)), "<=", 3.0)
    >>> plane.mask({"age": np.array([60.0, 60.0]), "bmi": np.array([30.0, 20.0])})
    array([ True, False])
    >>> print(plane.negate())
    0.5 * age - 1 * bmi > 3 (or missing)
    """

    terms: tuple[tuple[str, float], ...]
    op: str
    value: float
    missing: bool = False

    def __post_init__(self) -> None:
        terms = tuple(
            (name, finite(weight, "weight of a linear condition")) for name, weight in self.terms
        )
        names = [name for name, _ in terms]
        if not terms or len(set(names)) < len(names) or any(w == 0 for _, w in terms):
            raise RuleError(
                "A linear condition needs at least one column, none of them twice, and weights "
                f"other than 0; got {terms}."
            )
        if not all(isinstance(name, str) for name in names):
            raise RuleError(f"A linear condition's column names must be text, got {names}.")
        if self.op not in NEGATED:
            raise RuleError(
                f"A linear condition's operator must be one of {tuple(NEGATED)}, got {self.op!r}."
            )
        object.__setattr__(self, "terms", terms)
        object.__setattr__(self, "value", finite(self.value, "value of a linear condition"))
        object.__setattr__(self, "missing", bool(self.missing))

    @property
    def features(self) -> tuple[str, ...]:
        """The columns read, in the order of the sum."""
        return tuple(name for name, _ in self.terms)

    @property
    def n_conditions(self) -> int:
        """Number of columns in the sum."""
        return len(self.terms)

    @property
    def types(self) -> Mapping[str, frozenset[type]]:
        """Every column is read as a number."""
        return dict.fromkeys(self.features, frozenset({float}))

    @property
    def comparison(self) -> tuple[str, float]:
        """Operator and value."""
        return self.op, self.value

    def compute_values(self, columns: Columns) -> NDArray[np.float64]:
        """Compute the sum; see `total`."""
        return self.total(columns)

    def total(self, columns: Columns) -> NDArray[np.float64]:
        """Compute the sum of the terms, shape (n,), NaN where a column has no value."""
        total: NDArray[np.float64] | None = None
        with np.errstate(invalid="ignore", over="ignore"):
            for name, weight in self.terms:
                term = numbers_in(name, columns) * weight
                total = term if total is None else total + term
        assert total is not None
        return total

    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether the condition holds, for each row; see `Literal.mask`."""
        total = self.total(columns)
        absent = absent_in(self.features, columns)
        below = total <= self.value
        return np.where(absent, self.missing, below if self.op == "<=" else ~below)

    def negate(self) -> "LinearSplit":
        """Return the condition that holds exactly where this one does not."""
        return LinearSplit(self.terms, NEGATED[self.op], self.value, not self.missing)

    def rename(self, names: Mapping[str, str]) -> "LinearSplit":
        """Return the split with renamed columns."""
        return replace(self, terms=tuple((names.get(f, f), w) for f, w in self.terms))

    def limits(self, feature: str, row: Mapping[str, Any]) -> tuple[float, ...]:
        """Compute where a column meets the hyperplane, other columns fixed, apart from rounding."""
        weights = dict(self.terms)
        others = {f: row[f] for f in weights if f != feature}
        if feature not in weights or None in others.values():
            return ()
        rest = sum(weights[f] * float(v) for f, v in others.items())
        limit = (self.value - rest) / weights[feature]
        return (limit,) if math.isfinite(limit) else ()

    def trend(self, feature: str) -> int | None:
        """Return the sign of the column's weight; sums of floats follow it, rounding included."""
        weight = dict(self.terms).get(feature, 0.0)
        return int(np.sign(weight)) * (-1 if self.op == "<=" else 1)

    def write_with(self, writer: Any) -> Any:
        """Call the writer's method for a linear split."""
        return writer.linear(self)

    def sum_text(self, name: Write, number: WriteNumber) -> str:
        """Return the weighted sum as text, with the caller's names and number format."""
        text = ""
        for index, (feature, weight) in enumerate(self.terms):
            sign = "-" if weight < 0 else "+"
            size = number(abs(weight) if index else weight)
            text += f" {sign} {size} * {name(feature)}" if index else f"{size} * {name(feature)}"
        return text

    def text(self, name: Write, number: WriteNumber) -> str:
        """Return the condition as one line, with the caller's names and number format."""
        text = f"{self.sum_text(name, number)} {self.op} {number(self.value)}"
        return f"{text} (or missing)" if self.missing else text

    def __str__(self) -> str:
        """Return the condition as one line; names are not quoted."""
        return self.text(str, number_text)
