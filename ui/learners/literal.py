"""The learners of rules of conditions, and the card on optimality of their rules."""

# A rule of one clause is checked without a click, for a short time; other rules on demand. Both run
# in the background. A bound depends on what is counted, so the count is always shown with it.

import math
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
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
from rulekit.style.wording import capital
from ui import workspace
from ui.escape import md
from ui.learners.learner import Cards, Learner, Setting
from ui.learners.spec import (
    CHOSEN,
    QUICK,
    QUICK_SECONDS,
    REFINED,
    SEARCH_OF_CHOICE,
    UNCOSTED,
    RunSpec,
    quick_rows,
    quick_table,
)
from ui.runs import jobs
from ui.runs.background import answer_of
from ui.runs.worker import Report
from ui.state import KEEP, AppState
from ui.workspace import pick_rule

LEARNED = (
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
    BoxSearchClassifier,
    ColumnGenerationClassifier,
)
SHORT_PROOF_SECONDS = 2.0
PROOF_SECONDS = 10.0
ON_DEMAND = "certify"  # the job started by a button
NO_BOUND = (
    "This rule is an ordered list for several classes. No bound is known for such rules: nothing "
    "says how far this one is from the best. Describe one class against the rest on Data for that."
)
PROVED = "Proved optimal: "  # how a certificate's sentence begins
PROOF_HELP = (
    "Looks for a proof that no rule over the same conditions costs less on the training rows. "
    f"Takes up to about {PROOF_SECONDS:g} seconds, and often ends without one on larger tables."
)


def certificate_card(model: ClassifierMixin, state: AppState) -> None:
    """Show what learning proved, or what is proved since, with a button for a longer search."""
    if show_proof(model) or not isinstance(model, LEARNED):
        return
    if state.several:
        st.info(NO_BOUND)
        return
    if (words := part_words(state)) is not None:
        st.caption(words)
    key = state.rule_key
    job = jobs.registry().get(f"{workspace.analysis_id()}/{ON_DEMAND}")
    if job is None or job.key != key:
        if (quick := quick_certificate(model, state)) is not None and quick.proved:
            return
        st.caption(PROOF_HELP)
    task = partial(prove, model, replace(state, result=None), PROOF_SECONDS)
    offer = "How far from the best possible?"
    certificate = answer_of(ON_DEMAND, "Searching for a proof", key, task, offer=offer)
    if certificate is not None:
        _show_proof(certificate)


def quick_certificate(model: ClassifierMixin, state: AppState) -> Certificate | None:
    """Show what learning proved, or a short search for one clause; return that search's proof."""
    of_one_clause = isinstance(model, LEARNED) and model.rule_set_.n_clauses == 1
    if show_proof(model) or state.several or not of_one_clause:
        return None
    task = partial(prove, model, replace(state, result=None), SHORT_PROOF_SECONDS)
    title = "Search for a better rule of one clause"
    certificate: Certificate | None = answer_of("proof", title, state.rule_key, task)
    if certificate is not None and certificate.verdict:
        _show_proof(certificate)
    return certificate


def show_proof(model: ClassifierMixin) -> bool:
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


def _show_proof(certificate: Certificate) -> None:
    """Show what is proved and for which count, with a button for a better rule."""
    verdict, sentence, head = certificate.verdict, certificate.sentence, ""
    if verdict:
        head = f"**{capital(verdict)} ({certificate.counts}).** "
        if sentence.startswith(PROVED):  # already in the headline
            sentence = f"That is, {sentence.removeprefix(PROVED)}"
    (st.success if certificate.proved else st.info)(head + md(sentence, 700))
    if (rule := certificate.better) is not None:
        how = {"rule_set": rule, "source": "a better rule from the search for a proof"}
        st.button("Use the better rule", key="take_better", on_click=pick_rule, kwargs=how)


def prove(model: ClassifierMixin, state: AppState, seconds: float, report: Report) -> Certificate:
    """Search for a proof, as a job; a rule of one clause is compared with rules of one clause."""
    (X, y), weight = state.training, state.training_weight
    if QUICK in (state.setting or {}):
        X, y, weight = quick_table(X, y, weight, model)
    if model.rule_set_.n_clauses == 1 and hasattr(model, "n_clauses"):
        model = copy(model)
        model.n_clauses = 1
    return certify(model, X, y, sample_weight=weight, time_limit=seconds)


def part_words(state: AppState) -> str | None:
    """Return which rows a bound is of, if not of all training rows."""
    X, y = state.training
    if QUICK not in (state.setting or {}):
        return None
    if (n_rows := len(quick_rows(X, y, np.arange(len(y))))) == len(y):
        return None
    return (
        f"The quick search learned this rule from {n_rows:,} of {len(y):,} training rows, and the "
        "bound is for those. Search longer on Models for one of all rows."
    )


MOST_CLAUSES = 5
QUICK_CLAUSES = 2  # number of clauses for each of several outcomes but one, in a quick search
ROBUST, NOISY = {"robustness": 0.1}, {"label_noise": 1.0}
KINDS: tuple[Setting, ...] = ({}, ROBUST, {"robustness": 0.3}, NOISY, ROBUST | NOISY)
LARGE = 200_000  # cells of the training rows above which variants are off by default
AGAINST, DISCOUNTED = "rule against the class", "doubtful rows discounted"
# keys of a setting in words
FLAGS = {QUICK: "quick search", REFINED: "cuts refined", UNCOSTED: "learned without costs"}
TWO_LEVEL = ("clauses", "rounding", "refine", "allow_disabled")  # settings that these learners read


CARDS = Cards(models=quick_certificate, rules=certificate_card)


def prices(spec: RunSpec) -> dict[str, list[Any]]:
    """Return a grid of prices."""
    return {"theta": list(spec.thetas)}


def sizes(spec: RunSpec) -> dict[str, list[Any]]:
    """Return a grid of numbers of clauses, and prices."""
    low, high = spec.clauses
    return {"n_clauses": list(range(low, high + 1)), "theta": list(spec.thetas)}


def box_search(spec: RunSpec, state: AppState, variant: Setting) -> dict[str, Any]:
    """Return the parameters of the box search alone, plain or as a variant."""
    by_price = "theta" in variant or (spec.view == "prices" and "max_conditions" not in variant)
    y = state.training[1]
    more: dict[str, Any] = {}
    if QUICK in variant:
        y = y.iloc[quick_rows(*state.training, np.arange(len(y)))]
        more = {"n_perturbations": 0, "time_limit": QUICK_SECONDS}
        if state.several:  # it takes longer: fewer clauses, and conditions that save more rows
            more |= {"theta": len(y) / 200, "n_clauses": QUICK_CLAUSES}
    if CHOSEN in variant:
        more = {"theta": variant[CHOSEN], "refine_thresholds": REFINED in variant}
        more |= SEARCH_OF_CHOICE | ({"costs": None} if UNCOSTED in variant else {})
    return {
        "theta": len(y) / 1000,  # a condition must save a thousandth of the rows
        "n_clauses": MOST_CLAUSES,
        "n_perturbations": 3,
        "refine": spec.refine and by_price and not state.several,
        "refine_thresholds": spec.refine and by_price and state.several,
        "robustness": variant.get("robustness", 0.0),
        "label_noise": variant.get("label_noise", 0.0),
        **more,
    }


def variants(spec: RunSpec) -> tuple[dict[str, Any], ...]:
    """List the selected variants: for the other class, robust, doubtful rows discounted."""
    sides = [{}, {"describes": "other"}] if spec.against else [{}]
    used = {"robustness": spec.robust, "label_noise": spec.noisy}
    kinds = [kind for kind in KINDS if all(used[name] for name in kind)]
    return tuple({**side, **kind} for side, kind in product(sides, kinds) if side or kind)


def variant_words(setting: Setting) -> list[str]:
    """Return a rule's side, robustness, and whether doubtful rows are discounted."""
    words = [AGAINST] if "describes" in setting else []
    if "robustness" in setting:
        words.append(f"robustness {setting['robustness']:g}")
    words += [DISCOUNTED] * ("label_noise" in setting)
    if CHOSEN in setting:
        words.append(f"selected by RuleClassifier at θ {setting[CHOSEN]:g}")
    return words + [name for key, name in FLAGS.items() if key in setting]


TOGGLES = {  # fields of a run for the variants: label and help, with the described outcome
    "against": (
        "Also rules against {0}",
        "Rules that say when a row is of the other class; all others are {0}. One of the two is "
        "often much shorter. Monotonic constraints hold for them, too. Twice the searches.",
    ),
    "robust": (
        "Also more robust rules",
        "Rules that keep rows of the other class out by more than one condition where that is "
        "cheap, so that small errors of measurement upset them less. Three times the searches.",
    ),
    "noisy": (
        "Also with doubtful rows discounted",
        "Rows that look like another class count less in the search: a random forest predicts each "
        "row by the trees grown without it. Noisy labels then add fewer conditions. Errors shown "
        "count every row in full. Nearly twice the searches.",
    ),
}


def kinds_form(state: AppState, usual: RunSpec) -> dict[str, Any]:
    """Show the form for variants (of several outcomes one)."""
    fields, name = dict.fromkeys(TOGGLES, False), md(state.positive, 60)
    for field in ["noisy"] if state.several else TOGGLES:
        label, text = (words.format(name) for words in TOGGLES[field])
        fields[field] = st.toggle(label, getattr(usual, field), f"run_{field}", text, **KEEP)
    return fields


BOX_SEARCH = Learner.from_family(
    "search",
    grid=lambda spec: (  # of numbers of conditions, or of prices for a price sweep
        {"max_conditions": list(spec.limits)} if spec.view == "conditions" else sizes(spec)
    ),
    own_parameters=box_search,
    variants=variants,
    variant_words=variant_words,
    reads=("form", "thetas", "clauses", "refine", "against", "robust", "noisy"),
    usual=lambda X, y: {"robust": False, "noisy": False} if X.size > LARGE else {},
    cards=CARDS,
)
PAPERS = tuple(
    Learner.from_family(key, grid=grid, reads=("form", "thetas", *reads), cards=CARDS)
    for key, grid, reads in (
        ("one_level_exact", prices, ()),
        ("one_level", prices, ("rounding",)),
        ("alternating", sizes, TWO_LEVEL),
        ("block_coordinate", sizes, TWO_LEVEL),
        ("set_cover", sizes, TWO_LEVEL),
        ("lp", sizes, TWO_LEVEL),
        ("exact", sizes, TWO_LEVEL),
        ("column_generation", prices, ("refine",)),
    )
)
