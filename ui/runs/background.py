"""Work of a card in a separate process: progress, Stop button, results so far."""

import math
from collections.abc import Callable
from typing import Any

import streamlit as st

from ui import workspace
from ui.escape import md
from ui.runs import jobs
from ui.shell import problem
from ui.streamlit_private import rerun

POLL_SECONDS = 0.5


def answer_of(
    name: str, title: str, key: str, task: jobs.Task, *, offer: str | None = None, total: int = 0
) -> Any:
    """Return the result of a job under `key`, or its results so far; None without any."""
    # The job starts by itself, or by a button with the label `offer`.
    owner = f"{workspace.analysis_id()}/{name}"

    def begin() -> None:
        jobs.registry().start(owner, title, task, key=key, total=total)

    if (job := jobs.registry().get(owner)) is None or job.key != key:
        if offer is not None:
            st.button(offer, key=f"begin_{name}", on_click=begin, type="primary")
            return None
        begin()
        job = jobs.registry().get(owner)
    if job.active:
        watch(job, _words, name)
    elif job.state == "failed":
        failure(job)
        st.button("Try again", key=f"begin_{name}", on_click=begin)
    elif job.state == "cancelled":
        st.caption(f"{md(title)} was stopped{job.where}.")
        st.button("Begin again", key=f"begin_{name}", on_click=begin)
    return job.interim if job.answer is None else job.answer


def _words(job: jobs.Job) -> str:
    if waiting := jobs.registry().waiting(job):
        return waiting
    words, left = f"{job.title}{job.where} …", job.remaining
    return words if left is None or left < 1 else f"{words} {left:.0f} s to go"


def watch(
    job: jobs.Job,
    words: Callable[[jobs.Job], str],
    name: str,
    *,
    every: float = POLL_SECONDS,
    most: float = math.inf,
) -> None:
    """Show an active job with a Stop button; rerun the page for new results and at the end."""
    version = job.version

    def draw() -> None:
        if job.elapsed > most:
            job.cancel()
        if not job.active or job.version != version:
            rerun()
        bar, stop = st.columns([5, 1], vertical_alignment="bottom")
        text = md(words(job), 200)
        if job.total:
            bar.progress(job.share, text=text)
        else:
            bar.caption(text)
        stop.button("Stop", on_click=job.cancel, key=f"stop_{name}", width="stretch")

    st.fragment(draw, run_every=every)()


def failure(job: jobs.Job) -> None:
    """Show why a job failed."""
    problem(job.error)
    if job.error_id:
        st.caption(f"Its number in the server's log is {job.error_id}.")
