"""One method per kind of condition: formats, explanations and views dispatch here.

To add a kind, write its class (see `rulekit.rules.condition`), enter it in `KINDS`, and give
`ConditionWriter` a method of the same name: a writer without that method cannot be made, and the
tests walk every kind through every format.
"""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from rulekit.rules.condition import Condition
from rulekit.rules.linear_split import LinearSplit
from rulekit.rules.literal import Literal
from rulekit.rules.points_split import PointsSplit
from rulekit.rules.power_law_split import PowerLawSplit

T = TypeVar("T")

KINDS: dict[str, type[Condition]] = {
    "literal": Literal,
    "linear": LinearSplit,
    "power_law": PowerLawSplit,
    "points": PointsSplit,
}


class ConditionWriter(ABC, Generic[T]):
    """Base class of everything that depends on the kind of a condition."""

    def write(self, condition: Condition) -> T:
        """Call the method of the condition's kind."""
        written: T = condition.written(self)
        return written

    @abstractmethod
    def literal(self, literal: Literal) -> T:
        """Handle a test of one column."""

    @abstractmethod
    def linear(self, split: LinearSplit) -> T:
        """Handle a weighted sum of columns."""

    @abstractmethod
    def power_law(self, split: PowerLawSplit) -> T:
        """Handle a weighted sum of power laws."""

    @abstractmethod
    def points(self, split: PointsSplit) -> T:
        """Handle conditions with points."""
