"""A rule in words on screen: as a sentence, and clause by clause."""

from dataclasses import replace
from typing import Any

import numpy as np

from rulekit.explain import Wording, condition_text
from rulekit.explain.phrases import number
from rulekit.export.reading import Reading, readings
from rulekit.rules import Clause, LinearSplit, Literal, PowerLawSplit, RuleSet, split_text
from ui.state import AppState

JOINS = {"and": " AND ", "or": " OR "}
MIRRORED = {">": "<", ">=": "<="}


def wording(state: AppState, *, clause: str = "clause") -> Wording:
    """Return business names and units as the explanations take them."""
    return Wording(
        names={name: w.label for name, w in state.wording.items() if w.label},
        units={name: w.unit for name, w in state.wording.items() if w.unit},
        clause=clause,
    )


def clause_words(clause: Clause, wording: Wording) -> str:
    """Write a clause as one line: its conditions joined by AND or OR, bounds as intervals.

    Parameters
    ----------
    clause : Clause
    wording : Wording
        Business names and units.

    Returns
    -------
    str
        Plain text, to be shown by ``st.code`` or escaped. Numbers have six significant digits;
        the exports have them all.
    """
    if not clause.conditions:
        return "always" if clause.op == "and" else "never"
    return JOINS[clause.op].join(_words(reading, wording) for reading in readings(clause))


def rule_words(rule: RuleSet, wording: Wording) -> str:
    """Write a two-level rule as it would be read out, a clause a line.

    Parameters
    ----------
    rule : RuleSet
    wording : Wording

    Returns
    -------
    str
        Plain text, to be shown by ``st.code``.
    """
    if rule.is_constant:
        return f"ALWAYS {constant_answer(rule)}"
    clauses = [clause_words(clause, wording) for clause in rule.clauses]
    last = f"OTHERWISE {rule.default}"
    if rule.form == "cnf":
        several = [
            f"({words})" if len(clause.conditions) > 1 else words
            for clause, words in zip(rule.clauses, clauses, strict=True)
        ]
        return "\n".join(["IF  " + "\nAND ".join(several), f"THEN {rule.labels[0]}", last])
    lines = [
        f"{'IF' if k == 0 else 'OR IF'} {words}\n   THEN {rule.labels[k]}"
        for k, words in enumerate(clauses)
    ]
    return "\n".join([*lines, last])


def constant_answer(rule: RuleSet) -> Any:
    """Return the one answer of a rule that reads no column."""
    return rule.predict({"": np.zeros(1)})[0]


def without_clauses(rule: RuleSet, dropped: frozenset[int]) -> RuleSet:
    """Return the rule with some clauses (numbered from 0) left out."""
    kept = [k for k in range(rule.n_clauses) if k not in dropped]
    labels = tuple(rule.labels[k] for k in kept)
    if rule.form == "cnf" and not kept:
        labels = rule.labels[:1]
    return replace(rule, clauses=tuple(rule.clauses[k] for k in kept), labels=labels)


def _words(reading: Reading, wording: Wording) -> str:
    if isinstance(reading, Literal):
        return condition_text(reading, wording)
    if isinstance(reading, PowerLawSplit):
        return split_text(reading, wording.name, number)
    if isinstance(reading, LinearSplit):
        total = reading.sum_text(wording.name, number)
        text = f"{total} {reading.op} {number(reading.value)}"
        return f"{text} or missing" if reading.missing else text
    low, high = reading.low, reading.high
    assert isinstance(low.value, float)
    assert isinstance(high.value, float)
    right = wording.amount(reading.feature, number(high.value))
    name = wording.name(reading.feature)
    text = f"{number(low.value)} {MIRRORED[low.op]} {name} {high.op} {right}"
    return f"{text} or missing" if reading.missing else text
