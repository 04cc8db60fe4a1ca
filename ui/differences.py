"""The differences of two rules in words, clause by clause and on the training rows."""

from collections import Counter
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from rulekit.data import columns_of
from rulekit.rules import Columns, RuleSet
from rulekit.rules.analysis.compare import ChangedThreshold, RuleComparison, compare_rules
from rulekit.style.phrases import Wording, exact
from rulekit.style.wording import percent, plural
from ui.words import clause_words


def difference(
    first: RuleSet, second: RuleSet, X: pd.DataFrame, y: pd.Series, wording: Wording
) -> tuple[list[str], str]:
    """Describe the differences of two rules: unescaped sentences, and clauses with "-" or "+"."""
    comparison = compare_rules(first, second, columns_of(X))
    differs = comparison.removed or comparison.added or comparison.changed
    sentences = [*_describe_clauses(comparison, wording), _describe_predictions(comparison, y)]
    return sentences, _list_changes(comparison, wording) if differs else ""


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
        for clauses, words in (
            (comparison.kept, "in both"),
            (comparison.changed, "in both with other thresholds"),
            (comparison.removed, "in the first only"),
            (comparison.added, "in the second only"),
        )
        if clauses
    ]
    sentences = [f"{', '.join(parts)}."] if parts else []
    thresholds = [
        _format_change(t, wording) for pair in comparison.changed for t in pair.thresholds
    ]
    if thresholds:
        sentences.append(f"From the first to the second, {', '.join(thresholds)}.")
    if comparison.reordered:
        sentences.append("The clauses have another order, and the first one that matches decides.")
    if comparison.default_changed:
        sentences.append("Rows without a matching clause get another prediction.")
    if comparison.mirrored:
        sentences.append("The second is shown in the form of the first.")
    return sentences


def _format_change(threshold: ChangedThreshold, wording: Wording) -> str:
    """Return both values of a threshold: a number with its unit, a date or a level unchanged."""
    name, op = threshold.feature, threshold.op
    before, after = (
        f"{op} {wording.amount(name, exact(value)) if isinstance(value, float) else value}"
        for value in (threshold.before, threshold.after)
    )
    return f"{wording.name(name)} {before} becomes {after}"


def _describe_predictions(comparison: RuleComparison, y: pd.Series) -> str:
    rows, before, after = comparison.rows, comparison.before, comparison.after
    assert rows is not None
    assert before is not None
    assert after is not None
    total = plural(comparison.n_rows, "training row")
    if not len(rows):
        return f"Both predict the same for all {total}."
    truth = y.to_numpy(dtype=object)[rows]
    becomes = Counter(map(str, after))
    to_what = ", ".join(
        f"{n:,} {'becomes' if n == 1 else 'become'} {label}" for label, n in sorted(becomes.items())
    )
    return (
        f"The second predicts {len(rows):,} of {total} differently ({to_what}): the first is "
        f"correct for {(before == truth).sum():,} of them, the second for "
        f"{(after == truth).sum():,}."
    )


def _list_changes(comparison: RuleComparison, wording: Wording) -> str:
    lines = [("  ", clause) for clause in comparison.kept]
    for pair in comparison.changed:
        lines += [("- ", pair.before), ("+ ", pair.after)]
    lines += [("- ", clause) for clause in comparison.removed]
    lines += [("+ ", clause) for clause in comparison.added]
    return "\n".join(
        sign + " ".join(clause_words(clause, wording).split()) for sign, clause in lines
    )
