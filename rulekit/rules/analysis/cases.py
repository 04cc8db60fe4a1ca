"""Test cases of a rule: few rows with their answers that any small change of the rule breaks."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from rulekit.rules.analysis.mutations import mutations
from rulekit.rules.analysis.row_search import (
    MOST_CONDITIONS,
    Row,
    RowSearch,
    TooLongError,
    columns_of_rows,
)
from rulekit.rules.condition import unseen_text
from rulekit.rules.rule_set import Label, RuleSet, rule_of
from rulekit.rules.schema import Schema, schema_of

MOST_STEPS = 500_000  # of all searches, each as long as the rule has conditions
MOST_CHANGES = 500
MOST_TESTS = 50_000  # of changed rules on a row
NEAR = 1e-6  # relative distance of a case from the limit of a sum


@dataclass(frozen=True)
class RuleCase:
    """A row, the answer of the rule, and what the row shows.

    Attributes
    ----------
    row : dict
        A value for each column that the rule reads, None where it is missing.
    answer : label
    shows : str
    """

    row: Row
    answer: Label
    shows: str


def make_cases(model: Any) -> tuple[RuleCase, ...]:
    """Make test cases for a rule, from its conditions alone.

    Parameters
    ----------
    model : RuleSet or fitted model

    Returns
    -------
    tuple of RuleCase
        A case for each clause, outcome and condition, both sides of each limit, each level, a level
        that no condition names, and missing values, where these matter. As few as are needed: each
        case notices a changed rule that no other case notices.

    Notes
    -----
    For each small change of the rule (a part left out, a limit moved by its last decimal place, a
    level lost, other points) a row with another answer is searched for as in `verify_rule`. Changes
    without such a row need no case. Sums of columns have a case a little on each side of a limit.
    Of a rule with more than 100 conditions only the first changes are looked at: 50 000 divided by
    the number of conditions; with more than 300 conditions there are no cases.

    Examples
    --------
    >>> from rulekit.rules import Clause, Literal
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> for case in make_cases(rule):
    ...     print(case.row["age"], case.answer)
    50.0 well
    50.1 ill
    None well
    """
    rule = rule_of(model)
    if rule.is_constant or rule.n_conditions > MOST_CONDITIONS:
        return ()
    dnf = rule.as_dnf
    schema = schema_of(rule)
    search = RowSearch(dnf, schema, MOST_STEPS // dnf.n_conditions)
    most = min(MOST_CHANGES, MOST_TESTS // dnf.n_conditions)
    changes = list(islice(mutations(dnf, schema), most))
    found: list[tuple[Row, str]] = []
    for mutation in changes:
        known = columns_of_rows([row for row, _ in found], rule.features)
        if found and (mutation.rule.predict(known) != dnf.predict(known)).any():
            continue
        with suppress(TooLongError):
            row = search.first_difference(dnf, mutation.rule, mutation.clause)
            if row is not None:
                found.append((row, mutation.text))
    found = _drop_needless(dnf, [m.rule for m in changes], found)
    found += [*_move_beside_sums(dnf, found), *_with_unseen_levels(schema, found)]
    if not found:
        return ()
    predicted = rule.predict(columns_of_rows([row for row, _ in found], rule.features))
    return tuple(RuleCase(row, v, text) for (row, text), v in zip(found, predicted, strict=True))


def _drop_needless(
    rule: RuleSet, changed: Sequence[RuleSet], found: Sequence[tuple[Row, str]]
) -> list[tuple[Row, str]]:
    """Drop cases whose changed rules other cases notice as well, later ones first."""
    if not found:
        return []
    columns = columns_of_rows([row for row, _ in found], rule.features)
    predicted = rule.predict(columns)
    noticed = np.array([other.predict(columns) != predicted for other in changed])
    kept = np.ones(len(found), dtype=bool)
    for k in reversed(range(len(found))):
        kept[k] = False
        if (noticed.any(axis=1) & ~noticed[:, kept].any(axis=1)).any():
            kept[k] = True
    return [case for case, needed in zip(found, kept, strict=True) if needed]


def _move_beside_sums(rule: RuleSet, found: Sequence[tuple[Row, str]]) -> Iterator[tuple[Row, str]]:
    """Move one column of a case to either side of the limit of each sum of columns."""
    for condition in rule.conditions:
        if condition.tests:
            continue
        options = (
            (row, name, limit)
            for row, _ in found
            for name in condition.features
            if None not in row.values() and not isinstance(row[name], bool)
            for limit in condition.limits(name, row)[:1]
        )
        for row, name, limit in options:
            step = NEAR * max(abs(limit), 1.0)
            moved = [{**row, name: float(f"{limit + s:.9g}")} for s in (-step, step)]
            below, above = rule.predict(columns_of_rows(moved, rule.features))
            if below != above:
                yield from ((near, f"near the limit of {condition}") for near in moved)
                yield {**row, name: None}, f"{name} is missing"
                break


def _with_unseen_levels(
    schema: Schema, found: Sequence[tuple[Row, str]]
) -> Iterator[tuple[Row, str]]:
    """Replace a level of a case by one that is new, for each column."""
    for column in schema.columns:
        if column.kind == "level" and found:
            row = found[0][0]
            level = unseen_text([*(column.levels or ()), row[column.name]])
            yield {**row, column.name: level}, f"{column.name} has a level never seen"
