"""What code in several languages shares: conditions, clauses and power laws as expressions."""

# Power laws keep the order of `PowerLaw.value`, so they give the same doubles: numerators from left
# to right, the product of denominators likewise, the quotient, the weight.

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rulekit.export.subject import check_label
from rulekit.rules import Clause, Condition, PointsSplit, RuleSet, make_cases
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit, WriteNumber
from rulekit.rules.writer import ConditionWriter


class CodeWriter(ConditionWriter[str]):
    """Writes conditions as expressions of a language; templates have its grammar."""

    words: ClassVar[Mapping[str, str]] = {}  # for "and", "or", "not", "true" and "false"
    negation: ClassVar[str] = "not {}"
    larger: ClassVar[str] = "max({}, {})"
    term: ClassVar[str] = "({points} if {test} else 0)"
    total: ClassVar[tuple[str, str]]  # around a sum of points, and between them

    @abstractmethod
    def read_number(self, feature: str) -> str:
        """Write a column as a number."""

    @abstractmethod
    def source(self, value: Any) -> str:
        """Write a constant."""

    @abstractmethod
    def with_gap(self, condition: Condition, test: str) -> str:
        """Write a test together with its result for missing values."""

    def word(self, word: str) -> str:
        """Write one of `words`, by default unchanged."""
        return self.words.get(word, word)

    def linear(self, split: LinearSplit) -> str:
        """Write the test of a weighted sum."""
        test = f"{self.linear_sum(split)} <= {self.source(split.value)}"
        return self.with_gap(split, test if split.op == "<=" else self.negation.format(test))

    def linear_sum(self, split: LinearSplit) -> str:
        """Write a weighted sum, added in the order of `total`."""
        return split.sum_text(self.read_number, self.source)

    def power_law(self, split: PowerLawSplit) -> str:
        """Write the test of a sum of power laws."""
        total = self.power_law_sum(split)
        test = f"{total} <= {self.source(split.high)}"
        if split.low is not None:
            test = f"({test}) {self.word('and')} ({total} >= {self.source(split.low)})"
        return self.with_gap(split, test if split.inside else f"{self.word('not')} ({test})")

    def power_law_sum(self, split: PowerLawSplit) -> str:
        """Write a sum of power laws, multiplied in the order of `PowerLaw.value`."""
        return write_sum(split, self.factor, self.source)

    def factor(self, factor: Factor) -> str:
        """Write the base of a power."""
        text = self.read_number(factor.feature)
        if factor.floor is not None:
            text = self.larger.format(text, self.source(factor.floor))
        return subtract_shift(text, factor, self.source)

    def points(self, split: PointsSplit) -> str:
        """Write the test of points."""
        sign, total = split.comparison
        return f"{self.score(split)} {sign} {total}"

    def score(self, split: PointsSplit) -> str:
        """Write the sum of points, one line per condition."""
        terms = (self.term.format(test=self.literal(c), points=p) for c, p in split.given)
        around, between = self.total
        return around.format(between.join(terms))


class FunctionWriter(CodeWriter):
    """Writes a rule as the body of a function of a row, with a variable per column."""

    language: ClassVar[str]
    indent: ClassVar[int]  # width of one level
    read: ClassVar[str]
    branch: ClassVar[str]
    answer: ClassVar[str]
    case: ClassVar[str]

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = variables

    @classmethod
    def write_body(cls, rule: RuleSet) -> str:
        """Write the reading of the columns, the decisions and the default."""
        writer = cls({f: f"x{i}" for i, f in enumerate(rule.features, start=1)})
        lines = [cls.read.format(x, writer.source(f)) for f, x in writer.variables.items()]
        if rule.form == "cnf":  # one test of all clauses
            parts = [f"({writer._join(c, 'or', 3) or writer.word('false')})" for c in rule.clauses]
            tests = [f"\n{' ' * cls.indent * 2}{writer.word('and')} ".join(parts)]
        else:
            tests = [writer._join(clause, "and", 2) for clause in rule.clauses]
        for test, label in zip(tests, rule.labels, strict=False):
            lines.append(cls.branch.format(test or writer.word("true"), writer.label(label)))
        return "\n".join([*lines, cls.answer.format(writer.label(rule.default))])

    @classmethod
    def write_cases(cls, rule: RuleSet) -> str:
        """Write the test cases of a rule, a line each."""
        writer, lines = cls({}), []
        for case in make_cases(rule):
            cells = (f"{writer.key(f)}: {writer.source(v)}" for f, v in case.row.items())
            answer, shows = writer.label(case.answer), writer.source(case.shows)
            lines.append(cls.case.format(", ".join(cells), answer, shows))
        return "".join(lines)

    def key(self, name: str) -> str:
        """Write the key of a cell."""
        return self.source(name)

    def label(self, label: Any) -> str:
        """Write a label."""
        return self.source(check_label(label, self.language))

    def _join(self, clause: Clause, word: str, level: int) -> str:
        start = f"\n{' ' * self.indent * level}{self.word(word)} "
        return start.join(map(self.write, clause.conditions))


def write_sum(split: PowerLawSplit, base: Callable[[Factor], str], number: WriteNumber) -> str:
    """Write the sum of a split with a writer of factors."""
    total = ""
    for term in split.terms:
        sign = f" {'-' if term.weight < 0 else '+'} " if total else ""
        weight = number(abs(term.weight) if total else term.weight)
        total += f"{sign}{weight} * {law_text(term, base)}"
    return total


def law_text(
    law: PowerLaw, base: Callable[..., str], times: str = " * ", over: str = " / ", one: str = "1.0"
) -> str:
    """Write a product of powers without its weight, the denominators' product below."""
    up, down = (
        times.join(base(f) for f in factors for _ in range(abs(f.exponent)))
        for factors in (law.numerators, law.denominators)
    )
    return f"(({up or one}){over}({down}))" if down else f"({up})"


def subtract_shift(text: str, factor: Factor, number: WriteNumber) -> str:
    """Subtract the shift; x - (-3) is written x + 3, which is the same double."""
    inner = text if factor.floor is None else f"({text})"
    if not factor.shift:
        return inner
    return f"({inner} {'-' if factor.shift > 0 else '+'} {number(abs(factor.shift))})"
