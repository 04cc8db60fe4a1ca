"""One run of a sweep in the background: what it works on, what it has so far, how it ends."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import streamlit as st

from rulekit.data import make_folds
from rulekit.evaluation import SweepStore, baselines, sweep
from ui import jobs, workspace
from ui.cache import kept
from ui.escape import md
from ui.learners import LEARNERS, RunSpec, estimator_for, families
from ui.models_points import Outcome, outcome_of
from ui.state import AppState, app_state, change

SMALL = 400_000  # cells up to which one fit is measured before the run, to tell its time
POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Part:
    """What a run reports: rows of a sweep, or reference models once they are there."""

    rows: tuple[dict[str, Any], ...] = ()
    baselines: Any = None


def run_key(spec: RunSpec, state: AppState) -> str:
    """Return a text that changes whenever the points of a run would."""
    return repr((state.fit_key, spec))


def start(spec: RunSpec, state: AppState) -> jobs.Job:
    """Start the run in the background; finished folds of an earlier one are taken from the store.

    Parameters
    ----------
    spec : RunSpec
    state : AppState
        The analysis as it is now; later changes do not reach the run.

    Returns
    -------
    Job
        Reports rows of the sweep as they land; its answer is the `Outcome`.
    """
    X, y = state.training
    train, _ = state.rows()
    groups = None if state.groups is None else state.groups[train]
    weight = None if state.sample_weight is None else state.sample_weight[train]
    folds = make_folds(y, spec.folds, groups=groups, random_state=0)
    path = workspace.store_path()
    plan = families(spec, state)
    change(run_settings=spec.to_dict())

    def work(job: jobs.Job) -> Outcome:
        store = None if path is None else SweepStore(path)
        with joblib.parallel_config("threading", n_jobs=os.cpu_count() or 1):
            for estimator, grid in plan:
                sweep(
                    estimator,
                    X,
                    y,
                    grid=grid,
                    cv=folds,
                    store=store,
                    sample_weight=weight,
                    on_result=lambda row: job.report(Part(rows=(row,))),
                    should_stop=job.should_stop,
                )
            if spec.baselines and not job.should_stop():
                job.report(Part(), done=job.done, message="Fitting the reference models")
                table = baselines(X, y, cv=folds, positive_label=state.positive)
                job.report(Part(baselines=table), done=job.done)
        return outcome_of(job.results, spec, complete=True)

    return jobs.registry().start(
        workspace.analysis_id(), "Sweep", work, total=spec.n_fits, key=run_key(spec, state)
    )


def collect() -> jobs.Job | None:
    """Bring what the latest run has into the analysis, and return its job (None if there is none).

    A finished run is kept as a whole; a cancelled or failed one with the points it has.
    """
    job = jobs.registry().get(workspace.analysis_id())
    if job is None or job.title != "Sweep":
        return None
    if not job.active and st.session_state.get("_collected") != job.id:
        st.session_state["_collected"] = job.id
        spec = RunSpec.from_dict(app_state().run_settings)
        found = job.answer or outcome_of(job.results, spec, complete=False)
        if len(found.table):
            change(sweep=found, sweep_key=job.key)
    return job


def estimate(spec: RunSpec, state: AppState) -> float | None:
    """Return about how many seconds a run takes, from one measured fit; None for large tables."""
    X, y = state.training
    if X.size > SMALL:
        return None
    theta = sorted(spec.thetas)[len(spec.thetas) // 2]

    def seconds(learner: str) -> float:
        model = estimator_for(learner, spec, state).set_params(theta=theta)
        if learner != "one_level":
            model.set_params(n_clauses=(spec.clauses[0] + spec.clauses[1]) // 2)
        started = time.perf_counter()
        model.fit(X, y)
        return time.perf_counter() - started

    def measured() -> float:
        return sum(seconds(name) for name in spec.learners) / len(spec.learners)

    shape = (spec.learners, theta, spec.clauses, spec.form, spec.rounding, spec.refine)
    one = kept("one fit", repr((state.fit_key, shape, spec.constraints())), measured)
    return one * spec.n_fits / (os.cpu_count() or 1)


def progress(job: jobs.Job) -> None:
    """Show how far a run is, with its cancel button; refreshed while it goes on."""
    st.fragment(_progress, run_every=POLL_SECONDS if job.active else None)(job, job.active)


def _progress(job: jobs.Job, was_active: bool) -> None:
    if was_active and not job.active:
        st.rerun()
    if job.state == "queued":
        st.info(f"Waiting for a free place: number {jobs.registry().position(job)} in the queue.")
        st.button("Cancel", on_click=job.cancel, key="cancel_queued")
        return
    words = f"{job.done} of {job.total} fits, {job.elapsed:.0f} s"
    if job.remaining is not None:
        words += f", about {job.remaining:.0f} s to go"
    bar, stop = st.columns([5, 1], vertical_alignment="bottom")
    bar.progress(job.share, text=md(f"{job.message or 'Sweeping'}: {words}"))
    stop.button("Cancel", on_click=job.cancel, key="cancel_run", width="stretch")


def ended(job: jobs.Job, found: Outcome | None) -> None:
    """Say how a run ended, where that needs saying."""
    if job.state == "cancelled":
        kept_points = f"partial: {job.done} of {job.total} fits" if job.done else "nothing measured"
        st.warning(f"The run was cancelled ({kept_points}). Resume takes up where it stopped.")
    elif job.state == "failed":
        st.error(md(job.error, 600))
        if job.error_id:
            with st.expander("Details"):
                st.write(f"Error id {job.error_id}; the server's log tells where it happened.")


def learner_names(names: Sequence[str]) -> str:
    """Join learners' names for a sentence."""
    return ", ".join(LEARNERS[name].name for name in names)


__all__ = ["Part", "collect", "ended", "estimate", "progress", "run_key", "start"]
