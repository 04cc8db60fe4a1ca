"""Conversion of rule sets to and from plain dictionaries, which survive JSON unchanged."""

# Schema 2 is written only where a literal reads its column as dates ("part"), by an order of levels
# ("order"), or looks for a word, so that older versions refuse the rule:
#   {"schema": 1, "form": "dnf", "default": "well", "labels": ["ill"],
#    "clauses": [[{"kind": "literal", "feature": "age", "op": ">", "value": 50.0,
#                  "missing": false}]],
#    "columns": [{"name": "age", "kind": "whole number", "low": 18.0, "high": 75.0, "gaps": false}],
#    "classes": ["ill", "well"]}
#
# "columns" and "classes" are what the rule was learned from (`rulekit.rules.Schema`); older
# versions do not write them, and do not look at them.

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from rulekit.exceptions import RuleError
from rulekit.rules.condition import WORDS, Condition
from rulekit.rules.literal import Literal
from rulekit.rules.points_split import PointsSplit
from rulekit.rules.rule_set import CLAUSE_OP, Clause, RuleSet
from rulekit.rules.schema import Schema
from rulekit.rules.sums import Factor, LinearSplit, PowerLaw, PowerLawSplit
from rulekit.rules.writer import KINDS, ConditionWriter

SCHEMAS = (1, 2)
PlainDict = dict[str, Any]


class _PlainWriter(ConditionWriter[PlainDict]):
    """Writes a condition as a dictionary, without the name of its kind."""

    def literal(self, literal: Literal) -> PlainDict:
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(literal).items()
            if value is not None or name == "value"
        }

    def linear(self, split: LinearSplit) -> PlainDict:
        terms = [{"feature": name, "weight": weight} for name, weight in split.terms]
        return {"terms": terms, "op": split.op, "value": split.value, "missing": split.missing}

    def power_law(self, split: PowerLawSplit) -> PlainDict:
        terms = [{"weight": t.weight, "factors": list(map(asdict, t.factors))} for t in split.terms]
        bounds = {"low": split.low, "high": split.high}
        return {"terms": terms, **bounds, "inside": split.inside, "missing": split.missing}

    def points(self, split: PointsSplit) -> PlainDict:
        conditions = [{**self.literal(c), "points": p} for c, p in split.given]
        return {"conditions": conditions, "total": split.total, "reached": split.reached}


def _literal_from_dict(data: Mapping[str, Any]) -> Literal:
    column, op, value = _part(data, "feature", str), _part(data, "op", str), data.get("value")
    value, missing = tuple(value) if isinstance(value, list) else value, _flag(data, "missing")
    return Literal(column, op, value, missing, data.get("part"), data.get("order"))


def _split_from_dict(data: Mapping[str, Any]) -> PowerLawSplit:
    terms = []
    for term in _part(data, "terms", list):
        factors = _part(term, "factors", list) if isinstance(term, Mapping) else None
        if factors is None or not all(isinstance(f, Mapping) for f in factors):
            raise RuleError("its 'terms' must be dictionaries with 'weight' and 'factors'.")
        law = []
        for factor in factors:
            column, exponent = _part(factor, "feature", str), _part(factor, "exponent", int)
            law.append(Factor(column, exponent, factor.get("shift", 0.0), factor.get("floor")))
        terms.append(PowerLaw(term.get("weight"), tuple(law)))
    flags = _flag(data, "inside", True), _flag(data, "missing")
    return PowerLawSplit(tuple(terms), data.get("high", "absent"), data.get("low"), *flags)


def _linear_from_dict(data: Mapping[str, Any]) -> LinearSplit:
    terms = _part(data, "terms", list)
    if not all(isinstance(t, Mapping) for t in terms):
        raise RuleError("its 'terms' must be dictionaries with 'feature' and 'weight'.")
    pairs = tuple((_part(t, "feature", str), t.get("weight")) for t in terms)
    op, missing = _part(data, "op", str), _flag(data, "missing")
    return LinearSplit(pairs, op, data.get("value", math.nan), missing)


def _points_from_dict(data: Mapping[str, Any]) -> PointsSplit:
    conditions = _part(data, "conditions", list)
    if not all(isinstance(c, Mapping) for c in conditions):
        raise RuleError("its 'conditions' must be dictionaries with 'feature', 'op' and 'points'.")
    tests, points = map(_literal_from_dict, conditions), [c.get("points") for c in conditions]
    total, reached = data.get("total", "absent"), _flag(data, "reached", True)
    return PointsSplit(tuple(tests), tuple(points), total, reached)


READERS: dict[str, Callable[[Mapping[str, Any]], Condition]] = {
    "literal": _literal_from_dict,
    "linear": _linear_from_dict,
    "power_law": _split_from_dict,
    "points": _points_from_dict,
}


def rule_to_dict(rule_set: RuleSet) -> PlainDict:
    """Write a rule set as a plain dictionary; equal dictionaries mean equal rule sets."""
    clauses = [[condition_to_dict(c) for c in k.conditions] for k in rule_set.clauses]
    plain = all(t.is_plain and t.op not in WORDS for t in rule_set.tests)
    return {
        "schema": SCHEMAS[0 if plain else 1],
        "form": rule_set.form,
        "default": _label(rule_set.default),
        "labels": [_label(label) for label in rule_set.labels],
        "clauses": clauses,
        **({} if rule_set.schema is None else rule_set.schema.to_dict()),
    }


def rule_from_dict(data: Mapping[str, Any]) -> RuleSet:
    """Read a rule set as `rule_to_dict` writes it; unknown keys are ignored."""
    if not isinstance(data, Mapping):
        raise RuleError(f"A stored rule must be a dictionary, found {type(data).__name__}.")
    if "schema" not in data:
        raise RuleError("The JSON holds no rule: it has no 'schema'. Give a file of `to_json`.")
    if data["schema"] not in SCHEMAS:
        raise RuleError(
            f"A stored rule must have schema 1 or 2, found {data['schema']!r}; "
            "read it with the version that wrote it, and write it again."
        )
    form = _part(data, "form", str)
    clauses = []
    for number, conditions in enumerate(_part(data, "clauses", list), start=1):
        if not isinstance(conditions, list):
            raise RuleError(f"Clause {number} of a stored rule must be a list of conditions.")
        read = []
        for position, condition in enumerate(conditions, start=1):
            try:
                read.append(condition_from_dict(condition))
            except RuleError as error:
                raise RuleError(f"Clause {number}, condition {position}: {error}") from error
        clauses.append(Clause(tuple(read), CLAUSE_OP.get(form, "and")))
    labels = tuple(_label(label) for label in _part(data, "labels", list))
    schema = Schema.from_dict(data) if "columns" in data else None
    return RuleSet(tuple(clauses), labels, form, _label(data.get("default")), schema)


def condition_to_dict(condition: Condition) -> PlainDict:
    """Write one condition as a plain dictionary with its kind; RuleError for an unknown kind."""
    if type(condition) in KINDS.values():
        return {"kind": condition.kind, **_PlainWriter().write(condition)}
    raise RuleError(
        f"A condition of type {type(condition).__name__} has no plain form; the kinds that have "
        f"one are {tuple(KINDS)}."
    )


def condition_from_dict(data: Any) -> Condition:
    """Read one condition from a plain dictionary; RuleError if it is malformed."""
    if not isinstance(data, Mapping):
        raise RuleError(f"a condition must be a dictionary, found {type(data).__name__}.")
    name = _part(data, "kind", str)
    if name not in READERS:
        raise RuleError(f"its kind must be one of {tuple(READERS)}, found {name!r}.")
    return READERS[name](data)


def _flag(data: Mapping[str, Any], key: str, default: bool = False) -> bool:
    flag = data.get(key, default)
    if not isinstance(flag, bool):
        raise RuleError(f"its {key!r} must be true or false, found {flag!r}.")
    return flag


def _part(data: Mapping[str, Any], key: str, kind: type) -> Any:
    if not isinstance(data.get(key), kind):
        reason = f"found {data[key]!r}" if key in data else "it is absent"
        raise RuleError(f"A stored rule must have {key!r} of type {kind.__name__}; {reason}.")
    return data[key]


def _label(label: Any) -> Any:
    if isinstance(label, float) and not math.isfinite(label):
        raise RuleError(f"A label must be text, a truth value or a finite number, got {label!r}.")
    if not isinstance(label, (str, bool, int, float)):
        found = f"{type(label).__name__} {label!r}"
        raise RuleError(f"A label must be text, a truth value or a number, got {found}.")
    return label
