"""Work of a card in a separate process: progress, Stop button, results so far."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui import workspace
from ui.escape import md
from ui.runs import jobs
from ui.runs.worker import Reporter
from ui.shell import problem

POLL_SECONDS = 0.5


def answer_of(
    name: str,
    title: str,
    key: str,
    task: Callable[[Reporter], Any],
    *,
    offer: str | None = None,
    total: int = 0,
) -> Any:
    """Return the result of a job, or its results so far; None without any.

    A result under another `key` is not shown. Without `offer`, the label of a button, it starts by
    itself.
    """
    owner = f"{workspace.analysis_id()}/{name}"

    def begin() -> None:
        jobs.registry().start(owner, title, task, key=key, total=total)

    job = jobs.registry().get(owner)
    if job is None or job.key != key:
        if offer is not None:
            st.button(offer, key=f"begin_{name}", on_click=begin, type="primary")
            return None
        begin()
        job = jobs.registry().get(owner)
    if job.active:
        st.fragment(_watched, run_every=POLL_SECONDS)(job, name, (job.version, job.active))
    elif job.state == "failed":
        failure(job)
        st.button("Try again", key=f"begin_{name}", on_click=begin)
    elif job.state == "cancelled":
        st.caption(f"{md(title)} was stopped{job.where}.")
        st.button("Begin again", key=f"begin_{name}", on_click=begin)
    return job.interim if job.answer is None else job.answer


def _watched(job: jobs.Job, name: str, drawn: tuple[int, bool]) -> None:
    """Show the progress; rerun the page for new results, and at the end."""
    if (job.version, job.active) != drawn:
        st.rerun()
    words = jobs.registry().waiting(job)
    if not words:
        words = f"{job.title}{job.where} …"
        if (left := job.remaining) is not None and left >= 1:
            words += f" {left:.0f} s to go"
    bar, stop = st.columns([4, 1], vertical_alignment="bottom")
    if job.total:
        bar.progress(job.share, text=md(words, 200))
    else:
        bar.caption(md(words, 200))
    stop.button("Stop", on_click=job.cancel, key=f"stop_{name}", width="stretch")


def failure(job: jobs.Job) -> None:
    """Show why a job failed."""
    problem(job.error)
    if job.error_id:
        st.caption(f"Its number in the server's log is {job.error_id}.")
