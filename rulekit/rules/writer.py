"""One method per kind of condition: formats, explanations and views dispatch here."""

# A writer without a method for every kind in `KINDS` cannot be made. Writers of text join two
# bounds of one column to one interval; nothing is simplified, so that the text read back has the
# same literals.

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rulekit.rules.condition import Condition
from rulekit.rules.literal import Literal
from rulekit.rules.points_split import PointsSplit
from rulekit.rules.rule_set import Clause, RuleSet
from rulekit.rules.simplification import LOWER, UPPER, FeatureTest, group_conditions
from rulekit.rules.sums import LinearSplit, PowerLawSplit

T = TypeVar("T")

MIRRORED = {">": "<", ">=": "<="}
EMPTY = {"and": "always", "or": "never"}
GAP = " or missing"

KINDS: dict[str, type[Condition]] = {
    kind.kind: kind for kind in (Literal, LinearSplit, PowerLawSplit, PointsSplit)
}


class ConditionWriter(ABC, Generic[T]):
    """Base class of everything that depends on the kind of a condition."""

    def write(self, condition: Condition) -> T:
        """Call the method of the condition's kind."""
        written: T = getattr(self, condition.kind)(condition)
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


@dataclass(frozen=True)
class ValueInterval:
    """A lower and an upper bound on one column, with the same result for a missing value."""

    kind: ClassVar[str] = "interval"
    low: Literal
    high: Literal

    @property
    def feature(self) -> str:
        """The column."""
        return self.low.feature

    @property
    def missing(self) -> bool:
        """The result for a missing value."""
        return self.low.missing

    @property
    def ends(self) -> tuple[Any, str, str, Any]:
        """Lower value and its sign, upper sign and its value, in the order they are written."""
        return self.low.values[0], MIRRORED[self.low.op], self.high.op, self.high.values[0]


Reading = Condition | ValueInterval


class ReadingWriter(ConditionWriter[T]):
    """A writer that joins two bounds of one column to one interval."""

    def clause(self, clause: Clause) -> list[T]:
        """Return each condition of a clause as text, bounds of one column together."""
        return [getattr(self, reading.kind)(reading) for reading in readings(clause)]

    @abstractmethod
    def interval(self, interval: ValueInterval) -> T:
        """Return the two bounds of a column as text."""


def readings(clause: Clause) -> tuple[Reading, ...]:
    """Return a clause's conditions by column, with pairs of bounds joined to intervals."""
    if clause.op == "or":  # a union of bounds is no interval
        return clause.conditions
    tests: list[Reading] = []
    for test in group_conditions(clause.conditions):
        if not isinstance(test, FeatureTest):
            tests.append(test)
            continue
        low, high = ([x for x in test.literals if x.op in ops] for ops in (LOWER, UPPER))
        if len(low) == len(high) == 1 and len(test.literals) == 2:
            below = low[0].positions < high[0].positions
            if below and low[0].missing == high[0].missing:
                tests.append(ValueInterval(low[0], high[0]))
                continue
        tests += test.literals
    return tuple(tests)


def clause_line(clause: Clause) -> str:
    """Return a clause as one line; with missing values in it, conditions are bracketed."""
    texts = [str(c) for c in clause.conditions]
    if len(texts) > 1 and any(text.endswith(GAP) for text in texts):
        texts = [f"({text})" for text in texts]
    return f" {clause.op.upper()} ".join(texts) or EMPTY[clause.op]


def rule_lines(rule: RuleSet) -> str:
    """Return a rule as a few plain lines; `rulekit.to_text` has all the options."""
    if not rule.clauses:
        return f"{rule.labels[0] if rule.form == 'cnf' else rule.default}, always"
    if len(set(rule.labels)) > 1:
        pairs = zip(rule.labels, rule.clauses, strict=True)
        lines = [f"{v} if ({clause_line(c)})" for v, c in pairs]
        return "\n".join([*lines, f"else {rule.default}"])
    joiner = "OR" if rule.form == "dnf" else "AND"
    lines = [f"    {joiner if k else '  '} ({clause_line(c)})" for k, c in enumerate(rule.clauses)]
    return "\n".join([f"{rule.labels[0]} if", *lines, f"else {rule.default}"])
