"""What a learner is to the pages: one object that says, asks, sets up and shows.

A learner is such an object, made of the functions of its family's module, and a line in
`offered.LEARNERS`. The pages know learners by this face alone. A setting of a run has the same
names for all of them: ``theta`` is the price, whatever its letter is, and ``n_clauses`` the most
clauses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from sklearn.base import ClassifierMixin

from rulekit.evaluation.sweeps.grid import settings_of
from ui.learners.prices import price_words
from ui.learners.spec import LEARNER_KEY, QUICK, RunSpec
from ui.state import AppState

SIZES = (
    "theta",
    "n_clauses",
    "max_features",
    "max_conditions",
)  # of a setting: how large its rule may be
VARIANT = ("describes", "robustness", "doubt", QUICK)  # of a setting: what the estimator is told
Setting = Mapping[str, Any]


def nothing(*_: Any, **__: Any) -> None:
    """Show nothing: the card of a learner that has none in a place."""


@dataclass(frozen=True)
class Cards:
    """What pages show of some learners' models alone; each card is silent on other models.

    Attributes
    ----------
    models : callable (model, state)
        On Models, below the picked rule.
    rules : callable (model, state)
        On Rules, below the figures.
    pictures : callable (model, train, rows, words)
        On Rules, below the clauses.
    explain : callable (model, X, train, words, plain=)
        On Explain, below the decision; `X` has the one row, `plain` is the presenter mode.
    """

    models: Callable[..., Any] = nothing
    rules: Callable[..., Any] = nothing
    pictures: Callable[..., Any] = nothing
    explain: Callable[..., Any] = nothing


@dataclass(frozen=True)
class Dial:
    """A slider of the picked rule: the entry of the setting it moves, its label, a caption."""

    entry: str
    label: str
    caption: str = ""


CLAUSES_DIAL = Dial("n_clauses", "Clauses allowed")


def price_dials(setting: Setting, n_rows: int) -> list[Dial]:
    """Move along prices and clauses, for a table of so many training rows."""
    told = price_words(setting["theta"], n_rows)
    return [Dial("theta", "Price θ of a condition", told), CLAUSES_DIAL]


@dataclass(frozen=True, eq=False)
class Learner:
    """One learner.

    Attributes
    ----------
    key : str
        Its name in settings.
    name, sentence, good_for : str
        What it is called, what it does, and what it is good for.
    estimator : callable (spec, state, variant)
        The unfitted estimator with everything but the swept parameters. `variant` is one of
        `variants`, or a setting; only what makes it a variant is read.
    grid : callable (spec)
        The grid of a sweep: values by the estimator's names.
    variants : callable (spec)
        How it is varied beside its plain form: entries that settings then have, too.
    parameter_names : mapping
        The estimator's names for entries of a setting that it calls otherwise.
    picked : mapping
        Parameters of the picked model alone.
    whole_front : bool
        Whether one fit costs what all settings of a fold cost.
    at_once, quick : bool
        Whether it takes no time beside others; whether a fit may be measured while one waits.
    many_classes, keeps_constraints, keeps_promises : bool
        Whether it tells more than two classes apart; keeps to the analyst's constraints, or
        refuses them itself.
    reads : tuple of str
        Settings of a run that not all learners read, as far as this one does; see
        `ui.models.form.ASKED`.
    usual : callable (X, y)
        Fields of a run that depend on the table, as a first run has them.
    form : callable (usual)
        Asks for its main settings where it is chosen; returns fields of the run.
    finer_form : callable (state, usual, learners)
        The same of what is folded away, whatever is chosen; None, after a sentence, if a setting
        cannot be read.
    ways : str
        What it tries and what is not asked of it.
    symbol : str
        The letter of its price.
    shape_words, variant_words : callable (setting)
        What settings differ in beside price and clauses; what makes one a variant.
    dials : callable (setting, n_rows)
        The sliders of a picked setting, for a table of so many training rows.
    cards : Cards or None
        What pages show of its models alone.
    """

    key: str
    name: str
    sentence: str
    good_for: str
    estimator: Callable[[RunSpec, AppState, Setting], ClassifierMixin]
    grid: Callable[[RunSpec], dict[str, list[Any]]]
    variants: Callable[[RunSpec], tuple[dict[str, Any], ...]] = lambda spec: ()
    parameter_names: Mapping[str, str] = field(default_factory=dict)
    picked: Mapping[str, Any] = field(default_factory=dict)
    whole_front: bool = False
    at_once: bool = False
    quick: bool = True
    many_classes: bool = False
    keeps_constraints: bool = True
    keeps_promises: bool = True
    reads: tuple[str, ...] = ()
    usual: Callable[[pd.DataFrame, pd.Series], dict[str, Any]] = lambda X, y: {}
    form: Callable[[RunSpec], dict[str, Any]] = lambda usual: {}
    finer_form: Callable[[AppState, RunSpec, Sequence[str]], dict[str, Any] | None] = (
        lambda state, usual, learners: {}
    )
    ways: str = ""
    symbol: str = "θ"
    shape_words: Callable[[Setting], list[str]] = lambda setting: []
    variant_words: Callable[[Setting], list[str]] = lambda setting: []
    dials: Callable[[Setting, int], list[Dial]] = price_dials
    cards: Cards | None = None

    def settings(self, spec: RunSpec) -> list[dict[str, Any]]:
        """List the settings of the grid, in its order, under the shared names."""
        shared = {theirs: ours for ours, theirs in self.parameter_names.items()}
        return [
            {LEARNER_KEY: self.key, **{shared.get(k, k): v for k, v in setting.items()}}
            for setting in settings_of(self.grid(spec))
        ]

    def parameters(self, setting: Setting) -> dict[str, Any]:
        """Return the estimator's parameters that a setting of the grid stands for."""
        told = (LEARNER_KEY, *VARIANT)
        return {self.parameter_names.get(k, k): v for k, v in setting.items() if k not in told}

    def words(self, setting: Setting) -> str:
        """Say a setting in words, for captions and hover boxes (escape it there)."""
        words = [f"{self.symbol} {setting['theta']:g}"] if "theta" in setting else []
        words += self.shape_words(setting)
        if "n_clauses" in setting:
            n = setting["n_clauses"]
            words.append(f"at most {n} clause{'s' * (n != 1)}")
        return ", ".join([self.name, *words, *self.variant_words(setting)])
