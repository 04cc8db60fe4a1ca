"""The card on optimality: the proven gap between a learned rule and the best possible.

A rule of one clause is checked without a click, for a short time; other rules on demand. Both run
in the background. A bound depends on what is counted, so the count is always shown with it.
"""

import math
from copy import copy
from dataclasses import replace
from functools import partial

import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.learners import (
    BoxSearchClassifier,
    Certificate,
    ColumnGenerationClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
    certify,
)
from ui import workspace
from ui.escape import md
from ui.runs import jobs
from ui.runs.background import answer_of
from ui.runs.jobs import Job
from ui.runs.worker import Reporter
from ui.state import AppState
from ui.workspace import pick_rule

LEARNED = (
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
    BoxSearchClassifier,
    ColumnGenerationClassifier,
)
QUICK_SECONDS = 2.0
PROOF_SECONDS = 10.0
POLL_SECONDS = 0.3
ON_DEMAND = "certify"  # the job started by a button
PROVED = "Proved optimal: "  # how a certificate's sentence begins
HELP = (
    "Looks for a proof that no rule over the same conditions costs less on the training rows. "
    f"Takes up to about {PROOF_SECONDS:g} seconds, and often ends without one on larger tables."
)


def certificate_card(model: ClassifierMixin, state: AppState) -> None:
    """Show what is proved for a learned rule, and a button for a longer search."""
    if not isinstance(model, LEARNED) or state.several:
        return
    key = _key(state)
    job = jobs.registry().get(f"{workspace.analysis_id()}/{ON_DEMAND}")
    if job is None or job.key != key:
        quick = quick_certificate(model, state)
        if quick is not None and quick.proved:
            return
        st.caption(HELP)
    task = partial(prove, model, replace(state, sweep=None), PROOF_SECONDS)
    certificate = answer_of(
        ON_DEMAND, "Searching for a proof", key, task, offer="How far from the best possible?"
    )
    if certificate is not None:
        _show(certificate)


def quick_certificate(model: ClassifierMixin, state: AppState) -> Certificate | None:
    """Show what a short search proves for a rule of one clause; None while it runs."""
    learned = isinstance(model, LEARNED)
    if not learned or state.several or model.rule_set_.n_clauses != 1:
        return None
    owner, key = f"{workspace.analysis_id()}/proof", _key(state)
    job = jobs.registry().get(owner)
    if job is None or job.key != key:
        task = partial(prove, model, replace(state, sweep=None), QUICK_SECONDS)
        job = jobs.registry().start(owner, "Optimality", task, key=key)
    if job.active:
        st.fragment(_watch, run_every=POLL_SECONDS)(job)
        return None
    if job.answer is not None and job.answer.verdict:
        _show(job.answer)
    return job.answer


def proved_card(model: ClassifierMixin) -> bool:
    """Show what learning by "One clause, proved best" proved; return whether it proved anything."""
    if not isinstance(model, OneLevelRuleClassifier) or (certificate := model.certificate_) is None:
        return False
    show = st.success if certificate.proved else st.info
    show(f"**{proof_headline(certificate)}.** {md(certificate.sentence, 900)}")
    if (screened := model.screening_) is not None and screened.n_conditions:
        share = screened.n_removed / screened.n_conditions
        st.caption(
            f"{screened.n_removed:,} of {screened.n_conditions:,} conditions ({share:.1%}) were "
            "ruled out with certificates; Binning shows them."
        )
    return True


def proof_headline(certificate: Certificate) -> str:
    """Return in a few words what is proved."""
    if certificate.proved:
        return f"Cost {certificate.objective:.6g}, and no rule of one clause costs less"
    if certificate.gap is None:
        return f"Cost {certificate.objective:.6g}, no useful bound"
    percent = math.ceil(1000 * certificate.gap) / 10
    return f"Cost {certificate.objective:.6g}, at most {percent:g} % too much"


def headline(certificate: Certificate) -> str:
    """Return in a few words what is proved and for which count; empty if nothing is."""
    verdict = certificate.verdict
    return f"{verdict[0].upper()}{verdict[1:]} ({certificate.counts})" if verdict else ""


def _watch(job: Job) -> None:
    if not job.active:
        st.rerun()
    st.caption("Looking whether any rule of one clause is better …")


def _show(certificate: Certificate) -> None:
    show, head = (st.success if certificate.proved else st.info), headline(certificate)
    sentence = certificate.sentence
    if head and sentence.startswith(PROVED):  # already in the headline
        sentence = f"That is, {sentence.removeprefix(PROVED)}"
    show(f"**{head}.** {md(sentence, 700)}" if head else md(sentence, 700))
    if certificate.better is not None:
        st.button(
            "Use the better rule",
            key="take_better",
            on_click=pick_rule,
            args=(certificate.better,),
            kwargs={"source": "a better rule from the search for a proof"},
        )


def _key(state: AppState) -> str:
    return repr((state.fit_key, state.setting, state.run_settings, state.rule_json))


def prove(
    model: ClassifierMixin, state: AppState, seconds: float, reporter: Reporter
) -> Certificate:
    """Search for a proof, as a job; a rule of one clause is compared with rules of one clause."""
    X, y = state.training
    if model.rule_set_.n_clauses == 1 and hasattr(model, "n_clauses"):
        model = copy(model)
        model.n_clauses = 1
    limits = {"time_limit": seconds, "should_stop": reporter.should_stop}
    return certify(model, X, y, sample_weight=state.training_weight, **limits)
