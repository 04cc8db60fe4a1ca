"""Rules row by row, value by value, in plain Python."""

import math
import re
from datetime import datetime


def is_missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


TESTS = {
    "missing": lambda value, requested: False,
    "not-missing": lambda value, requested: True,
    "<=": lambda value, requested: value <= requested,
    "<": lambda value, requested: value < requested,
    ">=": lambda value, requested: value >= requested,
    ">": lambda value, requested: value > requested,
    "==": lambda value, requested: value == requested,
    "!=": lambda value, requested: value != requested,
    "in": lambda value, requested: any(value == v for v in requested),
    "not-in": lambda value, requested: all(value != v for v in requested),
}


def literal_holds(literal, value):
    """Evaluate a literal for one value."""
    if is_missing(value):
        return literal.missing
    if literal.op in ("contains", "not-contains"):
        result = literal.value in re.split("[" + re.escape(MARKS) + "]+", value.lower())
        return result == (literal.op == "contains")
    several = isinstance(literal.value, tuple)
    requested = literal.value if several else (literal.value,)
    if literal.order is not None:
        if value not in literal.order:
            return literal.missing
        value, requested = literal.order.index(value), [literal.order.index(v) for v in requested]
    elif literal.part is not None:
        value = read_of(value, literal.part)
        requested = [read_of(v, "date") for v in requested] if literal.part == "date" else requested
    elif literal.op in ("missing", "not-missing"):
        requested = [None]
    return bool(TESTS[literal.op](value, requested if several else requested[0]))


MARKS = " \t\n\r\u00a0.,;:!?()[]\"'/\\-+*=&%#"


def read_of(text, part):
    """Read a part of a date with nothing but `datetime.strptime`."""
    form = "%Y-%m-%d" if len(text) == 10 else "%Y-%m-%d %H:%M:%S"
    result = datetime.strptime(text, form)
    if part.startswith("days since "):
        gap = result - datetime.strptime(part.split()[-1], "%Y-%m-%d")
        return gap.days + gap.seconds / 86_400
    message = {"year": "%Y", "month": "%m", "weekday": "%u", "hour": "%H", "date": "%Y%m%d%H%M%S"}
    return int(result.strftime(message[part]))


def clause_holds(clause, row):
    answers = [literal_holds(c, row[c.feature]) for c in clause.conditions]
    return all(answers) if clause.op == "and" else any(answers)


def decide(rule_set, row):
    """Return the label of one row."""
    fired = [clause_holds(c, row) for c in rule_set.clauses]
    if rule_set.form == "cnf":
        return rule_set.labels[0] if all(fired) else rule_set.default
    for label, hit in zip(rule_set.labels, fired, strict=True):
        if hit:
            return label
    return rule_set.default


def rows_of(columns):
    names = list(columns)
    n = len(columns[names[0]])
    return [{name: columns[name][i] for name in names} for i in range(n)]


def count_clause(rule_set, index, rows, y):
    """Count by going through the rows: matched, alone, right."""
    holds = rule_set.form == "dnf"
    label = rule_set.labels[index] if holds else rule_set.default
    counts = {"n": 0, "n_unique": 0, "positives": 0}
    for row, truth in zip(rows, y, strict=True):
        fired = [clause_holds(c, row) == holds for c in rule_set.clauses]
        if not fired[index]:
            continue
        counts["n"] += 1
        counts["positives"] += truth == label
        counts["n_unique"] += sum(fired) == 1
    return counts
