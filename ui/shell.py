"""The frame around every page: the router's guard, headings, empty states, the sidebar's chips."""

import logging
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from rulekit.exceptions import RulekitError
from ui import jobs, workspace
from ui.escape import md
from ui.state import app_state
from ui.words import size_words

PAGES = {
    "data": ("Data", "What am I modelling?"),
    "binning": ("Binning", "How are numbers turned into conditions?"),
    "models": ("Models", "How simple can it be before accuracy suffers?"),
    "rules": ("Rules", "What does the model say, and where is it wrong?"),
    "explain": ("Explain", "Why this decision for this case?"),
    "export": ("Export", "Take it away, checked."),
}
ONWARD = ":material/arrow_forward:"  # from the font that comes with Streamlit
log = logging.getLogger("rulekit.dashboard")


def guard(me: str) -> None:
    """Go through ``app.py`` first; the first statement of every page.

    On a server that has just started, a link to a page runs the page's file without the router
    (no page settings, no navigation, no state; Streamlit's test runner does so in every run after
    the first). The router leaves a mark in every run, which this takes; without it, this sends the
    visitor through the router and back, with the query parameters kept.

    Parameters
    ----------
    me : str
        The page's name, a key of `PAGES`.
    """
    if not st.session_state.pop("_shell", False):
        st.session_state["_wanted"] = me
        st.switch_page("app.py", query_params=dict(st.query_params))


def header(name: str) -> None:
    """Show a page's title and the question it answers."""
    title, question = PAGES[name]
    st.title(title, anchor=False)
    st.caption(question)


def empty(sentence: str, page: str = "data", *, link: str | None = None) -> None:
    """Say what is missing and where to get it, then stop the page: no chart before its data.

    Parameters
    ----------
    sentence : str
        What is missing; data-derived parts already escaped.
    page : str, default="data"
        Where it is to be had: a key of `PAGES`.
    link : str, optional
        The link's words; "Go to Data" by default.
    """
    st.info(sentence)
    st.page_link(f"pages/{page}.py", label=link or f"Go to {PAGES[page][0]}", icon=ONWARD)
    st.stop()


@contextmanager
def sentences() -> Iterator[None]:
    """Show the library's own errors as a sentence; log anything else under an error id.

    Inside the block, a `RulekitError` or `ValueError` becomes a red box with its message; the
    traceback of a `ValueError` that is not the library's own also goes to the server's log. Other
    exceptions are bugs: the page shows an id, the server's log the traceback. The page goes on
    after the block.
    """
    try:
        yield
    except (RulekitError, ValueError) as error:
        problem(noted(error))
    except Exception:
        st.error(md(f"Something went wrong here that is not your doing. {new_error_id()}", 300))


def noted(error: Exception) -> Exception:
    """Log an error that is shown as a sentence, with its traceback, unless it is a `RulekitError`.

    A wrong setting and a bug in some library both arrive as a plain `ValueError`: the reader gets
    the sentence either way, and the log says where it came from.
    """
    if not isinstance(error, RulekitError):
        log.warning("shown as a sentence: %s", error, exc_info=error)
    return error


def problem(error: object) -> None:
    """Show an error's sentence; further lines, such as the lines of a file, as they are."""
    sentence, _, lines = str(error).partition("\n")
    st.error(md(sentence, 900))
    if lines.strip():
        st.code("\n".join(line[:200] for line in lines.splitlines()[:12]), None)


def new_error_id() -> str:
    """Log the exception being handled, and return a sentence with the id it has in the log."""
    error_id = uuid.uuid4().hex[:8]
    log.exception("error %s", error_id)
    return f"Its number in the server's log is {error_id}."


def once(action: Callable[[], None]) -> Callable[[], None]:
    """Wrap a button's callback so that the library's errors reach the page as a sentence."""

    def wrapped() -> None:
        try:
            action()
        except (RulekitError, ValueError) as error:
            st.session_state["_said"] = str(noted(error))

    return wrapped


def said() -> None:
    """Show, once, what a callback left to be said."""
    if message := st.session_state.pop("_said", None):
        problem(message)


def sidebar() -> Callable[[], None]:
    """Show what is loaded, which model is chosen and what is running; nothing else.

    Returns
    -------
    callable
        To be called after the page: draws the chips again if the page has changed them.
    """
    slot, badge = st.sidebar.empty(), st.sidebar.empty()
    drawn = _chips_key()

    def draw() -> None:
        with slot.container():
            _chips()
        with badge.container():  # its own place: its timer goes on writing where it was drawn
            job_badge()

    def again() -> None:
        if _chips_key() != drawn:
            draw()

    draw()
    return again


def _chips_key() -> tuple[object, ...]:
    state = app_state()
    job = jobs.registry().get(workspace.analysis_id())
    name = state.table.name if state.table is not None else None
    return (name, id(state.model), job.id if job is not None else None)


def _chips() -> None:
    state = app_state()
    if state.table is None:
        st.caption("No data yet")
        return
    st.markdown(f"**{md(state.table.name, 40)}**  \n{state.table.n_rows:,} rows")
    if state.model is not None:
        st.caption(size_words(state.model.rule_set_), help=model_help(state.model))


def model_help(model: object) -> str:
    """Explain the words of a model's chip."""
    rule = model.rule_set_
    if rule.form == "dnf":
        form = "DNF: the rule says yes if any of its clauses holds; a clause holds if all its "
        return f"{form}conditions do."
    form = "CNF: the rule says yes if every clause holds; one condition is enough for a clause."
    return form


def job_badge() -> None:
    """Show the analysis' latest job; refreshed every second while it is active."""
    job = jobs.registry().get(workspace.analysis_id())
    if job is not None:
        st.fragment(_badge, run_every=1.0 if job.active else None)(job, job.active)


def _badge(job: jobs.Job, was_active: bool) -> None:
    if was_active and not job.active:
        st.rerun()  # once: the page learns of the end, and the timer goes
    if job.state == "queued":
        st.caption(f"Waiting: {md(job.title)}, place {jobs.registry().position(job)} in the queue")
    elif job.state == "running":
        st.caption(f"Running: {md(job.title)}, {job.done} of {job.total or '?'}")
    else:
        st.caption(f"{job.state.capitalize()}: {md(job.title)}")
