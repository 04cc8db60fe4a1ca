"""Parts of a date or text as arithmetic that any engine computes alike."""

# ISO text becomes seconds since 1970 by the civil calendar: with years that begin in March, the
# days before a month are ``(153 * month + 2) // 5``.

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from rulekit.rules import Literal
from rulekit.rules.condition import DAY, EPOCH, SEPARATORS, since_of

T = TypeVar("T")
# Separators of words, as a set of a regular expression; "&" by its number, since an XML parser may
# split a text at it, and "&&" has a meaning of its own.
MARK = "[" + "".join(f"\\x{ord(c):02x}" for c in SEPARATORS) + "]"


@dataclass(frozen=True)
class Arithmetic(Generic[T]):
    """Arithmetic of a language: whole numbers, parsed from a text, and combined."""

    number: Callable[[float], T]
    cut: Callable[[int, int], T]
    apply: Callable[..., T]


def read(part: str, by: Arithmetic[T]) -> T:
    """Write the part of a date that a test compares; for "date" itself, its seconds since 1970."""
    if part in ("year", "month", "hour"):
        return by.cut(*{"year": (1, 4), "month": (6, 2), "hour": (12, 2)}[part])
    moved = by.apply("+", by.cut(6, 2), by.number(9))  # March is 12, then 0 of the year's own
    late = _quotient(by, moved, 12)  # 1 from March on, 0 before
    year = by.apply("-", by.apply("+", by.cut(1, 4), late), by.number(1))
    month = by.apply("-", moved, by.apply("*", late, by.number(12)))
    before = by.apply("+", by.apply("*", month, by.number(153)), by.number(2))
    total = by.apply("+", by.apply("*", year, by.number(365)), _quotient(by, year, 4))
    total = by.apply("+", by.apply("-", total, _quotient(by, year, 100)), _quotient(by, year, 400))
    total = by.apply("+", by.apply("+", total, _quotient(by, before, 5)), by.cut(9, 2))
    days = by.apply("-", total, by.number(719_469))  # since 1970
    if part == "weekday":
        later = by.apply("+", days, by.number(3))  # 1970 began on a Thursday
        weeks = by.apply("*", _quotient(by, later, 7), by.number(7))
        return by.apply("+", by.apply("-", later, weeks), by.number(1))
    seconds = by.apply("*", days, by.number(86_400))
    for start, size in ((12, 3600), (15, 60), (18, 1)):
        seconds = by.apply("+", seconds, by.apply("*", by.cut(start, 2), by.number(size)))
    if part == "date":
        return seconds
    since = (since_of(part) - EPOCH).total_seconds()
    return by.apply("/", by.apply("-", seconds, by.number(since)), by.number(86_400))


def _quotient(by: Arithmetic[T], value: T, size: int) -> T:
    return by.apply("floor", by.apply("/", value, by.number(size)))


def list_compared_numbers(literal: Literal) -> list[float]:
    """Return the numbers that a test of a date part compares with, as `read` writes it."""
    scale = DAY if literal.part == "date" else 1.0
    return [float(round(v * scale) if scale != 1.0 else v) for v in map(float, literal.positions)]
