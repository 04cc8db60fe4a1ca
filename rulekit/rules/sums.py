"""Sums of columns as conditions: a hyperplane, and a weighted sum of power laws."""

# What the paper compares with 0 (Dhebar and Deb, section III-B, Eq. 2) is f: the sum less `high`
# for a cut; for a band the distance of the sum from the band's middle, less half its width (the
# modulus).

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, mul
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.rules.condition import Columns, Condition, absent_in, finite, number_text, numbers_in

Floats = NDArray[np.float64]
Write = Callable[[str], str]
WriteNumber = Callable[[float], str]
NEGATED = {"<=": ">", ">": "<="}
IMAGINARY = 1e-7  # imaginary part, relative to the size of a root, that is rounding


class ColumnSum(Condition):
    """Base class of sums of columns within bounds or outside; a gap has the result `missing`."""

    __slots__ = ()

    def total(self, columns: Columns) -> Floats:
        """Sum the terms, shape (n,), NaN where a column has no value."""
        return self.compute_values(columns)

    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Return whether the condition holds, for each row; see `Literal.mask`."""
        total, (sign, bound) = self.total(columns), self.comparison
        if isinstance(bound, list):
            within = (total <= bound[1]) & (total >= bound[0])
        else:
            within = total <= bound
        answer = within if sign in ("<=", "within") else ~within
        return np.where(absent_in(self.features, columns), self.missing, answer)

    @abstractmethod
    def sum_text(self, name: Write = str, number: WriteNumber = number_text) -> str:
        """Return the weighted sum as text, with the caller's names and number format."""

    def text(self, name: Write = str, number: WriteNumber = number_text) -> str:
        """Return the condition as one line, with the caller's names and number format."""
        text, (sign, bound) = self.sum_text(name, number), self.comparison
        if isinstance(bound, list):
            text = f"{number(bound[0])} <= {text} <= {number(bound[1])}"
            text = text if sign == "within" else f"not ({text})"
        else:
            text = f"{text} {sign} {number(bound)}"
        return f"{text} (or missing)" if self.missing else text

    def __str__(self) -> str:
        """Return the condition as one line; names are not quoted."""
        return self.text()


@dataclass(frozen=True, slots=True)
class LinearSplit(ColumnSum):
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

    kind: ClassVar[str] = "linear"
    terms: tuple[tuple[str, float], ...]
    op: str
    value: float
    missing: bool = False

    def __post_init__(self) -> None:
        terms = tuple((name, finite(w, "weight of a linear condition")) for name, w in self.terms)
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
    def comparison(self) -> tuple[str, float]:
        """Operator and value."""
        return self.op, self.value

    def compute_values(self, columns: Columns) -> Floats:
        """Compute the sum of the terms, shape (n,), NaN where a column has no value."""
        with np.errstate(invalid="ignore", over="ignore"):
            return reduce(add, (numbers_in(name, columns) * w for name, w in self.terms))

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
        return int(np.sign(dict(self.terms).get(feature, 0.0))) * (-1 if self.op == "<=" else 1)

    def sum_text(self, name: Write = str, number: WriteNumber = number_text) -> str:
        """Return the weighted sum as text, with the caller's names and number format."""
        text = ""
        for index, (feature, weight) in enumerate(self.terms):
            sign = "-" if weight < 0 else "+"
            size = number(abs(weight) if index else weight)
            text += f" {sign} {size} * {name(feature)}" if index else f"{size} * {name(feature)}"
        return text


@dataclass(frozen=True, slots=True)
class Factor:
    """A column raised to a whole exponent.

    Parameters
    ----------
    feature : str
    exponent : int
        Not 0.
    shift : float, default=0.0
        Subtracted before the power is taken; for columns that are not positive.
    floor : float or None, default=None
        Smaller values count as this one. A negative exponent needs a floor above `shift`, so that
        no value divides by zero.

    Raises
    ------
    RuleError
        If the parts do not go together.
    """

    feature: str
    exponent: int = 1
    shift: float = 0.0
    floor: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.feature, str):
            raise RuleError(f"A factor's column name must be text, got {self.feature!r}.")
        whole = isinstance(self.exponent, (int, np.integer)) and not isinstance(self.exponent, bool)
        if not whole or self.exponent == 0:
            raise RuleError(
                f"A factor's exponent must be a whole number, not 0: {self.exponent!r}."
            )
        object.__setattr__(self, "exponent", int(self.exponent))
        object.__setattr__(self, "shift", finite(self.shift, "shift of a power law"))
        if self.floor is not None:
            object.__setattr__(self, "floor", finite(self.floor, "floor of a power law"))
        if self.exponent < 0 and (self.floor is None or not self.floor > self.shift):
            raise RuleError(
                f"Column {self.feature!r} has the exponent {self.exponent}, so it needs a floor "
                f"above its shift {self.shift!r}, got {self.floor!r}: nothing may divide by zero."
            )

    def base(self, values: NDArray[Any]) -> Floats:
        """Clip values at the floor and subtract the shift."""
        base: Floats = np.asarray(values, dtype=float)
        if self.floor is not None:
            base = np.where(base < self.floor, self.floor, base)
        return base - self.shift if self.shift else base

    def text(self, name: Write = str, number: WriteNumber = number_text) -> str:
        """Return the column with its floor, shift and exponent as text."""
        text = name(self.feature)
        if self.floor is not None:
            text = f"max({text}, {number(self.floor)})"
        if self.shift:
            sign = "-" if self.shift > 0 else "+"
            text = f"({text} {sign} {number(abs(self.shift))})"
        power = abs(self.exponent)
        return text if power == 1 else f"{text}^{power}"


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """A weight times a product of factors.

    Parameters
    ----------
    weight : float
        Finite, not 0.
    factors : tuple of Factor
        At least one, no column twice; kept with positive exponents first.

    Notes
    -----
    The value is computed in one order everywhere, in every export too, so that all agree in the
    last digit: numerators from left to right, each as often as its exponent says; the product of
    the denominators likewise; the quotient; and last the weight.
    """

    weight: float
    factors: tuple[Factor, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", finite(self.weight, "weight of a power law"))
        factors = sorted(self.factors, key=lambda f: f.exponent < 0)
        object.__setattr__(self, "factors", tuple(factors))
        names = [f.feature for f in self.factors]
        if not names or len(set(names)) < len(names) or self.weight == 0:
            raise RuleError(
                "A power law needs a weight other than 0 and at least one factor, each of another "
                f"column; got weight {self.weight!r} and columns {names}."
            )

    @property
    def numerators(self) -> tuple[Factor, ...]:
        """Factors with positive exponents."""
        return tuple(f for f in self.factors if f.exponent > 0)

    @property
    def denominators(self) -> tuple[Factor, ...]:
        """Factors with negative exponents."""
        return tuple(f for f in self.factors if f.exponent < 0)

    def value(self, columns: Columns) -> Floats:
        """Compute the product of the factors, without the weight, shape (n,)."""
        up, down = (
            [base for f in factors for base in [f.base(columns[f.feature])] * abs(f.exponent)]
            for factors in (self.numerators, self.denominators)
        )
        if not down:
            return reduce(mul, up)
        return np.asarray((reduce(mul, up) if up else 1.0) / reduce(mul, down))

    def rename(self, names: Mapping[str, str]) -> "PowerLaw":
        """Return the power law with renamed columns."""
        factors = [replace(f, feature=names.get(f.feature, f.feature)) for f in self.factors]
        return replace(self, factors=tuple(factors))

    def text(self, name: Write = str, number: WriteNumber = number_text) -> str:
        """Return the power law without its weight as text: "a^2 * b / c"."""
        up = " * ".join(f.text(name, number) for f in self.numerators) or "1"
        return up + "".join(f" / {f.text(name, number)}" for f in self.denominators)


@dataclass(frozen=True, slots=True)
class PowerLawSplit(ColumnSum):
    """A condition ``low <= sum of power laws <= high``.

    Parameters
    ----------
    terms : tuple of PowerLaw
        At least one.
    high : float
        Upper bound of the sum, inclusive.
    low : float or None, default=None
        Lower bound, inclusive; None for a cut.
    inside : bool, default=True
        Whether the condition holds within the bounds, or outside.
    missing : bool, default=False
        The answer where one of the columns has no value.

    Raises
    ------
    RuleError
        If the parts do not go together.

    Notes
    -----
    `n_conditions` counts the exponents (the paper's FU). A sum that is no number, as of infinities
    of both signs, counts as outside.

    Examples
    --------
    >>> import numpy as np
    >>> ratio = PowerLaw(1.0, (Factor("mass", 1), Factor("height", -2, floor=0.1)))
    >>> heavy = PowerLawSplit((ratio,), 30.0, inside=False)
    >>> heavy.mask({"mass": np.array([70.0, 95.0]), "height": np.array([1.8, 1.7])})
    array([False,  True])
    >>> heavy.negate().inside
    True
    """

    kind: ClassVar[str] = "power_law"
    terms: tuple[PowerLaw, ...]
    high: float
    low: float | None = None
    inside: bool = True
    missing: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple(self.terms))
        object.__setattr__(self, "high", finite(self.high, "high of a power law"))
        if not self.terms:
            raise RuleError("A power-law split needs at least one power law.")
        if self.low is not None:
            object.__setattr__(self, "low", finite(self.low, "low of a power law"))
            if self.low > self.high:
                raise RuleError(
                    f"A power-law split needs low <= high, got {self.low!r} and {self.high!r}."
                )
        object.__setattr__(self, "inside", bool(self.inside))
        object.__setattr__(self, "missing", bool(self.missing))

    @property
    def features(self) -> tuple[str, ...]:
        """The columns read, each once, in order of first use."""
        return tuple(dict.fromkeys(f.feature for t in self.terms for f in t.factors))

    @property
    def n_conditions(self) -> int:
        """Number of exponents."""
        return sum(len(t.factors) for t in self.terms)

    @property
    def comparison(self) -> tuple[str, float | list[float]]:
        """The operator and the bound; for a band "within" or "outside" and both bounds."""
        if self.low is None:
            return "<=" if self.inside else ">", self.high
        return "within" if self.inside else "outside", [self.low, self.high]

    @property
    def is_band(self) -> bool:
        """Whether it has two bounds (the paper's modulus)."""
        return self.low is not None

    def compute_values(self, columns: Columns) -> Floats:
        """Sum the power laws, shape (n,), NaN where a column has no value."""
        numbers = {name: numbers_in(name, columns) for name in self.features}
        with np.errstate(all="ignore"):
            total = reduce(add, (t.weight * t.value(numbers) for t in self.terms))
        return np.where(absent_in(self.features, numbers), np.nan, total)

    def margin(self, columns: Columns) -> Floats:
        """Compute the paper's f: at most 0 within the bounds; shape (n,), NaN where missing."""
        total = self.total(columns)
        if self.low is None:
            return np.asarray(total - self.high)
        return np.maximum(total - self.high, self.low - total)

    def negate(self) -> "PowerLawSplit":
        """Return the condition that holds exactly where this one does not."""
        return replace(self, inside=not self.inside, missing=not self.missing)

    def rename(self, names: Mapping[str, str]) -> "PowerLawSplit":
        """Return the split with renamed columns."""
        return replace(self, terms=tuple(t.rename(names) for t in self.terms))

    def trend(self, feature: str) -> int | None:
        """Return the signs of weights and exponents; a band has no direction."""
        sign = self.join_trends(_sign(term, feature) for term in self.terms)
        if sign and self.is_band:
            return None
        return -sign if sign and self.inside else sign

    def limits(self, feature: str, row: Mapping[str, Any]) -> tuple[float, ...]:
        """Compute where one column meets a bound, and from where on it is flat; see `crossings`."""
        others = [row[f] for f in self.features if f != feature]
        if feature not in self.features or any(v is None or isinstance(v, str) for v in others):
            return ()
        floors = [f.floor for t in self.terms for f in t.factors if f.feature == feature]
        return (*self.crossings(feature, row), *(v for v in floors if v is not None))

    def crossings(self, feature: str, row: Mapping[str, float]) -> tuple[float, ...]:
        """Find the values of a column, ascending, where the sum meets a bound, given a `row`."""
        # In one column the sum is a polynomial over a power of it, so its roots are eigenvalues. On
        # the flat part below a floor there are none.
        factors = [f for t in self.terms for f in t.factors if f.feature == feature]
        shifts = {f.shift for f in factors}
        if len(shifts) != 1:  # no polynomial in one and the same base
            return ()
        shift = shifts.pop()
        found: set[float] = set()
        for bound in (b for b in (self.low, self.high) if b is not None):
            coefficients: dict[int, float] = {0: -bound}
            for term in self.terms:
                exponent, rest = 0, term.weight
                for factor in term.factors:
                    if factor.feature == feature:
                        exponent = factor.exponent
                    else:
                        base = factor.base(np.array([row[factor.feature]], dtype=float))[0]
                        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                            rest = float(rest * base**factor.exponent)
                coefficients[exponent] = coefficients.get(exponent, 0.0) + rest
            degrees = range(max(coefficients), min(coefficients) - 1, -1)
            polynomial = np.array([coefficients.get(k, 0.0) for k in degrees])
            if not np.isfinite(polynomial).all():
                continue
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                # A leading coefficient too small to divide by has a root beyond all floats.
                while len(polynomial) > 1 and not np.isfinite(polynomial / polynomial[0]).all():
                    polynomial = polynomial[1:]
            roots = np.roots(polynomial)
            real = np.abs(roots.imag) <= IMAGINARY * np.maximum(np.abs(roots), 1e-300)
            found |= {float(x) + shift for x in roots[real].real if x != 0}
        floor = max((f.floor for f in factors if f.floor is not None), default=-np.inf)
        return tuple(sorted(x for x in found if x > floor))

    def sum_text(self, name: Write = str, number: WriteNumber = number_text) -> str:
        """Return the weighted sum as text."""
        text = ""
        for index, law in enumerate(self.terms):
            size = abs(law.weight)
            body = law.text(name, number)
            if size != 1.0:
                body = number(size) + (body[1:] if not law.numerators else f" * {body}")
            sign = "-" if law.weight < 0 else "+"
            text += f" {sign} {body}" if index else sign.strip("+") + body
        return text


def power_law_of(condition: Condition) -> PowerLawSplit | None:
    """Return a condition that is a sum of power laws; None for any other kind."""
    return condition if isinstance(condition, PowerLawSplit) else None


def _sign(term: PowerLaw, feature: str) -> int | None:
    """Return the direction of a term as a column rises; None where a base may be negative."""
    factors = [f for f in term.factors if f.feature == feature]
    if not factors:
        return 0
    own = factors[0]
    # the column with an even exponent, and others with an odd one, must not be negative
    signed = [f for f in term.factors if f.exponent % 2 != (f is own)]
    if any(f.floor is None or f.floor < f.shift for f in signed):
        return None
    return int(np.sign(term.weight)) * (1 if own.exponent > 0 else -1)
