"""One run of a sweep in the background: what it works on, what it has so far, how it ends."""

import os
import time
from typing import Any

import joblib
import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.data import make_folds
from rulekit.evaluation import SweepStore, sweep
from rulekit.exceptions import RulekitError
from ui import jobs, workspace
from ui.cache import kept
from ui.escape import md
from ui.learners import ONE_CLAUSE, WHOLE_FRONT, RunSpec, estimator_for
from ui.models_front import live_curve
from ui.models_points import Outcome, outcome_of, reference_models, two_level_grid
from ui.shell import noted, problem
from ui.state import AppState, app_state, change

SMALL = 400_000  # cells up to which one fit is measured before the run, to tell its time
POLL_SECONDS = 0.5
TITLE = "Sweep"
SLOW = {"exact", "lp"}  # a single fit of these is not measured while the reader waits


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
    X, y, common = _swept(spec, state)
    path = workspace.store_path()
    plan = _plan(spec, state)
    change(run_settings=spec.to_dict())

    def work(job: jobs.Job) -> Outcome:
        store = None if path is None else SweepStore(path)
        more = common | {"store": store, "should_stop": job.should_stop}
        for estimator, grid, shift in plan:

            def land(row: dict[str, Any], shift: int = shift) -> None:
                job.report(row | {"setting": row["setting"] + shift})

            with joblib.parallel_config("threading", n_jobs=threads(spec)):
                sweep(estimator, X, y, grid=grid, on_result=land, **more)
        references = None
        if spec.baselines and not job.should_stop():
            job.report(message="Fitting the reference models")
            with joblib.parallel_config("threading", n_jobs=os.cpu_count() or 1):
                references = reference_models(X, y, common["cv"], common["sample_weight"])
        return outcome_of(job.results, spec, references)

    return jobs.registry().start(
        workspace.analysis_id(), TITLE, work, total=spec.n_fits, key=run_key(spec, state)
    )


def threads(spec: RunSpec) -> int:
    """Return how many threads serve a run best.

    Solvers of linear programs release the interpreter's lock; the box search holds it, and two
    searches at once take longer than one after the other.
    """
    return 1 if set(spec.learners) <= WHOLE_FRONT else os.cpu_count() or 1


def _swept(spec: RunSpec, state: AppState) -> tuple[pd.DataFrame, pd.Series, dict[str, Any]]:
    """Return the rows of a run, with its folds and weights as `sweep` takes them."""
    X, y = state.training
    train, _ = state.rows()
    groups = None if state.groups is None else state.groups[train]
    weight = None if state.sample_weight is None else state.sample_weight[train]
    folds = make_folds(y, spec.folds, groups=groups, random_state=0)
    return X, y, {"cv": folds, "sample_weight": weight}


def _plan(spec: RunSpec, state: AppState) -> list[tuple[ClassifierMixin, dict[str, Any], int]]:
    """List what is swept: estimator, grid, and the number its first setting has in the run."""
    plan: list[tuple[ClassifierMixin, dict[str, Any], int]] = []
    grid = two_level_grid(spec)
    if grid["method"]:
        plan.append((estimator_for(grid["method"][0], spec, state), grid, 0))
    shift = len(grid["method"]) * len(grid["n_clauses"]) * len(spec.thetas)
    for name in ONE_CLAUSE:
        if name in spec.learners:
            plan.append((estimator_for(name, spec, state), {"theta": list(spec.thetas)}, shift))
            shift += len(spec.thetas)
    return plan


def recall() -> None:
    """Bring the points of the saved run back from the store, as far as it holds them.

    After a reload of the page or a restart of the server nothing else knows of them. Nothing is
    computed, and it is tried once for each run; what cannot be read is said in a sentence.
    """
    state = app_state()
    if state.sweep is not None or not state.run_settings or not state.ready:
        return
    spec = RunSpec.from_dict(state.run_settings)
    key, path = run_key(spec, state), workspace.store_path()
    if path is None or not path.exists() or st.session_state.get("_recalled") == key:
        return
    st.session_state["_recalled"] = key
    try:
        with st.spinner("Bringing back the points of the last run"), SweepStore(path) as store:
            found = outcome_of(_stored_rows(spec, state, store), spec)
    except (RulekitError, ValueError) as error:
        problem(noted(error))
        return
    if found.finished:
        change(sweep=found, sweep_key=key)


def _stored_rows(spec: RunSpec, state: AppState, store: SweepStore) -> list[dict[str, Any]]:
    X, y, common = _swept(spec, state)
    rows: list[dict[str, Any]] = []
    for estimator, grid, shift in _plan(spec, state):

        def land(row: dict[str, Any], shift: int = shift) -> None:
            rows.append(row | {"setting": row["setting"] + shift})

        sweep(estimator, X, y, grid=grid, store=store, only_stored=True, on_result=land, **common)
    return rows


def resumable(spec: RunSpec, state: AppState, job: jobs.Job | None) -> bool:
    """Whether a run of these settings was begun and is neither over nor going on."""
    key = run_key(spec, state)
    if job is not None:
        return not job.active and job.state != "done" and job.key == key
    return state.sweep is not None and not state.sweep.complete and state.sweep_key == key


def collect() -> jobs.Job | None:
    """Bring what the latest run has into the analysis, and return its job (None if there is none).

    A run is kept as a whole once its sweep is through, and again when the reference models are
    there; a cancelled or failed one with the points it has. Without a job, the store is asked.
    """
    job = jobs.registry().get(workspace.analysis_id())
    if job is None or job.title != TITLE:
        recall()
        return None
    stage = (job.id, job.active)
    if not sweeping(job) and st.session_state.get("_collected") != stage:
        st.session_state["_collected"] = stage
        spec = RunSpec.from_dict(app_state().run_settings)
        found = job.answer or outcome_of(job.results, spec)
        if found.finished:
            change(sweep=found, sweep_key=job.key)
    return job


def sweeping(job: jobs.Job | None) -> bool:
    """Whether points of a run are still to come (the reference models may follow)."""
    return job is not None and job.active and (not job.total or job.done < job.total)


def estimate(spec: RunSpec, state: AppState) -> float | None:
    """Return about how many seconds a run takes, by one measured fit; None if that may be slow."""
    X, _ = state.training
    if X.size > SMALL or SLOW & set(spec.learners):
        return None

    def measured() -> float:
        return sum(_seconds_a_fold(name, spec, state) for name in spec.learners)

    shape = repr((state.fit_key, spec.learners, spec.clauses, spec.form, spec.rounding))
    key = repr((shape, len(spec.thetas), spec.refine, spec.constraints(state.features)))
    return kept("one fold", key, measured) * spec.folds / threads(spec)


def _seconds_a_fold(learner: str, spec: RunSpec, state: AppState) -> float:
    """Measure the middle price with every number of clauses, and reckon with all prices.

    A learner that finds the whole front at once is asked for all of it.
    """
    X, y = state.training
    theta = sorted(spec.thetas)[len(spec.thetas) // 2]
    prices = spec.thetas if learner in WHOLE_FRONT else (theta,)
    settings: list[dict[str, Any]] = [{"theta": price} for price in prices]
    if learner not in ONE_CLAUSE:
        low, high = spec.clauses
        settings = [s | {"n_clauses": k} for k in range(low, high + 1) for s in settings]
    started = time.perf_counter()
    for _ in estimator_for(learner, spec, state).fit_many(X, y, settings):
        pass
    seconds = time.perf_counter() - started
    return seconds if learner in WHOLE_FRONT else seconds * len(spec.thetas)


def progress(job: jobs.Job) -> None:
    """Show how far a run is, with its cancel button; refreshed while it goes on."""
    now = (job.active, sweeping(job))
    st.fragment(_progress, run_every=POLL_SECONDS if job.active else None)(job, now)


def _progress(job: jobs.Job, drawn_for: tuple[bool, bool]) -> None:
    if drawn_for != (job.active, sweeping(job)):
        ended(job)  # said at once; drawing the whole page takes longer
        st.rerun()  # once: the page shows the points to pick from, or the end
    if job.state == "queued":
        st.info(f"Waiting for a free place: number {jobs.registry().position(job)} in the queue.")
        st.button("Cancel", on_click=job.cancel, key="cancel_queued")
        return
    words = f"{job.done} of {job.total} fits, {job.elapsed:.0f} s"
    if job.remaining:
        words += f", about {job.remaining:.0f} s to go"
    bar, stop = st.columns([5, 1], vertical_alignment="bottom")
    bar.progress(job.share, text=md(f"{job.message or 'Sweeping'}: {words}"))
    stop.button("Cancel", on_click=job.cancel, key="cancel_run", width="stretch")
    if sweeping(job):
        live_curve(outcome_of(job.results, RunSpec.from_dict(app_state().run_settings)))


def ended(job: jobs.Job) -> None:
    """Say how a run ended, where that needs saying."""
    if job.state == "cancelled":
        st.warning(cancelled_words(job))
    elif job.state == "failed":
        st.error(md(job.error, 600))
        if job.error_id:
            with st.expander("Details"):
                st.write(f"Error id {job.error_id}; the server's log tells where it happened.")


def came_back(state: AppState) -> None:
    """Say what is there of a run of an earlier visit, where that needs saying."""
    found: Outcome | None = state.sweep
    if found is None:
        if state.run_settings and state.setting is not None:
            st.caption(
                "The points of the last run are not kept for this table and this version of the "
                "program; the picked rule is on Rules. Run to have the points again."
            )
        return
    if not found.complete:
        st.info("These points of an unfinished run were kept. Resume takes up where it stopped.")
    elif found.spec.baselines and found.baselines is None:
        st.caption(
            "The points of the last run were kept. Its reference models were not: Run draws them "
            "again and computes nothing else."
        )


def cancelled_words(job: jobs.Job) -> str:
    """Say how far a cancelled run came, and what Resume will do."""
    if job.done and job.done == job.total:
        return (
            f"The run was cancelled while the reference models were fitted. All {job.total} fits "
            "are done; Resume draws the reference models and computes nothing else."
        )
    kept_points = f"partial: {job.done} of {job.total} fits" if job.done else "nothing measured"
    return f"The run was cancelled ({kept_points}). Resume takes up where it stopped."


def plan_words(spec: RunSpec, state: AppState) -> str:
    """Say how much a run is, and how long it takes where that could be measured."""
    words = f"{spec.n_settings} settings in {spec.folds} folds: {spec.n_fits} fits"
    seconds = estimate(spec, state)
    if seconds is None:
        return f"{words}. The time to go is told after the first fits."
    return f"{words}, about {max(1, round(seconds))} s on this machine."


def begin(spec: RunSpec) -> None:
    """Start a run from a button; the library's errors reach the page as a sentence."""
    try:
        start(spec, app_state())
    except ValueError as error:
        st.session_state["_said"] = str(noted(error))


def wanted(found: Outcome, job: jobs.Job | None) -> int | None:
    """Return the setting a fresh result should open with, or None once one has been picked.

    The one named in the address (``?theta=`` and ``?clauses=``) if the run has it, else the
    simplest within one standard error of the best.
    """
    if job is None or st.session_state.get("_opened") == job.id or not found.suggestion:
        return None
    st.session_state["_opened"] = job.id
    for number in found.points.index:
        setting = found.settings[number]
        asked = {"theta": st.query_params.get("theta"), "n_clauses": st.query_params.get("clauses")}
        if asked["theta"] and all(
            text is None or f"{setting.get(name, 1):g}" == text for name, text in asked.items()
        ):
            return int(number)
    return int(found.suggestion["default"])
