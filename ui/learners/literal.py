"""The learners of rules of conditions: a two-level rule, or a single clause."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from rulekit.learners import (
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
)
from rulekit.style.wording import plural
from ui.escape import md
from ui.learners.certificate_card import certificate_card, proved_card, quick_certificate
from ui.learners.learner import Cards, Learner, Setting
from ui.learners.spec import FIT_SECONDS, QUICK, QUICK_SECONDS, RunSpec, quick_rows
from ui.state import KEEP, AppState

MOST_CLAUSES = 5
ROBUST = (0.1, 0.3)  # robustness of the box search besides 0
DOUBTING: tuple[Setting, ...] = ({"doubt": 1.0}, {"robustness": 0.1, "doubt": 1.0})
LARGE = 200_000  # cells of the training rows from which on variants are run only when asked for
AGAINST, DOUBTED = "rule against the class", "doubtful rows discounted"
SEARCH = "search"


def proof_on_models(model: ClassifierMixin, state: AppState) -> None:
    """Say what learning has proved; of other rules of one clause what a short look proves."""
    if not proved_card(model):
        quick_certificate(model, state)


def proof_on_rules(model: ClassifierMixin, state: AppState) -> None:
    """Say what learning has proved; of other rules offer to look for a proof."""
    if not proved_card(model):
        certificate_card(model, state)


CARDS = Cards(models=proof_on_models, rules=proof_on_rules)


def prices(spec: RunSpec) -> dict[str, list[Any]]:
    """Return a grid of prices."""
    return {"theta": list(spec.thetas)}


def sizes(spec: RunSpec) -> dict[str, list[Any]]:
    """Return a grid of numbers of clauses, and prices."""
    low, high = spec.clauses
    return {"n_clauses": list(range(low, high + 1)), "theta": list(spec.thetas)}


def conditions(spec: RunSpec) -> dict[str, list[Any]]:
    """Return a grid of numbers of conditions, or where they are asked for of prices."""
    return {"max_conditions": list(spec.limits)} if spec.view == "conditions" else sizes(spec)


def common(spec: RunSpec, state: AppState, variant: Setting) -> dict[str, Any]:
    """Return the parameters that all of them have."""
    against = "describes" in variant
    one = state.other_label if against else state.positive
    return {
        "form": "dnf" if state.several else spec.form,
        "positive_label": None if state.several else one,
        "class_weight": spec.class_weight,
        "costs": spec.error_costs(state.labels),
        "binarizer": state.binning.binarizer(),
        "constraints": spec.constraints(state.features, state.positive),
        "time_limit": FIT_SECONDS,
    }


def two_level(key: str, name: str, sentence: str, good_for: str, *, quick: bool = True) -> Learner:
    """Offer a method of `TwoLevelRuleClassifier` that is asked for a number of clauses."""

    def estimator(spec: RunSpec, state: AppState, variant: Setting) -> ClassifierMixin:
        return TwoLevelRuleClassifier(
            method=key,
            rounding=spec.rounding,
            refine=spec.refine,
            allow_disabled=spec.allow_disabled,
            random_state=0,
            **common(spec, state, variant),
        )

    reads = ("form", "thetas", "clauses", "rounding", "refine", "allow_disabled")
    texts = (key, name, sentence, good_for)
    return Learner(
        *texts, estimator, sizes, quick=quick, many_classes=True, reads=reads, cards=CARDS
    )


def box_search(spec: RunSpec, state: AppState, variant: Setting) -> ClassifierMixin:
    """Return the search that answers a whole front at once, plain or as a variant.

    Asked for a number of conditions, it takes those that save a thousandth of the rows or more,
    in as many clauses as it searches; a quick pass goes without disturbances.
    """
    by_price = "theta" in variant or (spec.view == "prices" and "max_conditions" not in variant)
    y = state.training[1]
    if QUICK in variant:
        y = y.iloc[quick_rows(*state.training, np.arange(len(y)))]
    how = common(spec, state, variant)
    if QUICK in variant:
        how["time_limit"] = QUICK_SECONDS
    return BoxSearchClassifier(
        theta=len(y) / 1000,
        n_clauses=MOST_CLAUSES,
        kicks=0 if QUICK in variant else 3,
        refine=spec.refine and by_price and not state.several,
        refine_thresholds=spec.refine and by_price and state.several,
        robustness=variant.get("robustness", 0.0),
        doubt=variant.get("doubt", 0.0),
        random_state=0,
        **how,
    )


def size_words(setting: Setting) -> list[str]:
    """Say how many conditions there may be, where that was asked for."""
    n = setting.get("max_conditions")
    return [] if n is None else [f"at most {plural(n, 'condition')}"]


def variants(spec: RunSpec) -> tuple[dict[str, Any], ...]:
    """List rules against the class, robust and doubting ones, as far as they are asked for."""
    sides = [{}, {"describes": "other"}] if spec.against else [{}]
    kinds: list[Setting] = [{}]
    if spec.robust:
        kinds += [{"robustness": value} for value in ROBUST]
    if spec.doubting:
        kinds += [kind for kind in DOUBTING if spec.robust or "robustness" not in kind]
    return tuple({**side, **kind} for side, kind in product(sides, kinds) if side or kind)


def variant_words(setting: Setting) -> list[str]:
    """Say on which side a rule is, how robust, and whether doubtful rows counted less."""
    words = [AGAINST] if "describes" in setting else []
    if "robustness" in setting:
        words.append(f"robustness {setting['robustness']:g}")
    return words + [DOUBTED] * ("doubt" in setting) + ["quick look"] * (QUICK in setting)


def usual(X: pd.DataFrame, y: pd.Series) -> dict[str, Any]:
    """Run nothing but the plain search on a large table unless more is asked for."""
    variants = ("against", "robust", "doubting")
    return dict.fromkeys(variants, False) if X.size > LARGE else {}


def finer_form(state: AppState, usual: RunSpec, learners: Sequence[str]) -> dict[str, Any]:
    """Ask for variants; greyed out where other learners are chosen."""
    unread = bool(learners) and SEARCH not in learners
    sides = {"against": False, "robust": False}
    if not state.several:
        sides = _sides(state, usual, unread=unread)
    doubting = st.toggle(
        "Also with doubtful rows discounted",
        value=usual.doubting,
        key="run_doubting",
        disabled=unread,
        help="Rows that look like another class count less in the search: a random forest is "
        "asked about each row by the trees grown without it. Labels that are noise then buy "
        "fewer conditions. Errors shown count every row in full. Nearly twice the searches.",
        **KEEP,
    )
    return sides | {"doubting": doubting}


def _sides(state: AppState, usual: RunSpec, *, unread: bool) -> dict[str, Any]:
    """Ask for the variants that rules of two classes have."""
    against = st.toggle(
        f"Also rules against {md(state.positive, 60)}",
        value=usual.against,
        key="run_against",
        disabled=unread,
        help="Rules that say when a row is of the other class; all others are "
        f"{md(state.positive, 60)}. One of the two is often much shorter. Promises hold "
        "for them, too. Twice the searches.",
        **KEEP,
    )
    robust = st.toggle(
        "Also more robust rules",
        value=usual.robust,
        key="run_robust",
        disabled=unread,
        help="Rules that keep rows of the other class out by more than one condition where "
        "that is cheap, so that small errors of measurement upset them less. Three times the "
        "searches.",
        **KEEP,
    )
    return {"against": against, "robust": robust}


def column_generation(spec: RunSpec, state: AppState, variant: Setting) -> ClassifierMixin:
    """Return column generation, which takes as many clauses as pay for themselves."""
    return ColumnGenerationClassifier(refine=spec.refine, **common(spec, state, variant))


def one_clause(spec: RunSpec, state: AppState, variant: Setting) -> ClassifierMixin:
    """Return the learner of a single clause by rounding."""
    how: dict[str, Any] = {"rounding": spec.rounding, "random_state": 0}
    return OneLevelRuleClassifier(**how, **common(spec, state, variant))


def one_clause_proved(spec: RunSpec, state: AppState, variant: Setting) -> ClassifierMixin:
    """Return the learner of a single clause with a proof."""
    how: dict[str, Any] = {"exact": True, "screening": "duality"}
    return OneLevelRuleClassifier(**how, **common(spec, state, variant))


BOX_SEARCH = Learner(
    SEARCH,
    "A short rule",
    "A few clauses, each of conditions that must all hold; one search answers every size.",
    "most tables, as the first choice.",
    box_search,
    conditions,
    variants=variants,
    whole_front=True,
    reads=("form", "thetas", "clauses", "refine", "against", "robust", "doubting"),
    usual=usual,
    finer_form=finer_form,
    shape_words=size_words,
    variant_words=variant_words,
    many_classes=True,
    cards=CARDS,
)
ALTERNATING = two_level(
    "alternating",
    "Alternating minimisation",
    "Shares the rows out among the clauses, relearns every clause, and repeats.",
    "comparison: the most accurate of the two-level paper's methods.",
)
BLOCK_COORDINATE = two_level(
    "block_coordinate",
    "Block coordinate descent",
    "Improves one clause at a time while the others stay, until none gets better.",
    "a steady second opinion; its objective never rises.",
)
SET_COVER = two_level(
    "set_cover",
    "Set covering",
    "Learns one clause after the other, each for what the earlier ones left over.",
    "quick answers on large tables.",
)
LINEAR_PROGRAM = two_level(
    "lp",
    "Two-level linear program",
    "Relaxes the whole rule into one linear program and rounds its answer.",
    "small tables, and to see how far rounding is from the relaxation.",
    quick=False,
)
EXACT = two_level(
    "exact",
    "Exact optimum",
    "Proves the best two-level rule by integer programming, within a time limit.",
    "tables of a few hundred rows with few cut points.",
    quick=False,
)
COLUMN_GENERATION = Learner(
    "column_generation",
    "Column generation",
    "Adds clauses to a linear program until none helps, then chooses among them; a clause "
    "costs as much as a condition, and a wrongly taken row counts once for every clause.",
    "a bound: it can say how far the rule is from the best possible.",
    column_generation,
    prices,
    quick=False,
    reads=("form", "thetas", "refine"),
    many_classes=True,
    cards=CARDS,
)
ONE_CLAUSE = Learner(
    "one_level",
    "One clause, rounded",
    "A single AND (or OR) of conditions from one linear program.",
    "very short rules on large tables.",
    one_clause,
    prices,
    reads=("form", "thetas", "rounding"),
    many_classes=True,
    cards=CARDS,
)
ONE_CLAUSE_PROVED = Learner(
    "one_level_exact",
    "One clause, proved best",
    "Finds the single AND (or OR) that costs least and proves it, or says how far it may be "
    "from the best; a row can count once for every condition.",
    "a checklist of one line that nobody can improve.",
    one_clause_proved,
    prices,
    reads=("form", "thetas"),
    many_classes=True,
    cards=CARDS,
)
