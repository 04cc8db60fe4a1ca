"""Rules side by side: the selected rule and a new suggestion, or any chosen points."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from rulekit.rules import RuleSet
from rulekit.style.wording import plural
from ui.escape import md
from ui.models.curve import choose, error_words
from ui.models.difference import difference
from ui.models.points import RunResult
from ui.models.run import noted_suggestion, offered
from ui.picked import fitted, picked_model
from ui.state import AppState, app_state
from ui.words import rule_words, wording

MAX_COMPARED = 3
SHOWN = "_offer_shown"


def offer(result: RunResult) -> None:
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


def both(result: RunResult) -> None:
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


def compare(result: RunResult) -> None:
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


def figure_words(result: RunResult, number: int) -> str:
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
    comparison = difference(first[1], second[1], *state.training, wording(state))
    st.markdown(f"**From “{md(first[0], 100)}” to “{md(second[0], 100)}”**")
    st.markdown("\n".join(f"- {md(sentence, 900)}" for sentence in comparison.sentences))
    if comparison.clauses:
        st.code(comparison.clauses, "diff", wrap_lines=True)
        st.caption("Marked “-”: in the first only. Marked “+”: in the second only.")
