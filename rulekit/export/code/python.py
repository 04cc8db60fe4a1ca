"""Rules as a Python module without dependencies."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rulekit.export.code.formulas import computed, shifted
from rulekit.export.subject import checked_label, exported_rule
from rulekit.rules import (
    Clause,
    Condition,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLawSplit,
    RuleSet,
)
from rulekit.rules.scales import DAYS_SINCE, GAPS, SEPARATORS, WORDS
from rulekit.rules.writer import ConditionWriter

HEAD = '''"""A rule as a function. It needs no library.

`predict_row` takes one row, a dict from column name to value, and returns its label; `predict` does
so for many rows. None and NaN count as missing; a column that is not there is a KeyError.
"""


def missing(value):
    """Return whether a value is missing."""
    return value is None or value != value

'''
MOMENT = '''
def moment(value):
    """Read a date, a time with it or not, or its text "2024-03-01 12:30:00"."""
    from datetime import datetime

    return datetime.fromisoformat(str(value)[:19])

'''
FOLDED = '''
def words(value):
    """Fold a text to its words in lower case, a blank before, between and after them."""
    return " " + value.translate({{ord(c): " " for c in {marks}}}).lower() + " "

'''
ROW = '''
def predict_row(row):
    """Return the label of one row."""
'''
TAIL = '''

def predict(rows):
    """Return the label of each row."""
    return [predict_row(row) for row in rows]
'''


def to_python(model: Any) -> str:
    """Write a rule as a Python module with `predict_row(row)` and `predict(rows)`.

    Parameters
    ----------
    model : RuleSet or fitted model
        The rule to write.

    Returns
    -------
    str
        Source that runs on any Python 3 without imports. Names and values are quoted texts only, so
        no column name can become code.

    Raises
    ------
    ExportError
        If there is no rule, or it has labels that cannot be written as Python source.

    Examples
    --------
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> module = {}
    >>> exec(to_python(rule), module)
    >>> module["predict"]([{"age": 60}, {"age": 40}, {"age": None}])
    ['ill', 'well', 'well']
    """
    rule = exported_rule(model)
    variables = {f: f"x{i}" for i, f in enumerate(rule.features, start=1)}
    lines = [f"    {variable} = row[{feature!r}]" for feature, variable in variables.items()]
    lines += _decisions(rule, PythonWriter(variables))
    lines.append(f"    return {value_source(checked_label(rule.default, 'Python'))}")
    tests = [t for k in rule.clauses for c in k.conditions for t in c.tests]
    head = HEAD + (MOMENT if any(t.part for t in tests) else "")
    if any(t.op in WORDS for t in tests):
        head += FOLDED.format(marks=repr(SEPARATORS))
    return head + ROW + "\n".join(lines) + "\n" + TAIL


def _decisions(rule: RuleSet, writer: "PythonWriter") -> list[str]:
    """Write one `if` per clause of a DNF, one for all clauses of a CNF."""
    if rule.form == "cnf":
        parts = [f"({_joined(c, writer, 'or', 12) or 'False'})" for c in rule.clauses]
        return _branch("\n        and ".join(parts) or "True", rule.labels[0])
    lines = []
    for clause, label in zip(rule.clauses, rule.labels, strict=True):
        lines += _branch(_joined(clause, writer, "and", 8) or "True", label)
    return lines


def _joined(clause: Clause, writer: "PythonWriter", word: str, indent: int) -> str:
    return f"\n{' ' * indent}{word} ".join(map(writer.write, clause.conditions))


def _branch(test: str, label: Any) -> list[str]:
    answer = value_source(checked_label(label, "Python"))
    return ["    if (", f"        {test}", "    ):", f"        return {answer}"]


@dataclass(frozen=True)
class PythonWriter(ConditionWriter[str]):
    """Writes conditions as Python expressions over one variable per column."""

    variables: Mapping[str, str]

    def literal(self, literal: Literal) -> str:
        """Write a test: `(not missing(x1) and x1 > 50.0)`."""
        literal = literal.as_set()
        x = self.variables[literal.feature]
        if literal.op in GAPS:
            return f"{'not ' if literal.op == 'not-missing' else ''}missing({x})"
        if literal.op in WORDS:
            test = f"{value_source(f' {literal.value} ')} in words({x})"
            return self._with_gap(literal, test if literal.op == "contains" else f"not {test}")
        op = {"not-in": "not in"}.get(literal.op, literal.op)
        return self._with_gap(literal, f"{self._read(literal)} {op} {self._compared(literal)}")

    def _read(self, literal: Literal) -> str:
        """Write the compared value: a column's value, or a part of its date."""
        x, part = self.variables[literal.feature], literal.part
        if part is None:
            return x
        if part == "date":
            return f"moment({x})"
        if part == "weekday":
            return f"moment({x}).isoweekday()"
        if part.startswith(DAYS_SINCE):
            since = value_source(part.removeprefix(DAYS_SINCE))
            return f"(moment({x}) - moment({since})).total_seconds() / 86400.0"
        return f"moment({x}).{part}"

    def _compared(self, literal: Literal) -> str:
        if literal.part != "date":
            return value_source(literal.value)
        moments = [f"moment({value_source(v)})" for v in literal.values]
        return f"({', '.join(moments)},)" if isinstance(literal.value, tuple) else moments[0]

    def linear(self, split: LinearSplit) -> str:
        """Return the weighted sum, added in the order of `total`."""
        total = split.sum_text(self.variables.__getitem__, value_source)
        test = f"{total} <= {value_source(split.value)}"
        return self._with_gap(split, test if split.op == "<=" else f"not {test}")

    def power_law(self, split: PowerLawSplit) -> str:
        """Return the sum of power laws, multiplied in the order of `PowerLaw.value`."""
        return self._with_gap(split, computed(split, self._factor, value_source))

    def points(self, split: PointsSplit) -> str:
        """Write points, one line per condition."""
        given = [f"({p} if {self.literal(c)} else 0)" for c, p in split.given]
        score = "\n            + ".join(given)
        sign, total = split.comparison
        return f"(\n            {score}\n        ) {sign} {total}"

    def _factor(self, factor: Factor) -> str:
        text = self.variables[factor.feature]
        if factor.floor is not None:
            text = f"max({text}, {value_source(factor.floor)})"
        return shifted(text, factor, value_source)

    def _with_gap(self, condition: Condition, test: str) -> str:
        absent = [f"missing({self.variables[f]})" for f in condition.features]
        if condition.missing:
            return f"({' or '.join(absent)} or {test})"
        any_absent = absent[0] if len(absent) == 1 else f"({' or '.join(absent)})"
        return f"(not {any_absent} and {test})"


def value_source(value: Any) -> str:
    """Write a value as Python source, infinities included."""
    if isinstance(value, tuple):
        return f"({', '.join(value_source(v) for v in value)},)"
    if isinstance(value, float) and math.isinf(value):
        return f"float({str(value)!r})"
    return repr(value)
