"""Rules side by side, and their differences in words."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.data import columns_of
from rulekit.rules import RuleSet
from rulekit.rules.analysis.compare import ChangedThreshold, RuleComparison, compare_rules
from rulekit.style.phrases import Wording, number
from rulekit.style.wording import plural
from ui.escape import md
from ui.models.curve import choose, error_words
from ui.models.points import Curve
from ui.models.run import noted_suggestion, offered
from ui.picked import fitted, picked_model
from ui.state import AppState, app_state
from ui.words import clause_words, rule_words, wording

MAX_COMPARED = 3
SHOWN = "_offer_shown"


def difference(
    first: RuleSet, second: RuleSet, X: pd.DataFrame, y: pd.Series, wording: Wording
) -> tuple[list[str], str]:
    """Describe the differences between two rules; the second is shown in the form of the first.

    Returns sentences (not escaped), and the clauses of both for ``st.code``, one per line: "-" for
    those of the first only, "+" for those of the second only. Empty if they have the same clauses.
    """
    comparison = compare_rules(first, second, columns_of(X))
    differs = comparison.removed or comparison.added or comparison.changed
    sentences = [*_about_clauses(comparison, wording), _about_answers(comparison, y)]
    return sentences, _listed(comparison, wording) if differs else ""


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
        return f"Both predict the same for all {total}."
    truth = y.to_numpy(dtype=object)[rows]
    becomes = Counter(map(str, after))
    to_what = ", ".join(
        f"{n} {'becomes' if n == 1 else 'become'} {label}" for label, n in sorted(becomes.items())
    )
    return (
        f"The second predicts {len(rows)} of {total} differently ({to_what}): the first is correct "
        f"for {(before == truth).sum()} of them, the second for {(after == truth).sum()}."
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


def offer(result: Curve) -> None:
    """Offer, in one line, a rule suggested since the selected one was picked."""
    number = offered(result)
    if number is None:
        st.session_state[SHOWN] = False
        return
    row = result.points.loc[number]
    with st.container(horizontal=True, vertical_alignment="center", key="offer"):
        st.markdown(
            f"A run suggests another rule: **{plural(row['limit'], 'condition')}, "
            f"{error_words(row)}**.",
            width="content",
        )
        st.toggle("Show both", key=SHOWN)
        st.button("Use this rule", key="take_offer", on_click=choose, args=(result, number))
        st.button("Keep mine", key="keep_mine", on_click=noted_suggestion, args=(result,))


def both(result: Curve) -> None:
    """Show the selected rule and the suggested one if the toggle is on."""
    number, mine = offered(result), picked_model()
    if number is None or mine is None or not st.session_state.get(SHOWN):
        return
    state = app_state()
    run_number = result.number_of_rule(state)
    figures = "not on this curve" if run_number is None else figure_words(result, run_number)
    other = fitted(state, result.settings[number], result.specs[number])
    entries = [("Selected", figures, mine), ("Suggested", figure_words(result, number), other)]
    _shown(entries, state)


def compare(result: Curve) -> None:
    """Show up to three points side by side, with their rules, figures and differences."""
    rows = result.curve(selected=result.number_of_rule(app_state()))
    ordered = rows.assign(_behind=~rows["on_front"]).sort_values(["_behind", "limit", "test_error"])
    chosen = st.multiselect(
        f"Compare up to {MAX_COMPARED} points (the best for their size are listed first)",
        [int(k) for k in ordered.index],
        format_func=lambda k: md(
            f"{result.points.loc[k, 'label']}, {figure_words(result, k)}", 120
        ),
        max_selections=MAX_COMPARED,
        key="compare",
    )
    state = app_state()
    _shown(
        [
            (
                result.points.loc[number, "label"],
                figure_words(result, number),
                fitted(state, result.settings[number], result.specs[number]),
            )
            for number in chosen
        ],
        state,
    )


def figure_words(result: Curve, number: int) -> str:
    """Return a point's error and size."""
    row = result.points.loc[number]
    return f"{error_words(row)} wrong, at most {plural(row['limit'], 'condition')}"


def _shown(entries: Sequence[tuple[str, str, Any]], state: AppState) -> None:
    """Show rules beside each other, each with its name and figures, and the differences."""
    if not entries:
        return
    words = wording(state)
    for column, (name, figures, model) in zip(st.columns(len(entries)), entries, strict=True):
        with column:
            st.markdown(f"**{md(name, 200)}**  \n{md(figures, 200)}")
            st.code(rule_words(model, words), None, wrap_lines=True)
    first = entries[0]
    for second in entries[1:]:
        _differences((first[0], first[2].rule_set_), (second[0], second[2].rule_set_), state)


def _differences(first: tuple[str, RuleSet], second: tuple[str, RuleSet], state: AppState) -> None:
    """Show the differences between two rules, and which one predicts correctly."""
    sentences, clauses = difference(first[1], second[1], *state.training, wording(state))
    st.markdown(f"**From “{md(first[0], 100)}” to “{md(second[0], 100)}”**")
    st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in sentences))
    if clauses:
        st.code(clauses, "diff", wrap_lines=True)
        st.caption("Marked “-”: in the first only. Marked “+”: in the second only.")
