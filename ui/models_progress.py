"""A run that goes on, as the page tells of it: bar, Stop button, points as they land, the end."""

import time

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import jobs, workspace
from ui.escape import md
from ui.learners import RunSpec
from ui.models_front import live_curve
from ui.models_points import outcome_of
from ui.state import app_state

POLL_SECONDS = 0.5
FIRST_POLL_SECONDS = 0.2  # while there is nothing to be seen yet
FIRST_SECONDS = 1.0  # the page waits so long for the first fold's points
STOP = "Ends the run. The points shown stay, and Resume takes up where it stopped."


def progress(job: jobs.Job, place: DeltaGenerator) -> None:
    """Show how far a run is, with its Stop button; refreshed while it goes on.

    Parameters
    ----------
    job : Job
    place : DeltaGenerator
        An ``st.empty`` for the curve while it grows. The finished one takes the same place, so
        that there are never two.
    """
    every = FIRST_POLL_SECONDS if job.standing is None and not job.results else POLL_SECONDS
    now = (job.active, job.version)
    st.fragment(_progress, run_every=every if job.active else None)(job, now, place)


def _progress(job: jobs.Job, drawn_for: tuple[bool, int], place: DeltaGenerator) -> None:
    if drawn_for != (job.active, job.version):
        ended(job)  # said at once; drawing the whole page takes longer
        st.rerun()  # once: the page shows the points to pick from, or the end
    if job.state == "queued":
        st.info(f"Waiting for a free place: number {jobs.registry().position(job)} in the queue.")
        st.button("Cancel", on_click=job.cancel, key="cancel_queued")
        return
    bar, stop = st.columns([5, 1], vertical_alignment="bottom")
    bar.progress(job.share, text=md(progress_words(job)))
    stop.button("Stop", on_click=_stop, key="cancel_run", width="stretch", help=STOP)
    if job.standing is None:
        while _awaited(job):
            time.sleep(0.01)
        spec = RunSpec.from_dict(app_state().run_settings)
        with place:
            live_curve(job.glimpse or outcome_of(job.results, spec, suggest=False))
        job.drawn()


def _awaited(job: jobs.Job) -> bool:
    """Whether a run has just begun, and its first points are still to come."""
    seen = job.glimpse or job.standing or (job.results and job.results[-1]["fold"])
    return job.active and not seen and job.elapsed < FIRST_SECONDS


def _stop() -> None:
    """End the run that goes on now; the button may be one that an earlier run has drawn."""
    job = jobs.registry().get(workspace.analysis_id())
    if job is not None:
        job.cancel()


def progress_words(job: jobs.Job) -> str:
    """Say what a run does just now, how long it has run, and what is to come."""
    words = f"{job.message or 'Reading the table'}: {job.elapsed:.0f} s"
    if job.done:
        words += f", {job.done:,} of {job.total:,} fits"
    if job.remaining and job.remaining >= 1:
        words += f", about {job.remaining:.0f} s to go"
    return words


def ended(job: jobs.Job) -> None:
    """Say how a run ended, where that needs saying."""
    if job.state == "cancelled":
        st.warning(cancelled_words(job))
    elif job.state == "failed":
        st.error(md(job.error, 600))
        if job.error_id:
            with st.expander("Details"):
                st.write(f"Error id {job.error_id}; the server's log tells where it happened.")


def cancelled_words(job: jobs.Job) -> str:
    """Say how far a stopped run came, and what Resume will do."""
    if job.done and job.done == job.total:
        return (
            f"The run was stopped while the reference models were fitted. All {job.total:,} fits "
            "are done; Resume draws the reference models and computes nothing else."
        )
    kept_points = f"partial: {job.done:,} of {job.total:,} fits" if job.done else "no fit finished"
    standing_draft = job.standing is not None and job.standing.draft
    drafted = standing_draft or (job.results and not job.done)
    first = " The points of the first pass stay." if drafted else ""
    return f"The run was stopped ({kept_points}).{first} Resume takes up where it stopped."
