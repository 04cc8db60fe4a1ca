"""The Explain page's cards on similar cases, and on the user's review."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.explain import Explanation
from rulekit.rules import RuleSet
from rulekit.style.wording import plural
from ui.cases import ROW, TRUTH, row_number
from ui.rule_numbers import Rows
from ui.state import AppState, app_state
from ui.words import value_words
from ui.workspace import change

ALIKE = "conditions alike"


def similar(
    found: Explanation, rule: RuleSet, train: Rows, state: AppState, *, plain: bool
) -> None:
    """List the training rows most like the case, as the rule sees them."""
    cases = found.similar(5)
    if not cases:
        st.caption("The rule looks at no value, so no case is more alike than another.")
        return
    n = len({x for clause in rule.clauses for x in clause.conditions})
    table = pd.DataFrame(
        [
            {
                ROW: row_number(train.X.index[c.row]),
                TRUTH: str(c.label),
                ALIKE: f"{round(c.agreement * n)} of {n}",
                **{state.label(f): value_words(v) for f, v in c.values.items()},
            }
            for c in cases
        ]
    )
    shown = table.drop(columns=[ROW, ALIKE]) if plain else table
    st.dataframe(shown, hide_index=True, alt="The five past cases most like this one")


def review(number: int, found: Explanation, *, plain: bool) -> None:
    """Show buttons to agree or disagree, and a note; kept with the analysis and its record."""
    notes: Mapping[str, Any] = app_state().case_notes
    mine = notes.get(str(number), {})
    st.markdown("**Do you agree with this prediction?**")
    if mine.get("verdict"):
        st.caption(f"Your review: {mine['verdict']}.")

    st.text_input("Note", value=mine.get("note", ""), key=f"note_{number}")
    left, right, _ = st.columns([1, 1, 1])
    for place, words in ((left, "agree"), (right, "disagree")):
        place.button(
            f"I {words}",
            key=f"review_{words}",
            on_click=_review,
            args=(number, words, f"note_{number}", str(found.prediction)),
            width="stretch",
        )
    if len(notes) and not plain:
        st.caption(f"{plural(len(notes), 'case')} reviewed; the report on Export lists them.")


def _review(number: int, verdict: str, note_key: str, answer: str) -> None:
    entry = {"verdict": verdict, "note": st.session_state.get(note_key, ""), "answer": answer}
    change(case_notes={**app_state().case_notes, str(number): entry})
