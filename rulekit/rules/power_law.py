"""A power law: a product of columns raised to whole exponents (Dhebar and Deb, Eq. 3)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.exceptions import RuleError
from rulekit.rules.condition import Columns, finite, number_text

Floats = NDArray[np.float64]
Write = Callable[[str], str]
WriteNumber = Callable[[float], str]


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

    @property
    def never_negative(self) -> bool:
        """Whether the base is never negative."""
        return self.floor is not None and self.floor >= self.shift

    def base(self, values: NDArray[Any]) -> Floats:
        """Clip values at the floor and subtract the shift."""
        base: Floats = np.asarray(values, dtype=float)
        if self.floor is not None:
            base = np.where(base < self.floor, self.floor, base)
        return base - self.shift if self.shift else base

    def text(self, name: Write = str, number: WriteNumber = number_text) -> str:
        """Return the column with its floor, shift and exponent as text.

        Examples
        --------
        >>> Factor("height", -2, shift=0.5, floor=1.0).text()
        '(max(height, 1) - 0.5)^2'
        """
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
        """Compute the product of the factors, without the weight, shape (n,)."""
        up = _product(self.numerators, columns)
        down = _product(self.denominators, columns)
        if up is None:
            assert down is not None
            return np.asarray(1.0 / down)
        return up if down is None else up / down

    def renamed(self, names: Mapping[str, str]) -> "PowerLaw":
        """Return the power law with renamed columns."""
        factors = (replace(f, feature=names.get(f.feature, f.feature)) for f in self.factors)
        return replace(self, factors=tuple(factors))

    def text(self, name: Write = str, number: WriteNumber = number_text) -> str:
        """Return the power law without its weight as text: "a^2 * b / c".

        Examples
        --------
        >>> PowerLaw(3.0, (Factor("b", -1, floor=1.0),)).text()
        '1 / max(b, 1)'
        """
        up = " * ".join(f.text(name, number) for f in self.numerators) or "1"
        down = "".join(f" / {f.text(name, number)}" for f in self.denominators)
        return up + down


def _product(factors: tuple[Factor, ...], columns: Columns) -> Floats | None:
    """Multiply factors from left to right, each as often as its exponent."""
    product: Floats | None = None
    for factor in factors:
        base = factor.base(columns[factor.feature])
        for _ in range(abs(factor.exponent)):
            product = base if product is None else product * base
    return product
