"""The frame of every page: the router's guard, title, status, empty states, messages."""

import logging
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rulekit.exceptions import RulekitError
from ui import login, workspace
from ui.escape import md, page_words
from ui.runs import jobs
from ui.state import SERVER, AppState, app_state

PAGES = {  # name in the navigation, and the question that the page answers
    "data": ("Data", "What is to be predicted, and from what?"),
    "binning": ("Binning", "How do numbers become conditions?"),
    "models": ("Models", "How short can the rule be?"),
    "rules": ("Rules", "Which conditions, and where are the errors?"),
    "explain": ("Explain", "Why this prediction?"),
    "score": ("Score", "Score new cases"),
    "export": ("Export", "Export the rule"),
}
OF_THE_SAMPLE = (
    "All figures on this page are of the sample of rows, except those labelled “all rows”."
)
DELETED = (
    "This analysis was deleted by another window. You can work on with it here, but nothing of it "
    "is saved any more."
)
STATUS = "_status"  # session key of the container for the status
ONWARD = ":material/arrow_forward:"  # from the font that Streamlit includes
log = logging.getLogger("rulekit.dashboard")


def guard(me: str) -> None:
    """Go through ``app.py`` first; the first statement of every page."""
    # A server that has just started runs the page of a link without the router, so without
    # navigation or state. The router marks every run; without its mark this sends the visitor
    # through it and back.
    if not st.session_state.pop("_shell", False):
        st.session_state["_wanted"] = me
        st.switch_page("app.py", query_params=dict(st.query_params))


def header(name: str, *, title: str = "") -> None:
    """Show the title of a page, the table, and the selected rule; or only another title."""
    with st.container(key="page_header", horizontal=True, vertical_alignment="bottom"):
        st.title(md(title, 120) or PAGES[name][1], anchor=False, width="content")
        if title:
            st.session_state[STATUS] = None, None
            return
        with st.container(horizontal=True, width="content"):
            job = jobs.registry().get(workspace.analysis_id())
            if job is not None and job.active:
                st.fragment(_job_line, run_every=1.0)(job)
            st.session_state[STATUS] = st.empty(), None
            login.line()
    status()
    if app_state().table is not None and SERVER in app_state().options:
        st.caption(OF_THE_SAMPLE)


def status() -> None:
    """Show the table and the selected rule in one line; update it if a page changed them."""
    container, shown = st.session_state.get(STATUS, (None, None))
    words = status_words(app_state())
    if container is not None and words != shown:
        container.caption(md(words, 200), width="content")
        st.session_state[STATUS] = container, words


def status_words(state: AppState) -> str:
    """Return the table, its rows, and the size and error of the selected rule."""
    if state.table is None:
        return "No table yet"
    rows = f"{state.table.n_rows:,} rows"
    if SERVER in state.options:
        rows = f"sample: {state.table.n_rows:,} of {state.options[SERVER]['rows']:,} rows"
    return " · ".join(filter(None, [state.table.name, rows, workspace.rule_words(state)]))


def two_columns() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the left column, for choices, and the right one, for results."""
    left, right = st.container(key="two_columns").columns([7, 5], gap="medium")
    return left, right


def open_tab(titles: Sequence[str], key: str) -> tuple[str, DeltaGenerator]:
    """Show tabs and draw the open one only; return its title and container."""
    name, drawn = f"{key}_{len(titles)}", f"_{key}_open"
    before, title = st.session_state.get(drawn, (name, None))
    if before != name and title in titles:
        st.session_state[name] = title
    tabs = st.tabs(titles, key=name, on_change="rerun")
    opened = next(pair for pair in zip(titles, tabs, strict=True) if pair[1].open)
    st.session_state[drawn] = name, opened[0]
    return opened


def empty(sentence: str, page: str = "data") -> None:
    """Show what is missing (escaped) and the page that provides it, then stop the page."""
    st.info(sentence)
    st.page_link(f"pages/{page}.py", label=f"Go to {PAGES[page][0]}", icon=ONWARD)
    st.stop()


@contextmanager
def sentences() -> Iterator[None]:
    """Show the library's errors as a sentence; log any others under an error id."""
    try:
        yield
    except (RulekitError, ValueError) as error:
        problem(log_error(error))
    except Exception:
        error_id = uuid.uuid4().hex[:8]
        log.exception("error %s", error_id)
        where = f"Its number in the server's log is {error_id}."
        st.error(md(f"An internal error occurred. {where}", 300))


def log_error(error: Exception) -> Exception:
    """Log an error that is shown as a sentence, with its traceback, if not a `RulekitError`."""
    # a plain `ValueError` may be a wrong setting, or a bug in some library
    if not isinstance(error, RulekitError):
        log.warning("shown as a sentence: %s", error, exc_info=error)
    return error


def problem(error: object) -> None:
    """Show an error's sentence; further lines, such as the lines of a file, unchanged."""
    sentence, _, lines = page_words(error).partition("\n")
    st.error(md(sentence, 900))
    if lines.strip():
        st.code("\n".join(line[:200] for line in lines.splitlines()[:12]), None)


def once(action: Callable[[], None]) -> Callable[[], None]:
    """Wrap a button's callback so that the library's errors are shown as a sentence."""

    def run_once() -> None:
        try:
            action()
        except (RulekitError, ValueError) as error:
            st.session_state["_message"] = str(log_error(error))

    return run_once


def messages() -> None:
    """Show the message of the last callback, whether saving failed, and what other windows did."""
    if unsaved := st.session_state.get("_unsaved"):
        problem(unsaved)
    if message := st.session_state.pop("_message", None):
        problem(message)
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


def _job_line(job: jobs.Job) -> None:
    """Show the progress of an active job."""
    if job.state == "queued":
        position = jobs.registry().position(job)
        st.caption(f"Waiting: {md(job.title)}, place {position} in the queue", width="content")
    elif job.active:
        share = f", {100 * job.share:.0f} %" if job.total else ""
        st.caption(f"Running: {md(job.title)}{share}", width="content")
