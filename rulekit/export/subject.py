"""Input of an export: the rule of a model, and helpers of several formats."""

from functools import singledispatch
from typing import Any

from rulekit.exceptions import ExportError
from rulekit.rules import RuleSet


@singledispatch
def exported_rule(model: Any) -> RuleSet:
    """Return the rule set that a model predicts with, or a rule set itself.

    Every exporter calls this first, so any object that one format supports is supported by all. To
    make a new kind of object exportable, register it here.
    """
    rule = getattr(model, "rule_set_", None)
    if not isinstance(rule, RuleSet):
        raise ExportError(
            f"A rule set or a fitted rule model is needed, got {type(model).__name__} without "
            "`rule_set_`. Call `fit` first."
        )
    return rule


@exported_rule.register
def _(model: RuleSet) -> RuleSet:
    return model


def checked_label(label: Any, format_name: str) -> str | bool | int | float:
    """Return a label if every format can write its type."""
    if isinstance(label, (str, bool, int, float)) and label == label:
        return label
    raise ExportError(
        f"{format_name} can express labels that are text, numbers or truth values; this rule "
        f"predicts {label!r}. Rename the classes."
    )


def column_kinds(rule: RuleSet) -> dict[str, str]:
    """Return the type that each column is compared with, for formats with typed columns."""
    types: dict[str, set[type]] = {f: set() for f in rule.features}
    for condition in (c for clause in rule.clauses for c in clause.conditions):
        for feature, compared in condition.types.items():
            types[feature] |= compared
    for feature, types_of_column in types.items():
        if str in types_of_column and len(types_of_column) > 1:
            raise ExportError(
                f"Column {feature!r} is compared with text and with numbers, but a column of this "
                "format has one type. Split the column, or take Python or JSON."
            )
    return {f: _kind(types_of_column) for f, types_of_column in types.items()}


def _kind(types: set[type]) -> str:
    if not types:
        return "unknown"
    return "text" if str in types else "flag" if types == {bool} else "number"
