"""The nonlinear condition: a weighted sum of power laws on one side of a number, or in a band.

Legend (Dhebar and Deb, section III-B)::

    B  value of a power law: a product of columns raised to whole exponents, Eq. 3
    f  what the paper compares with 0, Eq. 2: the sum less `high` for a cut; for a band the
       distance of the sum from the band's middle, less half its width (the modulus)
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.rules.literal import Columns
from rulekit.rules.numeric import absent_in, finite, numbers_in

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Factor:
    """A column raised to a whole exponent.

    Parameters
    ----------
    feature : str
        Name of the column.
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
        """Bring values to the floor and subtract the shift."""
        found: Floats = np.asarray(values, dtype=float)
        if self.floor is not None:
            found = np.where(found < self.floor, self.floor, found)
        return found - self.shift if self.shift else found


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
        up = [f for f in self.factors if f.exponent > 0]
        object.__setattr__(self, "factors", (*up, *(f for f in self.factors if f not in up)))
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
        """Give the product of the factors, without the weight: shape (n,)."""
        up = _product(self.numerators, columns)
        down = _product(self.denominators, columns)
        if up is None:
            assert down is not None
            return np.asarray(1.0 / down)
        return up if down is None else up / down


@dataclass(frozen=True, slots=True)
class PowerLawSplit:
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
    `n_literals` counts the exponents (the paper's FU). A sum that is no number, as of infinities
    of both signs, counts as outside.

    Examples
    --------
    >>> import numpy as np
    >>> ratio = PowerLaw(1.0, (Factor("mass", 1), Factor("height", -2, floor=0.1)))
    >>> heavy = PowerLawSplit((ratio,), 30.0, inside=False)
    >>> heavy.mask({"mass": np.array([70.0, 95.0]), "height": np.array([1.8, 1.7])})
    array([False,  True])
    >>> heavy.negated().inside
    True
    """

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
    def n_literals(self) -> int:
        """Number of exponents."""
        return sum(len(t.factors) for t in self.terms)

    @property
    def is_band(self) -> bool:
        """Whether it has two bounds (the paper's modulus)."""
        return self.low is not None

    def total(self, columns: Columns) -> Floats:
        """Sum the power laws: shape (n,), NaN where a column has no value.

        Raises
        ------
        RuleError
            If a column is not there, or holds text.
        """
        numbers = {name: numbers_in(name, columns) for name in self.features}
        with np.errstate(all="ignore"):
            found = self.terms[0].weight * self.terms[0].value(numbers)
            for term in self.terms[1:]:
                found = found + term.weight * term.value(numbers)
        return np.where(absent_in(self.features, numbers), np.nan, found)

    def margin(self, columns: Columns) -> Floats:
        """Give the paper's f: at most 0 within the bounds; shape (n,), NaN where missing."""
        total = self.total(columns)
        if self.low is None:
            return np.asarray(total - self.high)
        return np.maximum(total - self.high, self.low - total)

    def mask(self, columns: Columns) -> NDArray[np.bool_]:
        """Say for each row whether the condition holds; see `Literal.mask`."""
        total = self.total(columns)
        within = total <= self.high
        if self.low is not None:
            within &= total >= self.low
        answer = within if self.inside else ~within
        numbers = {name: columns[name] for name in self.features}
        return np.where(absent_in(self.features, numbers), self.missing, answer)

    def negated(self) -> "PowerLawSplit":
        """Return the condition that holds exactly where this one does not."""
        return replace(self, inside=not self.inside, missing=not self.missing)

    def __str__(self) -> str:
        """Write the condition in one line; names are not quoted."""
        from rulekit.rules.formula import split_text  # the text is built on this class

        return split_text(self)


def _product(factors: tuple[Factor, ...], columns: Columns) -> Floats | None:
    """Multiply factors from left to right, each as often as its exponent says."""
    found: Floats | None = None
    for factor in factors:
        base = factor.base(columns[factor.feature])
        for _ in range(abs(factor.exponent)):
            found = base if found is None else found * base
    return found
