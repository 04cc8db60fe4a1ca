"""Small changes of a rule (parts left out, limits moved), and test cases that notice them."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np

from rulekit.exceptions import RuleError
from rulekit.rules.analysis.row_search import Row, RowSearch, TooLongError, columns_of_rows
from rulekit.rules.condition import Condition, number_text, spell_part, unseen_text, value_text
from rulekit.rules.literal import Literal, Value
from rulekit.rules.points_split import PointsSplit, scorecard_of
from rulekit.rules.rule_set import Clause, Label, RuleSet, rule_of
from rulekit.rules.schema import ColumnSchema, Schema, schema_of

MOST_STEPS = 500_000  # of all searches, each as long as the rule has conditions
MOST_CHANGES = 500
MOST_TESTS = 50_000  # of changed rules on a row
NEAR = 1e-6  # relative distance of a case from the limit of a sum
Shown = tuple[Row, str]  # a row, and what it shows


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
    if rule.is_constant or rule.n_conditions > RowSearch.MOST_CONDITIONS:
        return ()
    dnf, schema = rule.as_dnf, schema_of(rule)
    search = RowSearch(dnf, schema, MOST_STEPS // dnf.n_conditions)
    most = min(MOST_CHANGES, MOST_TESTS // dnf.n_conditions)
    changes = list(islice(mutations(dnf, schema), most))
    found: list[Shown] = []
    for mutation in changes:
        known = columns_of_rows([row for row, _ in found], rule.features)
        if found and (mutation.rule.predict(known) != dnf.predict(known)).any():
            continue
        with suppress(TooLongError):
            row = search.first_difference(dnf, mutation.rule, mutation.clause)
            if row is not None:
                found.append((row, mutation.text))
    if not found:
        return ()
    known = columns_of_rows([row for row, _ in found], rule.features)
    answers = dnf.predict(known)
    noticed = np.array([m.rule.predict(known) != answers for m in changes])
    kept = np.ones(len(found), dtype=bool)
    for k in reversed(range(len(found))):  # needless if other cases notice the same changes
        kept[k] = False
        kept[k] = (noticed.any(axis=1) & ~noticed[:, kept].any(axis=1)).any()
    found = [case for case, needed in zip(found, kept, strict=True) if needed]
    unseen = []
    for column in schema.columns if found else ():
        if column.kind == "level":
            row = found[0][0]
            level = unseen_text([*(column.levels or ()), row[column.name]])
            unseen.append(({**row, column.name: level}, f"{column.name} has a level never seen"))
    found += [*_move_beside_sums(dnf, found), *unseen]
    if not found:
        return ()
    predicted = rule.predict(columns_of_rows([row for row, _ in found], rule.features))
    return tuple(RuleCase(row, v, text) for (row, text), v in zip(found, predicted, strict=True))


def _move_beside_sums(rule: RuleSet, found: Sequence[Shown]) -> Iterator[Shown]:
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


STRICT = {"<=": "<", "<": "<=", ">=": ">", ">": ">="}
MOST_DECIMALS = 12


@dataclass(frozen=True)
class Mutation:
    """A changed rule."""

    # "clause", "condition" or "level" (left out), "label", "limit", "gap" or "points" (changed)
    part: str
    rule: RuleSet
    clause: int | None  # the only one that is changed, None if there are several
    condition: Condition | None
    text: str  # what a row shows that both rules answer otherwise
    shorter: bool = False  # the rule has fewer parts
    level: str = ""  # left out


def mutations(rule: RuleSet, schema: Schema) -> Iterator[Mutation]:
    """List the small changes of a DNF; those of points are made in every clause that has them."""
    for k, label in enumerate(rule.labels):
        if (other := next((v for v in rule.classes if v != label), None)) is not None:
            labels = (*rule.labels[:k], other, *rule.labels[k + 1 :])
            text = f"{clause_name(rule, k)} decides"
            yield Mutation("label", replace(rule, labels=labels), k, None, text)
    for label in rule.classes[:-1][:1]:
        text = f"{clause_name(rule, rule.n_clauses)} decides"
        yield Mutation("label", replace(rule, default=label), None, None, text)
    for k, clause in enumerate(rule.clauses):
        name = clause_name(rule, k)
        without = rule.take_clauses(j for j in range(rule.n_clauses) if j != k)
        yield Mutation("clause", without, k, None, f"{name} matters", True)
        for condition in clause.conditions:
            kept = (c for c in clause.conditions if c != condition)
            shorter, text = rule.with_conditions(k, kept), f"{name} needs {condition}"
            yield Mutation("condition", shorter, k, condition, text, True)
            if isinstance(condition, Literal):
                of_column = schema.column(condition.feature)
                for part, changed, text, level in _vary(condition, of_column):
                    conditions = (changed if c == condition else c for c in clause.conditions)
                    mutated = rule.with_conditions(k, conditions)
                    yield Mutation(part, mutated, k, condition, text, part == "level", level)
    yield from _change_points(rule, schema)


def clause_name(rule: RuleSet, k: int, word: str = "clause") -> str:
    """Return how a clause is called: by its number, of a scorecard by its total."""
    bands = scorecard_of(rule)
    if k == rule.n_clauses:
        return "a lower total" if bands else f"no {word}"
    return f"a total of {bands[k].total} or more" if bands else f"{word} {k + 1}"


def _vary(literal: Literal, column: ColumnSchema | None) -> Iterator[tuple[str, Literal, str, str]]:
    """List changes of one test: the part, the changed test, what a row shows, a level."""
    changes: list[tuple[str, dict[str, Any], str, str]] = []
    text = str(literal)
    names = [value_text(spell_part(value, literal.part)) for value in literal.values]
    if literal.op in STRICT:
        changes = [("limit", {"op": STRICT[literal.op]}, f"{text}, at {names[0]}", "")]
        beside = _list_near_limits(literal, column)
        changes += [("limit", {"value": v}, f"{text}, near {names[0]}", "") for v in beside]
    if literal.op in ("==", "in"):
        more = {"op": "in", "value": (*literal.values, _other_value(literal))}
        changes.append(("limit", more, f"{text}, at another value", ""))
    if literal.op in ("==", "!=") and literal.missing == (literal.op == "=="):
        op = "missing" if literal.missing else "not-missing"
        unread = {"op": op, "value": None, "part": None, "order": None}
        changes.append(("limit", unread, f"{text}, at {names[0]}", ""))
    for level, name in zip(literal.values, names, strict=True) if len(names) > 1 else ():
        kept = tuple(v for v in literal.values if v != level)
        changes.append(("level", {"value": kept}, f"{text}, at {name}", name))
    if literal.values:
        turned = {"missing": not literal.missing}
        changes.append(("gap", turned, f"{literal.feature} is missing", ""))
    for part, changed, what, level in changes:
        with suppress(RuleError):  # a test of an order must divide its levels
            yield part, replace(literal, **changed), what, level


def _other_value(literal: Literal) -> Any:
    """Return a value that a test does not name."""
    named = literal.values
    if literal.order is not None:
        return next((level for level in literal.order if level not in named), named[0])
    if isinstance(named[0], float):
        return max(v for v in named if isinstance(v, float)) + 1.0
    if isinstance(named[0], bool):
        return not named[0]
    return unseen_text(named) if literal.is_plain else "2000-02-29 12:00:00"


def _list_near_limits(literal: Literal, column: ColumnSchema | None) -> list[Value]:
    """Return limits a little below and above a limit; none beside a level."""
    value = literal.value
    if literal.order is not None:
        return []
    if not isinstance(value, float):  # a date
        (days,) = literal.positions
        return [literal.value_at(float(days) + day) for day in (-1.0, 1.0)]
    if column is not None and column.kind == "whole number":
        return [value - 1.0, value + 1.0]
    decimals = -int(Decimal(number_text(value)).as_tuple().exponent)
    step = 10.0 ** -(max(decimals, 0) + 1)
    if decimals > MOST_DECIMALS or value + step == value or value - step == value:
        return [float(np.nextafter(value, end)) for end in (-np.inf, np.inf)]
    return [round(value + way * step, decimals + 1) for way in (-1, 1)]


def _change_points(rule: RuleSet, schema: Schema) -> Iterator[Mutation]:
    splits = [c for c in rule.conditions if isinstance(c, PointsSplit)]
    for literal, points in dict.fromkeys(g for split in splits for g in split.given):
        text = f"{points} points if {literal}"
        changes: list[tuple[str, Literal, int, str, str]] = [("condition", literal, 0, text, "")]
        # points that are one off need not change an answer where points that are two off do
        changes += [
            ("points", literal, points + k, text, "") for k in (1, -1, 2, -2, 3, -3) if points + k
        ]
        turned = _vary(literal, schema.column(literal.feature))
        changes += [(part, test, points, text, level) for part, test, text, level in turned]
        for part, changed, given, text, level in changes:
            new = {(literal, points): (changed, given)}

            def change(condition: Condition, new: Any = new) -> Condition:
                if not isinstance(condition, PointsSplit):
                    return condition
                return condition.with_given([new.get(g, g) for g in condition.given])

            with suppress(RuleError):  # a sum may then divide no rows
                clauses = tuple(Clause(tuple(map(change, c.conditions))) for c in rule.clauses)
                mutated, shorter = replace(rule, clauses=clauses), part in ("condition", "level")
                yield Mutation(part, mutated, None, literal, text, shorter, level)
