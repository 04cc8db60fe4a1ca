r"""Reads back power-law splits from the text form.

The grammar, between square brackets::

    split   = sum ("<=" | ">") number | number "<=" sum "<=" number
    sum     = ["-"] term {("+" | "-") term}
    term    = number " * " product | number quotient | product
    product = factor {" * " factor} quotient          quotient = {" / " factor}
    factor  = base ["^" digit]
    base    = value | "(" value ("+" | "-") number ")"
    value   = name | "max(" name ", " number ")"
"""

import re
from typing import Any, Protocol

from rulekit.rules import Factor, PowerLaw, PowerLawSplit

SIZE = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
NUMBER = rf"-?{SIZE}"


class Reader(Protocol):
    """A line that is read from left to right; see `rulekit.export.text_parser`."""

    def take(self, pattern: str) -> re.Match[str] | None:
        """Read on over a pattern, if it is there."""

    def expect(self, pattern: str, what: str) -> re.Match[str]:
        """Read on over a pattern, or say what is missing."""

    def column(self) -> str:
        """Read a column's name."""


def read_formula(line: Reader, negated: bool) -> PowerLawSplit:
    """Read a split after its opening bracket, with the closing one and what a gap counts as."""
    low = line.take(rf"({NUMBER}) <= ")
    terms = _terms(line)
    op = line.expect(r" (<=|>) ", "'<=' or '>'")[1]
    high = float(line.expect(NUMBER, "a number")[0])
    line.expect(r"\]", "']'")
    missing = line.take(r" \(or missing\)") is not None
    inside = (op == "<=") != negated
    return PowerLawSplit(terms, high, None if low is None else float(low[1]), inside, missing)


def _terms(line: Reader) -> tuple[PowerLaw, ...]:
    terms = [_term(line, -1.0 if line.take("-") is not None else 1.0)]
    while (sign := line.take(r" ([+-]) ")) is not None:
        terms.append(_term(line, -1.0 if sign[1] == "-" else 1.0))
    return tuple(terms)


def _term(line: Reader, sign: float) -> PowerLaw:
    size = line.take(rf"({SIZE})(?= [*/] )")
    weight = sign if size is None else sign * float(size[1])
    factors = []
    if size is None or line.take(r" \* ") is not None:
        factors.append(_factor(line, 1))
        while line.take(r" \* ") is not None:
            factors.append(_factor(line, 1))
    while line.take(" / ") is not None:
        factors.append(_factor(line, -1))
    return PowerLaw(weight, tuple(factors))


def _factor(line: Reader, sign: int) -> Factor:
    parts: dict[str, Any] = {}
    if line.take(r"\(") is not None:
        name, floor = _value(line)
        shift = line.expect(rf" ([+-]) ({SIZE})\)", "what is subtracted or added")
        parts["shift"] = float(shift[2]) * (1 if shift[1] == "-" else -1)
    else:
        name, floor = _value(line)
    power = line.take(r"\^(\d)")
    exponent = sign * (1 if power is None else int(power[1]))
    return Factor(name, exponent, floor=floor, **parts)


def _value(line: Reader) -> tuple[str, float | None]:
    """Read a column, and the floor it may have."""
    if line.take(r"max\(") is None:
        return line.column(), None
    name = line.column()
    return name, float(line.expect(rf", ({NUMBER})\)", "a floor")[1])
