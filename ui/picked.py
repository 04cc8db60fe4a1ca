"""The model a person picked: fitted once on the training rows, shared by all pages."""

import warnings
from collections.abc import Mapping
from typing import Any

import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.estimators import FixedRuleClassifier
from rulekit.exceptions import EmptyRuleWarning
from rulekit.explain import Wording
from rulekit.export import from_json, to_json
from rulekit.plots.wording import percent, plural
from rulekit.rules import RuleSet
from ui.cache import kept
from ui.escape import md
from ui.learners import LEARNERS, RunSpec, estimator_for
from ui.shell import empty
from ui.state import AppState, app_state, change

LEARNER_KEY = "learner"


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


def pick_rule(rule_set: RuleSet, *, source: str) -> None:
    """Make a rule that a person wrote or changed the chosen model.

    Parameters
    ----------
    rule_set : RuleSet
    source : str
        What it was made from, in words.
    """
    X, y = app_state().training
    model = FixedRuleClassifier(rule_set).fit(X, y)
    change(setting={"edited": source}, model=model, rule_json=to_json(model))


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
    words = [LEARNERS[setting[LEARNER_KEY]].name, f"θ {setting['theta']:g}"]
    if "n_clauses" in setting:
        words.append(f"at most {setting['n_clauses']} clause{'s' * (setting['n_clauses'] != 1)}")
    return ", ".join(words)


def wording(state: AppState, *, clause: str = "clause") -> Wording:
    """Return business names and units as the explanations take them."""
    return Wording(
        names={name: w.label for name, w in state.wording.items() if w.label},
        units={name: w.unit for name, w in state.wording.items() if w.unit},
        clause=clause,
    )


def looked_at_test_rows() -> int:
    """Count a look at the test rows, once a model, and return how often they were looked at."""
    state = app_state()
    seen = st.session_state.setdefault("_looked", set())
    key = (state.fit_key, state.rule_json)
    if key not in seen:
        seen.add(key)
        change(test_looks=state.test_looks + 1)
    return app_state().test_looks


def held_out(model: ClassifierMixin) -> None:
    """Show a picked rule's error on the test rows when asked for it, and count the looks."""
    state = app_state()
    if "whole_file" in (state.setting or {}):
        st.caption("Learned from all rows of the file: no row of the sample is held out.")
        return
    X, y = state.testing
    if not len(X):
        st.caption("No test rows were set aside on Data, so there is no held-out figure.")
        return
    key = f"held_out_{hash((state.fit_key, state.rule_json))}"
    if st.session_state.get(key) or st.button("Show the held-out error", key="held_out"):
        st.session_state[key] = True
        looks = looked_at_test_rows()
        wrong = float((model.predict(X) != y.to_numpy()).mean())
        st.markdown(
            f"**{percent(wrong)}** of {len(X)} test rows, which took no part in the sweep, are "
            f"decided wrongly. Test rows looked at for {plural(looks, 'rule')}."
        )


def fitted(state: AppState, setting: Mapping[str, Any], spec: RunSpec) -> ClassifierMixin:
    """Return a setting fitted on the training rows, computed once a session."""
    estimator = estimator_for(setting[LEARNER_KEY], spec, state)
    estimator.set_params(**{k: v for k, v in setting.items() if k != LEARNER_KEY})

    def fit() -> ClassifierMixin:
        X, y = state.training
        weight = state.sample_weight
        if weight is not None:
            weight = weight[state.rows()[0]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyRuleWarning)  # the page Rules says it
            return estimator.fit(X, y, sample_weight=weight)

    settings = {k: v for k, v in spec.to_dict().items() if k not in ("thetas", "learners")}
    return kept("fit", repr((state.fit_key, settings, sorted(setting.items()))), fit, copy=False)
