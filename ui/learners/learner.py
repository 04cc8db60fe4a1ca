"""A learner on the pages: its entry in `FAMILIES`, its form and its cards."""

# Settings of a run have the same names for all learners: ``theta`` is the price, whatever its
# symbol, and ``n_clauses`` the maximal number of clauses.

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd
import streamlit as st
from sklearn.base import ClassifierMixin, clone

from rulekit.evaluation.sweeps.grid import settings_of
from rulekit.families import FAMILIES
from rulekit.families.family import Family, Setting
from rulekit.style.wording import plural
from ui.escape import md
from ui.learners.spec import CHOSEN, FIT_SECONDS, LEARNER_KEY, QUICK, REFINED, UNCOSTED, RunSpec
from ui.state import AppState


def price_input(
    label: str, usual: Sequence[float], symbol: str, **widget: Any
) -> tuple[float, ...] | None:
    """Return the prices entered as text; None, after an error message, if it is invalid."""
    before = ", ".join(f"{price:.15g}" for price in sorted(usual))
    text = st.text_input(label, value=before, persist_state="session", **widget)
    prices = set()
    for word in text.replace(",", " ").replace(";", " ").split():
        try:
            price = float(word)
        except ValueError:
            price = math.nan
        if not 0 < price < math.inf:
            message = (
                f"Each price {symbol} must be a positive number, found {word!r}; write them as in "
                "'0.1, 0.5, 2', with a point as the decimal sign."
            )
            st.error(md(message, 300))
            return None
        prices.add(price)
    if not prices:
        example = "write for example '0.1, 0.5, 2'."
        st.error(md(f"A run needs at least one price {symbol}; {example}", 300))
    return tuple(sorted(prices)) or None


def as_entered(prices: Iterable[float]) -> tuple[float, ...]:
    """Return prices as the form returns them: rounded as in the text input."""
    return tuple(sorted({float(f"{price:.15g}") for price in prices}))


# keys of a setting: with the size of its rule, and with its variant of a search
SIZES = ("theta", "n_clauses", "max_variables", "max_conditions", "max_columns")
KINDS_OF_RULE = ("describes", "robustness", "label_noise")
VARIANT = (*KINDS_OF_RULE, QUICK, CHOSEN, REFINED, UNCOSTED)


def nothing(*_: Any, **__: Any) -> None:
    """Show nothing: the card of a learner that has none."""


@dataclass(frozen=True)
class Cards:
    """Cards of some learners' models; each shows nothing for other models."""

    models: Callable[..., Any] = nothing  # on Models, below the picked rule
    rules: Callable[..., Any] = nothing  # on Rules, below the figures
    pictures: Callable[..., Any] = nothing  # on Rules, below the clauses
    explain: Callable[..., Any] = nothing  # on Explain; `plain` is the presenter mode


CLAUSES_DIAL = "Clauses allowed", ""
# sliders of a selected rule: by the entry of the setting that each changes, its label and caption
Dials = dict[str, tuple[str, str]]


def price_dials(setting: Setting, n_rows: int) -> Dials:
    """Return the sliders over prices and clauses for a table of `n_rows` training rows."""
    theta = setting["theta"]
    words = (
        f"Each condition must save at least {theta:g} misclassified training "
        f"row{'s' * (theta != 1)} (of {n_rows:,}, {100 * theta / n_rows:.2g} %). "
        "A higher price gives a shorter rule."
    )
    return {"theta": ("Price θ of a condition", words), "n_clauses": CLAUSES_DIAL}


@dataclass(frozen=True, eq=False, kw_only=True)
class Learner(Family):
    """An entry of `FAMILIES`, with its form and cards."""

    grid: Callable[[RunSpec], dict[str, list[Any]]]  # of a sweep, by the estimator's names
    # parameters besides those that every learner gets and those of `reads`
    own_parameters: Callable[[RunSpec, AppState, Setting], dict[str, Any]] = (
        lambda spec, state, variant: {}
    )
    # additional entries of the settings of each variant of a search
    variants: Callable[[RunSpec], tuple[dict[str, Any], ...]] = lambda spec: ()
    variant_words: Callable[[Setting], list[str]] = lambda setting: []
    reads: tuple[str, ...] = ()  # settings of a run that not every learner reads
    # fields of a run: from the table, and from the form (None, after a message, if one is invalid)
    usual: Callable[[pd.DataFrame, pd.Series], dict[str, Any]] = lambda X, y: {}
    form: Callable[[RunSpec], dict[str, Any] | None] = lambda usual: {}
    dials: Callable[[Setting, int], Dials] = price_dials  # if the setting has a price
    cards: Cards | None = None

    @classmethod
    def from_family(cls, key: str, **pages: Any) -> Self:
        """Return the learner of an entry of `FAMILIES`."""
        return cls(**vars(FAMILIES[key]), **pages)

    def estimator(self, spec: RunSpec, state: AppState, variant: Setting) -> ClassifierMixin:
        """Return the unfitted estimator with everything but the swept parameters."""
        model = clone(self.model)
        one = state.other_label if "describes" in variant else state.positive
        given = {name: getattr(spec, name) for name in self.reads} | {
            "form": "dnf" if state.several else spec.form,
            "positive_label": None if state.several else one,
            "class_weight": spec.class_weight,
            "costs": spec.error_costs(state.labels),
            "binarizer": state.binning.binarizer(),
            "constraints": spec.constraints(state.features, state.positive),
            "random_state": 0,
            "time_limit": FIT_SECONDS,
        }
        given |= self.own_parameters(spec, state, variant)
        parameters = model.get_params(deep=False)
        return model.set_params(**{k: v for k, v in given.items() if k in parameters})

    def settings(self, spec: RunSpec) -> list[dict[str, Any]]:
        """List the settings of the grid, in its order, under the shared names."""
        shared = {theirs: ours for ours, theirs in self.parameter_names.items()}
        return [
            {LEARNER_KEY: self.key, **{shared.get(k, k): v for k, v in setting.items()}}
            for setting in settings_of(self.grid(spec))
        ]

    def parameters(self, setting: Setting) -> dict[str, Any]:
        """Return the estimator's parameters of a setting of the grid."""
        others = (LEARNER_KEY, *VARIANT)
        return {self.parameter_names.get(k, k): v for k, v in setting.items() if k not in others}

    def words(self, setting: Setting, *, several: bool = False) -> str:
        """Return a setting in words, for captions and hover texts (not escaped)."""
        words = [f"{self.symbol} {setting['theta']:g}"] if "theta" in setting else []
        words += self.shape_words(setting)
        if "n_clauses" in setting:
            limit = f"at most {plural(setting['n_clauses'], 'clause')}"
            words.append(limit + " for each outcome" * several)
        return ", ".join([self.name, *words, *self.variant_words(setting)])
