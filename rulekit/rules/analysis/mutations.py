"""Small changes of a rule: parts left out, limits moved, levels and points changed."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from rulekit.exceptions import RuleError
from rulekit.rules.condition import (
    GAPS,
    Condition,
    number_text,
    spell_part,
    unseen_text,
    value_text,
)
from rulekit.rules.literal import Literal, Value
from rulekit.rules.points_split import PointsSplit, scorecard_of
from rulekit.rules.rule_set import Clause, RuleSet
from rulekit.rules.schema import ColumnSchema, Schema

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
        other = next((v for v in rule.classes if v != label), None)
        if other is not None:
            labels = (*rule.labels[:k], other, *rule.labels[k + 1 :])
            text = f"{clause_name(rule, k)} decides"
            yield Mutation("label", replace(rule, labels=labels), k, None, text)
    for label in rule.classes[:-1][:1]:
        yield Mutation(
            "label",
            replace(rule, default=label),
            None,
            None,
            f"{clause_name(rule, rule.n_clauses)} decides",
        )
    for k, clause in enumerate(rule.clauses):
        without = RuleSet(
            (*rule.clauses[:k], *rule.clauses[k + 1 :]),
            (*rule.labels[:k], *rule.labels[k + 1 :]),
            "dnf",
            rule.default,
            rule.schema,
        )
        yield Mutation("clause", without, k, None, f"{clause_name(rule, k)} matters", True)
        for condition in clause.conditions:
            yield Mutation(
                "condition",
                _exchange(rule, k, condition, None),
                k,
                condition,
                f"{clause_name(rule, k)} needs {condition}",
                True,
            )
            if isinstance(condition, Literal):
                of_column = schema.column(condition.feature)
                for part, changed, text, level in _change(condition, of_column):
                    mutated = _exchange(rule, k, condition, changed)
                    yield Mutation(part, mutated, k, condition, text, part == "level", level)
    yield from _change_points(rule, schema)


def clause_name(rule: RuleSet, k: int, word: str = "clause") -> str:
    """Return how a clause is called: by its number, of a scorecard by its total."""
    bands = scorecard_of(rule)
    if k == rule.n_clauses:
        return "a lower total" if bands else f"no {word}"
    return f"a total of {bands[k].total} or more" if bands else f"{word} {k + 1}"


def _exchange(rule: RuleSet, k: int, old: Condition, new: Condition | None) -> RuleSet:
    """Return the rule with another condition in one clause, or without it."""
    given = rule.clauses[k].conditions
    conditions = [new if c == old else c for c in given if c != old or new is not None]
    clause = Clause(tuple(c for c in conditions if c is not None))
    return replace(rule, clauses=(*rule.clauses[:k], clause, *rule.clauses[k + 1 :]))


def _change(
    literal: Literal, column: ColumnSchema | None
) -> Iterator[tuple[str, Literal, str, str]]:
    """List changes of one test: the part, the changed test, what a row shows, a level."""
    changes: list[tuple[str, dict[str, Any], str, str]] = []
    text = str(literal)
    if literal.op in STRICT:
        edge, *beside = _list_near_limits(literal, column)
        edge_text = value_text(spell_part(edge, literal.part))
        changes = [("limit", {"op": STRICT[literal.op]}, f"{text}, at {edge_text}", "")]
        changes += [
            ("limit", {"value": value}, f"{text}, near {edge_text}", "") for value in beside
        ]
    if literal.op in ("==", "in"):
        more = {"op": "in", "value": (*literal.values, _other_value(literal))}
        changes.append(("limit", more, f"{text}, at another value", ""))
    if literal.op in ("==", "!=") and literal.missing == (literal.op == "=="):
        op = "missing" if literal.missing else "not-missing"
        unread = {"op": op, "value": None, "part": None, "order": None}
        changes.append(
            (
                "limit",
                unread,
                f"{text}, at {value_text(spell_part(literal.value, literal.part))}",
                "",
            )
        )
    for level in literal.values if len(literal.values) > 1 else ():
        kept = tuple(v for v in literal.values if v != level)
        named = value_text(spell_part(level, literal.part))
        changes.append(("level", {"value": kept}, f"{text}, at {named}", named))
    if literal.op not in GAPS:
        changes.append(
            ("gap", {"missing": not literal.missing}, f"{literal.feature} is missing", "")
        )
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
    """Return a limit, and limits a little below and above (none beside a level)."""
    value = literal.value
    if literal.order is not None:
        return [value]
    if not isinstance(value, float):  # a date
        (days,) = literal.positions
        return [value, *(literal.value_at(float(days) + day) for day in (-1.0, 1.0))]
    if column is not None and column.kind == "whole number":
        return [value, value - 1.0, value + 1.0]
    decimals = -int(Decimal(number_text(value)).as_tuple().exponent)
    step = 10.0 ** -(max(decimals, 0) + 1)
    if decimals > MOST_DECIMALS or value + step == value or value - step == value:
        return [value, float(np.nextafter(value, -np.inf)), float(np.nextafter(value, np.inf))]
    return [value, round(value - step, decimals + 1), round(value + step, decimals + 1)]


def _change_points(rule: RuleSet, schema: Schema) -> Iterator[Mutation]:
    splits = [c for c in rule.conditions if isinstance(c, PointsSplit)]
    for literal, points in dict.fromkeys(g for split in splits for g in split.given):
        text = f"{points} points if {literal}"
        changes: list[tuple[str, Literal, int, str, str]] = [
            ("condition", literal, 0, text, ""),
        ]
        # points that are one off need not change an answer where points that are two off do
        changes += [
            ("points", literal, points + k, text, "") for k in (1, -1, 2, -2, 3, -3) if points + k
        ]
        changes += [
            (part, changed, points, text, level)
            for part, changed, text, level in _change(literal, schema.column(literal.feature))
        ]
        for part, changed, given, text, level in changes:
            mutated = _with_points(rule, (literal, points), (changed, given))
            if mutated is not None:
                shorter = part in ("condition", "level")
                yield Mutation(part, mutated, None, literal, text, shorter, level)


def _with_points(
    rule: RuleSet, old: tuple[Literal, int], new: tuple[Literal, int]
) -> RuleSet | None:
    """Return the rule with other points in all its sums; None if a sum then divides no rows."""
    clauses = []
    for clause in rule.clauses:
        conditions: list[Condition] = []
        for condition in clause.conditions:
            if isinstance(condition, PointsSplit):
                given = [new if g == old else g for g in condition.given]
                try:
                    condition = replace(
                        condition,
                        conditions=tuple(c for c, _ in given),
                        points=tuple(p for _, p in given),
                    )
                except RuleError:
                    return None
            conditions.append(condition)
        clauses.append(Clause(tuple(conditions)))
    return replace(rule, clauses=tuple(clauses))
