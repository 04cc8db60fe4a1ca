"""A rule in words on screen, and columns with protected attributes, recognised by their names."""

import re
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from rulekit.rules import Clause, RuleSet, scorecard_of
from rulekit.rules.condition import moment
from rulekit.rules.rule_set import rule_of
from rulekit.style.palette import outcome_colours
from rulekit.style.phrases import Wording, clause_words
from rulekit.style.scorecard import card_lines, clause_names
from ui.state import AppState

__all__ = [
    "clause_names",
    "clause_words",
    "constant_answer",
    "drop_clauses",
    "full_words",
    "rule_words",
    "value_words",
    "wording",
]


def wording(state: AppState, *, clause: str = "clause", spoken: bool = False) -> Wording:
    """Return display names, units and outcomes' colours for explanations and reports."""
    return Wording(
        names={name: w.label for name, w in state.wording.items() if w.label},
        units={name: w.unit for name, w in state.wording.items() if w.unit},
        texts=state.texts,
        clause=clause,
        spoken=spoken,
        colours=outcome_colours(state.labels, state.classes) if state.positive is not None else {},
    )


def rule_words(model: Any, wording: Wording) -> str:
    """Write a rule, one clause per line; a scorecard as its points and totals."""
    rule = rule_of(model)
    if scorecard_of(rule):
        return "\n".join(card_lines(model, wording))
    if rule.is_constant:
        return f"ALWAYS {constant_answer(rule)}"
    clauses = [full_words(clause, wording) for clause in rule.clauses]
    last = f"OTHERWISE {rule.default}"
    if rule.form == "cnf":
        several = [
            f"({words})" if len(clause.conditions) > 1 else words
            for clause, words in zip(rule.clauses, clauses, strict=True)
        ]
        return "\n".join(["IF  " + "\nAND ".join(several), f"THEN {rule.labels[0]}", last])
    following = "OR IF" if len(set(rule.labels)) == 1 else "ELSE IF"
    lines = [
        f"{'IF' if k == 0 else following} {words}\n   THEN {rule.labels[k]}"
        for k, words in enumerate(clauses)
    ]
    return "\n".join([*lines, last])


def full_words(clause: Clause, wording: Wording) -> str:
    """Write a clause in one line, with every level of a set."""
    return clause_words(clause, replace(wording, most=sys.maxsize))


def constant_answer(rule: RuleSet) -> Any:
    """Return the constant prediction of a rule that reads no column."""
    return rule.predict({"": np.zeros(1)})[0]


def drop_clauses(rule: RuleSet, dropped: frozenset[int]) -> RuleSet:
    """Return the rule with some clauses (numbered from 0) left out."""
    remaining = [k for k in range(rule.n_clauses) if k not in dropped]
    labels = tuple(rule.labels[k] for k in remaining)
    if rule.form == "cnf" and not remaining:
        labels = rule.labels[:1]
    return replace(rule, clauses=tuple(rule.clauses[k] for k in remaining), labels=labels)


def value_words(value: Any) -> str:
    """Return a cell of the table as text; a date without time of day is written as the day."""
    if value is None or value != value:
        return "missing"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text.removesuffix(" 00:00:00") if moment(text) else text


PROTECTED = frozenset(
    ("age", "citizenship", "disability", "ethnic", "ethnicity", "gender", "nationality", "race")
) | {"religion", "sex"}


def looks_protected(name: Any) -> bool:
    """Check whether a word of a column's name is a protected attribute."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", str(name))
    return not PROTECTED.isdisjoint(word.lower() for word in words)


def find_fixed_columns(rule: RuleSet) -> list[str]:
    """Return the columns of a rule that "what would change it" leaves alone by default."""
    return [name for name in rule.features if looks_protected(name)]
