"""One method per kind of condition: formats, explanations and views dispatch here.

A writer without a method for every kind in `KINDS` cannot be made.
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
