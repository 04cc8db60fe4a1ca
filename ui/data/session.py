"""The Data page's last card: notes, where the analysis is kept, taking it away, forgetting it."""

import json

import streamlit as st

from ui import workspace
from ui.shell import once
from ui.state import app_state
from ui.workspace import change


def _load_settings() -> None:
    """Offer to take over saved settings for the table at hand."""
    turn = st.session_state.setdefault("upload_settings_turn", 0)
    key = f"upload_settings_{turn}"

    def take() -> None:
        file = st.session_state[key]
        if file is None:
            return
        st.session_state["upload_settings_turn"] = turn + 1  # the field is empty again
        if said := workspace.load_settings(file.getvalue()):
            st.session_state["_said"] = said

    st.file_uploader(
        "Load settings (JSON) for this table",
        type=["json"],
        key=key,
        on_change=once(take),
        help="The file that “Save settings” gave. It begins a new analysis of the table at hand; "
        "this one stays under its own address.",
    )


def session_card() -> None:
    """Show the notes, say what a reload does, offer the settings as a file and to forget all."""
    state = app_state()
    st.subheader("This analysis", anchor=False)
    notes = st.text_area(
        "Notes",
        state.notes,
        key=f"notes_{workspace.analysis_id()}",
        placeholder="What is asked, by whom, what was decided and why. Kept with the analysis.",
        max_chars=20_000,
    )
    if notes != state.notes:
        change(notes=notes)
    if workspace.folder() is None:
        st.caption("Nothing is written to disk (`RULEKIT_WORKSPACE=off`): a reload starts anew.")
    else:
        st.caption(
            "Kept in a folder on this machine that only its owner can read. The page's address "
            "brings it back after a reload or a restart: keep it like a password."
        )
    left, right = st.columns([1, 1])
    left.download_button(
        "Save settings (JSON)",
        data=lambda: json.dumps(workspace.to_plain(app_state()), indent=1),
        file_name="analysis.json",
        mime="application/json",
        on_click="ignore",
        help="Roles, target, split, cut points, chosen rule and notes, with the fingerprint of "
        "the data; not the data.",
    )
    _load_settings()
    with right.popover("Forget this analysis"):
        st.write("Deletes the table, the settings, the results and the notes from this machine.")
        st.button("Yes, delete it all", key="forget", type="primary", on_click=workspace.forget)
