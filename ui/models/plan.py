"""How much a run is, said before it is begun; its time where that can be measured at once."""

import os
import time

from rulekit.plots.wording import plural
from ui.cache import kept
from ui.learners.learner import Learner
from ui.learners.offered import answers_at_once, chosen, n_fits, settings_of_run, varied
from ui.learners.spec import RunSpec
from ui.state import AppState

SMALL = 400_000  # cells up to which one fit is measured before the run, to tell its time


def plan_words(spec: RunSpec, state: AppState) -> str:
    """Say how much a run is, and how long it takes where that could be measured."""
    n_settings = len(settings_of_run(spec))
    words = f"{plural(n_settings, 'setting')} in {spec.folds} folds: {n_fits(spec):,} fits"
    if answers_at_once(spec):
        searches = len(varied(spec))
        return f"{words}, answered by {searches} search{'es' * (searches > 1)} a fold."
    seconds = estimate(spec, state)
    if seconds is None:
        return f"{words}. The time to go is told after the first fits."
    return f"{words}, about {max(1, round(seconds))} s on this machine."


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
    return kept("one fold", key, measured) * spec.folds / (os.cpu_count() or 1)


def _seconds_a_fold(learner: Learner, spec: RunSpec, state: AppState) -> float:
    """Measure the fits that tell a learner's time, and reckon with how often they come.

    Of a price of its own the middle one is fitted, with all else, and stands for all prices.
    """
    X, y = state.training
    asked, times = learner.settings(spec), 1 + len(learner.variants(spec))
    if not learner.whole_front and (prices := sorted({s["theta"] for s in asked if "theta" in s})):
        middle = prices[len(prices) // 2]
        asked, times = [s for s in asked if s["theta"] == middle], len(prices)
    settings = [learner.parameters(setting, spec) for setting in asked]
    started = time.perf_counter()
    for _ in learner.estimator(spec, state, {}).fit_many(X, y, settings):
        pass
    return times * (time.perf_counter() - started)
