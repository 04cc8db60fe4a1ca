"""How a clause is read out: two bounds of one column are told as one interval.

`20 < age` and `age <= 50` count two literals and are read as `20 < age <= 50`, in the place of the
first. Only bounds that treat a missing value alike are joined, so nothing is lost.
"""

from dataclasses import dataclass

from rulekit.rules import Clause, Literal

LOWER = (">", ">=")
UPPER = ("<", "<=")


@dataclass(frozen=True)
class Interval:
    """A lower and an upper bound on one column.

    Attributes
    ----------
    low, high : Literal
        The two bounds, with the same answer for a missing value.
    """

    low: Literal
    high: Literal

    @property
    def feature(self) -> str:
        """The column."""
        return self.low.feature

    @property
    def missing(self) -> bool:
        """The answer for a missing value."""
        return self.low.missing


def readings(clause: Clause) -> tuple[Literal | Interval, ...]:
    """Return a clause's literals in order, with pairs of bounds joined to intervals.

    Parameters
    ----------
    clause : Clause
        Bounds are joined in an AND only: an OR of two bounds is no interval.

    Returns
    -------
    tuple of Literal or Interval
        A column with more than one lower or upper bound keeps its literals as they are.
    """
    literals = clause.literals
    if clause.op != "and":
        return literals
    found: list[Literal | Interval] = []
    for literal in literals:
        interval = _interval(literal, literals)
        if interval is None:
            found.append(literal)
        elif interval not in found:
            found.append(interval)
    return tuple(found)


def _interval(literal: Literal, literals: tuple[Literal, ...]) -> Interval | None:
    if literal.op not in (*LOWER, *UPPER):
        return None
    same = [x for x in literals if x.feature == literal.feature]
    low, high = [x for x in same if x.op in LOWER], [x for x in same if x.op in UPPER]
    if len(low) != 1 or len(high) != 1 or low[0].missing != high[0].missing:
        return None
    a, b = low[0].value, high[0].value
    assert isinstance(a, float)
    assert isinstance(b, float)
    return Interval(low[0], high[0]) if a < b else None
