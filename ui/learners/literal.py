"""The learners of rules of conditions: a two-level rule, or a single clause."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin

from ui.escape import md
from ui.learners.certificate_card import certificate_card, proved_card, quick_certificate
from ui.learners.learner import Cards, Learner, Setting
from ui.learners.spec import QUICK, QUICK_SECONDS, RunSpec, quick_rows
from ui.state import KEEP, AppState

MOST_CLAUSES = 5
QUICK_CLAUSES = 2  # number of clauses for each of several outcomes but one, in a quick search
ROBUST = (0.1, 0.3)  # robustness of the box search if not 0
NOISY: tuple[Setting, ...] = ({"label_noise": 1.0}, {"robustness": 0.1, "label_noise": 1.0})
LARGE = 200_000  # cells of the training rows above which variants are off by default
AGAINST, DISCOUNTED = "rule against the class", "doubtful rows discounted"
SEARCH = "search"
TWO_LEVEL = ("clauses", "rounding", "refine", "allow_disabled")  # settings that these learners read


def proof_on_models(model: ClassifierMixin, state: AppState) -> None:
    """Show what learning proved, or what a short search proves for one clause."""
    if not proved_card(model):
        quick_certificate(model, state)


def proof_on_rules(model: ClassifierMixin, state: AppState) -> None:
    """Show what learning proved, or offer to search for a proof."""
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
    """Return a grid of numbers of conditions, or of prices for a price sweep."""
    return {"max_conditions": list(spec.limits)} if spec.view == "conditions" else sizes(spec)


def box_search(spec: RunSpec, state: AppState, variant: Setting) -> dict[str, Any]:
    """Return the parameters of the box search alone, plain or as a variant.

    In a sweep over numbers of conditions, a condition must save a thousandth of the rows. A quick
    search makes no perturbations; for several outcomes its conditions must save five times as many
    rows, in fewer clauses.
    """
    by_price = "theta" in variant or (spec.view == "prices" and "max_conditions" not in variant)
    y = state.training[1]
    quick: dict[str, Any] = {}
    if QUICK in variant:
        y = y.iloc[quick_rows(*state.training, np.arange(len(y)))]
        quick = {"n_perturbations": 0, "time_limit": QUICK_SECONDS}
        if state.several:
            quick |= {"theta": len(y) / 200, "n_clauses": QUICK_CLAUSES}
    return {
        "theta": len(y) / 1000,
        "n_clauses": MOST_CLAUSES,
        "n_perturbations": 3,
        "refine": spec.refine and by_price and not state.several,
        "refine_thresholds": spec.refine and by_price and state.several,
        "robustness": variant.get("robustness", 0.0),
        "label_noise": variant.get("label_noise", 0.0),
        **quick,
    }


def variants(spec: RunSpec) -> tuple[dict[str, Any], ...]:
    """List the selected variants: for the other class, robust, doubtful rows discounted."""
    sides = [{}, {"describes": "other"}] if spec.against else [{}]
    kinds: list[Setting] = [{}]
    if spec.robust:
        kinds += [{"robustness": value} for value in ROBUST]
    if spec.noisy:
        kinds += [kind for kind in NOISY if spec.robust or "robustness" not in kind]
    return tuple({**side, **kind} for side, kind in product(sides, kinds) if side or kind)


def variant_words(setting: Setting) -> list[str]:
    """Return a rule's side, robustness, and whether doubtful rows are discounted."""
    words = [AGAINST] if "describes" in setting else []
    if "robustness" in setting:
        words.append(f"robustness {setting['robustness']:g}")
    return words + [DISCOUNTED] * ("label_noise" in setting) + ["quick search"] * (QUICK in setting)


def usual(X: pd.DataFrame, y: pd.Series) -> dict[str, Any]:
    """Switch the variants off by default on a large table."""
    variants = ("against", "robust", "noisy")
    return dict.fromkeys(variants, False) if X.size > LARGE else {}


def finer_form(state: AppState, usual: RunSpec, learners: Sequence[str]) -> dict[str, Any]:
    """Show the form for variants; disabled for other learners."""
    unread = bool(learners) and SEARCH not in learners
    sides = {"against": False, "robust": False}
    if not state.several:
        sides = _sides(state, usual, unread=unread)
    noisy = st.toggle(
        "Also with doubtful rows discounted",
        value=usual.noisy,
        key="run_noisy",
        disabled=unread,
        help="Rows that look like another class count less in the search: a random forest "
        "predicts each row by the trees grown without it. Noisy labels then add fewer "
        "conditions. Errors shown count every row in full. Nearly twice the searches.",
        **KEEP,
    )
    return sides | {"noisy": noisy}


def _sides(state: AppState, usual: RunSpec, *, unread: bool) -> dict[str, Any]:
    """Show the form for the variants of rules for two classes."""
    against = st.toggle(
        f"Also rules against {md(state.positive, 60)}",
        value=usual.against,
        key="run_against",
        disabled=unread,
        help="Rules that say when a row is of the other class; all others are "
        f"{md(state.positive, 60)}. One of the two is often much shorter. "
        "Monotonic constraints hold for them, too. Twice the searches.",
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


BOX_SEARCH = Learner.of(
    SEARCH,
    grid=conditions,
    own_parameters=box_search,
    variants=variants,
    variant_words=variant_words,
    reads=("form", "thetas", "clauses", "refine", "against", "robust", "noisy"),
    usual=usual,
    finer_form=finer_form,
    cards=CARDS,
)
PAPERS = tuple(
    Learner.of(key, grid=grid, reads=("form", "thetas", *reads), cards=CARDS)
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
