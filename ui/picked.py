"""The model a person picked: fitted once on the training rows, shared by all pages."""

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from rulekit.exceptions import EmptyRuleWarning
from rulekit.export import from_json, to_json
from rulekit.learners import FixedRuleClassifier
from ui.cache import kept
from ui.escape import md
from ui.learners.offered import (
    learner_of,
    run_key,
    same_search,
    settings_of_run,
    variant_of,
)
from ui.learners.spec import RunSpec
from ui.shell import empty, once
from ui.state import AppState, app_state
from ui.workspace import change


def pick(setting: Mapping[str, Any], spec: RunSpec) -> None:
    """Make a setting the chosen one and fit it on the training rows (kept, so it is fitted once).

    Parameters
    ----------
    setting : mapping
        ``learner``, ``theta`` and, for rules of several clauses, ``n_clauses``.
    spec : RunSpec
        The run it belongs to, for everything else that is fitted with.
    """
    chosen = dict(setting)
    model = fitted(app_state(), chosen, spec)
    change(setting=chosen, run_settings=spec.to_dict(), model=model, rule_json=to_json(model))


def repick(setting: Mapping[str, Any]) -> None:
    """Pick a setting of the run that the picked one is of; for callbacks."""
    once(lambda: pick(setting, RunSpec.from_dict(app_state().run_settings)))()


def picked_model() -> ClassifierMixin | None:
    """Return the chosen model, fitting it (or reading its rule back) after a reload; or None."""
    state = app_state()
    if state.model is not None or state.setting is None or not state.ready:
        return state.model
    if "edited" in state.setting:
        if state.rule_json is None:
            return None
        X, y = state.training
        model = FixedRuleClassifier(from_json(state.rule_json)).fit(X, y)
    else:
        with st.spinner("Fitting the chosen setting on the training rows"):
            model = fitted(state, state.setting, RunSpec.from_dict(state.run_settings))
    change(model=model, rule_json=to_json(model))
    return model


def renewed(models: Mapping[str, ClassifierMixin], spec: RunSpec) -> dict[str, Any]:
    """Return the picked model as a run has found it anew: fields to change, none if it has not.

    Parameters
    ----------
    models : mapping
        Of the run, by `model_key`.
    spec : RunSpec
    """
    state = app_state()
    if state.setting is None or state.run_settings != spec.to_dict():
        return {}
    model = models.get(model_key(state.setting))
    if model is None or model is state.model:
        return {}
    return {"model": model, "rule_json": to_json(model)}


def needed_model() -> ClassifierMixin:
    """Return the chosen model, or say what is missing and stop the page."""
    state = app_state()
    if (problem := state.problem()) is not None:
        empty(md(problem, 300))
    model = picked_model()
    if model is None:
        empty("No model is picked yet. Run a sweep and pick a point of its front.", "models")
    return model


def setting_words(setting: Mapping[str, Any]) -> str:
    """Say a setting in words, for captions and hover boxes (escape it there)."""
    if "whole_file" in setting:
        return str(setting["whole_file"])
    if "edited" in setting:
        return f"edited by hand, from: {setting['edited']}"
    return learner_of(setting).words(setting)


def looked_at_test_rows() -> int:
    """Count a look at the test rows, once a rule, and return for how many they were looked at."""
    state = app_state()
    digest = hashlib.sha256(to_json(state.model).encode()).hexdigest()[:16]
    if digest not in state.looked_at:
        change(test_looks=state.test_looks + 1, looked_at=(*state.looked_at, digest))
    return app_state().test_looks


def fitted(state: AppState, setting: Mapping[str, Any], spec: RunSpec) -> ClassifierMixin:
    """Return a setting fitted on the training rows, computed once a session.

    What one search answers is looked up: in the run that is shown, or in a search that is made
    once for all its prices and numbers of clauses.
    """
    shown = state.sweep
    if shown is not None and state.sweep_key == run_key(spec, state):
        model = shown.models.get(model_key(setting))
        if model is not None:
            return model
    settings = {k: v for k, v in spec.to_dict().items() if k not in ("thetas", "learners")}
    key = repr((state.fit_key, settings))
    if learner_of(setting).whole_front:
        asked = [s for s in settings_of_run(spec) if same_search(s, setting)]
        if setting not in asked:
            asked.append(dict(setting))
        whole = repr((key, spec.thetas, sorted(variant_of(setting).items())))
        answers = kept("path", whole, lambda: fit_path(asked, spec, state), copy=False)
        if (model := answers.get(model_key(setting))) is not None:
            return model
    return kept(
        "fit",
        repr((key, sorted(setting.items()))),
        lambda: fit_path([setting], spec, state)[model_key(setting)],
        copy=False,
    )


def fit_path(
    settings: Sequence[Mapping[str, Any]],
    spec: RunSpec,
    state: AppState,
    *,
    should_stop: Callable[[], bool] | None = None,
    **parameters: Any,
) -> dict[str, ClassifierMixin]:
    """Fit settings of one learner and variant on the training rows, sharing what they share.

    Parameters
    ----------
    settings : sequence of mapping
        At least one.
    spec : RunSpec
    state : AppState
    should_stop : callable, optional
        Asked between fits.
    **parameters
        Set on the estimator besides, for all settings.

    Returns
    -------
    dict
        Fitted models under `model_key` of their settings.
    """
    X, y = state.training
    learner = learner_of(settings[0])
    estimator = learner.estimator(spec, state, settings[0])
    estimator.set_params(**{**parameters, **learner.picked})
    asked = [learner.parameters(s, spec) for s in settings]
    quiet()
    models = estimator.fit_many(
        X, y, asked, sample_weight=state.training_weight, should_stop=should_stop
    )
    return {model_key(s): model for s, model in zip(settings, models, strict=False)}


def quiet() -> None:
    """Keep warnings that the pages say in their own words out of the server's log.

    Set for the whole process: runs are fitted in threads, and Python's usual way of silencing
    warnings for a while (`warnings.catch_warnings`) is not safe there.
    """
    for category in (ConvergenceWarning, EmptyRuleWarning):
        warnings.simplefilter("ignore", category)


def model_key(setting: Mapping[str, Any]) -> str:
    """Return a text that names a setting, whatever the order of its entries."""
    return repr(sorted(setting.items()))
