"""A rule as editable rows of a table, and back."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from rulekit.exceptions import RuleError
from rulekit.rules import Clause, Columns, Literal, PointsSplit, RuleSet, scorecard_of
from rulekit.rules.condition import GAPS, NAMES, ORDERED, WORDS, moment, spell_part
from rulekit.rules.literal import OPERATORS
from rulekit.style.phrases import cap_list

COLUMNS = ("clause", "column", "test", "value", "holds if missing", "read as")
SETS = ("in", "not-in")
SHOWN = 8  # levels that a message lists
BELOW = " < "  # between the levels of an order


def rule_to_rows(rule: RuleSet) -> pd.DataFrame:
    """Write a rule of literals as a table, one row per condition.

    Parameters
    ----------
    rule : RuleSet
        Its clauses share one label.

    Returns
    -------
    DataFrame
        ``clause`` (from 1), ``column``, ``test``, ``value`` (text; the values of a set are
        separated by semicolons, levels that contain one are in JSON's quotes), ``holds if missing``
        and ``read as``: empty, "date", "year", "weekday" and so on for a date, or the levels of an
        order, "bad < fair < good".
    """
    rows = [
        (k + 1, c.feature, c.op, _value_text(c.value, c.part), c.missing, c.part or levels)
        for k, clause in enumerate(rule.clauses)
        for c in clause.literals
        for levels in [BELOW.join(map(_write_list_text, c.order or ()))]
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        {**dict.fromkeys(COLUMNS, object), "clause": int, "holds if missing": bool}
    )


def rows_to_rule(rows: pd.DataFrame, rule: RuleSet, columns: Columns) -> RuleSet:
    """Read an edited table back as a rule of the same form, label and default.

    Parameters
    ----------
    rows : DataFrame
        As `rule_to_rows` writes it; rows without a column are left out.
    rule : RuleSet
        The rule the table was made from.
    columns : mapping of column name to array
        The training rows; define the type of each column's values.

    Returns
    -------
    RuleSet
        Clauses are renumbered in the order of their numbers.

    Raises
    ------
    RuleError
        If a cell cannot be read; the condition's row is named.
    """
    clauses: dict[int, list[Literal]] = {}
    for line, row in enumerate(rows.to_dict("records"), start=1):
        if not _blank(row["column"]):
            number = 1 if _blank(row["clause"]) else int(row["clause"])
            clauses.setdefault(number, []).append(_literal(row, line, columns))
    op = "and" if rule.form == "dnf" else "or"
    label = rule.labels[0] if rule.labels else rule.default
    rule_clauses = tuple(Clause(tuple(clauses[number]), op) for number in sorted(clauses))
    labels = (label,) * max(len(rule_clauses), 1 if rule.form == "cnf" else 0)
    return RuleSet(rule_clauses, labels, rule.form, rule.default)


def _literal(row: Mapping[str, Any], line: int, columns: Columns) -> Literal:
    where = f"Row {line} of the rule"
    feature, op = str(row["column"]), str(row["test"])
    if feature not in columns:
        raise RuleError(f"{where}: there is no column {feature!r} among the features.")
    if op not in OPERATORS:
        raise RuleError(f"{where}: choose a test, one of {', '.join(OPERATORS)}.")
    missing = not _blank(row["holds if missing"]) and bool(row["holds if missing"])
    if op in GAPS:
        return Literal(feature, op)
    if _blank(row["value"]):
        raise RuleError(f"{where}: the test {op!r} on {feature!r} needs a value.")
    text, column = str(row["value"]), columns[feature]
    part, order = _scale(row.get("read as"), column, op)
    texts = _parts(text, ";") if op in SETS else [text.strip()]
    if op in WORDS or order is not None or part == "date":
        values: list[Any] = texts
    elif part is not None:
        values = [_part_value(v, part, where) for v in texts]
    else:
        if op in ORDERED and column.dtype == object:
            raise RuleError(
                f"{where}: {feature!r} holds no numbers. Use ==, !=, in or not-in, or write "
                "a part of dates (date, year, month, weekday, hour) or an order of levels "
                "(low < middle < high) into 'read as'."
            )
        values = [_read(v, column, feature, where) for v in texts]
    try:
        value = tuple(values) if op in SETS else values[0]
        return Literal(feature, op, value, missing, part, order)
    except RuleError as error:
        raise RuleError(f"{where}: {error}") from error


def _scale(reading: Any, column: np.ndarray, op: str) -> tuple[str | None, tuple[str, ...] | None]:
    """Parse how a column is read; ordered tests of dates compare the dates."""
    text = "" if _blank(reading) else str(reading).strip()
    if BELOW.strip() in text:
        return None, tuple(_parts(text, BELOW.strip()))
    if text:
        return text, None
    cells = [v for v in column[:1000] if v is not None] if column.dtype == object else []
    dates = bool(cells) and all(isinstance(v, str) and moment(v) for v in cells)
    return ("date" if dates and op in ORDERED else None), None


def _part_value(text: str, part: str, where: str) -> float:
    """Read a number, or the name of a weekday or month."""
    names = [n.lower() for n in NAMES.get(part, ())]
    if text.lower() in names:
        return float(names.index(text.lower()) + 1)
    try:
        return float(text)
    except ValueError:
        raise RuleError(f"{where}: the {part} of a date is a number, found {text!r}.") from None


def _parts(text: str, mark: str) -> list[str]:
    """Split a list of texts; JSON strings stay whole."""
    pieces = re.findall(rf'\s*("(?:[^"\\]|\\.)*"|[^{mark}]*)\s*(?:{mark}|$)', text)
    parts = [v.strip() for v in pieces[: -1 if pieces and not pieces[-1] else None]]
    return [json.loads(v) if v.startswith('"') and v.endswith('"') else v for v in parts]


def _write_list_text(value: str) -> str:
    """Write a text of a list, in quotes where it could be misread."""
    plain = value == value.strip() and value and not set('";<') & set(value)
    return value if plain else json.dumps(value, ensure_ascii=False)


def _read(text: str, column: np.ndarray, feature: str, where: str) -> float | str | bool:
    """Read a value with its column's type: a number, a truth value or text."""
    if column.dtype != object:
        try:
            return float(text)
        except ValueError:
            raise RuleError(
                f"{where}: {feature!r} holds numbers, got {text!r}. Write a number such as 12.5."
            ) from None
    if any(isinstance(v, bool) for v in column[:1000]):
        if text.lower() not in ("true", "false"):
            raise RuleError(f"{where}: {feature!r} is true or false, found {text!r}.")
        return text.lower() == "true"
    levels = sorted({v for v in column if v is not None}, key=str)
    if text not in levels:
        raise RuleError(
            f"{where}: {feature!r} has no value {text!r}. Choose one of "
            f"{cap_list(list(map(repr, levels)), SHOWN)}."
        )
    return text


def _blank(value: Any) -> bool:
    return value is None or value == "" or value != value


def _value_text(value: Any, part: str | None) -> str:
    value = spell_part(value, part)
    if value is None:
        return ""
    if isinstance(value, tuple):
        texts = ((v, _value_text(v, part)) for v in value)
        return "; ".join(_write_list_text(t) if isinstance(v, str) else t for v, t in texts)
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def points_to_rows(rule: RuleSet) -> pd.DataFrame:
    """Write a scorecard as a table, one row per condition.

    Parameters
    ----------
    rule : RuleSet
        A rule that `rulekit.rules.scorecard_of` accepts.

    Returns
    -------
    DataFrame
        The columns of `rule_to_rows` but ``clause``, and ``points``, a whole number.
    """
    points = list(scorecard_of(rule)[0].points)
    return rule_to_rows(_as_dnf(rule)).drop(columns="clause").assign(points=points)


def _as_dnf(rule: RuleSet) -> RuleSet:
    """Return the conditions of a scorecard as one clause."""
    return RuleSet((Clause(scorecard_of(rule)[0].conditions),), (True,), "dnf", False)


def rows_to_points(
    rows: pd.DataFrame, totals: Sequence[int], rule: RuleSet, columns: Columns
) -> RuleSet:
    """Read an edited table back as a scorecard with the same labels.

    Parameters
    ----------
    rows : DataFrame
        As `points_to_rows` writes it; rows without a column, or with 0 points, are left out.
    totals : sequence of int
        The total that each clause requires, highest first.
    rule, columns
        As for `rows_to_rule`.

    Raises
    ------
    RuleError
        If a cell cannot be read (its row is named), no points are left, or a total is reached by no
        row or by every row.
    """
    named = rows[rows["column"].notna() & (rows["column"] != "")]
    points = [_points(value, k) for k, value in enumerate(named["points"], start=1)]
    read = rows_to_rule(named.assign(clause=range(1, len(named) + 1)), _as_dnf(rule), columns)
    with_points = [(c.literals[0], p) for c, p in zip(read.clauses, points, strict=True) if p]
    if not with_points:
        raise RuleError(
            "Some condition must give points other than 0; all of them are 0. Give points, or keep "
            "the scorecard as it was."
        )
    if any(a <= b for a, b in pairwise(totals)):
        raise RuleError(
            "Totals must fall from band to band, the highest first; got "
            f"{', '.join(map(str, totals))}. Change them."
        )
    literals, given = zip(*with_points, strict=True)
    clauses = tuple(Clause((PointsSplit(literals, given, int(total)),)) for total in totals)
    return RuleSet(clauses, rule.labels, "dnf", rule.default)


def _points(value: object, line: int) -> int:
    with suppress(ValueError, OverflowError):
        number = float(str(value))
        if number == int(number):
            return int(number)
    raise RuleError(
        f"Row {line} of the scorecard: its points must be a whole number such as 3 or -2; got "
        f"{value!r}. Write one."
    )
