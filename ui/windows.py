"""What another window did to the analysis that is open here, in one line with what can be done."""

import streamlit as st

from ui import workspace
from ui.escape import md

DELETED = (
    "This analysis was deleted by another window. You can work on with it here, but nothing of it "
    "is saved any more."
)


def messages() -> None:
    """Show whether another window deleted this analysis, or changed the same as this one."""
    if workspace.is_deleted():
        st.warning(DELETED)
        st.button("Save it as a new analysis", key="save_as_new", on_click=workspace.save_as_new)
    elif names := workspace.conflicts():
        *others, last = names
        words = f"{', '.join(others)} and {last}" if others else last
        st.warning(md(f"Another window has changed this as well, differently: {words}.", 600))
        with st.container(horizontal=True):
            for label, mine in (("Keep what I have here", True), ("Take the other one", False)):
                key = f"settle_{'mine' if mine else 'theirs'}"
                st.button(label, key=key, on_click=workspace.settle, kwargs={"mine": mine})
