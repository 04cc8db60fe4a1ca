"""Business names: the same rule and the same columns, called what the analyst calls them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rulekit.rules import Clause, Columns, Literal, RuleSet
from ui.state import AppState


def display_names(state: AppState) -> dict[str, str]:
    """Return what each feature is called on screen: business name and unit, else its own name.

    Two columns that would be called alike keep their own names, so that no sentence is ambiguous.

    Parameters
    ----------
    state : AppState

    Returns
    -------
    dict of str to str
        One entry a feature of the analysis.
    """
    wished = {name: _with_unit(state.label(name), state.unit(name)) for name in state.features}
    taken = Counter([*wished.values(), *(n for n, w in wished.items() if n != w)])
    return {name: wish if taken[wish] == 1 else name for name, wish in wished.items()}


def renamed_rule(rule_set: RuleSet, names: Mapping[str, str]) -> RuleSet:
    """Return the same rule about columns of other names; names not listed stay."""
    clauses = tuple(
        Clause(tuple(_renamed(c, names) for c in clause.conditions), clause.op)
        for clause in rule_set.clauses
    )
    return replace(rule_set, clauses=clauses)


def renamed_columns(columns: Columns, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the same columns under other names; names not listed stay."""
    return {names.get(name, name): values for name, values in columns.items()}


def _renamed(condition: Any, names: Mapping[str, str]) -> Any:
    if isinstance(condition, Literal):
        return replace(condition, feature=names.get(condition.feature, condition.feature))
    return condition


def _with_unit(label: str, unit: str) -> str:
    return f"{label} [{unit}]" if unit else label
