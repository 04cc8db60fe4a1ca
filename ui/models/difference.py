"""The differences between two rules in words: clauses, thresholds, predictions."""

from collections import Counter
from dataclasses import dataclass

import pandas as pd

from rulekit.data import columns_of
from rulekit.rules import RuleSet
from rulekit.rules.analysis.compare import ChangedThreshold, RuleComparison, compare_rules
from rulekit.style.phrases import Wording, number
from rulekit.style.wording import plural
from ui.words import clause_words


@dataclass(frozen=True)
class Difference:
    """Comparison of two rules.

    Attributes
    ----------
    sentences : tuple of str
        Plain text, to be escaped when it is shown.
    clauses : str
        The clauses of both, one per line: "-" for those of the first only, "+" for those of the
        second only, no mark for common ones; to be shown by ``st.code``. Empty if the two have the
        same clauses.
    """

    sentences: tuple[str, ...]
    clauses: str


def difference(
    first: RuleSet, second: RuleSet, X: pd.DataFrame, y: pd.Series, wording: Wording
) -> Difference:
    """Describe the differences between two rules.

    Parameters
    ----------
    first, second : RuleSet
        If one is a DNF and the other a CNF, the second is converted to the form of the first,
        which does not change its predictions.
    X, y : DataFrame and Series of length n
        Rows on which the predictions are compared, with their true labels.
    wording : Wording
        Display names and units.

    Returns
    -------
    Difference
    """
    comparison = compare_rules(first, second, columns_of(X))
    clauses = (
        _listed(comparison, wording)
        if comparison.removed or comparison.added or comparison.changed
        else ""
    )
    return Difference(
        (*_about_clauses(comparison, wording), _about_answers(comparison, y)), clauses
    )


def _about_clauses(comparison: RuleComparison, wording: Wording) -> list[str]:
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
    thresholds = [_moved(t, wording) for pair in comparison.changed for t in pair.thresholds]
    if thresholds:
        sentences.append(f"From the first to the second, {', '.join(thresholds)}.")
    if comparison.reordered:
        sentences.append("The clauses have another order, and the first one that matches decides.")
    if comparison.default_changed:
        sentences.append("Rows without a matching clause get another prediction.")
    if comparison.mirrored:
        sentences.append("The second is shown in the form of the first.")
    return sentences


def _moved(threshold: ChangedThreshold, wording: Wording) -> str:
    before, after = (
        f"{threshold.op} {_threshold_text(threshold, value, wording)}"
        for value in (threshold.before, threshold.after)
    )
    return f"{wording.name(threshold.feature)} {before} becomes {after}"


def _threshold_text(threshold: ChangedThreshold, value: float | str, wording: Wording) -> str:
    """Write a number with its unit; a date or a level unchanged."""
    return wording.amount(threshold.feature, number(value)) if isinstance(value, float) else value


def _about_answers(comparison: RuleComparison, y: pd.Series) -> str:
    rows, before, after = comparison.rows, comparison.before, comparison.after
    assert rows is not None
    assert before is not None
    assert after is not None
    total = plural(comparison.n_rows, "learning row")
    if not len(rows):
        return f"All {total} get the same answer from both."
    truth = y.to_numpy(dtype=object)[rows]
    becomes = Counter(map(str, after))
    to_what = ", ".join(f"{n} become {label}" for label, n in sorted(becomes.items()))
    return (
        f"{len(rows)} of {total} {'gets' if len(rows) == 1 else 'get'} another answer from the "
        f"second ({to_what}): the first is right for {(before == truth).sum()} of them, the second "
        f"for {(after == truth).sum()}."
    )


def _listed(comparison: RuleComparison, wording: Wording) -> str:
    lines = [("  ", clause) for clause in comparison.kept]
    for pair in comparison.changed:
        lines += [("- ", pair.before), ("+ ", pair.after)]
    lines += [("- ", clause) for clause in comparison.removed]
    lines += [("+ ", clause) for clause in comparison.added]
    return "\n".join(
        sign + " ".join(clause_words(clause, wording).split()) for sign, clause in lines
    )
