"""The Data page's findings: possible problems of the table, with a fix in one click."""

import numpy as np
import streamlit as st

from rulekit.data import QualityNote, quality_notes
from rulekit.data.cells import numbers_in
from ui.cache import kept
from ui.data.choices import set_role
from ui.escape import md
from ui.state import CATEGORIES, IGNORED, NUMERIC, app_state
from ui.workspace import change

SHOWN = 5
NUMBERS_SHARE = 0.9  # of the cells of a column that may be read as numbers
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
    """Whether the column is ignored already, so that nothing is proposed for it.

    A column of numbers with a few texts is the exception: it was set aside only for its texts.
    """
    state = app_state()
    role = state.table.column(note.column).role
    if note.suggestion == "as_numeric":
        return note.column in state.options.get(IGNORED, ()) or _mostly_text(note.column)
    return role in ("ignore", "id")


def _mostly_text(name: str) -> bool:
    """Whether too many cells of a column hold text for a column of numbers."""
    present = app_state().table.frame[name].dropna()
    return float(np.isfinite(numbers_in(present)).mean()) < NUMBERS_SHARE
