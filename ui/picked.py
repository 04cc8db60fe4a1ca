"""The selected model: fitted once, shared by all pages, with checks of its constraints."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.export import from_json, to_json
from rulekit.learners import FixedRuleClassifier
from rulekit.rules import Columns, Constraints, MonotonicityCheck, RuleSet, monotonicity_checks
from rulekit.rules.condition import missing_in
from rulekit.style.wording import capital
from ui.cache import compute_once
from ui.escape import md
from ui.learners.learner import KINDS_OF_RULE
from ui.learners.offered import curve_key, learner_of, same_search, settings_of_run
from ui.learners.spec import CHOSEN, QUICK, REFINED, RunSpec, quick_table, quiet
from ui.runs import jobs
from ui.shell import empty
from ui.state import AppState, app_state
from ui.workspace import analysis_id, change

OWN = "your own rule"  # the origin of a rule that a person wrote


def pick(
    setting: Mapping[str, Any], spec: RunSpec, *, own: bool = True, by_slider: bool = False
) -> None:
    """Select a setting and fit it; with `own` a user selects it, and no run replaces the rule."""
    state, chosen = app_state(), dict(setting)
    model, shown = fit_setting(state, chosen, spec), state.result_on(curve_key(spec, state))
    number = None if shown is None else shown.number_of(chosen)
    change(
        setting=chosen,
        run_settings=spec.to_dict(),
        model=model,
        rule_json=to_json(model),
        rule_selected=own or state.rule_selected,
        # cross-validated; None if the shown runs did not measure it
        error=None if number is None else float(shown.points.loc[number, "test_error"]),
    )
    # other widgets get a new key, so that late reports of old ones have no effect
    for name in ("_picks",) if by_slider else ("_picks", "_slides"):
        st.session_state[name] = st.session_state.get(name, 0) + 1


def get_model() -> ClassifierMixin | None:
    """Return the chosen model, fitting it (or reading its rule back) after a reload; or None."""
    state = app_state()
    if state.model is not None or state.setting is None or not state.ready:
        return state.model
    if state.is_edited:
        if state.rule_json is None:
            return None
        X, y = state.training
        model = FixedRuleClassifier(from_json(state.rule_json)).fit(X, y)
    else:
        with st.spinner("Fitting the chosen setting on the training rows"):
            model = fit_setting(state, state.setting, state.spec)
        if state.rule_json is not None and model.rule_set_ != from_json(state.rule_json):
            # a time limit ended the search elsewhere: a rule that the user has viewed is kept
            model = FixedRuleClassifier(from_json(state.rule_json)).fit(*state.training)
    change(model=model, rule_json=to_json(model), error=state.error)
    return model


def get_own(state: AppState) -> ClassifierMixin | None:
    """Return the rule that a person wrote; None without one that fits columns and outcomes."""
    if state.own_rule is None:
        return None
    rule, (X, y) = from_json(state.own_rule), state.training
    if not (set(rule.features) <= set(X.columns) and set(rule.classes) <= set(state.labels)):
        return None
    key = repr((state.fit_key, state.own_rule))
    return compute_once("own rule", key, lambda: FixedRuleClassifier(rule).fit(X, y), copy=False)


def require_model() -> ClassifierMixin:
    """Return the selected model, which no run replaces from now on, or stop the page."""
    if (problem := app_state().problem()) is not None:
        empty(md(problem, 300))
    if (model := get_model()) is None and jobs.registry().is_busy(analysis_id()):
        empty("The search has no rule yet; Models shows how far it is.", "models")
    if model is None:
        empty("No model is picked yet. Models has a curve of rules to pick from.", "models")
    if not app_state().rule_selected:
        change(rule_selected=True)
    return model


def setting_words(
    setting: Mapping[str, Any], *, variant: bool = False, several: bool = False
) -> str:
    """Return a setting in words (not escaped), with or without the variant of its search."""
    if "whole_file" in setting:
        return str(setting["whole_file"])
    if setting.get("edited") == OWN:
        return capital(OWN)
    if "edited" in setting:
        return f"edited by hand, from: {setting['edited']}"
    left_out = () if variant else (*KINDS_OF_RULE, CHOSEN, REFINED)
    shown = {k: v for k, v in setting.items() if k not in left_out}
    return learner_of(setting).words(shown, several=several)


def count_look() -> int:
    """Count a look at the test rows, once per rule, and return the number of rules looked at."""
    state = app_state()
    digest = hashlib.sha256(to_json(state.model).encode()).hexdigest()[:16]
    if digest not in state.looked_at:
        change(test_looks=state.test_looks + 1, looked_at=(*state.looked_at, digest))
    return app_state().test_looks


def fit_setting(state: AppState, setting: Mapping[str, Any], spec: RunSpec) -> ClassifierMixin:
    """Return a setting fitted on the training rows, from the shown results or computed once."""
    shown = state.result_on(curve_key(spec, state))
    model = None if shown is None else shown.models.get(model_key(setting))
    if model is not None and not isinstance(model, FixedRuleClassifier):  # of renamed classes
        return model
    path = path_of(setting, spec)
    settings = {k: v for k, v in spec.to_dict().items() if k not in ("thetas", "learners")}
    key = repr((state.fit_key, settings, [model_key(s) for s in path]))
    answers = compute_once("path", key, lambda: fit_path(path, spec, state), copy=False)
    return answers[model_key(setting)]


def path_of(setting: Mapping[str, Any], spec: RunSpec) -> list[dict[str, Any]]:
    """List the settings that one search finds together with a setting, which is among them."""
    if not learner_of(setting).whole_front:
        return [dict(setting)]
    path = [s for s in settings_of_run(spec) if same_search(s, setting)]
    return path if model_key(setting) in map(model_key, path) else [*path, dict(setting)]


def fit_path(
    settings: Sequence[Mapping[str, Any]],
    spec: RunSpec,
    state: AppState,
    *,
    rows: NDArray[np.intp] | None = None,
) -> dict[str, ClassifierMixin]:
    """Fit settings of one learner and variant in one search; return them by `model_key`."""
    X, y = state.training
    weight = state.training_weight
    learner = learner_of(settings[0])
    estimator = learner.estimator(spec, state, settings[0])
    if rows is not None:
        X, y, weight = X.iloc[rows], y.iloc[rows], None if weight is None else weight[rows]
    if QUICK in settings[0]:
        X, y, weight = quick_table(X, y, weight, estimator)
    estimator.set_params(**learner.picked)
    grid = [learner.parameters(s) for s in settings]
    quiet()
    models = fit_settings(estimator, X, y, grid, weight)
    return {model_key(s): model for s, model in zip(settings, models, strict=True)}


def model_key(setting: Mapping[str, Any]) -> str:
    """Return a text that identifies a setting, whatever the order of its entries."""
    return repr(sorted(setting.items()))


def directions(state: AppState) -> Constraints:
    """Return the monotonic constraints of the rule's run, also for an edited rule."""
    given = state.spec.constraints(state.features, state.positive) or {}
    parts = ("directions", "towards")
    return Constraints.from_dict({name: given[name] for name in parts if name in given})


def monotonicity(rule: RuleSet, state: AppState) -> tuple[MonotonicityCheck, ...]:
    """Check the directions set for the rule's run."""
    return monotonicity_checks(rule, directions(state))


def constraint_lines(rule: RuleSet, state: AppState) -> None:
    """Show each monotonic constraint; a violated one as a warning with two rows as an example."""
    for check in monotonicity(rule, state):
        show = st.caption if check.kept else st.warning
        show(md(check.sentence_with(state.label), 600))


def constraints_of_case(rule: RuleSet, answer: Any, row: Columns, state: AppState) -> None:
    """Show what monotonic constraints mean for one case, for columns without a missing value."""
    for check in monotonicity(rule, state):
        if check.kept and check.feature in row and not missing_in(row[check.feature]).any():
            st.caption(md(check.describe_row(answer, state.label), 300))
