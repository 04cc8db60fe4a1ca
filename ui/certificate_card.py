"""The Rules page's card on how far the rule is from the best possible."""

import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.estimators import (
    Certificate,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
    certify,
)
from ui.cache import kept
from ui.escape import md
from ui.state import AppState

PROOF_SECONDS = 10.0
HELP = (
    "Looks for a proof that no rule over the same conditions costs less on the training rows. "
    f"Takes up to about {PROOF_SECONDS:g} seconds, and often ends without one on larger tables."
)


def certificate_card(model: ClassifierMixin, state: AppState) -> None:
    """Show on demand what is proved of a learned rule; nothing for one changed by hand."""
    if not isinstance(model, OneLevelRuleClassifier | TwoLevelRuleClassifier):
        return
    key = repr((state.fit_key, state.setting, state.run_settings))
    asked = f"certify_{hash(key)}"
    if not st.session_state.get(asked) and not st.button(
        "How far from the best possible?", key="certify", help=HELP
    ):
        return
    st.session_state[asked] = True
    with st.spinner("Looking for a proof"):
        found = kept("certificate", key, lambda: _certificate(model, state))
    show = st.success if found.proved else st.info
    show(md(found.sentence, 700))


def _certificate(model: ClassifierMixin, state: AppState) -> Certificate:
    X, y = state.training
    weight = state.sample_weight
    if weight is not None:
        weight = weight[state.rows()[0]]
    return certify(model, X, y, sample_weight=weight, time_limit=PROOF_SECONDS)
