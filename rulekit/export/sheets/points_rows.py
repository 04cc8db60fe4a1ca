"""A scorecard as editable rows of a table, and back."""

from collections.abc import Sequence
from itertools import pairwise

import pandas as pd

from rulekit.exceptions import RuleError
from rulekit.export.sheets.rows import rows_to_rule, rule_to_rows
from rulekit.rules import Clause, Columns, PointsSplit, RuleSet, scorecard_of


def points_to_rows(rule: RuleSet) -> pd.DataFrame:
    """Write a scorecard as a table, one row per condition.

    Parameters
    ----------
    rule : RuleSet
        One that `rulekit.rules.scorecard_of` reads.

    Returns
    -------
    DataFrame
        The columns of `rule_to_rows` but ``clause``, and ``points``, a whole number.
    """
    first = scorecard_of(rule)[0]
    plain = RuleSet((Clause(first.conditions),), (True,), "dnf", False)
    return rule_to_rows(plain).drop(columns="clause").assign(points=list(first.points))


def rows_to_points(
    rows: pd.DataFrame, totals: Sequence[int], rule: RuleSet, columns: Columns
) -> RuleSet:
    """Read an edited table back as a scorecard with the same labels.

    Parameters
    ----------
    rows : DataFrame
        As `points_to_rows` writes it; rows without a column, and those of 0 points, are left out.
    totals : sequence of int
        What each clause asks for, highest first.
    rule : RuleSet
        The scorecard the table was made from.
    columns : mapping of column name to array
        The training rows; tell which kind of value each column holds.

    Returns
    -------
    RuleSet

    Raises
    ------
    RuleError
        If a cell cannot be read (its row is named), no points are left, or a total is one that no
        row, or every row, reaches.
    """
    named = rows[rows["column"].notna() & (rows["column"] != "")]
    points = [_points(value, k) for k, value in enumerate(named["points"], start=1)]
    plain = RuleSet((Clause(scorecard_of(rule)[0].conditions),), (True,), "dnf", False)
    read = rows_to_rule(named.assign(clause=range(1, len(named) + 1)), plain, columns)
    kept = [(c.literals[0], p) for c, p in zip(read.clauses, points, strict=True) if p]
    if not kept:
        raise RuleError(
            "Some condition must give points other than 0; all of them are 0. Give points, or keep "
            "the scorecard as it was."
        )
    if any(a <= b for a, b in pairwise(totals)):
        raise RuleError(
            "Totals must fall from band to band, the highest first; got "
            f"{', '.join(map(str, totals))}. Change them."
        )
    literals, given = zip(*kept, strict=True)
    clauses = tuple(Clause((PointsSplit(literals, given, int(total)),)) for total in totals)
    return RuleSet(clauses, rule.labels, "dnf", rule.default)


def _points(value: object, place: int) -> int:
    try:
        number = float(str(value))
        if number == int(number):
            return int(number)
    except (ValueError, OverflowError):
        pass
    raise RuleError(
        f"Row {place} of the scorecard: its points must be a whole number such as 3 or -2; got "
        f"{value!r}. Write one."
    )
