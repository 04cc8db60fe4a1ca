"""One run of a sweep in the background: how it begins, what is said and what is taken of it."""

import time
from dataclasses import replace
from typing import Any

import streamlit as st

from rulekit.evaluation import SweepStore
from rulekit.exceptions import RulekitError
from rulekit.export import to_json
from rulekit.plots.wording import plural
from ui import jobs, workspace
from ui.cache import kept
from ui.escape import md
from ui.learner import Learner
from ui.learners import RunSpec, answers_at_once, chosen, legs, run_key
from ui.models_front import own_pick
from ui.models_points import Outcome, outcome_of
from ui.models_rounds import Run, stored, swept, threads
from ui.picked import model_key
from ui.run_spec import FIT_SECONDS
from ui.shell import noted, problem
from ui.state import AppState, app_state, change

SMALL = 400_000  # cells up to which one fit is measured before the run, to tell its time
TITLE = "Sweep"


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
        Reports rows of the sweep as they land, and the `Outcome` that stands so far; its answer is
        the last one.
    """
    data = swept(spec, state)
    path = workspace.store_path()
    change(run_settings=spec.to_dict())

    def work(job: jobs.Job) -> Outcome:
        return Run(job, spec, state, data, path).work()

    return jobs.registry().start(
        workspace.analysis_id(), TITLE, work, total=spec.n_fits, key=run_key(spec, state)
    )


def follow(spec: RunSpec) -> None:
    """Start a run by itself: on the first visit, and while nobody has pressed Run since.

    Only of learners that answer with the whole front at once. Once a run was stopped, or was asked
    for by its button, the next one waits for the button.
    """
    state = app_state()
    job = jobs.registry().get(workspace.analysis_id())
    key = run_key(spec, state)
    if not answers_at_once(spec) or not _is_next(state, job, key):
        return
    st.session_state["_followed"] = key
    try:
        start(spec, state)
    except ValueError as error:
        problem(noted(error))


def _is_next(state: AppState, job: jobs.Job | None, key: str) -> bool:
    """Whether a run with this key is to begin by itself now."""
    followed = st.session_state.get("_followed")
    if key == followed:
        return False
    if job is not None and job.title == TITLE:
        return job.key == followed and job.state != "cancelled"
    if state.sweep is not None:
        return state.sweep_key == followed
    return followed is not None or not state.run_settings


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
            found = stored(spec, state, store)
    except (RulekitError, ValueError) as error:
        problem(noted(error))
        return
    if found.finished:
        change(sweep=found, sweep_key=key)


def resumable(spec: RunSpec, state: AppState, job: jobs.Job | None) -> bool:
    """Whether a run of these settings was begun and is neither over nor going on."""
    key = run_key(spec, state)
    if job is not None:
        return not job.active and job.state != "done" and job.key == key
    return state.sweep is not None and not state.sweep.complete and state.sweep_key == key


def collect() -> jobs.Job | None:
    """Bring what the latest run has into the analysis, and return its job (None if there is none).

    Taken is what the run says stands; of a cancelled or failed one without such, the points it has.
    The picked setting stays, with the rule that has since been found for it. Without a job, the
    store is asked.
    """
    job = jobs.registry().get(workspace.analysis_id())
    if job is None or job.title != TITLE:
        recall()
        return None
    found = job.answer or job.standing
    if found is None and not job.active and job.results:
        found = outcome_of(job.results, RunSpec.from_dict(app_state().run_settings))
        if not job.done:  # all that there is are points of a first pass
            found = replace(found, finished=0, draft="First pass, not brought to its end")
    stage = (job.id, job.active, job.version)
    if found is not None and st.session_state.get("_collected") != stage:
        st.session_state["_collected"] = stage
        if found.finished or found.draft:
            change(sweep=found, sweep_key=job.key, **_renewed(found))
    return job


def _renewed(found: Outcome) -> dict[str, Any]:
    """Return the picked model as it is now, where the run has found it anew."""
    state = app_state()
    if state.setting is None or state.run_settings != found.spec.to_dict():
        return {}
    model = found.models.get(model_key(state.setting))
    if model is None or model is state.model:
        return {}
    return {"model": model, "rule_json": to_json(model)}


def sweeping(job: jobs.Job | None) -> bool:
    """Whether a run goes on that nothing stands of yet."""
    return job is not None and job.active and job.standing is None


def estimate(spec: RunSpec, state: AppState) -> float | None:
    """Return about how many seconds a run takes, by one measured fit; None if that may be slow."""
    X, _ = state.training
    learners = chosen(spec)
    if X.size > SMALL or answers_at_once(spec) or not all(one.quick for one in learners):
        return None

    def measured() -> float:
        return sum(_seconds_a_fold(learner, spec, state) for learner in learners)

    shape = repr((state.fit_key, spec.learners, spec.clauses, spec.form, spec.rounding))
    key = repr((shape, len(spec.thetas), spec.refine, spec.constraints(state.features)))
    return kept("one fold", key, measured) * spec.folds / threads(spec)


def _seconds_a_fold(learner: Learner, spec: RunSpec, state: AppState) -> float:
    """Measure the fits that tell a learner's time, and reckon with how often they come."""
    X, y = state.training
    asked, times = learner.measured(spec)
    started = time.perf_counter()
    for _ in learner.estimator(spec, state, {}).fit_many(X, y, asked):
        pass
    return times * (time.perf_counter() - started)


def standing(found: Outcome, running: bool) -> None:
    """Say what kind of points are shown, where they are not the whole and final ones."""
    if found.draft:
        more = " It is being refined; better points take the place of these." if running else ""
        st.caption(md(f"{found.draft}.{more}", 300))
    elif not found.complete and not running:
        st.caption(f"Partial: {found.finished:,} of {found.spec.n_fits:,} fits.")
    if found.cut and not found.draft:
        st.caption(
            f"A search of this table takes longer than its time limit of {FIT_SECONDS:g} s; what "
            "it had found by then is shown."
        )


def keep_up() -> None:
    """Take over what a run has found meanwhile; for pages that show the picked rule."""
    job, before = jobs.registry().get(workspace.analysis_id()), app_state().rule_json
    if job is None or job.title != TITLE:
        return
    collect()
    if before is not None and app_state().rule_json != before:
        st.info("The run on Models has found a better rule for the picked setting. It is shown.")


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
    if not found.complete and not found.draft:
        st.info("These points of an unfinished run were kept. Resume takes up where it stopped.")
    elif found.spec.baselines and found.baselines is None:
        st.caption(
            "The points of the last run were kept. Its reference models were not: Run draws them "
            "again and computes nothing else."
        )


def plan_words(spec: RunSpec, state: AppState) -> str:
    """Say how much a run is, and how long it takes where that could be measured."""
    words = f"{plural(spec.n_settings, 'setting')} in {spec.folds} folds: {spec.n_fits:,} fits"
    if answers_at_once(spec):
        searches = len(legs(spec))
        return f"{words}, answered by {searches} search{'es' * (searches > 1)} a fold."
    seconds = estimate(spec, state)
    if seconds is None:
        return f"{words}. The time to go is told after the first fits."
    return f"{words}, about {max(1, round(seconds))} s on this machine."


def begin(spec: RunSpec) -> None:
    """Start a run from a button; the library's errors reach the page as a sentence."""
    st.session_state.pop("_followed", None)
    try:
        start(spec, app_state())
    except ValueError as error:
        st.session_state["_said"] = str(noted(error))


def wanted(found: Outcome, job: jobs.Job | None) -> int | None:
    """Return the setting that the page should open with now, or None to leave what is picked.

    For a run's first points the one named in the address (``?theta=`` and ``?clauses=``) if the run
    has it, else the suggested one. When better points replace them, what they suggest, unless a
    person has picked something meanwhile.
    """
    if job is None or not found.suggestion:
        return None
    opened = st.session_state.get("_opened", ("", -1))
    now = (job.id, job.version + (not job.active))
    if opened == now:
        return None
    st.session_state["_opened"] = now
    if opened[0] == job.id:
        return None if own_pick() else int(found.suggestion["default"])
    asked = _addressed(found)
    return int(found.suggestion["default"]) if asked is None else asked


def _addressed(found: Outcome) -> int | None:
    """Return the number of the setting that the address names, if there is one."""
    asked = {"theta": st.query_params.get("theta"), "n_clauses": st.query_params.get("clauses")}
    for number in found.points.index if asked["theta"] else ():
        setting = found.settings[number]
        if all(text is None or f"{setting.get(name, 1):g}" == text for name, text in asked.items()):
            return int(number)
    return None
