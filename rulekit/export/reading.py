"""How a clause is read out: two bounds of one column are told as one interval.

`20 < age` and `age <= 50` count two literals and are read as `20 < age <= 50`, in the place of the
first. Every literal stays readable: nothing is simplified here, unlike in `FeatureTest`, so that
the text read back has the same literals.
"""

from dataclasses import dataclass

from rulekit.rules import Clause, LinearSplit, Literal, PowerLawSplit
from rulekit.rules.intervals import FeatureTest, intervals

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


Reading = Literal | Interval | LinearSplit | PowerLawSplit


def readings(clause: Clause) -> tuple[Reading, ...]:
    """Return a clause's literals column by column, with pairs of bounds joined to intervals.

    Parameters
    ----------
    clause : Clause
        Bounds are joined in an AND only: an OR of two bounds is no interval.

    Returns
    -------
    tuple of Literal, Interval, LinearSplit or PowerLawSplit
        A column with anything but one lower and one upper bound keeps its literals as they are.
    """
    found: list[Reading] = []
    for test in intervals(clause):
        if isinstance(test, (LinearSplit, PowerLawSplit)):
            found.append(test)
            continue
        literals = test.literals if isinstance(test, FeatureTest) else ()
        interval = _interval(literals)
        found += literals if interval is None else [interval]
    return tuple(found)


def _interval(literals: tuple[Literal, ...]) -> Interval | None:
    """Join two literals of one column if they are the two ends of an interval."""
    low = [x for x in literals if x.op in LOWER]
    high = [x for x in literals if x.op in UPPER]
    if len(literals) != 2 or len(low) != 1 or len(high) != 1:
        return None
    a, b = low[0].value, high[0].value
    proper = isinstance(a, float) and isinstance(b, float) and a < b
    alike = low[0].missing == high[0].missing
    return Interval(low[0], high[0]) if proper and alike else None
