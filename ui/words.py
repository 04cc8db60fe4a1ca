"""Rules and their differences in words, and protected attributes, recognised by their names."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data import columns_of
from rulekit.rules import Clause, Columns, RuleSet, scorecard_of
from rulekit.rules.analysis.compare import RuleComparison, compare_rules
from rulekit.rules.condition import ORDERED, moment
from rulekit.rules.rule_set import rule_of
from rulekit.style.palette import outcome_colours
from rulekit.style.phrases import Wording, exact, number, shorten_names
from rulekit.style.phrases import clause_words as clause_words
from rulekit.style.scorecard import card_lines
from rulekit.style.scorecard import clause_names as clause_names
from rulekit.style.wording import percent, plural
from ui.state import AppState


def wording(state: AppState, *, clause: str = "clause", spoken: bool = False) -> Wording:
    """Return display names, units and outcomes' colours for explanations and reports."""
    names = {name: w.label for name, w in state.wording.items() if w.label}
    return Wording(
        names=names,
        short=shorten_names(state.features, names),
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


def relabel(rule: RuleSet, names: Mapping[Any, Any]) -> RuleSet:
    """Return a rule with the labels of the same classes under other names."""
    labels = tuple(names.get(label, label) for label in rule.labels)
    return replace(rule, labels=labels, default=names.get(rule.default, rule.default))


def value_words(value: Any, limits: Iterable[float] = ()) -> str:
    """Return a cell of the table as text; a date without time of day is written as the day."""
    # A number has as many digits as show on which side of the nearest limit it lies.
    if value is None or value != value:
        return "missing"
    if isinstance(value, float) and (cuts := sorted(limits, key=lambda cut: abs(cut - value))):
        return exact(value) if value == cuts[0] else number(value, cuts[0])
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text.removesuffix(" 00:00:00") if moment(text) else text


PROTECTED = frozenset(
    ("age", "citizenship", "disability", "ethnic", "ethnicity", "gender", "nationality", "race")
) | {"religion", "sex"}


def find_limits(rule: RuleSet, feature: str) -> list[float]:
    """Return the cut points of a rule on a column of numbers."""
    read = [x.value for x in rule.tests if x.feature == feature and x.op in ORDERED]
    return [value for value in read if isinstance(value, float)]


def looks_protected(name: Any) -> bool:
    """Check whether a word of a column's name is a protected attribute."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", str(name))
    return not PROTECTED.isdisjoint(word.lower() for word in words)


def find_fixed_columns(rule: RuleSet) -> list[str]:
    """Return the columns of a rule that "what would change it" leaves alone by default."""
    return [name for name in rule.features if looks_protected(name)]


COMPARED = {  # parts of a comparison in words
    "kept": "in both",
    "changed": "in both with other thresholds",
    "removed": "in the first only",
    "added": "in the second only",
}


def difference(
    first: RuleSet, second: RuleSet, X: pd.DataFrame, y: pd.Series, wording: Wording
) -> tuple[list[str], str]:
    """Describe the differences of two rules: unescaped sentences, and clauses with "-" or "+"."""
    comparison = compare_rules(first, second, columns_of(X))
    sentences = _describe_clauses(comparison, wording)
    rows, before, after = comparison.rows, comparison.before, comparison.after
    total = plural(comparison.n_rows, "training row")
    if len(rows):
        truth = y.to_numpy(dtype=object)[rows]
        becomes = sorted(Counter(map(str, after)).items())
        to_what = [f"{n:,} {'becomes' if n == 1 else 'become'} {label}" for label, n in becomes]
        sentences.append(
            f"The second predicts {len(rows):,} of {total} differently ({', '.join(to_what)}): the "
            f"first is correct for {(before == truth).sum():,} of them, the second for "
            f"{(after == truth).sum():,}."
        )
    else:
        sentences.append(f"Both predict the same for all {total}.")
    if not (comparison.removed or comparison.added or comparison.changed):
        return sentences, ""
    lines = [("  ", clause) for clause in comparison.kept]
    for pair in comparison.changed:
        lines += [("- ", pair.before), ("+ ", pair.after)]
    lines += [("- ", clause) for clause in comparison.removed]
    lines += [("+ ", clause) for clause in comparison.added]
    texts = [sign + " ".join(clause_words(clause, wording).split()) for sign, clause in lines]
    return sentences, "\n".join(texts)


def count_differing(
    selected: RuleSet, other: RuleSet, name: str, columns: Columns, y: NDArray[Any]
) -> str:
    """Return how many predictions of two rules differ, and which rule is right there."""
    answers = [rule.predict(columns) for rule in (selected, other)]
    rows = answers[0] != answers[1]
    right = [int((predicted[rows] == y[rows]).sum()) for predicted in answers]
    return (
        f"Predictions differ for {rows.sum():,} of {len(y):,} training rows "
        f"({percent(rows.mean())}): the selected rule is right for {right[0]:,} of them, {name} "
        f"for {right[1]:,}."
    )


def _describe_clauses(comparison: RuleComparison, wording: Wording) -> list[str]:
    if comparison.is_same:
        return ["The two rules have the same clauses."]
    parts = [
        f"{plural(len(clauses), 'clause')} {words}"
        for name, words in COMPARED.items()
        if (clauses := getattr(comparison, name))
    ]
    sentences = [f"{', '.join(parts)}."] if parts else []
    thresholds = []
    for one in [t for pair in comparison.changed for t in pair.thresholds]:
        before, after = (  # a number has its unit, a date or a level is unchanged
            f"{one.op} {wording.amount(one.feature, exact(v)) if isinstance(v, float) else v}"
            for v in (one.before, one.after)
        )
        thresholds.append(f"{wording.name(one.feature)} {before} becomes {after}")
    if thresholds:
        sentences.append(f"From the first to the second, {', '.join(thresholds)}.")
    if comparison.reordered:
        sentences.append("The clauses have another order, and the first one that matches decides.")
    if comparison.default_changed:
        sentences.append("Rows without a matching clause get another prediction.")
    if comparison.mirrored:
        sentences.append("The second is shown in the form of the first.")
    return sentences
