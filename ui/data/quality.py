"""The Data page's findings: what was repaired, what looks wrong, and a fix in one click."""

import streamlit as st

from rulekit.data import QualityNote, quality_notes
from ui.cache import kept
from ui.data.choices import set_role
from ui.escape import md
from ui.state import NUMERIC, app_state
from ui.workspace import change

SHOWN = 8
FIXES = {"ignore": "Ignore it", "group": "Make it group", "as_numeric": "Make numbers"}


def quality_card() -> None:
    """List the findings, warnings first, each with its fix; and what reading repaired."""
    state = app_state()
    table = state.table
    key = repr((table.digest, [(c.name, c.role) for c in table.columns]))
    notes = kept("quality", key, lambda: quality_notes(table))
    st.subheader("What to know about this table", anchor=False)
    if not notes and not table.notes:
        st.caption(
            "Nothing stands out: no constant, empty, repeated or give-away column was found."
        )
    for index, note in enumerate(notes[:SHOWN]):
        _finding(note, index)
    if len(notes) > SHOWN:
        with st.expander(f"{len(notes) - SHOWN} more findings"):
            for index, note in enumerate(notes[SHOWN:], SHOWN):
                _finding(note, index)
    if table.notes:
        with st.expander(f"What was noticed while reading ({len(table.notes)})"):
            for sentence in table.notes:
                st.markdown(f"- {md(sentence, 400)}")


def apply_fix(note: QualityNote) -> None:
    """Do what a finding suggests."""
    if note.suggestion == "as_numeric":
        state = app_state()
        made = [*state.options.get(NUMERIC, ()), note.column]
        change(table=state.table.as_numeric(note.column), options=state.options | {NUMERIC: made})
    elif note.suggestion is not None:
        set_role(note.column, note.suggestion)


def _finding(note: QualityNote, index: int) -> None:
    text, button = st.columns([4, 1], vertical_alignment="center")
    sign = "⚠️ **Warning.**" if note.severity == "warning" else "**Note.**"
    text.markdown(f"{sign} {md(note.sentence, 500)}")
    if note.suggestion is None or _is_done(note):
        return
    button.button(
        FIXES[note.suggestion],
        key=f"fix_{index}_{note.kind.replace(' ', '_')}",
        on_click=apply_fix,
        args=(note,),
        width="stretch",
    )


def _is_done(note: QualityNote) -> bool:
    """Whether the column has been set aside already."""
    role = app_state().table.column(note.column).role
    return note.suggestion == "ignore" and role in ("ignore", "id")
