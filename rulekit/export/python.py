"""Rules as a Python module that needs nothing but Python."""

import math
from typing import Any

from rulekit.export.formulas import formula_python
from rulekit.export.subject import check_expressible, checked_label, exported_rule
from rulekit.rules import Clause, LinearSplit, Literal, PowerLawSplit, RuleSet
from rulekit.rules.clause import Condition

HEAD = '''"""A rule as a function. It needs no library.

`predict_row` takes one row, a dict from column name to value, and gives its label; `predict` does
so for many rows. None and NaN count as missing; a column that is not there is a KeyError.
"""


def missing(value):
    """Say whether a value is missing."""
    return value is None or value != value


def predict_row(row):
    """Give one row its label."""
'''
TAIL = '''

def predict(rows):
    """Give each row its label."""
    return [predict_row(row) for row in rows]
'''


def to_python(model: Any) -> str:
    """Write a rule as a Python module with `predict_row(row)` and `predict(rows)`.

    Parameters
    ----------
    model : RuleSet or fitted model
        What is written.

    Returns
    -------
    str
        Source that runs on any Python 3 without imports. Names and values stand in it as quoted
        texts only, so no column name can become code.

    Raises
    ------
    ExportError
        If there is no rule, or it has conditions or labels that Python source cannot express here.

    Examples
    --------
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> module = {}
    >>> exec(to_python(rule), module)
    >>> module["predict"]([{"age": 60}, {"age": 40}, {"age": None}])
    ['ill', 'well', 'well']
    """
    rule = exported_rule(model)
    check_expressible(rule, "Python")
    variables = {f: f"x{i}" for i, f in enumerate(rule.features, start=1)}
    lines = [f"    {variable} = row[{feature!r}]" for feature, variable in variables.items()]
    lines += _decisions(rule, variables)
    lines.append(f"    return {value_source(checked_label(rule.default, 'Python'))}")
    return HEAD + "\n".join(lines) + "\n" + TAIL


def _decisions(rule: RuleSet, variables: dict[str, str]) -> list[str]:
    """Write one `if` a clause of a DNF, one for all clauses of a CNF."""
    if rule.form == "cnf":
        parts = [_joined(c, variables, "        ") for c in rule.clauses] or ["True"]
        test = "\n        and ".join(parts)
        return _branch(test, rule.labels[0])
    lines = []
    for clause, label in zip(rule.clauses, rule.labels, strict=True):
        test = "\n        and ".join(_tests(clause, variables)) or "True"
        lines += _branch(test, label)
    return lines


def _branch(test: str, label: Any) -> list[str]:
    answer = value_source(checked_label(label, "Python"))
    return ["    if (", f"        {test}", "    ):", f"        return {answer}"]


def _joined(clause: Clause, variables: dict[str, str], indent: str) -> str:
    tests = f"\n{indent}    or ".join(_tests(clause, variables)) or "False"
    return f"({tests})"


def _tests(clause: Clause, variables: dict[str, str]) -> list[str]:
    return [_condition(c, variables) for c in clause.conditions]


def _condition(condition: Condition, variables: dict[str, str]) -> str:
    if isinstance(condition, (LinearSplit, PowerLawSplit)):
        return _sum(condition, variables)
    assert isinstance(condition, Literal)
    return _test(condition, variables[condition.feature])


def _sum(split: LinearSplit | PowerLawSplit, variables: dict[str, str]) -> str:
    """Write a sum in the order in which its `total` takes it."""
    if isinstance(split, PowerLawSplit):
        test = formula_python(split, variables.__getitem__, value_source)
    else:
        total = split.sum_text(variables.__getitem__, value_source)
        test = f"{total} <= {value_source(split.value)}"
        test = test if split.op == "<=" else f"not {test}"
    absent = [f"missing({variables[f]})" for f in split.features]
    if split.missing:
        return f"({' or '.join(absent)} or {test})"
    return f"(not ({' or '.join(absent)}) and {test})"


def _test(literal: Literal, x: str) -> str:
    if literal.op == "missing":
        return f"missing({x})"
    if literal.op == "not-missing":
        return f"not missing({x})"
    op = {"not-in": "not in"}.get(literal.op, literal.op)
    test = f"{x} {op} {value_source(literal.value)}"
    return f"(missing({x}) or {test})" if literal.missing else f"(not missing({x}) and {test})"


def value_source(value: Any) -> str:
    """Write a value as Python source, infinities included."""
    if isinstance(value, tuple):
        return f"({', '.join(value_source(v) for v in value)},)"
    if isinstance(value, float) and math.isinf(value):
        return f"float({str(value)!r})"
    return repr(value)
