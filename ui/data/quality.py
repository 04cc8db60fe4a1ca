"""The Data page's findings: possible problems of the table, with a fix in one click."""

import streamlit as st

from rulekit.data import QualityNote, quality_notes
from ui.cache import kept
from ui.data.choices import set_role
from ui.escape import md
from ui.state import CATEGORIES, NUMERIC, app_state
from ui.workspace import change

SHOWN = 5
FIXES = {
    "ignore": "Ignore it",
    "group": "Keep its rows together",
    "as_numeric": "Make numbers",
    "as_category": "They are codes",
}


def quality_card() -> None:
    """List the findings, warnings first, each with its fix."""
    state = app_state()
    table = state.table
    key = repr((table.digest, [(c.name, c.role) for c in table.columns]))
    notes = kept("quality", key, lambda: quality_notes(table))
    st.markdown("**What to know about this table**")
    if not notes:
        st.caption("No problem found: no constant, empty, repeated or give-away column.")
    for index, note in enumerate(notes[:SHOWN]):
        _finding(note, index)
    if len(notes) > SHOWN:
        with st.expander(f"{len(notes) - SHOWN} more findings"):
            for index, note in enumerate(notes[SHOWN:], SHOWN):
                _finding(note, index)


def apply_fix(note: QualityNote) -> None:
    """Apply the fix of a finding."""
    state = app_state()
    if note.suggestion in ("as_numeric", "as_category"):
        kind = NUMERIC if note.suggestion == "as_numeric" else CATEGORIES
        columns = [*state.options.get(kind, ()), note.column]
        table = getattr(state.table, note.suggestion)(note.column)
        change(table=table, options=state.options | {kind: columns})
    elif note.suggestion is not None:
        set_role(note.column, note.suggestion)


def _finding(note: QualityNote, index: int) -> None:
    text, button = st.columns([7, 3], vertical_alignment="center")
    sign = ":material/warning: " if note.severity == "warning" else ""
    text.markdown(f"{sign}{md(note.sentence, 500)}")
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
    """Whether the column is ignored already."""
    role = app_state().table.column(note.column).role
    return note.suggestion == "ignore" and role in ("ignore", "id")
