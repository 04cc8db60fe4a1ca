"""The line under the curve: progress of a run, its Stop button, and the thorough search."""

import streamlit as st

from rulekit.style.wording import plural
from ui.escape import md
from ui.learners.offered import curve_key, family_words, varied
from ui.learners.spec import RunSpec
from ui.models.points import Curve
from ui.models.run import (
    COMPARISON,
    FIRST,
    LONGER,
    PRICES,
    columns_words,
    latest,
    longer,
    part_words,
    seconds_longer,
    start,
)
from ui.runs import jobs, preparing
from ui.runs.background import failure
from ui.shell import once
from ui.state import app_state

POLL_SECONDS = 0.5
FIRST_POLL_SECONDS = 0.2  # intervals before the first results, and in the queue
MOST_POLL_SECONDS = 3.0  # 20 users with shorter intervals take more than two cores
DOING = {FIRST: "First rules", LONGER: "Searching", COMPARISON: "Comparing", PRICES: "Sweeping"}
AGAIN = {
    FIRST: "",
    LONGER: " “Search longer” continues from there.",
    COMPARISON: " “Compare learners” continues from there.",
    PRICES: " “Sweep prices” continues from there.",
}


def run_line(result: Curve | None, spec: RunSpec) -> None:
    """Show the progress of a run, or offer the thorough search."""
    first, job = latest(FIRST), latest(LONGER, COMPARISON, PRICES)
    active = next((j for j in (first, job) if j is not None and j.active), None)
    if active is not None:
        watched(active)
        if result is not None and active.key[0] != curve_key(spec, app_state()):
            st.caption("This run is of other settings than those at the side.")
        return
    for ended in (first, job):
        if ended is not None:
            _ended(ended, result)
    if result is not None:
        _offer_longer(result, longer(spec))


def watched(job: jobs.Job) -> None:
    """Show an active run; rerun the page when it has new points, and at its end.

    This is a fragment, so it only writes inside itself.
    """
    every = POLL_SECONDS
    if job.title == FIRST:
        waiting = 1 + 1.5 * jobs.registry().position(job)
        every = min(waiting * FIRST_POLL_SECONDS, MOST_POLL_SECONDS)
    st.fragment(_watched, run_every=every)(job, (job.version, job.active))


def _watched(job: jobs.Job, drawn: tuple[int, bool]) -> None:
    if (job.version, job.active) != drawn:
        st.rerun()
    bar, stop = st.columns([5, 1], vertical_alignment="bottom")
    bar.progress(job.share, text=md(progress_words(job), 200))
    stop.button("Stop", on_click=job.cancel, key="stop_run", width="stretch")


def progress_words(job: jobs.Job) -> str:
    """Return what a run does, its progress, and the remaining time."""
    if not job.done and (preparing_words := preparing.words()) is not None:
        return preparing_words
    if waiting := jobs.registry().waiting(job):
        return waiting
    words = DOING[job.title]
    if job.message:
        words += f": {job.message}"
    if job.done:
        words += f" ({job.done:,} of {job.total:,})"
    if (left := job.remaining) is not None and left >= 1:
        words += f", {left:.0f} s to go"
    return words


def _ended(job: jobs.Job, result: Curve | None) -> None:
    """Show the end of a run that failed, was stopped or has missing points."""
    if job.state == "failed":
        failure(job)
    elif job.state == "done" and job.answer.missed:
        names = ", ".join(job.answer.missed)
        st.caption(f"Not finished in time: {md(names, 300)}. Try more time.")
    elif job.state == "cancelled":
        st.caption(stopped_words(job, result is not None))
        if job.title == FIRST:
            st.button("Begin again", key="begin_again", on_click=_forget_first)


def stopped_words(job: jobs.Job, has_points: bool) -> str:
    """Return the progress of a stopped run, and how to continue it."""
    stay = " Finished points stay." if has_points else ""
    return f"{DOING[job.title]} was stopped{job.where}.{stay}{AGAIN[job.title]}"


def _forget_first() -> None:
    job = latest(FIRST)
    if job is not None:
        jobs.registry().forget(job.owner)


def search_is_complete(result: Curve) -> bool:
    """Return whether the thorough search finished, neither stopped nor failed."""
    job = latest(LONGER)
    return result.is_searched and (job is None or job.state not in ("cancelled", "failed"))


def _offer_longer(result: Curve, spec: RunSpec) -> None:
    """Offer the thorough search with its approximate time."""
    done = search_is_complete(result)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Search again" if done else "Search longer",
            key="search_longer",
            on_click=once(lambda: start(spec, LONGER)),
            help=_longer_help(spec),
        )
        if done:
            st.caption("Thorough search done.", width="content")
        else:
            st.caption(longer_words(result, spec))


def longer_words(result: Curve, spec: RunSpec) -> str:
    """Return the scope of the quick search and the duration of a thorough one."""
    seconds = seconds_longer(result, spec)
    if seconds is None:
        return f"A thorough search tries {plural(len(varied(spec)), 'kind')} of rule."
    sentences = (
        f"Quick search done{part_words(app_state())}.",
        columns_words(app_state()),
        f"A thorough search takes {span_words(*seconds)}.",
    )
    return " ".join(filter(None, sentences))


def span_words(low: float, high: float) -> str:
    """Return a rounded time span such as "10 to 30 s"."""
    if high < 120:
        first, last = max(1, round(low)), max(2, round(high))
        if last < 20:
            return f"{min(first, last - 1)} to {last} s"
        first, last = 5 * (first // 5) or 5, 5 * -(-last // 5)
        return f"{first} to {last} s" if first < last else f"about {last} s"
    first, last = max(1, round(low / 60)), round(-(-high // 60))
    return f"{first} to {last} min" if first < last else f"about {last} min"


def _longer_help(spec: RunSpec) -> str:
    names = ", ".join(family_words(*one).lower() for one in varied(spec))
    return f"Searches: {names}. Points of the quick search stay until better ones are finished."
