"""Runs of an analysis: started, watched, their points added to the curve, restored on reload."""

# All runs on the same rows and folds add to one curve. No run replaces a rule that the user has
# selected or viewed.

import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import streamlit as st

from rulekit.data.folds import group_splitter
from rulekit.exceptions import DataError
from rulekit.export import from_json
from rulekit.families import RuleClassifier
from rulekit.style.wording import percent, plural
from ui import workspace
from ui.escape import md
from ui.learners.offered import (
    LEARNERS,
    curve_key,
    families,
    family_words,
    list_variants,
    rename_costs,
)
from ui.learners.spec import (
    CHOSEN,
    FIT_SECONDS,
    LIMITS,
    QUICK,
    QUICK_COLUMNS,
    QUICK_LIMITS,
    SHARED,
    RunSpec,
    quick_rows,
)
from ui.models.points import RunResult, drop_beaten, make_thorough, with_gaps
from ui.models.work import SEARCHES_OF_SELECTION, RunTask
from ui.picked import model_key, pick
from ui.runs import jobs, preparing
from ui.runs.background import POLL_SECONDS, failure, watch
from ui.shell import once, sentences
from ui.state import AppState, app_state

FIRST, LONGER, COMPARISON, PRICES = "First rules", "Longer search", "Comparison", "Price sweep"
CHOICE = "Better rule"
OTHERS = (LONGER, COMPARISON, PRICES, CHOICE)  # one of them runs at a time
# time in which the page waits for the quick search: of a small table all points, or those of the
# first of two outcomes, are then drawn at once, not after a poll and a second run of the page
WAIT_SECONDS = 0.5
# time of a search with perturbations, and with a random forest, relative to one without, and the
# powers by which it grows with rows (measured on five tables of 1,400 to 35,000 training rows) and
# columns (six tables of 120 to 2,000 columns)
DISTURBED, DISCOUNTED, GROWTH, COLUMN_GROWTH = 2.5, 3.6, 0.73, 0.8
SEVERAL = 5.0  # the same for several outcomes, relative to the few points of the quick search


INNER_FOLDS = 5  # of a thorough search in order of time, as `RuleClassifier` has
SUGGESTED = "_suggested"  # session key of the suggestion when a rule was selected
EARLIER = "_earlier"  # session key of a rule that was measured again, and its error before


def work(spec: RunSpec, state: AppState) -> RunTask:
    """Return the work of a run, for a job."""
    X, y = state.training
    store = workspace.store_path() if spec.thorough else None
    parts = families(spec, state)
    judge = LEARNERS["search"].estimator(spec, state, {})
    key = curve_key(spec, state)
    weight, folds = state.training_weight, state.folds(spec.folds)
    selector = None
    if spec.chooses:
        names = ("class_weight", "costs", "binarizer", "constraints", "random_state")
        shared = {name: getattr(judge, name) for name in names}
        shared["n_jobs"] = 1  # searches hold the interpreter's lock
        groups = state.training_groups
        if state.times is not None or state.fold_numbers is not None:
            shared["cv"] = state.folds(INNER_FOLDS)
        elif groups is not None:
            counts = np.ones(len(groups), bool) if weight is None else weight > 0
            shared["cv"] = group_splitter(y[counts], groups[counts])
            if shared["cv"] is None:
                raise DataError(
                    "A thorough search keeps groups in one fold; without the rows of some groups "
                    "an outcome is missing. Choose another column of groups on Data, or none."
                )
        positive = None if spec.against else judge.positive_label
        selector = RuleClassifier(positive_label=positive, **shared)
    return RunTask(spec, key, X, y, weight, folds, parts, judge, selector, store)


def start(spec: RunSpec, title: str) -> None:
    """Start a run in the background; finished folds of earlier runs come from the store."""
    state = app_state()
    task = work(spec, state)
    key = task.key, spec, state.outcomes
    if spec.thorough:
        others = [r for r in state.runs if RunSpec.from_dict(r) != spec]
        workspace.change(runs=(*others, spec.to_dict()))
    jobs.registry().start(_owner(title), title, task, key=key, urgent=not spec.thorough)


def _spec_of(job: jobs.Job | None) -> RunSpec | None:
    """Return the settings of a run for the current names of outcomes; None for other rows."""
    if job is None or not job.key:
        return None
    state, (curve, spec, outcomes) = app_state(), job.key
    before = replace(state, outcomes=outcomes)
    if curve != curve_key(spec, before) or not before.has_classes_of(state):
        return None
    return replace(spec, costs=rename_costs(spec.costs, before, state))


def latest(*titles: str) -> jobs.Job | None:
    """Return the analysis' latest job if it is of one of these kinds."""
    started = [jobs.registry().get(owner) for owner in dict.fromkeys(map(_owner, titles))]
    return next((job for job in started if job is not None and job.title in titles), None)


def quick(spec: RunSpec, *, several: bool = False) -> RunSpec:
    """Return the quick search of a curve (fewer points for several outcomes)."""
    settings = {name: getattr(spec, name) for name in SHARED}
    settings |= {"limits": QUICK_LIMITS, "against": False} if several else {"against": spec.against}
    return RunSpec(thorough=False, baselines=False, **settings)


def longer(spec: RunSpec) -> RunSpec:
    """Return the thorough search of a curve, with the selected kinds of rule."""
    settings = {"learners": ("search",), "view": "conditions", "limits": LIMITS, "budget": None}
    return replace(spec, **settings, thorough=True, baselines=False)


def choice(spec: RunSpec) -> RunSpec:
    """Return the run in which `RuleClassifier` alone selects a rule for a curve."""
    return replace(longer(spec), learners=())


def start_choice(spec: RunSpec) -> None:
    """Start the choice of the library after the quick search, if it is not known yet."""
    state, requested = app_state(), choice(spec)
    first, job = latest(FIRST), jobs.registry().get(workspace.analysis_id())
    known = any(CHOSEN in setting for setting in state.result.settings)
    is_busy = any(each is not None and each.active for each in (first, job))
    if known or is_busy or not requested.chooses:
        return
    earlier = _spec_of(job)
    # after Stop nothing starts by itself
    is_stopped = earlier is not None and job.state == "cancelled" and earlier.shared == spec.shared
    if earlier != requested and not is_stopped:
        with suppress(DataError):  # groups that hold a whole outcome leave no inner folds
            start(requested, CHOICE)


def update(spec: RunSpec) -> RunResult:
    """Update the curve from the store and from jobs, and start the quick search if it is empty."""
    # Then apply the limit on the gap between groups, which a suggested rule follows.
    state = app_state()
    key = curve_key(spec, state)
    if state.result_on(key) is None:
        _recall(spec, key)
    _take(key)
    result = app_state().result_on(key)
    if result is None or not any("max_conditions" in setting for setting in result.settings):
        requested = quick(spec, several=state.several)
        job = latest(FIRST)
        if _spec_of(job) != requested:
            with sentences():
                start(requested, FIRST)
                job, end = latest(FIRST), time.monotonic() + WAIT_SECONDS
                while job is not None and job.state == "running" and time.monotonic() < end:
                    time.sleep(0.01)
        _take(key)
    if app_state().result_on(key) is None:
        return RunResult()
    start_choice(spec)
    state = app_state()
    with sentences():
        if (result := with_gaps(state.result, spec, state)) is not state.result:
            workspace.change(result=result)
            if (suggested := result.suggestion) is not None and not is_selected(state):
                number = suggested.number
                limit = {"gap_column": spec.gap_column, "max_gap": spec.max_gap}
                pick(result.settings[number], replace(result.specs[number], **limit), own=False)
                note_suggestion(result)
    return app_state().result


def _owner(title: str) -> str:
    """Return the owner of a job; the quick search has its own, so it runs beside other jobs."""
    return workspace.analysis_id() + ("/first" if title == FIRST else "")


def _recall(spec: RunSpec, key: str) -> None:
    """Restore the points of earlier runs from the store, once per curve and session."""
    path = workspace.store_path()
    if st.session_state.get("_recalled") == key or path is None or not path.exists():
        return
    st.session_state["_recalled"] = key
    with sentences(), st.spinner("Bringing back the points of earlier runs"):
        state = app_state()
        unnamed = replace(state, outcomes={})  # of runs before outcomes were named
        earlier = [unnamed] if state.outcomes and unnamed.has_classes_of(state) else []
        for plain, named in product(state.runs, [*earlier, state]):
            requested = RunSpec.from_dict(plain)
            if requested.shared == spec.shared:
                requested = replace(requested, costs=rename_costs(requested.costs, state, named))
                found = work(requested, named).load_stored()
                _join(RunResult.from_comparison(requested, found, key).rename(named, state))


def _take(key: str) -> None:
    """Add the new points of the analysis' jobs to the curve."""
    taken = st.session_state.setdefault("_taken", {})
    for job in (latest(FIRST), latest(*OTHERS)):
        if job is None or taken.get(job.id) == (job.version, job.state, key):
            continue
        taken[job.id] = job.version, job.state, key
        found, spec, state = job.answer or job.interim, _spec_of(job), app_state()
        if found is not None and spec is not None and curve_key(spec, state) == key:
            result = RunResult.from_comparison(job.key[1], found, job.key[0])
            _join(result.rename(replace(state, outcomes=job.key[2]), state))


def _join(result: RunResult) -> None:
    """Add points to the curve, and select the suggested rule if none is selected."""
    state = app_state()
    if not len(result.points) and result.references is None:
        return
    selected = state.setting if is_selected(state) else None
    joined = drop_beaten(result.merge(state.result_on(result.key), selected), state)
    workspace.change(result=joined)
    if is_selected(state):
        _keep_figures(joined)
    elif (suggested := joined.suggestion) is not None:
        limits = [f"{s.get('max_conditions')}" for s in joined.settings]
        addressed = st.query_params.get("conditions", "")  # as in ``?conditions=5``
        requested = limits.index(addressed) if addressed in limits else None
        number = suggested.number if requested is None else requested
        before = joined.number_of(state.setting)
        rule = state.rule_json and from_json(state.rule_json)
        with sentences():
            pick(joined.settings[number], joined.specs[number], own=requested is not None)
            if CHOSEN in joined.settings[number] and number != before:
                is_new = before is not None and app_state().model.rule_set_ != rule
                st.session_state[BETTER] = better_words(joined, number, before) if is_new else ""
        note_suggestion(joined)
    after, is_known = app_state(), state.error is not None and state.rule_json is not None
    if not is_known or after.error is None or percent(after.error) == percent(state.error):
        return
    if from_json(state.rule_json) == from_json(after.rule_json):
        st.session_state[EARLIER] = after.rule_json, state.error


def better_words(result: RunResult, number: int, before: int) -> str:
    """Return that the library has chosen a point in place of another, and both sizes."""
    now, then = result.points["limit"][[number, before]].astype(int)
    # a lower estimate decides, so the error or cost in folds may be higher
    losses = result.points[result.measure]
    word = "Another" if losses[number] > losses[before] else "Better"
    instead = f" instead of {then}" if now != then else ", as many as before"
    return f"**{word} rule found: {plural(now, 'condition')}**{instead}."


def is_selected(state: AppState) -> bool:
    """Whether the user has selected, viewed or edited the rule, so that no run replaces it."""
    return state.setting is not None and (state.rule_selected or state.is_edited)


def _keep_figures(result: RunResult) -> None:
    """Take over the figures of the search that has found the selected rule last."""
    state = app_state()
    if QUICK in state.setting and state.model is not None:
        for setting in [s for s in result.settings if CHOSEN in s] + [make_thorough(state.setting)]:
            model, number = result.models.get(model_key(setting)), result.number_of(setting)
            if model and number is not None and model.rule_set_ == state.model.rule_set_:
                pick(setting, result.specs[number])
                break
    state = app_state()
    if (number := result.number_of_rule(state)) is not None:
        workspace.change(error=float(result.points.loc[number, "test_error"]))


def earlier_words(state: AppState) -> str:
    """Return the error of the selected rule before a run measured it again; empty without."""
    rule_json, error = st.session_state.get(EARLIER, ("", 0.0))
    return f" ({percent(error)} in an earlier search)" if rule_json == state.rule_json else ""


def note_suggestion(result: RunResult) -> None:
    """Store the suggestion when a rule is selected; only a different one is offered later."""
    if (suggested := result.suggestion) is not None:
        st.session_state[SUGGESTED] = model_key(result.settings[suggested.number])


def get_offer(result: RunResult) -> int | None:
    """Return the number of another rule suggested since the selected one was picked, or None."""
    state, suggested = app_state(), result.suggestion
    if suggested is None or not is_selected(state) or state.model is None:
        return None
    key = model_key(result.settings[suggested.number])
    model = result.models.get(key)
    same = key == st.session_state.setdefault(SUGGESTED, key)  # stored even for an equal rule
    same = same or (model is not None and model.rule_set_ == state.model.rule_set_)
    return None if same else suggested.number


def seconds_longer(result: RunResult, spec: RunSpec) -> tuple[float, float] | None:
    """Estimate the duration of a thorough search from the quick one: (low, high) in seconds."""
    rows = [k for k, s in enumerate(result.settings) if QUICK in s and "describes" not in s]
    if not rows:
        return None
    state = app_state()
    part, n_rows = _part(state)
    columns = max(1.0, state.training[0].shape[1] / QUICK_COLUMNS) ** COLUMN_GROWTH
    once = float((result.points.loc[rows, "seconds"] * result.points.loc[rows, "folds"]).sum())
    kinds = [kind for _, kind in list_variants(longer(spec))]
    times = sum(DISCOUNTED if "label_noise" in kind else DISTURBED for kind in kinds)
    rate = once * columns * (SEVERAL if state.several else 1.0) * (n_rows / part) ** GROWTH
    most = FIT_SECONDS * len(kinds) * (spec.folds + 1)
    selection = SEARCHES_OF_SELECTION / spec.folds * spec.chooses
    return tuple(min(f * rate * times, most) + f * rate * selection for f in (0.7, 1.8))


def columns_words(state: AppState) -> str:
    """Return how many columns the quick search searches; empty if all."""
    if (n_columns := state.training[0].shape[1]) <= QUICK_COLUMNS:
        return ""
    return (
        f"Searched the {QUICK_COLUMNS} most promising of {n_columns:,} columns; “Search longer” "
        "searches all."
    )


def part_words(state: AppState) -> str:
    """Return the part of the training rows used by the quick search; empty if all."""
    part, n_rows = _part(state)
    return "" if part == n_rows else f", learned from {part:,} of the {n_rows:,} training rows"


def _part(state: AppState) -> tuple[int, int]:
    X, y = state.training
    return len(quick_rows(X, y, np.arange(len(y)))), len(y)


BETTER = "_better"  # session key of the words on the last rule that the library chose
FIRST_POLL_SECONDS = 0.2  # intervals before the first results, and in the queue
MOST_POLL_SECONDS = 3.0  # 20 users with shorter intervals take more than two cores
DOING = {FIRST: "First rules", LONGER: "Searching", COMPARISON: "Comparing", PRICES: "Sweeping"}
DOING |= {CHOICE: "Looking for a better rule"}
AGAIN = {LONGER: "Search longer", COMPARISON: "Compare learners", PRICES: "Sweep prices"}
AGAIN |= {CHOICE: "Search longer"}


def run_line(result: RunResult, spec: RunSpec) -> None:
    """Show the progress of a run, or how it ended, and offer the thorough search."""
    first, job = latest(FIRST), latest(*OTHERS)
    active = next((j for j in (first, job) if j is not None and j.active), None)
    if active is not None:
        waiting = 1 + 1.5 * jobs.registry().position(active)
        soon = min(waiting * FIRST_POLL_SECONDS, MOST_POLL_SECONDS)
        watch(active, progress_words, "run", every=soon if active is first else POLL_SECONDS)
        if result.key and getattr(_spec_of(active), "shared", ()) != spec.shared:
            st.caption("This run is of other settings than those at the side.")
        if active.title == CHOICE:
            _offer_longer(result, longer(spec))
        return
    for ended in filter(None, (first, job)):
        if ended.state == "failed":
            failure(ended)
        elif ended.state == "done" and ended.answer.missed:
            names = ", ".join(ended.answer.missed)
            st.caption(f"Not finished in time: {md(names, 300)}. Try more time.")
        elif ended.state == "cancelled":
            st.caption(describe_stopped(ended, bool(result.key)))
            if ended.title == FIRST:
                forget = partial(jobs.registry().forget, ended.owner)
                st.button("Begin again", key="begin_again", on_click=forget)
    if result.key:
        _offer_longer(result, longer(spec))


def progress_words(job: jobs.Job) -> str:
    """Return what a run does, its progress, and the remaining time."""
    if job.title == FIRST and not job.done and (preparing_words := preparing.words()) is not None:
        return preparing_words
    if waiting := jobs.registry().waiting(job):
        return waiting
    words = DOING[job.title] + f": {job.message}" * bool(job.message)
    words += f" ({job.done:,} of {job.total:,})" * bool(job.done)
    left, budget = job.remaining or 0, job.key[1].budget if job.key else None
    if budget is not None:
        left = min(left, budget - job.elapsed)
    if job.title == CHOICE and job.elapsed >= 1:  # its steps are not counted
        words += f", {job.elapsed:.0f} s so far; this one can be used meanwhile"
    return words + f", {left:.0f} s to go" * (left >= 1)


def describe_stopped(job: jobs.Job, has_points: bool) -> str:
    """Return the progress of a stopped run, and how to continue it."""
    words = f"{DOING[job.title]} was stopped{job.where}." + " Finished points stay." * has_points
    again = AGAIN.get(job.title)
    return words if again is None else f"{words} “{again}” continues from there."


def search_is_complete(result: RunResult) -> bool:
    """Return whether the thorough search finished, neither stopped nor failed."""
    job = latest(LONGER)
    return result.is_searched and (job is None or job.state not in ("cancelled", "failed"))


def _offer_longer(result: RunResult, spec: RunSpec) -> None:
    """Offer the thorough search with its approximate time."""
    done = search_is_complete(result)
    kinds = [family_words(*one).lower() for one in list_variants(spec)]
    words = (
        f"Searches: {', '.join(kinds)}. Points of the quick search stay until better ones are "
        "finished."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        label, search = "Search again" if done else "Search longer", lambda: start(spec, LONGER)
        st.button(label, "search_longer", words, once(search))
        if done:
            st.caption("Thorough search done.", width="content")
        elif (seconds := seconds_longer(result, spec)) is None:
            st.caption(f"A thorough search tries {plural(len(kinds), 'kind')} of rule.")
        else:
            state = app_state()
            searched = f"Quick search done{part_words(state)}. {columns_words(state)}".rstrip()
            st.caption(f"{searched} A thorough search takes {span_words(*seconds)}.")


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
