"""The router: page settings, navigation, status; every page runs inside it."""

import sys
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
if str(HERE) not in sys.path:  # `streamlit run /elsewhere/app.py` finds `ui` all the same
    sys.path.insert(0, str(HERE))

from ui import analyses, login, streamlit_private, workspace  # noqa: E402
from ui.shell import PAGES, messages, sentences, status  # noqa: E402

streamlit_private.prepare()  # also when started by `streamlit run`
st.set_page_config("Rulekit", page_icon="📏", layout="wide")
login.require()
st.session_state["_shell"] = True  # for this run; see `ui.shell.guard`
pages = {
    name: st.Page(HERE / "pages" / f"{name}.py", title=title, url_path=name)
    for name, (title, _) in PAGES.items()
}

# The bare address leads to Data: a default page would have no address of its own.
start = st.Page(lambda: None, title="Start", url_path="start", default=True, visibility="hidden")
chosen = st.navigation([start, *pages.values()], position="top")
wanted = st.session_state.pop("_wanted", "data" if chosen is start else None)
if wanted is not None:
    st.switch_page(pages[wanted], query_params=dict(st.query_params))
workspace.attach()
st.html(HERE / "ui" / "style.css")
messages()
with sentences():
    chosen.run()
workspace.save()
analyses.claim()
if workspace.take_changes():
    streamlit_private.rerun()
status()
