"""What a rule of one clause is proved to be: its bound and its gap, in words."""

import math

import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.estimators import Certificate, OneLevelRuleClassifier
from ui.escape import md


def proved_card(model: ClassifierMixin) -> bool:
    """Say what learning by "One clause, provably optimal" proved; nothing for other learners.

    Returns
    -------
    bool
        Whether something was said.
    """
    if not isinstance(model, OneLevelRuleClassifier) or (found := model.certificate_) is None:
        return False
    show = st.success if found.proved else st.info
    show(f"**{proof_headline(found)}.** {md(found.sentence, 900)}")
    if (screened := model.screening_) is not None and screened.n_conditions:
        share = screened.n_removed / screened.n_conditions
        st.caption(
            f"{screened.n_removed:,} of {screened.n_conditions:,} conditions ({share:.1%}) were "
            "ruled out with certificates; Binning shows them."
        )
    return True


def proof_headline(found: Certificate) -> str:
    """Say in few words what is proved."""
    if found.proved:
        return f"Cost {found.objective:.6g}, and no rule of one clause costs less"
    if found.gap is None:
        return f"Cost {found.objective:.6g}, no useful bound"
    return f"Cost {found.objective:.6g}, at most {math.ceil(1000 * found.gap) / 10:g} % too much"
