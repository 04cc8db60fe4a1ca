"""The Explain page's cards beyond the decision: cases like it, and what a person says of it."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from rulekit.explain import Explanation
from rulekit.plots.wording import percent, plural
from ui.cases import row_number
from ui.rule_numbers import Rows
from ui.state import AppState, app_state
from ui.words import value_words
from ui.workspace import change


def similar(found: Explanation, train: Rows, state: AppState) -> None:
    """List the training rows most like the case, as the rule sees them."""
    cases = found.similar(5)
    if not cases:
        st.caption("The rule reads no column, so no case is more alike than another.")
        return
    table = pd.DataFrame(
        [
            {
                "row": row_number(train.X.index[c.row]),
                "truly": str(c.label),
                "conditions alike": percent(c.agreement),
                **{state.label(f): value_words(v) for f, v in c.values.items()},
            }
            for c in cases
        ]
    )
    st.dataframe(table, hide_index=True, alt="The five training rows most like this case")


def review(number: int, found: Explanation) -> None:
    """Let the reader agree or disagree, with a note; kept with the analysis and its record."""
    notes: Mapping[str, Any] = app_state().case_notes
    mine = notes.get(str(number), {})
    st.markdown("**Do you agree with this answer?**")
    if mine.get("verdict"):
        st.caption(f"You said: {mine['verdict']}.")
    st.text_input("Note", value=mine.get("note", ""), key=f"note_{number}")
    left, right, _ = st.columns([1, 1, 3])
    for place, words in ((left, "agree"), (right, "disagree")):
        place.button(
            f"I {words}",
            key=f"review_{words}",
            on_click=_review,
            args=(number, words, f"note_{number}", str(found.prediction)),
            width="stretch",
        )
    if len(notes):
        st.caption(f"{plural(len(notes), 'case')} reviewed; the report on Export lists them.")


def _review(number: int, verdict: str, note_key: str, answer: str) -> None:
    entry = {"verdict": verdict, "note": st.session_state.get(note_key, ""), "answer": answer}
    change(case_notes={**app_state().case_notes, str(number): entry})
