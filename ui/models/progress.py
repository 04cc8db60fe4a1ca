"""A run as the page tells of it: bar, Stop button, points as they land, how it ended."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import jobs
from ui.escape import md
from ui.learners.offered import n_fits, run_key
from ui.learners.spec import FIT_SECONDS, RunSpec
from ui.models.front import live_curve
from ui.models.plan import plan_words
from ui.models.points import RunResult
from ui.models.run import Phase, Run
from ui.shell import once
from ui.state import AppState, app_state

POLL_SECONDS = 0.5
FIRST_POLL_SECONDS = 0.2  # while there is nothing to be seen yet
STOP = "Ends the run. The points shown stay, and Resume takes up where it stopped."


def run_button(run: Run, spec: RunSpec) -> None:
    """Offer to begin a run, and say how much it is."""
    state = app_state()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Resume" if run.is_resumable(spec) else "Run",
            type="primary",
            disabled=run.is_active and run.key == run_key(spec, state),
            on_click=once(lambda: Run.start(spec)),
            key="run",
            shortcut="Ctrl+Enter",
            width=200,
        )
        st.caption(plan_words(spec, state))


def progress(run: Run, place: DeltaGenerator) -> None:
    """Show how far a run is, with its Stop button; while nothing stands, the points it has.

    Parameters
    ----------
    run : Run
    place : DeltaGenerator
        An ``st.empty`` for the curve while it grows. The finished one takes the same place, so
        that there are never two.

    Notes
    -----
    Bar and growing curve are a fragment each. What refreshes itself may write nowhere but inside
    itself: a container that was made outside is refused when the fragment runs alone.
    """
    if not run.is_active:
        ended(run)
        return
    every = FIRST_POLL_SECONDS if run.has_nothing_yet and run.job.standing is None else POLL_SECONDS
    st.fragment(_progress, run_every=every)(run, run.seen)
    if run.has_nothing_yet:
        with place.container():
            st.fragment(_growing_curve, run_every=every)(run)


def _progress(run: Run, drawn_for: tuple[Phase, int]) -> None:
    run.look()
    job = run.job
    if drawn_for != run.seen and not run.has_nothing_yet:
        ended(run)  # said at once; drawing the whole page takes longer
        st.rerun()  # once: the page shows the points to pick from, or the end
    if run.phase is Phase.QUEUED:
        st.info(f"Waiting for a free place: number {jobs.registry().position(job)} in the queue.")
        st.button("Cancel", on_click=job.cancel, key="cancel_queued")
        return
    bar, stop = st.columns([5, 1], vertical_alignment="bottom")
    bar.progress(job.share, text=md(progress_words(job)))
    stop.button("Stop", on_click=_stop, key="cancel_run", width="stretch", help=STOP)


def _growing_curve(run: Run) -> None:
    """Draw the points that have landed, as long as nothing stands."""
    job = run.job
    if job.standing is not None:
        live_curve(job.standing)


def _stop() -> None:
    """End the run that goes on now; the button may be one that an earlier run has drawn."""
    if (job := Run.current().job) is not None:
        job.cancel()


def progress_words(job: jobs.Job) -> str:
    """Say what a run does just now, how long it has run, and what is to come."""
    words = f"{job.message or 'Reading the table'}: {job.elapsed:.0f} s"
    if job.done:
        words += f", {job.done:,} of {job.total:,} fits"
    if job.remaining and job.remaining >= 1:
        words += f", about {job.remaining:.0f} s to go"
    return words


def ended(run: Run) -> None:
    """Say how a run ended, where that needs saying, or what is there of an earlier visit's."""
    if run.job is None:
        _came_back(app_state())
    elif run.phase is Phase.STOPPED:
        st.warning(cancelled_words(run.job))
    elif run.phase is Phase.FAILED:
        st.error(md(run.job.error, 600))
        if run.job.error_id:
            with st.expander("Details"):
                st.write(f"Error id {run.job.error_id}; the server's log tells where it happened.")


def cancelled_words(job: jobs.Job) -> str:
    """Say how far a stopped run came, and what Resume will do."""
    if job.done and job.done == job.total:
        return (
            f"The run was stopped while the reference models were fitted. All {job.total:,} fits "
            "are done; Resume draws the reference models and computes nothing else."
        )
    kept_points = f"partial: {job.done:,} of {job.total:,} fits" if job.done else "no fit finished"
    standing_draft = job.standing is not None and job.standing.draft
    drafted = standing_draft
    first = " The points of the first pass stay." if drafted else ""
    return f"The run was stopped ({kept_points}).{first} Resume takes up where it stopped."


def _came_back(state: AppState) -> None:
    """Say what is there of a run of an earlier visit, where that needs saying."""
    found: RunResult | None = state.sweep
    if found is None:
        if state.run_settings and state.setting is not None:
            st.caption(
                "The points of the last run are not kept for this table and this version of the "
                "program; the picked rule is on Rules. Run to have the points again."
            )
    elif not found.complete and not found.draft:
        st.info("These points of an unfinished run were kept. Resume takes up where it stopped.")
    elif found.spec.baselines and found.baselines is None:
        st.caption(
            "The points of the last run were kept. Its reference models were not: Run draws them "
            "again and computes nothing else."
        )


def told_of(found: RunResult, running: bool) -> None:
    """Say what kind of points are shown, where they are not the whole and final ones."""
    if found.draft:
        more = " It is being refined; better points take the place of these." if running else ""
        st.caption(md(f"{found.draft}.{more}", 300))
    elif not found.complete and not running:
        st.caption(f"Partial: {found.finished:,} of {n_fits(found.spec):,} fits.")
    if found.cut and not found.draft:
        st.caption(
            f"A search of this table takes longer than its time limit of {FIT_SECONDS:g} s; what "
            "it had found by then is shown."
        )
