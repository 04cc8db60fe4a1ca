"""A rule as rows of a table that can be changed by hand, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rulekit.exceptions import RuleError
from rulekit.rules import OPERATORS, ORDERED, Clause, Columns, Literal, RuleSet

COLUMNS = ("clause", "column", "test", "value", "holds if missing")
SETS = ("in", "not-in")
WITHOUT_VALUE = ("missing", "not-missing")


def rule_to_rows(rule: RuleSet) -> pd.DataFrame:
    """Write a rule of literals as a table, a row a condition.

    Parameters
    ----------
    rule : RuleSet
        Its clauses share one label.

    Returns
    -------
    DataFrame
        ``clause`` (from 1), ``column``, ``test``, ``value`` (text; the values of a set are
        separated by semicolons) and ``holds if missing``.
    """
    rows = [
        (k + 1, c.feature, c.op, _value_text(c.value), c.missing)
        for k, clause in enumerate(rule.clauses)
        for c in clause.literals
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        {"clause": int, "column": object, "test": object, "value": object, "holds if missing": bool}
    )


def rows_to_rule(rows: pd.DataFrame, rule: RuleSet, columns: Columns) -> RuleSet:
    """Read a changed table back as a rule of the same form, label and default.

    Parameters
    ----------
    rows : DataFrame
        As `rule_to_rows` writes it; rows without a column are left out.
    rule : RuleSet
        The rule the table was made from.
    columns : mapping of column name to array
        The training rows; tell which kind of value each column holds.

    Returns
    -------
    RuleSet
        Clauses are numbered anew in the order of their numbers.

    Raises
    ------
    RuleError
        If a cell cannot be read; the condition's row is named.
    """
    clauses: dict[int, list[Literal]] = {}
    for place, row in enumerate(rows.to_dict("records"), start=1):
        if not _blank(row["column"]):
            number = 1 if _blank(row["clause"]) else int(row["clause"])
            clauses.setdefault(number, []).append(_literal(row, place, columns))
    op = "and" if rule.form == "dnf" else "or"
    label = rule.labels[0] if rule.labels else rule.default
    made = tuple(Clause(tuple(clauses[number]), op) for number in sorted(clauses))
    labels = (label,) * max(len(made), 1 if rule.form == "cnf" else 0)
    return RuleSet(made, labels, rule.form, rule.default)


def _literal(row: Mapping[str, Any], place: int, columns: Columns) -> Literal:
    where = f"Row {place} of the rule"
    feature, op = str(row["column"]), str(row["test"])
    if feature not in columns:
        raise RuleError(f"{where}: there is no column {feature!r} among the features.")
    if op not in OPERATORS:
        raise RuleError(f"{where}: choose a test, one of {', '.join(OPERATORS)}.")
    missing = not _blank(row["holds if missing"]) and bool(row["holds if missing"])
    if op in WITHOUT_VALUE:
        return Literal(feature, op)
    if _blank(row["value"]):
        raise RuleError(f"{where}: the test {op!r} on {feature!r} needs a value.")
    text, column = str(row["value"]), columns[feature]
    if op in SETS:
        values = tuple(_read(v.strip(), column, feature, where) for v in text.split(";"))
        return Literal(feature, op, values, missing)
    if op in ORDERED and column.dtype == object:
        raise RuleError(f"{where}: {feature!r} holds no numbers; use ==, !=, in or not-in.")
    return Literal(feature, op, _read(text.strip(), column, feature, where), missing)


def _read(text: str, column: np.ndarray, feature: str, where: str) -> float | str | bool:
    """Read a value as the column holds it: a number, a truth value or text."""
    if column.dtype != object:
        try:
            return float(text)
        except ValueError:
            raise RuleError(
                f"{where}: {feature!r} holds numbers, {text!r} is none; write 12.5, with a point."
            ) from None
    if any(isinstance(v, bool) for v in column[:1000]):
        if text.lower() not in ("true", "false"):
            raise RuleError(f"{where}: {feature!r} is true or false, found {text!r}.")
        return text.lower() == "true"
    return text


def _blank(value: Any) -> bool:
    return value is None or value == "" or value != value


def _value_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return "; ".join(_value_text(v) for v in value)
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
